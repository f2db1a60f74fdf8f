#pragma once

#include <QMargins>
#include <QSize>
#include <QString>
#include <QStringList>
#include <functional>
#include <vector>

#include "core/lecture/lecture.h"
#include "core/store/lab_file.h"
#include "ui/figure/figure.h"

class QWidget;

namespace ropelab::ui {

class Room;

/// The main window, or a substitute in tests. Functions throw BadInput for names that do not exist.
class LectureStage {
 public:
    virtual ~LectureStage() = default;

    /// Remembers the user's setup, controls and lab, which end() restores. Does nothing if a lecture has begun.
    virtual void begin() {}
    virtual void end() {}
    /// All rooms get their initial controls, so that a scene looks the same whatever was shown before it.
    virtual void resetControls() {}

    /// showControls() follows.
    virtual void showRoom(const QString& room, const QString& part) = 0;
    virtual Room& room() = 0;
    virtual ComparedSetups setups() = 0;
    /// Adds no undo step of its own per frame of an animation.
    virtual void setSetups(const ComparedSetups& setups) = 0;
    /// NaN if the control is no number.
    virtual double control(const QString& key) = 0;
    /// A control of the room or a setting of the rotary setup.
    virtual void setControl(const QString& key, const QString& value) = 0;
    /// Values are about to glide. The axes of the figures stay as they are, wide enough for the figures of now and for
    /// those after `toEnd`, which sets the values to their ends for a moment; the figures of now stay behind as ghosts.
    virtual void beginGlide(const std::function<void()>& /*toEnd*/) {}
    /// The axes are those of the figures again, without ghosts.
    virtual void endGlide() {}
    /// Opens a recorded lab without changing the user's own lab, or closes it if `path` is empty.
    virtual void showLab(const QString& path) = 0;
    virtual void startTraining(const LectureTraining& training) = 0;
    /// The runs of a recorded lab (none if `lab` is empty) or, if `training` is not null, of an experiment that trains
    /// now. If training takes longer here than planned, the recorded lab is shown instead. Does nothing if these runs
    /// are shown.
    virtual void showRuns(const QString& lab, const LectureTraining* training) {
        showLab(lab);
        if (training) startTraining(*training);
    }
    enum class Runs { own, imported, recorded, live };
    virtual Runs runs() { return Runs::own; }
    /// "43 %, about 20 s left"; "" if none of the shown runs trains.
    virtual QString progress() { return {}; }
    /// Why a recording is shown in place of runs that the scene trains; "" if none is.
    virtual QString whyRecorded() { return {}; }
    /// Trains what the recording is shown for, however long it takes.
    virtual void trainAnyway() {}
    /// Null if the shown lab has no file.
    virtual const LabFile* lab() { return nullptr; }
    /// "" if the user's own lab has no file.
    virtual QString ownLabPath() { return {}; }
    /// Only these controls beside the picture, and only the part that the scene names; all if `all` is true.
    virtual void showControls(const QStringList& names, bool all) = 0;
    /// "pair 3", "control theta" or "figure spectrum"; "" for nothing.
    virtual void pointAt(const QString& what) = 0;
    /// Up to date: the room computes what is missing.
    virtual std::vector<Figure> figures() = 0;
    /// As they are on the screen; the room may still be computing them.
    virtual std::vector<Figure> figuresSoFar() { return {}; }
    /// One room with the controls of the scene below it; with large type in full screen, for a class, if `fullScreen`.
    virtual void setPresenting(bool presenting, bool fullScreen) = 0;
    /// Free space around the picture, in pixels of the canvas, for the texts of the presentation. `isCovered`: a page of
    /// text lies over the picture, which therefore need not be laid out, styled or painted.
    virtual void setInsets(const QMargins& /*insets*/, bool /*isCovered*/) {}
    /// Makes text and controls of the presentation larger (`by` > 0) or smaller.
    virtual void changeSize(int /*by*/) {}
    /// The presentation paints questions, ink and pointer over it.
    virtual QWidget* canvas() = 0;
};

}  // namespace ropelab::ui
