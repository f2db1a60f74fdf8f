#pragma once

#include <QString>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/bench/benchmarks.h"
#include "core/rope/context.h"
#include "core/rope/rotary_setup.h"
#include "ui/common/latest_job.h"
#include "ui/controls/form.h"
#include "ui/rooms/memory/memory_figures.h"
#include "ui/session/run_access.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace ropelab::ui {

class ExperimentModel;

/// Edits the attention type, precision, layers and heads of the model's KV cache.
class ShapePanel : public QWidget {
    Q_OBJECT

 public:
    explicit ShapePanel(RotaryModel& model, QWidget* parent = nullptr);

    void renew();

    QComboBox* kind() const { return m_form->field<QComboBox>("kind"); }
    QComboBox* kvFormat() const { return m_form->field<QComboBox>("precision"); }
    /// A field of AttentionSizes by its name: "layers", "heads", "kv_heads", "latent_dim", "latent_rope_dim", "window",
    /// "global_layers".
    QSpinBox* field(std::string_view name) const { return m_form->field<QSpinBox>(name); }
    NumberFormat format() const;

 signals:
    /// Changes of the shape go to RotaryModel instead.
    void formatChanged();

 private:
    void change(std::string_view id);

    RotaryModel& m_model;
    Form* m_form;
    QLabel* m_keys;
};

/// The largest table that a measurement allocates.
constexpr std::int64_t kMaxMeasuredBytes = std::int64_t{1} << 31;

/// As RoPE Lab stores the table: in float32, each angle once, including the unrotated pairs of truncate.
std::int64_t plannedTableBytes(const RotarySetup& setup);

struct MeasuredTable {
    std::int64_t positions = 0;
    std::int64_t pairs = 0;
    std::int64_t bytes = 0;  // capacity of the arrays of cosines and sines
};
/// Allocates and fills the table of positions 0 … context − 1, measures it and frees it. nullopt if the measurement is
/// cancelled or there is not enough memory.
std::optional<MeasuredTable> measureTable(const RotarySetup& setup, const Cancelled& cancelled = {});

/// The measured size and the size by F31 for the same layout.
QString measuredSentence(const RotarySetup& setup, const MeasuredTable& measured);
/// "" if the table can be measured.
QString refusalSentence(const RotarySetup& setup);

/// Measures the bytes of the KV cache while a model generates text, and shows them beside the formula. The model is
/// that of a run with a checkpoint, or one with random weights and the settings of the sweep. The engine works on
/// another thread; training has priority.
class CacheMeasurement : public QWidget {
    Q_OBJECT

 public:
    CacheMeasurement(RunAccess access, const ExperimentModel& experiment, QWidget* parent = nullptr);

    void measure();
    bool isMeasuring() const { return m_job.isRunning(); }
    QComboBox& choice() { return *m_choice; }
    QPushButton& button() { return *m_button; }
    QLabel* words() const { return m_words; }

 private:
    void renewChoice();
    /// "" if the model can be measured.
    QString refusal() const;

    RunAccess m_access;
    const ExperimentModel& m_experiment;
    QComboBox* m_choice;
    QPushButton* m_button;
    QLabel* m_words;
    LatestJob m_job;  // declared last, so that its thread ends first
};

QString measuredCacheSentence(const QString& name, const RunSpec& spec, const bench::MeasuredCache& measured);

}  // namespace ropelab::ui
