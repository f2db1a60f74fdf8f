#pragma once

#include <QColor>
#include <QImage>
#include <QList>
#include <cstdint>
#include <memory>
#include <vector>

namespace ropelab::ui {

/// Palette for image formats with a limited number of colours. libimagequant chooses the colours so that the images
/// look similar. Colours are opaque. There is no dithering: pixels of the same colour get the same palette colour.
class Palette {
 public:
    /// Chooses at most `most` colours (2 to 256) for these images, at least one, and for similar ones. The palette
    /// contains the colours of `exact` unchanged.
    Palette(const std::vector<QImage>& pictures, int most, const QList<QColor>& exact = {});
    ~Palette();
    Palette(Palette&&) noexcept;
    Palette& operator=(Palette&&) noexcept;

    /// Colours by index.
    const std::vector<QRgb>& colors() const { return m_colors; }
    /// Returns the index of each pixel's nearest colour, row by row.
    std::vector<std::uint8_t> indicesOf(const QImage& picture) const;

 private:
    struct Chosen;
    std::unique_ptr<Chosen> m_chosen;
    std::vector<QRgb> m_colors;
};

}  // namespace ropelab::ui
