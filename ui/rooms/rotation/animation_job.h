#pragma once

#include <QString>
#include <string>

#include "ui/animation/frame_files.h"
#include "ui/rooms/rotation/rotation_state.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

/// In each frame the position m of the query, the base theta or the enlarged pair has another value. The job is passed
/// as JSON to a separate process, because painting would block the window.
struct AnimationJob {
    /// Figures of other rooms than Rotation depend only on theta.
    enum class Over { positions, theta, pairs };

    QString output;               // .gif for one animation; .png or .svg for one file per frame
    QString figure = u"dials"_s;  // name of a rotary figure
    Over over = Over::positions;
    // Positions and pairs are rounded to whole numbers; theta changes geometrically.
    double first = 0;
    double last = 100;
    int frames = 60;              // 2 to 10,000
    double framesPerSecond = 20;  // frame rate of an animation, 0.1 to 50
    int width = 960;              // in pixels, 320 to 3840
    Appearance appearance = Appearance::light;
    RotarySetup setup;
    RotationState state;

    /// In pixels, proportional to the width.
    int height() const;
    FrameFiles files() const { return {output, width, height(), appearance}; }
    double valueOf(int frame) const;
    RotarySetup setupOf(int frame) const;
    RotationScene sceneOf(int frame) const;
};

std::string animationJobText(const AnimationJob& job);
/// Missing values have their default; a missing last value is the end of the range. Throws BadInput for unknown keys
/// and for values out of range.
AnimationJob parseAnimationJob(const std::string& text);

}  // namespace ropelab::ui
