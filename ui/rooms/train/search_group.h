#pragma once

#include <QWidget>
#include <functional>

class QCheckBox;
class QComboBox;
class QPushButton;
class QSpinBox;

namespace ropelab::ui {

class ChipListEdit;
class ExperimentModel;
struct SweepOptions;

/// The method that samples ranges of settings, and whether the sweep adds only the runs that the lab lacks. The group
/// is folded unless it is used.
class SearchGroup : public QWidget {
    Q_OBJECT

 public:
    explicit SearchGroup(ExperimentModel& experiment, QWidget* parent = nullptr);

    void setShown(bool shown);

    QComboBox* method() const { return m_method; }
    ChipListEdit* ranges() const { return m_ranges; }
    QSpinBox* samples() const { return m_samples; }
    QSpinBox* seed() const { return m_seed; }
    QSpinBox* firstRung() const { return m_firstRung; }
    QCheckBox* extends() const { return m_extends; }
    QCheckBox* anew() const { return m_anew; }

 private:
    void makeFields();
    QSpinBox* makeNumber(const QString& name, int minimum, int maximum);
    void renew();
    /// An undoable step. Throws BadInput if the options are invalid in themselves.
    void change(const QString& text, const std::function<void(SweepOptions&)>& edit);

    ExperimentModel& m_experiment;
    bool m_wasUsed = false;
    QPushButton* m_button;
    QWidget* m_body;
    QComboBox* m_method = nullptr;
    ChipListEdit* m_ranges = nullptr;
    QSpinBox* m_samples = nullptr;
    QSpinBox* m_seed = nullptr;
    QSpinBox* m_firstRung = nullptr;
    QCheckBox* m_extends = nullptr;
    QCheckBox* m_anew = nullptr;
};

}  // namespace ropelab::ui
