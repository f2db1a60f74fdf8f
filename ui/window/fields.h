#pragma once

#include <QList>
#include <QPair>
#include <QVariant>

class QComboBox;
class QFrame;
class QGridLayout;
class QLabel;
class QScrollArea;
class QString;
class QVBoxLayout;
class QWidget;

namespace ropelab::ui {

// What a right panel is made of: a column that scrolls, groups of fields with a title at their left, lists to choose
// from.

/// A column of fields, which scrolls up and down: widgets go into `column`.
struct ScrollColumn {
    QScrollArea* area;
    QWidget* content;  // parent of what the column holds
    QVBoxLayout* column;
};
ScrollColumn makeScrollColumn(QWidget* parent);
/// From then on the wheel changes a list to choose from, a number field or a slider only where that has the keyboard:
/// elsewhere it scrolls what they lie in, as it means to. Once is enough for the program; panels see to it.
void keepWheelFromFields();

/// Makes `panel` a right panel of that name, filled by a column of fields; what is added to its layout stays below the
/// column and does not scroll.
ScrollColumn makePanel(QFrame* panel, const QString& name);

/// The heading of a group of fields, in capitals.
QLabel* makeHeading(const QString& text, QWidget* parent);
/// A grid for the fields of a group: titles at the left, fields at the right.
QGridLayout* makeFieldGrid();
/// A row of such a grid; `why` is the tooltip of both. Returns the title, which is `width` pixels wide at 100 %.
QLabel* addField(QGridLayout* grid, const QString& title, QWidget* field, const QString& why, int width = 64);

/// A list to choose from, which a narrow panel may cut to `letters`.
QComboBox* makeChoice(const QString& name, QWidget* parent, int letters = 8);
/// Other entries in place of the old ones, quietly, with the one of the same data chosen, else the first. The same
/// entries leave the list as it is, also one that is open.
void refillChoice(QComboBox* choice, const QList<QPair<QString, QVariant>>& entries, const QVariant& chosen);
/// The one of that data, else the first.
void chooseData(QComboBox* choice, const QVariant& data);

}  // namespace ropelab::ui
