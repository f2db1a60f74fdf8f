// Measures the handlers of the window's thread: per action of the user its CPU time with everything that follows, and
// each event whose handler takes longer than a frame, 16 ms of CPU time, with its receiver. Optional arguments: --lab
// FILE opens a lab, --train SECONDS trains the settings of the panel on small models and shows each page meanwhile, for
// that long; --changes picks, hides, renames, deletes and pins runs; --lecture NAME goes through a lecture, of --keys N
// keys at most, and with --scene SCENE --train SECONDS shows the live training of that scene. --brief leaves out the
// walk through themes, palette and pages; --page NAME shows that page twice instead.
#include <QApplication>
#include <QElapsedTimer>
#include <QKeyEvent>
#include <QMetaEnum>
#include <QTemporaryDir>
#include <QTextStream>
#include <QThread>
#include <algorithm>
#include <ctime>
#include <functional>
#include <vector>

#include "core/machine/process_memory.h"
#include "ui/help/command_palette.h"
#include "ui/lecture/lecture_player.h"
#include "ui/lecture/presentation/presentation.h"
#include "ui/lecture/presentation/presentation_bands.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/controllers/lecture_controller.h"
#include "ui/window/controllers/window_stage.h"
#include "ui/window/frame/rooms.h"
#include "ui/window/main_window.h"

namespace {

using namespace ropelab;
using namespace ropelab::ui;

constexpr double frame = 16;  // milliseconds

double busyMilliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

struct Handler {
    double milliseconds;
    QString action;  // of the user, before it
    QString event;
};

class MeasuredApplication : public QApplication {
 public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override {
        if (m_isInside) return QApplication::notify(receiver, event);
        m_isInside = true;
        // The receiver may not outlive the event.
        const QString name = QLatin1String(receiver->metaObject()->className()) +
                             (receiver->objectName().isEmpty() ? QString() : QLatin1Char('#') + receiver->objectName());
        const QEvent::Type type = event->type();
        const double before = busyMilliseconds();
        const bool result = QApplication::notify(receiver, event);
        add(busyMilliseconds() - before,
            QStringLiteral("%1 of %2").arg(QLatin1String(QMetaEnum::fromType<QEvent::Type>().valueToKey(type)), name));
        m_isInside = false;
        return result;
    }
    /// Measures no event that the work sends: thousands are sent when the style changes.
    void perform(const std::function<void()>& work) {
        m_isInside = true;
        work();
        m_isInside = false;
    }
    void add(double milliseconds, const QString& event) {
        if (milliseconds > frame) handlers.push_back({milliseconds, action, event});
        longest = std::max(longest, milliseconds);
    }

    std::vector<Handler> handlers;
    QString action;
    double longest = 0;

 private:
    bool m_isInside = false;
};

MeasuredApplication* application = nullptr;
std::unique_ptr<MainWindow> window;

// Until `isDone`, or until the window and its jobs have done nothing for 0.3 s; at most for `seconds`.
void settle(double seconds = 120, const std::function<bool()>& isDone = {}) {
    QElapsedTimer whole;
    QElapsedTimer quiet;
    whole.start();
    quiet.start();
    while (static_cast<double>(whole.elapsed()) < 1000 * seconds && (isDone ? !isDone() : quiet.elapsed() < 300)) {
        const double before = busyMilliseconds();
        QApplication::processEvents();
        const bool works = window && (window->workspace().isOpeningLab() || window->workspace().lab().isAdding() ||
                                      window->room().isBusy());
        if (works || busyMilliseconds() - before > 0.5) quiet.start();
        QThread::msleep(2);
    }
}

void act(const QString& what, const std::function<void()>& work, double seconds = 120,
         const std::function<bool()>& isDone = {}) {
    application->action = what;
    application->longest = 0;
    const double before = busyMilliseconds();
    QElapsedTimer timer;
    timer.start();
    application->perform(work);
    application->add(busyMilliseconds() - before, QStringLiteral("the action"));
    settle(seconds, isDone);
    QTextStream(stdout) << QStringLiteral("%1 %2 ms, longest handler %3 ms\n")
                               .arg(what, -44)
                               .arg(busyMilliseconds() - before, 8, 'f', 1)
                               .arg(application->longest, 8, 'f', 1);
}

void press(QWidget& unfocused, int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    for (const QEvent::Type type : {QEvent::KeyPress, QEvent::KeyRelease}) {
        QWidget* focused = QApplication::focusWidget();
        QApplication::postEvent(focused ? focused : &unfocused, new QKeyEvent(type, key, modifiers));
    }
}

QString argument(const char* name) {
    const QStringList all = QApplication::arguments();
    const qsizetype at = all.indexOf(QLatin1String(name));
    return at < 0 ? QString() : all.value(at + 1);
}

// Themes, palette and pages; at last all pages exist.
void walk(const std::function<void(const char* when)>& tellMemory) {
    ThemeManager& theme = ThemeManager::instance();
    act(QStringLiteral("larger text, one page"), [&] { theme.setScale(110); });
    act(QStringLiteral("smaller text, one page"), [&] { theme.setScale(100); });
    act(QStringLiteral("first palette"), [&] { window->commandPalette().open(); });
    act(QStringLiteral("first letters in the palette"), [&] {
        for (const int key : {Qt::Key_R, Qt::Key_O}) press(*window, key);
    });
    act(QStringLiteral("close the palette"), [&] { press(*window, Qt::Key_Escape); });
    act(QStringLiteral("second palette"), [&] { window->commandPalette().open(); });
    act(QStringLiteral("close the palette"), [&] { press(*window, Qt::Key_Escape); });
    tellMemory("after the palette");
    for (const char* how : {"first", "again"}) {
        for (const RoomEntry& room : rooms()) {
            act(QStringLiteral("page %1, %2").arg(QLatin1String(room.id), QLatin1String(how)),
                [&] { window->showRoom(QLatin1String(room.id)); });
        }
    }
    tellMemory("with all pages");
    for (const char* room : {"train", "rotation", "anatomy", "reproduce"}) {
        act(QStringLiteral("page ") + QLatin1String(room), [&] { window->showRoom(QLatin1String(room)); });
        act(QStringLiteral("larger text, all pages"), [&] { theme.setScale(110); });
        act(QStringLiteral("smaller text, all pages"), [&] { theme.setScale(100); });
        act(QStringLiteral("dark theme, all pages"), [&] { theme.setChoice(ThemeManager::Choice::dark); });
        act(QStringLiteral("light theme, all pages"), [&] { theme.setChoice(ThemeManager::Choice::light); });
    }
    act(QStringLiteral("smaller window"), [&] { window->resize(1000, 700); });
    act(QStringLiteral("larger window"), [&] { window->resize(1280, 800); });
}

// Of one run in the middle of the lab.
void changeRuns() {
    Workspace& workspace = window->workspace();
    window->showRoom(QStringLiteral("train"));
    settle();
    const auto& all = workspace.runs().runs();
    const RunView run = all[all.size() / 2];
    const RunId id = run.record.id;
    act(QStringLiteral("pick a run"), [&] { workspace.runs().pick(id); });
    act(QStringLiteral("hide a run"), [&] { workspace.runs().setVisible(id, false); });
    act(QStringLiteral("show a run"), [&] { workspace.runs().setVisible(id, true); });
    act(QStringLiteral("rename a run"), [&] { workspace.renameRun(id, QStringLiteral("another name")); });
    act(QStringLiteral("edit a note"), [&] { workspace.annotateRun(id, QStringLiteral("a note")); });
    act(QStringLiteral("delete a run"), [&] { workspace.deleteRun(id); });
    act(QStringLiteral("undo"), [&] { workspace.undo().undo(); });
    SettingLook look = workspace.runs().colors().lookOf(run.setting);
    look.pinned = !look.pinned;
    act(QStringLiteral("pin a setting"), [&] { workspace.changeLook(QStringLiteral("pin"), look); });
    while (workspace.undo().canUndo()) act(QStringLiteral("undo"), [&] { workspace.undo().undo(); });
}

bool hasEnded() {
    return !window->workspace().session().isActive();
}

// `start` starts a sweep on this page.
void trainFor(double seconds, const std::function<void()>& start) {
    const auto isTraining = [] {
        const auto& progress = window->workspace().session().progress();
        return progress && progress->iteration > 0;
    };
    act(QStringLiteral("start the training"), start, 120, isTraining);
    act(
        QStringLiteral("training, this page"), [] {}, seconds, hasEnded);
    if (const auto& progress = window->workspace().session().progress())
        QTextStream(stdout) << QStringLiteral("step %1 of %2\n").arg(progress->iteration).arg(progress->iterations);
}

// A scene of a lecture trains beside its recording, also where this takes longer than the scene plans.
void trainScene(const QString& lecture, const QString& scene, double seconds) {
    WindowStage& stage = window->windowStage();
    act(
        QStringLiteral("begin at the scene"), [&] { window->lectures().present(lecture, scene, 0); }, 5);
    if (!stage.whyRecorded().isEmpty()) {
        act(
            QStringLiteral("train anyway"), [] { press(*window, Qt::Key_L); }, 5);
    }
    act(
        QStringLiteral("training, this scene"), [] {}, seconds, [&] { return stage.progress().isEmpty(); });
    QTextStream(stdout) << QStringLiteral("the scene says: %1\n").arg(stage.progress());
}

void walkLecture(const QString& lecture) {
    act(
        QStringLiteral("begin the lecture"),
        [&] { window->actions().action(QStringLiteral("lecture.open.") + lecture)->trigger(); }, 3);
    const LecturePlayer& player = window->lectures().player();
    const PresentationPage* page = window->lectures().presentation().page();
    const int most = argument("--keys").isEmpty() ? 1000 : argument("--keys").toInt();
    for (int i = 1; i <= most && !page->words().startsWith(QStringLiteral("The lecture ends here")); ++i) {
        const QString before = QStringLiteral("%1/%2").arg(player.scene() + 1).arg(player.step() + 1);
        act(
            QStringLiteral("key %1 at %2").arg(i).arg(before), [] { press(*window, Qt::Key_PageDown); }, 1.5);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    MeasuredApplication measured(argc, argv);
    application = &measured;
    const QTemporaryDir folder;
    act(QStringLiteral("start"), [&] {
        ThemeManager::instance().apply();
        window = std::make_unique<MainWindow>(
            WorkspaceOptions{.settingsFile = folder.filePath(QStringLiteral("settings.ini")),
                             .labsFolder = folder.filePath(QStringLiteral("labs")),
                             .dataDir = {},
                             .engine = {}});
        window->resize(1280, 800);
        window->show();
        QApplication::processEvents();
    });
    const auto tellMemory = [](const char* when) {
        QTextStream(stdout) << QStringLiteral("memory %1: %2 MB\n")
                                   .arg(QLatin1String(when))
                                   .arg(static_cast<double>(process_memory().now) / 1e6, 0, 'f', 0);
    };
    tellMemory("after the start");
    if (const QString lab = argument("--lab"); !lab.isEmpty()) {
        act(QStringLiteral("open the lab"), [&] { window->workspace().openLab(lab); });
        tellMemory("with the lab");
    }
    if (const QString page = argument("--page"); !page.isEmpty()) {
        for (const char* how : {"first", "again"}) {
            act(QStringLiteral("page %1, %2").arg(page, QLatin1String(how)), [&] { window->showRoom(page); });
            act(QStringLiteral("page train"), [&] { window->showRoom(QStringLiteral("train")); });
        }
    } else if (!QApplication::arguments().contains(QStringLiteral("--brief"))) {
        walk(tellMemory);
    }
    if (QApplication::arguments().contains(QStringLiteral("--changes"))) changeRuns();
    const double seconds = argument("--train").toDouble();
    const QString scene = argument("--scene");
    if (seconds > 0 && scene.isEmpty()) {
        window->showRoom(QStringLiteral("train"));
        settle();
        window->workspace().experiment().edit(QStringLiteral("smaller models"), [](Experiment& experiment) {
            const std::pair<const char*, const char*> small[] = {{"layers", "1"},
                                                                 {"width", "32"},
                                                                 {"context", "32"},
                                                                 {"batch", "4"},
                                                                 {"evaluation_batches", "1"},
                                                                 {"iterations", "1000"},
                                                                 {"evaluate_every", "20"},
                                                                 {"seed", "1337"}};
            for (const auto& [name, value] : small) experiment.set(name, {value});
        });
        trainFor(seconds, [] { window->workspace().start(); });
        for (const RoomEntry& room : rooms()) {
            act(
                QStringLiteral("training, page ") + QLatin1String(room.id),
                [&] { window->showRoom(QLatin1String(room.id)); }, seconds, hasEnded);
        }
        act(QStringLiteral("stop the training"), [&] { window->workspace().session().stop(); });
    }
    if (const QString lecture = argument("--lecture"); !lecture.isEmpty()) {
        scene.isEmpty() ? walkLecture(lecture) : trainScene(lecture, scene, seconds);
        act(QStringLiteral("leave the presentation"), [&] { press(*window, Qt::Key_Escape); });
        act(QStringLiteral("end the lecture"), [&] { window->lectures().end(); });
    }
    std::vector<Handler>& handlers = measured.handlers;
    std::sort(handlers.begin(), handlers.end(),
              [](const Handler& a, const Handler& b) { return a.milliseconds > b.milliseconds; });
    QTextStream(stdout) << QStringLiteral("%1 handlers above 16 ms; the longest:\n").arg(handlers.size());
    for (std::size_t i = 0; i < std::min<std::size_t>(handlers.size(), 40); ++i) {
        QTextStream(stdout) << QStringLiteral("%1 ms  %2: %3\n")
                                   .arg(handlers[i].milliseconds, 7, 'f', 1)
                                   .arg(handlers[i].action, handlers[i].event);
    }
    window.reset();
    return 0;
}
