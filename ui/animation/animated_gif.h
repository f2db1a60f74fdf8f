#pragma once

#include <QSize>
#include <cstdint>
#include <memory>
#include <vector>

#include "ui/animation/palette.h"

class QIODevice;

namespace ropelab::ui {

/// An animated GIF (version 89a) that plays for ever, written frame by frame through giflib; it holds one frame in
/// memory. A frame is stored as what changed since the one before it.
class AnimatedGif {
 public:
    /// How many colours a frame may have; one more place means "as before".
    static constexpr int mostColors = 255;

    /// `device`: open, and outlives this. `palette`: of at most mostColors. Every function throws BadInput, one
    /// sentence, where the device takes no more.
    AnimatedGif(QIODevice& device, QSize size, Palette palette);
    ~AnimatedGif();
    AnimatedGif(const AnimatedGif&) = delete;
    AnimatedGif& operator=(const AnimatedGif&) = delete;

    /// The next frame, of the picture's size, and how long it stays. The file counts in hundredths of a second; what
    /// rounding adds or takes away is made up for by the next frame.
    void add(const QImage& frame, double seconds);
    /// Writes the end of the file. Without it the file is not whole.
    void finish();

 private:
    struct Encoder;
    void check(int result) const;

    QSize m_size;
    Palette m_palette;
    std::unique_ptr<Encoder> m_encoder;
    std::vector<std::uint8_t> m_before;  // what is shown
    double m_due = 0;                    // hundredths, of all frames so far
    std::int64_t m_written = 0;          // the same, as the file has them
};

}  // namespace ropelab::ui
