#include "ui/rooms/reproduce/forest_figure.h"

#include <gtest/gtest.h>
#include <QComboBox>
#include <QFile>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "tests/core/reproduce/sheet_runs.h"
#include "tests/ui/rooms/reproduce/reproduce_fixture.h"
#include "ui/figure/export/export.h"
#include "ui/plot/figure_view.h"
#include "ui/window/batch/batch_modes.h"

namespace ropelab::ui {
namespace {

using Shape = FigureCurve::Shape;

SheetRow rowOf(const std::string& claim, double theta, SheetVerdict verdict, const std::optional<RowEffect>& effect) {
    SheetRow row;
    row.plan = row_500({});
    row.plan.claim = claim;
    row.plan.keys = {{"theta", theta}};
    row.verdict = verdict;
    row.effect = effect;
    if (effect && effect->scale == RowEffect::Scale::ratio) row.plan.rule->kind = VerdictRule::Kind::size;
    if (effect && effect->scale == RowEffect::Scale::proportion) row.plan.rule->kind = VerdictRule::Kind::proportion;
    return row;
}

RowEffect effectOf(RowEffect::Scale scale, double value, double low, double high, double rangeLow, double rangeHigh,
                   double paper) {
    RowEffect effect;
    effect.scale = scale;
    effect.value = value;
    effect.low = low;
    effect.high = high;
    effect.range_low = rangeLow;
    effect.range_high = rangeHigh;
    effect.paper = paper;
    return effect;
}

SheetPlan planWithClaims() {
    SheetPlan plan;
    plan.sheet = "test";
    plan.claims = {{"loss", "The loss is lower."}, {"speed", "The speed is about half."}};
    return plan;
}

std::vector<SheetRow> someRows() {
    using Scale = RowEffect::Scale;
    return {rowOf("speed", 500, SheetVerdict::not_reproduced, effectOf(Scale::ratio, 0.8, 0.7, 0.9, 0.45, 0.55, 0.5)),
            rowOf("loss", 500, SheetVerdict::reproduced, effectOf(Scale::percent, -2, -3, -1, -0.5, 0.5, -1.94)),
            rowOf("loss", 1000, SheetVerdict::undecided, std::nullopt),
            rowOf("loss", 5000, SheetVerdict::not_testable, effectOf(Scale::proportion, 0.9, 0.6, 1, 0.5, 1, 1))};
}

// Returns the y of the points at x.
QList<double> pointsAt(const Figure& figure, double x) {
    QList<double> result;
    for (const FigureCurve& curve : figure.curves) {
        if (curve.shape == Shape::points && std::abs(curve.x.first() - x) < 1e-9) result << curve.y.first();
    }
    return result;
}

bool hasStroke(const Figure& figure, QPointF from, QPointF to) {
    return std::any_of(figure.curves.begin(), figure.curves.end(), [&](const FigureCurve& curve) {
        const auto isAt = [&](qsizetype i, QPointF place) {
            return std::hypot(curve.x[i] - place.x(), curve.y[i] - place.y()) < 1e-9;
        };
        return curve.x.size() == 2 && isAt(0, from) && isAt(1, to);
    });
}

/// Linear from −1 to 1, then a step per factor of 10.
double placeOf(const Figure& figure, double margins) {
    const double size = std::abs(margins);
    const double steps = size <= 1 ? margins : std::copysign(1 + std::log10(size), margins);
    return static_cast<double>(figure.x.categories.size() - 1) / 2 + steps;
}

TEST(ForestFigure, GroupsRowsByClaimFromTopToBottom) {
    const auto rows = someRows();
    const Figure figure = forestFigure(planWithClaims(), rows);
    // The categories begin at the bottom: speed's row, speed, three rows of loss, loss.
    const QStringList expected = {"θ 500", "claim 2", "θ 5k", "θ 1k", "θ 500", "claim 1"};
    EXPECT_EQ(figure.y.categories, expected) << figure.y.categories.join('|').toStdString();
    QStringList verdicts;
    for (const FigureLine& line : figure.horizontalLines) {
        EXPECT_TRUE(line.labelAtEnd);
        verdicts << QString::number(line.at) + ' ' + line.label;
    }
    const QStringList marked = {"4 +", "3 ?", "2 –", "0 ×"};
    EXPECT_EQ(verdicts, marked) << verdicts.join('|').toStdString();
    EXPECT_TRUE(
        figure.note.contains("; points: effects in this lab, with 95 % confidence intervals (of ratios: Fieller's)"))
        << figure.note.toStdString();
    // A claim has its words, and the line of a row is no interval.
    EXPECT_TRUE(figure.note.startsWith("claim 1: The loss is lower; claim 2: The speed is about half; "))
        << figure.note.toStdString();
    EXPECT_TRUE(figure.note.contains("+ reproduced, ? undecided, – not testable, × not reproduced"))
        << figure.note.toStdString();
}

// The margin of a loss is 0.5 %. The ratio's range is 0.45 to 0.55: middle 0.5, margin 0.05. The proportion's is 0.5 to
// 1: middle 0.75, margin 0.25.
TEST(ForestFigure, ShowsEffectsOfSeveralClaimsInMargins) {
    const auto rows = someRows();
    const Figure figure = forestFigure(planWithClaims(), rows);
    EXPECT_EQ(figure.x.title(), "effect / margin of the rule");
    EXPECT_EQ(figure.x.categories, QStringList({"−10", "−1", "0", "1", "10"}));
    const auto at = [&](double margins) { return placeOf(figure, margins); };
    EXPECT_EQ(pointsAt(figure, at(-4)), QList<double>{4});
    EXPECT_EQ(pointsAt(figure, at(6)), QList<double>{0});    // a ratio of 0.8
    EXPECT_EQ(pointsAt(figure, at(0.6)), QList<double>{2});  // 90 % of the runs
    EXPECT_TRUE(hasStroke(figure, {at(-6), 4}, {at(-2), 4}));
    EXPECT_TRUE(hasStroke(figure, {at(4), 0}, {at(8), 0}));
    EXPECT_TRUE(hasStroke(figure, {at(-3.88), 3.7}, {at(-3.88), 4.3}));
    EXPECT_TRUE(hasStroke(figure, {at(0), -0.3}, {at(0), 0.3}));
    ASSERT_EQ(figure.bands.size(), 3U);  // known before the runs; the two losses below each other share one
    // The shade means the same in every row: effects that agree with the claim, such as a loss that is lower by more
    // than the margin, or a ratio within its range.
    EXPECT_NEAR(figure.bands[0].upper.first() - figure.bands[0].lower.first(), 1.76, 1e-9);
    for (std::size_t i = 0; i < 3; ++i) {
        const bool isDifference = i < 1;
        EXPECT_NEAR(figure.bands[i].x.first(), isDifference ? figure.x.minimum : at(-1), 1e-9) << i;
        EXPECT_NEAR(figure.bands[i].x.last(), isDifference ? at(-1) : at(1), 1e-9) << i;
    }
    EXPECT_TRUE(figure.note.contains("shaded: effects that agree with the claim")) << figure.note.toStdString();
    EXPECT_TRUE(figure.note.contains("in margins (half the width of the range)")) << figure.note.toStdString();
    EXPECT_FALSE(figure.note.contains("groups whose rule has no range"));
    EXPECT_TRUE(figure.summary.contains("4 rows, of which 3 have an effect")) << figure.summary.toStdString();
}

// Before the first run, the figure of the page was grey: no row had a name, and the axis no numbers.
TEST(ForestFigure, HasNamesAxisAndRangesBeforeTheFirstRun) {
    const std::vector<SheetRow> rows = {rowOf("loss", 500, SheetVerdict::unfinished, std::nullopt),
                                        rowOf("speed", 500, SheetVerdict::unfinished, std::nullopt)};
    const Figure figure = forestFigure(planWithClaims(), rows);
    EXPECT_FALSE(isEmpty(figure));
    EXPECT_EQ(figure.bands.size(), 2U);
    EXPECT_TRUE(figure.y.categories.contains("θ 500") || figure.y.categories[0].contains("500"))
        << figure.y.categories.join(", ").toStdString();
    EXPECT_EQ(figure.x.categories, QStringList({"−10", "−1", "0", "1", "10"}));
    EXPECT_TRUE(figure.note.contains("appears when all of its runs have ended")) << figure.note.toStdString();
}

TEST(ForestFigure, ShowsEffectsOfOneClaimInPercent) {
    const auto rows = someRows();
    const Figure loss = forestFigure(planWithClaims(), rows, "loss");
    EXPECT_EQ(loss.x.title(), "difference from the baseline (%)");
    EXPECT_EQ(pointsAt(loss, -2), QList<double>{2});
    EXPECT_EQ(pointsAt(loss, 90), QList<double>{0});  // 90 % of the runs
    EXPECT_TRUE(hasStroke(loss, {-3, 2}, {-1, 2}));
    EXPECT_TRUE(hasStroke(loss, {-1.94, 1.7}, {-1.94, 2.3}));
    EXPECT_EQ(loss.bands.at(0).x, (QList<double>{loss.x.minimum, -0.5}));  // lower by more than the margin
    EXPECT_TRUE(loss.note.contains("proportions are in percent of the runs"));
    const Figure speed = forestFigure(planWithClaims(), rows, "speed");
    EXPECT_EQ(pointsAt(speed, -20), QList<double>{0});  // a ratio of 0.8
    EXPECT_TRUE(hasStroke(speed, {-30, 0}, {-10, 0}));
    EXPECT_TRUE(hasStroke(speed, {-50, -0.3}, {-50, 0.3}));
    EXPECT_NEAR(speed.bands.at(0).x.first(), -55, 1e-9);
    EXPECT_NEAR(speed.bands.at(0).x.last(), -45, 1e-9);
}

// An event rule of version 2 has no range, so that its effect has no place on the axis of margins.
TEST(ForestFigure, RowsWithoutARangeAreShownInTheirClaimAlone) {
    auto rows = someRows();
    rows[1].effect->range_low = rows[1].effect->range_high = std::nullopt;
    const Figure all = forestFigure(planWithClaims(), rows);
    EXPECT_TRUE(pointsAt(all, placeOf(all, -4)).isEmpty());
    EXPECT_TRUE(all.note.contains("groups whose rule has no range are only in the figure of their claim"));
    EXPECT_EQ(pointsAt(forestFigure(planWithClaims(), rows, "loss"), -2), QList<double>{2});
}

// Before the runs the range is that of the rule.
TEST(ForestFigure, PrintedDifferenceHasItsPlaceInMarginsBeforeTheRuns) {
    std::vector<SheetRow> rows = {rowOf("loss", 500, SheetVerdict::unfinished, std::nullopt),
                                  rowOf("speed", 500, SheetVerdict::unfinished, std::nullopt)};
    rows[0].plan.paper_printed = -2;  // the rule's margin is 1 %
    rows[1].plan.rule = size_rule(0.4, 0.6, "speed");
    rows[1].paper_difference_percent = -45;
    const Figure figure = forestFigure(planWithClaims(), rows);
    EXPECT_TRUE(hasStroke(figure, {placeOf(figure, -2), 1.7}, {placeOf(figure, -2), 2.3}));
    EXPECT_TRUE(hasStroke(figure, {placeOf(figure, 0.5), -0.3},
                          {placeOf(figure, 0.5), 0.3}));  // 0.55 of the speed: (0.55 − 0.5) / 0.1
}

TEST(ForestFigure, ShowsThePrintedDifferenceBeforeTheRuns) {
    std::vector<SheetRow> rows = {rowOf("loss", 500, SheetVerdict::unfinished, std::nullopt)};
    rows[0].plan.paper_printed = -1.96;
    const Figure figure = forestFigure(planWithClaims(), rows);
    EXPECT_TRUE(hasStroke(figure, {-1.96, -0.3}, {-1.96, 0.3}));
    EXPECT_EQ(figure.horizontalLines.front().label, "…");
    rows[0].plan.baseline.reset();
    EXPECT_FALSE(forestFigure(planWithClaims(), rows).emptyText.isEmpty());
    EXPECT_TRUE(isEmpty(forestFigure(planWithClaims(), rows)));
}

TEST(ForestFigure, OneClaimIsAPageOfItsOwn) {
    const auto rows = someRows();
    const Figure figure = forestFigure(planWithClaims(), rows, "speed");
    EXPECT_EQ(figure.y.categories, QStringList({"θ 500", "claim 2"}));
    EXPECT_FALSE(figure.note.contains("proportions"));
    EXPECT_EQ(figure.settings.value("claim").toString(), "speed");
}

TEST(ForestFigure, FortyRowsHaveAHeightAtWhichEachIsRead) {
    std::vector<SheetRow> rows;
    for (int i = 0; i < 40; ++i) {
        rows.push_back(rowOf("loss", 500 + i, SheetVerdict::reproduced,
                             effectOf(RowEffect::Scale::percent, -2, -3, -1, -0.5, 0.5, -1.94)));
    }
    const Figure figure = forestFigure(planWithClaims(), rows);
    EXPECT_GE(figure.heightMm, 41 * 5);  // 40 rows and a heading, each at least 5 mm: a line of 8.5 pt takes 3.6 mm
    EXPECT_LE(figure.heightMm, 1000);    // the highest export
    ExportOptions options;
    options.heightMm = figure.heightMm;
    for (const Appearance appearance : {Appearance::light, Appearance::dark}) {
        options.appearance = appearance;
        for (const FigureFormat format : {FigureFormat::pdf, FigureFormat::svg, FigureFormat::png}) {
            options.format = format;
            EXPECT_FALSE(figureBytes(figure, options).isEmpty());
        }
    }
    EXPECT_EQ(forestFigure(planWithClaims(), someRows()).heightMm, 60);  // few rows: the least height
}

TEST(ForestFigure, CsvHasARowPerComparison) {
    const QByteArray csv = figureCsv(forestFigure(planWithClaims(), someRows()));
    EXPECT_TRUE(csv.contains("claim,row,measure,scale,verdict,reason,effect (%)")) << csv.toStdString();
    EXPECT_TRUE(csv.contains("loss,θ 500,best_validation_loss,difference,reproduced,,-2,-3,-1,-0.5,0.5,-1.94"))
        << csv.toStdString();
    EXPECT_TRUE(csv.contains("speed,θ 500,best_validation_loss,ratio,not reproduced,")) << csv.toStdString();
}

TEST_F(ReproduceTest, EffectsTabShowsTheForestPlot) {
    choose("theta-table-2");
    room->showPart("effects");
    EXPECT_TRUE(room->hasFigure());
    const Figure figure = room->figure();
    EXPECT_EQ(figure.name, "forest-plot");
    ASSERT_FALSE(figure.y.categories.isEmpty());
    const int claims = room->effects().claimBox().count();
    ASSERT_GT(claims, 1);
    EXPECT_EQ(room->effects().claimBox().currentText(), "all claims");
    room->effects().claimBox().setCurrentIndex(1);
    EXPECT_LT(room->figure().y.categories.size(), figure.y.categories.size());
    EXPECT_GE(room->effects().view().minimumHeight(), 60);
}

// The room and the command line show the same numbers of the same lab.
TEST_F(ReproduceTest, RoomAndTerminalShowTheSameForestPlot) {
    SheetPlan plan = sheet("bpc").plan({SheetScale::laptop, 3, {}});
    for (PlannedRow& row : plan.rows) row.out_of_reach.clear();
    LaunchOptions launch;
    launch.mode = LaunchOptions::Mode::figure;
    launch.lab = recordedLab(plan, [](const RunSpec& run) {
        return (run.position == Position::none      ? 1.9
                : run.position == Position::learned ? 1.6
                                                    : 1.2) +
               0.001 * static_cast<double>(run.seed % 7);
    });
    launch.output = file("forest.csv");
    launch.figureOptions.format = FigureFormat::csv;
    launch.figures = {"forest-plot"};
    EXPECT_EQ(writeFigure(launch), 0);
    QFile csv(launch.output);
    ASSERT_TRUE(csv.open(QIODevice::ReadOnly));
    workspace->lab().open(launch.lab);
    ASSERT_TRUE(waitUntilComplete()) << room->words().toStdString();
    room->showPart("effects");
    EXPECT_EQ(figureCsv(room->figure()), csv.readAll());
}

TEST_F(ReproduceTest, TerminalWritesTheForestPlot) {
    const SheetPlan plan = sheet("theta-table-2").plan({});
    LaunchOptions launch;
    launch.mode = LaunchOptions::Mode::figure;
    launch.lab = recordedLab(plan, [](const RunSpec& run) {
        return (run.theta == 10000 ? 2 : 1.9) + 0.01 * static_cast<double>(run.seed % 7);
    });
    launch.output = file("forest.csv");
    launch.figureOptions.format = FigureFormat::csv;
    launch.figures = {"forest-plot"};
    const auto written = [&] {
        QFile csv(launch.output);
        EXPECT_TRUE(csv.open(QIODevice::ReadOnly));
        return csv.readAll();
    };
    EXPECT_EQ(writeFigure(launch), 0);
    const QByteArray all = written();
    EXPECT_TRUE(all.contains("claim,row,measure,scale,verdict")) << all.toStdString();
    launch.figureFlags["claim"] = QString::fromStdString(plan.rows.front().claim);
    EXPECT_EQ(writeFigure(launch), 0);
    const QByteArray first = written();
    EXPECT_LT(first.count('\n'), all.count('\n'));
    launch.figureFlags["claim"] = "1";  // the number under which texts show the claim
    ASSERT_EQ(plan.rows.front().claim, plan.claims.front().id);
    EXPECT_EQ(writeFigure(launch), 0);
    EXPECT_EQ(written(), first);
    launch.figureFlags["claim"] = "kitchen";
    try {
        writeFigure(launch);
        ADD_FAILURE() << "an unknown claim was accepted";
    } catch (const BadInput& error) {
        EXPECT_NE(std::string(error.what()).find(plan.claims.front().id), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace ropelab::ui
