#pragma once

#include <QPointer>
#include <QPushButton>
#include <QStringList>
#include <QWidget>
#include <functional>

class QLabel;
class QLineEdit;
class QMenu;
class QScrollArea;

namespace ropelab::ui {

class FieldError;
class FlowLayout;

/// Button that shows one value of a ChipListEdit. A click or Enter asks to edit the value; the ✕ or Delete asks to
/// remove the value.
class Chip : public QPushButton {
    Q_OBJECT

 public:
    /// Creates a chip that shows `text`, followed by a ✕ if `removable` is true.
    Chip(const QString& text, bool removable, QWidget* parent);

    /// Returns the size of the chip with its text elided, so that a long text does not widen the panel.
    QSize minimumSizeHint() const override;

 signals:
    /// The user asked to edit the value (click or Enter).
    void editAsked();
    /// The user asked to remove the value (✕ or Delete).
    void removeAsked();
    /// The pointer is over the ✕ (true), or has left it (false).
    void removalConsidered(bool considered);

 protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void initStyleOption(QStyleOptionButton* option) const override;

 private:
    bool isOverCross(const QPoint& where) const;
    void setOverCross(bool over);

    bool m_removable;
    bool m_overCross = false;
};

/// Editor for a list of values, each shown as a Chip. It has space for a fixed number of lines and scrolls if the chips
/// need more, so that nothing below it moves. A parser checks typed text; if the parser rejects the text, the
/// error appears below the chips, over the next field, and the text stays in its field for correction.
class ChipListEdit : public QWidget {
    Q_OBJECT

 public:
    /// Creates an empty list. `what` names the quantity ("θ") in messages and for screen readers.
    explicit ChipListEdit(const QString& what, QWidget* parent = nullptr);

    /// Sets the function that converts typed text to the stored form of a value. The function throws BadInput if the
    /// text is not a valid value.
    void setParser(std::function<QString(const QString&)> parser) { m_parser = std::move(parser); }
    /// Sets the function that converts a stored value to the text of its chip.
    void setDisplay(std::function<QString(const QString&)> display) { m_display = std::move(display); }
    /// Sets the values that the menu of the + button offers. The menu omits values that are already in the list.
    void setSuggestions(const QStringList& suggestions) { m_suggestions = suggestions; }
    /// Sets whether values can be added and edited by typing. If not, values can only be removed.
    void setTypable(bool typable);
    /// Sets the number of lines of chips for which there is space; initially 1.
    void setLines(int lines);
    /// Sets the grey text that an empty list shows.
    void setPlaceholder(const QString& text);

    /// Replaces all values without emitting edited().
    void setValues(const QStringList& values);
    /// Returns the values in their stored form.
    const QStringList& values() const { return m_values; }

    /// Replaces the value at `index`, or appends a value if `index` is the size of the list, like typing `typed` and
    /// pressing Enter. Returns false and shows an error if the text is invalid or the value is already in the list.
    bool commit(int index, const QString& typed);
    /// Removes the value at `index` and emits edited().
    void remove(int index);
    /// Returns the error that is shown below the chips, or "" if there is none.
    QString error() const;
    /// Shows an error below the chips, such as why the owner refused edited values; "" hides it.
    void showError(const QString& sentence);
    /// Opens the menu of the + button.
    void openSuggestions();
    /// Opens the text field for the value at `index`, or for a new value if `index` is the size of the list.
    void beginEdit(int index);

 signals:
    /// The user changed the list to `values`.
    void edited(const QStringList& values);
    /// The user considers a change to `values`: a suggestion or a ✕ is under the pointer, or a value is typed but not
    /// entered. Emitted with the current values when the user considers no change any more.
    void considered(const QStringList& values);

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void rebuild();
    void endEdit(bool accept);
    /// Returns the values after `value` replaced the one at `index` or was appended.
    QStringList valuesWith(int index, const QString& value) const;
    void considerTyped();
    void fitHeight();
    /// Scrolls to a chip or field after the layout has placed it.
    void reveal(QWidget* widget);

    QString m_what;
    QStringList m_values;
    QStringList m_suggestions;
    std::function<QString(const QString&)> m_parser;
    std::function<QString(const QString&)> m_display;
    bool m_typable = true;
    int m_lines = 1;
    QScrollArea* m_area;
    QWidget* m_box;
    FlowLayout* m_flow;
    QLineEdit* m_field = nullptr;
    int m_editing = -1;
    QLabel* m_placeholder;
    QPushButton* m_add;
    QPointer<FieldError> m_error;
};

}  // namespace ropelab::ui
