#include <QAbstractItemView>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <cmath>

#include "core/reproduce/rules/evaluate.h"
#include "core/results/decision_aid.h"
#include "core/study/head_conversion.h"
#include "tests/ui/rooms/results/results_fixture.h"
#include "tests/ui/support/answered_dialogs.h"
#include "ui/figure/figure_caption.h"
#include "ui/rooms/results/figure_pane.h"
#include "ui/rooms/results/group_table.h"
#include "ui/rooms/results/results_panel.h"
#include "ui/shell/actions.h"

namespace ropelab::ui {
namespace {

TEST_F(ResultsRoomTest, ShowsTheStoredConversionsOfTheSelectedGroup) {
    openUsual();
    room->refreshNow();
    EXPECT_TRUE(room->conversionWords().isEmpty());
    const QString path = workspace->lab().path();
    HeadConversionResult result;
    result.heads_before = 4;
    result.iteration = 200;
    store_head_conversion(*LabFile::open(path.toStdString()), 2, result);
    workspace->lab().startEmptyLab();
    workspace->lab().open(path);
    ASSERT_TRUE(waitUntil([&] { return !room->isEmpty(); }));
    room->refreshNow();
    const Results& results = room->results();
    for (int group = 0; group < room->groups().rowCount(); ++group) {
        room->pickGroup(group);
        bool hasRun = false;
        for (const std::size_t member : results.table.groups[static_cast<std::size_t>(group)].members) {
            hasRun = hasRun || results.runAt(member) == 2;
        }
        EXPECT_EQ(room->conversionWords().contains("4 key and value heads were replaced by 1"), hasRun) << group;
    }
}

TEST_F(ResultsRoomTest, ManyRunsAreComparedInTheBackground) {
    const QString path = file("many.ropelab");
    {
        const auto lab = LabFile::create(path.toStdString());
        const std::int64_t experiment = lab->add_experiment("many", Experiment("many").to_json().dump());
        std::vector<Event> events;
        for (int i = 0; i < 502; ++i) {
            const nlohmann::json settings = {{"theta", i % 2 == 0 ? 500 : 10000}, {"seed", 1 + i / 2}};
            RunSummary summary;
            summary.iterations = 10;
            summary.best_validation_loss = summary.final_validation_loss = 2 + i % 2 + 0.001 * (i % 7);
            const RunId run = lab->add_run(experiment, std::to_string(i), settings.dump());
            events.emplace_back(event::RunEnded{run, RunState::finished, "", summary});
        }
        lab->record(events);
    }
    room->show();
    workspace->lab().open(path);
    ASSERT_TRUE(waitUntil([&] { return room->isBusy(); }));
    EXPECT_TRUE(room->isEmpty()) << "until the runs are compared";
    EXPECT_FALSE(room->choices().isEnabled()) << "the choices that are saved for the lab are not restored yet";
    workspace->lab().deleteRun(1);
    ASSERT_TRUE(waitUntil([&] { return !room->isBusy() && room->results().runs.size() == 501; }));
    EXPECT_TRUE(room->choices().isEnabled());
    workspace->lab().restoreRun(1);
    ASSERT_TRUE(waitUntil([&] { return !room->isBusy() && room->results().runs.size() == 502; }));
    const QString headline = room->headline();
    EXPECT_TRUE(headline.contains("251 seeds")) << headline.toStdString();
    const std::size_t compared = room->results().table.compared;
    room->choices().form().field<QComboBox>("measure")->setCurrentIndex(2);
    EXPECT_TRUE(room->isBusy());
    EXPECT_EQ(room->results().table.compared, compared) << "until the others are compared";
    ASSERT_TRUE(waitUntil([&] { return !room->isBusy(); }));
    EXPECT_NE(room->results().table.compared, compared);
    room->choices().form().field<QComboBox>("measure")->setCurrentIndex(0);
    room->refreshNow();
    EXPECT_FALSE(room->isBusy());
    EXPECT_EQ(room->headline(), headline) << "the same as in the foreground";
}

TEST_F(ResultsRoomTest, EmptyPageLeadsToTrain) {
    room->show();
    room->refreshNow();
    EXPECT_TRUE(room->isEmpty());
    EXPECT_FALSE(room->hasFigure());
    QSignalSpy asked(room.get(), &ResultsRoom::roomRequested);
    room->goToTrain()->click();
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked.front().front().toString(), "train");
}

TEST_F(ResultsRoomTest, FigureActionsOpenTheRoom) {
    QWidget window;
    ActionRegistry registry(&window);
    int opened = 0;
    registry.add({.id = "room.results", .menu = {}, .text = "Results", .handler = [&] { ++opened; }});
    ResultsRoom::addActions(registry, *room);
    registry.action("results.figure.spikes")->trigger();
    EXPECT_STREQ(room->figures().chosen().name, "spikes");
    EXPECT_EQ(opened, 1);
    registry.action("results.nextFigure")->trigger();
    registry.action("results.previousFigure")->trigger();
    EXPECT_STREQ(room->figures().chosen().name, "spikes");
    EXPECT_EQ(opened, 3);
}

TEST_F(ResultsRoomTest, NewEvaluationsPreserveTheSelection) {
    openUsual();
    const auto evaluate = [this] {
        workspace->runs().apply({Event(event::Evaluated{1, 300, 1.0, 1.4})});
        room->refreshNow();
    };
    QTableView* seeds = nullptr;
    for (QTableView* view : room->findChildren<QTableView*>()) {
        if (view->model() == &room->seeds()) seeds = view;
    }
    ASSERT_NE(seeds, nullptr);
    seeds->selectRow(2);
    evaluate();
    EXPECT_EQ(seeds->currentIndex().row(), 2);
    EXPECT_TRUE(seeds->selectionModel()->isRowSelected(2));
    room->pickGroup(1);
    EXPECT_FALSE(seeds->currentIndex().isValid()) << "another group has other runs";

    QWidget* panel = room->panel();
    panel->show();
    QComboBox* baseline = room->choices().form().field<QComboBox>("baseline");
    ASSERT_EQ(baseline->count(), 4);
    baseline->showPopup();
    baseline->view()->setCurrentIndex(baseline->model()->index(2, 0));
    evaluate();
    QTest::keyClick(baseline->view(), Qt::Key_Return);
    EXPECT_EQ(baseline->currentIndex(), 2);
    EXPECT_FALSE(baseline->view()->isVisible());
}

TEST_F(ResultsRoomTest, TheTestIsPairedForSharedSeedsUnlessAnotherIsChosen) {
    openUsual();
    QComboBox& test = *room->choices().form().field<QComboBox>("test");
    EXPECT_EQ(room->results().table.test, TestKind::welch) << "the user chose it before";
    test.setCurrentIndex(test.findData("auto"));
    EXPECT_EQ(room->results().table.test, TestKind::paired);
    openLab({{10000, {1.50, 1.51, 1.52}}, {500, {1.30, 1.32}}});
    ASSERT_TRUE(waitUntil([&] { return room->results().table.groups.size() == 2; }));
    EXPECT_EQ(room->results().table.test, TestKind::paired) << "two of three seeds are shared";
}

TEST_F(ResultsRoomTest, WarnsThatASearchChoseTheSettings) {
    const std::string search = to_json(Search{}).dump();
    openLab({{10000, {1.50, 1.51}}, {500, {1.30, 1.32}}}, search);
    const QString warning = QString::fromStdString(search_warning(room->results().table));
    EXPECT_TRUE(warning.startsWith("Warning: a search chose these settings by their validation loss"));
    EXPECT_TRUE(room->words().contains(warning)) << room->words().toStdString();
    EXPECT_TRUE(captionOf(room->exportedFigure()).contains(warning));
    openUsual();
    ASSERT_TRUE(waitUntil([&] { return room->results().table.groups.size() == 3; }));
    EXPECT_FALSE(room->words().contains("a search")) << room->words().toStdString();
    EXPECT_FALSE(captionOf(room->exportedFigure()).contains("a search"));
}

// The training speeds are one measurement, so that the caches are the cost, and only the three tests of the loss count.
TEST_F(ResultsRoomTest, NamesTheSettingsOnTheParetoFront) {
    openUsual();
    EXPECT_EQ(room->decisionWords(),
              "By best validation loss and size of KV cache and RoPE cache: 1 of 3 settings is not Pareto-dominated: "
              "500.");
    EXPECT_TRUE(room->decisionDetails().contains(
        "The settings are compared in best validation loss and size of KV cache and RoPE cache with the t test paired "
        "by seed, after Holm's correction over 3 tests."))
        << room->decisionDetails().toStdString();
    ResultsPanel& panel = room->choices();
    panel.form().setValue("loss", "final_validation_loss");
    panel.form().setValue("cost", "cache_bytes");
    EXPECT_TRUE(room->decisionDetails().contains(
        "The settings are compared in final validation loss and size of KV cache and RoPE cache with the t test paired "
        "by seed"))
        << room->decisionDetails().toStdString();
    panel.formats()->setCurrentIndex(3);
    panel.copyButton()->click();
    const auto json = nlohmann::json::parse(QApplication::clipboard()->text().toStdString());
    EXPECT_EQ(json.at("decision_aid").at(0).at("speed"), "cache_bytes") << "the export weighs what the room weighs";
    room.reset();
    workspace = std::make_unique<Workspace>(options());
    room = std::make_unique<ResultsRoom>(*workspace, workspace->runAccess(), workspace->settings());
    EXPECT_EQ(room->choices().decision().cost, "cache_bytes") << "the choice is remembered";
    EXPECT_EQ(room->choices().decision().loss, "final_validation_loss");
}

TEST_F(ResultsRoomTest, ChoosesTheColumnsOfTableAndExport) {
    openUsual();
    ResultsPanel& panel = room->choices();
    const auto titles = [this] {
        QStringList result;
        for (int i = 0; i < room->groups().columnCount(); ++i) result << room->groups().titleOf(i);
        return result;
    };
    // A window of 1280 pixels shows the first five columns with the longest titles.
    EXPECT_EQ(titles(), QStringList({"θ", "verdict", "best validation loss", "seeds", "improvement", "p Welch, Holm"}))
        << "what decides is beside the settings; one p value until others are chosen";
    panel.columns()->actionOf("full")->trigger();
    const int all = room->groups().columnCount();
    EXPECT_GT(all, 12);
    EXPECT_EQ(room->groups().columnOf("mark"), -1);
    panel.columns()->actionOf("paper")->trigger();
    EXPECT_EQ(titles(),
              QStringList({"θ", "best validation loss", "seeds", "texts", "improvement", "p Welch, Holm", "mark"}));
    EXPECT_EQ(cell(0, "mark"), "***");
    panel.formats()->setCurrentIndex(2);
    panel.form().field<QCheckBox>("bold")->setChecked(true);
    panel.copyButton()->click();
    EXPECT_EQ(
        QApplication::clipboard()->text().toStdString(),
        "% Runs: 9 of 9 runs count, of experiment 1.\n" + results_latex(room->results().table, {{"paper"}, true}));
    panel.columns()->actionOf("n")->trigger();  // hides it
    EXPECT_EQ(room->groups().columnOf("seeds"), -1);
    EXPECT_FALSE(panel.columns()->actionOf("n")->isChecked());
    EXPECT_FALSE(panel.columns()->actionOf("paper")->isChecked());
    EXPECT_EQ(panel.columns()->words(), "settings,best_validation_loss,texts,improvement_percent,p_welch_holm,mark");

    room.reset();
    workspace = std::make_unique<Workspace>(options());
    room = std::make_unique<ResultsRoom>(*workspace, workspace->runAccess(), workspace->settings());
    openUsual();
    EXPECT_EQ(room->groups().columnCount(), 6) << "the choice is remembered";
    EXPECT_TRUE(room->choices().form().field<QCheckBox>("bold")->isChecked());
    room->choices().columns()->actionOf("full")->trigger();
    EXPECT_EQ(room->groups().columnCount(), all);
}

TEST_F(ResultsRoomTest, DraggedColumnsKeepTheirOrderInTableExportAndNextStart) {
    openUsual();
    room->choices().columns()->actionOf("paper")->trigger();
    const auto titles = [this] {
        QStringList result;
        QHeaderView& header = *room->groupView().horizontalHeader();
        for (int place = 0; place < header.count(); ++place) {
            result << room->groups().titleOf(header.logicalIndex(place));
        }
        return result;
    };
    room->groupView().sortByColumn(room->groups().columnOf("θ"), Qt::DescendingOrder);
    room->groupView().horizontalHeader()->moveSection(2, 0);  // drags the seeds to the front
    const QStringList dragged = {"seeds", "θ", "best validation loss", "texts", "improvement", "p Welch, Holm", "mark"};
    ASSERT_TRUE(waitUntil([&] { return room->groups().titleOf(0) == "seeds"; }));
    EXPECT_EQ(titles(), dragged);
    EXPECT_EQ(cell(0, "θ"), "10k") << "still sorted by θ";
    room->choices().formats()->setCurrentIndex(1);
    room->choices().copyButton()->click();
    EXPECT_TRUE(QApplication::clipboard()->text().startsWith("n,theta,best_validation_loss,"));
    room->choices().columns()->actionOf("verdict")->trigger();  // shown behind the columns that precede it
    EXPECT_EQ(titles().indexOf("verdict"), titles().indexOf("improvement") + 1);
    room->choices().columns()->actionOf("verdict")->trigger();

    room.reset();
    workspace = std::make_unique<Workspace>(options());
    room = std::make_unique<ResultsRoom>(*workspace, workspace->runAccess(), workspace->settings());
    openUsual();
    EXPECT_EQ(titles(), dragged) << "the order is remembered";
}

TEST_F(ResultsRoomTest, TitlesOfTheTableHaveAMenuOfColumns) {
    openUsual();
    room->choices().columns()->actionOf("paper")->trigger();
    const auto choose = [this](const QString& title, const QString& entry) {
        QHeaderView* header = room->groupView().horizontalHeader();
        const QPoint where(header->sectionViewportPosition(room->groups().columnOf(title)) + 4, 4);
        emit header->customContextMenuRequested(where);
        auto* menu = room->findChild<QMenu*>("column-menu");
        ASSERT_TRUE(menu);
        for (QAction* action : menu->actions()) {
            if (action->text() == entry) action->trigger();
        }
        delete menu;
    };
    choose("best validation loss", "Move column right");
    EXPECT_EQ(room->groups().titleOf(1), "seeds");
    EXPECT_EQ(room->groups().titleOf(2), "best validation loss");
    choose("best validation loss", "Move column left");
    EXPECT_EQ(room->choices().columns()->words(), "paper") << "the preset's order again";
    choose("mark", "Hide column");
    EXPECT_EQ(room->groups().columnOf("mark"), -1);
    choose("θ", "All columns");
    EXPECT_EQ(room->choices().columns()->words(), "full");
}

TEST_F(ResultsRoomTest, TableShowsMeansAndVerdicts) {
    openUsual();
    room->choices().columns()->actionOf("full")->trigger();
    ASSERT_EQ(room->groups().rowCount(), 3);
    EXPECT_EQ(cell(2, "θ"), "10k") << "in the order of settings";
    EXPECT_EQ(cell(2, "seeds"), "3");
    EXPECT_EQ(cell(2, "best validation loss"), "1.5100 ± 0.0100");
    EXPECT_EQ(cell(0, "improvement"), "+13.25");
    EXPECT_EQ(cell(2, "verdict"), "baseline");
    EXPECT_EQ(cell(0, "verdict"), "better");
    EXPECT_EQ(cell(1, "verdict"), "not significant");
    EXPECT_EQ(cell(0, "p Student, Holm"), "<0.001");
    EXPECT_NE(cell(0, "p paired"), "–");
    EXPECT_NE(cell(0, "detectable difference"), "–");
    EXPECT_EQ(cell(2, "detectable difference"), "–");
    EXPECT_EQ(room->headline(),
              QStringLiteral("Lowest loss on synthetic text, context 128: θ 500, 100\u202F% rotated; 0.20 nats below θ "
                             "10k, 100\u202F% (3 seeds per group, p\u00A0<\u00A00.001)"));
    EXPECT_TRUE(room->words().contains("With 3 seeds per group, the significance test detects a true difference of "))
        << room->words().toStdString();
    EXPECT_EQ(cell(2, "bits per character"), QString::number(1.51 / std::log(2.0), 'f', 4) + " ± 0.0144");
    const GroupTable& groups = room->groups();
    const int column = groups.columnOf("best validation loss");
    EXPECT_EQ(groups.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(),
              "best validation loss (nats, ± std)");
    for (int i = 0; i < groups.columnCount(); ++i) {
        EXPECT_FALSE(groups.headerData(i, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty()) << i;
    }
    EXPECT_TRUE(room->words().contains("1 better, 1 not significant (")) << room->words().toStdString();
    EXPECT_TRUE(room->words().contains("level divided by 2 comparisons"));
}

TEST_F(ResultsRoomTest, SortsMissingNumbersLast) {
    openUsual();
    QTableView& view = room->groupView();
    view.sortByColumn(room->groups().columnOf("best validation loss"), Qt::AscendingOrder);
    EXPECT_EQ(cell(0, "θ"), "500");
    view.sortByColumn(room->groups().columnOf("θ"), Qt::DescendingOrder);
    EXPECT_EQ(cell(0, "θ"), "10k");
    EXPECT_EQ(cell(2, "θ"), "500");
    for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        view.sortByColumn(room->groups().columnOf("p Welch, Holm"), order);
        EXPECT_EQ(cell(2, "verdict"), "baseline");
    }
}

TEST_F(ResultsRoomTest, ShowsRunsAndVerdictOfTheSelectedGroup) {
    openLab({{10000, {1.50, 1.51, 1.52}}, {500, {1.30, std::nan(""), 1.31}}});
    room->pickGroup(0);
    EXPECT_EQ(room->pickedGroup(), 0);
    TextTable& seeds = room->seeds();
    ASSERT_EQ(seeds.rowCount(), 3);
    const int state = seeds.columnCount() - 2;
    EXPECT_EQ(seeds.index(0, 0).data().toString(), "1");
    EXPECT_EQ(seeds.index(0, 1).data().toString(), "1.3000");
    EXPECT_EQ(seeds.index(1, 0).data().toString(), "2");
    EXPECT_EQ(seeds.index(1, 1).data().toString(), "–");
    EXPECT_TRUE(seeds.index(1, state).data().toString().contains("excluded"));
    EXPECT_EQ(seeds.index(0, state + 1).data().toString(), "θ 500");
    EXPECT_EQ(cell(0, "seeds"), "2 of 3 runs; 1 failed or diverged");
    EXPECT_TRUE(room->groupWords().contains("covers only the surviving runs: 1 of 3 runs of the group"))
        << room->groupWords().toStdString();
    EXPECT_TRUE(room->words().contains("1 run that failed or diverged")) << room->words().toStdString();
    EXPECT_TRUE(room->groupWords().startsWith("Better")) << room->groupWords().toStdString();
    room->groupView().selectRow(1);
    EXPECT_EQ(room->pickedGroup(), 1);
    EXPECT_EQ(room->groupWords(), "This group is the baseline of the comparison.");
}

TEST_F(ResultsRoomTest, AppliesBaselineMeasureTestAndTarget) {
    openUsual();
    ResultsPanel& panel = room->choices();
    panel.form().field<QComboBox>("baseline")->setCurrentIndex(1);  // entry 0 is the default
    EXPECT_EQ(cell(0, "verdict"), "baseline");
    EXPECT_EQ(cell(2, "verdict"), "worse");
    EXPECT_EQ(panel.form().field<QComboBox>("baseline")->currentText(), "θ 500, 100 %");
    panel.form().setValue("measure", "tokens_per_second");
    EXPECT_EQ(cell(2, "training speed"), "1000");  // one measurement, since the runs trained as a cohort
    EXPECT_EQ(cell(2, "verdict"), "no test");      // all values are equal
    EXPECT_EQ(room->headline(), "No significance test against θ 500, 100 % is possible yet");
    panel.form().setValue("measure", "best_validation_loss");
    panel.form().setValue("test", "paired");
    EXPECT_EQ(room->results().table.test, TestKind::paired);
    panel.columns()->actionOf("full")->trigger();
    EXPECT_EQ(room->groups().columnOf("steps to 1.52 nats"), -1);
    panel.form().field<QLineEdit>("target")->setText("1.51");
    EXPECT_EQ(cell(0, "steps to 1.51 nats"), "200 ± 0");
    EXPECT_EQ(cell(2, "steps to 1.51 nats"), "200 ± 0 (2 of 3)");
    panel.form().field<QLineEdit>("target")->setText("low");
    EXPECT_TRUE(panel.form().field<QLineEdit>("target")->property("wrong").toBool());
    EXPECT_FALSE(room->results().table.target_loss);
}

TEST_F(ResultsRoomTest, RestoresChoicesOfTheLab) {
    openUsual();
    ResultsPanel& panel = room->choices();
    panel.form().setValue("measure", "bits_per_character");
    panel.form().setValue("test", "paired");
    panel.form().field<QLineEdit>("target")->setText("1.52");
    panel.form().field<QCheckBox>("published")->setChecked(false);
    panel.formats()->setCurrentIndex(2);
    panel.form().field<QComboBox>("baseline")->setCurrentIndex(1);
    room->showPart("improvement");
    room->groupView().sortByColumn(room->groups().columnOf("bits per character"), Qt::DescendingOrder);
    const QString lab = workspace->lab().path();
    EXPECT_EQ(cell(0, "θ"), "2k");

    room.reset();
    workspace = std::make_unique<Workspace>(options());
    room = std::make_unique<ResultsRoom>(*workspace, workspace->runAccess(), workspace->settings());
    workspace->lab().open(lab);
    room->show();
    EXPECT_EQ(room->choices().form().field<QComboBox>("measure")->currentData(), "bits_per_character");
    EXPECT_EQ(room->choices().form().field<QComboBox>("test")->currentData(), "paired");
    EXPECT_EQ(room->choices().form().field<QLineEdit>("target")->text(), "1.52");
    EXPECT_FALSE(room->choices().form().field<QCheckBox>("published")->isChecked());
    EXPECT_EQ(room->choices().format(), ResultsPanel::Format::latex);
    EXPECT_EQ(room->choices().form().field<QComboBox>("baseline")->currentText(), "θ 500, 100 %");
    EXPECT_EQ(room->results().table.baseline, 0u);
    EXPECT_EQ(room->figure().name, "improvement");
    EXPECT_EQ(cell(0, "θ"), "2k");

    // Baseline and order are saved per lab; the test is not.
    openLab({{20000, {1.50, 1.51}}, {700, {1.30, 1.32}}});
    ASSERT_TRUE(waitUntil([&] { return cell(0, "θ") == "700"; }));
    EXPECT_EQ(room->choices().form().field<QComboBox>("baseline")->currentIndex(), 0);
    EXPECT_EQ(room->choices().form().field<QComboBox>("test")->currentData(), "paired");
}

TEST_F(ResultsRoomTest, CopiesAndSavesTheTable) {
    openUsual();
    ResultsPanel& panel = room->choices();
    const ResultsTable& table = room->results().table;
    nlohmann::json json = results_json(table);
    const std::string words = "Runs: 9 of 9 runs count, of experiment 1.";
    json["selection"] = {{"words", words}};
    json["decision_aid"] = decision_json(table);
    json["predictions"] = nlohmann::json::array();
    json["calibration"] = calibration_json({});
    const QList<std::string> expected = {words + '\n' + results_text(table) + decision_text(table), results_csv(table),
                                         "% " + words + '\n' + results_latex(table), json.dump(2) + '\n'};
    for (int i = 0; i < panel.formats()->count(); ++i) {
        panel.formats()->setCurrentIndex(i);
        panel.copyButton()->click();
        EXPECT_EQ(QApplication::clipboard()->text().toStdString(), expected[i]);
    }
    AnsweredDialogs answers;
    answers.path = file("table.tex");
    panel.formats()->setCurrentIndex(2);
    panel.saveButton()->click();
    ASSERT_EQ(answers.questions.size(), 1);
    EXPECT_EQ(answers.questions[0].path, "results.tex");
    QFile saved(file("table.tex"));
    ASSERT_TRUE(saved.open(QIODevice::ReadOnly));
    EXPECT_EQ(saved.readAll().toStdString(), expected[2]);

    QSignalSpy problems(workspace.get(), &Workspace::problem);
    answers.path = file("nowhere/table.tex");
    panel.saveButton()->click();
    EXPECT_EQ(problems.count(), 1);
}

TEST_F(ResultsRoomTest, FollowsTheLabWhileItTrains) {
    workspace->experiment().replace(smallSweep(60));
    room->show();
    EXPECT_TRUE(room->isEmpty());
    workspace->start();
    ASSERT_TRUE(waitForEnd(*workspace));
    ASSERT_TRUE(waitUntil([&] { return room->groups().rowCount() == 2 && cell(1, "seeds") == "1"; }));
    EXPECT_EQ(room->pickedGroup(), 0);
    EXPECT_TRUE(room->words().contains("No test against θ 10k")) << room->words().toStdString();
}

TEST_F(ResultsRoomTest, NothingIsAheadBeforeTheFirstSteps) {
    engine.step_microseconds = 200'000;
    workspace->experiment().replace(smallSweep(100000));
    room->show();
    room->choices().form().field<QCheckBox>("unfinished")->setChecked(true);
    workspace->start();
    ASSERT_TRUE(waitUntil([&] { return !room->isEmpty(); }));
    EXPECT_TRUE(room->headline().startsWith("The runs begin; ")) << room->headline().toStdString();
    workspace->session().stop();
    ASSERT_TRUE(waitForEnd(*workspace));
}

TEST_F(ResultsRoomTest, IncludesUnfinishedRuns) {
    engine.step_microseconds = 2000;
    workspace->experiment().replace(smallSweep(100000));
    room->show();
    workspace->start();
    ASSERT_TRUE(waitUntil([&] { return workspace->runs().find(2) && workspace->runs().find(2)->last; }));
    EXPECT_TRUE(room->isEmpty());
    room->choices().form().field<QCheckBox>("unfinished")->setChecked(true);
    ASSERT_TRUE(waitUntil([&] { return !room->isEmpty(); }));
    EXPECT_NE(cell(0, "best validation loss"), "–");
    EXPECT_EQ(room->groups().columnOf("training time"), -1);  // unknown until a run ends
    EXPECT_TRUE(room->words().contains("Not finished: 2 runs, shown with the losses of step"))
        << room->words().toStdString();
    EXPECT_TRUE(waitUntil([&] {
        return room->headline().startsWith(
            "Not decided until all runs end. Lowest loss so far on text.txt, context 32: θ ");
    })) << room->headline().toStdString();
    workspace->session().stop();
    ASSERT_TRUE(waitForEnd(*workspace));

    // A resumed run still has the summary of its stop; its newer losses replace it.
    const auto steps = [&] { return room->results().table.groups.front().summaries.front().iterations; };
    ASSERT_TRUE(waitUntil([&] { return !room->isEmpty(); }));
    const std::int64_t stopped = steps();
    workspace->resumeRuns(workspace->unfinishedRuns());
    ASSERT_TRUE(waitUntil([&] { return steps() > stopped; }));
    EXPECT_TRUE(workspace->session().isActive());
    workspace->session().stop();
    ASSERT_TRUE(waitForEnd(*workspace));
}

TEST_F(ResultsRoomTest, ComputesNothingWhileHidden) {
    openUsual();
    room->hide();
    const auto before = room->results().runs;
    workspace->newLab();
    QTest::qWait(300);
    EXPECT_EQ(room->results().runs, before);
    room->show();
    EXPECT_TRUE(room->isEmpty());
}

// The terminal and the window include the same runs: what one chooses, the other shows.
TEST_F(ResultsRoomTest, UsesTheSelectionThatTheLabStores) {
    openUsual();
    ASSERT_EQ(room->results().runs.size(), 9U);
    EXPECT_TRUE(room->words().startsWith("Runs: 9 of 9 runs count, of experiment 1.")) << room->words().toStdString();
    const QString path = workspace->lab().path();
    room->choices().setExcluded(room->results().runs.front(), true);
    EXPECT_TRUE(room->words().contains("Runs: 8 of 9 runs count")) << room->words().toStdString();
    EXPECT_TRUE(room->words().contains("1 excluded by the user"));
    EXPECT_EQ(cell(2, "seeds"), "2");
    room->choices().form().field<QCheckBox>("unfinished")->setChecked(true);
    const RunSelection stored = run_selection(workspace->lab().choice(selection_choice));
    EXPECT_EQ(stored.excluded, std::set<RunId>{room->results().runs.front()});
    EXPECT_TRUE(stored.unfinished);

    workspace->lab().startEmptyLab();
    {
        const auto lab = LabFile::open(path.toStdString());
        const std::int64_t second = lab->add_experiment("second", Experiment("second").to_json().dump());
        const RunId run = lab->add_run(second, "one", nlohmann::json{{"theta", 700}, {"seed", 1}}.dump());
        RunSummary summary;
        summary.best_validation_loss = 1.2;
        lab->record(std::vector<Event>{event::RunEnded{run, RunState::finished, "", summary}});
        RunSelection selection;
        selection.experiment = RunSelection::all_experiments;
        lab->set_choice(selection_choice, to_text(selection));
    }
    workspace->lab().open(path);
    ASSERT_TRUE(waitUntil([&] { return room->results().runs.size() == 10; }));
    EXPECT_TRUE(room->words().contains("Runs: 10 of 10 runs count, of all 2 experiments."))
        << room->words().toStdString();
    EXPECT_FALSE(room->choices().form().field<QCheckBox>("unfinished")->isChecked());
}

TEST_F(ResultsRoomTest, WarnsOfPooledPrecisionAndSplitsByIt) {
    openUsual();
    const QString path = workspace->lab().path();
    const std::vector<RunId> runs = room->results().runs;
    workspace->lab().startEmptyLab();
    {
        const auto lab = LabFile::open(path.toStdString());
        for (const RunId run : runs) {
            const RunSummary summary = *lab->run(run).summary;
            const RunConditions conditions = {run % 3 == 0 ? "bfloat16" : "float32", "cpu", 2, ""};
            lab->record(std::vector<Event>{event::CohortStarted{{run}, 200, 200, conditions},
                                           event::RunEnded{run, RunState::finished, "", summary}});
        }
    }
    workspace->lab().open(path);
    ASSERT_TRUE(waitUntil([&] { return room->words().contains("Warning: the runs trained in different precision"); }));
    room->choices().form().field<QComboBox>("split")->setCurrentIndex(1);
    EXPECT_EQ(room->groups().rowCount(), 6);
    EXPECT_FALSE(room->words().contains("Warning")) << room->words().toStdString();
}

TEST_F(ResultsRoomTest, EveryControlHasAnAccessibleName) {
    openUsual();
    for (QWidget* widget : room->choices().findChildren<QComboBox*>()) {
        EXPECT_FALSE(widget->accessibleName().isEmpty());
        EXPECT_FALSE(widget->toolTip().isEmpty());
    }
    for (const auto* view : room->findChildren<QTableView*>()) EXPECT_FALSE(view->accessibleName().isEmpty());
}

}  // namespace
}  // namespace ropelab::ui
