#include "ui/rooms/inspect/inspect_panel.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/rooms/inspect/figures/figures.h"
#include "ui/session/run_store.h"
#include "ui/session/settings.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kNarrowLabel = 56;  // pixels at 100 %, so that the names of runs are whole

}  // namespace

FineTunePanel::FineTunePanel(QWidget* parent) : QWidget(parent) {
    auto* column = scaledColumn(this, 8);
    column->addWidget(makeHeading(u"Fine-tuning"_s, this));
    QGridLayout* grid = makeFieldGrid(kNarrowLabel);
    column->addLayout(grid);
    m_method = makeChoice(u"Scaling method of fine-tuning"_s, this);
    for (const ScalingMethod method : extrapolation_methods())
        m_method->addItem(methodTitle(method), static_cast<int>(method));
    chooseData(m_method, static_cast<int>(FineTuning().method));
    addField(
        grid, u"scaling"_s, m_method,
        u"Selects the method of scaling RoPE's frequencies with which a copy of the run is fine-tuned. For LongRoPE, "
        "the factors are first searched for on the training split. A run without RoPE has no frequencies to scale: "
        "choose None."_s);
    m_steps = new QSpinBox(this);
    m_steps->setAccessibleName(u"Steps of fine-tuning"_s);
    m_steps->setRange(1, 1000000);
    m_steps->setValue(static_cast<int>(FineTuning().steps));
    addField(
        grid, u"steps"_s, m_steps,
        u"Number of training steps of the fine-tuning. Each step processes about as many tokens as a step of the run."_s);
    m_learningRate = new QLineEdit(this);
    m_learningRate->setAccessibleName(u"Learning rate of fine-tuning"_s);
    addField(grid, u"learning rate"_s, m_learningRate,
             u"Constant learning rate of the fine-tuning. The default is a tenth of the run's learning rate."_s);
    m_button = new QPushButton(this);
    column->addWidget(m_button);
    m_training = addLabel(u"Run that is fine-tuned"_s);
    m_bar = new QProgressBar(this);
    m_bar->setTextVisible(false);
    keepSpace(m_bar);
    keepSpace(m_training);
    m_bar->setAccessibleName(u"Completed steps"_s);
    column->addWidget(m_bar);
    m_words = addLabel(u"Reason why the run cannot be fine-tuned"_s);
    colorAsError(m_words);
    m_numbers = addLabel(u"Losses before and after fine-tuning"_s);
    m_numbers->setTextInteractionFlags(Qt::TextSelectableByMouse);
    connect(m_button, &QPushButton::clicked, this, &FineTunePanel::toggleRequested);
    connect(m_method, &QComboBox::currentIndexChanged, this, &FineTunePanel::changed);
    connect(m_learningRate, &QLineEdit::textChanged, this, &FineTunePanel::renew);
    renew();
}

QLabel* FineTunePanel::addLabel(const QString& name) {
    QLabel* label = makeText(name, this);
    layout()->addWidget(label);
    return label;
}

QString FineTunePanel::whyInvalidRate() const {
    const QString text = m_learningRate->text().trimmed();
    if (text.isEmpty()) return {};
    try {
        const double rate = parse_number(text.toStdString());
        return rate > 0 && std::isfinite(rate) ? QString() : u"The learning rate must be positive and finite."_s;
    } catch (const BadInput& error) {
        return QString::fromUtf8(error.what());
    }
}

FineTuning FineTunePanel::chosen(std::int64_t factor) const {
    FineTuning how;
    how.method = static_cast<ScalingMethod>(m_method->currentData().toInt());
    how.factor = factor;
    how.steps = m_steps->value();
    const QString rate = m_learningRate->text().trimmed();
    if (!rate.isEmpty() && whyInvalidRate().isEmpty()) how.learning_rate = parse_number(rate.toStdString());
    return how;
}

void FineTunePanel::fit(const RunSpec& spec) {
    m_learningRate->setPlaceholderText(QString::number(learning_rate_of({}, spec), 'g', 3));
}

void FineTunePanel::renew() {
    const bool isTraining = !m_state.trainingRun.isEmpty();
    const QString rate = whyInvalidRate();
    QString why = rate.isEmpty() ? m_state.refusal : rate;
    if (isTraining) why.clear();
    m_button->setText(isTraining ? u"Cancel fine-tuning"_s : u"Fine-tune copy"_s);
    m_button->setEnabled(isTraining || (m_state.hasRun && why.isEmpty()));
    m_button->setToolTip(why);
    m_bar->setVisible(isTraining);
    m_training->setText(u"A copy of the run %1 is being fine-tuned."_s.arg(m_state.trainingRun));
    m_training->setVisible(isTraining);
    const QString words = why.isEmpty() ? m_state.problem : why;
    m_words->setText(words);
    m_words->setVisible(!words.isEmpty());
    m_numbers->setText(m_state.results.join(u"\n\n"_s));
    m_numbers->setVisible(!m_state.results.isEmpty());
    for (QWidget* field : std::initializer_list<QWidget*>{m_method, m_steps, m_learningRate})
        field->setEnabled(!isTraining);
}

void FineTunePanel::showState(const FineTuneState& state) {
    if (m_state.trainingRun.isEmpty() && !state.trainingRun.isEmpty()) showProgress(0, m_steps->value());
    m_state = state;
    renew();
}

void FineTunePanel::showProgress(std::int64_t done, std::int64_t steps) {
    m_bar->setMaximum(static_cast<int>(std::max<std::int64_t>(1, steps)));
    m_bar->setValue(static_cast<int>(done));
    m_bar->setToolTip(u"%1 of %2 steps"_s.arg(groupedText(done), groupedText(steps)));
}

namespace {

enum Which { highlightedPair, range, fastest, slowest };

using Entries = QList<QPair<QString, QVariant>>;

/// Fields are disabled and not hidden, so that the others keep their place.
void enableField(QWidget* field, QWidget* title, bool isUsed) {
    field->setEnabled(isUsed);
    title->setEnabled(isUsed);
}

/// The selection is preserved if it is still offered, else `fallback` is selected.
void renewChoice(QComboBox* choice, const Entries& entries, qlonglong fallback) {
    const QVariant selected = choice->currentData();
    const bool offered =
        std::any_of(entries.begin(), entries.end(), [&](const auto& e) { return e.second == selected; });
    refillChoice(choice, entries, offered ? selected : QVariant(fallback));
}

/// A run without rotated pairs has nothing to show in the figures by frequency, and a run without probes only what its
/// checkpoint can compute. Of equal ones, a finished run with a low loss comes first.
std::pair<int, double> muchToSee(const RunView& run) {
    const bool hasProbes = run.spec.probe_every > 0 && run.record.state != RunState::waiting;
    const double loss = run.best ? run.best->validation_loss : std::numeric_limits<double>::infinity();
    return {(run.visible ? 8 : 0) + (rotatesPairs(run.spec) ? 4 : 0) + (hasProbes ? 2 : 0) +
                (run.record.state == RunState::finished ? 1 : 0),
            -loss};
}

}  // namespace

InspectPanel::InspectPanel(RunStore& runs, Settings& settings, QWidget* parent)
    : QFrame(parent), m_runStore(runs), m_settings(settings) {
    const auto [area, content, column] = makePanel(this, u"Inspect"_s);

    QWidget* box = nullptr;
    QGridLayout* grid = addGroup(column, u"Inspect"_s, &box);
    m_run = makeChoice(u"Run"_s, box);
    addField(grid, u"run"_s, m_run,
             u"Selects the run whose internals the figures show. The default is a visible, finished run with RoPE "
             "and stored snapshots: among several, the run with the lowest validation loss."_s);
    m_ghost = makeChoice(u"Second run"_s, box);
    addField(grid, u"run 2"_s, m_ghost,
             u"Selects a second run with which the figures compare the first run. The second run is shown in faint "
             "colours or in a separate figure."_s);
    m_difference = new QCheckBox(u"Show difference"_s, box);
    grid->addWidget(m_difference, grid->rowCount(), 1);
    m_rows = makeChoice(u"Rows of heat maps"_s, box);
    m_rows->addItem(u"layers"_s, false);
    m_rows->addItem(u"heads of a layer"_s, true);
    m_rowsTitle = addField(grid, u"rows"_s, m_rows,
                           u"Heat maps show one row per layer, or one row per head of the selected layer."_s);
    m_layer = makeChoice(u"Layer"_s, box);
    m_layerTitle =
        addField(grid, u"layer"_s, m_layer,
                 u"Selects the layer that the figures show. “all” shows one row or curve per layer, or the mean over "
                 "layers."_s);
    m_head = makeChoice(u"Head"_s, box);
    m_headTitle = addField(grid, u"head"_s, m_head,
                           u"Selects the head that the figures show, or the mean over heads. With “automatic”, "
                           "attention maps show the head with the largest rotary logit contribution in the newest "
                           "snapshot (in a run without RoPE, the head with the lowest attention entropy), and the "
                           "other figures show the mean over heads."_s);
    m_axis = makeChoice(u"Horizontal axis of heat maps"_s, box);
    m_axis->addItem(u"pair"_s, false);
    m_axis->addItem(u"wavelength"_s, true);
    m_axisTitle =
        addField(grid, u"x axis"_s, m_axis,
                 u"The horizontal axis of heat maps shows each pair's index, or its wavelength in tokens (2π divided "
                 "by its frequency) on a logarithmic scale."_s);

    m_ownGrid = addGroup(column, u"Figure"_s, &m_ownBox);
    m_ownBox->hide();

    QGridLayout* dials = addGroup(column, u"Rotation dials"_s, &m_lagBox);
    m_lag = new QSpinBox(m_lagBox);
    m_lag->setRange(0, 1'000'000);
    m_lag->setValue(m_settings.value("inspect/lag").toInt());
    m_lag->setSuffix(u" tokens"_s);
    m_lag->setAccessibleName(u"Distance m − n of query and key in the dials"_s);
    addField(dials, u"lag Δ"_s, m_lag,
             u"The lag Δ is the distance between query and key in tokens. The dials show each pair rotated by Δ times "
             "its frequency."_s);

    QGridLayout* text = addGroup(column, u"Text"_s, &m_textBox);
    m_text = new QLineEdit(m_textBox);
    m_text->setPlaceholderText(u"text of the snapshots"_s);
    m_text->setClearButtonEnabled(true);
    m_text->setAccessibleName(u"Text for attention figures and bits per token"_s);
    m_text->setToolTip(
        u"Text that the run's model processes for the attention figures and for the figure “bits per token of a text”. "
        u"If "
        "the field is empty, the attention figures show the text of the snapshots, and the figure “bits on the "
        "text” shows the start of the validation split."_s);
    text->addWidget(m_text, 0, 0, 1, 2);
    m_textWords = makeText({}, m_textBox);
    colorAsError(m_textWords);
    keepLines(m_textWords, 2);
    text->addWidget(m_textWords, 1, 0, 1, 2);

    QGridLayout* ablation = addGroup(column, u"Ablation"_s, &m_ablationBox);
    m_kind = makeChoice(u"Kind of ablation"_s, m_ablationBox);
    m_kind->addItem(u"freeze"_s, static_cast<int>(Ablation::Kind::stop));
    m_kind->addItem(u"remove from logit"_s, static_cast<int>(Ablation::Kind::remove));
    m_kind->addItem(u"replace by mean"_s, static_cast<int>(Ablation::Kind::mean));
    addField(ablation, u"kind"_s, m_kind,
             u"Freeze: the pair's frequency becomes 0, so the pair encodes content but no position. Remove: the pair's "
             "term is removed from the attention logit. Replace by mean: the pair's query and key become their means "
             "over the evaluated sequences, so the pair's term depends only on the distance."_s);
    m_which = makeChoice(u"Pairs to ablate"_s, m_ablationBox);
    m_which->addItem(u"highlighted pair"_s, highlightedPair);
    m_which->addItem(u"range"_s, range);
    m_which->addItem(u"fastest pairs"_s, fastest);
    m_which->addItem(u"slowest pairs"_s, slowest);
    m_whichTitle = addField(ablation, u"pairs"_s, m_which,
                            u"Selects the rotary pairs that are ablated in all layers "
                            "and heads."_s);
    m_first = new QSpinBox(m_ablationBox);
    m_last = new QSpinBox(m_ablationBox);
    m_first->setAccessibleName(u"First pair, or number of pairs"_s);
    m_last->setAccessibleName(u"Last pair"_s);
    m_firstTitle = addField(ablation, u"first"_s, m_first,
                            u"The first pair of the ablated range (pair 0 has the highest frequency), or the number of "
                            "pairs to ablate."_s);
    m_lastTitle = addField(ablation, u"last"_s, m_last, u"The last pair of the ablated range (included)."_s);

    QGridLayout* beyond = addGroup(column, u"Length extrapolation"_s, &m_extrapolationBox);
    m_factor = makeChoice(u"Sequence length"_s, m_extrapolationBox);
    for (const int factor : {2, 4, 8}) m_factor->addItem(u"%1 × the context"_s.arg(factor), factor);
    m_factor->setCurrentIndex(1);
    addField(beyond, u"length"_s, m_factor,
             u"Length of the evaluated sequences, as a multiple of the training context. Every scaling method uses "
             "this multiple as its factor."_s);
    m_fineTune = new FineTunePanel(this);
    m_fineTune->learningRate()->setText(m_settings.value("inspect/rate").toString());
    column->addWidget(m_fineTune);
    column->addStretch(1);

    for (QComboBox* combo : {m_run, m_ghost, m_rows, m_layer, m_head, m_axis, m_kind, m_which, m_factor}) {
        connect(combo, &QComboBox::currentIndexChanged, this, [this] {
            renewRanges();
            emit changed();
        });
    }
    for (QSpinBox* spin : {m_first, m_last}) connect(spin, &QSpinBox::valueChanged, this, &InspectPanel::changed);
    connect(m_fineTune, &FineTunePanel::changed, this, &InspectPanel::changed);
    connect(m_lag, &QSpinBox::valueChanged, this, &InspectPanel::changed);
    connect(m_difference, &QCheckBox::toggled, this, &InspectPanel::changed);
    connect(m_text, &QLineEdit::textChanged, this, &InspectPanel::changed);
    saveChoicesOnChange();
    renewRuns();
    fit(RunSpec{});
}

void InspectPanel::saveChoicesOnChange() {
    connect(m_lag, &QSpinBox::valueChanged, this, [this](int lag) { m_settings.setValue("inspect/lag", lag); });
    connect(m_fineTune->learningRate(), &QLineEdit::editingFinished, this,
            [this] { m_settings.setValue("inspect/rate", m_fineTune->learningRate()->text().trimmed()); });
    connect(m_ghost, &QComboBox::currentIndexChanged, this, &InspectPanel::ghostChosen);
}

QGridLayout* InspectPanel::addGroup(QVBoxLayout* column, const QString& title, QWidget** box) {
    *box = new QWidget(this);
    auto* inner = scaledColumn(*box, 8);
    inner->addWidget(makeHeading(title, *box));
    QGridLayout* grid = makeFieldGrid(kNarrowLabel);
    inner->addLayout(grid);
    column->addWidget(*box);
    return grid;
}

RunId InspectPanel::ghost() const {
    const RunId id = m_ghost->currentData().toLongLong();
    return id == run() ? 0 : id;
}

InspectChoices InspectPanel::choices() const {
    InspectChoices result;
    result.layer = m_layer->currentData().toLongLong();
    result.head = m_head->currentData().toLongLong();
    result.headsAsRows = m_rows->currentData().toBool();
    result.difference = m_difference->isChecked() && ghost() != 0;
    result.byWavelength = m_axis->currentData().toBool();
    result.lag = m_lag->value();
    return result;
}

Ablation InspectPanel::ablation(std::int64_t pairs, std::optional<int> highlighted) const {
    const std::int64_t first = std::clamp<std::int64_t>(m_first->value(), 0, pairs - 1);
    const std::int64_t count = std::clamp<std::int64_t>(m_first->value(), 1, pairs);
    switch (m_which->currentData().toInt()) {
        case range:
            return pair_range(kind(), std::min<std::int64_t>(first, m_last->value()),
                              std::clamp<std::int64_t>(std::max(m_first->value(), m_last->value()), 0, pairs - 1));
        case fastest:
            return pair_range(kind(), 0, count - 1);
        case slowest:
            return pair_range(kind(), pairs - count, pairs - 1);
        default:
            break;
    }
    const std::int64_t pair = std::clamp<std::int64_t>(highlighted.value_or(0), 0, pairs - 1);
    return pair_range(kind(), pair, pair);
}

void InspectPanel::renewRuns() {
    Entries entries;
    qlonglong first = 0;
    std::pair<int, double> most = {-1, 0};
    for (const RunView& run : m_runStore.runs()) {
        entries.append({run.name, static_cast<qlonglong>(run.record.id)});
        const auto here = muchToSee(run);
        if (here <= most) continue;
        most = here;
        first = run.record.id;
    }
    if (entries.isEmpty()) {
        renewChoice(m_run, {{u"no runs yet"_s, 0}}, 0);
    } else {
        renewChoice(m_run, entries, first);
    }
    entries.removeIf([this](const auto& entry) { return entry.second.toLongLong() == run(); });
    entries.prepend({u"none"_s, 0});
    renewChoice(m_ghost, entries, 0);
    renewDifference();
}

void InspectPanel::forgetRuns() {
    for (QComboBox* list : {m_run, m_ghost}) {
        const QSignalBlocker quiet(list);
        list->clear();
    }
}

void InspectPanel::chooseRuns(RunId run, RunId other) {
    renewRuns();
    chooseData(m_run, static_cast<qlonglong>(run));
    renewRuns();  // the list of second runs omits the first one
    if (other != 0) chooseData(m_ghost, static_cast<qlonglong>(other));
}

void InspectPanel::renewDifference() {
    m_difference->setEnabled(ghost() != 0);
    m_difference->setToolTip(
        ghost() != 0
            ? u"Heat maps and attention maps show the first run minus the second: blue below 0, orange above."_s
            : u"The difference of two runs needs a second run: choose one under “run 2”."_s);
}

void InspectPanel::fit(const RunSpec& spec) {
    m_layers = spec.layers;
    renewLayers();
    m_heads = spec.heads;
    renewHeads();
    m_fineTune->fit(spec);
    const int last = std::max(0, spec.query_dim() / 2 - 1);
    for (QSpinBox* spin : {m_first, m_last}) {
        const QSignalBlocker quiet(spin);
        spin->setMaximum(last + 1);
    }
    renewRanges();
}

void InspectPanel::renewLayers() {
    Entries layers;
    if (!m_needsOneLayer) layers.append({u"all"_s, -1});
    for (std::int64_t i = 0; i < m_layers; ++i) layers.append({QString::number(i), static_cast<qlonglong>(i)});
    const QVariant before = m_layer->currentData();
    renewChoice(m_layer, layers, m_needsOneLayer ? 0 : -1);
    if (before.isValid() && m_layer->currentData() != before) emit changed();
}

void InspectPanel::renewHeads() {
    Entries heads = {{u"automatic"_s, static_cast<qlonglong>(kAutomaticHead)}};
    if (!m_needsOneHead) heads.append({u"mean"_s, -1});
    for (std::int64_t i = 0; i < m_heads; ++i) heads.append({QString::number(i), static_cast<qlonglong>(i)});
    const QVariant before = m_head->currentData();
    if (heads.size() != m_head->count()) renewChoice(m_head, heads, static_cast<qlonglong>(kAutomaticHead));
    if (before.isValid() && m_head->currentData() != before) emit changed();
}

void InspectPanel::renewRanges() {
    const int which = m_which->currentData().toInt();
    const bool ends = which == fastest || which == slowest;
    enableField(m_which, m_whichTitle, m_picksPairs);
    enableField(m_first, m_firstTitle, m_picksPairs && which != highlightedPair);
    enableField(m_last, m_lastTitle, m_picksPairs && which == range);
    m_firstTitle->setText(ends ? u"number"_s : u"first"_s);
    renewDifference();
}

void InspectPanel::showFor(const std::vector<const InspectFigure*>& figures, const QString& textProblem) {
    using Controls = InspectFigure::Controls;
    const auto any = [&figures](auto matches) { return std::any_of(figures.begin(), figures.end(), matches); };
    const auto needs = [&any](InspectNeed::Fields field) {
        return any([field](const auto* figure) { return figure->need && (figure->need->fields & field) != 0; });
    };
    const auto uses = [&any](Controls kind) {
        return any([kind](const auto* figure) { return figure->controls == kind; });
    };
    m_textBox->setVisible(needs(InspectNeed::textField));
    m_textWords->setText(textProblem);
    m_ablationBox->setVisible(needs(InspectNeed::ablationField));
    m_extrapolationBox->setVisible(needs(InspectNeed::lengthField));
    m_fineTune->setVisible(needs(InspectNeed::fineTuningField));
    m_picksPairs = needs(InspectNeed::pairsField);
    showOwnChoices(figures);
    const bool hasRows = uses(Controls::rows) || uses(Controls::pairRows);
    const bool headsAsRows = hasRows && m_rows->currentData().toBool();
    const bool hasLayerAndHead = uses(Controls::layerAndHead) || uses(Controls::oneLayer) || uses(Controls::oneHead);
    enableField(m_rows, m_rowsTitle, hasRows);
    enableField(m_layer, m_layerTitle, hasLayerAndHead || headsAsRows || uses(Controls::layer));
    enableField(m_head, m_headTitle, hasLayerAndHead || (hasRows && !headsAsRows));
    enableField(m_axis, m_axisTitle, uses(Controls::pairRows));
    // "all" is not offered if a figure can show only one layer, nor "mean" if it can show only one head.
    m_needsOneHead = uses(Controls::oneHead);
    m_needsOneLayer = uses(Controls::oneLayer) || m_needsOneHead || headsAsRows;
    renewLayers();
    renewHeads();
    renewRanges();
}

void InspectPanel::showOwnChoices(const std::vector<const InspectFigure*>& figures) {
    const auto isShown = [&figures](const FigureOption* option) {
        return std::any_of(figures.begin(), figures.end(), [option](const auto* figure) {
            return std::find(figure->options.begin(), figure->options.end(), option) != figure->options.end();
        });
    };
    for (const InspectFigure* figure : figures) {
        for (const FigureOption* option : figure->options) {
            const bool isKnown = std::any_of(m_ownChoices.begin(), m_ownChoices.end(),
                                             [option](const OwnChoice& own) { return own.option == option; });
            if (!option->words || isKnown) continue;
            QComboBox* choice = makeChoice(QLatin1String(option->name), m_ownBox);
            for (const QString& word : wordsOf(*option)) {
                choice->addItem(QString(word).replace(QLatin1Char('-'), QLatin1Char(' ')), word);
            }
            chooseData(choice, QLatin1String(option->standard));
            QLabel* title = addField(m_ownGrid, QLatin1String(option->name), choice, QString::fromUtf8(option->help));
            connect(choice, &QComboBox::currentIndexChanged, this, &InspectPanel::changed);
            m_ownChoices.push_back({option, title, choice});
        }
    }
    bool any = false;
    for (const OwnChoice& own : m_ownChoices) {
        const bool shown = isShown(own.option);
        any = any || shown;
        own.title->setVisible(shown);
        own.choice->setVisible(shown);
    }
    m_ownBox->setVisible(any);
}

QJsonObject InspectPanel::flags() const {
    QJsonObject flags;
    for (const OwnChoice& own : m_ownChoices) {
        flags[QLatin1String(own.option->name)] = own.choice->currentData().toString();
    }
    return flags;
}

void InspectPanel::chooseHead(std::int64_t layer, std::int64_t head) {
    chooseData(m_layer, static_cast<qlonglong>(layer));
    chooseData(m_head, static_cast<qlonglong>(head));
}

}  // namespace ropelab::ui
