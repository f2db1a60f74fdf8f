// Actions of the main window. Menus, command palette, shortcuts and keyboard sheet are made from them.
#include <QAbstractButton>
#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QStackedWidget>
#include <QUrl>

#include "ui/common/room.h"
#include "ui/sound/figure_player.h"
#include "ui/theme/dialogs.h"
#include "ui/theme/motion.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/command_palette.h"
#include "ui/window/explanation_card.h"
#include "ui/window/formula_book.h"
#include "ui/window/keyboard_sheet.h"
#include "ui/window/main_window.h"
#include "ui/window/report_writer.h"
#include "ui/window/room_stack.h"
#include "ui/window/rooms.h"

namespace ropelab::ui {

void MainWindow::addActions() {
    addLabActions();
    addFigureActions();
    addReportAction();
    addRotaryActions();
    int index = 0;
    for (const RoomEntry& entry : rooms()) {
        if (entry.addActions) entry.addActions(*m_actions, *m_rooms, index);
        ++index;
    }
    addViewActions();
    addListenAction();
    addRunActions();
    addLectureActions();
    addCourseActions();
    addHelpActions();
    m_actions->fill(menuBar());

    auto* recent = new QMenu(tr("Open recent lab"), this);
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { showRecent(recent); });
    m_actions->menu(QStringLiteral("File"))->insertMenu(m_actions->action(QStringLiteral("lab.save")), recent);
}

void MainWindow::addLabActions() {
    m_actions->add({.id = "lab.new",
                    .menu = "File",
                    .text = tr("Start new lab"),
                    .shortcuts = {QKeySequence::New},
                    .handler = [this] { m_workspace.newLab(); }});
    m_actions->add({.id = "lab.open",
                    .menu = "File",
                    .text = tr("Open lab …"),
                    .shortcuts = {QKeySequence::Open},
                    .handler = [this] {
                        const QString path =
                            dialogs().open(this, {.title = tr("Open a lab"), .filters = tr("Labs (*.ropelab)")});
                        if (!path.isEmpty()) m_workspace.openLab(path);
                    }});
    m_actions->add({.id = "lab.save",
                    .menu = "File",
                    .text = tr("Save lab as …"),
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_S), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)},
                    .handler = [this] {
                        const QString path = dialogs().save(this, {.title = tr("Save the lab as"),
                                                                   .path = QStringLiteral("untitled.ropelab"),
                                                                   .filters = tr("Labs (*.ropelab)")});
                        if (!path.isEmpty()) m_workspace.saveLabAs(path);
                    }});
    // Undo and Redo apply to what the current room changes. They are enabled while a playback runs, which undoing
    // stops.
    m_actions->add({.id = "edit.undo",
                    .menu = "Edit",
                    .text = tr("Undo"),
                    .shortcuts = {QKeySequence::Undo},
                    .handler = [this] { undo(); },
                    .enabled = [this] { return ownsUndo() && (undoStack().canUndo() || room().isEditing()); },
                    .liveText =
                        [this] {
                            const QString what = undoStack().undoText();
                            return what.isEmpty() ? tr("Undo") : tr("Undo: %1").arg(what);
                        }});
    m_actions->add({.id = "edit.redo",
                    .menu = "Edit",
                    .text = tr("Redo"),
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)},
                    .handler = [this] { redo(); },
                    .enabled = [this] { return ownsUndo() && undoStack().canRedo(); },
                    .liveText =
                        [this] {
                            const QString what = undoStack().redoText();
                            return what.isEmpty() ? tr("Redo") : tr("Redo: %1").arg(what);
                        }});
}

void MainWindow::addFigureActions() {
    m_actions->add({.id = "figure.export",
                    .menu = "File",
                    .text = tr("Export figure …"),
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_E)},
                    .handler = [this] { room().openExport(); },
                    .enabled = [this] { return room().hasFigure(); },
                    .separatorBefore = true});
    m_actions->add({.id = "figure.exportRoom",
                    .menu = "File",
                    .text = tr("Export room …"),
                    .handler = [this] { room().openRoomExport(); },
                    .enabled = [this] { return room().hasFigure(); }});
    m_actions->add({.id = "figure.copy",
                    .menu = "Edit",
                    .text = tr("Copy figure"),
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)},
                    .handler = [this] { room().copy(); },
                    .enabled = [this] { return room().hasFigure(); },
                    .separatorBefore = true});
    m_actions->add({.id = "figure.caption",
                    .menu = "Edit",
                    .text = tr("Copy caption of figure"),
                    .handler = [this] { room().copyCaption(); },
                    .enabled = [this] { return room().hasFigure(); }});
    // F2 opens the table where a figure has the keyboard focus; in tables it edits a cell.
    m_actions->add({.id = "figure.table",
                    .menu = "Edit",
                    .text = tr("Show figure as table (F2 in a figure)"),
                    .handler = [this] { room().openTable(); },
                    .enabled = [this] { return room().hasFigure(); }});
}

void MainWindow::addListenAction() {
    m_actions->add({.id = "figure.listen",
                    .menu = "View",
                    .text = tr("Listen to figure"),
                    .shortcuts = {QKeySequence(Qt::Key_F4)},
                    .handler = [this] { room().listen(); },
                    .enabled = [this] { return FigurePlayer::whyUnavailable().isEmpty() && room().hasFigure(); },
                    .liveText = [] { return Room::listenText(); },
                    .separatorBefore = true});
}

void MainWindow::addReportAction() {
    m_actions->add({.id = "lab.report",
                    .menu = "File",
                    .text = tr("Write report …"),
                    .handler =
                        [this] {
                            const QString folder =
                                dialogs().folder(this, {.title = tr("Folder in which the report is written")});
                            if (folder.isEmpty()) return;
                            const QString report = QDir(folder).filePath(m_workspace.lab().name() + tr("-report"));
                            m_report->start(m_workspace.lab().path(), report);
                            m_banners->show(QStringLiteral("report"), BannerArea::Kind::information,
                                            tr("The report of this lab is being written to %1.").arg(report));
                        },
                    .enabled = [this] { return !m_workspace.runs().runs().empty() && !m_report->isRunning(); }});
    connect(m_report, &ReportWriter::finished, this, [this](const QString& folder) {
        m_actions->refresh();
        m_banners->show(
            QStringLiteral("report"), BannerArea::Kind::information,
            tr("The report was written to %1 as Markdown, HTML and LaTeX.").arg(folder),
            {{tr("Open report"), [folder] {
                  QDesktopServices::openUrl(QUrl::fromLocalFile(QDir(folder).filePath(QStringLiteral("report.html"))));
              }}});
    });
    connect(m_report, &ReportWriter::failed, this, [this](const QString& sentence) {
        m_actions->refresh();
        m_banners->show(QStringLiteral("report"), BannerArea::Kind::error, sentence);
    });
}

void MainWindow::addViewActions() {
    using Choice = ThemeManager::Choice;
    ThemeManager& theme = ThemeManager::instance();
    struct Entry {
        const char* id;
        QString text;
        Choice choice;
    };
    const Entry choices[] = {{"view.light", tr("Light theme"), Choice::light},
                             {"view.dark", tr("Dark theme"), Choice::dark},
                             {"view.contrast", tr("High-contrast theme"), Choice::contrast},
                             {"view.system", tr("Theme of the system"), Choice::system}};
    for (const Entry& entry : choices) {
        m_actions->add({.id = entry.id,
                        .menu = "View",
                        .text = entry.text,
                        .handler = [&theme, choice = entry.choice] { theme.setChoice(choice); },
                        .checked = [&theme, choice = entry.choice] { return theme.choice() == choice; },
                        .separatorBefore = entry.choice == Choice::light});
    }
    m_actions->add({.id = "view.motion",
                    .menu = "View",
                    .text = tr("Reduce motion"),
                    .handler =
                        [this] {
                            setMotionReduced(!isMotionReduced());
                            m_workspace.settings().setValue("window/reduced_motion", isMotionReduced());
                        },
                    .checked = [] { return isMotionReduced(); }});
    m_actions->add({.id = "view.larger",
                    .menu = "View",
                    .text = tr("Larger text and controls"),
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_Plus), QKeySequence(Qt::CTRL | Qt::Key_Equal)},
                    .handler = [&theme] { theme.larger(); },
                    .enabled = [&theme] { return theme.scale() < 250; },
                    .separatorBefore = true});
    m_actions->add({.id = "view.smaller",
                    .menu = "View",
                    .text = tr("Smaller text and controls"),
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_Minus)},
                    .handler = [&theme] { theme.smaller(); },
                    .enabled = [&theme] { return theme.scale() > 100; }});
    m_actions->add({.id = "view.scale100",
                    .menu = "View",
                    .text = tr("Reset size to 100 %"),
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_0)},
                    .handler = [&theme] { theme.setScale(100); }});
    m_actions->add({.id = "view.panel",
                    .menu = "View",
                    .text = tr("Show settings panel"),
                    .shortcuts = {QKeySequence(Qt::Key_F9)},
                    .handler = [this] { togglePanel(); },
                    .checked = [this] { return isPanelShown(); },
                    .separatorBefore = true});
    m_actions->add({.id = "view.rail",
                    .menu = "View",
                    .text = tr("Show room names"),
                    .shortcuts = {QKeySequence(Qt::SHIFT | Qt::Key_F9)},
                    .handler = [this] { setRailFolded(!m_railFolded); },
                    .checked = [this] { return !m_railFolded; }});
    m_actions->add({.id = "view.fullscreen",
                    .menu = "View",
                    .text = tr("Show in full screen"),
                    .shortcuts = {QKeySequence(Qt::Key_F11)},
                    .handler = [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); },
                    .checked = [this] { return isFullScreen(); }});
    int number = 0;
    for (const RoomEntry& room : rooms()) {
        ++number;
        m_actions->add({.id = QStringLiteral("room.") + QLatin1String(room.id),
                        .menu = "View",
                        .text = tr("Room: %1").arg(room.title),
                        .shortcuts = {roomShortcut(number)},
                        .handler =
                            [this, id = QString::fromLatin1(room.id)] {
                                showRoom(id);
                                focusPicture();
                            },
                        .separatorBefore = number == 1});
    }
}

void MainWindow::addRunActions() {
    SweepSession& session = m_workspace.session();
    m_actions->add({.id = "run.start",
                    .menu = "Run",
                    .text = tr("Start sweep"),
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::Key_Enter)},
                    .handler = [this] { m_workspace.start(); },
                    .enabled = [&session] { return !session.isActive(); }});
    m_actions->add({.id = "run.pause",
                    .menu = "Run",
                    .text = tr("Pause sweep"),
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)},
                    .handler = [this] { m_workspace.pauseOrResume(); },
                    .enabled =
                        [&session] {
                            return session.state() == SweepSession::State::running ||
                                   session.state() == SweepSession::State::paused;
                        },
                    .liveText =
                        [&session] {
                            return session.state() == SweepSession::State::paused ? tr("Resume sweep")
                                                                                  : tr("Pause sweep");
                        }});
    m_actions->add({.id = "run.stop",
                    .menu = "Run",
                    .text = tr("Stop sweep"),
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_Period)},
                    .handler = [&session] { session.stop(); },
                    .enabled = [&session] { return session.isActive(); }});
    m_actions->add({.id = "run.continue",
                    .menu = "Run",
                    .text = tr("Resume unfinished runs"),
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return)},
                    .handler = [this] { m_workspace.resumeRuns(m_workspace.unfinishedRuns()); },
                    .enabled = [this] { return !m_workspace.unfinishedRuns().empty(); }});
    m_actions->add({.id = "room.play",
                    .menu = "Run",
                    .text = tr("Play or pause in this room"),
                    .shortcuts = {QKeySequence(Qt::Key_Space)},
                    .handler = [this] { room().playButton()->click(); },
                    .enabled =
                        [this] {
                            const QAbstractButton* play = room().playButton();
                            return play && play->isVisible() && play->isEnabled();
                        },
                    .separatorBefore = true});
}

void MainWindow::addHelpActions() {
    m_actions->add({.id = "help.palette",
                    .menu = "Help",
                    .text = tr("Find …"),
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_K)},
                    .handler = [this] { m_palette->open(); }});
    m_actions->add({.id = "help.keyboard",
                    .menu = "Help",
                    .text = tr("Keyboard shortcuts"),
                    .shortcuts = {QKeySequence(Qt::SHIFT | Qt::Key_F1)},
                    .handler = [this] { m_sheet->toggle(); }});
    m_actions->add({.id = "help.why",
                    .menu = "Help",
                    .text = tr("Explain current item"),
                    .shortcuts = {QKeySequence(Qt::Key_F1)},
                    .handler = [this] {
                        if (m_sheet->isVisible() || !m_why->toggle()) m_sheet->toggle();
                    }});
    m_actions->add({.id = "help.formulas",
                    .menu = "Help",
                    .text = tr("Formulas"),
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_F1)},
                    .handler = [this] {
                        // If the current explanation refers to a formula, that formula is shown.
                        const bool isExplained = m_why->isVisible();
                        showFormulas(isExplained ? formulasIn(m_why->why().text).value(0) : 0);
                    }});
    m_actions->add(
        {.id = "rotary.statements", .menu = "Help", .text = tr("Wrong statements about RoPE"), .handler = [this] {
             showStatements();
         }});
    m_actions->add({.id = "help.about", .menu = "Help", .text = tr("About RoPE Lab"), .handler = [this] {
                        m_banners->show(QStringLiteral("about"), BannerArea::Kind::information,
                                        tr("RoPE Lab %1 trains small language models and shows how rotary position "
                                           "embeddings work. It is free software under the GNU GPL, version 3 or "
                                           "later.")
                                            .arg(QCoreApplication::applicationVersion()));
                    }});
    m_actions->add({.id = "lab.quit",
                    .menu = "File",
                    .text = tr("Quit"),
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_Q)},
                    .handler = [this] { close(); },
                    .separatorBefore = true});
}

void MainWindow::showRecent(QMenu* menu) {
    menu->clear();
    const QStringList labs = m_workspace.settings().recentLabs();
    for (const QString& path : labs) {
        QAction* action = menu->addAction(QFileInfo(path).completeBaseName());
        action->setToolTip(path);
        action->setStatusTip(path);
        connect(action, &QAction::triggered, this, [this, path] { m_workspace.openLab(path); });
    }
    if (labs.isEmpty()) menu->addAction(tr("No recent labs"))->setEnabled(false);
}

}  // namespace ropelab::ui
