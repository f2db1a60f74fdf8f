#include "ui/rooms/train/sweep_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>

#include "tests/core/data/scratch.h"
#include "tests/ui/support/answered_dialogs.h"
#include "tests/ui/support/workbench.h"
#include "ui/rooms/train/chip_list_edit.h"
#include "ui/rooms/train/sweep_fields.h"
#include "ui/shell/notices/data_offer.h"

namespace ropelab::ui {
namespace {

class SweepPanelTest : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        workspace = std::make_unique<Workspace>(options());
        panel = std::make_unique<SweepPanel>(*workspace, workspace->runAccess(), workspace->experiment());
        panel->resize(312, 700);
        panel->show();
    }
    ChipListEdit& chips(const char* name) const {
        for (auto* edit : panel->findChildren<ChipListEdit*>()) {
            if (edit->accessibleName() == QString::fromUtf8(name)) return *edit;
        }
        throw std::runtime_error("no such chips");
    }
    KeyField& field(std::string_view name) const {
        for (auto* candidate : panel->findChildren<KeyField*>()) {
            if (candidate->key().name == name) return *candidate;
        }
        throw std::runtime_error("no such field");
    }
    const Experiment& experiment() const { return workspace->experiment().value(); }

    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<SweepPanel> panel;
};

TEST_F(SweepPanelTest, ShowsTheDefaultSweepAndItsCost) {
    EXPECT_EQ(chips("runs").values().size(), 6);
    EXPECT_TRUE(chips("θ").values().isEmpty());
    EXPECT_TRUE(panel->estimateText().startsWith("30 runs in about ")) << panel->estimateText().toStdString();
}

TEST_F(SweepPanelTest, MoreSettingsAreScrolledIntoView) {
    KeyField& first = field("width");  // one of the settings behind "More settings"
    EXPECT_FALSE(first.isVisible());
    panel->setMoreShown(true);
    ASSERT_TRUE(waitUntil([&] { return !first.visibleRegion().isEmpty(); }));
    panel->setMoreShown(false);
    ASSERT_TRUE(waitUntil([&] { return !chips("seeds").visibleRegion().isEmpty(); }));
}

TEST_F(SweepPanelTest, AutomaticValuesAreShownAsAuto) {
    EXPECT_EQ(field("key_value_heads").text(), "auto");
    EXPECT_EQ(field("mlp_width").text(), "auto");
    field("mlp_width").commit("96");
    EXPECT_EQ(field("mlp_width").text(), "96");
    field("mlp_width").commit("auto");
    EXPECT_EQ(field("mlp_width").text(), "auto");
    EXPECT_EQ(experiment().values("mlp_width"), std::vector<std::string>{"0"});
    field("mlp_width").commit("wide");
    EXPECT_TRUE(field("mlp_width").error().startsWith("Mlp width: ")) << field("mlp_width").error().toStdString();
    EXPECT_FALSE(chips("fraction").commit(0, "x"));
    EXPECT_EQ(chips("fraction").error(), "Fraction: \"x\" is not a fraction; enter 25 %, 0.25 or 6 ch.");
}

TEST_F(SweepPanelTest, RemovingARunCanBeUndone) {
    chips("runs").remove(1);
    EXPECT_EQ(experiment().expand().size(), 25u) << "five settings with five seeds";
    EXPECT_TRUE(panel->estimateText().startsWith("25 runs"));
    workspace->undo().undo();
    EXPECT_EQ(chips("runs").values().size(), 6);
}

TEST_F(SweepPanelTest, AddingAValueToListedRunsAddsARun) {
    ASSERT_TRUE(chips("θ").commit(0, "777"));
    EXPECT_EQ(experiment().explicit_runs().size(), 7u) << "the listed runs stay";
    EXPECT_EQ(experiment().expand().back().theta, 777);
    EXPECT_TRUE(panel->estimateText().startsWith("35 runs")) << panel->estimateText().toStdString();
    ASSERT_TRUE(chips("θ").commit(0, "777"));
    EXPECT_EQ(experiment().explicit_runs().size(), 7u);
    EXPECT_TRUE(chips("θ").error().contains("already in the list")) << chips("θ").error().toStdString();
    workspace->undo().undo();
    EXPECT_EQ(experiment().expand().size(), 30u);
}

TEST_F(SweepPanelTest, AddingAValueOfASettingThatNoListedRunSetsRepeatsThem) {
    Experiment listed = smallSweep();
    listed.set("theta", {"10000"});
    listed.set_explicit_runs({{{"layers", "1"}}, {{"layers", "2"}}, {{"layers", "3"}}});
    workspace->experiment().replace(listed);
    ASSERT_TRUE(chips("θ").commit(1, "500"));
    EXPECT_EQ(experiment().expand().size(), 6u);
    EXPECT_EQ(chips("runs").values().size(), 3);
}

TEST_F(SweepPanelTest, AGridHasOneRunPerCombination) {
    workspace->experiment().replace(smallSweep());
    ASSERT_TRUE(chips("fraction").commit(1, "25 %"));
    EXPECT_EQ(experiment().expand().size(), 4u);
    EXPECT_TRUE(chips("runs").values().isEmpty());
    ASSERT_TRUE(chips("seeds").commit(1, "1338"));
    EXPECT_TRUE(panel->estimateText().startsWith("8 runs"));
}

TEST_F(SweepPanelTest, TheEstimateSaysWhatAConsideredChangeWillDo) {
    workspace->experiment().replace(smallSweep());
    const QString before = panel->estimateText();
    chips("seeds").openSuggestions();
    auto* menu = chips("seeds").findChild<QMenu*>();
    ASSERT_NE(menu, nullptr);
    menu->actions().front()->hover();
    EXPECT_TRUE(panel->estimateText().startsWith(QStringLiteral("2\u00A0runs → 4\u00A0runs in about ")))
        << panel->estimateText().toStdString();
    EXPECT_EQ(experiment().expand().size(), 2u) << "nothing has changed yet";
    menu->close();
    EXPECT_EQ(panel->estimateText(), before);

    // Typed values, and the entries of the list of presets.
    chips("θ").beginEdit(2);
    auto* typed = chips("θ").findChild<QLineEdit*>();
    QTest::keyClicks(typed, "2k");
    EXPECT_TRUE(panel->estimateText().startsWith(QStringLiteral("2\u00A0runs → 3\u00A0runs")));
    QTest::keyClick(typed, Qt::Key_Escape);
    EXPECT_EQ(panel->estimateText(), before);
    auto* preset = panel->findChild<QComboBox*>();
    emit preset->highlighted(0);
    EXPECT_TRUE(panel->estimateText().startsWith(QStringLiteral("2\u00A0runs → 30\u00A0runs")));
    emit preset->highlighted(preset->count() - 1);
    EXPECT_EQ(panel->estimateText(), before);
    auto* iterations = field("iterations").findChild<QLineEdit*>();
    iterations->clear();
    QTest::keyClicks(iterations, "100, 200, 300");
    EXPECT_TRUE(panel->estimateText().startsWith(QStringLiteral("2\u00A0runs → 6\u00A0runs")));
}

TEST_F(SweepPanelTest, NothingMovesWhenTextsComeAndGo) {
    panel->resize(312, 900);  // no scroll bar comes and goes
    const auto places = [this] {
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QTest::qWait(1);
        QList<QPoint> result;
        for (const char* name : {"iterations", "batch", "learning_rate"}) {
            result << field(name).mapTo(panel.get(), QPoint());
        }
        for (auto* button : panel->findChildren<QPushButton*>()) {
            if (button->isVisible() && button->objectName() != "chip") result << button->mapTo(panel.get(), QPoint());
        }
        return result;
    };
    const QList<QPoint> before = places();
    field("iterations").commit("many");
    EXPECT_FALSE(field("iterations").error().isEmpty());
    EXPECT_EQ(places(), before) << "an error covers what is below it";
    field("iterations").commit("700");
    EXPECT_EQ(places(), before) << "a changed sweep has no summary of a preset";
    field("heads").commit("3");
    EXPECT_TRUE(panel->estimateText().contains("heads"));
    EXPECT_EQ(places(), before) << "the reason replaces the estimate";
    workspace->undo().undo();
    workspace->experiment().edit("seeds", [](Experiment& experiment) { experiment.set("seed", {"1", "2"}); });
    const auto* start = panel->findChild<QPushButton*>("start");
    const QPoint startBefore = start->mapTo(panel.get(), QPoint());
    places();
    EXPECT_EQ(start->mapTo(panel.get(), QPoint()), startBefore);
}

TEST_F(SweepPanelTest, AnOpenedSweepIsNotCalledChanged) {
    workspace->experiment().replace(smallSweep());
    auto* choice = panel->findChild<QComboBox*>();
    EXPECT_EQ(choice->currentText(), "small");
    field("iterations").commit("123");
    EXPECT_EQ(choice->currentText(), "small, changed");
    workspace->undo().undo();
    EXPECT_EQ(choice->currentText(), "small");
}

TEST_F(SweepPanelTest, ASweepOfTheLabThatDiffersFromItsPresetIsCalledTheLabs) {
    Experiment sweep = preset("lecture-minute").experiment;
    sweep.set("probe_every", {"25"});
    workspace->experiment().replace(sweep);
    auto* choice = panel->findChild<QComboBox*>();
    EXPECT_EQ(choice->currentText(), "lecture-minute of this lab");
    field("iterations").commit("123");
    EXPECT_EQ(choice->currentText(), "lecture-minute, changed");
}

TEST_F(SweepPanelTest, OffersToDownloadAMissingDataSet) {
    const ScratchFolder cache;
    const Environment cacheFolder("XDG_CACHE_HOME", cache.path().c_str());
    const Environment data("ROPELAB_DATA", nullptr);
    EXPECT_EQ(panel->dataOffer().text(), "");
    workspace->experiment().edit("data", [](Experiment& changed) { changed.set("data", {"enwik8"}); });
    EXPECT_EQ(panel->dataOffer().text(), "Not on this machine yet: enwik8.");
    workspace->undo().undo();
    EXPECT_EQ(panel->dataOffer().text(), "");
}

TEST_F(SweepPanelTest, EachSeedRepeatsTheExplicitRuns) {
    ASSERT_TRUE(chips("seeds").commit(5, "1342"));
    EXPECT_EQ(experiment().expand().size(), 36u);
    EXPECT_EQ(chips("runs").values().size(), 6);
}

TEST_F(SweepPanelTest, EverySettingHasAFieldWithATooltip) {
    const QStringList shownAsChips = {"theta", "fraction", "seed", "data"};
    for (const Key& key : keys()) {
        if (shownAsChips.contains(QString::fromUtf8(key.name.data(), static_cast<qsizetype>(key.name.size()))))
            continue;
        EXPECT_NO_THROW(field(key.name)) << key.name;
        EXPECT_FALSE(field(key.name).toolTip().isEmpty()) << key.name;
    }
}

TEST_F(SweepPanelTest, FieldsAcceptSeveralValuesAndRejectInvalidOnes) {
    field("learning_rate").commit("1e-3, 3e-4");
    EXPECT_EQ(experiment().values("learning_rate").size(), 2u);
    field("iterations").commit("many");
    EXPECT_TRUE(field("iterations").error().contains("many"));
    field("iterations").commit("2k");
    EXPECT_EQ(field("iterations").error(), "");
    EXPECT_EQ(experiment().expand().front().iterations, 2000);
    field("partial").commit("truncate");
    EXPECT_EQ(experiment().expand().front().partial, Partial::truncate);
}

TEST_F(SweepPanelTest, PositionEncodingsAreSelectedByName) {
    auto* choice = field("position").findChild<QComboBox*>();
    ASSERT_NE(choice, nullptr);
    const int alibi = choice->findText("ALiBi");
    ASSERT_GE(alibi, 0);
    EXPECT_TRUE(choice->itemData(alibi, Qt::ToolTipRole).toString().contains("formula 25"));
    for (int i = 0; i < choice->count(); ++i) {
        EXPECT_FALSE(choice->itemData(i, Qt::ToolTipRole).toString().isEmpty()) << choice->itemText(i).toStdString();
    }
    choice->setCurrentIndex(alibi);
    emit choice->activated(alibi);
    EXPECT_EQ(experiment().expand().front().position, Position::alibi);
    EXPECT_EQ(field("position").text(), "ALiBi");
    field("position").commit("sinusoidal");
    EXPECT_EQ(field("position").text(), "sinusoidal");
    field("attention_window").commit("32");
    EXPECT_EQ(experiment().expand().front().attention_window, 32);
}

TEST_F(SweepPanelTest, AnInvalidExperimentShowsWhyAndCannotStart) {
    field("heads").commit("3");
    EXPECT_TRUE(panel->estimateText().contains("heads")) << panel->estimateText().toStdString();
    workspace->start();
    EXPECT_FALSE(workspace->session().isActive());
    workspace->undo().undo();
    EXPECT_TRUE(panel->estimateText().startsWith("30 runs"));
}

TEST_F(SweepPanelTest, SettingsCanBeZippedAndRunsExcluded) {
    Experiment grid = smallSweep();
    grid.set("theta", {"500", "10000"});
    workspace->experiment().replace(grid);
    field("context").commit("32, 64");
    EXPECT_EQ(experiment().expand().size(), 4u);
    ASSERT_TRUE(chips("zipped").commit(0, "theta,context"));
    EXPECT_EQ(chips("zipped").values(), QStringList{"theta, context"});
    EXPECT_EQ(experiment().expand().size(), 2u);
    EXPECT_FALSE(chips("excluded").commit(0, "thta=500"));
    EXPECT_TRUE(chips("excluded").error().contains("theta"));
    ASSERT_TRUE(chips("excluded").commit(0, "theta=500"));
    EXPECT_TRUE(panel->estimateText().startsWith("1 run in ")) << panel->estimateText().toStdString();

    QString problem;
    QObject::connect(workspace.get(), &Workspace::problem, panel.get(),
                     [&](const QString&, const QString& sentence) { problem = sentence; });
    ASSERT_TRUE(chips("zipped").commit(1, "theta,seed"));
    EXPECT_TRUE(problem.contains("occurs twice in zip")) << problem.toStdString();
    EXPECT_EQ(chips("zipped").values().size(), 1);
    chips("zipped").remove(0);
    EXPECT_TRUE(experiment().zips().empty());
}

TEST_F(SweepPanelTest, StartAddsToTheQueueDuringTraining) {
    workspace->experiment().replace(smallSweep(100));
    engine.step_microseconds = 100000;
    auto* start = panel->findChild<QPushButton*>("start");
    start->click();
    ASSERT_TRUE(workspace->session().isActive());
    EXPECT_EQ(start->text(), "Add to the queue");
    EXPECT_TRUE(panel->estimateText().startsWith("If added to the queue: ")) << panel->estimateText().toStdString();
    start->click();
    EXPECT_EQ(workspace->runs().runs().size(), 2u) << "the second click of an impatient hand";
    ASSERT_TRUE(waitUntil([&] { return start->isEnabled(); }));
    start->click();
    EXPECT_EQ(workspace->runs().runs().size(), 4u);
    engine.step_microseconds = 20;
    ASSERT_TRUE(waitForEnd(*workspace));
    EXPECT_EQ(start->text(), "Start");
    for (const RunView& run : workspace->runs().runs()) EXPECT_EQ(run.record.state, RunState::finished);
    workspace->experiment().replace(smallSweep(100000));
    start->click();
    workspace->session().stop();
    ASSERT_TRUE(waitForEnd(*workspace));
    EXPECT_EQ(start->text(), "Start new runs") << "another button resumes the stopped ones";
}

TEST_F(SweepPanelTest, SelectsPresetsAndDataFiles) {
    auto* choice = panel->findChild<QComboBox*>();
    ASSERT_EQ(choice->accessibleName(), "Preset");
    choice->setCurrentIndex(1);
    emit choice->activated(1);
    EXPECT_EQ(experiment(), presets()[1].experiment);
    workspace->experiment().replace(Experiment::from_json(presets()[1].experiment.to_json()));
    EXPECT_EQ(choice->currentText(), "theta-minute") << "the spelling of a lab file is recognised too";
    EXPECT_EQ(chips("θ").values().size(), 6);

    auto* text = panel->findChild<DataChoice*>();
    AnsweredDialogs answers;
    answers.path = textFile();
    emit text->activated(text->count() - 1);
    EXPECT_EQ(experiment().values("data").front(), textFile().toStdString());
    EXPECT_EQ(text->currentText(), "text.txt");
    const QString texts = QFileInfo(textFile()).path();
    answers.path = texts;
    emit text->activated(text->count() - 2);
    EXPECT_EQ(experiment().values("data").front(), texts.toStdString());
    EXPECT_TRUE(choice->currentText().endsWith("changed"));
}

TEST_F(SweepPanelTest, SearchIsFoldedUntilItIsUsed) {
    SearchGroup& search = panel->search();
    EXPECT_FALSE(search.form().field<QComboBox>("method")->isVisible());
    workspace->experiment().editOptions("search", [](Experiment&, SweepOptions& options) {
        options.search = Search{Search::Method::sobol, {{"theta", 100, 1000, true}}, 4, 1, 0};
    });
    EXPECT_TRUE(search.form().field<QComboBox>("method")->isVisible());
    EXPECT_EQ(search.form().field<QComboBox>("method")->currentText(), "Sobol samples");
    EXPECT_EQ(search.ranges()->values(), QStringList("theta=100..1000 log"));
    EXPECT_EQ(search.form().field<QSpinBox>("samples")->value(), 4);
    EXPECT_FALSE(chips("θ").isEnabled()) << "the search samples it";
    EXPECT_FALSE(search.form().field<QSpinBox>("rung")->isEnabled());
}

TEST_F(SweepPanelTest, SearchSamplesRangesAsUndoableSteps) {
    SearchGroup& search = panel->search();
    search.setShown(true);
    const auto choose = [&](Search::Method method) { search.form().setValue("method", static_cast<int>(method)); };
    choose(Search::Method::random);
    EXPECT_TRUE(panel->estimateText().contains("needs a range")) << panel->estimateText().toStdString();
    EXPECT_FALSE(search.ranges()->commit(0, "data=a..b"));
    EXPECT_TRUE(search.ranges()->commit(0, "learning_rate = 5e-4..1e-2 log"));
    EXPECT_TRUE(panel->estimateText().startsWith("80 runs")) << panel->estimateText().toStdString();
    EXPECT_TRUE(chips("runs").values().isEmpty()) << "the samples are the list of runs";
    EXPECT_EQ(field("learning_rate").text(), "sampled");
    search.form().field<QSpinBox>("samples")->setValue(5);
    EXPECT_TRUE(panel->estimateText().startsWith("25 runs")) << panel->estimateText().toStdString();
    search.ranges()->commit(1, "learning_rate=1..2");
    EXPECT_TRUE(search.ranges()->error().contains("two ranges")) << search.ranges()->error().toStdString();
    EXPECT_EQ(experiment().explicit_runs().size(), 0U) << "the experiment itself has no samples";
    choose(Search::Method::halving);
    EXPECT_TRUE(search.form().field<QSpinBox>("rung")->isEnabled());
    search.form().field<QSpinBox>("rung")->setValue(7);
    EXPECT_TRUE(panel->estimateText().contains("multiple of evaluate_every")) << panel->estimateText().toStdString();
    while (workspace->undo().canUndo()) workspace->undo().undo();
    EXPECT_EQ(chips("runs").values().size(), 6);
    EXPECT_EQ(search.form().field<QComboBox>("method")->currentText(), "all combinations");
    EXPECT_NE(field("learning_rate").text(), "sampled");
}

TEST_F(SweepPanelTest, OnlyMissingRunsAreEstimatedAndAdded) {
    workspace->experiment().replace(smallSweep());
    const std::size_t before = workspace->lab().addSweep(experiment()).runs.size();
    panel->search().setShown(true);
    EXPECT_FALSE(panel->search().form().field<QCheckBox>("anew")->isEnabled());
    panel->search().form().field<QCheckBox>("extends")->click();
    EXPECT_TRUE(panel->search().form().field<QCheckBox>("anew")->isEnabled());
    EXPECT_TRUE(panel->estimateText().contains("has all runs of this sweep")) << panel->estimateText().toStdString();
    EXPECT_TRUE(chips("seeds").commit(1, "1338"));
    EXPECT_TRUE(panel->estimateText().startsWith("Start new runs: " + QString::number(before) + " runs"))
        << panel->estimateText().toStdString();
    engine.step_microseconds = 0;
    workspace->start();
    ASSERT_TRUE(waitForEnd(*workspace));
    EXPECT_EQ(workspace->runs().runs().size(), 2 * before);
}

TEST_F(SweepPanelTest, TrainsUntilDecidedWithThePowerBefore) {
    workspace->experiment().replace(smallSweep());
    const auto choose = [&](int index) {
        panel->stopping()->setCurrentIndex(index);
        emit panel->stopping()->activated(index);
        ASSERT_TRUE(waitUntil([&] { return !panel->isBusy(); }));
    };
    EXPECT_EQ(panel->stopping()->currentText(), "as listed");
    EXPECT_FALSE(panel->largestSeeds()->isEnabled());
    EXPECT_EQ(panel->largestSeeds()->text(), "the listed seeds");
    choose(1);
    EXPECT_EQ(panel->largestSeeds()->text(), "42 seeds");
    EXPECT_TRUE(panel->largestSeeds()->isEnabled());
    EXPECT_TRUE(panel->estimateText().startsWith("First look: 6 runs")) << panel->estimateText().toStdString();
    EXPECT_TRUE(panel->estimateText().endsWith("at most 42 seeds per setting"));
    EXPECT_TRUE(panel->powerText().startsWith("Differences of 0.5, 1, 2, 3 times their spread"))
        << panel->powerText().toStdString();
    panel->largestSeeds()->setValue(10);
    EXPECT_EQ(workspace->experiment().options().stopping->cap, 10);
    choose(2);
    EXPECT_EQ(workspace->experiment().options().stopping->looks, (std::vector<std::int64_t>{4, 6, 7, 9, 10}));
    EXPECT_TRUE(panel->estimateText().startsWith("First look: 8 runs")) << panel->estimateText().toStdString();
    panel->largestSeeds()->setValue(3);
    EXPECT_EQ(panel->largestSeeds()->text(), "3 seeds");
    while (workspace->undo().canUndo()) workspace->undo().undo();
    EXPECT_EQ(panel->stopping()->currentText(), "as listed");
    EXPECT_EQ(panel->largestSeeds()->text(), "the listed seeds");
    EXPECT_TRUE(chips("seeds").commit(1, "1338"));
    ASSERT_TRUE(waitUntil([&] { return !panel->isBusy(); }));
    EXPECT_TRUE(panel->powerText().startsWith("With 2 seeds, differences below ")) << panel->powerText().toStdString();
    panel->search().form().field<QCheckBox>("extends")->click();
    EXPECT_FALSE(panel->stopping()->isEnabled()) << "the rule decides the seeds of a new sweep";
}

}  // namespace
}  // namespace ropelab::ui
