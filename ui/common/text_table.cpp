#include "ui/common/text_table.h"

#include <algorithm>

#include "ui/common/results_words.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

namespace {

QVariant colorOf(TextTable::Tone tone) {
    const Theme& theme = ThemeManager::instance().theme();
    switch (tone) {
        case TextTable::Tone::normal:
            return {};
        case TextTable::Tone::quiet:
            return theme.quietText;
        case TextTable::Tone::success:
            return theme.success;
        case TextTable::Tone::warning:
            return theme.warning;
        case TextTable::Tone::error:
            return theme.error;
    }
    return {};
}

}  // namespace

TextTable::TextTable(QObject* parent) : QAbstractTableModel(parent) {
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    });
}

void TextTable::setContent(Content content) {
    const bool isSameShape =
        content.rows.size() == m_content.rows.size() &&
        std::equal(content.columns.begin(), content.columns.end(), m_content.columns.begin(), m_content.columns.end(),
                   [](const Column& a, const Column& b) { return a.title == b.title; });
    if (!isSameShape) beginResetModel();
    m_content = std::move(content);
    if (!isSameShape) {
        endResetModel();
    } else if (rowCount() > 0) {
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

int TextTable::columnOf(const QString& title) const {
    const auto& columns = m_content.columns;
    const auto found =
        std::find_if(columns.begin(), columns.end(), [&](const Column& column) { return column.title == title; });
    return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

int TextTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_content.rows.size());
}

int TextTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_content.columns.size());
}

QVariant TextTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const auto column = static_cast<std::size_t>(index.column());
    const Cell& cell = m_content.rows[static_cast<std::size_t>(index.row())][column];
    switch (role) {
        case Qt::DisplayRole:
            return withUnbreakablePercent(cell.text);
        case Qt::ToolTipRole:
            return cell.tip.isEmpty() ? QVariant() : QVariant(cell.tip);
        case Qt::TextAlignmentRole:
            return QVariant((m_content.columns[column].isWord ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case Qt::ForegroundRole:
            return colorOf(cell.tone);
        default:
            return {};
    }
}

QVariant TextTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Column& column = m_content.columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) return column.title;
    if (role == Qt::ToolTipRole) return column.why;
    if (role == Qt::TextAlignmentRole) {
        return QVariant((column.isWord ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    return {};
}

}  // namespace ropelab::ui
