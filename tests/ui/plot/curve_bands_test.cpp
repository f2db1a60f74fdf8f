#include "ui/plot/curve_bands.h"

#include <gtest/gtest.h>
#include <qcustomplot.h>

#include <cmath>

#include "ui/plot/curve_plot.h"

namespace ropelab::ui {
namespace {

CurveData curve(const QList<double>& x, const QList<double>& y) {
    CurveData data;
    data.set(x, y);
    return data;
}

TEST(CurveBands, ComputesMeanAndDeviationAtEveryMeasuredX) {
    const CurveData a = curve({0, 10, 20}, {1, 2, 3});
    const CurveData b = curve({0, 10}, {3, 4});
    const CurveData c = curve({0, 15}, {5, std::nan("")});
    CurveMean mean;
    mean.update({&a, &b, &c});
    ASSERT_EQ(mean.mean().x(), (QList<double>{0, 10, 15, 20}));
    EXPECT_DOUBLE_EQ(mean.mean().y()[0], 3);
    EXPECT_DOUBLE_EQ(mean.lower().y()[0], 1);  // the standard deviation of 1, 3, 5 is 2
    EXPECT_DOUBLE_EQ(mean.upper().y()[0], 5);
    EXPECT_DOUBLE_EQ(mean.mean().y()[1], 3);
    EXPECT_DOUBLE_EQ(mean.upper().y()[1], 3 + std::sqrt(2.0));
    EXPECT_TRUE(std::isnan(mean.mean().y()[2])) << "the only run has diverged";
    EXPECT_DOUBLE_EQ(mean.mean().y()[3], 3);
    EXPECT_TRUE(std::isnan(mean.lower().y()[3])) << "a single run has no standard deviation";
    mean.update({});
    EXPECT_TRUE(mean.mean().x().isEmpty());
}

TEST(CurveBands, TheEndGrowsWithTheSlowestSeed) {
    CurveData a = curve({0, 1, 2, 3}, {4, 3, 2, 1});
    CurveData b = curve({0, 1}, {6, 5});
    CurveMean mean;
    mean.update({&a, &b}, 1);
    EXPECT_EQ(mean.mean().y(), (QList<double>{5, 4}));
    EXPECT_TRUE(mean.isCut());
    const std::uint64_t history = mean.mean().history();
    b.append(2, 8);
    mean.update({&a, &b}, 2);
    EXPECT_EQ(mean.mean().y(), (QList<double>{5, 4, 5}));
    EXPECT_EQ(mean.mean().history(), history);
    mean.update({&a, &b}, 0);
    EXPECT_EQ(mean.mean().y(), (QList<double>{5}));
}

void expectSame(const CurveData& a, const CurveData& b) {
    ASSERT_EQ(a.x(), b.x());
    for (qsizetype i = 0; i < a.y().size(); ++i) {
        EXPECT_TRUE(a.y()[i] == b.y()[i] || (std::isnan(a.y()[i]) && std::isnan(b.y()[i]))) << i;
    }
}

TEST(CurveBands, IncrementalUpdateEqualsFullComputation) {
    CurveData a = curve({0, 1, 2}, {4, 3, 2});
    CurveData b = curve({0, 1}, {6, 5});
    CurveMean incremental;
    const auto expectFull = [&](const std::vector<const CurveData*>& curves) {
        incremental.update(curves);
        CurveMean full;
        full.update(curves);
        expectSame(incremental.mean(), full.mean());
        expectSame(incremental.lower(), full.lower());
        expectSame(incremental.upper(), full.upper());
    };
    expectFull({&a, &b});
    const std::uint64_t history = incremental.mean().history();
    expectFull({&a, &b});
    a.append(3, 1);
    expectFull({&a, &b});
    EXPECT_EQ(incremental.mean().history(), history) << "appending must not replace points";
    b.append(2, 4);  // so far, only curve a had a point here
    b.append(3, 3);
    expectFull({&a, &b});
    EXPECT_NE(incremental.mean().history(), history);
    b.append(1, 7);  // the run resumes from its checkpoint
    expectFull({&a, &b});
    a.truncate(0);
    expectFull({&a, &b});
    const CurveData c = curve({0, 0.5}, {1, 1});
    expectFull({&a, &b, &c});
    expectFull({&a, &c});
    expectFull({&c});
}

class GroupedPlot : public testing::Test {
 protected:
    void SetUp() override {
        for (const RunId run : {1, 2, 3}) {
            plot.addRun(run, QStringLiteral("run %1").arg(run), Ink::data(static_cast<int>(run) - 1));
            for (int i = 0; i < 5; ++i) {
                plot.append({run, Quantity::validation_loss}, i * 10.0, static_cast<double>(run) + i);
            }
        }
    }
    CurvePlot plot;
};

TEST_F(GroupedPlot, BandOfManyPointsIsReducedForPainting) {
    for (int i = 0; i < 20000; ++i) {
        for (const RunId run : {1, 2}) {
            plot.append({run, Quantity::training_loss}, i, static_cast<double>(run) + std::sin(i));
        }
    }
    plot.setShownQuantity(Quantity::training_loss);
    plot.setGroups({{"a", {1, 2}}});
    plot.resize(800, 500);
    plot.refreshNow();
    EXPECT_EQ(plot.toFigure().bands[0].x.size(), 20000);
    int painted = 0;
    for (int i = 0; i < plot.canvas()->graphCount(); ++i) painted += plot.canvas()->graph(i)->data()->size();
    EXPECT_LE(painted, 4 * 801) << "the mean and both ends of its band";
}

TEST_F(GroupedPlot, DrawsOneCurvePerGroupWithABand) {
    plot.setGroups({{"a", {1, 2}}, {"b", {3}}});
    const Figure figure = plot.toFigure();
    ASSERT_EQ(figure.curves.size(), 2u);
    EXPECT_EQ(figure.curves[0].label, "a");
    EXPECT_EQ(figure.curves[0].y, (QList<double>{1.5, 2.5, 3.5, 4.5, 5.5}));
    EXPECT_EQ(figure.curves[0].ink, Ink::data(0));
    EXPECT_EQ(figure.curves[1].y.first(), 3);
    ASSERT_EQ(figure.bands.size(), 1u);
    EXPECT_NEAR(figure.bands[0].lower[0], 1.5 - std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(figure.bands[0].upper[4], 5.5 + std::sqrt(0.5), 1e-12);
    EXPECT_TRUE(figure.note.contains("± std over seeds"));
    plot.setGroups({});
    EXPECT_EQ(plot.toFigure().curves.size(), 3u);
    EXPECT_TRUE(plot.toFigure().bands.empty());
}

TEST_F(GroupedPlot, HiddenRunsAreExcludedFromTheMean) {
    plot.setGroups({{"a", {1, 2}}, {"b", {3}}});
    plot.setRunVisible(1, false);
    const Figure figure = plot.toFigure();
    EXPECT_EQ(figure.curves[0].y.first(), 2);
    EXPECT_EQ(figure.curves[0].ink, Ink::data(1));
    EXPECT_TRUE(figure.bands.empty());
}

TEST_F(GroupedPlot, SelectedRunAndUnitApplyToTheGroup) {
    plot.setGroups({{"a", {1, 2}}, {"b", {3}}});
    plot.pickRun(2);
    plot.resize(500, 400);
    plot.show();
    plot.refreshNow();
    EXPECT_EQ(plot.pickedRun(), 2);
    plot.setLossUnit({"bits per character", 2});
    const Figure figure = plot.toFigure();
    EXPECT_DOUBLE_EQ(figure.curves[0].y[0], 3);
    EXPECT_NEAR(figure.bands[0].upper[0], 3 + 2 * std::sqrt(0.5), 1e-12);
    plot.removeRun(1);
    plot.refreshNow();
    EXPECT_EQ(plot.toFigure().curves[0].y[0], 4);
}

}  // namespace
}  // namespace ropelab::ui
