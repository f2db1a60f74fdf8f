#include "ui/window/window_actions.h"

#include <QAbstractButton>
#include <QCoreApplication>
#include <QMenuBar>
#include <QPointer>
#include <QSet>
#include <QUndoStack>

#include "ui/help/command_palette.h"
#include "ui/help/explanation_card.h"
#include "ui/help/guide_pages.h"
#include "ui/help/keyboard_sheet.h"
#include "ui/models/model_entry.h"
#include "ui/rotary/setup_panel.h"
#include "ui/session/undo_step.h"
#include "ui/shell/findables.h"
#include "ui/sound/figure_player.h"
#include "ui/theme/motion.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/class_controller.h"
#include "ui/window/lab_controller.h"
#include "ui/window/lecture_controller.h"
#include "ui/window/main_window.h"
#include "ui/window/rotary_controller.h"
#include "ui/window/status_strip.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

QUndoStack& undoStack(MainWindow& window) {
    Workspace& workspace = window.workspace();
    return window.room().undoScope() == Room::UndoScope::rotary ? workspace.rotaryUndo() : workspace.undo();
}

/// False while a lecture shows another lab, to which the steps of the user's lab do not belong.
bool ownsUndo(MainWindow& window) {
    return window.room().undoScope() == Room::UndoScope::rotary || window.workspace().lab().isOwn();
}

// Undo and Redo apply to what the current room changes. They are enabled while a playback runs, which undoing stops.
void addUndoActions(MainWindow& window) {
    window.actions().add(
        {.id = "edit.undo",
         .menu = "Edit",
         .text = u"Undo"_s,
         .shortcuts = {QKeySequence::Undo},
         .handler =
             [&window] {
                 window.room().endEdit();
                 window.strip().tell(undoLatest(undoStack(window)));
             },
         .enabled =
             [&window] { return ownsUndo(window) && (undoStack(window).canUndo() || window.room().isEditing()); },
         .liveText =
             [&window] {
                 const QString what = undoStack(window).undoText();
                 return what.isEmpty() ? u"Undo"_s : u"Undo: %1"_s.arg(what);
             }});
    window.actions().add(
        {.id = "edit.redo",
         .menu = "Edit",
         .text = u"Redo"_s,
         .shortcuts = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)},
         .handler =
             [&window] {
                 window.room().endEdit();
                 window.strip().tell(redoNext(undoStack(window)));
             },
         .enabled = [&window] { return ownsUndo(window) && undoStack(window).canRedo(); },
         .liveText =
             [&window] {
                 const QString what = undoStack(window).redoText();
                 return what.isEmpty() ? u"Redo"_s : u"Redo: %1"_s.arg(what);
             }});
}

void addFigureActions(MainWindow& window) {
    ActionRegistry& actions = window.actions();
    const auto hasFigure = [&window] { return window.room().hasFigure(); };
    actions.add({.id = "figure.export",
                 .menu = "File",
                 .text = u"Export figure …"_s,
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_E)},
                 .handler = [&window] { window.room().openExport(); },
                 .enabled = hasFigure,
                 .separatorBefore = true});
    actions.add({.id = "figure.exportRoom",
                 .menu = "File",
                 .text = u"Export page …"_s,
                 .handler = [&window] { window.room().openRoomExport(); },
                 .enabled = hasFigure});
    actions.add({.id = "figure.copy",
                 .menu = "Edit",
                 .text = u"Copy figure"_s,
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)},
                 .handler = [&window] { window.room().copy(); },
                 .enabled = hasFigure,
                 .separatorBefore = true});
    actions.add({.id = "figure.caption",
                 .menu = "Edit",
                 .text = u"Copy caption of figure"_s,
                 .handler = [&window] { window.room().copyCaption(); },
                 .enabled = hasFigure});
    // F2 opens the table where a figure has the keyboard focus; in tables it edits a cell.
    actions.add({.id = "figure.table",
                 .menu = "Edit",
                 .text = u"Show figure as table (F2 in a figure)"_s,
                 .handler = [&window] { window.room().openTable(); },
                 .enabled = hasFigure});
}

void addListenAction(MainWindow& window) {
    window.actions().add(
        {.id = "figure.listen",
         .menu = "View",
         .text = u"Listen to figure"_s,
         .shortcuts = {QKeySequence(Qt::Key_F4)},
         .handler = [&window] { window.room().listen(); },
         .enabled = [&window] { return FigurePlayer::whyUnavailable().isEmpty() && window.room().hasFigure(); },
         .liveText = [] { return Room::listenText(); },
         .separatorBefore = true});
}

void addThemeActions(MainWindow& window) {
    using Choice = ThemeManager::Choice;
    ActionRegistry& actions = window.actions();
    ThemeManager& theme = ThemeManager::instance();
    struct Entry {
        const char* id;
        QString text;
        Choice choice;
    };
    const Entry choices[] = {{"view.light", u"Light theme"_s, Choice::light},
                             {"view.dark", u"Dark theme"_s, Choice::dark},
                             {"view.contrast", u"High-contrast theme"_s, Choice::contrast},
                             {"view.system", u"Theme of the system"_s, Choice::system}};
    for (const Entry& entry : choices) {
        actions.add({.id = entry.id,
                     .menu = "View",
                     .text = entry.text,
                     .handler = [&theme, choice = entry.choice] { theme.setChoice(choice); },
                     .checked = [&theme, choice = entry.choice] { return theme.choice() == choice; },
                     .separatorBefore = entry.choice == Choice::light});
    }
    actions.add({.id = "view.motion",
                 .menu = "View",
                 .text = u"Reduce motion"_s,
                 .handler =
                     [&window] {
                         setMotionReduced(!isMotionReduced());
                         window.workspace().settings().setValue("window/reduced_motion", isMotionReduced());
                     },
                 .checked = [] { return isMotionReduced(); }});
    actions.add({.id = "view.larger",
                 .menu = "View",
                 .text = u"Larger text and controls"_s,
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_Plus), QKeySequence(Qt::CTRL | Qt::Key_Equal)},
                 .handler = [&theme] { theme.larger(); },
                 .enabled = [&theme] { return theme.scale() < 250; },
                 .separatorBefore = true});
    actions.add({.id = "view.smaller",
                 .menu = "View",
                 .text = u"Smaller text and controls"_s,
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_Minus)},
                 .handler = [&theme] { theme.smaller(); },
                 .enabled = [&theme] { return theme.scale() > 100; }});
    actions.add({.id = "view.scale100",
                 .menu = "View",
                 .text = u"Reset text size to 100 %"_s,
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_0)},
                 .handler = [&theme] { theme.setScale(100); }});
}

void addViewActions(MainWindow& window) {
    ActionRegistry& actions = window.actions();
    actions.add({.id = "view.panel",
                 .menu = "View",
                 .text = u"Show settings panel"_s,
                 .shortcuts = {QKeySequence(Qt::Key_F9)},
                 .handler = [&window] { window.togglePanel(); },
                 .checked = [&window] { return window.isPanelShown(); },
                 .separatorBefore = true});
    actions.add({.id = "view.rail",
                 .menu = "View",
                 .text = u"Show names of pages"_s,
                 .shortcuts = {QKeySequence(Qt::SHIFT | Qt::Key_F9)},
                 .handler = [&window] { window.setRailFolded(!window.isRailFolded()); },
                 .checked = [&window] { return !window.isRailFolded(); }});
    actions.add({.id = "view.fullscreen",
                 .menu = "View",
                 .text = u"Show in full screen"_s,
                 .shortcuts = {QKeySequence(Qt::Key_F11)},
                 .handler = [&window] { window.setWindowState(window.windowState() ^ Qt::WindowFullScreen); },
                 .checked = [&window] { return window.isFullScreen(); }});
    int number = 0;
    for (const RoomEntry& room : rooms()) {
        ++number;
        actions.add({.id = u"room."_s + QLatin1String(room.id),
                     .menu = "View",
                     .text = u"Room: %1"_s.arg(room.title),
                     .shortcuts = {roomShortcut(number)},
                     .handler =
                         [&window, id = QString::fromLatin1(room.id)] {
                             window.showRoom(id);
                             window.focusPicture(Qt::ShortcutFocusReason);
                         },
                     .separatorBefore = number == 1});
    }
}

void addRunActions(MainWindow& window) {
    ActionRegistry& actions = window.actions();
    Workspace& workspace = window.workspace();
    SweepSession& session = workspace.session();
    actions.add({.id = "run.start",
                 .menu = "Run",
                 .text = u"Start sweep"_s,
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::Key_Enter)},
                 .handler = [&workspace] { workspace.start(); },
                 .enabled = [&session] { return !session.isActive(); }});
    actions.add({.id = "run.pause",
                 .menu = "Run",
                 .text = u"Pause sweep"_s,
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)},
                 .handler = [&workspace] { workspace.pauseOrResume(); },
                 .enabled =
                     [&session] {
                         return session.state() == SweepSession::State::running ||
                                session.state() == SweepSession::State::paused;
                     },
                 .liveText =
                     [&session] {
                         return session.state() == SweepSession::State::paused ? u"Resume sweep"_s : u"Pause sweep"_s;
                     }});
    actions.add({.id = "run.stop",
                 .menu = "Run",
                 .text = u"Stop sweep"_s,
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_Period)},
                 .handler = [&session] { session.stop(); },
                 .enabled = [&session] { return session.isActive(); }});
    actions.add({.id = "run.continue",
                 .menu = "Run",
                 .text = u"Resume unfinished runs"_s,
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return)},
                 .handler = [&workspace] { workspace.resumeRuns(workspace.unfinishedRuns()); },
                 .enabled = [&workspace] { return !workspace.unfinishedRuns().empty(); }});
    actions.add({.id = "room.play",
                 .menu = "Run",
                 .text = u"Play or pause on this page"_s,
                 .shortcuts = {QKeySequence(Qt::Key_Space)},
                 .handler = [&window] { window.room().playButton()->click(); },
                 .enabled =
                     [&window] {
                         const QAbstractButton* play = window.room().playButton();
                         return play && play->isVisible() && play->isEnabled();
                     },
                 .separatorBefore = true});
}

void showGuideOfRoom(MainWindow& window) {
    const auto room = static_cast<std::size_t>(window.roomStack().current());
    window.rotary().showGuide(QLatin1String(rooms()[room].guide));
}

void addHelpActions(MainWindow& window) {
    ActionRegistry& actions = window.actions();
    actions.add({.id = "help.palette",
                 .menu = "Help",
                 .text = u"Find …"_s,
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_K)},
                 .handler = [&window] { window.commandPalette().open(); }});
    actions.add({.id = "help.keyboard",
                 .menu = "Help",
                 .text = u"Keyboard shortcuts"_s,
                 .shortcuts = {QKeySequence(Qt::SHIFT | Qt::Key_F1)},
                 .handler = [&window] { window.keyboardSheet().toggle(); }});
    actions.add({.id = "help.why",
                 .menu = "Help",
                 .text = u"Explain current item"_s,
                 .shortcuts = {QKeySequence(Qt::Key_F1)},
                 .handler = [&window] {
                     KeyboardSheet& sheet = window.keyboardSheet();
                     if (sheet.isVisible()) return sheet.toggle();
                     if (!window.whyCard().toggle()) showGuideOfRoom(window);
                 }});
    actions.add(
        {.id = "help.guide", .menu = "Help", .text = u"Guide"_s, .handler = [&window] { showGuideOfRoom(window); }});
    actions.add({.id = "help.formulas",
                 .menu = "Help",
                 .text = u"Formulas"_s,
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_F1)},
                 .handler = [&window] {
                     // If the current explanation refers to a formula, that formula is shown.
                     const ExplanationCard& card = window.whyCard();
                     window.rotary().showFormulas(card.isVisible() ? formulasIn(card.why().text).value(0) : 0);
                 }});
    actions.add(
        {.id = "rotary.statements", .menu = "Help", .text = u"Wrong statements about RoPE"_s, .handler = [&window] {
             window.rotary().showStatements();
         }});
    actions.add({.id = "help.about", .menu = "Help", .text = u"About RoPE Lab"_s, .handler = [&window] {
                     window.banners().show(u"about"_s, BannerArea::Kind::information,
                                           u"RoPE Lab %1 trains small language models and shows how rotary position "
                                           "embeddings work. It is free software under the GNU GPL, version 3 or "
                                           "later."_s.arg(QCoreApplication::applicationVersion()));
                 }});
    actions.add({.id = "lab.quit",
                 .menu = "File",
                 .text = u"Quit"_s,
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_Q)},
                 .handler = [&window] { window.close(); },
                 .separatorBefore = true});
}

bool isInSetupPanel(const QWidget* widget) {
    for (const QWidget* each = widget; each; each = each->parentWidget()) {
        if (qobject_cast<const SetupPanel*>(each)) return true;
    }
    return false;
}

void goTo(MainWindow& window, int room, bool isInPanel, QWidget* target) {
    window.showRoom(RoomStack::idOf(room));
    if (isInPanel && !window.isPanelShown()) window.togglePanel();
    if (target) goToWidget(target);
}

/// The fields and figures of a room and its panel, except those that are in `ids`.
void addRoomEntries(QList<PaletteEntry>& entries, QSet<QString>& ids, MainWindow& window, int number) {
    const QWidget* panel = &window.roomStack().panel(number);
    const QString id = RoomStack::idOf(number);
    const QString title = rooms()[static_cast<std::size_t>(number)].title;
    for (const QWidget* part : {static_cast<const QWidget*>(&window.roomStack().room(number)), panel}) {
        const bool isPanel = part == panel;
        for (const Findable& item : findablesIn(part)) {
            const bool isSetup = isPanel && isInSetupPanel(item.target);
            const QString entryId =
                isSetup ? u"find.setup."_s + item.title : u"find.%1.%2.%3"_s.arg(id).arg(isPanel).arg(item.title);
            if (ids.contains(entryId)) continue;
            ids.insert(entryId);
            entries.append({entryId, item.title, isPanel ? u"%1, settings"_s.arg(title) : title, item.words,
                            [&window, number, isPanel, target = QPointer<QWidget>(item.target)] {
                                goTo(window, number, isPanel, target);
                            }});
        }
    }
}

/// What the palette finds beside the actions: the fields and figures of all rooms, formulas, headings of the guide
/// and models.
QList<PaletteEntry> paletteEntries(MainWindow& window) {
    QList<PaletteEntry> entries;
    QSet<QString> ids;
    // The current room comes first. The fields of the rotary setup, which several rooms have, are listed once.
    const int current = window.roomStack().current();
    addRoomEntries(entries, ids, window, current);
    for (int room = 0; room < static_cast<int>(rooms().size()); ++room) {
        if (room != current) addRoomEntries(entries, ids, window, room);
    }
    int number = 0;
    for (const RoomEntry& room : rooms()) {  // adds the purposes of the rooms to the words of their actions
        ++number;
        entries.append({u"room."_s + QLatin1String(room.id),
                        u"Room: %1"_s.arg(room.title),
                        roomShortcut(number).toString(QKeySequence::NativeText),
                        room.purpose,
                        {}});
    }
    for (const FormulaTitle& formula : formulaTitles()) {
        entries.append({u"formula.%1"_s.arg(formula.number), u"Formula %1: %2"_s.arg(formula.number).arg(formula.title),
                        u"Formulas"_s, formula.section,
                        [&window, number = formula.number] { window.rotary().showFormulas(number); }});
    }
    for (const GuideSection& section : guideSections()) {
        if (!formulasIn(section.heading).isEmpty()) continue;  // listed above
        const QString page = section.page.file + u'#' + section.anchor;
        const bool isPage = section.level == 1;
        entries.append({u"guide."_s + page, isPage ? u"Guide: "_s + section.heading : section.heading,
                        isPage ? QString() : u"Guide: "_s + section.page.title, isPage ? section.page.about : QString(),
                        [&window, page] { window.rotary().showGuide(page); }});
    }
    for (const ModelEntry& model : knownModels()) {
        entries.append({u"model."_s + model.name, model.name, u"Known models"_s, model.source,
                        [&window, name = model.name] { window.rotary().showModel(name); }});
    }
    return entries;
}

}  // namespace

void addWindowActions(MainWindow& window) {
    ActionRegistry& actions = window.actions();
    window.labs().addActions();
    addUndoActions(window);
    addFigureActions(window);
    window.labs().addReportAction();
    window.rotary().addActions();
    int index = 0;
    for (const RoomEntry& entry : rooms()) {
        if (entry.addActions) entry.addActions(actions, window.roomStack(), index);
        ++index;
    }
    addThemeActions(window);
    addViewActions(window);
    addListenAction(window);
    addRunActions(window);
    window.lectures().addActions();
    window.classes().addActions();
    addHelpActions(window);
    actions.fill(window.menuBar());
    window.labs().addRecentLabs();
    window.commandPalette().setSource([&window] { return paletteEntries(window); });
}

}  // namespace ropelab::ui
