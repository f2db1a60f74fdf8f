#pragma once

#include <QString>

#include "ui/theme/dialogs.h"

class QComboBox;
class QDoubleSpinBox;
class QGridLayout;

namespace ropelab::ui {

// Fields of the dialogs for exporting animations. Each function fills a field and adds it to a grid.

/// Data: "gif", "png" or "svg".
void addFrameFormat(QGridLayout* grid, QComboBox* format);
/// Data: pixels.
void addFrameWidth(QGridLayout* grid, QComboBox* width);
/// Frames per second.
void addFrameRate(QGridLayout* grid, QDoubleSpinBox* rate);

/// `suffix` "gif" asks for one animation, another one for numbered frames.
FileQuestion framesQuestion(const QString& title, const QString& name, const QString& suffix);
QString withFrameSuffix(const QString& path, const QString& suffix);
/// Why an export to `output` would replace a file although the file dialog asked only about `typed`; else "".
QString whyReplacedUnasked(const QString& output, const QString& typed);

}  // namespace ropelab::ui
