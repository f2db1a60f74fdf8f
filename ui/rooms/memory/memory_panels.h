#pragma once

#include <QString>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/bench/benchmarks.h"
#include "core/rope/context.h"
#include "core/rope/rotary_setup.h"
#include "ui/common/latest_job.h"
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

    QComboBox* kind() const { return m_kind; }
    QComboBox* kvFormat() const { return m_kvFormat; }
    /// A field of AttentionSizes by its name, or nullptr: "layers", "heads", "kv_heads", "latent_dim",
    /// "latent_rope_dim", "window", "global_layers".
    QSpinBox* field(const QString& name) const;
    NumberFormat format() const;

 signals:
    /// Changes of the shape go to RotaryModel instead.
    void formatChanged();

 private:
    void change(const QString& what, const ModelShape& shape);

    RotaryModel& m_model;
    QComboBox* m_kind;
    QComboBox* m_kvFormat;
    QLabel* m_keys;
    std::vector<QSpinBox*> m_fields;  // in the order of kFields
    bool m_isUpdating = false;        // the fields show a new shape and must not change it
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
