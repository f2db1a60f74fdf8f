#include "ui/models/model_list.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/common/format.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

QString columnTooltip(ModelList::Column column) {
    switch (column) {
        case ModelList::Name:
            return QObject::tr("The column shows the model's name. Imported models are at the top.");
        case ModelList::Theta:
            return QObject::tr(
                "RoPE base θ: pair i rotates by θ^(−2i/d_r) radians per token. Su et al. 2021, formula 3");
        case ModelList::Base:
            return QObject::tr(
                "The effective base b_eff is the base at which a fully rotated head has the same fast pairs: θ^(d/d_r) "
                "for a slice, θ for a truncated head. It makes models with different rotated fractions comparable. "
                "Formula 5");
        case ModelList::Fraction:
            return QObject::tr("This fraction of a head's channels is rotated.");
        case ModelList::Rotated:
            return QObject::tr("d_r is the rotary dimension and d is the head dimension, in channels.");
        case ModelList::Context:
            return QObject::tr("The model has this maximum context length, in tokens.");
        case ModelList::Parameters:
            return QObject::tr(
                "The model has this number of parameters. In a mixture of experts, the active ones are those that "
                "process a token. The Anatomy room lists them by stage.");
        case ModelList::Scaled:
            return QObject::tr(
                "The scaling method changes the frequencies for a context that is s times as long. "
                "Formulas 18 to 24");
        case ModelList::Layers:
            return QObject::tr(
                "Types of layers with RoPE settings of their own. The other columns show those of the first type.");
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
            return QStringLiteral("%1 / %2").arg(entry.rotary(0).rotary_dim).arg(setup.head_dim);
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
        return columnTooltip(static_cast<Column>(section));
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    const QString titles[] = {tr("model"),   tr("θ"),          tr("b_eff"),   tr("fraction"),     tr("d_r / d"),
                              tr("context"), tr("parameters"), tr("scaling"), tr("RoPE by layer")};
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

}  // namespace ropelab::ui
