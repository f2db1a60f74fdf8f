#include "ui/inspect/inspect_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/window/fields.h"
#include "ui/window/format.h"
#include "ui/window/scaled.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {
namespace {

enum Which { litPair, range, fastest, slowest };

using Entries = QList<QPair<QString, QVariant>>;

void showField(QWidget* field, QWidget* title, bool shown) {
    field->setVisible(shown);
    title->setVisible(shown);
}

// What was chosen stays so where it is still offered.
void renewChoice(QComboBox* choice, const Entries& entries, qlonglong fallback) {
    const QVariant held = choice->currentData();
    const bool offered = std::any_of(entries.begin(), entries.end(), [&](const auto& e) { return e.second == held; });
    refillChoice(choice, entries, offered ? held : QVariant(fallback));
}

}  // namespace

InspectPanel::InspectPanel(Workspace& workspace, QWidget* parent) : QFrame(parent), m_workspace(workspace) {
    const auto [area, content, column] = makePanel(this, tr("Inspect"));

    QWidget* box = nullptr;
    QGridLayout* grid = addGroup(column, tr("Inspect"), &box);
    m_run = makeChoice(tr("Run"), box);
    addField(grid, tr("run"), m_run, tr("Whose inside is shown."));
    m_ghost = makeChoice(tr("Second run"), box);
    addField(grid, tr("beside"), m_ghost, tr("A second run, drawn faintly or in a picture of its own."));
    m_difference = new QCheckBox(tr("Difference"), box);
    grid->addWidget(m_difference, grid->rowCount(), 1);
    m_rows = makeChoice(tr("Rows of heat maps"), box);
    m_rows->addItem(tr("layers"), false);
    m_rows->addItem(tr("heads of a layer"), true);
    m_rowsTitle = addField(grid, tr("rows"), m_rows, tr("What the rows of a heat map stand for."));
    m_layer = makeChoice(tr("Layer"), box);
    m_layerTitle = addField(grid, tr("layer"), m_layer,
                            tr("Which layer curves and maps are of; all: one row or curve each, or their mean."));
    m_head = makeChoice(tr("Head"), box);
    m_headTitle = addField(grid, tr("head"), m_head, tr("Which head, or the mean over heads."));
    m_axis = makeChoice(tr("Horizontal axis of spectra"), box);
    m_axis->addItem(tr("pair"), false);
    m_axis->addItem(tr("wavelength"), true);
    m_axisTitle = addField(grid, tr("along"), m_axis,
                           tr("By the pair's number, or by λ = 2π/g in symbols, on a logarithmic scale."));

    QGridLayout* dials = addGroup(column, tr("Dials"), &m_lagBox);
    m_lag = new QSpinBox(m_lagBox);
    m_lag->setRange(0, 1'000'000);
    m_lag->setValue(workspace.settings().value("inspect/lag").toInt());
    m_lag->setSuffix(tr(" symbols"));
    m_lag->setAccessibleName(tr("Lag of the dials"));
    addField(dials, tr("lag Δ"), m_lag, tr("How far the query stands after the key: each pair turns by g·Δ."));

    QGridLayout* text = addGroup(column, tr("Text to read"), &m_textBox);
    m_text = new QLineEdit(m_textBox);
    m_text->setPlaceholderText(tr("the probe's own text"));
    m_text->setClearButtonEnabled(true);
    m_text->setAccessibleName(tr("Text to read"));
    m_text->setToolTip(tr("The run's model reads this; without a text, the snapshots' own is shown."));
    text->addWidget(m_text, 0, 0, 1, 2);
    m_textWords = new QLabel(m_textBox);
    m_textWords->setWordWrap(true);
    m_textWords->setTextFormat(Qt::PlainText);
    colorAsError(m_textWords);
    text->addWidget(m_textWords, 1, 0, 1, 2);

    QGridLayout* knock = addGroup(column, tr("Knock-out"), &m_knockOutBox);
    m_kind = makeChoice(tr("What happens to the pairs"), m_knockOutBox);
    m_kind->addItem(tr("stop the clock"), static_cast<int>(KnockOut::Kind::stop));
    m_kind->addItem(tr("remove from the logit"), static_cast<int>(KnockOut::Kind::remove));
    addField(
        knock, tr("how"), m_kind,
        tr("Stop: frequency 0, so that content stays and position goes. Remove: the pair's term leaves the logit."));
    m_which = makeChoice(tr("Which pairs"), m_knockOutBox);
    m_which->addItem(tr("the lit pair"), litPair);
    m_which->addItem(tr("a range"), range);
    m_which->addItem(tr("from the fast end"), fastest);
    m_which->addItem(tr("from the slow end"), slowest);
    m_whichTitle = addField(knock, tr("which"), m_which, tr("In all layers and heads."));
    m_first = new QSpinBox(m_knockOutBox);
    m_last = new QSpinBox(m_knockOutBox);
    m_first->setAccessibleName(tr("First pair, or how many"));
    m_last->setAccessibleName(tr("Last pair"));
    m_firstTitle = addField(knock, tr("first"), m_first, tr("The first pair of the range, or how many from that end."));
    m_lastTitle = addField(knock, tr("last"), m_last, tr("The last pair of the range."));

    QGridLayout* beyond = addGroup(column, tr("Beyond the window"), &m_beyondBox);
    m_factor = makeChoice(tr("How far beyond the window"), m_beyondBox);
    for (const int factor : {2, 4, 8}) m_factor->addItem(tr("%1 × the context").arg(factor), factor);
    m_factor->setCurrentIndex(1);
    addField(beyond, tr("read"), m_factor, tr("How long the windows are; every method is told the same factor."));
    m_fineTune = new FineTunePanel(this);
    m_fineTune->rate()->setText(workspace.settings().value("inspect/rate").toString());
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
    remember();
    renewRuns();
    fit(RunSpec{});
}

void InspectPanel::remember() {
    connect(m_lag, &QSpinBox::valueChanged, this,
            [this](int lag) { m_workspace.settings().setValue("inspect/lag", lag); });
    connect(m_fineTune->rate(), &QLineEdit::editingFinished, this,
            [this] { m_workspace.settings().setValue("inspect/rate", m_fineTune->rate()->text().trimmed()); });
    connect(m_ghost, &QComboBox::currentIndexChanged, this, &InspectPanel::ghostChosen);
}

QGridLayout* InspectPanel::addGroup(QVBoxLayout* column, const QString& title, QWidget** box) {
    *box = new QWidget(this);
    auto* inner = new QVBoxLayout(*box);
    scaleLayout(inner, {0, 0, 0, 0}, 8);
    inner->addWidget(makeHeading(title, *box));
    QGridLayout* grid = makeFieldGrid();
    inner->addLayout(grid);
    column->addWidget(*box);
    return grid;
}

RunId InspectPanel::run() const {
    return m_run->currentData().toLongLong();
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

QString InspectPanel::text() const {
    return m_text->text();
}

KnockOut::Kind InspectPanel::kind() const {
    return static_cast<KnockOut::Kind>(m_kind->currentData().toInt());
}

KnockOut InspectPanel::knockOut(std::int64_t pairs, std::optional<int> lit) const {
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
    const std::int64_t pair = std::clamp<std::int64_t>(lit.value_or(0), 0, pairs - 1);
    return pair_range(kind(), pair, pair);
}

std::int64_t InspectPanel::factor() const {
    return m_factor->currentData().toLongLong();
}

void InspectPanel::renewRuns() {
    Entries entries;
    qlonglong first = 0;
    for (const RunView& run : m_workspace.runs().runs()) {
        entries.append({QString::fromStdString(run.record.name), static_cast<qlonglong>(run.record.id)});
        if (first == 0 && run.visible) first = run.record.id;
    }
    if (first == 0 && !entries.isEmpty()) first = entries.front().second.toLongLong();
    if (entries.isEmpty()) {
        renewChoice(m_run, {{tr("none yet"), 0}}, 0);
    } else {
        renewChoice(m_run, entries, first);
    }
    entries.removeIf([this](const auto& entry) { return entry.second.toLongLong() == run(); });
    entries.prepend({tr("nothing"), 0});
    renewChoice(m_ghost, entries, 0);
    renewDifference();
}

void InspectPanel::renewDifference() {
    m_difference->setEnabled(ghost() != 0);
    m_difference->setToolTip(ghost() != 0
                                 ? tr("Heat maps show the first run minus the second: blue below 0, orange above.")
                                 : tr("It needs a second run: choose one under “beside”."));
}

void InspectPanel::fit(const RunSpec& spec) {
    m_layers = spec.layers;
    renewLayers();
    Entries heads = {{tr("mean"), -1}};
    for (std::int64_t i = 0; i < spec.heads; ++i) heads.append({QString::number(i), static_cast<qlonglong>(i)});
    if (heads.size() != m_head->count()) renewChoice(m_head, heads, -1);
    m_fineTune->fit(spec);
    const int last = std::max(0, spec.head_dim() / 2 - 1);
    for (QSpinBox* spin : {m_first, m_last}) {
        const QSignalBlocker quiet(spin);
        spin->setMaximum(last + 1);
    }
    renewRanges();
}

void InspectPanel::renewLayers() {
    Entries layers;
    if (!m_needsOneLayer) layers.append({tr("all"), -1});
    for (std::int64_t i = 0; i < m_layers; ++i) layers.append({QString::number(i), static_cast<qlonglong>(i)});
    const QVariant before = m_layer->currentData();
    renewChoice(m_layer, layers, m_needsOneLayer ? 0 : -1);
    if (before.isValid() && m_layer->currentData() != before) emit changed();
}

void InspectPanel::renewRanges() {
    const int which = m_which->currentData().toInt();
    const bool ends = which == fastest || which == slowest;
    showField(m_which, m_whichTitle, m_picksPairs);
    showField(m_first, m_firstTitle, m_picksPairs && which != litPair);
    showField(m_last, m_lastTitle, m_picksPairs && which == range);
    m_firstTitle->setText(ends ? tr("pairs") : tr("first"));
    renewDifference();
}

void InspectPanel::showFor(const std::vector<const InspectFigure*>& figures, const QString& textProblem) {
    using Reads = InspectFigure::Reads;
    using Heeds = InspectFigure::Heeds;
    const auto any = [&figures](auto matches) { return std::any_of(figures.begin(), figures.end(), matches); };
    const auto reads = [&any](Reads kind) { return any([kind](const auto* figure) { return figure->reads == kind; }); };
    const auto heeds = [&any](Heeds kind) { return any([kind](const auto* figure) { return figure->heeds == kind; }); };
    m_textBox->setVisible(reads(Reads::text));
    m_textWords->setText(textProblem);
    m_textWords->setVisible(!textProblem.isEmpty());
    m_knockOutBox->setVisible(reads(Reads::knockOut) || reads(Reads::knockOutCurve));
    m_beyondBox->setVisible(reads(Reads::beyond) || reads(Reads::fineTuning));
    m_fineTune->setVisible(reads(Reads::fineTuning));
    m_picksPairs = reads(Reads::knockOut);
    const bool hasRows = heeds(Heeds::map) || heeds(Heeds::pairMap);
    const bool headsAsRows = hasRows && m_rows->currentData().toBool();
    const bool hasWhere = heeds(Heeds::where) || heeds(Heeds::oneLayer);
    showField(m_rows, m_rowsTitle, hasRows);
    showField(m_layer, m_layerTitle, hasWhere || headsAsRows);
    showField(m_head, m_headTitle, hasWhere || (hasRows && !headsAsRows));
    showField(m_axis, m_axisTitle, heeds(Heeds::pairMap));
    // Where a figure needs one layer, the field does not say "all" over a picture of one.
    m_needsOneLayer = heeds(Heeds::oneLayer) || headsAsRows;
    renewLayers();
    renewRanges();
}

void InspectPanel::showLag(bool shown) {
    m_lagBox->setVisible(shown);
}

void InspectPanel::chooseHead(std::int64_t layer, std::int64_t head) {
    chooseData(m_layer, static_cast<qlonglong>(layer));
    chooseData(m_head, static_cast<qlonglong>(head));
}

}  // namespace ropelab::ui
