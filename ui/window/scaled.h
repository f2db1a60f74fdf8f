#pragma once

#include <QMargins>

class QLabel;
class QLayout;
class QScrollArea;
class QString;
class QVBoxLayout;
class QWidget;

namespace ropelab::ui {

// Lengths that follow View > Larger: given in pixels at 100 %, set now and whenever the scale changes.

/// A layout's margins and spacing.
void scaleLayout(QLayout* layout, const QMargins& margins, int spacing);
/// A label's margins.
void scaleMargins(QLabel* label, const QMargins& margins);
/// A fixed width.
void scaleWidth(QWidget* widget, int width);
/// A right panel's column of fields, which scrolls up and down: widgets go into `column`.
struct ScrollColumn {
    QScrollArea* area;
    QWidget* content;  // parent of what the column holds
    QVBoxLayout* column;
};
ScrollColumn makeScrollColumn(QWidget* parent);
/// The heading of a group of fields, in capitals.
QLabel* makeHeading(const QString& text, QWidget* parent);
/// A label that takes the theme's error colour.
void colorAsError(QLabel* label);

}  // namespace ropelab::ui
