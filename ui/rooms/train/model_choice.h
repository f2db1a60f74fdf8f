#pragma once

#include <QComboBox>

namespace ropelab::ui {

class ExperimentModel;

/// Each entry sets the number of layers, heads, the width and the context together.
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
