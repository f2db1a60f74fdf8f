#include "ui/rooms/memory/memory_panels.h"

#include <QComboBox>
#include <QLabel>
#include <QObject>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <new>
#include <numeric>
#include <system_error>

#include "core/base/error.h"
#include "core/rope/memory.h"
#include "core/rope/rotation.h"
#include "core/run/checkpoint.h"
#include "core/run/probing.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/rooms/memory/memory_figures.h"
#include "ui/session/engine_work.h"
#include "ui/session/experiment_model.h"
#include "ui/session/lab_document.h"
#include "ui/session/run_store.h"
#include "ui/session/sweep_session.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr std::array<NumberFormat, 3> kFormats = {NumberFormat::float32, NumberFormat::float16, NumberFormat::bfloat16};

using F = AttentionSizes;

constexpr int kShapeLabelWidth = 144;
constexpr std::string_view kKind = "kind";
constexpr std::string_view kPrecision = "precision";

struct ShapeField {
    std::string_view id;
    const char* label;
    std::int64_t F::*member;
    int least;
    int most;
    const char* why;
};
constexpr std::array<ShapeField, 7> kFields = {{
    {"layers", "layers", &F::layers, 1, 1000, "n_layer is the number of layers of the model that have a KV cache."},
    {"heads", "heads", &F::heads, 1, 1024,
     "This field sets the number of query heads. Multi-head attention (MHA) caches one key and one value per head "
     "and token."},
    {"kv_heads", "KV heads", &F::kv_heads, 1, 1024,
     "n_kv is the number of key and value heads in grouped-query (GQA) and sliding-window attention."},
    {"latent_dim", "MLA latent channels", &F::latent_dim, 1, 65536,
     "d_latent is the number of channels of the latent vector that multi-head latent attention (MLA) caches per "
     "token."},
    {"latent_rope_dim", "MLA rotary channels", &F::latent_rope_dim, 0, 4096,
     "d_rope is the number of channels of the rotated key that all heads share in multi-head latent attention (MLA)."},
    {"window", "sliding window (tokens)", &F::window, 1, 1 << 24,
     "W is the number of most recent tokens whose keys and values a sliding-window layer caches."},
    {"global_layers", "global layers", &F::global_layers, 0, 1000,
     "Global layers attend to the whole context; the other layers have a sliding window. This field sets the number "
     "of global layers."},
}};

QList<FormRow> shapeRows() {
    ChoiceRow kinds;
    for (const KvCache kind : kKinds) kinds.entries.append({kindText(kind), static_cast<int>(kind)});
    ChoiceRow formats;
    for (const NumberFormat format : kFormats)
        formats.entries.append({text(word_of(format)), static_cast<int>(format)});
    formats.standard = static_cast<int>(NumberFormat::bfloat16);
    QList<FormRow> rows = {
        {.id = kKind,
         .label = u"attention type"_s,
         .name = {},
         .why =
             u"The attention type determines which keys and values the model caches per token. Formula 32 of the guide"_s,
         .kind = kinds},
        {.id = kPrecision,
         .label = u"precision"_s,
         .name = {},
         .why = u"The precision is the number format in which the KV cache is stored, with B bytes per number."_s,
         .kind = formats}};
    for (const ShapeField& entry : kFields) {
        rows.append({.id = entry.id,
                     .label = QString::fromUtf8(entry.label),
                     .name = {},
                     .why = QString::fromUtf8(entry.why),
                     .kind = WholeRow{entry.least, entry.most}});
    }
    return rows;
}

constexpr std::int64_t kChunk = 4096;  // positions between two checks for cancellation

std::int64_t pairsOfTable(const RotarySetup& setup) {
    const int rotated = rotary_dim(setup);
    return rotated == 0 ? 0 : (setup.partial == Partial::truncate ? setup.head_dim : rotated) / 2;
}

constexpr std::int64_t kMeasuredTokens = 16;
constexpr RunId kOfSweep = 0;

struct CacheAnswer {
    RunSpec spec;
    bench::MeasuredCache measured;
};

}  // namespace

ShapePanel::ShapePanel(RotaryModel& model, QWidget* parent)
    : QWidget(parent), m_model(model), m_form(new Form(this, kShapeLabelWidth)), m_keys(makeNote(this)) {
    setAccessibleName(u"Shape of the model's KV cache"_s);
    auto* column = scaledColumn(this, 8);
    column->addWidget(makeHeading(u"KV cache of the model"_s, this));
    m_form->add(column, shapeRows());
    for (const ShapeField& entry : kFields) {
        QSpinBox* each = field(entry.id);
        scaleWidth(each, 130);
        each->setGroupSeparatorShown(true);
        each->setLocale(QLocale(QLocale::English));
        each->setKeyboardTracking(false);
        if (entry.most > 4096) each->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
        connect(each, &QSpinBox::editingFinished, this, [this] { m_model.endDrag(); });
    }
    column->addWidget(m_keys);
    connect(m_form, &Form::changed, this, &ShapePanel::change);
    connect(m_form, &Form::finished, this, [this] { m_model.endDrag(); });
    connect(&m_model, &RotaryModel::changed, this, &ShapePanel::renew);  // also while the page is hidden
    renew();
}

void ShapePanel::change(std::string_view id) {
    if (id == kPrecision) return emit formatChanged();
    ModelShape shape = m_model.shape();
    shape.name.clear();  // the shape is no longer that of the model
    QString what = u"attention type"_s;
    if (id == kKind) {
        m_model.endDrag();
        shape.sizes.kind = static_cast<KvCache>(m_form->value(id).toInt());
    } else {
        const auto entry = std::ranges::find(kFields, id, &ShapeField::id);
        shape.sizes.*entry->member = m_form->value(id).toInt();
        what = QString::fromUtf8(entry->label);
    }
    m_model.change(u"change %1"_s.arg(what), m_model.setup(), shape);
}

void ShapePanel::renew() {
    const ModelShape& shape = m_model.shape();
    const AttentionSizes sizes = attentionSizes(m_model.setup(), shape);
    m_form->showValue(kKind, static_cast<int>(shape.sizes.kind));
    m_form->field<QComboBox>(kKind)->setToolTip(kindWhy(sizes));
    for (const ShapeField& entry : kFields) {
        m_form->showValue(entry.id, static_cast<int>(shape.sizes.*entry.member));
    }
    m_keys->setText(u"The sizes of the KV cache are for one sequence (batch size 1) and %1 channels per head."_s.arg(
        groupedText(sizes.head_dim)));
}

NumberFormat ShapePanel::format() const {
    return static_cast<NumberFormat>(m_form->value(kPrecision).toInt());
}

std::int64_t plannedTableBytes(const RotarySetup& setup) {
    return rope_cache_bytes(static_cast<int>(2 * pairsOfTable(setup)), setup.context, sizeof(float),
                            TableLayout::single);
}

std::optional<MeasuredTable> measureTable(const RotarySetup& setup, const Cancelled& cancelled) {
    const Frequencies now = frequencies(frequency_settings(setup));
    RotationTable table;
    table.pairs = now.inverse_frequencies.size();
    try {
        const std::size_t numbers = static_cast<std::size_t>(setup.context) * table.pairs;
        table.cosine.reserve(numbers);
        table.sine.reserve(numbers);
        for (std::int64_t first = 0; first < setup.context; first += kChunk) {
            if (cancelled && cancelled()) {
                return std::nullopt;
            }
            std::vector<std::int64_t> positions(static_cast<std::size_t>(std::min(kChunk, setup.context - first)));
            std::iota(positions.begin(), positions.end(), first);
            const RotationTable part = rotation_table(now, positions);
            table.cosine.insert(table.cosine.end(), part.cosine.begin(), part.cosine.end());
            table.sine.insert(table.sine.end(), part.sine.begin(), part.sine.end());
            table.positions += part.positions;
        }
    } catch (const std::bad_alloc&) {
        return std::nullopt;
    }
    return MeasuredTable{static_cast<std::int64_t>(table.positions), static_cast<std::int64_t>(table.pairs),
                         static_cast<std::int64_t>((table.cosine.capacity() + table.sine.capacity()) * sizeof(float))};
}

QString measuredSentence(const RotarySetup& setup, const MeasuredTable& measured) {
    const bool isTruncated = setup.partial == Partial::truncate && rotary_dim(setup) < setup.head_dim;
    return u"The allocated table has %1 bytes (%2): cos and sin of %3 positions × %4 pairs in float32, each angle "
           "once. The formula %5 gives %6 bytes."_s.arg(
               groupedText(measured.bytes), binarySize(measured.bytes), groupedText(measured.positions),
               groupedText(measured.pairs), isTruncated ? u"L·d·B (unrotated pairs are also stored)"_s : u"L·d_r·B"_s,
               groupedText(plannedTableBytes(setup)));
}

QString refusalSentence(const RotarySetup& setup) {
    if (rotary_dim(setup) == 0) {
        return u"No channel rotates, so there is no cos/sin table to allocate."_s;
    }
    const std::int64_t planned = plannedTableBytes(setup);
    return planned <= kMaxMeasuredBytes ? QString()
                                        : u"The cos/sin table needs %1, but a measurement allocates at most %2."_s.arg(
                                              binarySize(planned), binarySize(kMaxMeasuredBytes));
}

QString measuredCacheSentence(const QString& name, const RunSpec& spec, const bench::MeasuredCache& measured) {
    const QString tokens = countText(measured.tokens, u"token"_s);
    const QString rope =
        measured.formula.rope > 0
            ? u" Its cos/sin table has %1 bytes by formula 31 of the guide."_s.arg(groupedText(measured.formula.rope))
            : QString();
    if (measured.formula.kv == 0) {
        return u"%1 generated %2 without a KV cache, because a model with operations = eager recomputes the whole "
               "context for each token.%3"_s.arg(name, tokens, rope);
    }
    return u"While %1 generated %2, its KV cache had %3 bytes (%4). Formulas 32, 44 and 46 of the guide give %5 bytes "
           "for a context of %6 tokens in float32.%7"_s.arg(name, tokens, groupedText(measured.kv),
                                                            binarySize(measured.kv), groupedText(measured.formula.kv),
                                                            groupedText(spec.context), rope);
}

CacheMeasurement::CacheMeasurement(RunAccess access, const ExperimentModel& experiment, QWidget* parent)
    : QWidget(parent),
      m_access(std::move(access)),
      m_experiment(experiment),
      m_choice(makeChoice(u"Model whose KV cache is measured"_s, this)),
      m_button(new QPushButton(u"Measure KV cache"_s, this)),
      m_words(makeNote(this)) {
    auto* column = scaledColumn(this, 8);
    column->addWidget(makeHeading(u"Measured KV cache"_s, this));
    m_choice->setToolTip(
        u"Selects the model: a run of this lab that has a checkpoint, or a model with random weights and the settings "
        "of the first run of the sweep on the page Train."_s);
    column->addWidget(m_choice);
    m_button->setFocusPolicy(Qt::TabFocus);
    m_button->setToolTip(
        u"Generates %1 with the model, counts the bytes of its KV cache, and compares them with the formula of the "
        "guide. The cache is allocated for the whole context at the first token. In the terminal, ropelab-cli sample "
        "--json and ropelab-cli bench --part generation print these numbers."_s.arg(
            countText(kMeasuredTokens, u"token"_s)));
    column->addWidget(m_button, 0, Qt::AlignLeft);
    m_words->setAccessibleName(u"Bytes of the measured KV cache"_s);
    m_words->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addWidget(m_words);
    connect(m_button, &QPushButton::clicked, this, &CacheMeasurement::measure);
    connect(&m_access.runs, &RunStore::reloaded, this, &CacheMeasurement::renewChoice);
    connect(&m_access.session, &SweepSession::ended, this, &CacheMeasurement::renewChoice);
    connect(m_choice, &QComboBox::currentIndexChanged, this, [this] {
        m_job.cancel();
        m_words->clear();
    });
    connect(&m_job, &LatestJob::runningChanged, this, [this](bool running) { m_button->setEnabled(!running); });
    renewChoice();
}

void CacheMeasurement::renewChoice() {
    QList<QPair<QString, QVariant>> entries = {{u"settings of the sweep"_s, QVariant::fromValue<qint64>(kOfSweep)}};
    for (const RunView& run : m_access.runs.runs()) {
        if (run.record.state == RunState::waiting) continue;
        entries.append({run.name, QVariant::fromValue<qint64>(run.record.id)});
    }
    refillChoice(m_choice, entries, m_choice->currentData());
}

QString CacheMeasurement::refusal() const {
    if (m_access.session.isActive())
        return u"A sweep is training, and the program cannot evaluate another model at the same time. Measure the KV "
               "cache after training has ended."_s;
    if (m_access.meter.isActive()) {
        return u"The time and memory of a sweep are being measured, and the program cannot evaluate another model at "
               "the same time. Measure the KV cache after this measurement has ended."_s;
    }
    return {};
}

void CacheMeasurement::measure() {
    if (const QString why = refusal(); !why.isEmpty()) return m_words->setText(why);
    const RunId id = m_choice->currentData().toLongLong();
    const RunView* run = m_access.runs.find(id);
    const LabFile* lab = m_access.lab.file();
    std::optional<RunCheckpoint> checkpoint;
    RunSpec sweep;
    QString name = u"the sweep's first run"_s;
    if (run && lab) {
        checkpoint = checkpointOfRun(*lab, run->record.id);
        name = run->name;
        std::error_code error;
        if (!std::filesystem::exists(checkpoint->path, error)) {
            return m_words->setText(QString::fromStdString(whyNoCheckpoint(*checkpoint)));
        }
    } else {
        try {
            sweep = m_experiment.value().expand().front();
        } catch (const BadInput& error) {
            return m_words->setText(QString::fromStdString(error.what()));
        }
    }
    m_words->setText(u"Measuring …"_s);
    const auto work = [checkpoint, sweep](Engine& engine, const Cancelled& ends) {
        CacheAnswer answer{sweep, {}};
        std::optional<bench::MeasuredCache> measured;
        if (!checkpoint) {
            measured = bench::measure_cache(engine, sweep, kMeasuredTokens, ends);
        } else {
            const auto read = read_checkpoint(*checkpoint);
            if (!read) throw BadInput(whyNoCheckpoint(*checkpoint));
            answer.spec = read->spec;
            measured = bench::measure_cache(*model_of(engine, *read), read->spec, kMeasuredTokens, ends);
        }
        answer.measured = measured.value_or(bench::MeasuredCache{});  // an interrupted measurement has no answer
        return answer;
    };
    startWithEngine<CacheAnswer>(m_job, m_access.engineLock, work, [this, name](const Outcome<CacheAnswer>& outcome) {
        if (outcome.answer) {
            m_words->setText(measuredCacheSentence(name, outcome.answer->spec, outcome.answer->measured));
        } else if (outcome.interrupted) {
            m_words->setText(
                u"The measurement of the KV cache was interrupted by other work such as training. Start the "
                "measurement again."_s);
        } else {
            m_words->setText(outcome.problem);
        }
    });
}

}  // namespace ropelab::ui

#include "moc_memory_panels.cpp"
