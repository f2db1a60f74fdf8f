#pragma once

#include <QString>
#include <functional>

#include "ui/figure/figure.h"
#include "ui/theme/theme.h"

namespace ropelab::ui {

/// The files of an animation, of equal size.
struct FrameFiles {
    /// .gif and "-" (standard output) give one animation; .png and .svg give one file per frame, named dials-0001.png
    /// and so on.
    QString output = {};
    int width = 960;             // in pixels, 320 to 3840
    double framesPerSecond = 4;  // frame rate of an animation, 0.1 to 50
    Appearance appearance = Appearance::light;

    /// A .gif file or standard output.
    bool isAnimated() const;
    /// In pixels, proportional to the width.
    int height() const;
    /// The last frame is shown for at least 2 s.
    double seconds(bool isLast) const;
};

/// `stem-0001.png` for frame 1.
QString framePath(const QString& output, int frame);
/// One sentence if frames of an earlier export with the same name exist; "" otherwise and for an animation.
QString whyFramesExist(const QString& output);
/// Throws BadInput, with `what` as its subject, unless the suffix is .gif, .png or .svg.
void checkFrameSuffix(const QString& output, const char* what);

/// Files are written atomically: a cancelled animation leaves no file, a cancelled export of separate frames leaves the
/// completed ones. Returns the number of written frames; 0 for a cancelled animation. Throws BadInput if frames of an
/// earlier export exist, WriteError if writing fails.
int writeFrames(const FrameFiles& files, int count, const std::function<Figure(int frame)>& figureOf,
                const std::function<void(int done, int all)>& progress, const std::function<bool()>& cancelled);

}  // namespace ropelab::ui
