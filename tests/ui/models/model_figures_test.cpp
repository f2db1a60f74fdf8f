#include <gtest/gtest.h>

#include <QImage>
#include <QJsonArray>
#include <QPainter>
#include <algorithm>
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
    const MapDrawing map = mapOf(points, current, MapQuantity::base, 3);
    QStringList names;
    for (const MapDrawing::Spot& spot : map.spots) {
        names << spot.names;
        EXPECT_GT(spot.at.x(), map.xRange().minimum);
        EXPECT_LT(spot.at.x(), map.xRange().maximum);
        EXPECT_GT(spot.at.y(), map.yRange().minimum);
        EXPECT_LT(spot.at.y(), map.yRange().maximum);
        EXPECT_EQ(spot.isPicked, spot.names.contains(points[3].name));
        if (spot.isPicked) {
            EXPECT_EQ(spot.names.first(), points[3].name);
        }
    }
    EXPECT_EQ(names.size(), static_cast<qsizetype>(points.size()));
    EXPECT_EQ(names.removeDuplicates(), 0);
    EXPECT_EQ(map.current, QPointF(1024, 5e5));
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
    const MapDrawing map = mapOf(points, still, MapQuantity::base);
    EXPECT_TRUE(map.spots.empty());
    EXPECT_FALSE(map.current.has_value());
    EXPECT_FALSE(map.emptyText.isEmpty());
}

TEST(ModelMapFigure, DrawsInsideItsRectangle) {
    ASSERT_EQ(modelFigures().size(), 1U);
    EXPECT_STREQ(modelFigures()[0].name, "model-map");
    const Figure figure = modelFigures()[0].make({}, {});
    const QRect inside(60, 40, 420, 300);
    QImage image(540, 380, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    figure.drawing(painter, inside, FigureStyle::print(Theme::light(), 8.5, 96.0 / 72));
    painter.end();
    int ink = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (image.pixel(x, y) == 0xFFFFFFFF) continue;
            ++ink;
            ASSERT_TRUE(inside.contains(x, y)) << x << ", " << y;
        }
    }
    EXPECT_GT(ink, 1000);
}

}  // namespace
}  // namespace ropelab::ui
