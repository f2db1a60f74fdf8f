#include "ui/models/model_views.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QMenu>
#include <QStringList>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/figure/figure_caption.h"
#include "ui/figure/ticks.h"
#include "ui/models/model_entry.h"
#include "ui/shell/figure_table.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

QString columnTooltip(ModelList::Column column) {
    switch (column) {
        case ModelList::Name:
            return u"Name of the model. Models that you opened from a config.json are at the top."_s;
        case ModelList::Theta:
            return u"RoPE base θ: pair i rotates by θ^(−2i/d_r) radians per token. Su et al. 2021; formula 3 of the guide"_s;
        case ModelList::Base:
            return u"The effective base b_eff is the base at which a fully rotated head has the same high "
                   "frequencies: θ^(d/d_r) if the frequencies are spread over the rotated channels (slice), θ if "
                   "they are truncated. The effective base makes models with different rotated fractions "
                   "comparable. Formula 5 of the guide"_s;
        case ModelList::Fraction:
            return u"Rotary fraction: the part of a head's channels that RoPE rotates."_s;
        case ModelList::Rotated:
            return u"Rotary dimension d_r / head dimension d, in channels."_s;
        case ModelList::Context:
            return u"Maximum context length of the model, in tokens."_s;
        case ModelList::Parameters:
            return u"Number of parameters of the model. In a mixture of experts, active parameters are those that "
                   "process one token. The page Anatomy lists the parameters of each step of the computation."_s;
        case ModelList::Scaled:
            return u"RoPE scaling method, which changes the frequencies for a context that is s times as long. "
                   "Formulas 18 to 24 of the guide"_s;
        case ModelList::Layers:
            return u"Types of layers that have their own RoPE settings. The other columns show the settings of the "
                   "first type."_s;
        case ModelList::ColumnCount:
            break;
    }
    return {};
}

QString cellText(const ModelEntry& entry, ModelList::Column column) {
    const RotarySetup& setup = entry.rotary(0).setup;
    switch (column) {
        case ModelList::Name:
            return entry.name;
        case ModelList::Theta:
            return baseText(setup.theta);
        case ModelList::Base:
            return baseText(effectiveBase(setup));
        case ModelList::Fraction:
            return fractionText(setup);
        case ModelList::Rotated:
            return u"%1 / %2"_s.arg(entry.rotary(0).rotary_dim).arg(setup.head_dim);
        case ModelList::Context:
            return groupedText(setup.context);
        case ModelList::Parameters:
            return entry.parametersText();
        case ModelList::Scaled:
            return scalingText(setup);
        case ModelList::Layers:
            return layerTypesText(entry.model);
        case ModelList::ColumnCount:
            break;
    }
    return {};
}

QVariant sortValue(const ModelEntry& entry, ModelList::Column column) {
    const RotarySetup& setup = entry.rotary(0).setup;
    switch (column) {
        case ModelList::Theta:
            return setup.theta;
        case ModelList::Base: {
            const double base = effectiveBase(setup);
            return std::isnan(base) ? -std::numeric_limits<double>::infinity() : base;
        }
        case ModelList::Fraction:
            return setup.fraction;
        case ModelList::Rotated:
            return entry.rotary(0).rotary_dim;
        case ModelList::Context:
            return static_cast<qlonglong>(setup.context);
        case ModelList::Parameters:
            return static_cast<qlonglong>(entry.totals.parameters.value_or(0));
        default:
            return cellText(entry, column);
    }
}

bool isNumber(int column) {
    return column >= ModelList::Theta && column <= ModelList::Parameters;
}

constexpr double kHoverRadius = 12;  // pixels at 100 %
constexpr int kMaxNames = 12;

}  // namespace

ModelList::ModelList(QObject* parent) : QAbstractTableModel(parent), m_entries(knownModels()) {}

void ModelList::import(ModelEntry entry) {
    const auto earlier = std::find_if(m_entries.begin(), m_entries.end(), [&](const ModelEntry& other) {
        return other.isImported && other.source == entry.source;
    });
    if (earlier != m_entries.end()) {
        const int row = static_cast<int>(earlier - m_entries.begin());
        beginRemoveRows({}, row, row);
        m_entries.erase(earlier);
        endRemoveRows();
    }
    beginInsertRows({}, 0, 0);
    m_entries.insert(m_entries.begin(), std::move(entry));
    endInsertRows();
}

int ModelList::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

int ModelList::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ModelList::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const ModelEntry& model = entry(index.row());
    const auto column = static_cast<Column>(index.column());
    if (role == Qt::DisplayRole) {
        return cellText(model, column);
    }
    if (role == kSortRole) {
        return sortValue(model, column);
    }
    if (role == Qt::ToolTipRole && column == Name) {
        return model.isImported ? u"%1, imported"_s.arg(model.name) : model.name;
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant((isNumber(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role == Qt::FontRole && column == Name && model.isImported) {
        return ThemeManager::instance().fontAt(10.5, QFont::DemiBold);
    }
    return {};
}

QVariant ModelList::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::ToolTipRole) {
        return columnTooltip(static_cast<Column>(section));
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    const QString titles[] = {u"model"_s,   u"θ"_s,          u"b_eff"_s,   u"fraction"_s,     u"d_r / d"_s,
                              u"context"_s, u"parameters"_s, u"scaling"_s, u"RoPE by layer"_s};
    static_assert(std::size(titles) == ColumnCount);
    return titles[section];
}

void SortedModels::search(const QString& words) {
    m_words = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

bool SortedModels::filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const {
    QString row;
    for (int column = 0; column < sourceModel()->columnCount(sourceParent); ++column) {
        row += sourceModel()->index(sourceRow, column, sourceParent).data().toString() + QLatin1Char(' ');
    }
    return std::all_of(m_words.begin(), m_words.end(),
                       [&](const QString& word) { return row.contains(word, Qt::CaseInsensitive); });
}

bool SortedModels::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const auto* list = static_cast<const ModelList*>(sourceModel());
    const bool leftOnTop = list->entry(left.row()).isImported;
    const bool rightOnTop = list->entry(right.row()).isImported;
    if (leftOnTop != rightOnTop) {
        return sortOrder() == Qt::AscendingOrder ? leftOnTop : rightOnTop;
    }
    const QVariant a = left.data(ModelList::kSortRole);
    const QVariant b = right.data(ModelList::kSortRole);
    if (a.typeId() == QMetaType::QString) {
        return a.toString().compare(b.toString(), Qt::CaseInsensitive) < 0;
    }
    return a.toDouble() < b.toDouble();
}

ModelScatter::ModelScatter(QWidget* parent)
    : QWidget(parent), m_quantity(new QComboBox(this)), m_view(new FigureView(this)) {
    m_quantity->setAccessibleName(u"Quantity of the vertical axis"_s);
    m_quantity->setToolTip(
        u"The effective base b_eff is the base at which a fully rotated head has the same high frequencies (formula 5 "
        "of the guide). The slowest wavelength is λ = 2π/g of the rotated pair with the lowest frequency g, before "
        "scaling."_s);
    for (const MapQuantity quantity : {MapQuantity::base, MapQuantity::theta, MapQuantity::wavelength}) {
        m_quantity->addItem(titleOf(quantity), static_cast<int>(quantity));
    }
    m_view->setAccessibleName(u"Map of the models"_s);
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
        menu->addAction(u"Copy caption"_s, this,
                        [this] { QGuiApplication::clipboard()->setText(captionOf(m_view->figure())); });
        menu->addAction(u"Show as table"_s, this, openTable);
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
        const QString scaling = isScaled ? u", "_s + scalingText(model.setup) : QString();
        lines << u"%1: %2%3"_s.arg(model.name, fractionText(model.setup), scaling);
    }
    if (here.size() > kMaxNames) {
        lines << u"and %1 more"_s.arg(here.size() - kMaxNames);
    }
    const RotarySetup& first = m_points[static_cast<std::size_t>(here.first())].setup;
    const double value = quantityOf(first, quantity());
    const QString context = groupedText(first.context);
    switch (quantity()) {
        case MapQuantity::base:
            lines << u"context %1 tokens, b_eff %2"_s.arg(context, baseText(value));
            break;
        case MapQuantity::theta:
            lines << u"context %1 tokens, θ %2"_s.arg(context, baseText(value));
            break;
        case MapQuantity::wavelength:
            lines << u"context %1 tokens, slowest λ %2 tokens"_s.arg(context, readableCount(std::round(value)));
            break;
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace ropelab::ui

#include "moc_model_views.cpp"
