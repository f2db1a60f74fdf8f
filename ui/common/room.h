#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <QVariant>
#include <QWidget>
#include <functional>
#include <vector>

#include "core/spec/error.h"
#include "ui/common/room_control.h"
#include "ui/figure/figure.h"

class QAbstractButton;
class QMenu;

namespace ropelab::ui {

class ActionRegistry;

/// A room (page of the main window): figures in the middle and a panel with settings at the right.
class Room : public QWidget {
    Q_OBJECT

 public:
    using QWidget::QWidget;

    /// Returns the settings panel of the room, or null if it has none. The room owns the panel until the window
    /// reparents it.
    virtual QWidget* panel() = 0;
    /// Adds the actions of the room to the registry of the window.
    virtual void addActions(ActionRegistry& registry) = 0;
    /// Returns the figure that is shown, for export.
    virtual Figure figure() = 0;
    /// Returns whether there is a figure to export.
    virtual bool hasFigure() const { return true; }
    /// Returns whether a background computation that will change the figure is still running.
    virtual bool isBusy() const { return false; }
    /// Updates the figure immediately, for a screenshot.
    virtual void refreshNow() = 0;
    /// Shows the part of the room with this id ("bases"). Throws BadInput with the valid ids if there is no such part.
    virtual void showPart(const QString& part);

    /// Returns the name of the part that is shown, for showPart(), or "" if the room has no parts.
    virtual QString shownPart() const { return {}; }

    /// Shows the picture of this part alone, as large as the room, for a presentation; "" shows all pictures again. A
    /// room that shows one picture at a time changes nothing. Throws BadInput if there is no such part.
    virtual void showOnlyPart(const QString& /*part*/) {}

    /// Returns the controls that a lecture can set, in the order in which messages name them.
    virtual std::vector<RoomControl> controls() { return {}; }
    /// Sets a control from text. Returns false if the room has no control of this name. Throws BadInput for a bad value.
    bool setControl(const QString& name, const QString& value);
    /// Returns the value of a control, or an invalid value if there is none of this name.
    QVariant control(const QString& name);
    /// Returns the widget of a control of the room, or of a setting that its panel edits; null if there is none.
    virtual QWidget* controlWidget(const QString& name);
    /// Returns the rows of buttons and fields beside the figures, which a presentation hides except for the controls of
    /// its scene.
    virtual QList<QWidget*> bars() { return {}; }
    /// Returns a function that restores the part and the controls of the room as they are now.
    virtual std::function<void()> restorer();

    /// Arranges the room for the visible part of its page, in pixels, which scrolls if the room is larger. Called
    /// before the room is laid out.
    virtual void fitPage(const QSize& /*page*/) {}

    /// Returns the picture that gets the keyboard focus when the room is opened by its digit: the first figure that is
    /// visible, or the room itself if there is none.
    virtual QWidget* picture();
    /// Returns the button that the space bar presses unless another widget uses the key, or null if there is none.
    virtual QAbstractButton* playButton() const { return nullptr; }
    /// What Undo and Redo change while a room is shown: the sweep and the runs of the lab, or the rotary setup.
    enum class UndoScope { lab, rotary };
    virtual UndoScope undoScope() const { return UndoScope::lab; }
    /// Ends a playback or drag, so that it becomes an undo step. Called before Undo and Redo.
    virtual void endEdit() {}
    /// Returns whether endEdit() would add an undo step.
    virtual bool isEditing() const { return false; }

    /// Returns the current figure with its origin, for export.
    Figure exportedFigure();
    /// Returns all figures that the room shows, with their origins.
    std::vector<Figure> exportedFigures();
    /// Opens the export dialog for the current figure.
    void openExport();
    /// Opens the export dialog for all figures of the room as panels of one page.
    void openRoomExport();
    /// Copies the current figure to the clipboard.
    void copy();
    /// Copies a caption of the current figure to the clipboard.
    void copyCaption();
    /// Shows the numbers of the current figure as a table in a window of its own.
    void openTable();
    /// Plays the sound of the current figure (ui/sound/figure_sound.h), or stops the sound that is played. Emits
    /// soundFailed() if the figure has no curve or the computer no audio output.
    void listen();
    /// Returns the text of the entry for listen(): what it does now, or why it is not available.
    static QString listenText();

 signals:
    /// The figure cannot be heard; `sentence` says why.
    void soundFailed(const QString& sentence);

 protected:
    /// Returns all figures that the room shows; by default only the current one.
    virtual std::vector<Figure> pageFigures() { return {figure()}; }
    /// Returns what a figure of the room was made from; by default nothing that the command line can compute.
    virtual FigureOrigin originOf(const Figure&) { return {}; }
    /// Adds the entries that copy a caption and play the sound to the context menu of a figure.
    void addCaptionEntry(QMenu& menu);
    /// Opens the table of the current figure for F2, a key that figures and fields pass on.
    void keyPressEvent(QKeyEvent* event) override;
    /// Returns the error that showPart() throws if `part` is none of `parts`.
    static BadInput noPart(const QString& part, const QStringList& parts);
};

}  // namespace ropelab::ui
