#include "ui/rooms/results/predictions_page.h"

#include <QLabel>
#include <QPushButton>
#include <algorithm>

#include "core/reproduce/rules/evaluate.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/sheet_lab.h"
#include "core/sweep/lab_plan.h"
#include "tests/ui/rooms/results/results_fixture.h"
#include "ui/common/results_words.h"
#include "ui/controls/text_table.h"
#include "ui/rooms/results/results_panel.h"
#include "ui/window/main_window.h"

namespace ropelab::ui {
namespace {

/// Fixture with a Results room and a sweep over θ with predictions; its four runs have finished.
class PredictionsPageTest : public ResultsRoomTest {
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
            for (const PlannedRun& run : plan_new_runs(*lab, experiment, enter_predictions).runs) {
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
        TextTable& table = room->predictionsPage().table();
        return table.index(row, table.columnOf(column)).data().toString();
    }
};

TEST_F(PredictionsPageTest, ShowsPredictionsOnTheSweep) {
    openSweep();
    EXPECT_EQ(room->page(), ResultsRoom::Page::groups);
    EXPECT_TRUE(room->hasFigure());
    room->showPart(QStringLiteral("predictions"));
    EXPECT_FALSE(room->hasFigure());
    ASSERT_EQ(room->predictionsPage().table().rowCount(), 2);
    EXPECT_TRUE(prediction(0, "theory").startsWith("context bound"));
    EXPECT_EQ(prediction(0, "outcome"), "not scored");
    EXPECT_TRUE(prediction(0, "why it is not scored").endsWith(": 4 runs to measure."));
    EXPECT_EQ(prediction(0, "measured result"), "");
    EXPECT_EQ(room->predictionsPage().words(),
              "2 predictions: 2 not scored. The predicted quantities are not measured yet for 4 runs.");
    EXPECT_TRUE(room->predictionsPage().button().isEnabled());
    EXPECT_EQ(room->predictionsPage().button().text(), "Measure runs");
    room->showPart(QStringLiteral("group-means"));
    EXPECT_EQ(room->page(), ResultsRoom::Page::groups);
}

TEST_F(PredictionsPageTest, ScoresMeasuredPredictionsAndExportsThem) {
    openSweep();
    {
        const auto lab = LabFile::open(workspace->lab().path().toStdString());
        for (const RunRecord& run : lab->runs()) {
            const bool low = nlohmann::json::parse(run.settings).at("theta") == 500;
            // θ = 500 has its control at lag 223, θ = 10,000 at lag 233.
            for (const int lag : {16, 19, 223, 233, 241}) lab->set_measurement(run.id, retrieval_gain(lag), 0.5);
            lab->set_measurement(run.id, retrieval_gain(230), low ? 0.01 : 0.4);  // agrees with F12
            // contradicts F14; the seeds differ a little
            lab->set_measurement(run.id, extension_rise, (low ? 0.9 : 0.1) + 0.001 * static_cast<double>(run.id % 3));
        }
    }
    room->refreshNow();
    // Both chances are 1/2: at least one of two independent predictions is right with probability 3/4.
    EXPECT_EQ(room->predictionsPage().words(),
              "2 predictions: 1 right, 1 wrong. Calibration: 1 of 2 predictions with a score are right; 1.00 would be "
              "expected by chance. At least 1 would be right by chance with probability 0.750 if the predictions were "
              "independent; predictions on the same runs are not independent.");
    EXPECT_EQ(prediction(0, "chance level"), QStringLiteral("50\u202F%"));
    EXPECT_TRUE(room->predictionsPage().button().isHidden());
    EXPECT_EQ(prediction(0, "outcome"), "right");
    EXPECT_EQ(prediction(1, "outcome"), "wrong");
    EXPECT_NE(prediction(1, "measured result"), "");
    EXPECT_EQ(prediction(1, "why it is not scored"), "");
    const Results& results = room->results();
    EXPECT_TRUE(formatted(results, room->predictionsPage().sweeps(), TableFormat::text)
                    .contains("Predictions (preregistered):"));
    EXPECT_TRUE(formatted(results, room->predictionsPage().sweeps(), TableFormat::latex)
                    .contains("%   wrong (50 % by chance): critical dimension"));
    const auto json =
        nlohmann::json::parse(formatted(results, room->predictionsPage().sweeps(), TableFormat::json).toStdString());
    EXPECT_EQ(json.at("predictions").at(0).at("outcome"), "right");
    EXPECT_EQ(json.at("predictions").at(0).at("experiment"), 1);
    EXPECT_EQ(json.at("calibration").at("p_at_least_as_many"), 0.75);
}

// The checkpoints are missing, so the page must show the error and enable the button again.
TEST_F(PredictionsPageTest, ShowsWhyMeasuringFailed) {
    openSweep();
    room->showPage(ResultsRoom::Page::predictions);
    room->predictionsPage().button().click();
    EXPECT_TRUE(room->predictionsPage().isMeasuring());
    EXPECT_EQ(room->predictionsPage().button().text(), "Stop measuring");
    ASSERT_TRUE(waitUntil([&] { return !room->predictionsPage().isMeasuring(); }));
    EXPECT_TRUE(room->predictionsPage().words().contains("Measuring failed: The checkpoint "))
        << room->predictionsPage().words().toStdString();
    EXPECT_TRUE(room->predictionsPage().button().isEnabled());
}

TEST_F(PredictionsPageTest, ReadOnlyLabsAreNotMeasured) {
    openSweep();
    const QString path = workspace->lab().path();
    workspace->lab().startEmptyLab();
    workspace->lab().open(path, true);
    ASSERT_TRUE(waitUntil([&] { return room->predictionsPage().words().contains("open read-only"); }));
    EXPECT_FALSE(room->predictionsPage().button().isEnabled());
}

TEST_F(PredictionsPageTest, HidesThePageWithoutPredictions) {
    openUsual();
    room->refreshNow();
    EXPECT_FALSE(room->offersPredictions());
    room->showPart(QStringLiteral("predictions"));
    EXPECT_TRUE(room->offersPredictions()) << "the bar must be visible to leave the page";
    EXPECT_EQ(room->predictionsPage().table().rowCount(), 0);
    EXPECT_EQ(room->predictionsPage().words(), "");
}

// Of two fractions only one rotates, and an empty lab has no sweep about which the page could speak.
TEST_F(PredictionsPageTest, SaysWhatPredictionsCompareAndShowsTheEmptyPageWithoutRuns) {
    const auto says = [this](const QString& words) {
        return std::ranges::any_of(room->findChildren<QLabel*>(), [&](const QLabel* label) {
            return label->isVisible() && label->text().contains(words);
        });
    };
    room->show();
    room->showPart(QStringLiteral("predictions"));
    room->refreshNow();
    EXPECT_FALSE(says("There are no predictions")) << "no sweep";
    EXPECT_TRUE(says("To compare settings, train a sweep"));
    openUsual();
    room->refreshNow();
    EXPECT_TRUE(says("compare at least two values of θ, or of the rotated fraction above 0"));
}

TEST_F(PredictionsPageTest, MeasuresATrainedSweep) {
    Experiment experiment = smallSweep(20);
    experiment.set("context", {"64"});
    workspace->experiment().replace(experiment);
    room->show();
    workspace->start();
    ASSERT_TRUE(waitForEnd(*workspace));
    ASSERT_TRUE(waitUntil([&] { return room->predictionsPage().button().isEnabled() && room->offersPredictions(); }));
    room->showPage(ResultsRoom::Page::predictions);
    room->predictionsPage().button().click();
    ASSERT_TRUE(waitUntil([&] {
        return !room->predictionsPage().isMeasuring() && room->predictionsPage().button().isHidden();
    })) << room->predictionsPage().words().toStdString();
    const auto measured = workspace->lab().file()->measurements(1);
    EXPECT_TRUE(measured.contains(extension_rise));
}

}  // namespace
}  // namespace ropelab::ui
