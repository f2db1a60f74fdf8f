#pragma once

#include <QWidget>

#include "ui/rotary/context/context_criteria.h"

class QLabel;

namespace ropelab::ui {

class NumberSlider;

/// Critical dimension, critical base and reach (F14, F15), and what to tune for.
class TuningPanel : public QWidget {
    Q_OBJECT

 public:
    explicit TuningPanel(QWidget* parent = nullptr);

    const Tuning& tuning() const { return m_tuning; }
    void renew(const RotarySetup& setup);

    NumberSlider* context() const { return m_context; }
    NumberSlider* base() const { return m_base; }
    QString criticalDimension() const;
    QString criticalBase() const;
    QString reach() const;

 signals:
    /// The person set what to tune for.
    void changed();

 private:
    Tuning m_tuning;
    NumberSlider* m_context;
    NumberSlider* m_base;
    QLabel* m_criticalDimension;
    QLabel* m_criticalBase;
    QLabel* m_reach;
};

}  // namespace ropelab::ui
