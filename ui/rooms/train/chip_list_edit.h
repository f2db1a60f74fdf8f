#pragma once

#include <QPointer>
#include <QPushButton>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"

class QLabel;
class QLineEdit;
class QScrollArea;

namespace ropelab::ui {

class FieldNote;
class FlowLayout;

// Conversion between the values of a sweep and the texts that their chips show and accept. All parse… functions throw
// BadInput if the text is not a valid value.

/// "10k" and "1e4" become "10000".
QString parseTheta(const QString& typed);
/// "10000" becomes "10k".
QString showTheta(const QString& value);
/// "25 %" and "0.25" become "0.25"; a number of channels "6ch" becomes "6 ch".
QString parseFraction(const QString& typed);
/// "0.25" becomes "25 %"; "6 ch" stays.
QString showFraction(const QString& value);
QString parseSeed(const QString& typed);

/// "RoPE 0 %", "θ 10k, 25 %". Explicit runs are listed one by one instead of as a grid of values.
QStringList explicitRunLabels(const Experiment& experiment);
/// What the explicit run with this index rotates, for a tooltip; "" if its settings are invalid.
QString runWords(const Experiment& experiment, std::size_t run);
void removeExplicitRun(Experiment& experiment, std::size_t index);
/// Names of settings that vary together: "theta, context".
QString zipText(const std::vector<std::string>& zip);
bool isSetByRuns(const Experiment& experiment, const char* key);
/// The explicit runs are combined with these values (expand()). If explicit runs set the setting, each value adds a run
/// instead: a copy of the last run that sets it, with this value.
void setSwept(Experiment& experiment, const char* key, const QStringList& values);

/// Shows one value of a ChipListEdit. A click or Enter asks to edit the value; the ✕ or Delete asks to remove it.
class Chip : public QPushButton {
    Q_OBJECT

 public:
    Chip(const QString& text, bool removable, QWidget* parent);

    /// Measured with the text elided, so that a long text does not widen the panel.
    QSize minimumSizeHint() const override;

 signals:
    /// Click or Enter.
    void editAsked();
    /// ✕ or Delete.
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

/// Editor for a list of values. It is as high as its chips, and scrolls if they need more than some lines. A parser
/// checks typed text; if the parser rejects the text, the error appears below the chips, over the next field, and the
/// text stays in its field for correction.
class ChipListEdit : public QWidget {
    Q_OBJECT

 public:
    explicit ChipListEdit(const QString& what, QWidget* parent = nullptr);

    /// Converts typed text to the stored form of a value; throws BadInput if the text is not a valid value.
    void setParser(std::function<QString(const QString&)> parser) { m_parser = std::move(parser); }
    void setDisplay(std::function<QString(const QString&)> display) { m_display = std::move(display); }
    /// The tooltip of a value's chip.
    void setWhy(std::function<QString(const QString&)> why) { m_why = std::move(why); }
    /// The menu of the + button offers these values, without those that are already in the list.
    void setSuggestions(const QStringList& suggestions) { m_suggestions = suggestions; }
    /// If false, values can only be removed.
    void setTypable(bool typable);
    /// The most lines without a scroll bar; initially 1.
    void setLines(int lines);
    void setPlaceholder(const QString& text);

    /// Does not emit edited().
    void setValues(const QStringList& values);
    const QStringList& values() const { return m_values; }

    /// Does what typing `typed` and pressing Enter does: replaces the value at `index`, or appends one if `index` is
    /// the size of the list. Returns false and shows an error if the text is invalid or the value is already in the
    /// list.
    bool commit(int index, const QString& typed);
    /// Emits edited().
    void remove(int index);
    QString error() const;
    /// For example why the owner refused edited values; "" hides the error.
    void showError(const QString& sentence);
    void openSuggestions();
    /// The size of the list as `index` adds a new value.
    void beginEdit(int index);

 signals:
    void edited(const QStringList& values);
    /// A suggestion or a ✕ is under the pointer, or a value is typed but not entered. Emitted with the current values
    /// when the user considers no change any more.
    void considered(const QStringList& values);

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void rebuild();
    void endEdit(bool accept);
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
    std::function<QString(const QString&)> m_why;
    bool m_typable = true;
    int m_lines = 1;
    QScrollArea* m_area;
    QWidget* m_box;
    FlowLayout* m_flow;
    QLineEdit* m_field = nullptr;
    int m_editing = -1;
    QLabel* m_placeholder;
    QPushButton* m_add;
    QPointer<FieldNote> m_error;
};

}  // namespace ropelab::ui
