#include "ui/plot/curve_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <qcustomplot.h>

#include <QSignalSpy>
#include <cmath>

#include "core/stats/smoothing.h"
#include "ui/figure/export/export.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class CurvePlotTest : public testing::Test {
 protected:
    void SetUp() override {
        ThemeManager::instance().setScale(100);
        plot.resize(800, 500);
        plot.addRun(1, QStringLiteral("θ = 100"), Ink::data(0));
        plot.addRun(2, QStringLiteral("θ = 10k"), Ink::data(1));
    }
    void fill(int iterations) {
        for (int i = 1; i <= iterations; ++i) {
            for (const RunId run : {RunId{1}, RunId{2}}) {
                const double loss = 2 + 0.1 * static_cast<double>(run) + std::exp(-i / 50.0) + 0.01 * (i % 7);
                plot.append(event::Step{run, i, loss, 1.5, 1e-3});
            }
        }
    }
    static QList<double> values(const std::vector<double>& from) { return {from.begin(), from.end()}; }
    CurvePlot plot;
};

TEST_F(CurvePlotTest, StoresEveryPointButPaintsFew) {
    plot.setShownQuantity(Quantity::training_loss);
    fill(20000);
    plot.refreshNow();
    EXPECT_EQ(plot.yValues({1, Quantity::training_loss}).size(), 20000);
    EXPECT_EQ(plot.toFigure().curves[0].y.size(), 20000);
    int painted = 0;
    for (int i = 0; i < plot.canvas()->graphCount(); ++i) {
        painted += plot.canvas()->graph(i)->data()->size();
    }
    EXPECT_GT(painted, 1000);
    EXPECT_LE(painted, 2 * 2 * 801);
}

// Blank axes followed a start until the first evaluation of the new runs.
TEST_F(CurvePlotTest, GhostsStayOnTheCanvasAndNotInExports) {
    plot.setShownQuantity(Quantity::training_loss);
    fill(200);
    plot.refreshNow();
    const auto painted = [this] {
        plot.refreshNow();
        int points = 0;
        for (int i = 0; i < plot.canvas()->graphCount(); ++i) points += plot.canvas()->graph(i)->data()->size();
        return points;
    };
    const Range before = yRange(plot.toFigure());
    plot.keepGhosts();
    plot.clear();
    plot.addRun(7, QStringLiteral("θ = 5"), Ink::data(2));
    EXPECT_TRUE(plot.hasGhosts());
    EXPECT_GT(painted(), 300);
    EXPECT_TRUE(plot.toFigure().curves.empty());
    plot.append(event::Step{7, 1, 3.5, 1, 1});
    plot.append(event::Step{7, 2, 3.4, 1, 1});
    EXPECT_EQ(plot.toFigure().curves.size(), 1U);
    EXPECT_EQ(plot.summary(), "θ = 5: training loss 3.400 nats at step 2.") << "ghosts are no runs";
    EXPECT_GT(painted(), 300);
    EXPECT_LE(plot.canvas()->yAxis->range().lower, before.minimum) << "they lie within the axes";
    plot.keepGhosts();
    plot.setLossUnit(lossUnit("bits"));
    EXPECT_FALSE(plot.hasGhosts()) << "their values are in nats";
    plot.keepGhosts();
    plot.dropGhosts();
    EXPECT_FALSE(plot.hasGhosts());
}

TEST_F(CurvePlotTest, EventsAreAppendedToTheirQuantities) {
    plot.append(event::Step{1, 10, 2.5, 0.7, 3e-4});
    plot.append(event::Evaluated{1, 10, 2.4, 2.6});
    EXPECT_EQ(plot.yValues({1, Quantity::training_loss}), QList<double>{2.5});
    EXPECT_EQ(plot.yValues({1, Quantity::gradient_norm}), QList<double>{0.7});
    EXPECT_EQ(plot.yValues({1, Quantity::learning_rate}), QList<double>{3e-4});
    EXPECT_EQ(plot.yValues({1, Quantity::validation_loss}), QList<double>{2.6});
    EXPECT_EQ(plot.xValues({1, Quantity::validation_loss}), QList<double>{10});
}

TEST_F(CurvePlotTest, EventsOfUnknownRunsAreIgnored) {
    plot.append(event::Step{99, 1, 2, 1, 1});
    plot.setCurve({99, Quantity::validation_loss}, {1}, {1});
    EXPECT_TRUE(plot.yValues({99, Quantity::training_loss}).isEmpty());
    EXPECT_EQ(plot.runs(), (std::vector<RunId>{1, 2}));
    EXPECT_TRUE(plot.toFigure().curves.empty());
}

TEST_F(CurvePlotTest, FigureUsesTheShownUnit) {
    plot.setCurve({1, Quantity::validation_loss}, {0, 100}, {4, 2});
    plot.setFloor(1.4, QStringLiteral("entropy floor"));
    Figure figure = plot.toFigure();
    ASSERT_EQ(figure.curves.size(), 1U);
    EXPECT_EQ(figure.curves[0].y, (QList<double>{4, 2}));
    EXPECT_EQ(figure.y.title(), "validation loss (nats)");
    ASSERT_EQ(figure.horizontalLines.size(), 1U);
    EXPECT_EQ(figure.horizontalLines[0].label, "entropy floor 1.400");

    plot.setLossUnit({QStringLiteral("bits per character"), 1 / std::log(2.0)});
    figure = plot.toFigure();
    EXPECT_DOUBLE_EQ(figure.curves[0].y[1], 2 / std::log(2.0));
    EXPECT_DOUBLE_EQ(figure.horizontalLines[0].at, 1.4 / std::log(2.0));
    EXPECT_EQ(figure.y.title(), "validation loss (bits per character)");
    EXPECT_EQ(plot.yValues({1, Quantity::validation_loss}), (QList<double>{4, 2})) << "yValues returns nats";

    plot.setCurve({1, Quantity::gradient_norm}, {0, 100}, {4, 2});
    plot.setShownQuantity(Quantity::gradient_norm);
    figure = plot.toFigure();
    EXPECT_EQ(figure.curves[0].y, (QList<double>{4, 2}));
    EXPECT_TRUE(figure.horizontalLines.empty());
    EXPECT_EQ(figure.y.title(), "gradient norm");
}

TEST_F(CurvePlotTest, BitsPerByteDivideTheLossOfARunByItsBytesPerToken) {
    plot.setCurve({1, Quantity::validation_loss}, {0, 100}, {4, 2});
    plot.setCurve({2, Quantity::validation_loss}, {0, 100}, {4, 2});
    plot.setFloor(1.4, QStringLiteral("entropy floor"));
    plot.setState(1, {.bytesPerToken = 4});
    plot.setLossUnit(lossUnit(QStringLiteral("bits-per-byte")));
    Figure figure = plot.toFigure();
    ASSERT_EQ(figure.curves.size(), 1U) << "the bytes per token of run 2 are unknown";
    EXPECT_EQ(figure.y.title(), "validation loss (bits per byte)");
    EXPECT_DOUBLE_EQ(figure.curves[0].y[1], 2 / std::log(2.0) / 4);
    EXPECT_TRUE(figure.note.contains("not shown: a run whose bytes per token are unknown"))
        << figure.note.toStdString();
    ASSERT_EQ(figure.horizontalLines.size(), 1U);
    EXPECT_DOUBLE_EQ(figure.horizontalLines[0].at, 1.4 / std::log(2.0) / 4);

    plot.setState(2, {.bytesPerToken = 1});
    figure = plot.toFigure();
    ASSERT_EQ(figure.curves.size(), 2U);
    EXPECT_DOUBLE_EQ(figure.curves[1].y[1], 2 / std::log(2.0));
    EXPECT_TRUE(figure.note.isEmpty()) << figure.note.toStdString();
    EXPECT_TRUE(figure.horizontalLines.empty()) << "the floor differs between the runs";
    plot.refreshNow();

    // Seeds of a setting share the bytes per token, even if only one of them has started.
    plot.setState(2, {.bytesPerToken = std::nan("")});
    plot.setGroups({{QStringLiteral("both"), {2, 1}}});
    figure = plot.toFigure();
    ASSERT_EQ(figure.curves.size(), 1U);
    EXPECT_DOUBLE_EQ(figure.curves[0].y[1], 2 / std::log(2.0) / 4);
}

TEST_F(CurvePlotTest, NoteSaysThatLossesPerTokenOfDifferentTokenizersCannotBeCompared) {
    plot.setCurve({1, Quantity::validation_loss}, {0, 100}, {4, 2});
    plot.setState(1, {.bytesPerToken = 4});
    plot.setTokenizersDiffer(true);
    const QString words = QStringLiteral("losses per token of different tokenizers cannot be compared");
    EXPECT_TRUE(plot.toFigure().note.contains(words));
    plot.setLossUnit(lossUnit(QStringLiteral("bits")));
    EXPECT_TRUE(plot.toFigure().note.contains(words));
    plot.setLossUnit(lossUnit(QStringLiteral("bits-per-byte")));
    EXPECT_FALSE(plot.toFigure().note.contains(words));
}

TEST_F(CurvePlotTest, FailedRunHasARedPointAtItsLastFiniteValue) {
    plot.setCurve({1, Quantity::validation_loss}, {0, 100, 200}, {4, 2, std::nan("")});
    plot.setCurve({2, Quantity::validation_loss}, {0, 100, 200}, {4, 2, 1.5});
    EXPECT_EQ(plot.toFigure().curves.size(), 2U);
    plot.setState(1, {.failed = true});
    Figure figure = plot.toFigure();
    ASSERT_EQ(figure.curves.size(), 3U);
    const FigureCurve& mark = figure.curves[2];
    EXPECT_EQ(mark.shape, FigureCurve::Shape::points);
    EXPECT_EQ(mark.ink.kind, Ink::Kind::error);
    EXPECT_EQ(mark.x, (QList<double>{100}));
    EXPECT_EQ(mark.y, (QList<double>{2}));
    EXPECT_TRUE(figure.note.contains("red point: last value of a run that failed")) << figure.note.toStdString();
    EXPECT_TRUE(figure.summary.startsWith("2 runs")) << figure.summary.toStdString();
    plot.refreshNow();  // the figure has more curves than visible runs
    plot.setRunVisible(1, false);
    EXPECT_EQ(plot.toFigure().curves.size(), 1U);
    plot.setRunVisible(1, true);
    plot.setState(1, {.failed = false});  // the run resumes
    EXPECT_EQ(plot.toFigure().curves.size(), 2U);
}

TEST_F(CurvePlotTest, DotsOfAFewCurvesArePainted) {
    for (int run = 1; run <= 41; ++run) {
        plot.addRun(run, QString::number(run), Ink::data(run));
        plot.setCurve({run, Quantity::validation_loss}, {0, 100, 200}, {4, 2, 1 + 0.1 * run});
        plot.setCurve({run, Quantity::training_loss}, {0, 100, 200}, {4, 2, 1 + 0.1 * run});
    }
    plot.setShownQuantities({Quantity::validation_loss, Quantity::training_loss});
    const auto notes = [this] { return QStringList{plot.toFigure(true).note, plot.toFigure().note}; };
    const auto dotted = [this] {
        plot.refreshNow();
        int count = 0;
        for (int i = 0; i < plot.canvas()->graphCount(); ++i) {
            const QCPGraph& graph = *plot.canvas()->graph(i);
            count += graph.visible() && !graph.scatterStyle().isNone() ? 1 : 0;
        }
        return count;
    };
    EXPECT_EQ(dotted(), 0);
    EXPECT_TRUE(notes()[0].contains("thicker line and numbers: validation loss")) << notes()[0].toStdString();
    EXPECT_TRUE(notes()[1].contains("points and numbers: validation loss")) << "on paper";
    plot.setRunVisible(41, false);
    EXPECT_EQ(dotted(), 40);
    EXPECT_TRUE(notes()[0].contains("points and numbers: validation loss"));
}

TEST_F(CurvePlotTest, RungsAreLinesAndStoppedRunsHaveAGreyPoint) {
    plot.setCurve({1, Quantity::validation_loss}, {0, 100}, {4, 2});
    plot.setCurve({2, Quantity::validation_loss}, {0, 100, 200}, {4, 2, 1.5});
    plot.setRungs({100, 200});
    plot.setState(1, {.rung = 1});
    const Figure figure = plot.toFigure();
    ASSERT_EQ(figure.verticalLines.size(), 2U);
    EXPECT_EQ(figure.verticalLines[1].at, 200);
    EXPECT_EQ(figure.verticalLines[1].label, "rung 2");
    ASSERT_EQ(figure.curves.size(), 3U);
    EXPECT_EQ(figure.curves[2].ink.kind, Ink::Kind::quiet);
    EXPECT_EQ(figure.curves[2].x, (QList<double>{100}));
    EXPECT_TRUE(figure.curves[2].quantity.endsWith("stopped by successive halving, rung 1"));
    EXPECT_TRUE(figure.note.contains("grey point: last value of a run that successive halving stopped"))
        << figure.note.toStdString();
    EXPECT_FALSE(figure.note.contains("failed"));
    plot.setState(1, {.rung = 0});  // the run resumes
    plot.clear();
    EXPECT_TRUE(plot.toFigure().verticalLines.empty());
}

TEST_F(CurvePlotTest, SmoothsPerIterationAndShowsRawValues) {
    fill(300);
    plot.setCurve({1, Quantity::validation_loss}, {0, 100, 200, 300}, {4, 3, 2.5, 2.4});
    plot.setShownQuantity(Quantity::training_loss);
    plot.setSmoothing(0.9);
    Figure figure = plot.toFigure();
    const QList<double> measured = plot.yValues({1, Quantity::training_loss});
    EXPECT_EQ(figure.curves[0].raw, measured);
    EXPECT_EQ(figure.curves[0].y, values(smooth({measured.data(), static_cast<std::size_t>(measured.size())}, 0.9)));

    const QString words = QStringLiteral("smoothed by lines fitted to the steps before and after, weight 0.90");
    EXPECT_TRUE(figure.note.contains(words)) << figure.note.toStdString();
    plot.setGroups({{QStringLiteral("both"), {1, 2}}});
    EXPECT_TRUE(plot.toFigure().curves[0].raw.isEmpty());
    EXPECT_TRUE(plot.toFigure().note.contains(words)) << "means over seeds are smoothed, too";
    plot.setGroups({});
    EXPECT_EQ(plot.toFigure().settings["view"].toObject()["smoother"].toString(), "line");
    plot.setSmoothingKind(Smoothing::average);  // of an earlier version
    EXPECT_FALSE(plot.toFigure().settings["view"].toObject().contains("smoother"));
    EXPECT_TRUE(plot.toFigure().note.contains("smoothed by an exponential moving average, weight 0.90"));
    EXPECT_DOUBLE_EQ(plot.shownValue(1, 1), measured[0]);
    plot.setSmoothingKind(Smoothing::line);

    // What was evaluated is shown as it is, also where evaluations are close together.
    plot.setShownQuantity(Quantity::validation_loss);
    plot.setCurve({1, Quantity::validation_loss}, {0, 10, 20, 30}, {4, 3, 2.5, 2.4});
    plot.setSmoothing(0.995);
    EXPECT_FALSE(plot.toFigure().note.contains("smoothed"));
    EXPECT_EQ(plot.toFigure().curves[0].y, (QList<double>{4, 3, 2.5, 2.4}));

    plot.setShownQuantity(Quantity::learning_rate);
    EXPECT_TRUE(plot.toFigure().curves[0].raw.isEmpty());
    plot.setShownQuantity(Quantity::training_loss);
    plot.setSmoothing(0);
    EXPECT_TRUE(plot.toFigure().curves[0].raw.isEmpty());
    EXPECT_EQ(plot.toFigure().curves[0].y, measured);
}

// At step 0 a mean of five seeds moved while their values arrived.
TEST_F(CurvePlotTest, AMeanIsOfTheSeedsThatItsNameCounts) {
    plot.setShownQuantity(Quantity::validation_loss);
    plot.setGroups({{QStringLiteral("θ 100, 2 seeds"), {1, 2}, QStringLiteral("θ 100")}});
    plot.append({1, Quantity::validation_loss}, 0, 4);
    EXPECT_EQ(plot.toFigure().curves[0].label, "θ 100, 1 of 2 seeds");
    plot.append({2, Quantity::validation_loss}, 0, 6);
    plot.append({1, Quantity::validation_loss}, 10, 3);
    EXPECT_EQ(plot.toFigure().curves[0].label, "θ 100, 2 seeds");
    EXPECT_EQ(plot.toFigure().curves[0].y, (QList<double>{5})) << "at step 10 only one seed has a value";
    EXPECT_FALSE(plot.toFigure().note.contains("ends where")) << "the other one follows";
    plot.append({2, Quantity::validation_loss}, 10, 5);
    EXPECT_EQ(plot.toFigure().curves[0].y, (QList<double>{5, 4}));
    plot.addRun(3, QStringLiteral("θ 10k"), Ink::data(2));
    plot.addRun(4, QStringLiteral("θ 10k"), Ink::data(2));
    plot.setGroups({{QStringLiteral("θ 100, 25 %, 2 seeds"), {1, 2}, QStringLiteral("θ 100, 25 %")},
                    {QStringLiteral("θ 10k, 100 %, 2 seeds"), {3, 4}, QStringLiteral("θ 10k, 100 %")}});
    plot.append({3, Quantity::validation_loss}, 0, 4);
    EXPECT_EQ(plot.toFigure().curves[0].label, "θ 100, 25 %");
    EXPECT_EQ(plot.toFigure().curves[1].label, "θ 10k, 100 %, 1 of 2 seeds");
}

TEST_F(CurvePlotTest, AMeanEndsWithTheFirstOfItsSeedsThatEnded) {
    plot.setCurve({1, Quantity::validation_loss}, {0, 10, 20}, {4, 3, 2});
    plot.setCurve({2, Quantity::validation_loss}, {0, 10}, {6, 5});
    plot.setShownQuantity(Quantity::validation_loss);
    plot.setGroups({{QStringLiteral("both"), {1, 2}}});
    const auto lastOfMean = [this] { return plot.toFigure().curves[0].x.last(); };
    plot.setState(2, {.ended = true});
    EXPECT_EQ(plot.toFigure().curves[0].y, (QList<double>{5, 4}));
    EXPECT_TRUE(plot.toFigure().note.contains("a mean ends where the first of its seeds ended"));
    plot.setState(2, {.failed = true});
    EXPECT_EQ(lastOfMean(), 20) << "a run that diverged has its own mark";
}

TEST_F(CurvePlotTest, LogarithmicAxisAcceptsValuesBelowZero) {
    QSignalSpy changed(&plot, &CurvePlot::yLogarithmicChanged);
    plot.setCurve({1, Quantity::validation_loss}, {0, 1, 2, 3, 4}, {0, -1, kNan, 2, 20});
    plot.setYLogarithmic(true);
    plot.refreshNow();
    EXPECT_EQ(changed.count(), 1);
    EXPECT_EQ(plot.canvas()->yAxis->scaleType(), QCPAxis::stLogarithmic);
    EXPECT_GT(plot.canvas()->yAxis->range().lower, 0);
    EXPECT_GE(plot.canvas()->yAxis->range().upper, 20);
    EXPECT_EQ(plot.toFigure().curves[0].y.size(), 5) << "the figure contains values that cannot be drawn";
    // No value of this curve can be drawn.
    plot.setCurve({1, Quantity::validation_loss}, {0, 1}, {-1, kNan});
    plot.refreshNow();
    EXPECT_GT(plot.canvas()->yAxis->range().lower, 0);
}

TEST_F(CurvePlotTest, NonFiniteValuesAreGaps) {
    plot.setCurve({1, Quantity::validation_loss}, {0, 1, 2, 3, 4},
                  {4, 3, std::numeric_limits<double>::infinity(), 2, 1});
    plot.refreshNow();
    int gaps = 0;
    for (int i = 0; i < plot.canvas()->graphCount(); ++i) {
        for (const QCPGraphData& point : *plot.canvas()->graph(i)->data()) {
            EXPECT_FALSE(std::isinf(point.value));
            gaps += std::isnan(point.value) ? 1 : 0;
        }
    }
    EXPECT_EQ(gaps, 1);
    EXPECT_LE(plot.canvas()->yAxis->range().upper, 5);
}

TEST_F(CurvePlotTest, HiddenRunsAreNeitherDrawnNorExported) {
    plot.setCurve({1, Quantity::validation_loss}, {0, 1}, {9, 8});
    plot.setCurve({2, Quantity::validation_loss}, {0, 1}, {3, 2});
    QSignalSpy changed(&plot, &CurvePlot::runVisibilityChanged);
    plot.setRunVisible(1, false);
    plot.setRunVisible(1, false);
    EXPECT_EQ(changed.count(), 1);
    plot.refreshNow();
    ASSERT_EQ(plot.toFigure().curves.size(), 1U);
    EXPECT_EQ(plot.toFigure().curves[0].label, "θ = 10k");
    EXPECT_LT(plot.canvas()->yAxis->range().upper, 5);
    EXPECT_FALSE(plot.isRunVisible(1));
    plot.setRunVisible(1, true);
    EXPECT_EQ(plot.toFigure().curves.size(), 2U);
}

TEST_F(CurvePlotTest, ShowsBothLossesTogether) {
    plot.append(event::Evaluated{1, 0, 4.2, 4.3});
    plot.append(event::Step{1, 1, 4.1, 1, 1e-3});
    plot.setShownQuantities({Quantity::validation_loss, Quantity::training_loss});
    const Figure figure = plot.toFigure();
    ASSERT_EQ(figure.curves.size(), 2U);
    EXPECT_FALSE(figure.curves[0].companion);
    EXPECT_TRUE(figure.curves[1].companion);
    EXPECT_EQ(figure.y.title(), "loss (nats)");
    EXPECT_THAT(figure.note.toStdString(), testing::HasSubstr("training loss"));
    plot.setShownQuantities({});
    EXPECT_EQ(plot.shownQuantities().size(), 2U);
}

TEST_F(CurvePlotTest, ResumedRunReplacesPointsThatItMeasuresAgain) {
    fill(100);
    plot.append(event::Step{1, 51, 9, 9, 9});
    EXPECT_EQ(plot.yValues({1, Quantity::training_loss}).size(), 51);
    EXPECT_EQ(plot.yValues({2, Quantity::training_loss}).size(), 100);
    plot.truncate(2, 30);
    EXPECT_EQ(plot.yValues({2, Quantity::gradient_norm}).size(), 30);
}

TEST_F(CurvePlotTest, RunsCanBeRemovedAndCleared) {
    fill(10);
    plot.pickRun(1);
    QSignalSpy picked(&plot, &CurvePlot::runPicked);
    plot.removeRun(1);
    EXPECT_EQ(picked.count(), 1);
    EXPECT_EQ(plot.pickedRun(), CurvePlot::kNoRun);
    plot.addRun(1, QStringLiteral("again"), Ink::data(0));
    EXPECT_TRUE(plot.yValues({1, Quantity::training_loss}).isEmpty());
    plot.clear();
    plot.refreshNow();
    EXPECT_TRUE(plot.runs().empty());
    EXPECT_EQ(plot.summary(), "No curves yet.");
}

TEST_F(CurvePlotTest, HorizonFixesTheAxisWhileCurvesGrow) {
    plot.setHorizon(1000);
    plot.append(event::Evaluated{1, 0, 4, 4});
    plot.append(event::Evaluated{1, 100, 3, 3});
    plot.refreshNow();
    EXPECT_DOUBLE_EQ(plot.canvas()->xAxis->range().lower, 0);
    EXPECT_DOUBLE_EQ(plot.canvas()->xAxis->range().upper, 1000);
    plot.append(event::Evaluated{1, 1500, 3, 3});
    plot.refreshNow();
    EXPECT_DOUBLE_EQ(plot.canvas()->xAxis->range().upper, 1500);
}

TEST_F(CurvePlotTest, SummaryContainsLowestAndHighestValue) {
    plot.setCurve({1, Quantity::validation_loss}, {0, 1000}, {4, 2.071});
    EXPECT_EQ(plot.summary(), "θ = 100: validation loss 2.071 nats at step 1,000.");
    plot.setCurve({2, Quantity::validation_loss}, {0, 1000}, {4, 1.882});
    plot.setFloor(1.42, QStringLiteral("entropy floor"));
    EXPECT_EQ(plot.summary(),
              "2 runs: validation loss at step 1,000 from 1.882 nats (θ = 10k) to 2.071 nats (θ = 100); entropy "
              "floor 1.420.");
    plot.refreshNow();
    EXPECT_EQ(plot.accessibleDescription(), plot.summary().replace("1.420", "1.420 (lowest possible mean loss)"));
    EXPECT_EQ(plot.toFigure().summary, plot.summary());
}

// The summary named the last step of all runs, also for the value of a run that had failed long before.
TEST_F(CurvePlotTest, SummaryNamesTheStepOfEachValueIfRunsEndAtDifferentSteps) {
    plot.setCurve({1, Quantity::validation_loss}, {0, 20, 40}, {3, 2.29e26, std::nan("")});
    plot.setCurve({2, Quantity::validation_loss}, {0, 20, 60}, {3, 2.99, 2.5});
    EXPECT_EQ(plot.summary(),
              "2 runs: last validation loss from 2.500 nats (θ = 10k, step 60) to 2.29×10²⁶ nats (θ = 100, step 20).");
    EXPECT_TRUE(figureCsv(plot.toFigure()).contains("step 20"));
}

TEST_F(CurvePlotTest, FigureContainsSettingsAndView) {
    plot.setSettings({{QStringLiteral("preset"), QStringLiteral("lecture-minute")}});
    plot.setSmoothing(0.5);
    const QJsonObject settings = plot.toFigure().settings;
    EXPECT_EQ(settings[QStringLiteral("preset")].toString(), "lecture-minute");
    EXPECT_DOUBLE_EQ(settings[QStringLiteral("view")].toObject()[QStringLiteral("smoothing")].toDouble(), 0.5);
}

TEST_F(CurvePlotTest, TextSizeFollowsTheScale) {
    plot.refreshNow();
    const int at100 = plot.canvas()->xAxis->tickLabelFont().pixelSize();
    EXPECT_GE(at100, static_cast<int>(10 * plot.logicalDpiY() / 72));
    ThemeManager::instance().apply();
    ThemeManager::instance().setScale(200);
    plot.refreshNow();
    EXPECT_NEAR(plot.canvas()->xAxis->tickLabelFont().pixelSize(), 2 * at100, 1);
    ThemeManager::instance().setScale(100);
}

TEST_F(CurvePlotTest, PaintingIsQueued) {
    plot.show();
    QSignalSpy painted(plot.canvas(), &QCustomPlot::afterReplot);
    fill(500);
    EXPECT_EQ(painted.count(), 0) << "appending must not paint";
    plot.setShownQuantity(Quantity::training_loss);
    EXPECT_TRUE(painted.wait(5000));
    EXPECT_LT(painted.count(), 5);
}

TEST_F(CurvePlotTest, CurvesUseTheColoursOfTheirRuns) {
    ThemeManager::instance().setChoice(ThemeManager::Choice::light);
    plot.setCurve({1, Quantity::validation_loss}, {0, 1, 2}, {4, 3, 2});
    plot.setCurve({2, Quantity::validation_loss}, {0, 1, 2}, {3, 2, 1});
    plot.refreshNow();
    const QImage image = plot.canvas()->grab().toImage();
    std::map<QRgb, int> seen;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            ++seen[image.pixel(x, y)];
        }
    }
    EXPECT_GT(seen[Theme::light().dataColor(0).rgb()], 50);
    EXPECT_GT(seen[Theme::light().dataColor(1).rgb()], 50);
    EXPECT_EQ(seen.count(Theme::light().dataColor(2).rgb()), 0U);
}

}  // namespace
}  // namespace ropelab::ui
