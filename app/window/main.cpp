// Entry point of the window program ropelab: parses the command line and starts the mode that it selects (ui/window).

#include <malloc.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QIcon>
#include <QLoggingCategory>
#include <QPointer>
#include <QStackedWidget>
#include <QTextStream>
#include <QTimer>
#include <csignal>
#include <cstdlib>
#include <new>

#include "core/base/error.h"
#include "core/data/utf8.h"
#include "core/forecast/time_model.h"
#include "core/machine/openmp.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/batch/batch_modes.h"
#include "ui/window/batch/launch_options.h"
#include "ui/window/batch/standard_output.h"
#include "ui/window/batch/verify_figure.h"
#include "ui/window/controllers/lab_controller.h"
#include "ui/window/controllers/lecture_controller.h"
#include "ui/window/frame/rooms.h"
#include "ui/window/main_window.h"
#include "ui/window/stop_signals.h"

using namespace Qt::StringLiterals;

namespace {

using namespace ropelab;
using namespace ropelab::ui;
using Mode = LaunchOptions::Mode;

/// Opening the engine takes a second and 130 MB, so it begins when the pointer or the keyboard reaches the panel of
/// Train.
class EnginePreparation : public QObject {
 public:
    explicit EnginePreparation(MainWindow& window) : QObject(&window), m_window(window) {
        window.roomStack().panels().installEventFilter(this);
        connect(qApp, &QApplication::focusChanged, this, [this](const QWidget*, const QWidget* now) {
            if (now && m_window.roomStack().panels().isAncestorOf(now)) prepare();
        });
    }
    bool eventFilter(QObject* /*watched*/, QEvent* event) override {
        if (event->type() == QEvent::Enter) prepare();
        return false;
    }

 private:
    void prepare() {
        if (m_window.roomStack().currentId() != u"train"_s) return;
        m_window.workspace().prepareEngine();
        deleteLater();
    }
    MainWindow& m_window;
};

class Application : public QApplication {
 public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override {
        if (!window) return QApplication::notify(receiver, event);
        try {
            return QApplication::notify(receiver, event);
        } catch (const std::bad_alloc&) {
            show(u"There is not enough memory for this action; choose smaller sizes or a lab file with fewer runs."_s);
        } catch (const std::exception& error) {
            show(QString::fromUtf8(error.what()));
        }
        return true;
    }

    QPointer<MainWindow> window;

 private:
    void show(const QString& sentence) { window->banners().show(u"exception"_s, BannerArea::Kind::error, sentence); }
};

int openWindow(Application& application, const LaunchOptions& options, const QElapsedTimer& sinceStart) {
    WorkspaceOptions workspace;
    workspace.dataDir = options.dataDir;
    MainWindow window(std::move(workspace));
    application.window = &window;
    window.restoreSettings();
    window.lectures().setChecksCurves(options.mode == Mode::window);
    if (options.setup) {
        window.workspace().rotary().changeBoth(u"setup of the command line"_s, {*options.setup, options.otherSetup});
    }
    if (!options.room.isEmpty()) window.showRoom(options.room, options.part);
    ThemeManager& theme = ThemeManager::instance();
    if (options.theme) {
        theme.setChoice(*options.theme == Appearance::dark ? ThemeManager::Choice::dark : ThemeManager::Choice::light);
    }
    if (options.scale != 100) theme.setScale(options.scale);
    if (!options.lab.isEmpty()) {
        // Both report errors in a banner and leave the window open.
        const bool isModel = Workspace::isModel(options.lab);
        isModel ? window.workspace().openModel(options.lab) : window.workspace().openLab(options.lab);
    } else if (options.mode == Mode::window) {
        window.labs().restore();
        if (options.room.isEmpty()) window.restoreRoom();
    }
    qint64 elapsed = -1;  // milliseconds until the window was ready; printed only in the mode startup
    if (options.mode == Mode::startup) {
        QObject::connect(&window, &MainWindow::ready, &window, [&] {
            elapsed = sinceStart.elapsed();
            QCoreApplication::quit();
        });
    }
    window.show();
    if (options.mode == Mode::window) new EnginePreparation(window);
    if (!options.lecture.isEmpty()) {
        QTimer::singleShot(0, &window, [&window, options] {
            try {
                window.lectures().present(options.lecture, options.scene, options.sceneStep);
            } catch (const BadInput& error) {
                window.banners().show(u"lecture"_s, BannerArea::Kind::error, QString::fromUtf8(error.what()));
            }
        });
    }
    // The sweep stops after its current step and saves its checkpoints, as when the window is closed.
    onStopSignal(&window, [&window] {
        window.workspace().whenIdle([&window] {
            QTimer::singleShot(0, &window, [&window] {
                window.close();
                QCoreApplication::exit(0);  // even if a dialog is open
            });
        });
    });
    const int status = QApplication::exec();
    if (elapsed >= 0) print(u"%1 ms until the window was ready\n"_s.arg(elapsed));
    return status;
}

// Qt ends the program by a signal if it cannot open a display.
void refuseMissingDisplay(QtMsgType type, const QMessageLogContext& /*context*/, const QString& message) {
    if (type != QtFatalMsg) return;
    QTextStream(stderr)
        << "ropelab: The window cannot be opened, because there is no display that this program can use "
           "(DISPLAY or WAYLAND_DISPLAY). Start it in a desktop session or through \"ssh -X\"; ropelab-cli "
           "trains and draws figures without a display.\n";
    if (!message.contains("no Qt platform plugin"_L1)) QTextStream(stderr) << "Qt: " << message << '\n';
    std::_Exit(1);
}

QString shown(const std::exception& error) {
    return QString::fromStdString(message_text(error.what()));
}

}  // namespace

int main(int argc, char** argv) {
    reserve_standard_descriptors();
    // A closed pipe and a file that reaches its size limit then make a write fail, which is reported.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    restart_with_configured_openmp(argv);
    // Freed pixels go back to the system, where glibc would move later ones between small blocks of its heap. The
    // engine sets the same threshold.
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    QElapsedTimer sinceStart;
    sinceStart.start();
    QStringList arguments;
    for (int i = 0; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
    QCoreApplication::setApplicationName(u"ropelab"_s);
    QCoreApplication::setOrganizationName(u"ropelab"_s);
    QCoreApplication::setApplicationVersion(QLatin1String(ROPELAB_VERSION));
    try {
        const LaunchOptions options = parseLaunchOptions(arguments);
        if (options.mode == Mode::help) {
            print(options.helpText);
            return 0;
        }
        if (options.mode == Mode::version) {
            print(u"ropelab %1\n"_s.arg(QLatin1String(ROPELAB_VERSION)));
            return 0;
        }
        use_times_file(user_times_file());
        const bool needsDisplay = options.mode == Mode::window || options.mode == Mode::startup;
        if (!needsDisplay) {  // Qt tries one platform after the other
            const QByteArray chosen = qgetenv("QT_QPA_PLATFORM");
            qputenv("QT_QPA_PLATFORM", chosen.isEmpty() ? "offscreen" : chosen + ";offscreen");
        }
        // Qt's warnings about the desktop session, such as a missing XDG_RUNTIME_DIR, do not concern a mode without a
        // window. Without them, standard error contains only the program's own sentences. The environment variable
        // QT_LOGGING_RULES="default.warning=true" shows them again.
        if (!needsDisplay) QLoggingCategory::setFilterRules(u"default.warning=false"_s);
        const QtMessageHandler before = qInstallMessageHandler(refuseMissingDisplay);
        Application application(argc, argv);
        qInstallMessageHandler(before);
        QGuiApplication::setApplicationDisplayName(u"RoPE Lab"_s);
        QGuiApplication::setDesktopFileName(u"org.ropelab.RopeLab"_s);  // by which a desktop finds name and icon
        QGuiApplication::setWindowIcon(QIcon(u":/theme/icon.svg"_s));
        ThemeManager::instance().apply();
        switch (options.mode) {
            case Mode::screenshot:
                return paintScreenshot(options);
            case Mode::headless:
                return runHeadless(options);
            case Mode::figure:
                return options.isSound ? writeSound(options) : writeFigure(options);
            case Mode::verify:
                return verifyFigure(options);
            case Mode::replay:
                return writeReplay(options);
            case Mode::animate:
                return writeAnimation(options);
            case Mode::document:
                return writeLectureDocument(options);
            default:
                return openWindow(application, options, sinceStart);
        }
    } catch (const BadInput& error) {
        QTextStream(stderr) << "ropelab: " << shown(error) << '\n';
        return 2;
    } catch (const std::bad_alloc&) {
        QTextStream(stderr)
            << "ropelab: There is not enough memory; choose smaller sizes or a lab file with fewer runs.\n";
        return 1;
    } catch (const std::exception& error) {
        QTextStream(stderr) << "ropelab: " << shown(error) << '\n';
        return 1;
    }
}
