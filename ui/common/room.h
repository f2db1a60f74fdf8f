#pragma once

#include <QString>
#include <QWidget>

#include "core/spec/error.h"
#include "ui/figure/figure.h"

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

    /// Opens the export dialog for the current figure.
    void openExport();
    /// Copies the current figure to the clipboard.
    void copy();

 protected:
    /// Returns the error that showPart() throws if `part` is none of `parts`.
    static BadInput noPart(const QString& part, const QStringList& parts);
};

}  // namespace ropelab::ui
