#pragma once

#include <QMargins>
#include <QStringList>

class QAbstractButton;
class QHBoxLayout;
class QLabel;
class QLayout;
class QVBoxLayout;
class QWidget;

namespace ropelab::ui {

// Lengths are in pixels at a scale of 100 % (View > Larger text and controls) and follow changes of the scale.

void scaleLayout(QLayout* layout, const QMargins& margins, int spacing);
/// The layout of `widget`, which may be null for a layout inside another one.
QVBoxLayout* scaledColumn(QWidget* widget, int spacing, const QMargins& margins = {});
QHBoxLayout* scaledRow(QWidget* widget, int spacing, const QMargins& margins = {});
void scaleMargins(QLabel* label, const QMargins& margins);
/// The width also follows the size of the text in a presentation.
void scaleWidth(QWidget* widget, int width);
void keepTextWidth(QLabel* label, const QStringList& texts);
void scaleMinimumHeight(QWidget* widget, int height);
/// Gives the label the height of at least `lines` lines, so that what is below does not move.
void keepLines(QLabel* label, int lines);
/// Keeps the place of a hidden widget free, so that nothing moves.
void keepSpace(QWidget* widget);
/// Makes the button, which shows one of these texts and its icon, as wide as the longest text, so that nothing moves.
void keepWidth(QAbstractButton* button, const QStringList& texts);
/// Sets a property of which the style sheet makes a look: "wrong", "primary", "low" or "tight".
void setLook(QWidget* widget, const char* property, bool on);
/// The colour follows the theme.
void colorAsError(QLabel* label);

/// Several lines in the quiet colour of the theme.
QLabel* makeNote(QWidget* parent);

}  // namespace ropelab::ui
