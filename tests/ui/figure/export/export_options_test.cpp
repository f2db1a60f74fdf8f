#include "ui/figure/export/export_options.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/ui/figure/sample_figure.h"
#include "ui/figure/export/export.h"

namespace ropelab::ui {
namespace {

TEST(FigurePresets, HaveTheWidthsOfThePublishers) {
    EXPECT_DOUBLE_EQ(figurePreset("ieee-column").widthMm, 88.9);
    EXPECT_DOUBLE_EQ(figurePreset("ieee-page").widthMm, 181);
    EXPECT_DOUBLE_EQ(figurePreset("nature-column").widthMm, 89);
    EXPECT_DOUBLE_EQ(figurePreset("nature-page").widthMm, 183);
    EXPECT_DOUBLE_EQ(figurePreset("icml-column").widthMm, 82.5);
    EXPECT_DOUBLE_EQ(figurePreset("neurips").widthMm, 139.7);
    const FigurePreset slide = figurePreset("slide");
    EXPECT_NEAR(slide.widthMm / slide.heightMm, 16.0 / 9, 0.01);
    EXPECT_THROW(figurePreset("poster"), BadInput);
}

TEST(FigurePresets, KeepTheLimitsOfThePublishers) {
    for (const FigurePreset& preset : figurePresets()) {
        const QByteArray name = preset.name;
        const double highest = name.startsWith("nature") ? 170 : 9 * 25.4;  // text height of the page
        EXPECT_LT(preset.heightMm, highest) << preset.name;
        EXPECT_LE(preset.fontPt, name.startsWith("nature") ? 7 : name == "slide" ? 12 : 10) << preset.name;
        EXPECT_GE(preset.fontPt, name.startsWith("nature") ? 5 : 8) << preset.name;
    }
}

TEST(FigurePresets, AreSizesThatCanBeExported) {
    for (const FigurePreset& preset : figurePresets()) {
        ExportOptions options;
        options.format = FigureFormat::svg;
        options.widthMm = preset.widthMm;
        options.heightMm = preset.heightMm;
        options.fontPt = preset.fontPt;
        const QByteArray bytes = figureBytes(sampleFigure(), options);
        EXPECT_TRUE(bytes.contains("width=\"" + QByteArray::number(preset.widthMm) + "mm\"")) << preset.name;
    }
}

}  // namespace
}  // namespace ropelab::ui
