#pragma once

#include <QColor>
#include <QImage>
#include <QList>
#include <cstdint>
#include <memory>
#include <vector>

namespace ropelab::ui {

/// Chosen by libimagequant. Colours are opaque, without dithering: equal pixels get the same palette colour.
class Palette {
 public:
    /// `most`: 2 to 256 colours. Colours of `exact` are kept unchanged. Images similar to `pictures` can use the
    /// palette, too.
    Palette(const std::vector<QImage>& pictures, int most, const QList<QColor>& exact = {});
    ~Palette();
    Palette(Palette&&) noexcept;
    Palette& operator=(Palette&&) noexcept;

    const std::vector<QRgb>& colors() const { return m_colors; }
    /// Index of each pixel's nearest colour, row by row.
    std::vector<std::uint8_t> indicesOf(const QImage& picture) const;

 private:
    struct Chosen;
    std::unique_ptr<Chosen> m_chosen;
    std::vector<QRgb> m_colors;
};

}  // namespace ropelab::ui
