#pragma once

#include <QPushButton>
#include <QStringList>
#include <QWidget>
#include <functional>

class QLabel;
class QLineEdit;
class QMenu;

namespace ropelab::ui {

class FlowLayout;

/// One value of a list: click or Enter edits, the ✕ or Delete removes it.
class Chip : public QPushButton {
    Q_OBJECT

 public:
    /// `removable` chips end with ✕.
    Chip(const QString& text, bool removable, QWidget* parent);

    /// Of a chip whose text is cut.
    QSize minimumSizeHint() const override;

 signals:
    void editAsked();
    void removeAsked();

 protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void initStyleOption(QStyleOptionButton* option) const override;

 private:
    bool m_removable;
};

/// A list of values as chips. What is typed goes through a parser; what that refuses is explained beneath and stays
/// there to be mended.
class ChipListEdit : public QWidget {
    Q_OBJECT

 public:
    /// What the values are, for messages and screen readers ("θ").
    explicit ChipListEdit(const QString& what, QWidget* parent = nullptr);

    /// Reads what was typed and returns it as it is kept; throws BadInput.
    void setParser(std::function<QString(const QString&)> parser) { m_parser = std::move(parser); }
    /// How a value is shown.
    void setDisplay(std::function<QString(const QString&)> display) { m_display = std::move(display); }
    /// What + offers besides typing; what is in the list already is left out.
    void setSuggestions(const QStringList& suggestions) { m_suggestions = suggestions; }
    /// Whether values can be typed; otherwise they can only be removed.
    void setTypable(bool typable);
    /// Quiet words where the list is empty.
    void setPlaceholder(const QString& text);

    void setValues(const QStringList& values);
    const QStringList& values() const { return m_values; }

    /// As typing and Enter do, at `index` (an existing value is replaced; size() adds). Returns whether it was taken.
    bool commit(int index, const QString& typed);
    void remove(int index);
    /// The refusal on show, or "".
    QString error() const;
    /// Opens the field for a value at `index`; size() is a new one.
    void beginEdit(int index);

 signals:
    /// A person changed the list.
    void edited(const QStringList& values);

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void rebuild();
    void endEdit(bool take);
    void showError(const QString& sentence);
    void offer();

    QString m_what;
    QStringList m_values;
    QStringList m_suggestions;
    std::function<QString(const QString&)> m_parser;
    std::function<QString(const QString&)> m_display;
    bool m_typable = true;
    QWidget* m_box;
    FlowLayout* m_flow;
    QLineEdit* m_field = nullptr;
    int m_editing = -1;
    QLabel* m_placeholder;
    QPushButton* m_add;
    QLabel* m_error;
};

}  // namespace ropelab::ui
