#include "ui/rooms/inspect/inspect_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
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
#include "ui/session/lab_document.h"
#include "ui/session/run_store.h"
#include "ui/session/settings.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kNarrowLabel = 56;  // pixels at 100 %, so that the names of runs are whole

QList<FormRow> fineTuningRows() {
    QList<ChoiceRow::Entry> methods;
    for (const ScalingMethod method : extrapolation_methods())
        methods.append({methodTitle(method), static_cast<int>(method)});
    return {
        {"method", u"scaling"_s, u"Scaling method of fine-tuning"_s,
         u"Selects the method of scaling RoPE's frequencies with which a copy of the run is fine-tuned. For LongRoPE, "
         "the factors are first searched for on the training split. A run without RoPE has no frequencies to scale: "
         "choose None."_s,
         ChoiceRow{methods, static_cast<int>(FineTuning().method)}},
        {"steps", u"steps"_s, u"Steps of fine-tuning"_s,
         u"Number of training steps of the fine-tuning. Each step processes about as many tokens as a step of the "
         "run."_s,
         WholeRow{1, 1000000}},
        {"rate", u"learning rate"_s, u"Learning rate of fine-tuning"_s,
         u"Constant learning rate of the fine-tuning. The default is a tenth of the run's learning rate."_s,
         TextRow()}};
}

}  // namespace

FineTunePanel::FineTunePanel(QWidget* parent) : QWidget(parent), m_form(this, kNarrowLabel) {
    auto* column = scaledColumn(this, 8);
    column->addWidget(makeHeading(u"Fine-tuning"_s, this));
    m_form.add(column, fineTuningRows());
    m_form.setValue("steps", static_cast<int>(FineTuning().steps));
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
    connect(&m_form, &Form::changed, this, &FineTunePanel::renew);
    connect(m_form.field<QComboBox>("method"), &QComboBox::currentIndexChanged, this, &FineTunePanel::changed);
    renew();
}

QLabel* FineTunePanel::addLabel(const QString& name) {
    QLabel* label = makeText(name, this);
    layout()->addWidget(label);
    return label;
}

QString FineTunePanel::whyInvalidRate() const {
    const QString text = m_form.value("rate").toString().trimmed();
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
    how.method = static_cast<ScalingMethod>(m_form.value("method").toInt());
    how.factor = factor;
    how.steps = m_form.value("steps").toInt();
    const QString rate = m_form.value("rate").toString().trimmed();
    if (!rate.isEmpty() && whyInvalidRate().isEmpty()) how.learning_rate = parse_number(rate.toStdString());
    return how;
}

void FineTunePanel::fit(const RunSpec& spec) {
    m_form.field<QLineEdit>("rate")->setPlaceholderText(QString::number(learning_rate_of({}, spec), 'g', 3));
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
    for (const char* field : {"method", "steps", "rate"}) m_form.setEnabled(field, !isTraining);
}

void FineTunePanel::showState(const FineTuneState& state) {
    if (m_state.trainingRun.isEmpty() && !state.trainingRun.isEmpty()) showProgress(0, m_form.value("steps").toInt());
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

/// The selection is preserved if it is still offered, else `fallback` is selected.
void renewChoice(QComboBox* choice, const Entries& entries, qlonglong fallback) {
    const QVariant selected = choice->currentData();
    const bool offered =
        std::any_of(entries.begin(), entries.end(), [&](const auto& e) { return e.second == selected; });
    refillChoice(choice, entries, offered ? selected : QVariant(fallback));
}

/// A run without rotated pairs has nothing to show in the figures by frequency, and a run without probes only what its
/// checkpoint can compute. Of equal ones, a finished run with a low loss comes first.
std::pair<int, double> muchToSee(const RunView& run, bool rotates) {
    const bool hasProbes = run.spec.probe_every > 0 && run.record.state != RunState::waiting;
    const double loss = run.best ? run.best->validation_loss : std::numeric_limits<double>::infinity();
    return {(run.visible ? 8 : 0) + (rotates ? 4 : 0) + (hasProbes ? 2 : 0) +
                (run.record.state == RunState::finished ? 1 : 0),
            -loss};
}

enum SpectrumAxis { kPairAxis, kWavelengthAxis, kAutomaticAxis };

QList<FormRow> runRows() {
    return {
        {"run", u"run"_s, u"Run"_s,
         u"Selects the run whose internals the figures show. The default is a visible, finished run with RoPE and "
         "stored snapshots: among several, the run with the lowest validation loss."_s},
        {"ghost", u"run 2"_s, u"Second run"_s,
         u"Selects a second run with which the figures compare the first run. The second run is shown in faint colours "
         "or in a separate figure."_s},
        {"modelText", u"data"_s, u"Text on which an opened model is measured"_s,
         u"A file, or the name of a data set. It is used for a model that others trained (File > Open model …); a run "
         u"is "
         "measured on its validation split."_s,
         TextRow{u"the program’s guide"_s}, "inspect/modelText"},
        {"difference", u"Show difference"_s, {}, {}, CheckRow()},
        {"rows", u"rows"_s, u"Rows of heat maps"_s,
         u"Heat maps show one row per layer, per head of the selected layer, or per head of all layers; these can be "
         u"sorted by "
         "the pair that is strongest in the newest snapshot."_s,
         ChoiceRow{{{u"layers"_s, static_cast<int>(InspectRows::layers)},
                    {u"heads of a layer"_s, static_cast<int>(InspectRows::headsOfLayer)},
                    {u"all heads"_s, static_cast<int>(InspectRows::allHeads)},
                    {u"all heads, sorted"_s, static_cast<int>(InspectRows::sorted)}}}},
        {"layer", u"layer"_s, u"Layer"_s,
         u"Selects the layer that the figures show. “all” shows one row or curve per layer, or the mean over layers."_s},
        {"head", u"head"_s, u"Head"_s,
         u"Selects the head that the figures show, or the mean over heads. With “automatic”, attention maps show the "
         "head with the largest rotary logit contribution in the newest snapshot (in a run without RoPE, the head with "
         "the lowest attention entropy), and the other figures show the mean over heads."_s},
        {"axis", u"x axis"_s, u"Horizontal axis of spectra"_s,
         u"With “automatic”, a spectrum of at most four layers or heads has a stem per pair over its wavelength in "
         "tokens (2π divided by its frequency), with a line at the training context. The other choices show a heat map "
         "over the index of each pair, or over its wavelength on a logarithmic scale."_s,
         ChoiceRow{{{u"automatic"_s, kAutomaticAxis}, {u"pair"_s, kPairAxis}, {u"wavelength"_s, kWavelengthAxis}}}}};
}

QList<FormRow> lagRows() {
    return {{"lag", u"lag Δ"_s, u"Distance m − n of query and key in the dials"_s,
             u"The lag Δ is the distance between query and key in tokens. The dials show each pair rotated by Δ times "
             "its frequency."_s,
             WholeRow{0, 1'000'000, u" tokens"_s}, "inspect/lag"}};
}

QList<FormRow> textRows() {
    return {{"text",
             {},
             u"Text for attention figures and bits per token"_s,
             u"Text that the run's model processes for the attention figures and for the figure “bits per token of a "
             "text”. If the field is empty, the attention figures show the text of the snapshots, and the figure “bits "
             "on the text” shows the start of the validation split."_s,
             TextRow{u"text of the snapshots"_s}}};
}

QList<FormRow> ablationRows() {
    return {
        {"kind", u"kind"_s, u"Kind of ablation"_s,
         u"Freeze: the pair's frequency becomes 0, so the pair encodes content but no position. Remove: the pair's "
         "term is removed from the attention logit. Replace by mean: the pair's query and key become their means over "
         "the evaluated sequences, so the pair's term depends only on the distance."_s,
         ChoiceRow{{{u"freeze"_s, static_cast<int>(Ablation::Kind::stop)},
                    {u"remove from logit"_s, static_cast<int>(Ablation::Kind::remove)},
                    {u"replace by mean"_s, static_cast<int>(Ablation::Kind::mean)}}}},
        {"pairs", u"pairs"_s, u"Pairs to ablate"_s,
         u"Selects the rotary pairs that are ablated in all layers and heads."_s,
         ChoiceRow{{{u"highlighted pair"_s, highlightedPair},
                    {u"range"_s, range},
                    {u"fastest pairs"_s, fastest},
                    {u"slowest pairs"_s, slowest}}}},
        {"first", u"first"_s, u"First pair, or number of pairs"_s,
         u"The first pair of the ablated range (pair 0 has the highest frequency), or the number of pairs to "
         "ablate."_s,
         WholeRow()},
        {"last", u"last"_s, u"Last pair"_s, u"The last pair of the ablated range (included)."_s, WholeRow()}};
}

QList<FormRow> lengthRows() {
    return {{"length", u"length"_s, u"Sequence length"_s,
             u"Length of the evaluated sequences, as a multiple of the training context. Every scaling method uses "
             "this multiple as its factor."_s,
             ChoiceRow{{{u"2 × the context"_s, 2}, {u"4 × the context"_s, 4}, {u"8 × the context"_s, 8}}, 4}}};
}

}  // namespace

InspectPanel::InspectPanel(RunStore& runs, const LabDocument& lab, Settings& settings, QWidget* parent)
    : QFrame(parent),
      m_runStore(runs),
      m_lab(lab),
      m_settings(settings),
      m_form(this, kNarrowLabel),
      m_ownForm(this, kNarrowLabel) {
    const auto [area, content, column] = makePanel(this, u"Inspect"_s);
    m_form.addSection(column, u"Inspect"_s, runRows());
    m_ownBox = m_ownForm.addSection(column, u"Figure"_s, {});
    m_ownBox->hide();
    m_lagBox = m_form.addSection(column, u"Rotation dials"_s, lagRows());
    m_textBox = m_form.addSection(column, u"Text"_s, textRows());
    m_textWords = makeText({}, m_textBox);
    colorAsError(m_textWords);
    keepLines(m_textWords, 2);
    m_textBox->layout()->addWidget(m_textWords);
    m_ablationBox = m_form.addSection(column, u"Ablation"_s, ablationRows());
    m_extrapolationBox = m_form.addSection(column, u"Length extrapolation"_s, lengthRows());
    m_fineTune = new FineTunePanel(this);
    column->addWidget(m_fineTune);
    column->addStretch(1);

    m_form.restore(m_settings);
    QLineEdit* rate = m_fineTune->form().field<QLineEdit>("rate");
    rate->setText(m_settings.value("inspect/rate").toString());
    connect(rate, &QLineEdit::editingFinished, this,
            [this, rate] { m_settings.setValue("inspect/rate", rate->text().trimmed()); });
    connect(&m_form, &Form::changed, this, [this](std::string_view id) {
        renewRanges();
        m_form.save(m_settings, id);
        if (id == "run" && run() != 0) m_runStore.pick(run());
        if (id == "layer" || id == "head")
            m_runStore.pickHead({m_form.value("layer").toLongLong(), m_form.value("head").toLongLong()});
        emit changed();
    });
    connect(&m_runStore, &RunStore::runPicked, this, [this](RunId picked) {
        if (picked != run() && m_form.field<QComboBox>("run")->findData(static_cast<qlonglong>(picked)) >= 0)
            m_form.setValue("run", static_cast<qlonglong>(picked));
    });
    connect(&m_runStore, &RunStore::headPicked, this, [this] {
        const RunStore::Head& picked = *m_runStore.pickedHead();
        if (picked.layer < m_layers && picked.head < m_heads) chooseHead(picked.layer, picked.head);
    });
    connect(m_form.field<QComboBox>("ghost"), &QComboBox::currentIndexChanged, this, &InspectPanel::ghostChosen);
    connect(&m_ownForm, &Form::changed, this, &InspectPanel::changed);
    connect(m_fineTune, &FineTunePanel::changed, this, &InspectPanel::changed);
    renewRuns();
    fit(RunSpec{}, 0);
}

RunId InspectPanel::ghost() const {
    const RunId id = m_form.value("ghost").toLongLong();
    return id == run() ? 0 : id;
}

InspectChoices InspectPanel::choices() const {
    InspectChoices result;
    result.layer = m_form.value("layer").toLongLong();
    result.head = m_form.value("head").toLongLong();
    result.rows = static_cast<InspectRows>(m_form.value("rows").toInt());
    result.difference = m_form.value("difference").toBool() && ghost() != 0;
    result.byWavelength = m_form.value("axis").toInt() == kWavelengthAxis;
    result.lollipops = m_form.value("axis").toInt() == kAutomaticAxis;
    result.lag = m_form.value("lag").toInt();
    return result;
}

Ablation InspectPanel::ablation(std::int64_t pairs, std::optional<int> highlighted) const {
    const auto kind = static_cast<Ablation::Kind>(m_form.value("kind").toInt());
    const std::int64_t typed = m_form.value("first").toInt();
    const std::int64_t last = m_form.value("last").toInt();
    const std::int64_t count = std::clamp<std::int64_t>(typed, 1, pairs);
    switch (m_form.value("pairs").toInt()) {
        case range:
            return pair_range(kind, std::min(std::clamp<std::int64_t>(typed, 0, pairs - 1), last),
                              std::clamp<std::int64_t>(std::max(typed, last), 0, pairs - 1));
        case fastest:
            return pair_range(kind, 0, count - 1);
        case slowest:
            return pair_range(kind, pairs - count, pairs - 1);
        default:
            break;
    }
    const std::int64_t pair = std::clamp<std::int64_t>(highlighted.value_or(0), 0, pairs - 1);
    return pair_range(kind, pair, pair);
}

void InspectPanel::renewRuns() {
    QComboBox* runs = m_form.field<QComboBox>("run");
    Entries entries;
    qlonglong first = 0;
    std::pair<int, double> most = {-1, 0};
    for (const RunView& run : m_runStore.runs()) {
        entries.append({run.name, static_cast<qlonglong>(run.record.id)});
        if (muchToSee(run, true) <= most) continue;
        const auto here = muchToSee(run, rotatesPairs(plan_of(run.spec, 1)));
        if (here <= most) continue;
        most = here;
        first = run.record.id;
    }
    qlonglong id = -1;
    for (const ModelMark& model : m_lab.models()) entries.append({QString::fromStdString(model.name), id--});
    if (first == 0 && !entries.isEmpty()) first = entries.first().second.toLongLong();
    if (entries.isEmpty()) {
        renewChoice(runs, {{u"no runs yet"_s, 0}}, 0);
    } else {
        renewChoice(runs, entries, first);
    }
    entries.removeIf([shown = run()](const auto& entry) { return entry.second.toLongLong() == shown; });
    m_form.setEnabled("modelText", run() < 0);
    entries.prepend({u"none"_s, 0});
    renewChoice(m_form.field<QComboBox>("ghost"), entries, 0);
    renewDifference();
}

void InspectPanel::forgetRuns() {
    for (const char* list : {"run", "ghost"}) {
        const QSignalBlocker quiet(m_form.field<QComboBox>(list));
        m_form.field<QComboBox>(list)->clear();
    }
}

void InspectPanel::chooseRuns(RunId run, RunId other) {
    renewRuns();
    m_form.setValue("run", static_cast<qlonglong>(run));
    renewRuns();  // the list of second runs omits the first one
    if (other != 0) m_form.setValue("ghost", static_cast<qlonglong>(other));
}

void InspectPanel::renewDifference() {
    m_form.setEnabled("difference", ghost() != 0);
    m_form.field<QCheckBox>("difference")
        ->setToolTip(
            ghost() != 0
                ? u"Heat maps and attention maps show the first run minus the second: blue below 0, orange above."_s
                : u"The difference of two runs needs a second run: choose one under “run 2”."_s);
}

void InspectPanel::fit(const RunSpec& spec, std::int64_t pairs) {
    m_layers = spec.layers;
    m_heads = spec.heads;
    renewPlaces();
    m_fineTune->fit(spec);
    const int last = static_cast<int>(std::max<std::int64_t>(0, pairs - 1));
    for (const char* end : {"first", "last"}) {
        const QSignalBlocker quiet(m_form.field<QSpinBox>(end));
        m_form.field<QSpinBox>(end)->setMaximum(last + 1);
    }
    renewRanges();
}

void InspectPanel::renewPlaces() {
    const auto renew = [this](std::string_view id, Entries entries, std::int64_t count, qlonglong fallback) {
        for (std::int64_t i = 0; i < count; ++i) entries.append({QString::number(i), static_cast<qlonglong>(i)});
        const QVariant before = m_form.value(id);
        renewChoice(m_form.field<QComboBox>(id), entries, fallback);
        if (before.isValid() && m_form.value(id) != before) emit changed();
    };
    renew("layer", m_needsOneLayer ? Entries() : Entries{{u"all"_s, -1}}, m_layers, m_needsOneLayer ? 0 : -1);
    constexpr qlonglong automatic = kAutomaticHead;
    Entries heads = {{u"automatic"_s, automatic}};
    if (!m_needsOneHead) heads.append({u"mean"_s, -1});
    renew("head", heads, m_heads, automatic);
}

void InspectPanel::renewRanges() {
    const int which = m_form.value("pairs").toInt();
    const bool ends = which == fastest || which == slowest;
    m_form.setEnabled("pairs", m_picksPairs);
    m_form.setEnabled("first", m_picksPairs && which != highlightedPair);
    m_form.setEnabled("last", m_picksPairs && which == range);
    m_form.label("first")->setText(ends ? u"number"_s : u"first"_s);
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
    const auto rows = static_cast<InspectRows>(m_form.value("rows").toInt());
    const bool headsAsRows = hasRows && rows == InspectRows::headsOfLayer;
    const bool hasLayerAndHead = uses(Controls::layerAndHead) || uses(Controls::oneLayer) || uses(Controls::oneHead);
    // Fields are disabled and not hidden, so that the others keep their place.
    m_form.setEnabled("rows", hasRows);
    m_form.setEnabled("layer", hasLayerAndHead || headsAsRows || uses(Controls::layer));
    m_form.setEnabled("head", hasLayerAndHead || (hasRows && rows == InspectRows::layers));
    m_form.setEnabled("axis", uses(Controls::pairRows));
    // "all" is not offered if a figure can show only one layer, nor "mean" if it can show only one head.
    m_needsOneHead = uses(Controls::oneHead);
    m_needsOneLayer = uses(Controls::oneLayer) || m_needsOneHead || headsAsRows;
    renewPlaces();
    renewRanges();
}

void InspectPanel::showOwnChoices(const std::vector<const InspectFigure*>& figures) {
    std::vector<const FigureOption*> shown;
    for (const InspectFigure* figure : figures)
        shown.insert(shown.end(), figure->options.begin(), figure->options.end());
    std::erase_if(shown, [](const FigureOption* option) { return !option->words; });
    const auto has = [](const std::vector<const FigureOption*>& options, const FigureOption* option) {
        return std::find(options.begin(), options.end(), option) != options.end();
    };
    for (const FigureOption* option : shown) {
        if (has(m_ownOptions, option)) continue;
        QList<ChoiceRow::Entry> entries;
        for (const QString& word : wordsOf(*option))
            entries.append({QString(word).replace(QLatin1Char('-'), QLatin1Char(' ')), word});
        m_ownForm.add(static_cast<QVBoxLayout*>(m_ownBox->layout()),
                      {{option->name,
                        QLatin1String(option->name),
                        {},
                        QString::fromUtf8(option->help),
                        ChoiceRow{entries, QLatin1String(option->standard)}}});
        m_ownOptions.push_back(option);
    }
    for (const FigureOption* option : m_ownOptions) m_ownForm.setShown(option->name, has(shown, option));
    m_ownBox->setVisible(!shown.empty());
}

QJsonObject InspectPanel::flags() const {
    QJsonObject flags;
    for (const FigureOption* option : m_ownOptions) {
        flags[QLatin1String(option->name)] = m_ownForm.value(option->name).toString();
    }
    return flags;
}

void InspectPanel::setFlags(const QJsonObject& flags) {
    for (const FigureOption* option : m_ownOptions)
        m_ownForm.setValue(option->name, flags[QLatin1String(option->name)].toString(QLatin1String(option->standard)));
}

void InspectPanel::chooseHead(std::int64_t layer, std::int64_t head) {
    m_form.setValue("layer", static_cast<qlonglong>(layer));
    m_form.setValue("head", static_cast<qlonglong>(head));
}

}  // namespace ropelab::ui

#include "moc_inspect_panel.cpp"
