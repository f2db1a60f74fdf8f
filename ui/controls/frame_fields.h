#pragma once

#include <QString>

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

/// `suffix` "gif" asks for one animation, another one for numbered frames.
FileQuestion framesQuestion(const QString& title, const QString& name, const QString& suffix);
QString withFrameSuffix(const QString& path, const QString& suffix);
/// Why an export to `output` would replace a file although the file dialog asked only about `typed`; else "".
QString whyReplacedUnasked(const QString& output, const QString& typed);

}  // namespace ropelab::ui
