#include "ui/session/run_store.h"

#include <QSignalSpy>

#include "core/base/error.h"
#include "core/experiment/setting_names.h"
#include "core/settings/run_names.h"
#include "core/sweep/stored_run.h"
#include "tests/ui/support/workbench.h"
#include "ui/session/lab_document.h"

namespace ropelab::ui {
namespace {

class RunStoreTest : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        lab = LabFile::create(file("lab.ropelab").toStdString());
        const std::int64_t experiment = lab->add_experiment("e", Experiment("e").to_json().dump());
        run = lab->add_run(experiment, "one", R"({"theta": 500})");
        const std::vector<Event> events = {event::Step{run, 10, 2.2, 0.5, 1e-3}, event::Evaluated{run, 10, 2.0, 2.1},
                                           event::Evaluated{run, 20, 1.5, 1.6}};
        lab->record(events);
    }
    std::vector<std::int64_t> iterations() const { return store.find(run)->evaluations.iteration; }

    std::unique_ptr<LabFile> lab;
    RunId run = 0;
    RunStore store;
};

TEST_F(RunStoreTest, ReloadedRunsHaveTheirNewNamesAndNotes) {
    store.reload(lab.get(), false);
    lab->rename_run(run, "renamed");
    lab->annotate_run(run, "learns late");
    store.reload(lab.get(), true);
    EXPECT_EQ(store.find(run)->record.name, "renamed");
    EXPECT_EQ(store.find(run)->record.note, "learns late");
}

TEST_F(RunStoreTest, KnownRunsStayIfTheLabCannotBeReadAgain) {
    store.reload(lab.get(), false);
    lab->add_run(lab->run(run).experiment, "damaged", "{");
    EXPECT_THROW(store.reload(lab.get(), true), BadInput);
    ASSERT_EQ(store.runs().size(), 1U);
    EXPECT_EQ(iterations(), (std::vector<std::int64_t>{10, 20}));
    EXPECT_EQ(store.find(run)->spec.theta, 500);
    EXPECT_THROW(store.reload(lab.get(), false), BadInput);
    EXPECT_TRUE(store.runs().empty()) << "the runs of another lab do not stay";
}

TEST_F(RunStoreTest, AddedRunsAreThoseOfALabThatIsReadAgain) {
    store.reload(lab.get(), false);
    const std::int64_t experiment = lab->add_experiment("next", Experiment("next").to_json().dump());
    std::vector<RunId> added;
    for (const char* settings : {R"({"theta":700})", R"({"theta":500})", R"({"theta":700,"seed":8})"})
        added.push_back(lab->add_run(experiment, settings, settings));
    store.renewRuns(*lab, added);
    RunStore read;
    read.reload(lab.get(), false);
    ASSERT_EQ(store.runs().size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
        const RunView& run = store.runs()[i];
        const RunView& same = read.runs()[i];
        EXPECT_EQ(run.name, same.name);
        EXPECT_EQ(run.setting, same.setting);
        EXPECT_EQ(run.place, same.place);
        EXPECT_EQ(run.ink, same.ink);
        EXPECT_EQ(to_json(run.spec), to_json(same.spec));
        EXPECT_EQ(run.visible, i == 0 || same.visible) << "a known run stays as it is";
    }
    EXPECT_EQ(store.runs()[2].place, 0U) << "the setting of the first run";
    lab->add_run(experiment, "damaged", "{");
    EXPECT_THROW(store.renewRuns(*lab, {run, added.back() + 1}), BadInput);
    EXPECT_EQ(store.runs().size(), 4U);
}

TEST_F(RunStoreTest, ChangedRunsAreThoseOfALabThatIsReadAgain) {
    const std::int64_t experiment = lab->run(run).experiment;
    const RunId second = lab->add_run(experiment, "two", R"({"theta":700})");
    const RunId third = lab->add_run(experiment, "three", R"({"theta":500,"seed":8})");
    store.reload(lab.get(), false);
    const auto expectAsReadAgain = [&](const char* after) {
        RunStore read;
        read.reload(lab.get(), false);
        ASSERT_EQ(store.runs().size(), read.runs().size()) << after;
        for (std::size_t i = 0; i < read.runs().size(); ++i) {
            const RunView& run = store.runs()[i];
            const RunView& same = read.runs()[i];
            EXPECT_EQ(run.record.id, same.record.id) << after;
            EXPECT_EQ(run.record.name, same.record.name) << after;
            EXPECT_EQ(run.record.note, same.record.note) << after;
            EXPECT_EQ(run.name, same.name) << after;
            EXPECT_EQ(run.setting, same.setting) << after;
            EXPECT_EQ(run.settingName, same.settingName) << after;
            EXPECT_EQ(run.pinned, same.pinned) << after;
            EXPECT_EQ(run.visible, same.visible) << after;
            EXPECT_EQ(run.evaluations.iteration, same.evaluations.iteration) << after;
        }
    };
    QSignalSpy reloaded(&store, &RunStore::reloaded);
    const std::vector<Event> later = {event::Evaluated{run, 30, 1.2, 1.3}};
    store.apply({later.front()});
    lab->rename_run(run, "renamed");
    lab->annotate_run(run, "learns late");
    store.renewRuns(*lab, {run});
    EXPECT_EQ(iterations(), (std::vector<std::int64_t>{10, 20, 30})) << "events may be newer than the file";
    lab->record(later);
    expectAsReadAgain("a new name and note");
    lab->delete_run(second);
    store.renewRuns(*lab, {}, {second});
    expectAsReadAgain("a deletion");
    EXPECT_EQ(store.find(second), nullptr);
    lab->delete_run(run);
    store.renewRuns(*lab, {}, {run});
    lab->restore_run(run);
    lab->restore_run(second);
    store.renewRuns(*lab, {second, run});
    expectAsReadAgain("two that come back, in their places");
    EXPECT_EQ(store.find(run)->place, store.find(third)->place);
    EXPECT_NE(store.find(run)->place, store.find(second)->place);
    const Ink ink = store.find(second)->ink;
    SettingLook look = store.colors().lookOf(store.find(run)->setting);
    look.color = 5;
    look.pinned = true;
    look.name = "the usual";
    lab->set_setting_looks(std::span(&look, 1));
    store.setLook(look);
    expectAsReadAgain("a look");
    EXPECT_EQ(store.find(third)->ink.index, 5);
    EXPECT_EQ(store.find(second)->ink, ink);
    EXPECT_EQ(reloaded.size(), 5);
}

TEST_F(RunStoreTest, NamesOfSettingsAreThoseOfTheShownRuns) {
    lab->add_run(lab->run(run).experiment, "two", R"({"theta":700,"seed":9})");
    store.reload(lab.get(), false);
    const auto names = [&](std::vector<std::size_t> places) {
        std::vector<const RunView*> runs;
        std::vector<RunSpec> specs;
        for (const std::size_t place : places) {
            runs.push_back(&store.runs()[place]);
            specs.push_back(runs.back()->spec);
            specs.back().seed = RunSpec{}.seed;
        }
        EXPECT_EQ(store.settingNames(runs), run_names(specs));
        return &store.settingNames(runs);
    };
    EXPECT_EQ(names({0, 1}), names({0, 1})) << "computed once";
    names({1});
    const RunId third = lab->add_run(lab->run(run).experiment, "three", R"({"theta":700,"layers":3})");
    store.renewRuns(*lab, {third});
    names({1, 2});
    names({0, 1, 2});
    names({0, 2});
    names({0, 1});
    lab->delete_run(run);
    store.reload(lab.get(), true);
    names({0, 1});  // the places are those of other settings now
}

TEST_F(RunStoreTest, VisibilityOfManyRunsChangesWithOneSignal) {
    lab->add_run(lab->run(run).experiment, "two", R"({"theta":700})");
    store.reload(lab.get(), false);
    QSignalSpy visibility(&store, &RunStore::visibilityChanged);
    store.setVisible([](const RunView&) { return false; });
    store.setVisible([](const RunView&) { return false; });
    ASSERT_EQ(visibility.size(), 1);
    EXPECT_EQ(visibility[0][0].value<std::vector<RunId>>(), (std::vector<RunId>{run, run + 1}));
}

TEST_F(RunStoreTest, RunsThatDifferInTheirSeedHaveTheirOwnSeedAndOneSetting) {
    for (const char* settings : {R"({"seed":3,"theta":500})", R"({"seed":40,"theta":500})", R"({"seed":5,"theta":600})",
                                 R"({"theta":500,"seed":6})", R"({"seed": 7,"theta":500})",
                                 R"({"data":"a \"seed\":8,","theta":500})", R"({"data_seed":9,"theta":500})"}) {
        lab->add_run(lab->run(run).experiment, settings, settings);
    }
    store.reload(lab.get(), false);
    for (const RunView& each : store.runs()) {
        EXPECT_EQ(each.setting, setting_key(each.record)) << each.record.settings;
        EXPECT_EQ(to_json(each.spec), to_json(stored_spec(each.record))) << each.record.settings;
        nlohmann::json changed = changed_settings(each.record);
        changed["seed"] = each.spec.seed;
        EXPECT_EQ(settingsOf(*each.changed, each.spec.seed), changed) << each.record.settings;
    }
    EXPECT_EQ(store.runs()[1].setting, store.runs()[2].setting);
    EXPECT_EQ(store.runs()[1].changed, store.runs()[2].changed) << "parsed once";
    EXPECT_NE(store.runs()[1].setting, store.runs()[3].setting);
}

TEST_F(RunStoreTest, AnEarlierEvaluationRemovesTheLaterOnesWithTheirTimes) {
    store.reload(lab.get(), false);
    store.apply({Event(event::Evaluated{run, 10, 1.9, 1.8})});
    const RunMetrics::Evaluations& evaluations = store.find(run)->evaluations;
    EXPECT_EQ(evaluations.iteration, std::vector<std::int64_t>{10});
    EXPECT_EQ(evaluations.training_loss.size(), 1u);
    EXPECT_EQ(evaluations.validation_loss.size(), 1u);
    EXPECT_EQ(evaluations.time.size(), 1u);
}

TEST_F(RunStoreTest, FindsRunsBesideDeletedOnes) {
    const std::string settings = to_json(RunSpec{}).dump();
    std::vector<RunId> ids;
    for (int i = 0; i < 5; ++i) ids.push_back(lab->add_run(lab->run(run).experiment, std::to_string(i), settings));
    lab->delete_run(ids[0]);
    lab->delete_run(ids[3]);
    store.reload(lab.get(), false);
    for (const int kept : {1, 2, 4}) {
        ASSERT_NE(store.find(ids[static_cast<std::size_t>(kept)]), nullptr);
        EXPECT_EQ(store.find(ids[static_cast<std::size_t>(kept)])->record.name, std::to_string(kept));
    }
    for (const RunId missing : {RunId{0}, ids[0], ids[3], ids[4] + 1}) EXPECT_EQ(store.find(missing), nullptr);
    EXPECT_EQ(iterations(), (std::vector<std::int64_t>{10, 20}));
}

TEST_F(RunStoreTest, StateNamesTheRungOfSuccessiveHalving) {
    store.reload(lab.get(), false);
    const auto stopped = [this](const std::string& message) {
        RunSummary summary;
        summary.iterations = 20;
        store.apply({Event(event::RunEnded{run, RunState::stopped, message, summary})});
        return stateText(*store.find(run)).toStdString();
    };
    EXPECT_EQ(stopped("").substr(0, 10), "stopped at");
    EXPECT_EQ(stopped("").find("rung"), std::string::npos);
    EXPECT_TRUE(LabDocument::isUnfinished(store.find(run)->record));
    EXPECT_EQ(stopped("Stopped at rung 2 of successive halving, iteration 20: …").substr(0, 18), "stopped at rung 2,");
    EXPECT_FALSE(LabDocument::isUnfinished(store.find(run)->record)) << "it is resumed only on request";
    EXPECT_TRUE(LabDocument::canResume(store.find(run)->record));
}

TEST_F(RunStoreTest, StateCountsTheRungsOfTheSweep) {
    const std::int64_t experiment = lab->add_experiment("halved", Experiment("halved").to_json().dump());
    lab->add_document(experiment, "search", R"({"method": "halving", "first_rung": 100, "settings": 8})");
    const RunId halved = lab->add_run(experiment, "two", R"({"theta": 500, "iterations": 1000})");
    store.reload(lab.get(), false);
    EXPECT_EQ(store.find(halved)->rungs, (std::vector<std::int64_t>{100, 200, 400}));
    EXPECT_TRUE(store.find(run)->rungs.empty());
    store.apply({Event(event::Step{halved, 200, 2, 1, 1e-3}),
                 Event(event::RunEnded{halved, RunState::stopped, "Stopped at rung 2 of successive halving, …", {}})});
    EXPECT_EQ(stateText(*store.find(halved)), "stopped at rung 2 of 3, 200 steps");
}

TEST_F(RunStoreTest, DeliveriesUpdateTheEvaluations) {
    store.reload(lab.get(), false);
    EXPECT_DOUBLE_EQ(store.find(run)->best->validation_loss, 1.6);
    store.apply({Event(event::Evaluated{run, 30, 1.2, 1.3})});
    EXPECT_EQ(iterations(), (std::vector<std::int64_t>{10, 20, 30}));
    EXPECT_EQ(store.find(run)->best->iteration, 30);
    store.apply({Event(event::Evaluated{run, 40, 1.2, std::nan("")}), Event(event::Evaluated{run, 50, 1.2, 1.4})});
    EXPECT_EQ(store.find(run)->best->iteration, 30) << "NaN is not the best, and forgets no better one";
    QSignalSpy changed(&store, &RunStore::runChanged);
    store.apply({DiscardAfter{run, 15}});
    EXPECT_EQ(changed.count(), 1) << "what shows the run is renewed";
    EXPECT_EQ(iterations(), (std::vector<std::int64_t>{10}));
    EXPECT_EQ(store.find(run)->last->iteration, 10);
    EXPECT_DOUBLE_EQ(store.find(run)->best->validation_loss, 2.1) << "the better evaluation was discarded";
    store.apply({Event(event::Evaluated{run, 20, 1.5, 1.7}), Event(event::Evaluated{run, 20, 1.5, 1.8})});
    EXPECT_EQ(store.find(run)->evaluations.validation_loss, (std::vector<double>{2.1, 1.8}));
    store.apply({DiscardAfter{run, -1}});
    EXPECT_FALSE(store.find(run)->last || store.find(run)->best) << "a run without a checkpoint begins anew";
}

TEST_F(RunStoreTest, HidingARunDoesNotEmitRunChanged) {
    store.reload(lab.get(), false);
    QSignalSpy changed(&store, &RunStore::runChanged);
    QSignalSpy visibility(&store, &RunStore::visibilityChanged);
    store.setVisible(run, false);
    store.setVisible(run, false);
    EXPECT_EQ(changed.count(), 0);
    EXPECT_EQ(visibility.count(), 1);
    EXPECT_FALSE(store.find(run)->visible);
}

TEST_F(RunStoreTest, DeliveriesUpdateSampleConditionsAndState) {
    store.reload(lab.get(), false);
    const RunView& view = *store.find(run);
    store.apply({Event(event::Sampled{run, 20, "one for the rook"})});
    EXPECT_EQ(view.sample, "one for the rook");
    EXPECT_EQ(view.sampleIteration, 20);
    RunSummary summary;
    summary.iterations = 20;
    store.apply({Event(event::RunEnded{run, RunState::failed, "The loss is not finite.", summary})});
    EXPECT_EQ(view.record.state, RunState::failed);
    EXPECT_EQ(view.record.message, "The loss is not finite.");
    ASSERT_TRUE(view.record.summary);
    EXPECT_EQ(view.record.summary->iterations, 20);
    store.apply({Event(event::CohortStarted{{run}, 10, 100, {"float32", "cpu", 2, "float32: as requested."}, 1.5})});
    EXPECT_EQ(view.record.state, RunState::running);
    EXPECT_EQ(view.record.message, "");
    ASSERT_TRUE(view.record.conditions);
    EXPECT_EQ(view.record.conditions->threads, 2);
    EXPECT_EQ(view.record.bytes_per_token, 1.5);
    event::Progress progress;
    for (const bool paused : {true, false}) {
        progress.paused = paused;
        store.apply({Event(progress)});
        EXPECT_EQ(view.record.state, paused ? RunState::paused : RunState::running);
    }
}

}  // namespace
}  // namespace ropelab::ui
