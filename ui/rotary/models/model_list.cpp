#include "ui/rotary/models/model_list.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/theme/theme_manager.h"
#include "ui/window/format.h"

namespace ropelab::ui {
namespace {

QString whyOf(ModelList::Column column) {
    switch (column) {
        case ModelList::Name:
            return QObject::tr("The model; what was imported stands on top.");
        case ModelList::Theta:
            return QObject::tr("Rope theta b: pair i turns by b^(−2i/d_r) radians a token. Su et al. 2021, formula 3");
        case ModelList::Base:
            return QObject::tr(
                "b_eff, the base that rotating the whole head would need for the same fast pairs: θ^(d/d_r) where a "
                "fraction is a slice, θ itself where it truncates the whole head's spectrum. It makes models of "
                "different fractions comparable. Formula 5");
        case ModelList::Fraction:
            return QObject::tr("Share of a head's channels that turn.");
        case ModelList::Rotated:
            return QObject::tr("Rotary dimension d_r of the head dimension d, in channels.");
        case ModelList::Context:
            return QObject::tr("The longest context that the model is meant for, in tokens.");
        case ModelList::Scaled:
            return QObject::tr(
                "How its frequencies are changed for a longer context, and the factor s. Formulas 18 to 24");
        case ModelList::Layers:
            return QObject::tr("Kinds of layers with rotary settings of their own; the other columns show the first.");
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
            return baseText(wholeHeadBase(setup));
        case ModelList::Fraction:
            return fractionText(setup);
        case ModelList::Rotated:
            return QStringLiteral("%1 / %2").arg(entry.rotary(0).rotary_dim).arg(setup.head_dim);
        case ModelList::Context:
            return groupedText(setup.context);
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
            const double base = wholeHeadBase(setup);
            return std::isnan(base) ? -std::numeric_limits<double>::infinity() : base;
        }
        case ModelList::Fraction:
            return setup.fraction;
        case ModelList::Rotated:
            return entry.rotary(0).rotary_dim;
        case ModelList::Context:
            return static_cast<qlonglong>(setup.context);
        default:
            return cellText(entry, column);
    }
}

bool isNumber(int column) {
    return column >= ModelList::Theta && column <= ModelList::Context;
}

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
    if (role == sortRole) {
        return sortValue(model, column);
    }
    if (role == Qt::ToolTipRole && column == Name) {
        return model.isImported ? tr("%1, imported").arg(model.name) : model.name;
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
        return whyOf(static_cast<Column>(section));
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    const QString titles[] = {tr("model"),   tr("θ"),       tr("b_eff"),   tr("rotated"),
                              tr("d_r / d"), tr("context"), tr("scaling"), tr("layer types")};
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
    const QVariant a = left.data(ModelList::sortRole);
    const QVariant b = right.data(ModelList::sortRole);
    if (a.typeId() == QMetaType::QString) {
        return a.toString().compare(b.toString(), Qt::CaseInsensitive) < 0;
    }
    return a.toDouble() < b.toDouble();
}

}  // namespace ropelab::ui
