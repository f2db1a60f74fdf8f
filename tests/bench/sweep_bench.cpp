// How long the window's thread is busy with a sweep as large as the theta paper's: 54 runs of 5,000 steps (9 thetas, 6
// seeds). Processor time of that thread, the median of a few tries. A frame is 16 ms.
#include <QApplication>
#include <QTemporaryDir>
#include <QTextStream>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>

#include "core/experiment/experiment.h"
#include "ui/experiment/seed_groups.h"
#include "ui/experiment/train_room.h"
#include "ui/plot/curve_plot.h"
#include "ui/results/figure_pane.h"
#include "ui/results/results_room.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/main_window.h"

namespace {

using namespace ropelab;
using namespace ropelab::ui;

constexpr int steps = 5000;
constexpr int every = 250;
constexpr int tries = 9;

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
            if (i % every == 0) events.emplace_back(evaluationOf(run, i));
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
    std::vector<double> taken;
    for (int i = 0; i < times; ++i) {
        const double before = busyMilliseconds();
        work();
        taken.push_back(busyMilliseconds() - before);
    }
    std::sort(taken.begin(), taken.end());
    QTextStream(stdout) << QStringLiteral("%1 %2\n").arg(what, -56).arg(taken[taken.size() / 2], 8, 'f', 1);
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
    QTextStream(stdout) << QStringLiteral("54 runs of 5,000 steps                                   busy ms\n");

    measure(QStringLiteral("open the lab"), 1, [&] {
        window.workspace().openLab(path);
        QApplication::processEvents();
    });
    auto& train = static_cast<TrainRoom&>(window.room());
    bool shown = true;
    measure(QStringLiteral("hide or show every run"), tries, [&] {
        shown = !shown;
        for (const RunView& run : store.runs()) store.setVisible(run.record.id, shown);
        train.refreshNow();
    });
    measure(QStringLiteral("rename a run"), tries, [&] {
        window.workspace().renameRun(3, shown ? QStringLiteral("x") : QStringLiteral("y"));
        shown = !shown;
        QApplication::processEvents();
    });
    for (const RunView& run : store.runs()) store.setVisible(run.record.id, true);
    train.showQuantity(QStringLiteral("training_loss"));
    train.refreshNow();
    measure(QStringLiteral("training loss, a frame"), tries, [&] { train.plot().refreshNow(); });
    measure(QStringLiteral("means of seeds with bands, the first frame"), 1, [&] {
        train.plot().setGroups(seedGroups(store.runs()));
        train.plot().refreshNow();
    });
    measure(QStringLiteral("means of seeds with bands, a frame"), tries, [&] { train.plot().refreshNow(); });
    int step = steps;
    measure(QStringLiteral("the same, every run 10 steps on"), tries, [&] {
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
        measure(QStringLiteral("%1, after every run's evaluation").arg(QLatin1String(figure.name)), tries, [&] {
            step += every;
            std::vector<Delivery> evaluations;
            for (const RunView& run : store.runs()) evaluations.emplace_back(Event(evaluationOf(run.record.id, step)));
            store.apply(evaluations);
            results.refreshNow();
        });
    }
    return 0;
}
