#include "ui/rooms/train/run_table.h"

#include <QPainter>
#include <QPen>
#include <algorithm>
#include <cmath>

#include "ui/common/format.h"
#include "ui/plot/distinct_names.h"
#include "ui/session/engine_lock.h"
#include "ui/session/experiment_model.h"
#include "ui/session/lab_document.h"
#include "ui/session/rotary_model.h"
#include "ui/session/run_store.h"
#include "ui/session/session_actions.h"
#include "ui/session/settings.h"
#include "ui/session/sweep_meter.h"
#include "ui/session/sweep_session.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

QPixmap lineSwatch(Ink ink) {
    const auto& manager = ThemeManager::instance();
    const QSizeF size = RunTable::swatchSize();
    constexpr qreal ratio = 2;
    QPixmap pixmap((size * ratio).toSize());
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    QPen pen(manager.theme().dataColor(ink.index, ink.shade), manager.px(2));
    pen.setCapStyle(Qt::FlatCap);
    const QList<double> dashes = Theme::dashes(ink.index, false);
    if (!dashes.isEmpty()) pen.setDashPattern(QList<qreal>(dashes.begin(), dashes.end()));
    painter.setPen(pen);
    // The margins separate the line from the check box and from the name at every window scale.
    painter.drawLine(QPointF(manager.px(8), size.height() / 2),
                     QPointF(size.width() - manager.px(4), size.height() / 2));
    return pixmap;
}

QSize RunTable::swatchSize() {
    const auto& manager = ThemeManager::instance();
    return {manager.pixels(32), manager.pixels(12)};
}

RunTable::RunTable(SessionActions& actions, RunAccess access, QObject* parent)
    : QAbstractTableModel(parent), m_actions(actions), m_access(std::move(access)), m_unit(lossUnit(QString())) {
    RunStore& store = m_access.runs;
    const auto sync = [this] {
        std::vector<const RunView*> ordered;
        for (const RunView& run : m_access.runs.runs()) ordered.push_back(&run);
        std::stable_partition(ordered.begin(), ordered.end(), [](const RunView* run) { return run->pinned; });
        std::vector<RunId> runs;
        QStringList names;
        for (const RunView* run : ordered) {
            runs.push_back(run->record.id);
            names << run->name;
        }
        m_names = listedNames(names);
        m_hasWholeNames = m_names == names;
        if (runs != m_shown) {
            beginResetModel();
            m_shown = std::move(runs);
            endResetModel();
        } else if (!runs.empty()) {
            // Only names or notes changed: without a reset, views keep the selection and an open text field.
            emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        }
    };
    connect(&store, &RunStore::reloaded, this, sync);
    sync();
    // A view resets an open text field when its cell changes, which would overwrite what the user types. Training does
    // not change names and notes, so only the columns from State to Best are reported as changed.
    connect(&store, &RunStore::runChanged, this, [this](RunId run) {
        const int row = rowOf(run);
        if (row >= 0) emit dataChanged(index(row, State), index(row, Best));
    });
    connect(&store, &RunStore::visibilityChanged, this, [this](RunId run) {
        const QModelIndex name = index(rowOf(run), Name);
        emit dataChanged(name, name, {Qt::CheckStateRole});
    });
    // The number of trained steps changes with each delivery, although runChanged() is not emitted for single steps.
    connect(&m_access.session, &SweepSession::delivered, this, [this] {
        if (rowCount() > 0) emit dataChanged(index(0, State), index(rowCount() - 1, Best));
    });
}

void RunTable::setLossUnit(const LossUnit& unit) {
    m_unit = unit;
    emit headerDataChanged(Qt::Horizontal, Last, Best);
    if (rowCount() > 0) emit dataChanged(index(0, Last), index(rowCount() - 1, Best));
}

RunId RunTable::runAt(int row) const {
    return row >= 0 && row < std::ssize(m_shown) ? m_shown[static_cast<std::size_t>(row)] : 0;
}

const RunView* RunTable::runIn(int row) const {
    return m_access.runs.find(runAt(row));
}

int RunTable::rowOf(RunId run) const {
    const auto found = std::find(m_shown.begin(), m_shown.end(), run);
    return found == m_shown.end() ? -1 : static_cast<int>(found - m_shown.begin());
}

int RunTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int RunTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RunTable::data(const QModelIndex& index, int role) const {
    const RunView* found = runIn(index.row());
    if (!found) return {};  // the run was deleted and the model is about to be reset
    const RunView& run = *found;
    const auto column = static_cast<Column>(index.column());
    if (role == Qt::DisplayRole || role == Qt::EditRole) {
        switch (column) {
            case Name:
                return role == Qt::EditRole ? QString::fromStdString(run.record.name) : m_names.value(index.row());
            case State:
                return stateText(run);
            case Last:
                return lossOf(run, run.last);
            case Best:
                return lossOf(run, run.best);
            case Note:
                return QString::fromStdString(run.record.note);
            case ColumnCount:
                break;
        }
    }
    if (role == Qt::ToolTipRole) {
        if (column == State && !run.record.message.empty()) return QString::fromStdString(run.record.message);
        if (column == Best && run.best) return tr("reached after %1 steps").arg(groupedText(run.best->iteration));
        if (column == Name) {
            return run.pinned ? tr("%1 (pinned)").arg(run.name) : run.name;
        }
    }
    if (role == Qt::DecorationRole && column == Name) return lineSwatch(run.ink);
    if (role == Qt::CheckStateRole && column == Name) return run.visible ? Qt::Checked : Qt::Unchecked;
    if (role == Qt::TextAlignmentRole && (column == Last || column == Best)) {
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role == Qt::ForegroundRole) {
        const Theme& theme = ThemeManager::instance().theme();
        if (column == State && run.record.state == RunState::failed) return theme.error;
        if (column == State || column == Note) return theme.quietText;
    }
    return {};
}

QVariant RunTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) {
        return QVariant((section == Last || section == Best ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole) {
        switch (section) {
            case Name:
                return tr(
                    "Ticked runs are plotted in the colour and dash pattern shown beside the name. F2 renames a run, "
                    "Delete deletes it.");
            case State:
                return tr("Trained steps / total steps of a run that is training, otherwise its state.");
            case Last:
                return tr("Latest validation loss in %1").arg(m_unit.name);
            case Best:
                return tr("Lowest validation loss in %1; the tooltip of a value shows its step.").arg(m_unit.name);
            case Note:
                return tr(
                    "Your note on the run. To edit it, double-click it or choose Edit > Edit note of picked run.");
            default:
                return {};
        }
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Name:
            return tr("run");
        case State:
            return tr("state");
        case Last:
            return tr("current loss");
        case Best:
            return tr("best loss");
        case Note:
            return tr("note");
        default:
            return {};
    }
}

Qt::ItemFlags RunTable::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (index.column() == Name) flags |= Qt::ItemIsUserCheckable | Qt::ItemIsEditable;
    if (index.column() == Note) flags |= Qt::ItemIsEditable;
    return flags;
}

bool RunTable::setData(const QModelIndex& index, const QVariant& value, int role) {
    const RunId run = runAt(index.row());
    if (role == Qt::CheckStateRole && index.column() == Name) {
        m_access.runs.setVisible(run, value.toInt() == Qt::Checked);
        return true;
    }
    if (role != Qt::EditRole) return false;
    if (index.column() == Name) m_actions.renameRun(run, value.toString());
    if (index.column() == Note) m_actions.annotateRun(run, value.toString());
    return true;
}

QString RunTable::lossOf(const RunView& run, const std::optional<event::Evaluated>& evaluated) const {
    if (!evaluated || (m_unit.isPerByte && !std::isfinite(run.record.bytes_per_token))) return {};
    return lossText(evaluated->validation_loss * m_unit.factor(run.record.bytes_per_token));
}

}  // namespace ropelab::ui
