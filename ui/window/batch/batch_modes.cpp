#include "ui/window/batch/batch_modes.h"

#include <QBuffer>
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
#include <algorithm>
#include <cmath>
#include <csignal>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/machine/engine_loader.h"
#include "core/store/output_file.h"
#include "ui/animation/frame_files.h"
#include "ui/common/format.h"
#include "ui/common/latest_job.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/figure/export/figure_page.h"
#include "ui/figure/export/figure_record.h"
#include "ui/figure/figure_caption.h"
#include "ui/plot/curve_plot.h"
#include "ui/rooms/inspect/replay_job.h"
#include "ui/rooms/rotation/figures/scene_figures.h"
#include "ui/rooms/train/run_list.h"
#include "ui/rooms/train/train_room.h"
#include "ui/shell/room.h"
#include "ui/sound/figure_sound.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/batch/standard_output.h"
#include "ui/window/controllers/lecture_controller.h"
#include "ui/window/controllers/window_stage.h"
#include "ui/window/frame/figures.h"
#include "ui/window/main_window.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

volatile std::sig_atomic_t stopRequested = 0;

// A second signal ends the program.
void noteStopSignals() {
    for (const int signal : {SIGINT, SIGTERM}) {
        std::signal(signal, [](int received) {
            stopRequested = 1;
            std::signal(received, SIG_DFL);
        });
    }
}

void waitFor(double seconds) {
    QEventLoop loop;
    QTimer::singleShot(static_cast<int>(seconds * 1000), &loop, &QEventLoop::quit);
    loop.exec();
}

void applyTheme(const LaunchOptions& options) {
    ThemeManager& theme = ThemeManager::instance();
    if (options.theme) {
        theme.setChoice(*options.theme == Appearance::dark ? ThemeManager::Choice::dark : ThemeManager::Choice::light);
    }
    theme.setScale(options.scale);
}

void printJson(const QJsonObject& object) {
    print(QString::fromUtf8(QJsonDocument(object).toJson()));
}

// Exactly, even if that is below the minimum size of the layout.
void forceSize(MainWindow& window, const QSize& size) {
    window.setMinimumSize(1, 1);
    window.resize(size);
}

void savePicture(MainWindow& window, const QString& path) {
    window.room().refreshNow();
    QCoreApplication::processEvents();
    window.room().refreshNow();  // the layout has followed the texts, which changed the size of figures
    window.grab();               // pictures of empty pages are read when they are painted
    for (auto* picture : window.findChildren<LatestJob*>(u"picture"_s)) picture->wait();
    const QString suffix = QFileInfo(path).suffix();
    QBuffer image;
    image.open(QIODevice::WriteOnly);
    if (!window.grab().save(&image, suffix.isEmpty() ? "PNG" : suffix.toUpper().toLatin1().constData())) {
        throw BadInput("The screenshot " + path.toStdString() +
                       " has an unknown format; choose a file name that ends in .png.");
    }
    write_output(toPath(path), image.data().toStdString());
}

/// The first failure to print is stored, so that it does not stop the training.
class Report {
 public:
    void print(const QString& text) {
        if (m_failure) return;
        try {
            ropelab::ui::print(text);
        } catch (const WriteError&) {
            m_failure = std::current_exception();
        }
    }
    /// Throws the WriteError of the text that could not be printed, if there is one.
    void check() const {
        if (m_failure) std::rethrow_exception(m_failure);
    }

 private:
    std::exception_ptr m_failure;
};

void setPreset(MainWindow& window, const QString& name) {
    const Preset& chosen = name.isEmpty() ? presets().front() : preset(name.toStdString());
    window.workspace().experiment().replace(chosen.experiment);
}

// stem.ropelab, else stem-2.ropelab and so on.
QString unusedLabPath(const QDir& folder, const QString& stem) {
    QString path = folder.filePath(stem + u".ropelab"_s);
    for (int i = 2; QFileInfo::exists(path); ++i) {
        path = folder.filePath(u"%1-%2.ropelab"_s.arg(stem).arg(i));
    }
    return path;
}

using FrameProgress = std::function<void(int done, int all)>;

// `write` returns the number of frames. Progress goes to standard error, the files to standard output. A signal stops
// it after the current frame. Returns the exit status of the program.
int writeFrameFiles(const LaunchOptions& options, const QString& what, const QString& output,
                    const QStringList& figures,
                    const std::function<int(const FrameProgress& progress, const Cancelled& cancelled)>& write) {
    noteStopSignals();
    std::signal(SIGPIPE, SIG_IGN);  // A closed pipe makes writing the progress fail, which ends the export below.
    QTextStream err(stderr);
    int total = 0;
    bool pipeClosed = false;
    const auto progress = [&](int done, int all) {
        total = all;
        err << "frame " << done << " of " << all << '\n';
        err.flush();
        pipeClosed = err.status() != QTextStream::Ok;
    };
    const auto cancelled = [&pipeClosed] { return stopRequested != 0 || pipeClosed; };
    const int frames = write(progress, cancelled);
    if (total == 0 || frames < total) {
        err << "ropelab: the " << what << " was stopped after " << countText(frames, u"frame"_s) << ".\n";
        return 1;
    }
    const bool isAnimated = FrameFiles{output}.isAnimated();
    if (options.asJson) {
        QJsonArray files;
        for (int i = 1; i <= (isAnimated ? 1 : frames); ++i) files << (isAnimated ? output : framePath(output, i));
        printJson({{"figures", QJsonArray::fromStringList(figures)}, {"frames", frames}, {"files", files}});
    } else if (!is_standard_output(toPath(output))) {
        // Separate frames have numbered names.
        const QString files = isAnimated    ? output
                              : frames == 1 ? framePath(output, 1)
                                            : u"%1 to %2"_s.arg(framePath(output, 1), framePath(output, frames));
        print(u"Written: %1 (%2)\n"_s.arg(files, countText(frames, u"frame"_s)));
    }
    return 0;
}

}  // namespace

WorkspaceOptions temporaryOptions(const QTemporaryDir& folder, const LaunchOptions& options,
                                  Runner::EngineSource engine) {
    return {.settingsFile = folder.filePath(u"settings.ini"_s),
            .labsFolder = folder.filePath(u"labs"_s),
            .dataDir = options.dataDir,
            .engine = std::move(engine)};
}

void waitUntilDone(const Room& room) {
    constexpr int longestMs = 120'000;
    constexpr int stepMs = 50;
    QElapsedTimer since;
    since.start();
    while (room.isBusy() && since.elapsed() < longestMs) waitFor(stepMs / 1000.0);
}

std::vector<Figure> makeFigures(const LaunchOptions& options) {
    FigureSources sources(options.lab, options.dataDir);
    return makeFigures(figureEntries(), options.figures, options.figureFlags, sources);
}

int paintScreenshot(const LaunchOptions& options, Runner::EngineSource engine) {
    const QTemporaryDir folder;
    applyTheme(options);
    MainWindow window(temporaryOptions(folder, options, std::move(engine)));
    QString failure;
    QObject::connect(&window.workspace(), &Workspace::problem, &window,
                     [&failure](const QString&, const QString& sentence) { failure = sentence; });
    if (options.setup) {
        window.workspace().rotary().changeBoth(u"setup"_s, {*options.setup, options.otherSetup});
    }
    if (!options.room.isEmpty()) window.showRoom(options.room, options.part);
    setPreset(window, options.preset);
    const bool isModel = Workspace::isModel(options.lab);
    if (isModel) window.workspace().openModel(options.lab);
    if (!options.lab.isEmpty() && !isModel) {
        window.workspace().lab().open(options.lab, true);
        window.banners().dismiss(u"readonly"_s);  // read-only on purpose, no warning needed
    }
    forceSize(window, options.size);
    window.show();
    if (!options.lecture.isEmpty()) {
        window.windowStage().setUsesFullScreen(false);
        window.lectures().present(options.lecture, options.scene, options.sceneStep);
    }
    if (options.after > 0) {
        window.workspace().start();
        waitFor(options.after);
    } else {
        waitFor(0.2);
    }
    while (window.workspace().isOpeningModel()) waitFor(0.02);
    if (isModel && !options.room.isEmpty()) window.showRoom(options.room, options.part);  // a model opens in Inspect
    waitUntilDone(window.room());
    if (!options.lecture.isEmpty()) waitFor(0.2);  // the lecture says so, too
    savePicture(window, options.screenshot);
    if (!failure.isEmpty()) {
        QTextStream(stderr) << "ropelab: " << failure << '\n';
        return 1;
    }
    return 0;
}

int runHeadless(const LaunchOptions& options, Runner::EngineSource engine) {
    QDir folder(options.output);
    if (!folder.mkpath(u"."_s)) {
        throw BadInput("The folder " + options.output.toStdString() +
                       " cannot be created; choose a folder that can be written.");
    }
    const QTemporaryDir temporary;
    Report out;
    applyTheme(options);
    MainWindow window(temporaryOptions(temporary, options, std::move(engine)));
    Workspace& workspace = window.workspace();
    QStringList problems;
    QObject::connect(&workspace, &Workspace::problem, &window,
                     [&problems](const QString&, const QString& sentence) { problems << sentence; });
    setPreset(window, options.preset);
    const QString name = QString::fromStdString(workspace.experiment().value().name());
    workspace.saveLabAs(unusedLabPath(folder, name.isEmpty() ? u"sweep"_s : name));
    forceSize(window, options.size);
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
        out.print(
            u"%1 %  step %2 of %3, %4 left, %5 tokens/s\n"_s.arg(static_cast<int>(progress->done * 100), 3)
                .arg(groupedText(progress->iteration), groupedText(progress->iterations),
                     std::isfinite(progress->seconds_left) ? durationText(progress->seconds_left) : u"unknown time"_s,
                     roundText(progress->tokens_per_second)));
    });
    workspace.start();
    if (workspace.session().isActive()) {
        out.print(u"%1: training %2\n"_s.arg(
            name, countText(static_cast<std::int64_t>(workspace.runs().runs().size()), u"run"_s)));
        noteStopSignals();
        QTimer watch;  // the runs end with a checkpoint, and what they have is saved
        QObject::connect(&watch, &QTimer::timeout, &workspace.session(), [&] {
            if (stopRequested == 0) return;
            watch.stop();
            workspace.session().stop();
        });
        watch.start(100);
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
            exportFigure(train.plot().toFigure(), paper, file);
            written << file;
        }
    }
    train.showQuantity(u"validation_loss"_s);
    written << folder.filePath(u"window.png"_s);
    savePicture(window, written.last());

    for (const RunView& run : workspace.runs().runs()) {
        out.print(u"  %1  %2, validation loss %3 nats\n"_s.arg(run.name, -24)
                      .arg(stateText(run), run.last ? lossText(run.last->validation_loss) : u"–"_s));
    }
    for (const QString& file : std::as_const(written)) {
        out.print(u"Written: %1\n"_s.arg(QFileInfo(file).absoluteFilePath()));
    }
    out.print(
        u"Longest delay of the window (GUI thread) during training: %1 ms; longest CPU time without processing events: "
        "%2 ms\n"_s.arg(window.stalls().longest(), 0, 'f', 1)
            .arg(window.stalls().longestWork(), 0, 'f', 1));
    for (const QString& sentence : std::as_const(problems)) QTextStream(stderr) << "ropelab: " << sentence << '\n';
    out.check();
    return how == RunState::finished ? 0 : 1;
}

namespace {

ExportOptions paperFor(const std::vector<Figure>& figures, const LaunchOptions& options) {
    ExportOptions paper = options.figureOptions;
    if (!options.isHeightChosen) paper.heightMm = fittedHeightMm(figures, paper);
    const QString problem = options.isForPage && !options.isHeightChosen ? higherThanPage(figures, paper) : QString();
    if (!problem.isEmpty()) throw BadInput(problem.toStdString());
    return paper;
}

/// A figure that cannot be made does not keep the others from being written.
int writeEach(const LaunchOptions& options) {
    if (!QDir().mkpath(options.output))
        throw BadInput("The folder " + options.output.toStdString() + " cannot be created.");
    FigureSources sources(options.lab, options.dataDir);
    QStringList problems;
    for (const QString& name : options.figures) {
        problems << problemOf([&] {
            const std::vector<Figure> figure = makeFigures(figureEntries(), {name}, options.figureFlags, sources);
            ExportOptions paper = paperFor(figure, options);
            for (const FigureFormat format : {FigureFormat::pdf, FigureFormat::svg}) {
                paper.format = format;
                exportPage(figure, paper, QDir(options.output).filePath(name + QLatin1Char('.') + suffixOf(format)));
            }
        });
    }
    problems.removeAll(QString());
    for (const QString& sentence : std::as_const(problems)) QTextStream(stderr) << "ropelab: " << sentence << '\n';
    return problems.isEmpty() ? 0 : 1;
}

}  // namespace

int writeFigure(const LaunchOptions& options) {
    if (options.writesEach) return writeEach(options);
    const std::vector<Figure> figures = makeFigures(options);
    exportPage(figures, paperFor(figures, options), options.output);
    QJsonArray panels;
    QString captions;
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const QString letter = panelLetter(i, figures.size());
        const QString caption = captionOf(figures[i]);
        panels << QJsonObject{{"letter", letter},
                              {"figure", figures[i].name},
                              {"summary", figures[i].summary},
                              {"caption", caption},
                              {"settings", figures[i].settings}};
        captions += (letter.isEmpty() ? QString() : u"(%1) "_s.arg(letter)) + caption + QLatin1Char('\n');
    }
    if (options.asJson) {
        QJsonObject result = panels.first().toObject();
        result["file"] = options.output;
        if (figures.size() > 1) result = {{"file", options.output}, {"panels", panels}};
        printJson(result);
        return 0;
    }
    if (!is_standard_output(toPath(options.output))) print(u"Written: %1\n"_s.arg(options.output));
    if (options.showsCaption) print(captions);
    return 0;
}

int writeSound(const LaunchOptions& options) {
    const Figure figure = makeFigures(options).front();
    const FigureSound sound = soundOf(figure);
    const QByteArray bytes = wavBytes(sound);
    write_output(toPath(options.output), std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
    if (options.asJson) {
        printJson({{"figure", figure.name},
                   {"summary", figure.summary},
                   {"settings", figure.settings},
                   {"sound", sound.words},
                   {"seconds", sound.seconds()},
                   {"file", options.output}});
    } else if (!is_standard_output(toPath(options.output))) {
        print(u"Written: %1 (%2 s). %3\n"_s.arg(options.output).arg(sound.seconds(), 0, 'f', 1).arg(sound.words));
    }
    return 0;
}

int writeReplay(const LaunchOptions& options) {
    const ReplayJob& job = options.replay;
    return writeFrameFiles(options, u"replay"_s, job.output, job.figures,
                           [&](const FrameProgress& progress, const Cancelled& cancelled) {
                               return writeReplay(job, &open_engine, options.dataDir, progress, cancelled);
                           });
}

int writeAnimation(const LaunchOptions& options) {
    const AnimationJob& job = options.animation;
    const RotaryFigure* rotary = findRotaryFigure(job.figure);
    const auto figureOf = [&](int frame) {
        const std::optional<Figure> figure = rotationFigureOf(job.figure, job.sceneOf(frame));
        return figure ? *figure : rotary->make(job.setupOf(frame), {});
    };
    return writeFrameFiles(options, u"animation"_s, job.output, {job.figure},
                           [&](const FrameProgress& progress, const Cancelled& cancelled) {
                               return writeFrames(job, job.frames, figureOf, progress, cancelled);
                           });
}

}  // namespace ropelab::ui
