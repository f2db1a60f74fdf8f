#pragma once

#include <QWidget>
#include <cstdint>

class QLineEdit;
class QSlider;

namespace ropelab::ui {

/// A whole number of tokens on one line: name, field, slider. Unlike NumberSlider its range follows the window. What
/// cannot be read or lies outside is refused: the field is marked, a sentence says why, the old value stays.
class PositionSlider : public QWidget {
    Q_OBJECT

 public:
    /// `name` stands before the field and names it to screen readers; `why` is the tooltip.
    PositionSlider(const QString& name, const QString& accessibleName, const QString& why, QWidget* parent = nullptr);

    std::int64_t value() const { return m_value; }
    std::int64_t last() const { return m_last; }
    /// Shows a value in 0 … last; no signal. What is being typed stays.
    void show(std::int64_t value, std::int64_t last);
    /// As typing and Enter do.
    void commit(const QString& typed);
    QString problem() const { return m_problem; }

 signals:
    /// The person set another value; many times in a drag.
    void changed(qint64 value);
    /// What was typed cannot be used, in one sentence; "" when that is over.
    void problemChanged(const QString& sentence);

 private:
    void offer(std::int64_t value);
    void mark(const QString& problem);

    QString m_name;
    QString m_why;
    QString m_problem;
    std::int64_t m_value = 0;
    std::int64_t m_last = 1;
    bool m_setting = false;
    QLineEdit* m_field;
    QSlider* m_slider;
};

}  // namespace ropelab::ui
