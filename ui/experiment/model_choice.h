#pragma once

#include <QComboBox>

namespace ropelab::ui {

class ExperimentModel;

/// A small set of model sizes; layers, heads, width and context are set together.
class ModelChoice : public QComboBox {
    Q_OBJECT

 public:
    explicit ModelChoice(ExperimentModel& model, QWidget* parent = nullptr);

 private:
    void renew();
    void pick(int index);
    ExperimentModel& m_model;
};

}  // namespace ropelab::ui
