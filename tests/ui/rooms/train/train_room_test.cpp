#include "ui/rooms/train/train_room.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <cmath>

#include "core/base/error.h"
#include "core/data/corpus.h"
#include "tests/ui/rooms/train/train_room_bench.h"
#include "ui/common/results_words.h"
#include "ui/figure/ticks.h"
#include "ui/plot/curve_plot.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/train/curves_page.h"
#include "ui/rooms/train/figures/second_picture.h"
#include "ui/rooms/train/plan_page.h"
#include "ui/rooms/train/run_list.h"
#include "ui/rooms/train/run_scope.h"
#include "ui/rooms/train/sweep_panel.h"
#include "ui/shell/actions.h"
#include "ui/shell/explanation.h"
#include "ui/shell/notices/banners.h"

namespace ropelab::ui {
namespace {

using TrainRoomTest = TrainRoomBench;

TEST_F(TrainRoomTest, TheToolbarHasOneLineWithTheExportOrWithoutIt) {
    auto* bar = room->findChild<PlotToolbar*>();
    const auto buttons = bar->findChildren<QToolButton*>();
    const auto found = std::ranges::find(buttons, QStringLiteral("Export …"), &QToolButton::text);
    ASSERT_NE(found, buttons.end());
    room->show();
    int shown = 0;
    for (int width = 740; width <= 1000; width += 4) {
        room->resize(width, 700);
        QApplication::processEvents();
        const QWidget* reset = *std::prev(found);
        const bool fits = reset->geometry().right() + (*found)->sizeHint().width() + 20 < bar->width();
        if (!(*found)->isVisible()) {
            EXPECT_FALSE(fits && reset->y() < bar->quantity()->height()) << "there is space at " << bar->width();
            continue;
        }
        ++shown;
        EXPECT_LT((*found)->y(), bar->quantity()->height()) << "a line of its own at " << bar->width();
    }
    EXPECT_GT(shown, 20);
}

TEST_F(TrainRoomTest, EveryQuantityHasCurves) {
    train();
    for (const char* id : {"validation_loss", "training_loss", "losses", "learning_rate", "gradient_norm"}) {
        room->showQuantity(id);
        const Figure figure = room->figure();
        ASSERT_GE(figure.curves.size(), 2u) << id;
        for (const FigureCurve& curve : figure.curves) EXPECT_FALSE(curve.x.isEmpty()) << id;
    }
    EXPECT_THROW(room->showQuantity("speed of light"), BadInput);
    EXPECT_EQ(workspace->settings().value("train/quantity").toString(), "gradient_norm");
}

// A lab of 10,000 runs has millions of steps, of which the plot shows one quantity at a time.
TEST_F(TrainRoomTest, StepsAreReadFromTheLabWhenTheyAreShown) {
    train();
    const QString lab = workspace->lab().path();
    workspace->newLab();
    room->showQuantity("validation_loss");
    workspace->openLab(lab);
    const RunId run = workspace->runs().runs().front().record.id;
    room->refreshNow();
    EXPECT_FALSE(room->plot().hasCurve({run, Quantity::training_loss}));
    room->showQuantity("losses");
    EXPECT_EQ(room->plot().yValues({run, Quantity::training_loss}).size(), 60);
    EXPECT_FALSE(room->plot().hasCurve({run, Quantity::gradient_norm}));
    workspace->runs().setVisible(run, false);
    room->showQuantity("gradient_norm");
    EXPECT_FALSE(room->plot().hasCurve({run, Quantity::gradient_norm})) << "the run is hidden";
    workspace->runs().setVisible(run, true);
    room->refreshNow();
    EXPECT_EQ(room->plot().yValues({run, Quantity::gradient_norm}).size(), 60);
    EXPECT_EQ(room->plot().xValues({run, Quantity::gradient_norm}),
              room->plot().xValues({run, Quantity::training_loss}));
    room->second().choose("gradient-norm");
    EXPECT_EQ(room->second().gradientPlot().yValues({run, Quantity::gradient_norm}).size(), 60);
}

TEST_F(TrainRoomTest, AResumedRunKeepsItsStepsOfTheLab) {
    train();
    const RunId run = workspace->runs().runs().front().record.id;
    const QString lab = workspace->lab().path();
    workspace->newLab();
    room->showQuantity("validation_loss");
    workspace->openLab(lab);
    const std::vector<Delivery> resumed = {Event(event::CohortStarted{{run}, 40, 60, {"float32", "cpu", 2, ""}}),
                                           Event(event::Step{run, 41, 1.5, 0.5, 1e-3})};
    emit workspace->session().delivered(resumed);
    const QList<double> x = room->plot().xValues({run, Quantity::training_loss});
    ASSERT_EQ(x.size(), 41);
    EXPECT_EQ(x.first(), 1);
    EXPECT_EQ(x.last(), 41);
    EXPECT_EQ(room->plot().yValues({run, Quantity::training_loss}).last(), 1.5);
    room->showQuantity("losses");
    EXPECT_EQ(room->plot().xValues({run, Quantity::training_loss}).size(), 41) << "they are not read again";
}

TEST_F(TrainRoomTest, RungsOfSuccessiveHalvingAreLinesInThePlot) {
    Experiment experiment = smallSweep(80);
    experiment.set("theta", {"100", "200", "300", "400"});
    SweepOptions options;
    options.search = Search{Search::Method::halving, {}, 16, 1, 20};
    workspace->lab().addSweep(experiment, options);
    ASSERT_EQ(room->plot().toFigure().verticalLines.size(), 2U);
    EXPECT_EQ(room->plot().toFigure().verticalLines[1].at, 40);
    const int wide = room->runList().header()->sectionSize(RunTable::State);
    workspace->lab().addSweep(smallSweep());
    for (const RunView& run : workspace->runs().runs()) workspace->runs().setVisible(run.record.id, run.rungs.empty());
    ASSERT_TRUE(waitUntil([&] { return room->plot().toFigure().verticalLines.empty(); }));
    EXPECT_EQ(room->runList().header()->sectionSize(RunTable::State), wide) << "the lab still has stopped runs";
}

TEST_F(TrainRoomTest, F1ExplainsThePlottedQuantityWithValuesOfThePickedRun) {
    EXPECT_EQ(explanationOf(&room->plot()).text, room->plot().accessibleDescription())
        << "without a run there are no values to explain";
    train();
    room->runList().pick(2);
    const auto helpText = [this] { return explanationOf(&room->plot()).text; };
    room->showQuantity("validation_loss");
    const double nats = room->plot().yValues({2, Quantity::validation_loss}).back();
    EXPECT_TRUE(helpText().contains("ln p(next token")) << helpText().toStdString();
    EXPECT_TRUE(helpText().contains(readableNumber(std::exp(nats)))) << helpText().toStdString();
    EXPECT_TRUE(helpText().contains("θ 10k")) << helpText().toStdString();
    EXPECT_FALSE(helpText().contains("best possible predictor")) << "the text file has no known entropy floor";
    room->showQuantity("learning_rate");
    EXPECT_TRUE(helpText().contains("w = 0, η_min = 1.00×10⁻⁴, T = 60")) << helpText().toStdString();
    room->showQuantity("gradient_norm");
    EXPECT_TRUE(helpText().contains("c = 1")) << helpText().toStdString();
    room->showQuantity("tokens_per_second");
    EXPECT_TRUE(helpText().contains("16 sequences of 32 tokens")) << helpText().toStdString();
    const QString roofline = explanationOf(&room->roofline().view()).text;
    EXPECT_TRUE(roofline.contains("min(P, B·I)")) << roofline.toStdString();
}

TEST_F(TrainRoomTest, EveryColumnOfTheRunListHasATooltip) {
    RunTable& table = room->runList().table();
    room->showQuantity("validation_loss");
    for (int column = 0; column < RunTable::ColumnCount; ++column) {
        EXPECT_FALSE(table.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty()) << column;
    }
    EXPECT_TRUE(table.headerData(RunTable::Best, Qt::Horizontal, Qt::ToolTipRole).toString().contains("nats"));
}

TEST_F(TrainRoomTest, ColumnWidthsAreRestoredAfterALargeWindowScale) {
    train();
    const auto widths = [this] {
        QList<int> all;
        for (const int column : {RunTable::State, RunTable::Last, RunTable::Best}) {
            all << room->runList().header()->sectionSize(column);
        }
        return all;
    };
    const QList<int> before = widths();
    ThemeManager::instance().setScale(200);
    EXPECT_NE(widths(), before);
    ThemeManager::instance().setScale(100);
    EXPECT_EQ(widths(), before);
}

TEST_F(TrainRoomTest, LongNamesAreShortenedToTheirDifferences) {
    train();
    const RunTable table(*workspace, workspace->runAccess());
    const auto& runs = workspace->runs().runs();
    ASSERT_GE(runs.size(), 2U);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        workspace->renameRun(runs[i].record.id,
                             "learned + θ 10k, 100 %, data tinyshakespeare, seed " + QString::number(i));
    }
    const QModelIndex second = table.index(1, RunTable::Name);
    ASSERT_TRUE(waitUntil([&] { return table.data(second, Qt::DisplayRole) == "seed 1"; }));
    EXPECT_FALSE(table.hasWholeNames());
    for (const int role : {Qt::EditRole, Qt::ToolTipRole}) {
        EXPECT_EQ(table.data(second, role), "learned + θ 10k, 100 %, data tinyshakespeare, seed 1");
    }
}

TEST_F(TrainRoomTest, PlotActionsAreEnabledOnlyWhileCurvesAreShown) {
    ActionRegistry registry(room.get());
    TrainRoom::addActions(registry, *room);
    train();
    const auto isEnabled = [&registry] {
        registry.refresh();
        EXPECT_EQ(registry.action("plot.log")->isEnabled(), registry.action("plot.reset")->isEnabled());
        return registry.action("plot.log")->isEnabled();
    };
    EXPECT_TRUE(isEnabled());
    room->showQuantity("roofline");
    EXPECT_FALSE(isEnabled());
    room->showQuantity("gradient_norm");
    EXPECT_TRUE(isEnabled());
    room->showPlan(true);
    EXPECT_FALSE(isEnabled());
}

TEST_F(TrainRoomTest, ListAndPlotShareThePickedRunAndVisibility) {
    train();
    room->runList().pick(2);
    EXPECT_EQ(room->plot().pickedRun(), 2);
    room->plot().pickRun(1);
    EXPECT_EQ(room->runList().picked(), 1);
    room->plot().setRunVisible(1, false);
    EXPECT_FALSE(workspace->runs().find(1)->visible);
    RunTable& table = room->runList().table();
    ASSERT_TRUE(table.setData(table.index(0, RunTable::Name), Qt::Checked, Qt::CheckStateRole));
    EXPECT_TRUE(room->plot().isRunVisible(1));
    EXPECT_EQ(room->figure().curves.size(), 4u) << "validation and training loss";
}

TEST_F(TrainRoomTest, ColumnsFitTheListOrItScrolls) {
    train();
    room->scope().foldButton()->click();
    RunList& list = room->runList();
    const auto columns = [&] {
        int all = 0;
        for (int i = 0; i < RunTable::ColumnCount; ++i) all += list.header()->sectionSize(i);
        return all;
    };
    list.setMinimumSize(0, 0);
    list.resize(900, 200);
    const int wide = list.header()->sectionSize(RunTable::Name);
    EXPECT_LE(columns(), list.viewport()->width());
    list.resize(300, 200);
    EXPECT_LT(list.header()->sectionSize(RunTable::Name), wide);
    EXPECT_GE(list.header()->sectionSize(RunTable::Name), 150);
    EXPECT_GT(columns(), list.viewport()->width());
    EXPECT_EQ(list.horizontalScrollBarPolicy(), Qt::ScrollBarAsNeeded);
}

TEST_F(TrainRoomTest, TableShowsLossesAndStates) {
    train();
    RunTable& table = room->runList().table();
    const double last = testing::FakeEngine::loss(workspace->runs().find(1)->spec, 60) + 0.1;
    EXPECT_EQ(table.data(table.index(0, RunTable::Last), Qt::DisplayRole).toString(), QString::number(last, 'f', 4));
    EXPECT_EQ(table.data(table.index(0, RunTable::State), Qt::DisplayRole).toString(), "finished");
    table.setLossUnit({"bits per character", 1 / std::log(2.0)});
    EXPECT_EQ(table.data(table.index(0, RunTable::Best), Qt::DisplayRole).toString(),
              QString::number(last / std::log(2.0), 'f', 4));
}

TEST_F(TrainRoomTest, LossesOfDifferentTokenizersAreComparedPerByte) {
    train();
    EXPECT_TRUE(room->unitAdvice().texts().isEmpty()) << "both runs have one token per character";
    Experiment tokenizers = smallSweep(60);
    tokenizers.set("theta", {"100"});
    tokenizers.set("tokenizer", {"characters", "words"});
    workspace->experiment().replace(tokenizers);
    train();
    room->refreshNow();
    ASSERT_EQ(room->unitAdvice().texts().size(), 1);
    EXPECT_TRUE(room->unitAdvice().texts().first().contains("cannot be compared"));
    const double perWord = workspace->runs().find(4)->record.bytes_per_token;
    ASSERT_GT(perWord, 2);
    ASSERT_EQ(workspace->runs().find(3)->record.bytes_per_token, 1);
    ASSERT_TRUE(room->unitAdvice().choose("unit", "Show bits per byte"));
    EXPECT_TRUE(room->unitAdvice().texts().isEmpty());
    EXPECT_EQ(workspace->settings().value("train/unit").toString(), "bits-per-byte");
    const Figure figure = room->figure();
    ASSERT_EQ(figure.curves.size(), 4U);
    const double nats = room->plot().yValues({4, Quantity::validation_loss}).back();
    EXPECT_NEAR(figure.curves[1].y.back(), nats / std::log(2.0) / perWord, 1e-12);
    EXPECT_EQ(room->originOf(figure).flags["unit"], "bits-per-byte");
    RunTable& table = room->runList().table();
    EXPECT_EQ(table.data(table.index(table.rowOf(4), RunTable::Last), Qt::DisplayRole).toString(),
              QString::number(nats / std::log(2.0) / perWord, 'f', 4));
}

TEST_F(TrainRoomTest, BytesPerTokenAreKnownWhileARunTrains) {
    engine.step_microseconds = 3000;
    workspace->start();
    ASSERT_TRUE(waitUntil([&] { return workspace->runs().find(1)->record.state == RunState::running; }));
    EXPECT_EQ(workspace->runs().find(1)->record.bytes_per_token, 1);
    workspace->session().stop();
    ASSERT_TRUE(waitForEnd(*workspace));
}

TEST_F(TrainRoomTest, ShowsTheSampleOfThePickedRun) {
    engine.step_microseconds = 3000;
    workspace->start();
    ASSERT_TRUE(waitUntil([&] { return !workspace->runs().find(1)->sample.isEmpty(); }));
    EXPECT_EQ(room->sampleText(), workspace->runs().find(1)->sample);
    room->runList().pick(2);
    ASSERT_TRUE(waitUntil([&] { return !workspace->runs().find(2)->sample.isEmpty(); }));
    EXPECT_EQ(room->sampleText(), workspace->runs().find(2)->sample);
    workspace->session().stop();
    ASSERT_TRUE(waitForEnd(*workspace));
}

TEST_F(TrainRoomTest, ANewSweepReplacesTheSampleOfAnEarlierOne) {
    const auto sampleTitle = [this] {
        for (const auto* label : room->findChildren<QLabel*>()) {
            if (label->text().startsWith("Sample: ") && label->isVisible()) return label->text();
        }
        return QString();
    };
    const auto titleStart = [this](RunId run) {
        return "Sample: " + QString::fromStdString(workspace->runs().find(run)->record.name);
    };
    ASSERT_TRUE(room->second().choose("sample"));
    train();
    EXPECT_TRUE(sampleTitle().startsWith(titleStart(1)));
    Experiment other = smallSweep(60);
    other.set("theta", {"500", "2000"});
    workspace->experiment().replace(other);
    train();
    EXPECT_TRUE(waitUntil([&] { return sampleTitle().startsWith(titleStart(3)); })) << sampleTitle().toStdString();
    room->runList().pick(1);
    EXPECT_TRUE(sampleTitle().startsWith(titleStart(1))) << "the user picked this run";
}

TEST_F(TrainRoomTest, RunsOfSeveralSeedsAreShownAsMeanWithBand) {
    auto* bands = [this] {
        for (auto* button : room->findChildren<QToolButton*>()) {
            if (button->text() == "± std") return button;
        }
        throw std::runtime_error("no such button");
    }();
    train();
    EXPECT_FALSE(bands->isEnabled()) << "there is one seed per setting";
    Experiment seeds = smallSweep(60);
    seeds.set("seed", {"1", "2", "3"});
    workspace->experiment().replace(seeds);
    train();
    ASSERT_TRUE(bands->isEnabled());
    room->showQuantity("validation_loss");
    EXPECT_TRUE(bands->isChecked()) << "seeds are one curve per setting until the user wants them";
    const Figure figure = room->figure();
    ASSERT_EQ(figure.curves.size(), 2u);
    const auto label = [this] { return room->plot().groups().at(0).label; };
    EXPECT_TRUE(label().endsWith("3 seeds")) << label().toStdString();
    EXPECT_EQ(figure.bands.size(), 2u);
    workspace->runs().setVisible(1, true);  // a run of the first sweep: the fourth seed
    EXPECT_EQ(room->figure().curves.size(), 2u);
    EXPECT_TRUE(label().endsWith("4 seeds")) << label().toStdString();
    workspace->runs().setVisible(1, false);
    bands->click();
    EXPECT_EQ(room->figure().curves.size(), 6u);
    EXPECT_EQ(workspace->settings().value("train/bands").toString(), "off");
}

TEST_F(TrainRoomTest, TheListOfRunsIsFoldedAndIsTheLegend) {
    train();
    QPushButton* fold = room->scope().foldButton();
    EXPECT_EQ(fold->text(), "► Runs: 2 settings, 2 runs");
    EXPECT_FALSE(room->runList().isVisible());
    const int low = room->plot().height();
    fold->click();
    QApplication::processEvents();
    EXPECT_EQ(fold->text(), "▼ Runs: 2 settings, 2 runs");
    EXPECT_TRUE(room->runList().isVisible());
    EXPECT_LT(room->plot().height(), low);
    EXPECT_TRUE(workspace->settings().value("train/list_shown").toBool());
    const RunTable& table = room->runList().table();
    const auto title = [&] { return table.headerData(RunTable::Last, Qt::Horizontal, Qt::DisplayRole).toString(); };
    emit room->plot().crosshairMoved(20);
    EXPECT_EQ(title(), "at step 20");
    EXPECT_EQ(table.data(table.index(0, RunTable::Last), Qt::DisplayRole).toString(),
              readableNumber(room->plot().shownValue(1, 20)));
    emit room->plot().crosshairMoved(std::nan(""));
    EXPECT_EQ(title(), "loss at step 60");
}

TEST_F(TrainRoomTest, AHeadlineSaysWhatTheSeedsDecideAsTheResultsDo) {
    train();
    EXPECT_TRUE(room->headline().startsWith("Not decided. Lowest loss on text.txt, context 32: θ "))
        << room->headline().toStdString();
    EXPECT_TRUE(room->headline().endsWith("(one seed decides nothing)")) << room->headline().toStdString();
    Experiment seeds = smallSweep(60);
    seeds.set("seed", {"1", "2", "3"});
    workspace->experiment().replace(seeds);
    train();
    room->refreshNow();
    EXPECT_TRUE(room->headline().startsWith("Not decided. ") ||
                room->headline().contains(QStringLiteral("(3 seeds, p\u00A0")))
        << room->headline().toStdString();
    Experiment fractions = smallSweep(60);
    fractions.set("fraction", {"25 %", "100 %"});
    workspace->experiment().replace(fractions);
    train();
    room->refreshNow();
    EXPECT_TRUE(room->headline().contains(QStringLiteral(", 100\u202F% rotated; "))) << room->headline().toStdString();
}

TEST_F(TrainRoomTest, TheHeadlineOfManyRunsFollowsWhenTheirTestsAreComputed) {
    const QString path = file("many.ropelab");
    {
        const auto lab = LabFile::create(path.toStdString());
        const std::int64_t experiment = lab->add_experiment("e", Experiment("e").to_json().dump());
        std::vector<Event> events;
        for (int i = 0; i < 502; ++i) {
            RunSpec spec;
            spec.seed = 1 + i / 2;
            spec.theta = i % 2 == 0 ? 500 : 10000;
            const RunId run = lab->add_run(experiment, std::to_string(i), to_json(spec).dump());
            RunSummary summary;
            summary.iterations = 10;
            summary.best_validation_loss = summary.final_validation_loss = 2 + i % 2 + 0.001 * (i % 7);
            events.emplace_back(event::RunEnded{run, RunState::finished, "", summary});
        }
        lab->record(events);
    }
    workspace->openLab(path);
    const RunStore& runs = workspace->runs();
    ASSERT_EQ(runs.runs().size(), 502U);
    EXPECT_TRUE(room->isBusy());
    ASSERT_TRUE(waitUntil([&] { return !room->isBusy(); }));
    const QString headline = verdictOf(visibleRuns(runs.runs()), seedGroups(runs), false, {}).headline;
    EXPECT_FALSE(headline.isEmpty());
    EXPECT_EQ(room->headline(), headlineText(headline));
}

TEST_F(TrainRoomTest, PlotsThatGetManyRunsInPartsFollowChangesBetweenThem) {
    const auto write = [this](const char* name, int runs) {
        const QString path = file(name);
        const auto lab = LabFile::create(path.toStdString());
        const std::int64_t experiment = lab->add_experiment("e", Experiment("e").to_json().dump());
        for (int i = 0; i < runs; ++i)
            lab->add_run(experiment, std::to_string(i), R"({"theta":500,"seed":)" + std::to_string(i + 1) + '}');
        return path;
    };
    const QString many = write("many.ropelab", 2010);
    const QString few = write("few.ropelab", 3);
    const auto openInPart = [&] {
        workspace->openLab(many);
        for (int i = 0; i < 50 && room->plot().runCount() == 0; ++i) QApplication::processEvents();
        ASSERT_EQ(room->plot().runCount(), 2000U);
    };
    const auto expectAll = [&](const char* after) {
        ASSERT_TRUE(waitUntil([&] { return !room->isBusy(); })) << after;
        std::vector<RunId> all;
        for (const RunView& run : workspace->runs().runs()) all.push_back(run.record.id);
        EXPECT_EQ(room->plot().runs(), all) << after;
    };
    openInPart();
    workspace->openLab(few);
    expectAll("another lab");
    openInPart();
    for (const RunId run : {5, 2005}) workspace->deleteRun(run);
    expectAll("deletions of a run that the plots have and of one that they lack");
    workspace->undo().undo();
    QApplication::processEvents();
    workspace->undo().undo();
    expectAll("two runs that come back");
    EXPECT_EQ(room->plot().runCount(), 2010U);
    workspace->newLab();
    expectAll("no lab");
    openInPart();
    const RunId last = workspace->runs().runs().back().record.id;
    emit workspace->session().delivered({Event(event::Evaluated{last, 10, 2.0, 2.5})});
    EXPECT_EQ(room->plot().yValues({last, Quantity::validation_loss}), QList<double>{2.5}) << "it trains already";
    expectAll("a delivery");
}

TEST_F(TrainRoomTest, OfManyCurvesThoseWithTheLowestLossesArePaintedAndExportsHaveAll) {
    const QString path = file("many.ropelab");
    {
        const auto lab = LabFile::create(path.toStdString());
        const std::int64_t experiment = lab->add_experiment("e", Experiment("e").to_json().dump());
        std::vector<Event> events;
        for (int i = 0; i < 120; ++i) {
            RunSpec spec;
            spec.theta = 10000 - i;
            const RunId run = lab->add_run(experiment, std::to_string(i), to_json(spec).dump());
            events.emplace_back(event::CohortStarted{{run}, 0, 10, {"float32", "cpu", 2, ""}});
            for (int step = 1; step <= 3; ++step)
                events.emplace_back(event::Step{run, step, 3.0 - 0.01 * i - 0.1 * step, 0.5, 1e-3});
            events.emplace_back(event::Evaluated{run, 3, 2.0, 3.0 - 0.01 * i});
        }
        lab->record(events);
    }
    room->showQuantity("losses");
    workspace->openLab(path);
    room->plot().refreshNow();
    const auto curvesOf = [](const Figure& figure) {
        return std::ranges::count(figure.curves, false, &FigureCurve::companion);
    };
    const Figure painted = room->plot().toFigure(true);
    EXPECT_EQ(curvesOf(painted), 50);
    EXPECT_TRUE(painted.note.contains("50 of 120 curves, those with the lowest validation losses"))
        << painted.note.toStdString();
    const CurveId highest = {1, Quantity::training_loss};
    EXPECT_FALSE(room->plot().hasCurve(highest)) << "steps that are not painted are not read";
    EXPECT_TRUE(room->plot().hasCurve({120, Quantity::training_loss}));
    room->runList().pick(1);
    EXPECT_EQ(curvesOf(room->plot().toFigure(true)), 51) << "the picked run is painted";
    EXPECT_TRUE(room->plot().hasCurve(highest));
    const Figure exported = room->exportedFigure();
    EXPECT_EQ(curvesOf(exported), 120);
    EXPECT_EQ(exported.curves.size(), 240U) << "with their training losses";
    EXPECT_FALSE(exported.note.contains("lowest validation losses")) << exported.note.toStdString();
}

TEST_F(TrainRoomTest, TheCurvesStayWhileTheNextSweepBeginsAndASentenceSaysHowItStands) {
    train();
    room->refreshNow();
    const QString lowest = room->headline();
    engine.step_microseconds = 20000;
    workspace->start();
    EXPECT_TRUE(room->plot().hasGhosts());
    EXPECT_TRUE(room->headline().startsWith("The runs begin")) << room->headline().toStdString();
    ASSERT_TRUE(waitUntil([&] {
        return room->headline().contains(
            "Not decided until all runs end. Lowest loss so far on text.txt, context 32: θ ");
    })) << room->headline().toStdString();
    EXPECT_TRUE(room->plot().hasGhosts());
    ASSERT_TRUE(waitUntil([&] { return !workspace->session().isActive(); }));
    ASSERT_TRUE(waitUntil([&] { return room->headline() == lowest; })) << "equal runs, equal end";
    EXPECT_FALSE(room->plot().hasGhosts());
}

TEST_F(TrainRoomTest, StoppedRunsKeepTheSentenceOfTheirLastCommonStep) {
    engine.step_microseconds = 3000;
    workspace->experiment().replace(smallSweep(100000));
    workspace->start();
    ASSERT_TRUE(
        waitUntil([&] { return room->headline().contains("Not decided until all runs end. Lowest loss so far"); }));
    workspace->session().stop();
    ASSERT_TRUE(waitForEnd(*workspace));
    room->refreshNow();
    EXPECT_TRUE(room->headline().contains("Not decided until all runs end. Lowest loss so far"))
        << room->headline().toStdString();
}

TEST_F(TrainRoomTest, StopKeepsTheCurvesBefore) {
    train();
    engine.step_microseconds = 3000;
    workspace->experiment().replace(smallSweep(100000));
    workspace->start();
    ASSERT_TRUE(waitUntil([&] { return room->headline().contains("Lowest loss so far"); }));
    ASSERT_TRUE(room->plot().hasGhosts());
    workspace->session().stop();
    ASSERT_TRUE(waitForEnd(*workspace));
    EXPECT_TRUE(room->plot().hasGhosts());
}

TEST_F(TrainRoomTest, TheCurvesOfAnotherLabAreNoGhosts) {
    train();
    const QString lab = workspace->lab().path();
    workspace->newLab();
    EXPECT_FALSE(room->plot().hasGhosts());
    workspace->openLab(lab);
    EXPECT_FALSE(room->plot().hasGhosts());
}

TEST_F(TrainRoomTest, StoppingOneRunKeepsTheOthersTraining) {
    engine.step_microseconds = 3000;
    workspace->start();
    ASSERT_TRUE(waitUntil([&] { return workspace->runs().find(1)->record.iteration > 5; }));
    RunList& list = room->runList();
    list.pick(1);
    emit list.customContextMenuRequested(list.visualRect(list.currentIndex()).center());
    QAction* stop = nullptr;
    for (QAction* action : list.findChild<QMenu*>()->actions()) {
        if (action->text() == "Stop this run") stop = action;
    }
    ASSERT_NE(stop, nullptr);
    stop->trigger();
    ASSERT_TRUE(waitForEnd(*workspace));
    EXPECT_EQ(workspace->runs().find(1)->record.state, RunState::stopped);
    EXPECT_EQ(workspace->runs().find(2)->record.state, RunState::finished);
    EXPECT_EQ(workspace->runs().find(2)->record.iteration, 60);
    EXPECT_EQ(workspace->unfinishedRuns(), (std::vector<RunId>{1}));
}

TEST_F(TrainRoomTest, ADivergingRunFailsAndTheOthersContinue) {
    engine.failing_theta = 100;
    train();
    EXPECT_EQ(workspace->runs().find(1)->record.state, RunState::failed);
    EXPECT_EQ(workspace->runs().find(1)->record.iteration, 11);
    EXPECT_EQ(workspace->runs().find(2)->record.state, RunState::finished);
    EXPECT_TRUE(workspace->unfinishedRuns().empty()) << "a diverged run is not resumed";
    const Figure figure = room->figure();
    EXPECT_TRUE(figure.note.contains("red point: last value of a run that failed")) << figure.note.toStdString();
}

TEST_F(TrainRoomTest, TrainingDoesNotResetAnOpenNameEditor) {
    engine.step_microseconds = 2000;
    workspace->experiment().replace(smallSweep(2000));
    workspace->start();
    ASSERT_TRUE(waitUntil([&] { return workspace->runs().find(1)->record.iteration > 0; }));
    room->runList().pick(1);
    room->runList().rename(1);
    auto* editor = room->runList().findChild<QLineEdit*>();
    ASSERT_NE(editor, nullptr);
    editor->setText("my own name");
    const std::int64_t before = workspace->runs().find(1)->record.iteration;
    ASSERT_TRUE(waitUntil([&] {  // Steps and an evaluation have been delivered.
        return workspace->runs().find(1)->record.iteration > before + 40;
    }));
    editor = room->runList().findChild<QLineEdit*>();
    ASSERT_NE(editor, nullptr);
    EXPECT_EQ(editor->text(), "my own name");
    QTest::keyClick(editor, Qt::Key_Return);
    EXPECT_TRUE(waitUntil([&] { return workspace->runs().find(1)->record.name == "my own name"; }));
    EXPECT_EQ(room->runList().picked(), 1) << "renaming keeps the selection";
    ASSERT_TRUE(waitUntil([&] { return !room->runList().findChild<QLineEdit*>(); }));
    room->runList().rename(2);
    ASSERT_NE(room->runList().findChild<QLineEdit*>(), nullptr);
    room->runList().findChild<QLineEdit*>()->setText("open when the room goes");
    room.reset();
    workspace->session().stop();
    ASSERT_TRUE(waitForEnd(*workspace));
}

TEST_F(TrainRoomTest, RunActionsAreDisabledInOtherRooms) {
    QWidget window;
    ActionRegistry registry(&window);
    bool opened = false;
    registry.add({.id = "room.train", .menu = {}, .text = "Train", .handler = [&] {
                      opened = true;
                      room->show();
                  }});
    TrainRoom::addActions(registry, *room);
    train();
    room->runList().pick(1);
    const std::vector<const char*> own = {"run.rename", "run.annotate", "run.delete", "plot.log", "plot.reset"};
    registry.refresh();
    for (const char* id : own) EXPECT_TRUE(registry.action(id)->isEnabled()) << id;
    room->hide();
    registry.refresh();
    for (const char* id : own) EXPECT_FALSE(registry.action(id)->isEnabled()) << id;
    registry.action("run.plan")->trigger();
    EXPECT_TRUE(opened);
    EXPECT_TRUE(room->isPlanShown());
}

TEST_F(TrainRoomTest, OpeningALabRestoresItsCurves) {
    train();
    const QList<double> losses = room->plot().yValues({1, Quantity::training_loss});
    ASSERT_EQ(losses.size(), 60);
    const QString path = workspace->lab().path();
    workspace->lab().startEmptyLab();
    EXPECT_TRUE(room->plot().runs().empty());
    workspace->lab().open(path);
    EXPECT_EQ(room->plot().yValues({1, Quantity::training_loss}), losses);
    EXPECT_EQ(room->plot().xValues({1, Quantity::validation_loss}), (QList<double>{0, 20, 40, 60}));
    TrainRoom second(*workspace, workspace->runAccess(), workspace->experiment(),
                     workspace->settings());  // created while the lab is open
    second.refreshNow();
    EXPECT_EQ(second.plot().yValues({1, Quantity::training_loss}), losses);
}

TEST_F(TrainRoomTest, PlanPageReplacesThePlot) {
    auto* panel = qobject_cast<SweepPanel*>(room->panel());
    ASSERT_NE(panel, nullptr);
    room->showPlan(true);
    EXPECT_TRUE(room->preview().isVisible());
    EXPECT_EQ(room->preview().preview().runs.size(), 2u);
    workspace->start();
    EXPECT_FALSE(room->isPlanShown()) << "starting a sweep shows its curves";
    EXPECT_TRUE(room->plot().isVisible());
    ASSERT_TRUE(waitForEnd(*workspace));
    emit panel->planAsked(true);
    EXPECT_TRUE(room->preview().isVisible());
}

TEST_F(TrainRoomTest, SyntheticLanguagesHaveAnEntropyFloorAndFilesHaveNone) {
    train();
    ASSERT_TRUE(waitUntil([this] { return !room->isBusy(); }));
    EXPECT_TRUE(room->figure().horizontalLines.empty());

    Experiment generated = smallSweep(20);
    generated.set("data", {"synthetic-local"});
    workspace->experiment().replace(generated);
    train();
    ASSERT_TRUE(waitUntil([&] { return !room->isBusy(); }, 120'000));
    ASSERT_EQ(room->figure().horizontalLines.size(), 1u);
    const auto floor = entropy_floor_of(workspace->runs().find(3)->spec);
    ASSERT_TRUE(floor);
    EXPECT_DOUBLE_EQ(room->figure().horizontalLines.front().at, floor->mean);
    EXPECT_TRUE(room->figure().horizontalLines.front().label.startsWith("entropy floor "));
}

TEST(QuantityExplanation, SaysThatTheEntropyFloorBelongsToTheWholeSplit) {
    RunSpec run;
    run.data = "synthetic";
    const auto text = [&run] { return quantityExplanation(Quantity::validation_loss, run, {}); };
    EXPECT_TRUE(text().contains("entropy floor of the whole split")) << text().toStdString();
    EXPECT_FALSE(text().contains("sampled sequences"));
    run.evaluation = Evaluation::sampled;
    EXPECT_TRUE(text().contains("evaluated on sampled sequences")) << text().toStdString();
}

}  // namespace
}  // namespace ropelab::ui
