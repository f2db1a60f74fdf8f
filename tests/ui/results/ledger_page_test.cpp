#include "ui/results/ledger_page.h"

#include <QPushButton>

#include "core/experiment/lab_plan.h"
#include "core/experiment/sheets/measuring.h"
#include "tests/ui/results/results_fixture.h"
#include "ui/results/prediction_table.h"
#include "ui/results/results_panel.h"
#include "ui/results/results_words.h"
#include "ui/window/main_window.h"

namespace ropelab::ui {
namespace {

/// The Results room with a sweep over θ on which theories said something, four runs that have all finished.
class LedgerPageTest : public ResultsRoomTest {
 protected:
    void openSweep() {
        Experiment experiment("bases");
        experiment.set("data", {textFile().toStdString()});
        experiment.set("theta", {"500", "10000"});
        experiment.set("context", {"256"});
        experiment.set("width", {"64"});
        experiment.set("heads", {"1"});
        experiment.set("seed", {"1", "2"});
        const QString path = file("bases.ropelab");
        {
            const auto lab = LabFile::create(path.toStdString());
            std::vector<Event> events;
            for (const PlannedRun& run : plan_new_runs(*lab, experiment).runs) {
                RunSummary summary;
                summary.best_validation_loss = 1.5;
                events.emplace_back(event::RunEnded{run.id, RunState::finished, "", summary});
            }
            lab->record(events);
        }
        workspace->lab().open(path);
        room->show();
        ASSERT_TRUE(waitUntil([&] { return room->offersPredictions() && !room->isEmpty(); }));
    }
    QString prediction(int row, const QString& column) {
        WordTable& table = room->ledger().table();
        return table.index(row, table.columnOf(column)).data().toString();
    }
};

TEST_F(LedgerPageTest, PredictionsOfASweepStandBesideItsTable) {
    openSweep();
    EXPECT_EQ(room->page(), ResultsRoom::Page::groups);
    EXPECT_TRUE(room->hasFigure());
    room->showPart(QStringLiteral("predictions"));
    EXPECT_FALSE(room->hasFigure());
    ASSERT_EQ(room->ledger().table().rowCount(), 2);
    EXPECT_TRUE(prediction(0, "theory").startsWith("context bound"));
    EXPECT_EQ(prediction(0, "outcome"), "not scored");
    EXPECT_TRUE(prediction(0, "what came").endsWith(": 4 to be measured."));
    EXPECT_EQ(room->ledger().words(),
              "2 predictions: 2 not scored. What they speak of is still to be measured of 4 runs.");
    EXPECT_TRUE(room->ledger().button().isEnabled());
    EXPECT_EQ(room->ledger().button().text(), "Measure");
    room->showPart(QStringLiteral("group-means"));
    EXPECT_EQ(room->page(), ResultsRoom::Page::groups);
}

TEST_F(LedgerPageTest, WhatWasMeasuredIsScoredAndInTheTableAsText) {
    openSweep();
    {
        const auto lab = LabFile::open(workspace->lab().path().toStdString());
        for (const RunRecord& run : lab->runs()) {
            const bool low = nlohmann::json::parse(run.settings).at("theta") == 500;
            lab->set_measurement(run.id, retrieval_gain(16), 0.5);
            lab->set_measurement(run.id, retrieval_gain(241), low ? 0.01 : 0.4);  // as F12 says
            lab->set_measurement(run.id, extension_rise, low ? 0.9 : 0.1);        // against F14
        }
    }
    room->refreshNow();
    EXPECT_EQ(room->ledger().words(), "2 predictions: 1 right, 1 wrong.");
    EXPECT_TRUE(room->ledger().button().isHidden());
    EXPECT_EQ(prediction(0, "outcome"), "right");
    EXPECT_EQ(prediction(1, "outcome"), "wrong");
    const Results& results = room->results();
    EXPECT_TRUE(formatted(results.table, room->ledger().ledgers(), TableFormat::text)
                    .contains("Predictions, written down before the runs:"));
    const auto json =
        nlohmann::json::parse(formatted(results.table, room->ledger().ledgers(), TableFormat::json).toStdString());
    EXPECT_EQ(json.at("predictions").at(0).at("outcome"), "right");
    EXPECT_EQ(json.at("predictions").at(0).at("experiment"), 1);
}

// The checkpoints are not there: what goes wrong is said, and the button is there again.
TEST_F(LedgerPageTest, MeasuringThatCannotGoOnSaysWhy) {
    openSweep();
    room->showPage(ResultsRoom::Page::predictions);
    room->ledger().button().click();
    EXPECT_TRUE(room->ledger().isMeasuring());
    EXPECT_EQ(room->ledger().button().text(), "Stop");
    ASSERT_TRUE(waitUntil([&] { return !room->ledger().isMeasuring(); }));
    EXPECT_TRUE(room->ledger().words().contains("Measuring went no further: The checkpoint "))
        << room->ledger().words().toStdString();
    EXPECT_TRUE(room->ledger().button().isEnabled());
}

TEST_F(LedgerPageTest, ALabThatCanOnlyBeReadIsNotMeasured) {
    openSweep();
    const QString path = workspace->lab().path();
    workspace->lab().startAfresh();
    workspace->lab().open(path, true);
    ASSERT_TRUE(waitUntil([&] { return room->ledger().words().contains("can only be read here"); }));
    EXPECT_FALSE(room->ledger().button().isEnabled());
}

TEST_F(LedgerPageTest, ALabWithoutPredictionsHasNoSuchPage) {
    openUsual();
    room->refreshNow();
    EXPECT_FALSE(room->offersPredictions());
    room->showPart(QStringLiteral("predictions"));
    EXPECT_TRUE(room->offersPredictions()) << "one can turn back";
    EXPECT_EQ(room->ledger().table().rowCount(), 0);
    EXPECT_EQ(room->ledger().words(), "");
}

TEST_F(LedgerPageTest, TheWindowMeasuresWhatATrainedSweepLacks) {
    Experiment experiment = smallSweep(20);
    experiment.set("context", {"64"});
    workspace->experiment().replace(experiment);
    room->show();
    workspace->start();
    ASSERT_TRUE(waitForEnd(*workspace));
    ASSERT_TRUE(waitUntil([&] { return room->ledger().button().isEnabled() && room->offersPredictions(); }));
    room->showPage(ResultsRoom::Page::predictions);
    room->ledger().button().click();
    ASSERT_TRUE(waitUntil([&] { return !room->ledger().isMeasuring() && room->ledger().button().isHidden(); }))
        << room->ledger().words().toStdString();
    const auto measured = workspace->lab().file()->measurements(1);
    EXPECT_TRUE(measured.contains(extension_rise));
}

}  // namespace
}  // namespace ropelab::ui
