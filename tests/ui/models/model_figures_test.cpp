#include <gtest/gtest.h>

#include <QJsonArray>
#include <cmath>

#include "ui/models/model_entry.h"
#include "ui/models/model_figures.h"

namespace ropelab::ui {
namespace {

RotarySetup modelSetup(int headDim, double theta, double fraction, Partial partial) {
    RotarySetup setup;
    setup.head_dim = headDim;
    setup.theta = theta;
    setup.fraction = fraction;
    setup.partial = partial;
    return setup;
}

TEST(EffectiveBase, HasTheSameFrequenciesForTruncate) {
    // F5: truncating the whole head's spectrum at b_eff gives the frequencies of the slice.
    const RotarySetup slice = modelSetup(64, 10000, 0.25, Partial::slice);
    const double base = effectiveBase(slice);
    EXPECT_NEAR(base, 1e16, 1e4);
    const auto wanted = frequencies(frequency_settings(slice)).inverse_frequencies;
    FrequencySettings whole = frequency_settings(modelSetup(64, 10000, 0.25, Partial::truncate));
    whole.theta = base;
    const auto found = frequencies(whole).inverse_frequencies;
    ASSERT_EQ(wanted.size(), 8U);
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i] / wanted[i], 1, 1e-12);
}

TEST(EffectiveBase, IsThetaForFullRotationAndForTruncate) {
    EXPECT_EQ(effectiveBase(modelSetup(128, 5e5, 1, Partial::slice)), 5e5);
    EXPECT_EQ(effectiveBase(modelSetup(256, 1e6, 0.25, Partial::truncate)), 1e6);
    EXPECT_TRUE(std::isnan(effectiveBase(modelSetup(64, 10000, 0, Partial::slice))));
}

TEST(MapQuantity, SlowestWavelengthIsBeforeScaling) {
    EXPECT_NEAR(quantityOf(modelSetup(64, 10000, 1, Partial::slice), MapQuantity::wavelength), 47117, 1);
    EXPECT_NEAR(quantityOf(modelSetup(64, 10000, 0.25, Partial::slice), MapQuantity::wavelength), 19869, 1);
    RotarySetup truncated = modelSetup(64, 10000, 0.25, Partial::truncate);
    EXPECT_NEAR(quantityOf(truncated, MapQuantity::wavelength), 47, 0.5);
    truncated.scaling.method = ScalingMethod::linear;
    truncated.scaling.factor = 4;
    EXPECT_NEAR(quantityOf(truncated, MapQuantity::wavelength), 47, 0.5);
    EXPECT_EQ(quantityOf(truncated, MapQuantity::theta), 10000);
}

TEST(KnownModels, AreAcceptedByTheImporterAndValid) {
    ASSERT_GE(knownModels().size(), 30U);
    for (const ModelEntry& entry : knownModels()) {
        EXPECT_FALSE(entry.source.isEmpty()) << entry.name.toStdString();
        for (const HfRotary& rotary : entry.model.rotary) {
            EXPECT_NO_THROW(check(rotary.setup)) << entry.name.toStdString();
        }
    }
}

TEST(ModelMapFigure, ShowsEveryModelOnceAndMarksTheSetup) {
    const std::vector<MapPoint> points = knownPoints();
    const RotarySetup current = modelSetup(128, 5e5, 1, Partial::slice);
    const Figure figure = modelMapFigure(points, current, MapQuantity::base, 3);
    std::size_t models = 0;
    int picked = 0;
    for (const FigureCurve& spot : figure.curves) {
        ASSERT_EQ(spot.x.size(), 1);
        ASSERT_EQ(spot.y.size(), 1);
        EXPECT_GT(spot.x.first(), figure.x.minimum);
        EXPECT_LT(spot.x.first(), figure.x.maximum);
        EXPECT_GT(spot.y.first(), figure.y.minimum);
        EXPECT_LT(spot.y.first(), figure.y.maximum);
        if (spot.label.isEmpty()) continue;                   // the setup
        const qsizetype more = spot.label.lastIndexOf(" +");  // "Llama 3.1 8B +2": two other models at this place
        models += 1 + (more < 0 ? 0 : spot.label.mid(more + 2).toUInt());
        if (spot.emphasis != FigureCurve::Emphasis::picked) continue;
        EXPECT_TRUE(spot.label.startsWith(points[3].name)) << spot.label.toStdString();
        ++picked;
    }
    EXPECT_EQ(models, points.size());
    EXPECT_EQ(picked, 1);
    ASSERT_EQ(figure.verticalLines.size(), 1U);
    EXPECT_EQ(figure.verticalLines[0].at, 1024);
    EXPECT_EQ(figure.verticalLines[0].label, "setup");
    ASSERT_EQ(figure.horizontalLines.size(), 1U);
    EXPECT_EQ(figure.horizontalLines[0].at, 5e5);
}

TEST(ModelMapFigure, HasATableOfNumbers) {
    const std::vector<MapPoint> points = knownPoints();
    const Figure figure = modelMapFigure(points, {}, MapQuantity::base, 0);
    EXPECT_TRUE(figure.summary.contains(points[0].name));
    EXPECT_EQ(figure.table.names.size(), figure.table.columns.size());
    for (const auto& column : figure.table.columns) EXPECT_EQ(column.size(), static_cast<qsizetype>(points.size()));
    EXPECT_EQ(figure.table.columns[0][0], static_cast<double>(points[0].setup.context));
    EXPECT_EQ(figure.table.columns[4][0], effectiveBase(points[0].setup));
    EXPECT_EQ(figure.settings["models"].toArray().size(), static_cast<qsizetype>(points.size()));
    EXPECT_EQ(figure.settings["models"].toArray().first().toString(), points[0].name);
}

TEST(ModelMapFigure, OmitsModelsWithoutRotation) {
    const RotarySetup still = modelSetup(64, 10000, 0, Partial::slice);
    const std::vector<MapPoint> points = {{"still", still}};
    const Figure figure = modelMapFigure(points, still, MapQuantity::base);
    EXPECT_TRUE(isEmpty(figure));
    EXPECT_TRUE(figure.verticalLines.empty());
    EXPECT_FALSE(figure.emptyText.isEmpty());
}

TEST(ModelMapFigure, IsAvailableByName) {
    ASSERT_EQ(modelFigures().size(), 1U);
    EXPECT_STREQ(modelFigures()[0].name, "model-map");
    EXPECT_FALSE(isEmpty(modelFigures()[0].make({}, {})));
}

}  // namespace
}  // namespace ropelab::ui
