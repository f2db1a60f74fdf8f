#include "ui/models/model_scatter.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QMenu>
#include <QStringList>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/common/figure_table.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/figure/figure_caption.h"
#include "ui/figure/ticks.h"
#include "ui/models/model_entry.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

constexpr double kHoverRadius = 12;  // pixels at 100 %
constexpr int kMaxNames = 12;

}  // namespace

ModelScatter::ModelScatter(QWidget* parent)
    : QWidget(parent), m_quantity(new QComboBox(this)), m_view(new FigureView(this)) {
    m_quantity->setAccessibleName(tr("Quantity of the vertical axis"));
    m_quantity->setToolTip(tr(
        "The effective base b_eff is the base at which a fully rotated head has the same fast pairs (formula 5). The "
        "slowest wavelength is λ = 2π/g of the slowest rotated pair, before scaling."));
    for (const MapQuantity quantity : {MapQuantity::base, MapQuantity::theta, MapQuantity::wavelength}) {
        m_quantity->addItem(titleOf(quantity), static_cast<int>(quantity));
    }
    m_view->setAccessibleName(tr("Map of the models"));
    connect(m_quantity, &QComboBox::currentIndexChanged, this, &ModelScatter::renew);
    m_view->setReadout([](QPointF) { return std::optional<FigureView::Readout>(); });  // the tooltip replaces it
    connect(m_view, &FigureView::clicked, this, [this](const QPointF& place) { pickAt(m_view->pixelOf(place)); });
    connect(m_view, &FigureView::hovered, this, [this](const QPointF& place) { showTooltip(m_view->pixelOf(place)); });
    connect(m_view, &FigureView::left, this, [] { QToolTip::hideText(); });
    const auto openTable = [this] { (new FigureTableWindow(m_view->figure(), window()))->show(); };
    connect(m_view, &FigureView::keyPressed, this, [openTable](int key) {
        if (key == Qt::Key_F2) openTable();
    });
    connect(m_view, &FigureView::contextMenuRequested, this, [this, openTable](const QPoint& where) {
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addAction(tr("Copy caption"), this,
                        [this] { QGuiApplication::clipboard()->setText(captionOf(m_view->figure())); });
        menu->addAction(tr("Show as table"), this, openTable);
        menu->popup(where);
    });

    auto* column = scaledColumn(this, 8, {8, 0, 0, 0});
    column->addWidget(m_quantity, 0, Qt::AlignLeft);
    column->addWidget(m_view, 1);
}

MapQuantity ModelScatter::quantity() const {
    return static_cast<MapQuantity>(m_quantity->currentData().toInt());
}

void ModelScatter::show(std::vector<MapPoint> points, const RotarySetup& current, int picked) {
    m_points = std::move(points);
    m_current = current;
    m_picked = picked;
    renew();
}

void ModelScatter::renew() {
    m_view->setFigure(modelMapFigure(m_points, m_current, quantity(), m_picked));
}

QPointF ModelScatter::pixelOf(const RotarySetup& setup) const {
    return m_view->pixelOf({static_cast<double>(setup.context), quantityOf(setup, quantity())});
}

QList<int> ModelScatter::pointsAt(const QPointF& pixel) const {
    double nearest = ThemeManager::instance().px(kHoverRadius);
    QPointF spot;
    QList<int> found;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const RotarySetup& setup = m_points[i].setup;
        const QPointF here(static_cast<double>(setup.context), quantityOf(setup, quantity()));
        if (!std::isfinite(here.y())) {
            continue;
        }
        const QPointF away = m_view->pixelOf(here) - pixel;
        const double distance = std::hypot(away.x(), away.y());
        if (!found.isEmpty() && here == spot) {
            found.append(static_cast<int>(i));
        } else if (distance < nearest) {
            nearest = distance;
            spot = here;
            found = {static_cast<int>(i)};
        }
    }
    return found;
}

void ModelScatter::pickAt(const QPointF& pixel) {
    const QList<int> here = pointsAt(pixel);
    if (!here.isEmpty()) {
        emit picked(here[(here.indexOf(m_picked) + 1) % here.size()]);
    }
}

void ModelScatter::showTooltip(const QPointF& pixel) {
    const QString text = tooltipText(pixel);
    if (text.isEmpty()) {
        QToolTip::hideText();
    } else {
        QToolTip::showText(m_view->mapToGlobal(pixel).toPoint(), text, m_view);
    }
}

QString ModelScatter::tooltipText(const QPointF& pixel) const {
    const QList<int> here = pointsAt(pixel);
    if (here.isEmpty()) {
        return {};
    }
    QStringList lines;
    for (const int point : here.first(std::min<qsizetype>(here.size(), kMaxNames))) {
        const MapPoint& model = m_points[static_cast<std::size_t>(point)];
        const bool isScaled = model.setup.scaling.method != ScalingMethod::none;
        const QString scaling = isScaled ? QStringLiteral(", ") + scalingText(model.setup) : QString();
        lines << QStringLiteral("%1: %2%3").arg(model.name, fractionText(model.setup), scaling);
    }
    if (here.size() > kMaxNames) {
        lines << tr("and %1 more").arg(here.size() - kMaxNames);
    }
    const RotarySetup& first = m_points[static_cast<std::size_t>(here.first())].setup;
    const double value = quantityOf(first, quantity());
    const QString context = groupedText(first.context);
    switch (quantity()) {
        case MapQuantity::base:
            lines << tr("context %1 tokens, b_eff %2").arg(context, baseText(value));
            break;
        case MapQuantity::theta:
            lines << tr("context %1 tokens, θ %2").arg(context, baseText(value));
            break;
        case MapQuantity::wavelength:
            lines << tr("context %1 tokens, slowest λ %2 tokens").arg(context, readableCount(std::round(value)));
            break;
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace ropelab::ui
