#pragma once

#include <QWidget>
#include <vector>

#include "core/rope/context.h"
#include "ui/rooms/context/context_criteria.h"

class QCheckBox;
class QLabel;

namespace ropelab::ui {

class NumberSlider;

/// Sets and clears a target of fine-tuning (context and base), with the resulting critical dimension, critical base and
/// extrapolation limit (F14, F15).
class TuningPanel : public QWidget {
    Q_OBJECT

 public:
    explicit TuningPanel(QWidget* parent = nullptr);

    const Tuning& tuning() const { return m_tuning; }
    /// Shows the other setup too if two are compared.
    void renew(const RotarySetup& setup, const std::optional<RotarySetup>& other = {}, bool editsB = false);

    // Fields and displayed texts, for tests.
    QCheckBox* hasTarget() const { return m_hasTarget; }
    NumberSlider* context() const { return m_context; }
    NumberSlider* base() const { return m_base; }
    QString criticalDimension() const;
    QString criticalBase() const;
    QString extrapolationLimit() const;

 signals:
    /// The user set, changed or cleared the target context or the tuned base.
    void changed();

 private:
    Tuning m_tuning;
    QCheckBox* m_hasTarget;
    NumberSlider* m_context;
    NumberSlider* m_base;
    QLabel* m_criticalDimension;
    QLabel* m_criticalBase;
    QLabel* m_extrapolationLimit;
    QLabel* m_unscaled = nullptr;  // note, visible while the setup has a scaling
};

/// Sets the mean of the components of random queries and keys, and the correlation of q and k (F16).
class RandomPanel : public QWidget {
    Q_OBJECT

 public:
    explicit RandomPanel(QWidget* parent = nullptr);

    const RandomVectors& vectors() const { return m_vectors; }

    // Fields, for tests.
    NumberSlider* mean() const { return m_mean; }
    NumberSlider* correlation() const { return m_correlation; }

 signals:
    void changed();

 private:
    RandomVectors m_vectors;
    NumberSlider* m_mean;
    NumberSlider* m_correlation;
};

}  // namespace ropelab::ui
