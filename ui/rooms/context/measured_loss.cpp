#include "ui/rooms/context/measured_loss.h"

#include <QComboBox>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/run/probing.h"
#include "core/study/head_vectors.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/context/context_figures.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::int64_t kMostTokens = 32'768;    // of a run
constexpr std::int64_t kMostOfModel = 8'192;    // of an opened model: half a minute for 135 million parameters
constexpr std::int64_t kLengthOfModel = 2'048;  // at most
constexpr std::int64_t kMostSequences = 64;

/// Of the first layer that rotates, else of the first one.
RotarySetup setupOf(const ModelPlan& plan) {
    const auto rotates = [](const LayerPlan& layer) { return layer.rotary() && layer.rotary()->is_applied; };
    const auto found = std::ranges::find_if(plan.layers, rotates);
    return setup_of_layer(plan, found == plan.layers.end() ? 0 : found - plan.layers.begin());
}

MeasuredLoss measured(Engine& engine, const Checkpoint& checkpoint, const QString& name,
                      const std::filesystem::path& dataDir, const Cancelled& ends) {
    const ModelPlan plan = plan_of(checkpoint);
    const auto corpus = corpus_of(checkpoint, dataDir);
    const std::span<const std::int32_t> tokens = corpus->validation;
    const bool isLearned = plan.embedding.positions == Embedding::Positions::learned;
    const std::int64_t context = checkpoint.spec.context;
    MeasuredLoss result{.model = name, .text = QString::fromStdString(corpus->name), .setup = setupOf(plan)};
    result.length = std::min(isLearned             ? context
                             : checkpoint.external ? std::min(kLengthOfModel, 2 * context)
                                                   : 2 * context,
                             std::ssize(tokens) - 1);
    const std::int64_t most = (checkpoint.external ? kMostOfModel : kMostTokens) / result.length;
    result.sequences =
        std::clamp<std::int64_t>(std::min(most, (std::ssize(tokens) - 1) / result.length), 1, kMostSequences);
    const auto model = model_for(engine, checkpoint, result.length);
    const TextLoss loss =
        text_loss(*model, tokens.first(static_cast<std::size_t>(result.sequences * result.length + 1)),
                  {result.length, result.length}, [&ends](std::int64_t) { return ends(); });
    if (!loss.losses.empty()) result.bins = binned_by_position(loss, result.length);
    return result;
}

}  // namespace

Figure measuredLossFigure(const MeasuredLoss& measured, std::int64_t end, bool logarithmic,
                          std::optional<std::int64_t> firstNegative) {
    Figure figure;
    figure.name = u"measured-loss"_s;
    figure.x = distanceAxis(std::max(end, measured.length), logarithmic);
    figure.x.label = u"position in the sequence"_s;
    figure.y = {.label = u"measured loss"_s, .unit = u"nats"_s};
    FigureCurve curve;
    curve.quantity = u"measured loss"_s;
    curve.ink = Ink::data(0);
    FigureBand band{u"95 % interval"_s, curve.ink, {}, {}, {}};
    for (const PositionLoss& bin : measured.bins) {
        const double middle = static_cast<double>(bin.first + 1) + static_cast<double>(bin.count - 1) / 2;
        curve.x.append(middle);
        curve.y.append(bin.loss.mean);
        band.add(middle, bin.loss.confidence_low, bin.loss.confidence_high);
    }
    figure.curves.push_back(std::move(curve));
    if (!band.x.isEmpty()) figure.bands.push_back(std::move(band));
    figure.verticalLines.push_back({static_cast<double>(measured.setup.context),
                                    u"context %1"_s.arg(groupedText(measured.setup.context)),
                                    {Ink::Kind::accent}});
    if (firstNegative) {
        figure.verticalLines.push_back({static_cast<double>(*firstNegative),
                                        u"B(Δ) < 0 first at %1"_s.arg(groupedText(*firstNegative)),
                                        {Ink::Kind::error}});
    }
    figure.note = u"%1 on %2; n = %3 of %4 tokens, positions in four bins per doubling"_s.arg(
        measured.model, measured.text, countText(measured.sequences, u"sequence"_s), groupedText(measured.length));
    figure.settings = {{u"model"_s, measured.model},
                       {u"text"_s, measured.text},
                       {u"setup"_s, QString::fromStdString(text_of(measured.setup))}};
    figure.summary = measuredLossSentence(measured, firstNegative);
    return figure;
}

QString measuredLossSentence(const MeasuredLoss& measured, std::optional<std::int64_t> firstNegative) {
    const auto lossFrom = [&](std::int64_t from) {
        double sum = 0;
        double positions = 0;
        for (const PositionLoss& bin : measured.bins) {
            if (bin.first < from) continue;
            sum += bin.loss.mean * static_cast<double>(bin.count);
            positions += static_cast<double>(bin.count);
        }
        return sum / positions;
    };
    const std::int64_t half = measured.length / 2;
    const QString bound =
        firstNegative
            ? u"The bound follows from the frequencies alone: from the distance %1 on, a key similar to the query "
              "can have a smaller mean logit than a random key."_s.arg(groupedText(*firstNegative))
            : u"The bound follows from the frequencies alone and is not negative at the computed distances."_s;
    return bound +
           u" The loss is measured: %1 has %2 nats per token on %3 at positions from %4 on, in sequences of %5 tokens. "
           u"It "
           "depends on all that the model has learned, so the bound does not predict it."_s.arg(
               measured.model, readableNumber(lossFrom(half)), measured.text, groupedText(half),
               groupedText(measured.length));
}

MeasuredLossPanel::MeasuredLossPanel(RunAccess access, QWidget* parent)
    : QWidget(parent), m_access(std::move(access)), m_text(makeNote(this)) {
    auto* column = scaledColumn(this, 8);
    m_form.addSection(
        column, u"Measured loss"_s,
        {{"measured", u"run"_s, u"Run or opened model whose loss is measured"_s,
          u"Shows the loss of a trained run or of an opened model (File > Open model …) at each position, "
          "below the context bound. The RoPE setup becomes that of its first layer that rotates."_s,
          ChoiceRow()}});
    column->addWidget(m_text);
    m_chooser = new RunChooser(m_access, m_form, "measured", RunChooser::First::none, this);
    connect(m_chooser, &RunChooser::renewed, this, [this] {
        measure();
        if (m_form.value("measured").toLongLong() == 0) {
            m_text->setText(m_chooser->isEmpty() ? u"No trained run or opened model is available."_s : QString());
        }
    });
    connect(m_form.field<QComboBox>("measured"), &QComboBox::currentIndexChanged, this, &MeasuredLossPanel::measure);
    m_chooser->renew();
}

void MeasuredLossPanel::measure() {
    const RunId id = m_form.value("measured").toLongLong();
    if (id == m_measured) return;
    m_measured = id;
    m_loss.reset();
    m_job.cancel();
    const std::optional<EvaluatedRun> run = m_chooser->chosen();
    m_text->setText(id == 0 ? QString() : whyEngineIsBusy(m_access));
    if (!run || !m_text->text().isEmpty()) {
        m_measured = 0;
        return emit changed();
    }
    m_text->setText(u"Measuring the loss …"_s);
    const auto work = [read = checkpointReader(m_access, *run), name = run->name, dataDir = m_access.dataDir](
                          Engine& engine, const Cancelled& ends) {
        return measured(engine, read(), name, dataDir, ends);
    };
    startWithEngine<MeasuredLoss>(m_job, m_access.engineLock, work, [this](const Outcome<MeasuredLoss>& outcome) {
        m_text->setText(outcome.interrupted ? whyEngineIsBusy(m_access) : outcome.problem);
        m_loss = outcome.answer;
        if (!m_loss) m_measured = 0;
        emit changed();
    });
    emit changed();
}

}  // namespace ropelab::ui

#include "moc_measured_loss.cpp"
