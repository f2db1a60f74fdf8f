#pragma once

#include <QMargins>
#include <QStringList>

class QAbstractButton;
class QLabel;
class QLayout;
class QWidget;

namespace ropelab::ui {

// Lengths that follow the scale of the window (View > Larger text and controls). They are given in pixels at a scale of
// 100 % and are set immediately and after each change of the scale.

/// Sets the margins and the spacing of a layout, in pixels at a window scale of 100 %.
void scaleLayout(QLayout* layout, const QMargins& margins, int spacing);
/// Sets the margins of a label, in pixels at a window scale of 100 %.
void scaleMargins(QLabel* label, const QMargins& margins);
/// Sets the fixed width of a widget, in pixels at a window scale of 100 %.
void scaleWidth(QWidget* widget, int width);
/// Sets the minimum width of a label to that of the longest of these texts.
void keepTextWidth(QLabel* label, const QStringList& texts);
/// Sets the minimum height of a widget, in pixels at a window scale of 100 %.
void scaleMinimumHeight(QWidget* widget, int height);
/// Gives a label the height of at least `lines` lines of text, so that what is below does not move with its text.
void keepLines(QLabel* label, int lines);
/// Gives a label the height that the longest of these plain texts needs at its width, so that what is below does not
/// move when the label shows another one of them. A second call replaces the texts.
void keepTexts(QLabel* label, const QStringList& texts);
/// Keeps the place of a widget free while it is hidden, so that nothing moves when it comes and goes.
void keepSpace(QWidget* widget);
/// Makes a button as wide as the longest of the texts that it shows in turn, so that nothing moves when it changes. The
/// button shows one of them, with its icon if it has one.
void keepWidth(QAbstractButton* button, const QStringList& texts);
/// Sets the text colour of a label to the error colour of the theme, and updates it when the theme changes.
void colorAsError(QLabel* label);

/// Creates an empty label for several lines of text in the quiet colour of the theme.
QLabel* makeNote(QWidget* parent);

}  // namespace ropelab::ui
