#include "ui/rotary/context/context_room.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/spec/error.h"
#include "ui/experiment/flow_layout.h"
#include "ui/rotary/context/criteria_list.h"
#include "ui/rotary/context/tuning_panel.h"
#include "ui/rotary/spectrum/spectrum_data.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/scaled.h"
#include "ui/window/why.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {
namespace {

constexpr double kMostContext = 1 << 30;
constexpr double kMostTheta = 1e15;
constexpr double kGrab = 14;  // pixels at 100 %
constexpr int kRoundMs = 60;

struct PartName {
    const char* id;
    const char* title;
    const char* why;
};
// In Part's order.
constexpr std::array<PartName, 4> kParts = {{
    {"bound", QT_TRANSLATE_NOOP("ropelab::ui::ContextRoom", "Bound"),
     QT_TRANSLATE_NOOP("ropelab::ui::ContextRoom",
                       "B(m) = Σ cos(m·g_i): the base carries a context as long as this is not negative.\n"
                       "Men et al. 2024, formulas 12 and 13")},
    {"bases", QT_TRANSLATE_NOOP("ropelab::ui::ContextRoom", "Bases"),
     QT_TRANSLATE_NOOP(
         "ropelab::ui::ContextRoom",
         "Which bases carry which context, without scaling; they form islands.\nMen et al. 2024, formula 12")},
    {"decay", QT_TRANSLATE_NOOP("ropelab::ui::ContextRoom", "Decay"),
     QT_TRANSLATE_NOOP("ropelab::ui::ContextRoom",
                       "Su's bound: |Σ h_t e^{𝑖Δg_t}| ≤ max_j|h_{j+1} − h_j| · Σ|S_j|, S_j = Σ_{t<j} e^{𝑖Δg_t}; shown "
                       "is (2/d) Σ|S_j|.\nSu et al. 2021, formula 11")},
    {"random", QT_TRANSLATE_NOOP("ropelab::ui::ContextRoom", "Random"),
     QT_TRANSLATE_NOOP("ropelab::ui::ContextRoom",
                       "q, k ~ N(0, I). Independent: E[qᵀR_Δ k] = 0 at every Δ; equal: 2 Σ cos(Δ·g_i) and the "
                       "channels that do not turn.\nBarbero et al. 2024, formula 16")},
}};

}  // namespace

ContextRoom::ContextRoom(Workspace& workspace, QWidget* parent)
    : RotaryRoom(workspace, QStringLiteral("context"), parent) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {12, 8, 12, 12}, 8);
    column->addWidget(makeBar());
    m_criteria = new CriteriaList(3, this);
    column->addWidget(m_criteria);
    m_words = new QLabel(this);
    m_words->setProperty("quiet", true);
    m_words->setWordWrap(true);
    m_words->setAccessibleName(tr("What the picture says"));
    column->addWidget(m_words);
    m_view = addView(tr("Context"));
    column->addWidget(m_view, 1);
    m_tuning = new TuningPanel;
    m_options = m_tuning;
    connect(m_tuning, &TuningPanel::changed, this, &ContextRoom::schedule);
    connectView();
    m_nextRound.setSingleShot(true);
    m_nextRound.setInterval(kRoundMs);
    connect(&m_nextRound, &QTimer::timeout, this, &ContextRoom::drawOn);
    for (LatestJob* job : {&m_boundJob, &m_basesJob, &m_drawsJob}) {
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
    m_logarithmic = new QCheckBox(tr("logarithmic"), tools);
    m_logarithmic->setChecked(true);
    m_logarithmic->setToolTip(tr("The distances on a logarithmic scale."));
    connect(m_logarithmic, &QCheckBox::toggled, this, &ContextRoom::schedule);
    row->addWidget(m_logarithmic);
    m_near = new QCheckBox(tr("only around θ"), tools);
    m_near->setToolTip(
        tr("Scans one decade of bases around today's, six times as closely or more: narrow islands show."));
    connect(m_near, &QCheckBox::toggled, this, &ContextRoom::schedule);
    row->addWidget(m_near);
    m_finer = new QPushButton(tr("Finer scan"), tools);
    m_finer->setToolTip(tr("A base between each two: islands narrower than a step are missed."));
    m_finer->setEnabled(false);  // until a scan is there
    row->addWidget(m_finer);
    connect(m_finer, &QPushButton::clicked, this, [this] {
        m_profile.refine();
        schedule();
    });
    m_drawAgain = new QPushButton(tr("Draw again"), tools);
    m_drawAgain->setToolTip(tr("Other random vectors, from the next seed."));
    row->addWidget(m_drawAgain);
    connect(m_drawAgain, &QPushButton::clicked, this, [this] {
        ++m_seed;
        schedule();
    });
    m_progress = new QProgressBar(tools);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the computation"));
    scaleWidth(m_progress, 64);
    // Its place stays, so that nothing moves when it comes and goes.
    QSizePolicy policy = m_progress->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    m_progress->setSizePolicy(policy);
    m_progress->hide();
    row->addWidget(m_progress);
    return tools;
}

void ContextRoom::connectView() {
    connect(m_view, &FigureView::lineDragged, this, [this](const QString&, double at) { dragContext(at); });
    const auto drop = [this] {
        m_isDragging = false;
        m_heldEnd = 0;
        m_heldBases.reset();
        model().endDrag();
        schedule();
    };
    connect(m_view, &FigureView::lineDropped, this, drop);
    connect(m_view, &FigureView::pressed, this, [this](const QPointF& place) {
        m_isDragging = m_part == Part::bases && isOnMarker(place);
        if (m_isDragging) {
            m_heldBases = m_profile.range();
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

void ContextRoom::setPart(Part part) {
    m_part = part;
    m_parts[static_cast<int>(part)]->setChecked(true);
    m_logarithmic->setVisible(part == Part::bound);
    m_near->setVisible(part == Part::bases);
    m_finer->setVisible(part == Part::bases);
    m_drawAgain->setVisible(part == Part::random);
    explainBy(m_view, m_parts[static_cast<int>(part)]);
    explainBy(m_words, m_parts[static_cast<int>(part)]);
    m_view->setAccessibleName(tr("%1 of the context").arg(tr(kParts[static_cast<std::size_t>(part)].title)));
    if (part == Part::bases) {
        m_view->setReadout([this](QPointF place) { return basesReadout(place); });
    } else {
        m_view->setReadout({});
        m_basesJob.cancel();
    }
    if (part != Part::random) {
        m_drawsJob.cancel();
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
        shape.name.clear();  // no longer that model's
        model().change(what, setup, shape);
    } catch (const BadInput& error) {
        m_words->setText(QString::fromStdString(error.what()));
    }
}

void ContextRoom::dragContext(double at) {
    if (m_heldEnd == 0) {
        m_heldEnd = static_cast<std::int64_t>(m_view->figure().x.maximum);
    }
    RotarySetup next = model().setup();
    const double aim = aimed(std::max(1.0, at), static_cast<double>(next.context), true);
    next.context = static_cast<std::int64_t>(std::clamp(aim, 1.0, kMostContext));
    changeSetup(tr("change context"), next);
}

bool ContextRoom::isOnMarker(const QPointF& place) const {
    const RotarySetup& setup = model().setup();
    const QPointF mark = m_view->pixelOf({setup.theta, static_cast<double>(setup.context)});
    const QPointF away = m_view->pixelOf(place) - mark;
    return std::hypot(away.x(), away.y()) <= ThemeManager::instance().px(kGrab);
}

void ContextRoom::dragMarker(const QPointF& place) {
    RotarySetup next = model().setup();
    const Figure& shown = m_view->figure();
    const double theta = std::clamp(place.x(), shown.x.minimum, shown.x.maximum);
    const double context = std::clamp(place.y(), shown.y.minimum, shown.y.maximum);
    next.theta = std::clamp(aimed(theta, next.theta, false), kLeastBase, kMostTheta);
    next.context = static_cast<std::int64_t>(
        std::clamp(aimed(context, static_cast<double>(next.context), true), 1.0, kMostContext));
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

std::optional<FigureView::Readout> ContextRoom::basesReadout(QPointF place) const {
    const auto points = m_profile.points();
    if (points.empty()) {
        return std::nullopt;
    }
    const auto nearest = std::min_element(points.begin(), points.end(), [&](const auto& a, const auto& b) {
        return std::abs(std::log(a.base / place.x())) < std::abs(std::log(b.base / place.x()));
    });
    const auto less = [](const auto& a, const auto& b) { return a.reach < b.reach; };
    const auto text = [this](const BaseProfile::Point& point) {
        const QString reach = tokensText(static_cast<double>(point.reach));
        return point.reach >= m_profile.range().limit ? tr("%1 tokens or more").arg(reach) : tr("%1 tokens").arg(reach);
    };
    FigureView::Readout result;
    result.x = nearest->base;
    result.title = tr("base %1").arg(thetaText(std::round(nearest->base)));
    result.rows.append({tr("carries"), text(*nearest)});
    result.rows.append({tr("best base up to here"), text(*std::max_element(points.begin(), nearest + 1, less))});
    result.rows.append({tr("every base from here on"), text(*std::min_element(nearest, points.end(), less))});
    return result;
}

}  // namespace ropelab::ui
