#pragma once

#include <QMargins>
#include <QSize>
#include <QString>
#include <QStringList>
#include <vector>

#include "core/lecture/lecture.h"
#include "core/store/lab_file.h"
#include "ui/figure/figure.h"

class QWidget;

namespace ropelab::ui {

class Room;

/// What a lecture controls: the main window, or a substitute in tests. Functions throw BadInput if the lecture names
/// something that does not exist.
class LectureStage {
 public:
    virtual ~LectureStage() = default;

    /// Begins a lecture: remembers the user's setup, controls and lab, which end() restores. Does nothing if a lecture
    /// has begun.
    virtual void begin() {}
    /// Ends the lecture.
    virtual void end() {}
    /// Prepares a scene: the controls of all rooms get the values that they have when the program starts, so that a
    /// scene looks the same whatever was shown before it.
    virtual void resetControls() {}

    /// Shows a room and, if `part` is not empty, that part of it.
    virtual void showRoom(const QString& room, const QString& part) = 0;
    /// Returns the room that is shown.
    virtual Room& room() = 0;
    /// Returns setups A and B as they are now.
    virtual ComparedSetups setups() = 0;
    /// Sets both setups without an undo step of its own per frame of an animation.
    virtual void setSetups(const ComparedSetups& setups) = 0;
    /// Returns the current value of a control as a number, or NaN if it is none.
    virtual double control(const QString& key) = 0;
    /// Changes a control of the room or a setting of the rotary setup.
    virtual void setControl(const QString& key, const QString& value) = 0;
    /// Opens a recorded lab without changing the user's own lab, or closes it if `path` is empty.
    virtual void showLab(const QString& path) = 0;
    /// Starts to train an experiment.
    virtual void startTraining(const LectureTraining& training) = 0;
    /// Shows the runs of a scene: those of a recorded lab (none if `lab` is empty) or, if `training` is not null, those
    /// of an experiment that trains now. If training takes longer here than planned, the recorded lab is shown instead.
    /// Does nothing if these runs are shown.
    virtual void showRuns(const QString& lab, const LectureTraining* training) {
        showLab(lab);
        if (training) startTraining(*training);
    }
    /// Where the runs that are shown come from.
    enum class Runs { own, recorded, live };
    virtual Runs runs() { return Runs::own; }
    /// Returns how far the training is whose runs are shown: "43 %, about 20 s left"; "" if none trains.
    virtual QString progress() { return {}; }
    /// Returns why a recording is shown in place of runs that the scene trains; "" if none is.
    virtual QString whyRecorded() { return {}; }
    /// Trains what the recording is shown for, however long it takes.
    virtual void trainAnyway() {}
    /// Returns the lab that is shown, or null if it has no file.
    virtual const LabFile* lab() { return nullptr; }
    /// Returns the path of the user's own lab, or "" if it has no file.
    virtual QString ownLabPath() { return {}; }
    /// Shows only the controls with these names beside the picture, and only the part of the room that the scene names;
    /// all controls if `all` is true.
    virtual void showControls(const QStringList& names, bool all) = 0;
    /// Points at "pair 3", "control theta" or "figure spectrum"; at nothing if `what` is empty.
    virtual void pointAt(const QString& what) = 0;
    /// Returns the figures that are shown, up to date; the room computes what is missing.
    virtual std::vector<Figure> figures() = 0;
    /// Returns the figures as they are on the screen, which the room may still be computing.
    virtual std::vector<Figure> figuresSoFar() { return {}; }
    /// Enters or leaves the presentation: full screen, one room, large type.
    virtual void setPresenting(bool presenting) = 0;
    /// Keeps space around the picture free, in pixels of the canvas, for the texts of the presentation.
    virtual void setInsets(const QMargins& /*insets*/) {}
    /// Makes text and controls of the presentation larger (`by` > 0) or smaller.
    virtual void changeSize(int /*by*/) {}
    /// Returns the widget over which the presentation paints questions, ink and pointer.
    virtual QWidget* canvas() = 0;
};

}  // namespace ropelab::ui
