#include "ui/rooms/context/context_room.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/spec/error.h"
#include "ui/common/explanation.h"
#include "ui/common/flow_layout.h"
#include "ui/common/scaled.h"
#include "ui/rooms/context/criteria_list.h"
#include "ui/rooms/context/tuning_panel.h"
#include "ui/rotary/spectrum_data.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

constexpr double kMaxContext = 1 << 30;
constexpr double kMaxTheta = 1e15;
constexpr double kGrabRadius = 14;  // pixels at 100 %
constexpr int kRoundPauseMs = 60;
// Heights in pixels at 100 %.
constexpr int kLowPage = 420;  // a lower page shows the figure above the texts
constexpr int kLowestView = 150;

struct PartName {
    const char* id;
    const char* title;
    const char* why;
};
// In the order of ContextRoom::Part.
constexpr std::array<PartName, 4> kParts = {{
    {"bound", QT_TRANSLATE_NOOP("ropelab::ui::ContextRoom", "Context bound"),
     QT_TRANSLATE_NOOP("ropelab::ui::ContextRoom",
                       "B(Δ) = K(Δ) + (d − d_r)/2, with the kernel K(Δ) = Σ cos(Δωᵢ). The base supports a context of "
                       "L tokens if B(Δ) ≥ 0 for all Δ < L.\n"
                       "Men et al. 2024, formula 12; for fractions our extension, formula 13")},
    {"bases", QT_TRANSLATE_NOOP("ropelab::ui::ContextRoom", "Feasible bases"),
     QT_TRANSLATE_NOOP(
         "ropelab::ui::ContextRoom",
         "The figure shows the context length that each base supports, with the setup's scaling at every base. The "
         "feasible bases for a context form several intervals (\"islands\").\nMen et al. 2024, formula 12")},
    {"decay", QT_TRANSLATE_NOOP("ropelab::ui::ContextRoom", "Decay bound"),
     QT_TRANSLATE_NOOP(
         "ropelab::ui::ContextRoom",
         "Su's bound: |Σ hₜ e^(𝑖Δωₜ)| ≤ max|hⱼ₊₁ − hⱼ| · Σ|Sⱼ|, where Sⱼ is the sum of e^(𝑖Δωₜ) over t < j. The "
         "figure shows (2/d) Σ|Sⱼ|.\nSu et al. 2021, formula 11")},
    {"random", QT_TRANSLATE_NOOP("ropelab::ui::ContextRoom", "Random q, k"),
     QT_TRANSLATE_NOOP(
         "ropelab::ui::ContextRoom",
         "The figure shows mean logits of random q and k. All components have mean μ and variance 1; ρ is the "
         "correlation of q and k. The panel sets μ and ρ; ρ = 1 means k = q.\nE[qᵀR_Δ k] = (μ² + ρ)·(d − d_r "
         "+ 2 K(Δ)), K(Δ) = Σ cos(Δωᵢ)\nBarbero et al. 2024, formula 16")},
}};

void addToolPage(QStackedWidget* stack, const QList<QWidget*>& tools) {
    auto* page = new QWidget(stack);
    auto* row = new QHBoxLayout(page);
    scaleLayout(row, {0, 0, 0, 0}, 8);
    for (QWidget* tool : tools) row->addWidget(tool);
    row->addStretch(1);
    stack->addWidget(page);
}

}  // namespace

ContextRoom::ContextRoom(RotaryModel& rotary, QWidget* parent) : RotaryRoom(rotary, QStringLiteral("context"), parent) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {12, 8, 12, 12}, 8);
    m_toolbar = makeBar();
    column->addWidget(m_toolbar);
    m_criteria = new CriteriaList(3, this);
    column->addWidget(m_criteria);
    m_words = new QLabel(this);
    m_words->setProperty("quiet", true);
    m_words->setWordWrap(true);
    m_words->setAccessibleName(tr("Summary of the figure"));
    keepLines(m_words, 2);
    column->addWidget(m_words);
    m_view = addView(tr("Context"));
    column->addWidget(m_view, 1);
    m_options = new QWidget;
    auto* options = new QVBoxLayout(m_options);
    scaleLayout(options, {0, 0, 0, 0}, 12);
    m_tuning = new TuningPanel(m_options);
    options->addWidget(m_tuning);
    m_random = new RandomPanel(m_options);
    options->addWidget(m_random);
    connect(m_tuning, &TuningPanel::changed, this, &ContextRoom::schedule);
    connect(m_random, &RandomPanel::changed, this, &ContextRoom::schedule);
    connectView();
    m_nextRound.setSingleShot(true);
    m_nextRound.setInterval(kRoundPauseMs);
    connect(&m_nextRound, &QTimer::timeout, this, &ContextRoom::continueSampling);
    for (LatestJob* job : {&m_boundJob, &m_otherBoundJob, &m_basesJob, &m_samplesJob}) {
        connect(job, &LatestJob::runningChanged, this, &ContextRoom::showBusy);
    }
    setPart(Part::bound);
}

ContextRoom::~ContextRoom() {
    if (m_options && m_options->parent() == nullptr) {
        delete m_options;
    }
}

QWidget* ContextRoom::makeBar() {
    auto* bar = new QWidget(this);
    auto* flow = new FlowLayout(bar);
    scaleLayout(flow, {0, 0, 0, 0}, 12);
    flow->addWidget(makeTabs(bar));
    flow->addWidget(makeTools(bar));
    return bar;
}

QWidget* ContextRoom::makeTabs(QWidget* parent) {
    auto* tabs = new QWidget(parent);
    auto* row = new QHBoxLayout(tabs);
    scaleLayout(row, {0, 0, 0, 0}, 4);
    auto* group = new QButtonGroup(tabs);
    for (std::size_t i = 0; i < kParts.size(); ++i) {
        auto* button = new QToolButton(tabs);
        button->setText(tr(kParts[i].title));
        button->setToolTip(tr(kParts[i].why));
        button->setAccessibleName(tr("Show %1").arg(button->text()));
        button->setCheckable(true);
        button->setFocusPolicy(Qt::TabFocus);
        group->addButton(button);
        row->addWidget(button);
        m_parts.append(button);
        connect(button, &QToolButton::clicked, this, [this, i] { setPart(static_cast<Part>(i)); });
    }
    return tabs;
}

QWidget* ContextRoom::makeTools(QWidget* parent) {
    auto* tools = new QWidget(parent);
    auto* row = new QHBoxLayout(tools);
    scaleLayout(row, {0, 0, 0, 0}, 8);
    // The stack is as wide as the widest of its pages, so that the bar wraps in the same way for every part.
    m_tools = new QStackedWidget(tools);
    m_logarithmic = new QCheckBox(tr("log axis"), m_tools);
    m_logarithmic->setChecked(true);
    m_logarithmic->setToolTip(tr("Shows the distance on a logarithmic axis."));
    connect(m_logarithmic, &QCheckBox::toggled, this, &ContextRoom::schedule);
    m_sampleAgain = new QPushButton(tr("Sample again"), m_tools);
    m_sampleAgain->setToolTip(tr("Samples other random vectors q and k, with the next seed."));
    connect(m_sampleAgain, &QPushButton::clicked, this, [this] {
        ++m_seed;
        schedule();
    });
    addToolPage(m_tools, {m_logarithmic});
    addToolPage(m_tools, makeScanTools());
    addToolPage(m_tools, {});
    addToolPage(m_tools, {m_sampleAgain});
    row->addWidget(m_tools);
    m_progress = new QProgressBar(tools);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the computation"));
    scaleWidth(m_progress, 64);
    keepSpace(m_progress);
    m_progress->hide();
    row->addWidget(m_progress);
    return tools;
}

QList<QWidget*> ContextRoom::makeScanTools() {
    m_near = new QCheckBox(tr("only near θ"), m_tools);
    m_near->setToolTip(
        tr("Scans one decade of bases around θ in steps at most a sixth of those of the whole scan, which shows narrow "
           "feasible intervals."));
    connect(m_near, &QCheckBox::toggled, this, &ContextRoom::schedule);
    m_finer = new QPushButton(tr("Refine scan"), m_tools);
    m_finer->setToolTip(
        tr("Adds one base between each two neighbours. A scan misses feasible intervals that are narrower than its "
           "step."));
    m_finer->setEnabled(false);  // until a scan is complete
    connect(m_finer, &QPushButton::clicked, this, [this] {
        m_profile.refine();
        schedule();
    });
    return {m_near, m_finer};
}

void ContextRoom::fitPage(const QSize& page) {
    // In a low window the figure comes first and has the visible part of the page; the texts are below it.
    const ThemeManager& theme = ThemeManager::instance();
    auto* column = static_cast<QVBoxLayout*>(layout());
    const bool isLow = page.height() < theme.pixels(kLowPage);
    const int place = isLow ? column->indexOf(m_toolbar) + 1 : column->count() - 1;
    if (column->indexOf(m_view) != place) {
        column->removeWidget(m_view);
        column->insertWidget(place, m_view, 1);
    }
    const QMargins margins = column->contentsMargins();
    const int toolbar = m_toolbar->heightForWidth(page.width() - margins.left() - margins.right());
    const int visible = page.height() - margins.top() - toolbar - 2 * column->spacing();
    m_view->setMinimumHeight(std::max(theme.pixels(kLowestView), isLow ? visible : 0));
}

void ContextRoom::connectView() {
    connect(m_view, &FigureView::lineDragged, this, [this](const QString&, double at) { dragContext(at); });
    const auto drop = [this] {
        m_isDragging = false;
        m_dragAxisEnd = 0;
        m_dragRange.reset();
        model().endDrag();
        schedule();
    };
    connect(m_view, &FigureView::lineDropped, this, drop);
    connect(m_view, &FigureView::pressed, this, [this](const QPointF& place) {
        m_isDragging = m_part == Part::bases && isOnMarker(place);
        if (m_isDragging) {
            m_dragRange = m_profile.range();
        }
    });
    connect(m_view, &FigureView::dragged, this, [this](const QPointF& place) {
        if (m_isDragging) {
            dragMarker(place);
        }
    });
    connect(m_view, &FigureView::released, this, [this, drop] {
        if (m_isDragging) {
            drop();
        }
    });
    connect(m_view, &FigureView::keyPressed, this, [this](int key) {
        if (m_part == Part::bases) {
            stepMarker(key);
        }
    });
}

void ContextRoom::showPart(const QString& part) {
    for (std::size_t i = 0; i < kParts.size(); ++i) {
        if (part.section(QLatin1Char('-'), 0, 0) == QLatin1String(kParts[i].id)) {
            if (static_cast<Part>(i) == Part::bases) {
                m_near->setChecked(part.endsWith(QLatin1String("-near")));
            }
            setPart(static_cast<Part>(i));
            return;
        }
    }
    QStringList parts;
    for (const auto& each : kParts) parts << QString::fromLatin1(each.id);
    throw noPart(part, parts);
}

void ContextRoom::showOnlyPart(const QString& part) {
    const bool isWhole = part.isEmpty();
    if (!isWhole) showPart(part);
    m_criteria->setVisible(isWhole);
    m_words->setVisible(isWhole);
}

QString ContextRoom::shownPart() const {
    const QString part = QString::fromLatin1(kParts[static_cast<std::size_t>(m_part)].id);
    return m_part == Part::bases && m_near->isChecked() ? part + QStringLiteral("-near") : part;
}

std::vector<RoomControl> ContextRoom::controls() {
    std::vector<RoomControl> result = RotaryRoom::controls();
    const QString target = QStringLiteral("target");
    const RoomControl context = controlOf(target, m_tuning->context());
    result.push_back(
        {target,
         [this, context](const QString& value) {
             m_tuning->hasTarget()->setChecked(value != QLatin1String("none"));
             if (value != QLatin1String("none")) context.set(value);
         },
         [this, context] { return m_tuning->hasTarget()->isChecked() ? context.value() : QStringLiteral("none"); },
         m_tuning});
    result.push_back(controlOf(QStringLiteral("mean"), m_random->mean()));
    result.push_back(controlOf(QStringLiteral("correlation"), m_random->correlation()));
    return result;
}

void ContextRoom::setPart(Part part) {
    m_part = part;
    m_parts[static_cast<int>(part)]->setChecked(true);
    m_tools->setCurrentIndex(static_cast<int>(part));
    m_random->setVisible(part == Part::random);
    explainBy(m_view, m_parts[static_cast<int>(part)]);
    explainBy(m_words, m_parts[static_cast<int>(part)]);
    m_view->setAccessibleName(tr("Context: %1").arg(tr(kParts[static_cast<std::size_t>(part)].title)));
    m_view->setReadout(readoutOf(part));
    if (part != Part::bases) {
        m_basesJob.cancel();
    }
    if (part != Part::random) {
        m_samplesJob.cancel();
        m_nextRound.stop();
    }
    schedule();
}

QString ContextRoom::words() const {
    return m_words->text();
}

void ContextRoom::changeSetup(const QString& what, const RotarySetup& setup) {
    try {
        ModelShape shape = model().shape();
        shape.name.clear();  // the setup is no longer that of the model
        model().change(what, setup, shape);
    } catch (const BadInput& error) {
        m_words->setText(QString::fromStdString(error.what()));
    }
}

void ContextRoom::dragContext(double at) {
    if (m_dragAxisEnd == 0) {
        m_dragAxisEnd = static_cast<std::int64_t>(m_view->figure().x.maximum);
    }
    RotarySetup next = model().setup();
    const double rounded = roundedDrag(std::max(1.0, at), static_cast<double>(next.context), true);
    next.context = static_cast<std::int64_t>(std::clamp(rounded, 1.0, kMaxContext));
    changeSetup(tr("change context"), next);
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
    changeSetup(tr("move base and context"), next);
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

}  // namespace ropelab::ui
