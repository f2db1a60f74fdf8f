#pragma once

#include <QWidget>

#include "core/rope/context.h"

namespace ropelab::ui {

class NumberSlider;

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
