#include "ui/plot/curve_bands.h"

#include <gtest/gtest.h>
#include <qcustomplot.h>

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
    CurveMean mean;
    mean.update({&a, &b, &c});
    ASSERT_EQ(mean.mean().x(), (QList<double>{0, 10, 15, 20}));
    EXPECT_DOUBLE_EQ(mean.mean().y()[0], 3);
    EXPECT_DOUBLE_EQ(mean.lower().y()[0], 1);  // 1, 3, 5 spread by 2 over n − 1
    EXPECT_DOUBLE_EQ(mean.upper().y()[0], 5);
    EXPECT_DOUBLE_EQ(mean.mean().y()[1], 3);
    EXPECT_DOUBLE_EQ(mean.upper().y()[1], 3 + std::sqrt(2.0));
    EXPECT_TRUE(std::isnan(mean.mean().y()[2])) << "diverged";
    EXPECT_DOUBLE_EQ(mean.mean().y()[3], 3);
    EXPECT_TRUE(std::isnan(mean.lower().y()[3])) << "one run alone has no spread";
    mean.update({});
    EXPECT_TRUE(mean.mean().x().isEmpty());
}

void expectSame(const CurveData& a, const CurveData& b) {
    ASSERT_EQ(a.x(), b.x());
    for (qsizetype i = 0; i < a.y().size(); ++i) {
        EXPECT_TRUE(a.y()[i] == b.y()[i] || (std::isnan(a.y()[i]) && std::isnan(b.y()[i]))) << i;
    }
}

TEST(CurveBands, WhatGrowsIsAddedAndEqualsTheWhole) {
    CurveData a = curve({0, 1, 2}, {4, 3, 2});
    CurveData b = curve({0, 1}, {6, 5});
    CurveMean kept;
    const auto expectWhole = [&](const std::vector<const CurveData*>& curves) {
        kept.update(curves);
        CurveMean whole;
        whole.update(curves);
        expectSame(kept.mean(), whole.mean());
        expectSame(kept.lower(), whole.lower());
        expectSame(kept.upper(), whole.upper());
    };
    expectWhole({&a, &b});
    const std::uint64_t history = kept.mean().history();
    expectWhole({&a, &b});
    a.append(3, 1);
    expectWhole({&a, &b});
    EXPECT_EQ(kept.mean().history(), history) << "what was there stays";
    b.append(2, 4);  // where only a was measured so far
    b.append(3, 3);
    expectWhole({&a, &b});
    EXPECT_NE(kept.mean().history(), history);
    b.append(1, 7);  // goes on from its checkpoint
    expectWhole({&a, &b});
    a.truncate(0);
    expectWhole({&a, &b});
    const CurveData c = curve({0, 0.5}, {1, 1});
    expectWhole({&a, &b, &c});
    expectWhole({&a, &c});
    expectWhole({&c});
}

TEST(CurveBands, ManyRunsMakeOneLegend) {
    CurvePlot plot;
    const auto* legend = plot.findChild<Legend*>();
    const auto entries = [&] {
        int count = 0;
        for (const auto* button : legend->findChildren<QAbstractButton*>()) count += button->isCheckable();
        return count;
    };
    for (RunId run = 1; run <= 54; ++run) plot.addRun(run, QStringLiteral("run %1").arg(run), 0);
    for (RunId run = 1; run <= 54; ++run) plot.setRunVisible(run, false);
    EXPECT_EQ(entries(), 0) << "made when it is next seen";
    plot.refreshNow();
    EXPECT_EQ(entries(), 54);
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

TEST_F(GroupedPlot, ABandOfManyPointsPaintsFew) {
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
    EXPECT_LE(painted, 4 * 801) << "the mean, and both ends of its band";
}

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
        plot.refreshNow();
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
