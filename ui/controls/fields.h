#pragma once

#include <QList>
#include <QPair>
#include <QString>
#include <QVariant>
#include <functional>

class QLayout;
class QButtonGroup;
class QComboBox;
class QFrame;
class QGridLayout;
class QLabel;
class QLineEdit;
class QScrollArea;
class QToolButton;
class QVBoxLayout;
class QWidget;

namespace ropelab::ui {

// Building blocks of the panels at the right of the window.

/// Widgets are added to `column`.
struct ScrollColumn {
    QScrollArea* area;
    QWidget* content;  // parent of the widgets in the column
    QVBoxLayout* column;
};
ScrollColumn makeScrollColumn(QWidget* parent);
/// Drop-down lists, number fields and sliders react to the mouse wheel only while they have the keyboard focus;
/// otherwise the wheel scrolls the panel around them. Applies to the whole program; makePanel() calls it.
void keepWheelFromFields();

/// Widgets that are added to the layout of `panel` stay below the column and do not scroll. `name` is the accessible
/// name.
ScrollColumn makePanel(QFrame* panel, const QString& name);

QLabel* makeHeading(const QString& text, QWidget* parent);
/// Width of the labels beside the fields of a panel, in pixels at a window scale of 100 %.
inline constexpr int kLabelWidth = 76;
QGridLayout* makeFieldGrid(int labelWidth = kLabelWidth);
/// `why` is the tooltip of both; if it is empty, the field keeps its own. The returned label is dimmed while the field
/// is disabled.
QLabel* addField(QGridLayout* grid, const QString& title, QWidget* field, const QString& why);
/// Beside a control that changes no figure of the room.
inline const QString kNoEffect = QStringLiteral("no effect");
/// Shows `unit` in quiet type at the right end of the field; "" adds nothing.
void setUnit(QLineEdit* field, const QString& unit);

/// A button that the keyboard reaches with Tab and a click does not focus. QToolButton and QPushButton.
template <typename Button>
Button* makeButton(const QString& text, const QString& why, QWidget* parent) {
    auto* button = new Button(parent);
    button->setText(text);
    button->setToolTip(why);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}
/// Plain text that wraps. `name` is its accessible name.
QLabel* makeText(const QString& name, QWidget* parent);

QToolButton* addToggle(QLayout* row, QButtonGroup* group, const QString& text, const QString& accessibleName,
                       const QString& why = {});

struct Toggle {
    QString text;
    QString accessibleName;
    QString why = {};
};
/// Buttons of which one is checked, at first the first one. `chosen`, which may be empty, gets the place of a clicked
/// one, which is its id.
QButtonGroup* addToggles(QLayout* row, const QList<Toggle>& toggles, const std::function<void(int)>& chosen);

/// A button that shows and hides `content`, which is hidden at first.
QToolButton* makeFold(const QString& text, const QString& why, QWidget* content, QWidget* parent);

/// In a narrow panel the list shows at least `letters` characters.
QComboBox* makeChoice(const QString& name, QWidget* parent, int letters = 8);
/// Emits no signals and selects the entry with the data `chosen`, or the first one. If the entries are unchanged, the
/// list is not rebuilt, so an open list stays open.
void refillChoice(QComboBox* choice, const QList<QPair<QString, QVariant>>& entries, const QVariant& chosen);
/// Selects the first entry if none has this data.
void chooseData(QComboBox* choice, const QVariant& data);
/// The data of a list's entry, the number or text of a field, or whether a button is checked.
QVariant fieldValue(const QWidget* field);
void setFieldValue(QWidget* field, const QVariant& value);

/// For a field that exists only while a value is edited and discards its text itself when it receives Escape.
void markAsDiscardingText(QWidget* field);
bool discardsTextItself(const QWidget* field);

}  // namespace ropelab::ui
