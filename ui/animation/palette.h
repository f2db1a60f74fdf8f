#pragma once

#include <QColor>
#include <QImage>
#include <QList>
#include <cstdint>
#include <memory>
#include <vector>

namespace ropelab::ui {

/// The few colours that pictures are drawn with where a format has no more: chosen by libimagequant so that they look
/// alike. Opaque. Neighbouring pixels of one colour stay so: nothing is dithered.
class Palette {
 public:
    /// At most `most` colours (2 to 256) for these pictures and for others like them; those of `exact` are among them
    /// as they are. At least one picture.
    Palette(const std::vector<QImage>& pictures, int most, const QList<QColor>& exact = {});
    ~Palette();
    Palette(Palette&&) noexcept;
    Palette& operator=(Palette&&) noexcept;

    const std::vector<QRgb>& colors() const { return m_colors; }
    /// The place of each pixel's nearest colour, row by row.
    std::vector<std::uint8_t> indicesOf(const QImage& picture) const;

 private:
    struct Chosen;
    std::unique_ptr<Chosen> m_chosen;
    std::vector<QRgb> m_colors;
};

}  // namespace ropelab::ui
