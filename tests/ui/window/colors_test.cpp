// A setting has one colour in all rooms, whatever happens to the lab.
#include <QPixmap>
#include <QToolButton>
#include <map>
#include <random>
#include <set>

#include "tests/ui/support/window_fixture.h"
#include "ui/plot/curve_plot.h"
#include "ui/plot/figure_view.h"
#include "ui/probes/inside_run.h"
#include "ui/rooms/inspect/inspect_panel.h"
#include "ui/rooms/inspect/inspect_room.h"
#include "ui/rooms/results/figure_pane.h"
#include "ui/rooms/results/results_picture.h"
#include "ui/rooms/results/results_room.h"
#include "ui/rooms/train/run_list.h"
#include "ui/rooms/train/run_scope.h"
#include "ui/rooms/train/train_room.h"

namespace ropelab::ui {
namespace {

class ColorsTest : public WindowFixture {
 protected:
    Workspace& workspace() { return window->workspace(); }
    TrainRoom& train() { return *window->findChild<TrainRoom*>(); }

    Experiment randomSweep() {
        Experiment experiment = smallSweep();
        const auto theta = [this] { return std::to_string(100 * (1 + random() % 20)); };
        std::set<std::string> thetas = {theta(), theta()};
        experiment.set("theta", {thetas.begin(), thetas.end()});
        if (random() % 2 == 0) experiment.set("seed", {"1337", std::to_string(1338 + random() % 3)});
        return experiment;
    }
    // Adds a sweep with two evaluations per run, as if it had been trained.
    void addSweep(const Experiment& experiment) {
        const Plan plan = workspace().lab().addSweep(experiment);
        std::vector<Event> events;
        for (const PlannedRun& run : plan.runs) {
            for (const std::int64_t step : {10, 20}) events.emplace_back(event::Evaluated{run.id, step, 2.0, 2.1});
            RunSummary summary;
            summary.iterations = 20;
            events.emplace_back(event::RunEnded{run.id, RunState::finished, "", summary});
        }
        LabFile::open(workspace().lab().path().toStdString())->record(events);
        emit workspace().session().delivered(std::vector<Delivery>(events.begin(), events.end()));
    }
    void mergeAnotherLab(int number) {
        const QString path = file(qPrintable(QStringLiteral("other %1.ropelab").arg(number)));
        {
            const auto other = LabFile::create(path.toStdString());
            for (int i = 0; i < 2; ++i) {
                const Experiment experiment = randomSweep();
                const std::int64_t id = other->add_experiment("other", experiment.to_json().dump());
                for (const RunSpec& spec : experiment.expand()) other->add_run(id, "run", to_json(spec).dump());
            }
            SettingColors colors = SettingColors::of(*other);
            other->set_setting_looks(colors.unstored());
        }
        LabFile::open(workspace().lab().path().toStdString())->merge(path.toStdString());
        reopen();
    }
    void reopen() {
        const QString path = workspace().lab().path();
        workspace().newLab();
        workspace().openLab(path);
        ASSERT_EQ(workspace().lab().path(), path);
    }
    void removeSomeRuns() {
        std::vector<RunId> ids;
        for (const RunView& run : workspace().runs().runs()) ids.push_back(run.record.id);
        for (const RunId id : ids) {
            if (random() % 3 == 0) workspace().deleteRun(id);
        }
    }

    // Compares the colour of each run in every room with the first colour of its setting.
    void check() {
        const auto& runs = workspace().runs().runs();
        std::map<std::string, int> shown;
        for (const RunView& run : runs) {
            const int color = first.try_emplace(run.setting, run.ink.index).first->second;
            ASSERT_EQ(run.ink.index, color);
            shown[run.setting] = color;
            EXPECT_EQ(readInsideRun(*workspace().lab().file(), run.record.id).ink, run.ink);
        }
        std::set<int> different;
        for (const auto& [setting, color] : shown) different.insert(color);
        EXPECT_EQ(different.size(), shown.size()) << "two settings share colour and dash pattern";

        ResultsChoices choices;
        choices.experiment = ResultsChoices::kAllExperiments;
        choices.options.unfinished = true;
        const Results results = resultsOf(workspace().runs(), choices);
        for (const ResultGroup& group : results.table.groups) {
            for (const std::size_t member : group.members) {
                const RunView& run = *workspace().runs().find(results.runAt(member));
                EXPECT_EQ(results.inkOf(group), Ink::data(run.ink.index));
            }
        }
        train().scope().showRuns(RunScope::Scope::all);
        train().refreshNow();
        const Figure figure = train().plot().toFigure();
        QList<Ink> expected;
        for (const RunView& run : runs) {
            if (!run.evaluations.iteration.empty()) expected << run.ink;
        }
        ASSERT_EQ(std::ssize(figure.curves), expected.size());
        for (qsizetype i = 0; i < expected.size(); ++i) {
            EXPECT_EQ(figure.curves[static_cast<std::size_t>(i)].ink, expected[i]);
        }
        for (int row = 0; row < train().runList().table().rowCount(); ++row) {
            const RunView& run = *workspace().runs().find(train().runList().table().runAt(row));
            const auto icon = train().runList().table().index(row, RunTable::Name).data(Qt::DecorationRole);
            EXPECT_EQ(icon.value<QPixmap>().toImage(), lineSwatch(run.ink).toImage());
        }
    }

    std::mt19937 random{20};
    std::map<std::string, int> first;  // the first colour of each setting
};

TEST_F(ColorsTest, NeverChangeThroughSweepsRemovalsRepetitionsMergesAndReopening) {
    for (auto* button : window->findChildren<QToolButton*>()) {
        if (button->text() != "± std") continue;
        button->setChecked(true);
        button->setChecked(false);  // the user's choice, which stays when there are many runs
    }
    Experiment last = randomSweep();
    addSweep(last);
    for (int step = 0; step < 30; ++step) {
        switch (random() % 5) {
            case 0:
                last = randomSweep();
                addSweep(last);
                break;
            case 1:
                removeSomeRuns();
                break;
            case 2:
                addSweep(last);
                break;
            case 3:
                mergeAnotherLab(step);
                break;
            default:
                reopen();
        }
        check();
        ASSERT_FALSE(HasFatalFailure()) << "step " << step;
    }
    EXPECT_GT(first.size(), 7U) << "the sequence needs dash patterns as well";
}

TEST_F(ColorsTest, DashesBeginWithTheEighthSettingInAllRooms) {
    Experiment experiment = smallSweep();
    std::vector<std::string> thetas;
    for (int i = 1; i <= 9; ++i) thetas.push_back(std::to_string(100 * i));
    experiment.set("theta", thetas);
    addSweep(experiment);
    for (const char* room : {"inspect", "results", "train"}) window->showRoom(room);
    const auto* inspect = window->findChild<InspectRoom*>()->findChild<FigureView*>();
    ASSERT_NE(inspect, nullptr);
    const FigureView& results = window->findChild<ResultsRoom*>()->figures().view();
    int dashed = 0;
    for (const RunView& run : workspace().runs().runs()) {
        FigureCurve curve;
        curve.ink = run.ink;
        const QPen pen = train().plot().style().penOf(curve);
        EXPECT_EQ(pen, results.style().penOf(curve)) << run.ink.index;
        EXPECT_EQ(pen, inspect->style().penOf(curve)) << run.ink.index;
        const bool isDashed = pen.style() == Qt::CustomDashLine;
        EXPECT_EQ(isDashed, !Theme::dashes(run.ink.index, false).isEmpty());
        dashed += isDashed;
    }
    EXPECT_EQ(dashed, 2) << "nine settings have seven colours";
}

TEST_F(ColorsTest, RecolouringReachesAllRoomsAndPinnedSettingsAreListedFirst) {
    addSweep(smallSweep());
    const std::string setting = workspace().runs().find(2)->setting;
    SettingLook look = workspace().runs().colors().lookOf(setting);
    look.color = workspace().runs().colors().freeColor(setting, 4);
    look.pinned = true;
    workspace().changeLook("change colour", look);
    first[setting] = 4;
    EXPECT_EQ(workspace().runs().find(2)->ink.index, 4);
    EXPECT_EQ(train().runList().table().runAt(0), 2) << "the run of the pinned setting comes first";
    EXPECT_EQ(train().runList().table().rowOf(1), 1);
    check();
}

TEST_F(ColorsTest, TheRunListOpensARunAndAComparisonInTheInspectRoom) {
    addSweep(smallSweep());
    emit workspace().inspectAsked(2, 1);
    auto* inspect = window->findChild<InspectRoom*>();
    EXPECT_EQ(&window->room(), inspect);
    EXPECT_EQ(inspect->choices().run(), 2);
    EXPECT_EQ(inspect->choices().ghost(), 1);
    window->showRoom("train");
    emit workspace().inspectAsked(1, 0);
    EXPECT_EQ(inspect->choices().run(), 1);
    EXPECT_EQ(&window->room(), inspect);
}

}  // namespace
}  // namespace ropelab::ui
