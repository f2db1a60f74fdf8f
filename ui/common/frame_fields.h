#pragma once

#include <QString>

class QComboBox;
class QDoubleSpinBox;
class QGridLayout;
class QWidget;

namespace ropelab::ui {

// Fields that the dialogs for exporting animations share. Each function fills a field and adds it to a grid.

/// Adds the format; its data is "gif", "png" or "svg".
void addFrameFormat(QGridLayout* grid, QComboBox* format);
/// Adds the width; its data is in pixels.
void addFrameWidth(QGridLayout* grid, QComboBox* width);
/// Adds the frame rate in frames per second.
void addFrameRate(QGridLayout* grid, QDoubleSpinBox* rate);

/// Asks for the path of an animation ("gif") or of numbered frames; "" if the user cancels.
QString askFramesPath(QWidget* parent, const QString& title, const QString& suffix, const QString& suggestion);
/// Returns the path with this suffix, which is appended if it is missing.
QString withFrameSuffix(const QString& path, const QString& suffix);
/// Returns in one sentence why an export to `output` would replace a file without a question: the file dialog asked
/// only about the name as it was typed. Returns "" if it would not.
QString whyReplacedUnasked(const QString& output, const QString& typed);

}  // namespace ropelab::ui
