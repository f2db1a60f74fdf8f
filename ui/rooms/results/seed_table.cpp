#include "ui/rooms/results/seed_table.h"

#include <QPixmap>
#include <algorithm>
#include <cmath>

#include "core/results/results_cells.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"
#include "ui/rooms/results/group_table.h"
#include "ui/session/run_store.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

SeedTable::SeedTable(RunStore& runs, QObject* parent) : QAbstractTableModel(parent), m_runStore(runs) {}

void SeedTable::setGroup(const Results& results, int group) {
    std::vector<Row> rows = rowsOf(results, group);
    std::vector<std::size_t> shown = measured(results.table);
    const auto compared = std::find(shown.begin(), shown.end(), results.table.compared);
    if (compared != shown.end()) std::rotate(shown.begin(), compared, compared + 1);
    const bool hasTarget = results.table.target_loss.has_value();
    const bool same = shown == m_measures && hasTarget == m_hasTarget &&
                      std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(),
                                 [](const Row& a, const Row& b) { return a.run == b.run; });
    if (!same) beginResetModel();
    m_rows = std::move(rows);
    m_measures = std::move(shown);
    m_hasTarget = hasTarget;
    if (!same) {
        endResetModel();
    } else if (!m_rows.empty()) {
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

std::vector<SeedTable::Row> SeedTable::rowsOf(const Results& results, int group) {
    std::vector<Row> rows;
    if (group < 0 || group >= static_cast<int>(results.table.groups.size())) return rows;
    const ResultGroup& shown = results.table.groups[static_cast<std::size_t>(group)];
    for (const std::size_t member : shown.members) {
        Row& row = rows.emplace_back();
        row.run = results.runAt(member);
        const auto found = std::find(shown.counted.begin(), shown.counted.end(), member);
        row.counts = found != shown.counted.end();
        if (!row.counts) continue;
        const auto place = static_cast<std::size_t>(found - shown.counted.begin());
        row.summary = shown.summaries[place];
        row.until = results.table.target_loss ? shown.iterations_until[place] : std::nan("");
    }
    return rows;
}

int SeedTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int SeedTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : nameColumn() + 1;
}

int SeedTable::untilColumn() const {
    return m_hasTarget ? 1 + static_cast<int>(m_measures.size()) : -1;
}

int SeedTable::stateColumn() const {
    return 1 + static_cast<int>(m_measures.size()) + (m_hasTarget ? 1 : 0);
}

QString SeedTable::text(const Row& row, int column) const {
    const RunView* run = m_runStore.find(row.run);
    if (!run) return {};
    if (column == nameColumn()) return run->name;
    if (column == kSeedColumn) return QString::number(run->spec.seed);
    if (column == stateColumn()) return row.counts ? stateText(*run) : tr("%1, excluded").arg(stateText(*run));
    if (!row.summary) return QStringLiteral("–");
    if (column == untilColumn()) {
        return std::isfinite(row.until) ? groupedText(std::llround(row.until)) : tr("never");
    }
    const auto place = static_cast<std::size_t>(column - 1);
    const Measure& measure = measures()[m_measures[place]];
    return QString::fromStdString(fixed_text(measure.of(*row.summary), measure.decimals));
}

QVariant SeedTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return text(row, index.column());
        case Qt::ToolTipRole: {
            const RunView* run = m_runStore.find(row.run);
            if (!run) return {};
            if (index.column() == stateColumn() && !run->record.message.empty()) {
                return QString::fromStdString(run->record.message);
            }
            return index.column() == nameColumn() ? run->name : QString();
        }
        case Qt::DecorationRole:
            if (const RunView* run = m_runStore.find(row.run); run && index.column() == kSeedColumn) {
                return QVariant(colorDisc(run->ink));
            }
            return {};
        case Qt::TextAlignmentRole:
            return QVariant((isWord(index.column()) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case Qt::ForegroundRole:
            return row.counts ? QVariant() : QVariant(ThemeManager::instance().theme().quietText);
        default:
            return {};
    }
}

QVariant SeedTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section >= columnCount()) return {};
    if (role == Qt::TextAlignmentRole) {
        return QVariant((isWord(section) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    const bool isMeasure = section > kSeedColumn && section <= static_cast<int>(m_measures.size());
    if (role == Qt::ToolTipRole) {
        if (section == stateColumn()) {
            return tr(
                "Runs are excluded from the means if they are unfinished, failed, replaced by a later run with the "
                "same seed, or excluded by the context menu.");
        }
        return isMeasure ? measureWhy(measures()[m_measures[static_cast<std::size_t>(section - 1)]]) : QString();
    }
    if (role != Qt::DisplayRole) return {};
    if (section == kSeedColumn) return tr("seed");
    if (section == stateColumn()) return tr("state");
    if (section == nameColumn()) return tr("run");
    if (section == untilColumn()) return tr("steps to\ntarget loss");
    const Measure& measure = measures()[m_measures[static_cast<std::size_t>(section - 1)]];
    return tr("%1\n(%2)").arg(measureTitle(measure), measureUnit(measure));
}

}  // namespace ropelab::ui
