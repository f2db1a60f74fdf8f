#include "ui/theme/theme.h"

#include <gtest/gtest.h>

#include <set>

namespace ropelab::ui {
namespace {

TEST(Contrast, HasReferenceValuesAndIsSymmetric) {
    EXPECT_DOUBLE_EQ(contrastRatio(Qt::black, Qt::white), 21.0);
    EXPECT_DOUBLE_EQ(contrastRatio(Qt::white, Qt::black), 21.0);
    EXPECT_DOUBLE_EQ(contrastRatio(Qt::red, Qt::red), 1.0);
    // WCAG's example of a grey that has just enough contrast on white.
    EXPECT_NEAR(contrastRatio(QColor(0x76, 0x76, 0x76), Qt::white), 4.54, 0.005);
}

TEST(Theme, TextIsReadableOnEverySurface) {
    for (const Theme& theme : {Theme::light(), Theme::dark()}) {
        for (const Theme::TextPair& pair : theme.textPairs()) {
            EXPECT_GE(contrastRatio(pair.text, pair.surface), 4.5)
                << pair.name << " " << pair.text.name().toStdString() << " on " << pair.surface.name().toStdString();
        }
    }
}

TEST(Theme, HighContrastIsReadableOnAProjector) {
    const Theme& theme = Theme::highContrast();
    for (const Theme::TextPair& pair : theme.textPairs()) {
        EXPECT_GE(contrastRatio(pair.text, pair.surface), 7.0) << pair.name;
    }
    for (const QColor& color : theme.data)
        EXPECT_GE(contrastRatio(color, theme.paper), 4.5) << color.name().toStdString();
}

TEST(Theme, EveryLineOfDataIsSeenOnPaperAndPanel) {
    for (const Theme& theme : {Theme::light(), Theme::dark(), Theme::highContrast()}) {
        std::vector<QColor> colors = {theme.query, theme.key, theme.rotated, theme.unrotated, theme.compared};
        for (int i = 0; i < 7; ++i) {
            for (int shade = 0; shade < Theme::kShades; ++shade) colors.push_back(theme.dataColor(i, shade));
        }
        for (const QColor& color : colors) {
            EXPECT_GE(contrastRatio(color, theme.paper), 3.0) << color.name().toStdString();
            EXPECT_GE(contrastRatio(color, theme.panel), 3.0) << color.name().toStdString();
        }
    }
}

TEST(Theme, DataColoursAreTheOkabeItoPalette) {
    EXPECT_EQ(Theme::light().dataColor(0).name(), "#0072b2");
    EXPECT_EQ(Theme::light().dataColor(6).name(), "#000000");
    EXPECT_EQ(Theme::dark().dataColor(6).name(), "#f0e442");
    EXPECT_EQ(Theme::light().dataColor(7), Theme::light().dataColor(0));
    EXPECT_EQ(Theme::light().dataColor(-1), Theme::light().dataColor(6));
    std::set<QString> names;
    for (int i = 0; i < 7; ++i) {
        names.insert(Theme::dark().dataColor(i).name());
    }
    EXPECT_EQ(names.size(), 7U);
}

TEST(Theme, ColoursAndDashesDistinguishFortyNineRuns) {
    for (const bool isUnique : {false, true}) {
        std::set<std::pair<QString, QList<double>>> looks;
        for (int i = 0; i < 49; ++i) {
            looks.insert({Theme::light().dataColor(i).name(), Theme::dashes(i, isUnique)});
        }
        EXPECT_EQ(looks.size(), 49U);
    }
    EXPECT_TRUE(Theme::dashes(6, false).isEmpty());
    EXPECT_FALSE(Theme::dashes(7, false).isEmpty());
}

TEST(Theme, DashesAloneDistinguishSevenRuns) {
    std::set<QList<double>> patterns;
    for (int i = 0; i < 7; ++i) {
        patterns.insert(Theme::dashes(i, true));
    }
    EXPECT_EQ(patterns.size(), 7U);
}

}  // namespace
}  // namespace ropelab::ui
