// Measures how long the window's thread is busy with a sweep as large as that of Huang et al. 2025: 54 runs of 5,000
// steps (9 thetas, 6 seeds). Results are CPU times of that thread, as the median of several repetitions. For
// comparison, a frame lasts 16 ms.
#include <QApplication>
#include <QTemporaryDir>
#include <QTextStream>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>

#include "core/experiment/experiment.h"
#include "ui/plot/curve_plot.h"
#include "ui/rooms/results/figure_pane.h"
#include "ui/rooms/results/results_room.h"
#include "ui/rooms/train/run_scope.h"
#include "ui/rooms/train/train_room.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/main_window.h"

namespace {

using namespace ropelab;
using namespace ropelab::ui;

constexpr int steps = 5000;
constexpr int evaluationInterval = 250;
constexpr int repetitions = 9;

double trainingLoss(RunId run, int step) {
    return 1 + std::exp(-step / 500.0) + 0.01 * std::sin(step * static_cast<double>(run));
}

event::Step stepOf(RunId run, int step) {
    return {run, step, trainingLoss(run, step), 0.5, 1e-3};
}

event::Evaluated evaluationOf(RunId run, int step) {
    return {run, step, trainingLoss(run, step), 0.1 + trainingLoss(run, step)};
}

QString writeGrid(const QTemporaryDir& folder) {
    const QString path = folder.filePath(QStringLiteral("grid.ropelab"));
    const auto lab = LabFile::create(path.toStdString());
    Experiment grid("grid");
    grid.set("theta", {"100", "500", "1000", "5000", "10000", "20000", "50000", "100000", "500000"});
    grid.set("seed", {"1", "2", "3", "4", "5", "6"});
    grid.set("iterations", {std::to_string(steps)});
    const std::int64_t experiment = lab->add_experiment("grid", grid.to_json().dump());
    for (const RunSpec& spec : grid.expand()) {
        const RunId run = lab->add_run(experiment, "a run", to_json(spec).dump());
        std::vector<Event> events = {event::CohortStarted{{run}, 0, steps, {"float32", "cpu", 2, ""}}};
        for (int i = 1; i <= steps; ++i) {
            events.emplace_back(stepOf(run, i));
            if (i % evaluationInterval == 0) events.emplace_back(evaluationOf(run, i));
        }
        RunSummary summary;
        summary.iterations = steps;
        summary.best_validation_loss = 1.1 + 0.001 * static_cast<double>(run);
        summary.final_validation_loss = 1.2;
        summary.final_training_loss = 1;
        summary.seconds = 100;
        summary.tokens_per_second = 1e5;
        events.emplace_back(event::RunEnded{run, RunState::finished, "", summary});
        lab->record(events);
    }
    return path;
}

double busyMilliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

void measure(const QString& what, int times, const std::function<void()>& work) {
    std::vector<double> durations;
    for (int i = 0; i < times; ++i) {
        const double before = busyMilliseconds();
        work();
        durations.push_back(busyMilliseconds() - before);
    }
    std::sort(durations.begin(), durations.end());
    QTextStream(stdout) << QStringLiteral("%1 %2\n").arg(what, -56).arg(durations[durations.size() / 2], 8, 'f', 1);
}

}  // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    ThemeManager::instance().apply();
    const QTemporaryDir folder;
    const QString path = writeGrid(folder);
    MainWindow window({.settingsFile = folder.filePath(QStringLiteral("settings.ini")),
                       .labsFolder = folder.filePath(QStringLiteral("labs")),
                       .dataDir = {},
                       .engine = {}});
    window.resize(1280, 800);
    window.show();
    QApplication::processEvents();
    RunStore& store = window.workspace().runs();
    QTextStream(stdout) << QStringLiteral("54 runs of 5,000 steps                                   CPU time [ms]\n");

    measure(QStringLiteral("open the lab"), 1, [&] {
        window.workspace().openLab(path);
        QApplication::processEvents();
    });
    auto& train = static_cast<TrainRoom&>(window.room());
    bool shown = true;
    measure(QStringLiteral("hide or show every run"), repetitions, [&] {
        shown = !shown;
        for (const RunView& run : store.runs()) store.setVisible(run.record.id, shown);
        train.refreshNow();
    });
    measure(QStringLiteral("rename a run"), repetitions, [&] {
        window.workspace().renameRun(3, shown ? QStringLiteral("x") : QStringLiteral("y"));
        shown = !shown;
        QApplication::processEvents();
    });
    for (const RunView& run : store.runs()) store.setVisible(run.record.id, true);
    train.showQuantity(QStringLiteral("training_loss"));
    train.refreshNow();
    measure(QStringLiteral("paint one frame of the training loss"), repetitions, [&] { train.plot().refreshNow(); });
    measure(QStringLiteral("paint the first frame of seed means with bands"), 1, [&] {
        train.plot().setGroups(seedGroups(store));
        train.plot().refreshNow();
    });
    measure(QStringLiteral("paint one frame of seed means with bands"), repetitions,
            [&] { train.plot().refreshNow(); });
    int step = steps;
    measure(QStringLiteral("paint seed means after 10 more steps per run"), repetitions, [&] {
        for (int i = 0; i < 10; ++i) {
            ++step;
            for (const RunView& run : store.runs()) train.plot().append(stepOf(run.record.id, step));
        }
        train.plot().refreshNow();
    });

    window.showRoom(QStringLiteral("results"));
    auto& results = static_cast<ResultsRoom&>(window.room());
    for (const ResultsFigure& figure : resultsFigures()) {
        results.showPart(QLatin1String(figure.name));
        while (results.isBusy()) QApplication::processEvents(QEventLoop::WaitForMoreEvents, 10);
        results.refreshNow();
        measure(QStringLiteral("update %1 after an evaluation of every run").arg(QLatin1String(figure.name)),
                repetitions, [&] {
                    step += evaluationInterval;
                    std::vector<Delivery> evaluations;
                    for (const RunView& run : store.runs())
                        evaluations.emplace_back(Event(evaluationOf(run.record.id, step)));
                    store.apply(evaluations);
                    results.refreshNow();
                });
    }
    return 0;
}
