#include "ui/plot/curve_bands.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <cmath>

#include "ui/plot/curve_plot.h"
#include "ui/plot/legend.h"

namespace ropelab::ui {
namespace {

CurveData curve(const QList<double>& x, const QList<double>& y) {
    CurveData data;
    data.set(x, y);
    return data;
}

TEST(CurveBands, MeanAndSpreadAtEveryMeasuredPlace) {
    const CurveData a = curve({0, 10, 20}, {1, 2, 3});
    const CurveData b = curve({0, 10}, {3, 4});
    const CurveData c = curve({0, 15}, {5, std::nan("")});
    const CurveMean mean = meanOf({&a, &b, &c});
    ASSERT_EQ(mean.x, (QList<double>{0, 10, 15, 20}));
    EXPECT_DOUBLE_EQ(mean.mean[0], 3);
    EXPECT_DOUBLE_EQ(mean.lower[0], 1);  // 1, 3, 5 spread by 2 over n − 1
    EXPECT_DOUBLE_EQ(mean.upper[0], 5);
    EXPECT_DOUBLE_EQ(mean.mean[1], 3);
    EXPECT_DOUBLE_EQ(mean.upper[1], 3 + std::sqrt(2.0));
    EXPECT_TRUE(std::isnan(mean.mean[2])) << "diverged";
    EXPECT_DOUBLE_EQ(mean.mean[3], 3);
    EXPECT_TRUE(std::isnan(mean.lower[3])) << "one run alone has no spread";
    EXPECT_TRUE(meanOf({}).x.isEmpty());
}

class GroupedPlot : public testing::Test {
 protected:
    void SetUp() override {
        for (const RunId run : {1, 2, 3}) {
            plot.addRun(run, QStringLiteral("run %1").arg(run), static_cast<int>(run) - 1);
            for (int i = 0; i < 5; ++i) {
                plot.append({run, Quantity::validation_loss}, i * 10.0, static_cast<double>(run) + i);
            }
        }
    }
    CurvePlot plot;
};

TEST_F(GroupedPlot, OneCurveAGroupWithABandWhereRunsRepeat) {
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
    EXPECT_TRUE(figure.note.contains("mean ± standard deviation"));
    plot.setGroups({});
    EXPECT_EQ(plot.toFigure().curves.size(), 3u);
    EXPECT_TRUE(plot.toFigure().bands.empty());
}

TEST_F(GroupedPlot, TheLegendNamesGroupsAndHidesThemAsOne) {
    plot.setGroups({{"a", {1, 2}}, {"b", {3}}});
    auto* legend = plot.findChild<Legend*>();
    const auto names = [&] {
        QStringList result;
        for (const auto* entry : legend->findChildren<QAbstractButton*>()) {
            if (entry->isCheckable()) result << entry->text();
        }
        result.sort();  // made in another order when a run was removed
        return result;
    };
    EXPECT_EQ(names(), (QStringList{"a", "b"}));
    legend->findChildren<QAbstractButton*>(Qt::FindDirectChildrenOnly).last()->click();
    EXPECT_FALSE(plot.isRunVisible(3));
    emit legend->toggled(3, true);
    emit legend->toggled(1, false);
    EXPECT_FALSE(plot.isRunVisible(1));
    EXPECT_FALSE(plot.isRunVisible(2));
    EXPECT_TRUE(plot.isRunVisible(3));
    emit legend->toggled(1, true);
    EXPECT_TRUE(plot.isRunVisible(2));
    plot.removeRun(1);
    EXPECT_EQ(names(), (QStringList{"a", "b"}));
    plot.setGroups({});
    EXPECT_EQ(names(), (QStringList{"run 2", "run 3"}));
}

TEST_F(GroupedPlot, HiddenRunsDoNotCount) {
    plot.setGroups({{"a", {1, 2}}, {"b", {3}}});
    plot.setRunVisible(1, false);
    const Figure figure = plot.toFigure();
    EXPECT_EQ(figure.curves[0].y.first(), 2);
    EXPECT_EQ(figure.curves[0].ink, Ink::data(1));
    EXPECT_TRUE(figure.bands.empty());
}

TEST_F(GroupedPlot, APickedRunLightsItsGroupAndTheUnitHoldsForTheBand) {
    plot.setGroups({{"a", {1, 2}}, {"b", {3}}});
    plot.pickRun(2);
    plot.resize(500, 400);
    plot.show();
    plot.refreshNow();
    EXPECT_EQ(plot.pickedRun(), 2);
    plot.setLossUnit("bits per character", 2);
    const Figure figure = plot.toFigure();
    EXPECT_DOUBLE_EQ(figure.curves[0].y[0], 3);
    EXPECT_NEAR(figure.bands[0].upper[0], 3 + 2 * std::sqrt(0.5), 1e-12);
    plot.removeRun(1);
    plot.refreshNow();
    EXPECT_EQ(plot.toFigure().curves[0].y[0], 4);
}

}  // namespace
}  // namespace ropelab::ui
