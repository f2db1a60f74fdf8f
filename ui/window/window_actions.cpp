#include "ui/window/window_actions.h"

#include <QAbstractButton>
#include <QPointer>
#include <QSet>
#include <QUndoStack>

#include "ui/help/guide_pages.h"
#include "ui/models/model_entry.h"
#include "ui/rotary/setup_panel.h"
#include "ui/session/undo_step.h"
#include "ui/session/workspace.h"
#include "ui/shell/actions.h"
#include "ui/shell/findables.h"
#include "ui/sound/figure_player.h"
#include "ui/theme/motion.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/controllers/rotary_controller.h"
#include "ui/window/frame/rooms.h"
#include "ui/window/frame/status_strip.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

QUndoStack& undoStack(RoomStack& rooms, Workspace& workspace) {
    return rooms.room().undoScope() == Room::UndoScope::rotary ? workspace.rotaryUndo() : workspace.undo();
}

/// False while a lecture shows another lab, to which the steps of the user's lab do not belong.
bool ownsUndo(RoomStack& rooms, Workspace& workspace) {
    return rooms.room().undoScope() == Room::UndoScope::rotary || workspace.lab().isOwn();
}

bool isInSetupPanel(const QWidget* widget) {
    for (const QWidget* each = widget; each; each = each->parentWidget()) {
        if (qobject_cast<const SetupPanel*>(each)) return true;
    }
    return false;
}

/// The fields and figures of a room and its panel, except those that are in `ids`.
void addRoomEntries(QList<PaletteEntry>& entries, QSet<QString>& ids, RoomStack& stack, int number,
                    const std::function<void()>& openPanel) {
    const QWidget* panel = &stack.panel(number);
    const QString id = RoomStack::idOf(number);
    const QString title = rooms()[static_cast<std::size_t>(number)].title;
    for (const QWidget* part : {static_cast<const QWidget*>(&stack.room(number)), panel}) {
        const bool isPanel = part == panel;
        for (const Findable& item : findablesIn(part)) {
            const bool isSetup = isPanel && isInSetupPanel(item.target);
            const QString entryId =
                isSetup ? u"find.setup."_s + item.title : u"find.%1.%2.%3"_s.arg(id).arg(isPanel).arg(item.title);
            if (ids.contains(entryId)) continue;
            ids.insert(entryId);
            entries.append({entryId, item.title, isPanel ? u"%1, settings"_s.arg(title) : title, item.words,
                            [&stack, number, isPanel, openPanel, target = QPointer<QWidget>(item.target)] {
                                stack.show(number);
                                if (isPanel) openPanel();
                                if (target) goToWidget(target);
                            }});
        }
    }
}

}  // namespace

void addUndoActions(ActionRegistry& actions, RoomStack& rooms, Workspace& workspace, StatusStrip& strip) {
    actions.add({.id = "edit.undo",
                 .menu = "Edit",
                 .text = u"Undo"_s,
                 .shortcuts = {QKeySequence::Undo},
                 .handler =
                     [&] {
                         rooms.room().endEdit();
                         strip.tell(undoLatest(undoStack(rooms, workspace)));
                     },
                 .enabled =
                     [&] {
                         return ownsUndo(rooms, workspace) &&
                                (undoStack(rooms, workspace).canUndo() || rooms.room().isEditing());
                     },
                 .liveText =
                     [&] {
                         const QString what = undoStack(rooms, workspace).undoText();
                         return what.isEmpty() ? u"Undo"_s : u"Undo: %1"_s.arg(what);
                     }});
    actions.add({.id = "edit.redo",
                 .menu = "Edit",
                 .text = u"Redo"_s,
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)},
                 .handler =
                     [&] {
                         rooms.room().endEdit();
                         strip.tell(redoNext(undoStack(rooms, workspace)));
                     },
                 .enabled = [&] { return ownsUndo(rooms, workspace) && undoStack(rooms, workspace).canRedo(); },
                 .liveText =
                     [&] {
                         const QString what = undoStack(rooms, workspace).redoText();
                         return what.isEmpty() ? u"Redo"_s : u"Redo: %1"_s.arg(what);
                     }});
}

void addFigureActions(ActionRegistry& actions, RoomStack& rooms) {
    const auto hasFigure = [&rooms] { return rooms.room().hasFigure(); };
    actions.add({.id = "figure.export",
                 .menu = "File",
                 .text = u"Export figure …"_s,
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_E)},
                 .handler = [&rooms] { rooms.room().openExport(); },
                 .enabled = hasFigure,
                 .separatorBefore = true});
    actions.add({.id = "figure.exportRoom",
                 .menu = "File",
                 .text = u"Export page …"_s,
                 .handler = [&rooms] { rooms.room().openRoomExport(); },
                 .enabled = hasFigure});
    actions.add({.id = "figure.copy",
                 .menu = "Edit",
                 .text = u"Copy figure"_s,
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)},
                 .handler = [&rooms] { rooms.room().copy(); },
                 .enabled = hasFigure,
                 .separatorBefore = true});
    actions.add({.id = "figure.caption",
                 .menu = "Edit",
                 .text = u"Copy caption of figure"_s,
                 .handler = [&rooms] { rooms.room().copyCaption(); },
                 .enabled = hasFigure});
    // F2 opens the table where a figure has the keyboard focus; in tables it edits a cell.
    actions.add({.id = "figure.table",
                 .menu = "Edit",
                 .text = u"Show figure as table (F2 in a figure)"_s,
                 .handler = [&rooms] { rooms.room().openTable(); },
                 .enabled = hasFigure});
}

void addListenAction(ActionRegistry& actions, RoomStack& rooms) {
    actions.add({.id = "figure.listen",
                 .menu = "View",
                 .text = u"Listen to figure"_s,
                 .shortcuts = {QKeySequence(Qt::Key_F4)},
                 .handler = [&rooms] { rooms.room().listen(); },
                 .enabled = [&rooms] { return FigurePlayer::whyUnavailable().isEmpty() && rooms.room().hasFigure(); },
                 .liveText = [] { return Room::listenText(); },
                 .separatorBefore = true});
}

void addThemeActions(ActionRegistry& actions, Settings& settings) {
    using Choice = ThemeManager::Choice;
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
                     [&settings] {
                         setMotionReduced(!isMotionReduced());
                         settings.setValue("window/reduced_motion", isMotionReduced());
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

void addRunActions(ActionRegistry& actions, RoomStack& rooms, Workspace& workspace) {
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
                 .handler = [&rooms] { rooms.room().playButton()->click(); },
                 .enabled =
                     [&rooms] {
                         const QAbstractButton* play = rooms.room().playButton();
                         return play && play->isVisible() && play->isEnabled();
                     },
                 .separatorBefore = true});
}

namespace {

QList<PaletteEntry> modelEntries(RotaryController& rotary) {
    QList<PaletteEntry> entries;
    for (const ModelEntry& model : knownModels()) {
        entries.append({u"model."_s + model.name, model.name, u"Known models"_s, model.source,
                        [&rotary, name = model.name] { rotary.showModel(name); }});
    }
    return entries;
}

/// Pages, formulas and the guide.
QList<PaletteEntry> generalEntries(RotaryController& rotary) {
    QList<PaletteEntry> entries;
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
                        [&rotary, number = formula.number] { rotary.showFormulas(number); }});
    }
    for (const GuideSection& section : guideSections()) {
        if (!formulasIn(section.heading).isEmpty()) continue;  // listed above
        const QString page = section.page.file + u'#' + section.anchor;
        const bool isPage = section.level == 1;
        entries.append({u"guide."_s + page, isPage ? u"Guide: "_s + section.heading : section.heading,
                        isPage ? QString() : u"Guide: "_s + section.page.title, isPage ? section.page.about : QString(),
                        [&rotary, page] { rotary.showGuide(page); }});
    }
    return entries;
}

}  // namespace

CommandPalette::Source paletteSource(RoomStack& stack, RotaryController& rotary,
                                     const std::function<void()>& openPanel) {
    // The current room comes first. The fields of the rotary setup, which several rooms have, are listed once.
    struct Listed {
        std::vector<int> rooms;
        QSet<QString> ids;
    };
    return [&stack, &rotary, openPanel,
            listed = std::make_shared<Listed>()](int part) -> std::optional<QList<PaletteEntry>> {
        if (part == 0) {
            *listed = {{stack.current()}, {}};
            for (int room = 0; room < static_cast<int>(rooms().size()); ++room) {
                if (room != stack.current()) listed->rooms.push_back(room);
            }
        }
        if (part == 1) return generalEntries(rotary);
        if (part == 2) return modelEntries(rotary);
        // A room takes three parts: what it makes, what its panel makes, and the search for their fields.
        const auto room = static_cast<std::size_t>(part == 0 ? 0 : part / 3);
        if (room >= listed->rooms.size()) return std::nullopt;
        const int number = listed->rooms[room];
        QList<PaletteEntry> entries;
        if (part > 0 && part % 3 < 2) {
            stack.makePart(number);
        } else {
            addRoomEntries(entries, listed->ids, stack, number, openPanel);
        }
        return entries;
    };
}

}  // namespace ropelab::ui
