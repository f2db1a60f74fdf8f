#include "ui/rooms/train/curves_page.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QObject>
#include <QSlider>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <exception>
#include <numbers>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/bench/benchmarks.h"
#include "core/data/corpus.h"
#include "core/data/synthetic/language.h"
#include "core/forecast/estimate.h"
#include "core/forecast/likely_data.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/controls/flow_layout.h"
#include "ui/figure/ticks.h"
#include "ui/plot/curve_plot.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/train/figures/training_figures.h"
#include "ui/rooms/train/run_list.h"
#include "ui/session/engine_work.h"
#include "ui/session/run_store.h"
#include "ui/session/settings.h"
#include "ui/session/sweep_session.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

QString viewTitle(const CurveView& view) {
    if (view.quantities.empty()) return u"roofline"_s;
    if (view.quantities.size() > 1) return u"val. + train loss"_s;
    return nameOf(view.quantities.front());
}

QString smoothText(int percent) {
    return percent == 0 ? u"smoothing: off"_s : u"smoothing: %1"_s.arg(percent / 100.0, 0, 'f', 2, QLatin1Char('0'));
}

}  // namespace

PlotToolbar::PlotToolbar(CurvePlot& plot, RunTable& table, Settings& settings, QWidget* parent)
    : QWidget(parent), m_plot(plot), m_table(table), m_settings(settings) {
    auto* row = new FlowLayout(this);  // wraps to two lines in a narrow window
    scaleLayout(row, {12, 4, 12, 0}, 4);

    m_quantity = new QComboBox(this);
    m_quantity->setAccessibleName(u"Quantity"_s);
    m_quantity->setToolTip(
        u"Selects the quantity to plot for each run. The roofline shows whether arithmetic or memory limits the "
        "training speed."_s);
    for (const CurveView& view : curveViews()) m_quantity->addItem(viewTitle(view), QLatin1String(view.id));
    m_unit = new QComboBox(this);
    m_unit->setAccessibleName(u"Unit of losses"_s);
    m_unit->addItem(u"nats/token"_s, u"nats"_s);
    m_unit->addItem(u"bits/token"_s, u"bits"_s);
    m_unit->addItem(u"bits/byte"_s, u"bits-per-byte"_s);
    m_unit->setToolTip(
        u"Selects the unit of losses. Losses in bits per byte can be compared between different tokenizers: loss in "
        "nats / ln 2, divided by the mean number of bytes per token of the validation split. Formula 35 of the "
        "guide"_s);
    m_quantity->setCurrentIndex(std::max(0, indexOfQuantity(m_settings.value("train/quantity").toString())));
    m_unit->setCurrentIndex(std::max(0, m_unit->findData(m_settings.value("train/unit"))));
    for (QComboBox* choice : {m_quantity, m_unit}) {
        choice->setFocusPolicy(Qt::StrongFocus);
        row->addWidget(choice);
        connect(choice, &QComboBox::currentIndexChanged, this, &PlotToolbar::applyView);
    }
    scaleWidth(m_quantity, 150);
    scaleWidth(m_unit, 116);
    m_axis = makeAxisChoice();
    m_smoothing = makeSmoothing();
    row->addWidget(m_axis);
    row->addWidget(m_smoothing);

    m_bands = makeButton<QToolButton>(
        u"± std"_s,
        u"Shows runs that differ only in their seed as one curve: their mean, with a band of ± one standard "
        "deviation. This choice requires runs that differ only in their seed."_s,
        this);
    m_bands->setAccessibleName(u"Mean and standard deviation over seeds"_s);
    m_bands->setCheckable(true);
    m_bands->setChecked(m_settings.value("train/bands").toString() == "on"_L1);
    connect(m_bands, &QToolButton::toggled, this, [this](bool on) {
        m_settings.setValue("train/bands", on ? u"on"_s : u"off"_s);
        emit bandsChanged(isBands());
    });

    m_reset = makeButton<QToolButton>(
        u"Reset"_s,
        u"Resets both axes of the plot to the full range of the data; both axes then follow new data (Ctrl+R)."_s,
        this);
    m_reset->setEnabled(false);
    connect(m_reset, &QToolButton::clicked, &m_plot, &CurvePlot::resetView);
    connect(&m_plot, &CurvePlot::followsDataChanged, m_reset,
            [reset = m_reset](bool follows) { reset->setEnabled(!follows); });
    m_export = makeButton<QToolButton>(u"Export …"_s, u"Exports this plot as PDF, SVG, PNG or CSV (Ctrl+E)."_s, this);
    connect(m_export, &QToolButton::clicked, this, &PlotToolbar::exportRequested);
    for (QToolButton* button : {m_bands, m_reset, m_export}) row->addWidget(button);
    applyView();
}

QWidget* PlotToolbar::makeAxisChoice() {
    auto* box = new QWidget(this);
    auto* row = scaledRow(box, 4);
    auto* group = new QButtonGroup(box);
    m_linear = addToggle(row, group, u"linear"_s, u"Linear axis"_s);
    m_log = addToggle(row, group, u"log"_s, u"Logarithmic axis"_s);
    const bool logarithmic = m_settings.value("train/logarithmic").toBool();
    (logarithmic ? m_log : m_linear)->setChecked(true);
    m_plot.setYLogarithmic(logarithmic);
    connect(m_log, &QToolButton::toggled, &m_plot, &CurvePlot::setYLogarithmic);
    connect(&m_plot, &CurvePlot::yLogarithmicChanged, this, [this](bool on) {
        (on ? m_log : m_linear)->setChecked(true);
        m_settings.setValue("train/logarithmic", on);
    });
    return box;
}

QWidget* PlotToolbar::makeSmoothing() {
    auto* box = new QWidget(this);
    auto* row = scaledRow(box, 8);
    auto* value = new QLabel(box);
    value->setProperty("quiet", true);
    row->addWidget(value);
    auto* slider = new QSlider(Qt::Horizontal, box);
    slider->setRange(0, 99);
    slider->setAccessibleName(u"Smoothing"_s);
    slider->setToolTip(
        u"Weight w of the smoothing: each step shows a line fitted to the steps before and after it, in which the step "
        "at distance d has the weight w^(2d). It does not lag, but the last steps change when others follow. 0 means "
        "no smoothing. The unsmoothed curve stays visible as a faint line. Formula 36 of the guide"_s);
    scaleWidth(slider, 48);
    row->addWidget(slider);
    // The label is as wide as its widest text, so that the slider does not move when the number changes.
    const auto fit = [value] { value->setMinimumWidth(value->fontMetrics().horizontalAdvance(smoothText(88))); };
    connect(&ThemeManager::instance(), &ThemeManager::changed, value, fit);
    fit();
    connect(slider, &QSlider::valueChanged, this, [this, value](int percent) {
        value->setText(smoothText(percent));
        m_plot.setSmoothing(percent / 100.0);
        emit smoothingChanged(percent / 100.0);
        m_settings.setValue("train/smoothing", percent);
    });
    slider->setValue(m_settings.value("train/smoothing").toInt());
    value->setText(smoothText(slider->value()));
    return box;
}

bool PlotToolbar::event(QEvent* event) {
    const bool result = QWidget::event(event);
    if (m_export && (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)) {
        // Where the button would need a second line it is left out; both menus offer the export as well.
        const int others = layout()->sizeHint().width() - layout()->spacing() -
                           (m_export->isHidden() ? 0 : m_export->sizeHint().width() + layout()->spacing());
        m_export->setVisible(others + layout()->spacing() + m_export->sizeHint().width() <= width());
    }
    return result;
}

int PlotToolbar::indexOfQuantity(const QString& id) const {
    const CurveView* view = findCurveView(id);
    return view ? m_quantity->findData(QLatin1String(view->id)) : -1;
}

void PlotToolbar::showQuantity(const QString& id) {
    const int index = indexOfQuantity(id);
    if (index < 0)
        throw BadInput("The page Train plots no quantity \"" + id.toStdString() +
                       "\"; the list of quantities on the page Train shows what it plots.");
    m_quantity->setCurrentIndex(index);
}

void PlotToolbar::applyView() {
    const CurveView& view = curveViews()[static_cast<std::size_t>(std::max(0, m_quantity->currentIndex()))];
    const LossUnit unit = lossUnit(m_unit->currentData().toString());
    // What does not apply is disabled and not hidden, so that the other controls keep their place.
    m_unit->setEnabled(!view.quantities.empty() && isLoss(view.quantities.front()));
    m_axis->setEnabled(!view.quantities.empty());
    m_smoothing->setEnabled(!view.quantities.empty());
    showBands();
    m_plot.setLossUnit(unit);
    if (!view.quantities.empty()) m_plot.setShownQuantities(view.quantities);
    m_table.setLossUnit(unit);
    m_settings.setValue("train/quantity", QString::fromLatin1(view.id));
    m_settings.setValue("train/unit", m_unit->currentData());
    emit rooflineChanged(view.quantities.empty());
    emit unitChanged();
}

void PlotToolbar::showUnit(const QString& word) {
    const int index = m_unit->findData(word);
    if (index < 0) throw BadInput("The page Train has no loss unit \"" + word.toStdString() + "\".");
    m_unit->setCurrentIndex(index);
}

void PlotToolbar::chooseBands(const QString& word) {
    m_bands->setChecked(word == "on"_L1);
    m_settings.setValue("train/bands", word);
}

bool PlotToolbar::isLossPerToken() const {
    return m_unit->isEnabled() && !lossUnit(m_unit->currentData().toString()).isPerByte;
}

void PlotToolbar::setBandsPossible(bool possible, bool wanted) {
    if (m_settings.value("train/bands").toString() == "auto"_L1) {
        const QSignalBlocker quiet(m_bands);
        m_bands->setChecked(wanted);
    }
    if (possible == m_bandsPossible) return;
    m_bandsPossible = possible;
    showBands();
    emit bandsChanged(isBands());
}

void PlotToolbar::showBands() {
    m_bands->setEnabled(m_bandsPossible && !isRoofline());
}

bool PlotToolbar::isRoofline() const {
    return curveViews()[static_cast<std::size_t>(std::max(0, m_quantity->currentIndex()))].quantities.empty();
}

namespace {

constexpr double kGiga = 1e9;

QString speedText(double operations) {
    return u"%1 GFLOP/s"_s.arg(QString::number(operations / kGiga, 'g', 3));
}

QString productsText(const bench::MachineSpeed& machine) {
    const QString float32 = u"%1 in float32 matrix products"_s.arg(speedText(machine.multiply));
    return machine.rounded > 0 ? u"%1 and %2 in bfloat16 ones"_s.arg(float32, speedText(machine.rounded)) : float32;
}

// From a tenth of the smallest to ten times the largest intensity of the runs and the ridge point.
Range intensities(const bench::MachineSpeed& machine, const std::vector<RooflineRun>& runs) {
    Range range{bench::ridge(machine), bench::ridge(machine, true)};
    if (range.maximum < range.minimum) std::swap(range.minimum, range.maximum);
    for (const RooflineRun& run : runs) {
        range.minimum = std::min(range.minimum, run.point.work.intensity());
        range.maximum = std::max(range.maximum, run.point.work.intensity());
    }
    return {range.minimum / 10, range.maximum * 10};
}

}  // namespace

Figure rooflineFigure(const bench::MachineSpeed& machine, const std::vector<RooflineRun>& runs) {
    Figure figure;
    figure.name = u"roofline"_s;
    figure.x = {.label = u"arithmetic intensity"_s, .unit = u"operations per byte"_s, .logarithmic = true};
    figure.y = {.label = u"speed"_s, .unit = u"GFLOP/s"_s, .logarithmic = true};
    if (!machine.known()) {
        figure.emptyText = u"The roofline needs the speed of this machine, which has not been measured yet"_s;
        return figure;
    }
    if (runs.empty()) {
        figure.emptyText = u"The roofline shows each run that trains on the CPU as a point"_s;
        return figure;
    }
    const Range range = intensities(machine, runs);
    const auto isRounded = [&](const RooflineRun& run) { return run.point.rounded && machine.rounded > 0; };
    for (const bool rounded : {false, true}) {
        if (std::none_of(runs.begin(), runs.end(), [&](const auto& run) { return isRounded(run) == rounded; }))
            continue;
        FigureCurve roof;
        roof.label = rounded ? u"this machine, bfloat16"_s : u"this machine, float32"_s;
        roof.quantity = u"peak speed"_s;
        roof.ink = {Ink::Kind::text};
        for (const double intensity : {range.minimum, bench::ridge(machine, rounded), range.maximum}) {
            roof.x.append(intensity);
            roof.y.append(bench::roof(machine, intensity, rounded) / kGiga);
        }
        figure.curves.push_back(roof);
    }
    figure.x.minimum = range.minimum;
    figure.x.maximum = range.maximum;
    for (const RooflineRun& run : runs) {
        FigureCurve point;
        point.label = run.label;
        point.quantity = u"speed"_s;
        point.ink = run.ink;
        point.shape = FigureCurve::Shape::points;
        point.pointPt = run.picked ? 9 : 6;
        point.emphasis = run.picked ? FigureCurve::Emphasis::picked : FigureCurve::Emphasis::normal;
        point.x = {run.point.work.intensity()};
        point.y = {run.point.reached() / kGiga};
        figure.curves.push_back(point);
    }
    const RooflineRun& described = *std::max_element(
        runs.begin(), runs.end(), [](const RooflineRun& a, const RooflineRun& b) { return a.picked < b.picked; });
    figure.verticalLines.push_back({bench::ridge(machine, described.point.rounded),
                                    u"ridge point: limited by arithmetic to the right, by memory to the left"_s});
    figure.note = u"This machine reaches %1 and copies memory at %2 GB/s."_s.arg(
        productsText(machine), QString::number(machine.copy / kGiga, 'g', 3));
    figure.summary = QString::fromStdString(bench::verdict(machine, described.point));
    return figure;
}

namespace {

std::int64_t vocabularySize(const RunView& run) {
    if (run.record.vocabulary.empty()) return likely_vocabulary(run.spec);
    return Vocabulary::from_text(run.record.vocabulary).size();
}

// Only visible runs that train on the CPU.
std::vector<RooflineRun> measuredRuns(const RunStore& store, const std::map<RunId, double>& speeds, RunId picked) {
    std::vector<RooflineRun> result;
    for (const RunView& run : store.runs()) {
        const auto& conditions = run.record.conditions;
        if (!run.visible || !conditions || conditions->device != "cpu") continue;
        double speed = run.record.summary ? run.record.summary->tokens_per_second : 0;
        if (const auto live = speeds.find(run.record.id); speed <= 0 && live != speeds.end()) speed = live->second;
        if (speed <= 0) continue;
        result.push_back({run.name, run.ink, run.record.id == picked,
                          bench::roofline_point(run.spec, vocabularySize(run), speed,
                                                precision_of(*conditions) == Precision::bfloat16)});
    }
    return result;
}

}  // namespace

RooflineView::RooflineView(RunStore& runs, SweepSession& session, EngineLock& engineLock, Settings& settings,
                           QWidget* parent)
    : QWidget(parent), m_runStore(runs), m_session(session), m_engineLock(engineLock), m_settings(settings) {
    auto* column = scaledColumn(this, 8);
    m_sentence = new QLabel(this);
    m_sentence->setWordWrap(true);
    m_sentence->setAccessibleName(u"Bottleneck of the training speed"_s);
    column->addWidget(m_sentence);
    m_memory = makeNote(this);
    column->addWidget(m_memory);
    m_view = new FigureView(this);
    m_view->setAccessibleName(u"Roofline"_s);
    column->addWidget(m_view, 1);
    connect(&m_session, &SweepSession::stateChanged, this, [this] {
        if (isVisible()) measureIfIdle();
        renew();
    });
    connect(&m_session, &SweepSession::started, this, [this] { m_peak = 0; });
    connect(&m_runStore, &RunStore::reloaded, this, &RooflineView::renew);
    connect(&m_runStore, &RunStore::runChanged, this, &RooflineView::renew);
    connect(&m_runStore, &RunStore::visibilityChanged, this, &RooflineView::renew);
}

void RooflineView::setSpeed(RunId run, double tokensPerSecond) {
    m_speeds[run] = tokensPerSecond;
    renew();
}

void RooflineView::setPeakMemory(std::int64_t bytes) {
    m_peak = bytes;
    renew();
}

void RooflineView::pickRun(RunId run) {
    m_picked = run;
    renew();
}

void RooflineView::clear() {
    m_speeds.clear();
    m_peak = 0;
    m_picked = 0;
    renew();
}

void RooflineView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    measureIfIdle();
    renew();
}

bench::MachineSpeed RooflineView::machine() const {
    Settings& settings = m_settings;
    return {settings.value("machine/multiply_per_second").toDouble(),
            settings.value("machine/copy_per_second").toDouble(),
            settings.value("machine/bfloat16_multiply_per_second").toDouble()};
}

void RooflineView::measureIfIdle() {
    // The measurement and a training at the same time would slow each other down.
    if (isMeasuring() || m_session.isActive()) return;
    const auto runs = measuredRuns(m_runStore, m_speeds, m_picked);
    // Only bfloat16 needs the engine, which takes time and memory to load.
    const bool rounded =
        std::any_of(runs.begin(), runs.end(), [](const RooflineRun& run) { return run.point.rounded; });
    if (m_measured && (m_measuredRounded || !rounded)) return;
    m_measured = true;
    m_measuredRounded = rounded;
    m_engineLock.released();
    m_measuring.start([this, rounded](const Cancelled& cancelled) -> std::function<void()> {
        const auto threads = static_cast<int>(std::thread::hardware_concurrency());
        auto found = bench::measure_machine(threads);
        const auto measure = [](Engine& engine, const Cancelled& ends) {
            return bench::measure_products(engine, Precision::bfloat16, ends);
        };
        if (rounded) found.rounded = withEngine<double>(m_engineLock, cancelled, measure).answer.value_or(0);
        return [this, found] {
            const bench::MachineSpeed known = machine();
            Settings& settings = m_settings;
            settings.setValue("machine/multiply_per_second", std::max(known.multiply, found.multiply));
            settings.setValue("machine/copy_per_second", std::max(known.copy, found.copy));
            settings.setValue("machine/bfloat16_multiply_per_second", std::max(known.rounded, found.rounded));
            renew();
        };
    });
}

Figure RooflineView::figure() const {
    return rooflineFigure(machine(), measuredRuns(m_runStore, m_speeds, m_picked));
}

QString RooflineView::sentence() const {
    const auto runs = measuredRuns(m_runStore, m_speeds, m_picked);
    if (!machine().known()) {
        return m_session.isActive()
                   ? u"The arithmetic and memory speed of this machine will be measured when no training is active."_s
                   : u"The arithmetic and memory speed of this machine is being measured."_s;
    }
    if (runs.empty())
        return u"While a run trains on the CPU, this line says whether arithmetic or memory limits its speed."_s;
    const auto picked = std::find_if(runs.begin(), runs.end(), [](const RooflineRun& run) { return run.picked; });
    const RooflineRun& described = picked == runs.end() ? runs.front() : *picked;
    return u"%1: %2"_s.arg(described.label, QString::fromStdString(bench::verdict(machine(), described.point)));
}

QString RooflineView::memorySentence() const {
    std::vector<RunSpec> specs;
    for (const RunView& run : m_runStore.runs()) {
        if (run.visible && !run.imported) specs.push_back(run.spec);
    }
    if (specs.empty()) return {};
    const QString predicted = bytesText(estimate(specs).bytes);
    return m_peak > 0
               ? u"Memory for training the shown runs: %1 estimated, %2 measured."_s.arg(predicted, bytesText(m_peak))
               : u"Memory for training the shown runs: %1 estimated."_s.arg(predicted);
}

void RooflineView::renew() {
    m_view->setWhatsThis(rooflineExplanation(machine()));
    if (!isVisible()) return;  // it is renewed when it is shown
    m_sentence->setText(sentence());
    m_memory->setText(memorySentence());
    m_view->setFigure(figure());
}

namespace {

QString joinLines(const QStringList& all) {
    QStringList lines = all;
    lines.removeAll(QString());
    return lines.join(QLatin1Char('\n'));
}

QString currentLossText(std::optional<double> nats) {
    if (!nats || !std::isfinite(*nats)) return {};
    return u"The current loss is L = %1 nats = %2 bits per token; the perplexity is e^L = %3."_s.arg(
        readableNumber(*nats), readableNumber(*nats / std::numbers::ln2), readableNumber(std::exp(*nats)));
}

QString batchText(const RunSpec& run) {
    return u"%1 sequences of %2 tokens"_s.arg(groupedText(run.batch), groupedText(run.context));
}

QString validationText(const RunSpec& run) {
    return run.evaluation == Evaluation::whole
               ? u"N is the number of tokens in all sequences of the validation split."_s
               : u"N is the number of tokens in %1 random batches of the validation split; a batch has %2."_s.arg(
                     groupedText(run.evaluation_batches), batchText(run));
}

}  // namespace

QString quantityExplanation(Quantity quantity, const RunSpec& run, std::optional<double> now) {
    const QString loss = u"The loss is L = −(1/N) Σ ln p(next token | the tokens before it in its sequence)."_s;
    switch (quantity) {
        case Quantity::validation_loss:
            return joinLines(
                {loss, validationText(run), currentLossText(now),
                 find_language(run.data) ? u"The dashed line is the entropy floor of the whole split: the "
                                           "loss of the best possible predictor on all sequences of "
                                           "the validation split."_s
                                         : QString(),
                 find_language(run.data) && run.evaluation == Evaluation::sampled
                     ? u"This run is evaluated on sampled sequences, so its loss can be below the entropy floor by "
                       "chance."_s
                     : QString(),
                 u"Shannon 1948; formula 35 of the guide"_s});
        case Quantity::training_loss:
            return joinLines(
                {loss,
                 u"N is the number of tokens in the batch of a training step, %1. The loss is computed with the "
                 "weights before the step's update."_s.arg(batchText(run)),
                 currentLossText(now), u"Shannon 1948; formula 35 of the guide"_s});
        case Quantity::learning_rate: {
            const std::int64_t end = run.decay_iterations > 0 ? run.decay_iterations : run.iterations;
            return joinLines(
                {u"The learning rate η rises linearly to η_max within w warmup steps, then falls as "
                 "(1 + cos πs)/2, with s from 0 to 1, to η_min at step T."_s,
                 u"η_max = %1, w = %2, η_min = %3, T = %4"_s.arg(
                     readableNumber(run.learning_rate), groupedText(run.warmup),
                     readableNumber(run.final_learning_rate), groupedText(end)),
                 u"nanoGPT uses this learning rate schedule, too."_s});
        }
        case Quantity::gradient_norm:
            return joinLines(
                {u"‖g‖ = √(Σ g²) is the norm of the gradient over all parameters, before clipping."_s,
                 run.clip > 0
                     ? u"If the gradient norm ‖g‖ exceeds c = %1, the gradient g is clipped: the optimizer uses "
                       "g·c/‖g‖."_s.arg(readableNumber(run.clip))
                     : u"The gradient is not clipped (clip = 0)."_s,
                 u"Pascanu et al. 2013"_s});
        case Quantity::tokens_per_second:
            break;
    }
    return u"Tokens per second: the tokens of a step, %1, divided by the duration of the step. Runs that train "
           "together as one batch (a cohort) share the machine, so the plot shows for each of them an equal part of "
           "the cohort's speed."_s.arg(batchText(run));
}

QString rooflineExplanation(const bench::MachineSpeed& machine) {
    return joinLines(
        {u"Roofline: operations per second ≤ min(P, B·I)"_s,
         u"I is the arithmetic intensity: the operations of a training step per byte that it reads or writes in "
         "memory. Left of the ridge point memory bandwidth limits the speed, right of it arithmetic does."_s,
         machine.known()
             ? u"P = %1 and B = %2 GB/s (memory copies) are measured on this machine; a run is compared with "
               "P of its own precision."_s.arg(productsText(machine), readableNumber(machine.copy / kGiga))
             : QString(),
         u"Williams, Waterman, Patterson 2009"_s});
}

}  // namespace ropelab::ui

#include "moc_curves_page.cpp"
