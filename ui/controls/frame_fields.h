#pragma once

#include <QString>

#include "ui/animation/frame_files.h"
#include "ui/controls/form.h"
#include "ui/theme/dialogs.h"

namespace ropelab::ui {

// Fields of the dialogs for exporting animations.

/// "format": "gif", "png" or "svg".
FormRow frameFormatRow();
/// "width", in pixels.
FormRow frameWidthRow();
/// "rate", in frames per second.
FormRow frameRateRow();
/// "dark".
FormRow darkFramesRow();

/// The values of the fields above; `path` gets the suffix of the format if it has another one.
void readFrames(const Form& form, const QString& path, FrameFiles& files);
/// "60 frames of 960 × 538 pixels, 12 s long".
QString frameWords(const FrameFiles& files, int frames);

/// `suffix` "gif" asks for one animation, another one for numbered frames.
FileQuestion framesQuestion(const QString& title, const QString& name, const QString& suffix);
/// Why an export to `output` would replace a file although the file dialog asked only about `typed`; else "".
QString whyReplacedUnasked(const QString& output, const QString& typed);

}  // namespace ropelab::ui
