#include "ui/rooms/context/context_room.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/common/format.h"
#include "ui/common/label_text.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/controls/flow_layout.h"
#include "ui/controls/number_slider.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/context/criteria_panel.h"
#include "ui/rooms/context/measured_loss.h"
#include "ui/rotary/spectrum_data.h"
#include "ui/shell/explanation.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kMaxContext = 1 << 30;
constexpr double kMaxTheta = 1e15;
constexpr double kGrabRadius = 14;  // pixels at 100 %
constexpr int kRoundPauseMs = 60;
constexpr int kLowPage = 420;  // pixels at 100 %; a lower page shows the figure above the texts

// The first batch of bases takes no longer than a frame, so that a drag shows a result; later batches are larger.
constexpr double kFirstScanMs = 8;
constexpr double kScanMs = 60;
constexpr int kMaxDoublings = 15;
constexpr std::size_t kScreenshotBases = 513;
constexpr double kScreenshotScanMs = 600;
constexpr std::int64_t kScreenshotSamples = 4096;

void addToolPage(QStackedWidget* stack, const QList<QWidget*>& tools) {
    auto* page = new QWidget(stack);
    auto* row = scaledRow(page, 8);
    for (QWidget* tool : tools) row->addWidget(tool);
    row->addStretch(1);
    stack->addWidget(page);
}

// Texts of the crosshair. They come from the data of the room and not from the curves, whose points are reduced to the
// extremes of each column: every value belongs to the distance or the base in the title.

std::optional<FigureView::Readout> boundReadout(const BoundData& data, QPointF place) {
    const auto distance = std::llround(place.x());
    if (distance < 0 || distance >= std::ssize(data.bound)) return std::nullopt;
    const auto at = static_cast<std::size_t>(distance);
    FigureView::Readout result;
    result.x = static_cast<double>(distance);
    result.title = u"distance Δ = %1 tokens"_s.arg(groupedText(distance));
    const ScalingMethod method = data.setup.scaling.method;
    result.rows.append({method == ScalingMethod::none ? u"B(Δ)"_s : u"B(Δ) with %1"_s.arg(scalingTitle(method)),
                        readableNumber(data.bound[at])});
    if (at < data.plain.size()) {
        result.rows.append({u"B(Δ), unscaled"_s, readableNumber(data.plain[at])});
    }
    return result;
}

std::optional<FigureView::Readout> randomReadout(const LogitSamples& samples, QPointF place) {
    if (samples.count == 0 || samples.distances.empty()) return std::nullopt;
    const auto away = [&](double distance) { return std::abs(std::log(distance / std::max(1.0, place.x()))); };
    const auto nearest = std::min_element(samples.distances.begin(), samples.distances.end(),
                                          [&](double a, double b) { return away(a) < away(b); });
    const auto at = static_cast<std::size_t>(nearest - samples.distances.begin());
    const Frequencies now = frequencies(frequency_settings(samples.setup));
    FigureView::Readout result;
    result.x = *nearest;
    result.title = u"distance Δ = %1 tokens"_s.arg(tokensText(*nearest));
    const auto add = [&](const QString& name, const SampledLogits& sampled, const RandomVectors& vectors) {
        const double expected = expected_logit(now, samples.setup.head_dim, *nearest, vectors);
        result.rows.append({u"%1, mean"_s.arg(name), u"%1 ± %2"_s.arg(readableNumber(sampled.mean[at]),
                                                                      readableNumber(sampled.standard_error[at]))});
        result.rows.append({u"%1, expected"_s.arg(name), readableNumber(expected)});
    };
    add(u"k = q"_s, samples.equal, equalVectors(samples.vectors));
    add(vectorsLabel(samples.vectors), samples.chosen, samples.vectors);
    return result;
}

std::optional<FigureView::Readout> basesReadout(const BaseProfile& profile, const BoundData& data, QPointF place) {
    const auto points = basesWithTheta(profile, data);
    if (points.empty()) return std::nullopt;
    const auto nearest = std::min_element(points.begin(), points.end(), [&](const auto& a, const auto& b) {
        return std::abs(std::log(a.base / place.x())) < std::abs(std::log(b.base / place.x()));
    });
    const auto less = [](const auto& a, const auto& b) { return a.supported < b.supported; };
    const auto text = [&profile](const BaseProfile::Point& point) {
        const QString supported = tokensText(static_cast<double>(point.supported));
        return point.supported >= profile.range().limit ? u"%1 tokens or more"_s.arg(supported)
                                                        : u"%1 tokens"_s.arg(supported);
    };
    FigureView::Readout result;
    result.x = nearest->base;
    const bool isCurrent = nearest->base == data.setup.theta;
    result.title = isCurrent ? u"θ = %1 of the setup"_s.arg(thetaText(nearest->base))
                             : u"base %1"_s.arg(thetaText(std::round(nearest->base)));
    // The context bound of the setup's θ is computed further than those of the scanned bases.
    const bool isExact = isCurrent && data.firstNegative;
    result.rows.append(
        {u"supported context"_s, isExact ? u"%1 tokens"_s.arg(groupedText(*data.firstNegative)) : text(*nearest)});
    result.rows.append(
        {u"largest context up to this base"_s, text(*std::max_element(points.begin(), nearest + 1, less))});
    result.rows.append({u"smallest context from this base on"_s, text(*std::min_element(nearest, points.end(), less))});
    return result;
}

}  // namespace

ContextRoom::ContextRoom(RotaryModel& rotary, std::optional<RunAccess> runs, QWidget* parent)
    : RotaryRoom(rotary, u"context"_s, contextFigures(), parent) {
    setWithoutEffect({u"pairing"_s, u"precision"_s});
    auto* column = scaledColumn(this, 8, {12, 8, 12, 12});
    m_toolbar = makeBar();
    column->addWidget(m_toolbar);
    m_criteria = new Tiles(u"Criteria for the context length"_s, 3, this);
    column->addWidget(m_criteria);
    m_limits = makeNote(this);
    m_limits->setProperty("paper", true);
    scaleMargins(m_limits, {12, 4, 12, 4});
    m_limits->setText(
        u"Supported context: random vectors; a trained model can fail earlier. Extrapolation limit: predicted for a "
        "trained model."_s);
    column->addWidget(m_limits);
    m_figures = new QWidget(this);
    auto* figures = scaledColumn(m_figures, 4);
    m_view = addView(u"Context"_s);
    m_lossView = addView(u"Measured loss by position"_s);
    m_lossView->hide();
    figures->addWidget(m_view, 3);
    figures->addWidget(m_lossView, 2);
    column->addWidget(m_figures, 1);
    setWords(makeNote(this), u"Summary of the figure"_s);
    column->addWidget(wordsLabel());
    makeOptions(runs);
    addParts();
    addControls();
    connectView();
    m_nextRound.setSingleShot(true);
    m_nextRound.setInterval(kRoundPauseMs);
    connect(&m_nextRound, &QTimer::timeout, this, &ContextRoom::continueSampling);
    for (LatestJob* job : {&m_boundJob.edited, &m_boundJob.other, &m_basesJob, &m_placesJob, &m_samplesJob}) {
        connect(job, &LatestJob::runningChanged, this, &ContextRoom::showBusy);
    }
    setPart(Part::bound);
}

QWidget* ContextRoom::makeBar() {
    auto* bar = new QWidget(this);
    auto* flow = new FlowLayout(bar);
    scaleLayout(flow, {0, 0, 0, 0}, 8);
    auto* tabs = new QWidget(bar);
    auto* tabRow = scaledRow(tabs, 4);
    const auto tab = [](const QString& title, const QString& why) {
        return Toggle{title, u"Show %1"_s.arg(title), why};
    };
    m_tabs = addToggles(
        tabRow,
        {tab(u"Context bound"_s,
             u"Shows the context bound B(Δ), the mean logit advantage of similar keys at distance Δ: B(Δ) = K(Δ) + (d "
             "− d_r)/2, with the kernel K(Δ) = Σ cos(Δωᵢ). The base supports a context of L tokens if B(Δ) ≥ 0 for all "
             "Δ < L.\nMen et al. 2024; formula 12 of the guide; for fractions our extension, formula 13"_s),
         tab(u"Feasible bases"_s,
             u"The figure shows the context length that each base θ supports by the context bound, with the setup's "
             "scaling at every base. The feasible bases for a context form several intervals (\"islands\").\nMen et "
             "al. 2024, formula 12"_s),
         tab(u"Map"_s,
             u"Shows all bounds of the context length over the base θ, with the known models: the context that a base "
             "supports (Men et al.), the longest period, and the longest context and the extrapolation limit of "
             "fine-tuning (Liu et al.).\nFormulas 9, 12 and 15 of the guide"_s),
         tab(u"Decay bound"_s,
             u"Shows Su's upper bound of the attention logit: |Σ hₜ e^(𝑖Δωₜ)| ≤ max|hⱼ₊₁ − hⱼ| · Σ|Sⱼ|. Here hₜ is "
             "the product of query and key in pair t (as complex numbers), and Sⱼ is the sum of e^(𝑖Δωₜ) over t < "
             "j. The curve is (2/d) Σ|Sⱼ|.\nSu et al. 2021; formula 11 of the guide"_s),
         tab(u"Random"_s,
             u"Shows mean attention logits of random queries q and keys k. All components have mean μ and variance "
             "1; ρ is the correlation of q and k. The panel sets μ and ρ; ρ = 1 means k = q.\nE[qᵀR(−Δ)k] = (μ² + "
             "ρ)·(d − d_r + 2 K(Δ)), K(Δ) = Σ cos(Δωᵢ)\nBarbero et al. 2024; formula 16 of the guide"_s),
         tab(u"Match"_s,
             u"Shows the mean attention weight of one key among 199 random ones, for a key that equals the random "
             u"query "
             u"and for one with the correlation ρ, which the panel sets.\nsoftmax of qᵀR(−Δ)k/√d, formula 7 of the "
             "guide"_s)},
        [this](int part) { setPart(static_cast<Part>(part)); });
    flow->addWidget(tabs);

    auto* tools = new QWidget(bar);
    auto* row = scaledRow(tools, 8);
    // The stack is as wide as the widest of its pages, so that the bar wraps in the same way for every part.
    m_tools = new QStackedWidget(tools);
    m_logarithmic = new QCheckBox(u"log axis"_s, m_tools);
    m_logarithmic->setChecked(true);
    m_logarithmic->setToolTip(u"Shows the distance on a logarithmic axis."_s);
    connect(m_logarithmic, &QCheckBox::toggled, this, &ContextRoom::schedule);
    m_sampleAgain = new QPushButton(u"Sample again"_s, m_tools);
    m_sampleAgain->setToolTip(u"Samples other random vectors q and k, with the next seed."_s);
    connect(m_sampleAgain, &QPushButton::clicked, this, [this] {
        ++m_seed;
        schedule();
    });
    addToolPage(m_tools, {m_logarithmic});
    addToolPage(m_tools, makeScanTools());
    addToolPage(m_tools, {m_sampleAgain});
    addToolPage(m_tools, {});
    row->addWidget(m_tools);
    m_progress = new QProgressBar(tools);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(u"Progress of the computation"_s);
    scaleWidth(m_progress, 24);  // so that the bar is one line in a window of 1270 pixels
    keepSpace(m_progress);
    m_progress->hide();
    row->addWidget(m_progress);
    flow->addWidget(tools);
    addBars({bar});
    return bar;
}

QList<QWidget*> ContextRoom::makeScanTools() {
    m_near = new QCheckBox(u"near θ"_s, m_tools);
    m_near->setToolTip(
        u"Computes the supported context of bases in one decade around θ, in steps at most a sixth of those of the "
        "whole scan. Small steps show narrow intervals of bases that support the context."_s);
    connect(m_near, &QCheckBox::toggled, this, &ContextRoom::schedule);
    m_finer = new QPushButton(u"Refine scan"_s, m_tools);
    m_finer->setToolTip(
        u"Adds one base between each two neighbouring bases of the scan. A scan misses intervals of feasible bases "
        "(bases that support the context) that are narrower than its step."_s);
    m_finer->setEnabled(false);  // until a scan is complete
    connect(m_finer, &QPushButton::clicked, this, [this] {
        m_profile.edited.refine();
        schedule();
    });
    return {m_near, m_finer};
}

void ContextRoom::makeOptions(const std::optional<RunAccess>& runs) {
    auto* options = new QWidget;
    auto* column = scaledColumn(options, 12);
    m_tuning = new TuningPanel(options);
    column->addWidget(m_tuning);
    if (runs) {
        m_measured = new MeasuredLossPanel(*runs, options);
        column->addWidget(m_measured);
        connect(m_measured, &MeasuredLossPanel::changed, this, [this] {
            if (const auto& loss = m_measured->loss(); loss && measuredSetup() != model().setup())
                changeSetup(u"use the RoPE settings of a model"_s, measuredSetup());
            schedule();
        });
    }
    m_random = m_randomForm.addSection(column, u"Random q and k"_s, randomRows());
    for (const char* field : {"mean", "correlation"}) m_randomForm.setValue(field, 0);
    connect(m_tuning, &TuningPanel::changed, this, &ContextRoom::schedule);
    connect(&m_randomForm, &Form::changed, this, &ContextRoom::schedule);
    setOptions(options);
}

void ContextRoom::addParts() {
    const auto add = [this](const QString& name, Part part, bool isNear = false) {
        addPart(
            {name,
             [this, part, isNear] {
                 if (part == Part::bases) m_near->setChecked(isNear);
                 setPart(part);
             },
             [this, part, isNear] { return m_part == part && (part != Part::bases || m_near->isChecked() == isNear); },
             {m_criteria, m_limits, wordsLabel()}});
    };
    add(u"bound"_s, Part::bound);
    add(u"bases"_s, Part::bases);
    add(u"bases-near"_s, Part::bases, true);
    add(u"map"_s, Part::map);
    add(u"decay"_s, Part::decay);
    add(u"random"_s, Part::random);
    add(u"share"_s, Part::share);
}

void ContextRoom::addControls() {
    const QString target = u"target"_s;
    const RoomControl context = controlOf(target, m_tuning->form().field<NumberSlider>("context"));
    addControl({target,
                [this, context](const QString& value) {
                    m_tuning->form().setValue("target", value != "none"_L1);
                    if (value != "none"_L1) context.set(value);
                },
                [this, context] { return m_tuning->form().value("target").toBool() ? context.value() : u"none"_s; },
                m_tuning});
    for (const char* name : {"mean", "correlation"})
        addControl(controlOf(QLatin1String(name), m_randomForm.field<NumberSlider>(name)));
    const QString axis = u"log_axis"_s;
    addControl({axis, [this, axis](const QString& word) { m_logarithmic->setChecked(controlSwitch(axis, word)); },
                [this] { return m_logarithmic->isChecked() ? u"on"_s : u"off"_s; }, m_logarithmic});
    addChoice(m_near);
    addChoice({[this] { return QVariant::fromValue(m_seed); },
               [this](const QVariant& seed) {
                   m_seed = seed.value<decltype(m_seed)>();
                   schedule();
               },
               QVariant::fromValue(m_seed)});
    if (m_measured) addChoice(m_measured->form().field<QWidget>("measured"));
}

void ContextRoom::fitPage(const QSize& page) {
    fitFigures(page, kLowPage, m_toolbar, m_figures);
}

void ContextRoom::connectView() {
    const auto drop = [this] {
        m_isDragging = false;
        m_dragAxisEnd = 0;
        m_dragRange.reset();
        model().endDrag();
        schedule();
    };
    connect(m_view, &FigureView::lineDragged, this, [this](const QString&, double at) {
        if (m_dragAxisEnd == 0) m_dragAxisEnd = static_cast<std::int64_t>(m_view->figure().x.maximum);
        dragContext(at);
    });
    connect(m_view, &FigureView::lineDropped, this, drop);
    connect(m_view, &FigureView::pressed, this, [this](const QPointF& place) {
        m_isDragging = m_part == Part::bases && isOnMarker(place);
        if (m_isDragging) m_dragRange = m_profile.edited.range();
    });
    connect(m_view, &FigureView::dragged, this, [this](const QPointF& place) {
        if (m_isDragging) dragMarker(place);
    });
    connect(m_view, &FigureView::released, this, [this, drop] {
        if (m_isDragging) drop();
    });
    connect(m_view, &FigureView::keyPressed, this, [this](int key) {
        if (m_part == Part::bases) stepMarker(key);
    });
}

void ContextRoom::setPart(Part part) {
    m_part = part;
    auto* tab = m_tabs->button(static_cast<int>(part));
    tab->setChecked(true);
    // All other parts have a distance axis with a switch.
    m_tools->setCurrentIndex(part == Part::bases ? 1 : part == Part::random ? 2 : part == Part::map ? 3 : 0);
    m_random->setVisible(part == Part::random || part == Part::share);
    m_randomForm.setEnabled("mean", part == Part::random);
    explainBy(m_view, tab);
    explainBy(wordsLabel(), tab);
    if (m_measured) explainBy(m_lossView, m_measured->form().field<QComboBox>("measured"));
    m_view->setAccessibleName(u"Context: %1"_s.arg(tab->text()));
    renewReadout();
    if (part != Part::bases && part != Part::map) m_basesJob.cancel();
    if (part != Part::random) {
        m_samplesJob.cancel();
        m_nextRound.stop();
    }
    schedule();
}

void ContextRoom::renewReadout() {
    if (m_part == Part::decay || m_part == Part::share || m_part == Part::map)
        return m_view->setReadout({});  // the figure's own points
    setReadout(m_view, [this](Side side, QPointF place) {
        if (m_part == Part::bound) return boundReadout(m_bound.of(side), place);
        if (m_part == Part::bases) return basesReadout(m_profile.of(side), m_bound.of(side), place);
        return randomReadout(m_samples.of(side), place);
    });
}

bool ContextRoom::isOnMarker(const QPointF& place) const {
    const RotarySetup& setup = model().setup();
    const QPointF mark = m_view->pixelOf({setup.theta, static_cast<double>(setup.context)});
    const QPointF away = m_view->pixelOf(place) - mark;
    return std::hypot(away.x(), away.y()) <= ThemeManager::instance().px(kGrabRadius);
}

void ContextRoom::dragMarker(const QPointF& place) {
    RotarySetup next = model().setup();
    const Figure& shown = m_view->figure();
    const double theta = std::clamp(place.x(), shown.x.minimum, shown.x.maximum);
    const double context = std::clamp(place.y(), shown.y.minimum, shown.y.maximum);
    next.theta = std::clamp(roundedDrag(theta, next.theta, false), kMinBase, kMaxTheta);
    next.context = static_cast<std::int64_t>(
        std::clamp(roundedDrag(context, static_cast<double>(next.context), true), 1.0, kMaxContext));
    changeSetup(u"move base and context"_s, next);
}

void ContextRoom::stepMarker(int key) {
    const QPointF mark = m_view->pixelOf({model().setup().theta, static_cast<double>(model().setup().context)});
    const QRectF axes = m_view->canvasRect();
    QPointF step;
    if (key == Qt::Key_Left || key == Qt::Key_Right) {
        step.setX((key == Qt::Key_Right ? 1 : -1) * axes.width() / 100);
    } else if (key == Qt::Key_Up || key == Qt::Key_Down) {
        step.setY((key == Qt::Key_Down ? 1 : -1) * axes.height() / 100);
    } else {
        return;
    }
    const QPointF place = m_view->valueAt(mark + step);
    const RotarySetup& setup = model().setup();
    dragMarker(
        {step.x() == 0 ? setup.theta : place.x(), step.y() == 0 ? static_cast<double>(setup.context) : place.y()});
    model().endDrag();
}

void ContextRoom::hideEvent(QHideEvent* event) {
    RotaryRoom::hideEvent(event);
    for (LatestJob* job : {&m_boundJob.edited, &m_boundJob.other, &m_basesJob, &m_samplesJob}) job->cancel();
    m_nextRound.stop();
    schedule();  // resumes the computation when the room is shown again
}

std::int64_t ContextRoom::end() const {
    if (m_dragAxisEnd > 0) return m_dragAxisEnd;
    std::int64_t longest = 0;
    for (const Side side : sides()) longest = std::max(longest, setupOf(side).context);
    return distanceAxisEnd(longest);
}

void ContextRoom::renew() {
    for (const Side side : sides()) renewBound(side);
    if (!compares()) {
        m_boundJob.other.cancel();
        m_bound.other = {};
        m_profile.other = {};
        m_samples.other = {};
    }
    m_tuning->renew(model().setup(), compares() ? std::optional(setupOf(Side::other)) : std::nullopt, model().editsB());
    renewCriteria();
    switch (m_part) {
        case Part::bound:
            showFigure(m_view, [this](Side side) { return boundFigure(m_bound.of(side), m_logarithmic->isChecked()); });
            renewWords([this](Side side) { return boundSentence(m_bound.of(side)); });
            break;
        case Part::bases:
            renewBases();
            break;
        case Part::map:
            renewMap();
            break;
        case Part::decay:
            showFigure(m_view, [this](Side side) {
                return decayFigure(setupOf(side), end(), compares(), m_logarithmic->isChecked());
            });
            renewWords([](Side) { return decaySentence(); });
            break;
        case Part::random:
            renewSamples();
            break;
        case Part::share:
            renewShares();
            break;
    }
    renewLoss();
    showBusy();
}

RotarySetup ContextRoom::measuredSetup() const {
    RotarySetup setup = m_measured->loss()->setup;
    setup.precision = model().setup().precision;
    return setup;
}

void ContextRoom::renewLoss() {
    const bool isShown = m_part == Part::bound && m_measured && m_measured->loss();
    m_lossView->setVisible(isShown);
    if (!isShown) return;
    const MeasuredLoss& loss = *m_measured->loss();
    // Another setup that is shown now has another bound.
    const auto firstNegative = measuredSetup() == m_bound.edited.setup ? m_bound.edited.firstNegative : std::nullopt;
    m_lossView->setFigure(measuredLossFigure(loss, m_bound.edited.end, m_logarithmic->isChecked(), firstNegative));
    changeText(wordsLabel(), wordsLabel()->text() + QLatin1Char('\n') + measuredLossSentence(loss, firstNegative));
}

void ContextRoom::renewWords(const std::function<QString(Side)>& sentence) {
    QString words = bothSentences(sentence);
    if (m_bound.edited.firstNegative && m_bound.other.firstNegative) {
        const QString quotient = bothQuotient(
            u"supported context"_s, [this](Side side) { return static_cast<double>(*m_bound.of(side).firstNegative); });
        if (!quotient.isEmpty()) words += QLatin1Char('\n') + quotient;
    }
    changeText(wordsLabel(), words);
}

void ContextRoom::renewCriteria() {
    std::vector<Tile> tiles = contextCriteria(m_bound.edited, m_tuning->tuning());
    if (compares()) {
        const BothSides<std::vector<Tile>> both{tiles, contextCriteria(m_bound.other, m_tuning->tuning())};
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            tiles[i].value = bothValues([&](Side side) { return both.of(side)[i].value; });
            tiles[i].condition = bothSentences([&](Side side) { return both.of(side)[i].condition; });
            tiles[i].text = bothSentences([&](Side side) { return both.of(side)[i].text; });
            tiles[i].why = bothSentences([&](Side side) { return both.of(side)[i].why; });
        }
    }
    m_criteria->set(tiles);
}

void ContextRoom::renewBound(Side side) {
    const RotarySetup& setup = setupOf(side);
    BoundData& data = m_bound.of(side);
    LatestJob& job = m_boundJob.of(side);
    const bool isAxisFixed =
        side == Side::edited && m_dragAxisEnd > 0 && (m_part == Part::bound || m_part == Part::random);
    const auto fixedEnd = isAxisFixed ? std::optional(m_dragAxisEnd) : std::nullopt;
    const auto wantedEnd = fixedEnd.value_or(distanceAxisEnd(std::max(setup.context, data.firstNegative.value_or(0))));
    const bool isCurrent = data.setup == setup && !data.bound.empty() && data.end == wantedEnd;
    if (isCurrent && (data.isComplete || job.isRunning())) return;
    data = boundData(setup, positionsPerFrame(setup), fixedEnd);
    if (data.isComplete) return job.cancel();
    job.start([this, &data, setup, fixedEnd](const Cancelled& cancelled) -> std::function<void()> {
        return [this, &data, bound = boundData(setup, kMaxPositions, fixedEnd, cancelled)] {
            data = bound;
            schedule();
        };
    });
}

void ContextRoom::renewBases() {
    BaseProfile::Range range = m_dragRange.value_or(baseRange(model().setup(), m_near->isChecked()));
    if (compares() && !m_dragRange) {
        // Both scans cover the same bases, so that their curves can be compared.
        const BaseProfile::Range theirs = baseRange(setupOf(Side::other), m_near->isChecked());
        range.low = std::min(range.low, theirs.low);
        range.high = std::max(range.high, theirs.high);
        range.limit = std::max(range.limit, theirs.limit);
    }
    for (const Side side : sides()) renewProfile(side, range);
    showFigure(m_view, [this](Side side) { return basesFigure(m_profile.of(side), m_bound.of(side)); });
    renewWords([this](Side side) { return basesSentence(m_profile.of(side), m_bound.of(side)); });
    const bool isOpen = isScanning();
    const BaseProfile& mine = m_profile.edited;
    m_finer->setEnabled(canBeNegative(model().setup()) && !isOpen && mine.range().doublings < kMaxDoublings);
    if (isOpen && !m_basesJob.isRunning() && isVisible()) continueScan(mine.done() == 0 ? kFirstScanMs : kScanMs);
}

void ContextRoom::renewMap() {
    if (isSynchronous()) m_places = &knownPlaces();
    if (!m_places && !m_placesJob.isRunning()) {
        m_placesJob.start([this](const Cancelled&) -> std::function<void()> {
            return [this, places = &knownPlaces()] {
                m_places = places;
                schedule();
            };
        });
    }
    BaseProfile::Range range = baseRange(model().setup(), false);
    if (compares()) range.limit = std::max(range.limit, baseRange(setupOf(Side::other), false).limit);
    for (const Side side : sides()) renewProfile(side, range);
    const auto& places = m_places ? *m_places : std::vector<ContextPlace>();
    showFigure(m_view, [&](Side side) { return mapFigure(m_profile.of(side), m_bound.of(side), places); });
    renewWords([&](Side) { return m_view->figure().summary; });
    if (isScanning() && !m_basesJob.isRunning() && isVisible())
        continueScan(m_profile.edited.done() == 0 ? kFirstScanMs : kScanMs);
}

void ContextRoom::renewProfile(Side side, const BaseProfile::Range& range) {
    BaseProfile& profile = m_profile.of(side);
    if (!profile.matches(setupOf(side), range)) {
        BaseProfile::Range initial = range;
        initial.doublings = BaseProfile::Range{}.doublings;
        profile = BaseProfile(setupOf(side), initial);
        m_basesJob.cancel();
    }
    if (isSynchronous() && canBeNegative(setupOf(side)) && profile.done() < kScreenshotBases) {
        profile.extend(kScreenshotScanMs);
    }
}

bool ContextRoom::isScanOpen(Side side) const {
    return canBeNegative(setupOf(side)) && !m_profile.of(side).isComplete();
}

bool ContextRoom::isScanning() const {
    return (m_part == Part::bases || m_part == Part::map) &&
           (isScanOpen(Side::edited) || (compares() && isScanOpen(Side::other)));
}

void ContextRoom::continueScan(double milliseconds) {
    // The scan with fewer computed bases continues, so that both curves become finer together.
    const bool scansOther = compares() && isScanOpen(Side::other) &&
                            (!isScanOpen(Side::edited) || m_profile.other.done() < m_profile.edited.done());
    BaseProfile& target = m_profile.of(scansOther ? Side::other : Side::edited);
    m_basesJob.start(
        [this, &target, profile = target, milliseconds](const Cancelled& cancelled) -> std::function<void()> {
            BaseProfile more = profile;
            more.extend(milliseconds, cancelled);
            return [this, &target, more = std::move(more)] {
                target = more;
                schedule();
            };
        });
}

void ContextRoom::renewSamples(Side side, std::int64_t shown) {
    LogitSamples& samples = m_samples.of(side);
    const RandomVectors vectors{.mean = m_randomForm.value("mean").toDouble(),
                                .correlation = m_randomForm.value("correlation").toDouble()};
    const bool isSame = samples.setup == setupOf(side) && samples.seed == m_seed && samples.vectors == vectors &&
                        !samples.distances.empty() && samples.distances.back() == static_cast<double>(shown);
    if (!isSame) {
        m_samplesJob.cancel();
        m_nextRound.stop();
        samples = startSampling(setupOf(side), m_seed, shown, vectors);
    }
    while (isSynchronous() && samples.count < kScreenshotSamples) {
        samples = withMoreSamples(samples, nextRound(samples));
    }
}

void ContextRoom::renewSamples() {
    const std::int64_t shown = end();
    for (const Side side : sides()) renewSamples(side, shown);
    showFigure(m_view, [&](Side side) { return randomFigure(m_samples.of(side), m_bound.of(side).bound, shown); });
    renewWords([this](Side side) { return randomSentence(m_samples.of(side)); });
    if (!m_nextRound.isActive()) continueSampling();
}

ContextRoom::ShareChoices ContextRoom::shareChoices() const {
    return {model().setup(), compares() ? std::optional(setupOf(Side::other)) : std::nullopt,
            m_randomForm.value("correlation").toDouble(), end(), m_logarithmic->isChecked()};
}

void ContextRoom::computeShares() {
    auto compute = [shares = m_shares, wanted = shareChoices()]() mutable {
        const auto one = [&](Side side, const RotarySetup& setup) {
            shares.data.of(side).adopt(setup, wanted.correlation);
            shares.figures.of(side) = shareFigure(setup, shares.data.of(side), wanted.end, wanted.isLogarithmic);
        };
        one(Side::edited, wanted.edited);
        if (wanted.other) one(Side::other, *wanted.other);
        shares.choices = wanted;
        return shares;
    };
    if (isSynchronous()) {
        m_shares = compute();
    } else if (lacksShares() && isVisible() && !m_samplesJob.isRunning()) {
        m_samplesJob.start([this, compute](const Cancelled&) mutable -> std::function<void()> {
            return [this, shares = compute()] {
                m_shares = shares;
                schedule();
            };
        });
    }
}

bool ContextRoom::lacksShares() const {
    return m_part == Part::share && m_shares.choices != shareChoices();
}

void ContextRoom::renewShares() {
    if (isSynchronous() && lacksShares()) computeShares();
    // In a later turn of the event loop: now, the setup may be that of a glide's end, which is not shown yet.
    if (lacksShares()) QMetaObject::invokeMethod(this, &ContextRoom::computeShares, Qt::QueuedConnection);
    // Until then, those that were computed last.
    const bool isShown = !m_shares.figures.edited.curves.empty() && m_shares.choices.other.has_value() == compares();
    showFigure(m_view, [&](Side side) {
        return isShown ? m_shares.figures.of(side) : shareFigure(setupOf(side), {}, end(), m_logarithmic->isChecked());
    });
    renewWords([&](Side side) { return isShown ? shareSentence(m_shares.figures.of(side)) : QString(); });
}

bool ContextRoom::isSampling() const {
    return m_part == Part::random &&
           (m_samples.edited.count < kMaxSamples || (compares() && m_samples.other.count < kMaxSamples));
}

void ContextRoom::continueSampling() {
    if (!isVisible() || m_samplesJob.isRunning() || !isSampling()) return;
    m_samplesJob.start([this, samples = m_samples,
                        hasOther = compares()](const Cancelled& cancelled) -> std::function<void()> {
        const auto more = [&cancelled](const LogitSamples& of) {
            return of.count < kMaxSamples ? withMoreSamples(of, nextRound(of), cancelled) : of;
        };
        return [this,
                next = BothSides<LogitSamples>{more(samples.edited), hasOther ? more(samples.other) : LogitSamples{}}] {
            m_samples = next;
            schedule();
            m_nextRound.start();
        };
    });
}

bool ContextRoom::isBusy() const {
    // Until the figure of a changed setup is renewed, it is unknown whether its computation takes long.
    return isScheduled() || isScanning() || isSampling() || lacksShares() || m_placesJob.isRunning() ||
           m_boundJob.edited.isRunning() || m_boundJob.other.isRunning() || (m_measured && m_measured->isMeasuring());
}

void ContextRoom::showBusy() {
    if (isScanning()) {
        m_progress->setRange(0, static_cast<int>(m_profile.edited.count()));
        m_progress->setValue(static_cast<int>(m_profile.edited.done()));
    } else if (isSampling()) {
        m_progress->setRange(0, static_cast<int>(kMaxSamples));
        m_progress->setValue(static_cast<int>(m_samples.edited.count));
    } else {
        m_progress->setRange(0, 0);
    }
    m_progress->setVisible(isBusy());
}

}  // namespace ropelab::ui

#include "moc_context_room.cpp"
