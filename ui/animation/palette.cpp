#include "ui/animation/palette.h"

#include <libimagequant.h>

#include <stdexcept>
#include <string>

namespace ropelab::ui {
namespace {

constexpr double kGamma = 0;  // sRGB

template <auto destroy>
struct Destroy {
    void operator()(auto* thing) const { destroy(thing); }
};
using Attributes = std::unique_ptr<liq_attr, Destroy<liq_attr_destroy>>;
using Histogram = std::unique_ptr<liq_histogram, Destroy<liq_histogram_destroy>>;
using Picture = std::unique_ptr<liq_image, Destroy<liq_image_destroy>>;
using Result = std::unique_ptr<liq_result, Destroy<liq_result_destroy>>;

void check(liq_error error) {
    if (error == LIQ_OK) return;
    const std::string why =
        error == LIQ_OUT_OF_MEMORY ? "out of memory" : "libimagequant's error " + std::to_string(error);
    throw std::runtime_error("The colour palette of the animated GIF cannot be computed: " + why + ".");
}
void check(bool made) {
    check(made ? LIQ_OK : LIQ_OUT_OF_MEMORY);
}

/// `pixels` must outlive the result.
Picture pictureOf(const liq_attr& attributes, const QImage& pixels) {
    Picture picture(liq_image_create_rgba(&attributes, pixels.constBits(), pixels.width(), pixels.height(), kGamma));
    check(picture != nullptr);
    return picture;
}

QImage pixelsOf(const QImage& picture) {
    return picture.convertToFormat(QImage::Format_RGBA8888);  // 4 bytes per pixel, without gaps between rows
}

}  // namespace

struct Palette::Chosen {
    Attributes attributes;
    Result result;
};

Palette::Palette(const std::vector<QImage>& pictures, int most, const QList<QColor>& exact)
    : m_chosen(std::make_unique<Chosen>()) {
    Attributes attributes(liq_attr_create());
    check(attributes != nullptr);
    check(liq_set_max_colors(attributes.get(), most));
    Histogram histogram(liq_histogram_create(attributes.get()));
    check(histogram != nullptr);
    for (const QImage& each : pictures) {
        const QImage pixels = pixelsOf(each);
        check(liq_histogram_add_image(histogram.get(), attributes.get(), pictureOf(*attributes, pixels).get()));
    }
    for (const QColor& color : exact) {
        const auto part = [](int value) { return static_cast<unsigned char>(value); };
        check(liq_histogram_add_fixed_color(histogram.get(),
                                            {part(color.red()), part(color.green()), part(color.blue()), 255}, kGamma));
    }
    liq_result* result = nullptr;
    check(liq_histogram_quantize(histogram.get(), attributes.get(), &result));
    m_chosen->result.reset(result);
    check(liq_set_dithering_level(result, 0));
    const liq_palette* palette = liq_get_palette(result);
    check(palette != nullptr);
    for (unsigned i = 0; i < palette->count; ++i) {
        const liq_color& color = palette->entries[i];
        m_colors.push_back(qRgb(color.r, color.g, color.b));
    }
    m_chosen->attributes = std::move(attributes);
}

Palette::~Palette() = default;
Palette::Palette(Palette&&) noexcept = default;
Palette& Palette::operator=(Palette&&) noexcept = default;

std::vector<std::uint8_t> Palette::indicesOf(const QImage& picture) const {
    const QImage pixels = pixelsOf(picture);
    std::vector<std::uint8_t> indices(static_cast<std::size_t>(pixels.width()) *
                                      static_cast<std::size_t>(pixels.height()));
    check(liq_write_remapped_image(m_chosen->result.get(), pictureOf(*m_chosen->attributes, pixels).get(),
                                   indices.data(), indices.size()));
    return indices;
}

}  // namespace ropelab::ui
