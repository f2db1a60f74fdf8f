#pragma once

#include <QSize>
#include <cstdint>
#include <memory>
#include <vector>

#include "ui/animation/palette.h"

class QIODevice;

namespace ropelab::ui {

/// Loops forever (GIF89a, giflib). Only one frame is in memory; each stores the pixels that differ from the previous
/// one.
class AnimatedGif {
 public:
    /// Largest number of colours. One more index means that a pixel does not change.
    static constexpr int kMaxColors = 255;

    /// `device` must be open and outlive this object. Every function throws WriteError if writing to the device fails.
    AnimatedGif(QIODevice& device, QSize size, Palette palette);
    ~AnimatedGif();
    AnimatedGif(const AnimatedGif&) = delete;
    AnimatedGif& operator=(const AnimatedGif&) = delete;

    /// The file stores durations in hundredths of a second; the next frame compensates for the rounding error.
    void add(const QImage& frame, double seconds);
    void finish();

 private:
    struct Encoder;
    void check(int result) const;

    QSize m_size;
    Palette m_palette;
    std::unique_ptr<Encoder> m_encoder;
    std::vector<std::uint8_t> m_before;  // colour indices of the previous frame
    double m_due = 0;                    // total duration of all frames, in hundredths of a second
    std::int64_t m_written = 0;          // total duration as the file stores it, in hundredths of a second
};

}  // namespace ropelab::ui
