#pragma once

#include <QList>
#include <QPair>
#include <QString>
#include <QVariant>

class QLayout;
class QButtonGroup;
class QComboBox;
class QFrame;
class QGridLayout;
class QLabel;
class QScrollArea;
class QToolButton;
class QVBoxLayout;
class QWidget;

namespace ropelab::ui {

// Building blocks of the panels at the right of the window: a scrolling column, groups of fields with labels at the
// left, and drop-down lists.

/// Column of fields that scrolls vertically. Widgets are added to `column`.
struct ScrollColumn {
    QScrollArea* area;
    QWidget* content;  // parent of the widgets in the column
    QVBoxLayout* column;
};
/// Creates an empty scrolling column.
ScrollColumn makeScrollColumn(QWidget* parent);
/// Makes the mouse wheel change drop-down lists, number fields and sliders only while they have the keyboard focus;
/// otherwise the wheel scrolls the panel around them. It applies to the whole program; makePanel() calls it.
void keepWheelFromFields();

/// Turns `panel` into a side panel with this accessible name and a scrolling column of fields. Widgets that are added
/// to the layout of `panel` stay below the column and do not scroll.
ScrollColumn makePanel(QFrame* panel, const QString& name);

/// Creates the heading of a group of fields, in capitals.
QLabel* makeHeading(const QString& text, QWidget* parent);
/// Creates a grid for a group of fields, with labels at the left and fields at the right.
QGridLayout* makeFieldGrid();
/// Adds a label and a field as a row of a grid. `why` is the tooltip of both; if it is empty, the field keeps its own.
/// Returns the label, which is `width` pixels wide at a window scale of 100 % and dimmed while the field is disabled.
QLabel* addField(QGridLayout* grid, const QString& title, QWidget* field, const QString& why, int width = 64);

/// Adds a button to a row of buttons of which one is checked: those of `group`. `why` is its tooltip.
QToolButton* addToggle(QLayout* row, QButtonGroup* group, const QString& text, const QString& accessibleName,
                       const QString& why = {});

/// Creates a drop-down list with this accessible name. In a narrow panel it shows at least `letters` characters.
QComboBox* makeChoice(const QString& name, QWidget* parent, int letters = 8);
/// Replaces the entries (text and data) of a list without emitting signals and selects the entry with the data
/// `chosen`, or the first one. If the entries are unchanged, the list is not rebuilt, so an open list stays open.
void refillChoice(QComboBox* choice, const QList<QPair<QString, QVariant>>& entries, const QVariant& chosen);
/// Selects the entry with this data, or the first entry if there is none.
void chooseData(QComboBox* choice, const QVariant& data);

/// Marks a text field that discards its text itself when it receives Escape, because the field exists only while a
/// value is edited.
void markAsDiscardingText(QWidget* field);
/// Returns whether markAsDiscardingText() was called for the field.
bool discardsTextItself(const QWidget* field);

}  // namespace ropelab::ui
