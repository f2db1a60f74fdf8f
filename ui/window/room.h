#pragma once

#include <QIcon>
#include <QString>
#include <QWidget>
#include <functional>
#include <memory>
#include <span>

#include "core/spec/error.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

class ActionRegistry;
class Workspace;

/// A room of the laboratory: the picture in the middle and what one sets on the right.
class Room : public QWidget {
    Q_OBJECT

 public:
    using QWidget::QWidget;

    /// What goes into the right panel; owned by the room until the window takes it. Null where there is none.
    virtual QWidget* panel() = 0;
    /// Adds the room's own actions.
    virtual void addActions(ActionRegistry& registry) = 0;
    /// The figure on show, for export.
    virtual Figure figure() = 0;
    /// Whether there is anything to export.
    virtual bool hasFigure() const { return true; }
    /// Whether something is still being worked out beside the window's thread that will change the picture.
    virtual bool isBusy() const { return false; }
    /// Brings the picture up to date now, for a screenshot.
    virtual void refreshNow() = 0;
    /// Brings a part of the room to the front by its id ("bases"). Throws BadInput, naming the parts, for one that it
    /// does not have.
    virtual void showPart(const QString& part);

    /// The export window, for the figure as it stands.
    void openExport();
    void copy();

 protected:
    /// What showPart() throws for a part that is none of these.
    static BadInput noPart(const QString& part, const QStringList& parts);
};

/// An entry of the rail.
struct RoomEntry {
    const char* id;
    QString title;
    QString purpose;  // one sentence, as tooltip
    /// The icon's outline in a square of 24: moves and lines as an SVG path.
    const char* outline;
    std::function<Room*(Workspace&, QWidget* parent)> make;
};

/// Every room, in the order of the rail. A new room is one line here.
std::span<const RoomEntry> rooms();

}  // namespace ropelab::ui
