#pragma once

#include <QWidget>
#include <cstdint>

class QLineEdit;
class QSlider;

namespace ropelab::ui {

/// Edits a number of tokens. Unlike NumberSlider its range is set by show(), because it follows the context length. The
/// field marks input that is no integer or outside the range, problem() explains why, and the old value remains.
class PositionSlider : public QWidget {
    Q_OBJECT

 public:
    PositionSlider(const QString& name, const QString& accessibleName, const QString& tip, QWidget* parent = nullptr);

    std::int64_t value() const { return m_value; }
    std::int64_t last() const { return m_last; }
    /// The range is 0 … last. Emits no signal, and does not replace text that the user is typing.
    void show(std::int64_t value, std::int64_t last);
    /// Does what typing `typed` and pressing Enter does.
    void commit(const QString& typed);
    /// "" if the typed text is valid.
    QString problem() const { return m_problem; }

 signals:
    /// Emitted repeatedly during a drag.
    void changed(qint64 value);
    /// The user released the slider or pressed Enter.
    void finished();
    /// The typed text became invalid for the reason `sentence`, or valid again if `sentence` is "".
    void problemChanged(const QString& sentence);

 private:
    void setAndNotify(std::int64_t value);
    void showProblem(const QString& problem);

    QString m_name;
    QString m_tip;
    QString m_problem;
    std::int64_t m_value = 0;
    std::int64_t m_last = 1;
    bool m_setting = false;
    QLineEdit* m_field;
    QSlider* m_slider;
};

}  // namespace ropelab::ui
