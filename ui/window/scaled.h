#pragma once

#include <QMargins>

class QLabel;
class QLayout;
class QWidget;

namespace ropelab::ui {

// Lengths that follow View > Larger: given in pixels at 100 %, set now and whenever the scale changes.

/// A layout's margins and spacing.
void scaleLayout(QLayout* layout, const QMargins& margins, int spacing);
/// A label's margins.
void scaleMargins(QLabel* label, const QMargins& margins);
/// A fixed width.
void scaleWidth(QWidget* widget, int width);
/// A minimum height.
void scaleMinimumHeight(QWidget* widget, int height);
/// A label that takes the theme's error colour.
void colorAsError(QLabel* label);

}  // namespace ropelab::ui
