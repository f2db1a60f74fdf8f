#include "ui/animation/palette.h"

#include <gtest/gtest.h>

#include <QPainter>
#include <algorithm>
#include <cstdlib>
#include <set>

namespace ropelab::ui {
namespace {

/// Returns an image with all red values from left to right and all green values from top to bottom.
QImage ramp(int blue) {
    QImage image(64, 64, QImage::Format_RGB32);
    for (int y = 0; y < 64; ++y) {
        for (int x = 0; x < 64; ++x) image.setPixel(x, y, qRgb(4 * x, 4 * y, blue));
    }
    return image;
}

int apart(QRgb a, QRgb b) {
    return std::max({std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)), std::abs(qBlue(a) - qBlue(b))});
}

TEST(PaletteTest, FewColoursDoNotChange) {
    QImage image(10, 4, QImage::Format_RGB32);
    image.fill(Qt::white);
    for (int x = 0; x < 10; ++x) image.setPixel(x, 1, qRgb(0, 0x72, 0xB2));
    image.setPixel(3, 3, qRgb(0xD5, 0x5E, 0));
    const Palette palette({image}, 255);
    EXPECT_EQ(palette.colors().size(), 3U);
    const auto indices = palette.indicesOf(image);
    ASSERT_EQ(indices.size(), 40U);
    for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 10; ++x) {
            EXPECT_EQ(palette.colors().at(indices[static_cast<std::size_t>(10 * y + x)]), image.pixel(x, y));
        }
    }
}

TEST(PaletteTest, ManyColoursAreApproximatedForAllImages) {
    const std::vector<QImage> pictures = {ramp(0), ramp(255)};
    const Palette palette(pictures, 200, {QColor(1, 2, 3), QColor(250, 251, 77)});
    EXPECT_LE(palette.colors().size(), 200U);
    EXPECT_GT(palette.colors().size(), 150U);
    for (const QRgb exact : {qRgb(1, 2, 3), qRgb(250, 251, 77)}) {
        EXPECT_NE(std::find(palette.colors().begin(), palette.colors().end(), exact), palette.colors().end());
    }
    for (const QImage& picture : pictures) {
        const auto indices = palette.indicesOf(picture);
        for (int y = 0; y < 64; ++y) {
            for (int x = 0; x < 64; ++x) {
                EXPECT_LE(
                    apart(palette.colors().at(indices[static_cast<std::size_t>(64 * y + x)]), picture.pixel(x, y)), 40);
            }
        }
    }
}

TEST(PaletteTest, UniformAreaKeepsOneColour) {
    const Palette palette({ramp(0), ramp(255)}, 16);
    QImage flat(30, 30, QImage::Format_RGB32);
    flat.fill(qRgb(100, 120, 140));
    const auto indices = palette.indicesOf(flat);
    EXPECT_EQ(std::set<int>(indices.begin(), indices.end()).size(), 1U);
    // An image has the same colours after another image was processed.
    (void)palette.indicesOf(ramp(0));
    EXPECT_EQ(palette.indicesOf(flat), indices);
}

}  // namespace
}  // namespace ropelab::ui
