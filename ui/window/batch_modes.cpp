#include "ui/window/batch_modes.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPixmap>
#include <QTemporaryDir>
#include <QTextStream>
#include <QTimer>
#include <csignal>
#include <utility>

#include "core/experiment/engine_loader.h"
#include "core/spec/error.h"
#include "ui/experiment/run_table.h"
#include "ui/experiment/train_room.h"
#include "ui/inspect/inspect_batch.h"
#include "ui/inspect/replay_files.h"
#include "ui/results/figure_pane.h"
#include "ui/rotary/rotary_figures.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/format.h"
#include "ui/window/main_window.h"
#include "ui/window/room.h"

namespace ropelab::ui {

namespace {

volatile std::sig_atomic_t endAsked = 0;

void waitFor(double seconds) {
    QEventLoop loop;
    QTimer::singleShot(static_cast<int>(seconds * 1000), &loop, &QEventLoop::quit);
    loop.exec();
}

// The entropy floor and scans of bases take seconds; a picture without them would be another one.
void waitUntilDone(const Room& room) {
    QElapsedTimer since;
    since.start();
    while (room.isBusy() && since.elapsed() < 120'000) waitFor(0.05);
}

void choose(const LaunchOptions& options) {
    ThemeManager& theme = ThemeManager::instance();
    if (options.theme) {
        theme.setChoice(*options.theme == Appearance::dark ? ThemeManager::Choice::dark : ThemeManager::Choice::light);
    }
    theme.setScale(options.scale);
}

void say(const QJsonObject& written) {
    QTextStream(stdout) << QJsonDocument(written).toJson();
}

WorkspaceOptions scratch(const QTemporaryDir& folder, const LaunchOptions& options, Runner::EngineSource engine) {
    return {.settingsFile = folder.filePath(QStringLiteral("settings.ini")),
            .labsFolder = folder.filePath(QStringLiteral("labs")),
            .dataDir = options.dataDir,
            .engine = std::move(engine)};
}

// Exactly this large, whatever the layout would like best.
void fit(MainWindow& window, const QSize& size) {
    window.setMinimumSize(1, 1);
    window.resize(size);
}

void savePicture(MainWindow& window, const QString& path) {
    window.room().refreshNow();
    QCoreApplication::processEvents();
    if (!window.grab().save(path)) {
        throw BadInput("The picture " + path.toStdString() +
                       " cannot be written; name a file that ends in .png in a folder that exists.");
    }
}

void setPreset(MainWindow& window, const QString& name) {
    const Preset& chosen = name.isEmpty() ? presets().front() : preset(name.toStdString());
    window.workspace().experiment().replace(chosen.experiment);
}

QString freeName(const QDir& folder, const QString& stem) {
    QString path = folder.filePath(stem + QStringLiteral(".ropelab"));
    for (int i = 2; QFileInfo::exists(path); ++i) {
        path = folder.filePath(QStringLiteral("%1-%2.ropelab").arg(stem).arg(i));
    }
    return path;
}

}  // namespace

int paintScreenshot(const LaunchOptions& options, Runner::EngineSource engine) {
    const QTemporaryDir folder;
    choose(options);
    MainWindow window(scratch(folder, options, std::move(engine)));
    QString failure;
    QObject::connect(&window.workspace(), &Workspace::problem, &window,
                     [&failure](const QString&, const QString& sentence) { failure = sentence; });
    if (options.setup) window.workspace().rotary().change(QStringLiteral("setup"), *options.setup);
    if (!options.room.isEmpty()) window.showRoom(options.room, options.part);
    setPreset(window, options.preset);
    if (!options.lab.isEmpty()) {
        window.workspace().lab().open(options.lab, true);
        window.banners().dismiss(QStringLiteral("readonly"));  // the file is left alone on purpose
    }
    fit(window, options.size);
    window.show();
    if (options.after > 0) {
        window.workspace().start();
        waitFor(options.after);
    } else {
        waitFor(0.2);
    }
    waitUntilDone(window.room());
    savePicture(window, options.screenshot);
    if (!failure.isEmpty()) {
        QTextStream(stderr) << "ropelab: " << failure << '\n';
        return 1;
    }
    return 0;
}

int runHeadless(const LaunchOptions& options, Runner::EngineSource engine) {
    QTextStream out(stdout);
    QDir folder(options.output);
    if (!folder.mkpath(QStringLiteral("."))) {
        throw BadInput("The folder " + options.output.toStdString() + " cannot be made; name one that can be written.");
    }
    const QTemporaryDir temporary;
    choose(options);
    MainWindow window(scratch(temporary, options, std::move(engine)));
    Workspace& workspace = window.workspace();
    QStringList problems;
    QObject::connect(&workspace, &Workspace::problem, &window,
                     [&problems](const QString&, const QString& sentence) { problems << sentence; });
    setPreset(window, options.preset);
    const QString name = QString::fromStdString(workspace.experiment().value().name());
    workspace.saveLabAs(freeName(folder, name.isEmpty() ? QStringLiteral("sweep") : name));
    fit(window, options.size);
    window.show();

    QEventLoop loop;
    RunState how = RunState::failed;
    QObject::connect(&workspace.session(), &SweepSession::ended, &loop, [&](RunState state) {
        how = state;
        loop.quit();
    });
    QElapsedTimer sincePrinted;
    QObject::connect(&workspace.session(), &SweepSession::delivered, &window, [&] {
        const auto& progress = workspace.session().progress();
        if (!progress || (sincePrinted.isValid() && sincePrinted.elapsed() < 2000)) return;
        sincePrinted.start();
        out << QStringLiteral("%1 %  step %2 of %3, %4 left, %5 symbols/s\n")
                   .arg(static_cast<int>(progress->done * 100), 3)
                   .arg(groupedText(progress->iteration), groupedText(progress->iterations),
                        durationText(progress->seconds_left), roundText(progress->tokens_per_second));
        out.flush();
    });
    workspace.start();
    if (workspace.session().isActive()) {
        out << QStringLiteral("%1: %2 on their way\n")
                   .arg(name,
                        countText(static_cast<std::int64_t>(workspace.runs().runs().size()), QStringLiteral("run")));
        out.flush();
        loop.exec();
    }

    waitUntilDone(window.room());
    QStringList written = {workspace.lab().path()};
    auto& train = static_cast<TrainRoom&>(window.room());
    for (const char* quantity : {"validation_loss", "training_loss"}) {
        train.showQuantity(QLatin1String(quantity));
        train.refreshNow();
        for (const FigureFormat format : {FigureFormat::png, FigureFormat::pdf}) {
            ExportOptions paper;
            paper.format = format;
            const QString file =
                folder.filePath(QString(QLatin1String(quantity)).replace(QLatin1Char('_'), QLatin1Char('-')) +
                                QLatin1Char('.') + suffixOf(format));
            exportFigure(train.figure(), paper, file);
            written << file;
        }
    }
    train.showQuantity(QStringLiteral("validation_loss"));
    written << folder.filePath(QStringLiteral("window.png"));
    savePicture(window, written.last());

    for (const RunView& run : workspace.runs().runs()) {
        out << QStringLiteral("  %1  %2, validation loss %3 nats\n")
                   .arg(QString::fromStdString(run.record.name), -24)
                   .arg(stateText(run), run.last ? lossText(run.last->validation_loss) : QStringLiteral("–"));
    }
    for (const QString& file : std::as_const(written)) out << "Written: " << QFileInfo(file).absoluteFilePath() << '\n';
    out << QStringLiteral(
               "Longest stall of the window's thread while training: %1 ms, of which at most %2 ms its own work\n")
               .arg(window.stalls().longest(), 0, 'f', 1)
               .arg(window.stalls().longestWork(), 0, 'f', 1);
    out.flush();
    for (const QString& sentence : std::as_const(problems)) QTextStream(stderr) << "ropelab: " << sentence << '\n';
    return how == RunState::finished ? 0 : 1;
}

int writeFigure(const LaunchOptions& options) {
    const auto write = [&options](const Figure& figure) {
        exportFigure(figure, options.figureOptions, options.output);
        if (options.asJson) {
            say({{"figure", figure.name},
                 {"file", options.output},
                 {"summary", figure.summary},
                 {"settings", figure.settings}});
        } else {
            QTextStream(stdout) << "Written: " << options.output << '\n';
        }
        return 0;
    };
    if (const RotaryFigure* rotary = findRotaryFigure(options.figure)) {
        return write(rotary->make(options.setup.value_or(RotarySetup{}), {}));
    }
    const QTemporaryDir folder;
    Workspace workspace(scratch(folder, options, {}));
    workspace.lab().open(options.lab, true);
    if (workspace.runs().runs().empty()) {
        throw BadInput("The lab " + options.lab.toStdString() + " has no runs to draw.");
    }
    if (const ResultsFigure* results = findResultsFigure(options.figure)) {
        ResultsChoices choices;
        choices.experiment = ResultsChoices::allExperiments;
        choices.options.baseline = options.baseline;
        choices.options.test = options.test;
        if (options.unit == QStringLiteral("bits")) choices.options.compare = "bits_per_character";
        if (!options.compare.empty()) choices.options.compare = options.compare;
        if (resultsOf(workspace.runs(), choices).baselineIsMissing) {
            throw BadInput("No group of this lab has " + assignments_text(options.baseline) +
                           "; the baseline must be one of its groups.");
        }
        return write(resultsFigureOf(workspace, *results, choices));
    }
    if (const InspectFigure* inspect = findInspectFigure(options.figure)) {
        return write(inspectFigureOf(workspace, *inspect,
                                     {options.run, options.beside, options.step, options.text, options.pair}));
    }
    workspace.settings().setValue("train/unit", options.unit);
    TrainRoom room(workspace);
    room.resize(options.size);
    room.showQuantity(QString(options.figure).replace(QLatin1Char('-'), QLatin1Char('_')));
    if (options.figure.endsWith(QStringLiteral("-loss"))) waitUntilDone(room);
    room.refreshNow();
    return write(room.figure());
}

int writeReplay(const LaunchOptions& options) {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { endAsked = 1; });
    std::signal(SIGPIPE, SIG_IGN);  // nobody reads the progress any more: then it ends as if it was asked to
    QTextStream err(stderr);
    int wanted = 0;
    bool unheard = false;
    const auto progress = [&](int done, int all) {
        wanted = all;
        err << "frame " << done << " of " << all << '\n';
        err.flush();
        unheard = err.status() != QTextStream::Ok;
    };
    const auto cancelled = [&unheard] { return endAsked != 0 || unheard; };
    const int frames = writeReplay(options.replay, &open_engine, options.dataDir, progress, cancelled);
    if (wanted == 0 || frames < wanted) {
        err << "ropelab: the replay was stopped after " << countText(frames, QStringLiteral("frame")) << ".\n";
        return 1;
    }
    const ReplayJob& job = options.replay;
    if (options.asJson) {
        QJsonArray files;
        for (int i = 1; i <= (job.isAnimated() ? 1 : frames); ++i) {
            files << (job.isAnimated() ? job.output : framePath(job.output, i));
        }
        say({{"figures", QJsonArray::fromStringList(job.figures)}, {"frames", frames}, {"files", files}});
    } else {
        QTextStream(stdout) << "Written: " << countText(frames, QStringLiteral("frame")) << " to " << job.output
                            << '\n';
    }
    return 0;
}

}  // namespace ropelab::ui
