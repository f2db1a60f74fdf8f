#pragma once

#include <QString>
#include <string>

#include "ui/animation/frame_files.h"
#include "ui/figures/job_fields.h"
#include "ui/rooms/rotation/rotation_state.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

/// In each frame the position m of the query, the base theta or the enlarged pair has another value. The job is passed
/// as JSON to a separate process, because painting would block the window.
struct AnimationJob : FrameFiles {
    /// Figures of other rooms than Rotation depend only on theta.
    enum class Over { positions, theta, pairs };

    AnimationJob() { framesPerSecond = 20; }

    QString figure = u"dials"_s;  // name of a rotary figure
    Over over = Over::positions;
    // Positions and pairs are rounded to whole numbers; theta changes geometrically.
    double first = 0;
    double last = 100;
    int frames = 60;  // 2 to 10,000
    RotarySetup setup;
    RotationState state;

    double valueOf(int frame) const;
    RotarySetup setupOf(int frame) const;
    RotationScene sceneOf(int frame) const;
};

void visitFields(JobFields& fields, AnimationJob& job);
/// Missing values have their default; a missing last value is the end of the range. Throws BadInput for unknown keys
/// and for values out of range.
AnimationJob parseAnimationJob(const std::string& text);

}  // namespace ropelab::ui
