#pragma once

#include <QPointer>
#include <QSize>
#include <QString>
#include <QStringList>
#include <QVariant>
#include <QWidget>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "ui/figure/figure.h"
#include "ui/shell/room_control.h"

class QAbstractButton;
class QMenu;

namespace ropelab::ui {

class PlotWidget;

struct RoomFigure {
    PlotWidget* view = nullptr;
    /// For exports, copies, the table and the caption.
    std::function<Figure()> figure;
    /// Adds entries below those that every figure has in its context menu.
    std::function<void(QMenu&)> addToMenu = {};
};

/// What a lecture, the command line or a presentation shows by name: a page of the room, or one of its figures.
struct RoomPart {
    QString name;  // "logit"
    std::function<void()> show;
    /// Never true for a part that is not a page, such as a figure that is always visible.
    std::function<bool()> isShown = {};
    /// Hidden while a presentation shows this part alone.
    QList<QWidget*> hides = {};
};

/// A page of the main window: figures in the middle and a panel with settings at the right. What a room consists of is
/// data: its constructor adds figures, parts, controls and bars, and this class does with them what all rooms have in
/// common, such as context menus, exports, tables, captions, and the parts that lectures and presentations show.
class Room : public QWidget {
    Q_OBJECT

 public:
    using QWidget::QWidget;

    /// Null if the room has no panel. A panel that is made in its `parent` is styled once; otherwise the room owns it
    /// until the window reparents it.
    virtual QWidget* panel(QWidget* parent = nullptr) = 0;
    /// The figure that the user chose last, by a click, the keyboard focus or its context menu.
    virtual Figure figure();
    virtual bool hasFigure() const { return true; }
    /// True while a background computation will still change the figure.
    virtual bool isBusy() const { return false; }
    /// Updates the figure immediately, for a screenshot.
    virtual void refreshNow() = 0;
    /// Throws BadInput with the names of the parts if there is no such part.
    virtual void showPart(const QString& part);
    /// For showPart(); "" if no part is shown.
    virtual QString shownPart() const;
    /// Shows this part alone, as large as the room, for a presentation; "" shows all pictures again. A room that shows
    /// one picture at a time changes nothing. Throws BadInput if there is no such part.
    virtual void showOnlyPart(const QString& part);

    /// Controls that a lecture can set, in the order in which messages name them.
    virtual std::vector<RoomControl> controls() { return m_controls; }
    /// Returns false if the room has no control of this name. Throws BadInput for a bad value.
    bool setControl(const QString& name, const QString& value);
    /// Invalid if there is no control of this name.
    QVariant control(const QString& name);
    /// Widget of a control of the room or of a setting that its panel edits; null if there is none.
    virtual QWidget* controlWidget(const QString& name);
    /// Rows of buttons and fields beside the figures, which a presentation hides except for the controls of its scene.
    virtual QList<QWidget*> bars() { return m_bars; }
    /// The returned function restores the part, the controls and the choices of the room as they are now; if
    /// `standard`, choices get their standard.
    virtual std::function<void()> restorer(bool standard = false);

    /// `page` is the visible size in pixels; the page scrolls if the room is larger. Called before the room is laid
    /// out.
    virtual void fitPage(const QSize& /*page*/) {}

    /// Gets the keyboard focus when the room is opened by its digit: the chosen figure, the first visible one, or the
    /// room itself.
    virtual QWidget* picture();
    /// Button that the space bar presses unless another widget uses the key; null if there is none.
    virtual QAbstractButton* playButton() const { return nullptr; }
    /// What Undo and Redo change: the sweep and the runs of the lab, or the rotary setup.
    enum class UndoScope { lab, rotary };
    virtual UndoScope undoScope() const { return UndoScope::lab; }
    /// Ends a playback or drag, so that it becomes an undo step. Called before Undo and Redo.
    virtual void endEdit() {}
    /// True if endEdit() would add an undo step.
    virtual bool isEditing() const { return false; }

    /// The ends of the x axis (0) or the y axis (1) of the figures with curves, if the room has such figures; nullopt:
    /// those of each figure.
    void fixAxis(int axis, std::optional<Range> ends);

    /// The current figure with its origin.
    Figure exportedFigure();
    std::vector<Figure> exportedFigures();
    void openExport();
    /// Exports all figures of the room as panels of one page.
    void openRoomExport();
    void copy();
    void copyCaption();
    void openTable();
    /// Plays the sound of the current figure (ui/sound/figure_sound.h), or stops it. Emits soundFailed() if the figure
    /// has no curve or the computer no audio output.
    void listen();
    /// What listen() does now, or why it is not available.
    static QString listenText();

 signals:
    void soundFailed(const QString& sentence);
    /// The user wants to see another room ("train").
    void roomRequested(const QString& id);
    /// Actions of the room may now be enabled or not.
    void actionsChanged();

 protected:
    const std::optional<Range>& fixedAxis(int axis) const { return m_fixedAxes[axis]; }
    /// Figures without curves of their own on axes stay as they are, and so do logarithmic axes that would begin at 0.
    void applyFixedAxes(Figure& figure) const;
    /// Called after fixAxis().
    virtual void fitAxes() {}

    void addFigure(RoomFigure figure);
    /// A click into `view` and its context menu are about the figure of `owner`, such as the panel of a figure with
    /// several panels.
    void addViewOf(PlotWidget* owner, PlotWidget* view);
    void addPart(RoomPart part) { m_parts.push_back(std::move(part)); }
    void addControl(RoomControl control) { m_controls.push_back(std::move(control)); }
    void addChoice(RoomChoice choice) { m_choices.push_back(std::move(choice)); }
    /// A field, a list or a checkable button, of an exclusive group each one. Without `standard`: its value now.
    void addChoice(QWidget* field, const QVariant& standard = {});
    void addChoices(const QList<QWidget*>& fields);
    std::function<void()> choicesRestorer(bool standard);
    void addBars(const QList<QWidget*>& bars) { m_bars += bars; }
    /// The view of figure(); null if the room has no figure.
    PlotWidget* chosenView() const;
    /// The part that a presentation shows alone, or "".
    const QString& onlyPart() const { return m_onlyPart; }
    /// Called after onlyPart() has changed.
    virtual void fitOnlyPart() {}

    /// The figures on an exported page: by default the visible ones.
    virtual std::vector<Figure> pageFigures();
    /// By default, nothing that the command line can compute.
    virtual FigureOrigin originOf(const Figure&) { return {}; }
    /// Of figure(); `addMore` adds entries below the common ones.
    void openFigureMenu(const QPoint& where, const std::function<void(QMenu&)>& addMore = {});
    void addCaptionEntry(QMenu& menu);
    /// F2, which figures and fields pass on, opens the table of the current figure.
    void keyPressEvent(QKeyEvent* event) override;
    static BadInput noPart(const QString& part, const QStringList& parts);

 private:
    std::vector<RoomFigure> m_figures;
    std::vector<RoomPart> m_parts;
    std::vector<RoomControl> m_controls;
    std::vector<RoomChoice> m_choices;
    QList<QWidget*> m_bars;
    QPointer<PlotWidget> m_chosen;
    std::optional<Range> m_fixedAxes[2];  // x and y
    QString m_onlyPart;
};

/// A room that the window makes when it is first needed. Actions, which exist from the start, hold their room by it.
template <typename R>
class RoomHandle {
 public:
    /// `room` makes the room; `made` is null until then.
    RoomHandle(std::function<Room&()> room, std::function<Room*()> made)
        : m_room(std::move(room)), m_made(std::move(made)) {}
    // NOLINTNEXTLINE(google-explicit-constructor): a room that exists is a handle of itself
    RoomHandle(R& room) : RoomHandle([&room]() -> Room& { return room; }, [&room] { return &room; }) {}

    R* operator->() const { return static_cast<R*>(&m_room()); }
    R* made() const { return static_cast<R*>(m_made()); }
    bool isVisible() const { return m_made() && m_made()->isVisible(); }

 private:
    std::function<Room&()> m_room;
    std::function<Room*()> m_made;
};

}  // namespace ropelab::ui
