#include "ui/rooms/train/run_list.h"

#include <QCoreApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QPen>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/interop/model_export.h"
#include "core/settings/run_names.h"
#include "ui/common/format.h"
#include "ui/common/paths.h"
#include "ui/figure/ticks.h"
#include "ui/plot/distinct_names.h"
#include "ui/rooms/train/head_conversion_dialog.h"
#include "ui/session/engine_work.h"
#include "ui/session/experiment_model.h"
#include "ui/session/rotary_model.h"
#include "ui/shell/setting_name_dialog.h"
#include "ui/theme/dialogs.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// "" if the model of the run can be exported.
QString whyNoModelExport(const RunView& run, const RunAccess& access) {
    if (access.session.isTraining(run.record.id))
        return u"This run is training; its model can be exported after it has ended."_s;
    const LabFile* lab = access.lab.file();
    if (!lab) return u"The lab has no runs whose model could be exported."_s;
    const RunCheckpoint checkpoint = checkpointOfRun(*lab, run.record.id);
    std::error_code error;
    return std::filesystem::exists(checkpoint.path, error) ? QString()
                                                           : QString::fromStdString(whyNoCheckpoint(checkpoint));
}

}  // namespace

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
    connect(&store, &RunStore::visibilityChanged, this, [this](const std::vector<RunId>& runs) {
        const bool isOne = runs.size() == 1;
        const int row = isOne ? rowOf(runs.front()) : 0;
        emit dataChanged(index(row, Name), index(isOne ? row : rowCount() - 1, Name), {Qt::CheckStateRole});
    });
    // The number of trained steps changes with each delivery, although runChanged() is not emitted for single steps.
    connect(&m_access.session, &SweepSession::delivered, this, [this] {
        if (rowCount() > 0) emit dataChanged(index(0, State), index(rowCount() - 1, Best));
        emit headerDataChanged(Qt::Horizontal, Last, Last);
    });
}

void RunTable::setLossUnit(const LossUnit& unit) {
    m_unit = unit;
    emit headerDataChanged(Qt::Horizontal, Last, Best);
    if (rowCount() > 0) emit dataChanged(index(0, Last), index(rowCount() - 1, Best));
}

void RunTable::showValues(const QString& title, const std::function<double(RunId)>& value) {
    if (title.isEmpty() && m_valuesTitle.isEmpty()) return;
    m_valuesTitle = title;
    m_values.clear();
    for (const RunId run : m_shown) {
        if (!title.isEmpty()) m_values[run] = value(run);
    }
    emit headerDataChanged(Qt::Horizontal, Last, Last);
    if (rowCount() > 0) emit dataChanged(index(0, Last), index(rowCount() - 1, Last));
}

int RunTable::rowOf(RunId run) const {
    const auto found = std::find(m_shown.begin(), m_shown.end(), run);
    return found == m_shown.end() ? -1 : static_cast<int>(found - m_shown.begin());
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
                if (const auto at = m_values.find(run.record.id); at != m_values.end()) {
                    return std::isfinite(at->second) ? readableNumber(at->second) : QString();
                }
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
        if (column == Last && run.last && m_valuesTitle.isEmpty())
            return u"after %1 training steps"_s.arg(groupedText(run.last->iteration));
        if (column == Best && run.best)
            return u"lowest loss, reached after %1 training steps"_s.arg(groupedText(run.best->iteration));
        if (column == Name) {
            return run.pinned ? u"%1 (pinned)"_s.arg(run.name) : run.name;
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
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    const auto either = [role](const QString& title, const QString& meaning) {
        return role == Qt::DisplayRole ? title : meaning;
    };
    switch (section) {
        case Name:
            return either(u"run"_s,
                          u"Name of the run. Ticked runs are plotted in the colour and dash pattern shown beside the "
                          "name. F2 renames the selected run, the Delete key deletes the run."_s);
        case State:
            return either(u"state"_s, u"State of the run; while it trains, trained steps / total steps."_s);
        case Last:
            return either(m_valuesTitle.isEmpty() ? currentTitle() : m_valuesTitle,
                          u"Latest validation loss of the run in %1"_s.arg(m_unit.name));
        case Best:
            return either(
                u"best loss"_s,
                u"Lowest validation loss of the run in %1; the tooltip of a value shows its training step."_s.arg(
                    m_unit.name));
        case Note:
            return either(u"note"_s,
                          u"Your note on the run. To edit the note, double-click it or choose Edit > Edit note of "
                          "selected run."_s);
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

QString RunTable::currentTitle() const {
    std::optional<std::int64_t> step;
    for (const RunView& run : m_access.runs.runs()) {
        if (!run.visible || !run.last) continue;
        if (step.value_or(run.last->iteration) != run.last->iteration) return u"current loss"_s;
        step = run.last->iteration;
    }
    return step ? u"loss at step %1"_s.arg(groupedText(*step)) : u"current loss"_s;
}

QString RunTable::lossOf(const RunView& run, const std::optional<event::Evaluated>& evaluated) const {
    if (!evaluated || (m_unit.isPerByte && !std::isfinite(run.record.bytes_per_token))) return {};
    return lossText(evaluated->validation_loss * m_unit.factor(run.record.bytes_per_token));
}

namespace {

// Widths in pixels at a window scale of 100 %.
constexpr int kMinNameWidth = 150;
constexpr int kMaxNameWidth = 460;
constexpr int kMinNoteWidth = 60;
constexpr int kMaxComparisons = 40;  // entries of the menu of runs to compare with

}  // namespace

RunList::RunList(SessionActions& actions, RunAccess access, QWidget* parent)
    : QTreeView(parent),
      m_actions(actions),
      m_access(std::move(access)),
      m_table(new RunTable(m_actions, m_access, this)) {
    setModel(m_table);
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setMouseTracking(true);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::DoubleClicked);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    // Full names may differ at both ends, so they are elided in the middle. Shortened names begin with what differs.
    const auto setElideMode = [this] { setTextElideMode(m_table->hasWholeNames() ? Qt::ElideMiddle : Qt::ElideRight); };
    connect(m_table, &QAbstractItemModel::modelReset, this, setElideMode);
    setElideMode();
    setAccessibleName(u"Runs"_s);
    setProperty("runs", true);
    header()->setSectionsMovable(false);
    header()->setHighlightSections(false);
    header()->setStretchLastSection(false);
    setContextMenuPolicy(Qt::CustomContextMenu);
    connect(this, &QWidget::customContextMenuRequested, this, &RunList::showMenu);
    connect(this, &QAbstractItemView::entered, this,
            [this](const QModelIndex& index) { emit runHovered(m_table->runAt(index.row())); });
    // A list that gets the focus makes its first row the current one without selecting it; that picks no run.
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (picked() == 0) return;
        m_keep = picked();
        emit runPicked(m_keep);
    });
    connect(m_table, &QAbstractItemModel::modelReset, this, [this] {
        fitStates();
        fitColumns();
    });
    connect(m_table, &QAbstractItemModel::modelReset, this, [this] {
        if (m_table->rowOf(m_keep) >= 0) pick(m_keep);
    });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &RunList::restyle);
    restyle();
}

RunId RunList::picked() const {
    const QModelIndexList rows = selectionModel()->selectedRows();
    return rows.isEmpty() ? 0 : m_table->runAt(rows.first().row());
}

void RunList::pick(RunId run) {
    const int row = m_table->rowOf(run);
    if (row < 0) {
        clearSelection();
    } else if (run != picked()) {
        setCurrentIndex(m_table->index(row, RunTable::Name));
    }
}

void RunList::rename(RunId run) {
    edit(m_table->index(m_table->rowOf(run), RunTable::Name));
}

void RunList::renameSetting(RunId id) {
    const RunView* run = m_access.runs.find(id);
    if (!run) return;
    // The name that the program gives the setting among those of the lab.
    std::vector<RunSpec> specs;
    std::size_t place = 0;
    std::set<std::string> seen;
    for (const RunView& each : m_access.runs.runs()) {
        if (!seen.insert(each.setting).second) continue;
        if (each.setting == run->setting) place = specs.size();
        specs.push_back(each.spec);
        specs.back().seed = RunSpec{}.seed;
    }
    openSettingName(
        QString::fromStdString(run_names(specs)[place]), QString::fromStdString(run->settingName),
        [this, setting = run->setting](const QString& typed) { m_actions.renameSetting(setting, typed); }, this);
}

void RunList::annotate(RunId run) {
    const QModelIndex index = m_table->index(m_table->rowOf(run), RunTable::Note);
    scrollTo(index);
    edit(index);
}

void RunList::leaveEvent(QEvent* event) {
    QTreeView::leaveEvent(event);
    emit runHovered(0);
}

void RunList::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Delete && picked() != 0) {
        m_actions.deleteRun(picked());
        return;
    }
    QTreeView::keyPressEvent(event);
}

QSize RunList::sizeHint() const {
    return {ThemeManager::instance().pixels(440), ThemeManager::instance().pixels(180)};
}

void RunList::resizeEvent(QResizeEvent* event) {
    QTreeView::resizeEvent(event);
    fitColumns();
}

void RunList::fitStates() {
    const auto& runs = m_access.runs.runs();
    const bool hasRungs = std::any_of(runs.begin(), runs.end(), [](const RunView& run) { return !run.rungs.empty(); });
    // "stopped at rung 2 of 4, 1,000 steps" is the longest state of a sweep with rungs.
    header()->resizeSection(RunTable::State, ThemeManager::instance().pixels(hasRungs ? 232 : 104));
}

void RunList::fitColumns() {
    const auto& manager = ThemeManager::instance();
    // The name and note columns share the width that the other columns leave. If it is too narrow, the list scrolls.
    int left = viewport()->width();
    for (const int column : {RunTable::State, RunTable::Last, RunTable::Best}) left -= header()->sectionSize(column);
    const int note = manager.pixels(kMinNoteWidth);
    const int name = std::clamp(left - note, manager.pixels(kMinNameWidth), manager.pixels(kMaxNameWidth));
    header()->resizeSection(RunTable::Name, name);
    header()->resizeSection(RunTable::Note, std::max(note, left - name));
}

void RunList::showMenu(const QPoint& where) {
    const RunId id = m_table->runAt(indexAt(where).row());
    const RunView* run = m_access.runs.find(id);
    if (!run) return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(u"run-menu"_s);
    menu->addAction(u"Inspect run"_s, this, [this, id] { emit m_actions.inspectAsked(id, 0); });
    addComparisons(menu, id);
    menu->addAction(u"Use run's settings"_s, this, [this, id] { emit settingsAsked(id); });
    menu->addAction(u"Compare run's rotary setup"_s, this, [this, id] { emit m_actions.setupComparisonAsked(id); })
        ->setToolTip(
            u"Shows the rotary setup of this run beside the current one on all pages about RoPE, as setups A and B."_s);
    QAction* conversion = menu->addAction(u"Convert heads …"_s, this, [this, id] { convertHeads(id); });
    const QString whyNot = whyNoHeadConversion(*run, m_access);
    conversion->setEnabled(whyNot.isEmpty());
    conversion->setToolTip(
        whyNot.isEmpty()
            ? u"Merges the key and value heads of a copy of this run into fewer ones (grouped-query attention), trains "
              "the copy for a short time and compares the losses."_s
            : whyNot);
    QAction* model = menu->addAction(u"Export model …"_s, this, [this, id] { exportModel(id); });
    const QString whyNoExport = whyNoModelExport(*run, m_access);
    model->setEnabled(whyNoExport.isEmpty());
    model->setToolTip(whyNoExport.isEmpty()
                          ? u"Writes the model of this run as a folder that Hugging Face transformers loads, or as a "
                            "GGUF file."_s
                          : whyNoExport);
    menu->addSeparator();
    addLook(menu, *run);
    menu->addAction(u"Rename setting …"_s, this, [this, id] { renameSetting(id); })
        ->setToolTip(u"Names the setting of this run: the group of all runs that differ from it only in their seed."_s);
    menu->addSeparator();
    menu->addAction(u"Rename run"_s, this, [this, id] { rename(id); });
    menu->addAction(u"Edit note"_s, this, [this, id] { annotate(id); });
    menu->addSeparator();
    if (m_access.session.isTraining(id)) {
        menu->addAction(u"Stop this run"_s, this, [this, id] { m_access.session.stopRun(id); });
    } else {
        QAction* resume = menu->addAction(u"Resume run"_s, this, [this, id] { m_actions.resumeRuns({id}); });
        resume->setEnabled(LabDocument::canResume(run->record) && !m_access.session.isActive());
        menu->addAction(u"Delete run"_s, this, [this, id] { m_actions.deleteRun(id); });
    }
    menu->popup(viewport()->mapToGlobal(where));
}

void RunList::exportModel(RunId id) {
    const RunView* run = m_access.runs.find(id);
    if (!run || !whyNoModelExport(*run, m_access).isEmpty()) return;
    const LabFile& lab = *m_access.lab.file();
    const QString name = QString::fromStdString(m_access.lab.file()->path().stem().string()) + u"-run-%1"_s.arg(id);
    const QString path =
        dialogs().save(this, {.title = u"Export the model of %1"_s.arg(run->name),
                              .path = fromPath(lab.path().parent_path() / name.toStdString()),
                              .filters = u"New folder for Hugging Face transformers (*);;GGUF file (*.gguf)"_s});
    if (path.isEmpty()) return;
    const auto work = [this, path, checkpoint = checkpointOfRun(lab, id), name = run->record.name,
                       labName = lab.path().filename().string()](const Cancelled& cancelled) -> std::function<void()> {
        const QString problem = problemOf([&] {
            std::optional<Checkpoint> read = read_checkpoint(checkpoint);
            if (!read) throw BadInput(whyNoCheckpoint(checkpoint));
            const ExportedRun exported = {.checkpoint = *std::move(read),
                                          .name = name,
                                          .lab = labName,
                                          .version = QCoreApplication::applicationVersion().toStdString()};
            if (path.endsWith(u".gguf")) {
                export_gguf(exported, toPath(path), true, cancelled);
            } else {
                export_hugging_face(exported, toPath(path), cancelled);
            }
        });
        return [this, problem, path] {
            if (!problem.isEmpty()) return m_actions.problem(u"model.export"_s, problem);
            emit m_actions.solved(u"model.export"_s);
            emit exported(u"The model was exported to %1."_s.arg(path));
        };
    };
    m_export.start(work);
}

void RunList::convertHeads(RunId id) {
    const RunView* run = m_access.runs.find(id);
    if (!run || !whyNoHeadConversion(*run, m_access).isEmpty()) return;
    auto* dialog = new HeadConversionDialog(*run, m_access, this);
    dialog->show();
}

void RunList::addComparisons(QMenu* menu, RunId run) {
    QMenu* others = menu->addMenu(u"Compare with"_s);
    for (int row = 0; row < m_table->rowCount() && others->actions().size() < kMaxComparisons; ++row) {
        const RunId other = m_table->runAt(row);
        const RunView* view = m_access.runs.find(other);
        if (other == run || !view || !view->visible) continue;
        others->addAction(QIcon(lineSwatch(view->ink)), m_table->index(row, RunTable::Name).data().toString(), this,
                          [this, run, other] { emit m_actions.inspectAsked(run, other); });
    }
    others->setEnabled(!others->isEmpty());
}

void RunList::addLook(QMenu* menu, const RunView& run) {
    const std::string setting = run.setting;
    const SettingLook look = m_access.runs.colors().lookOf(setting);
    QMenu* colors = menu->addMenu(u"Colour of this setting"_s);
    const QStringList names = {
        u"blue"_s,
        u"vermilion"_s,
        u"green"_s,
        u"pink"_s,
        u"orange"_s,
        u"sky blue"_s,
        ThemeManager::instance().theme().appearance == Appearance::dark ? u"yellow"_s : u"black"_s};
    const int hues = static_cast<int>(names.size());
    for (int hue = 0; hue < hues; ++hue) {
        const bool isCurrent = look.color % hues == hue;
        const int color = isCurrent ? look.color : m_access.runs.colors().freeColor(setting, hue);
        QAction* action = colors->addAction(QIcon(lineSwatch(Ink::data(color))), names[hue]);
        action->setCheckable(true);
        action->setChecked(isCurrent);
        connect(action, &QAction::triggered, this, [this, look = look, color]() mutable {
            look.color = color;
            m_actions.changeLook(u"change colour"_s, look);
        });
    }
    QAction* pin = menu->addAction(u"Pin this setting"_s);
    pin->setCheckable(true);
    pin->setChecked(look.pinned);
    connect(pin, &QAction::triggered, this, [this, look = look](bool on) mutable {
        look.pinned = on;
        m_actions.changeLook(on ? u"pin setting"_s : u"unpin setting"_s, look);
    });
}

void RunList::restyle() {
    const auto& manager = ThemeManager::instance();
    setIconSize(RunTable::swatchSize());
    header()->setMinimumSectionSize(manager.pixels(56));
    fitStates();
    header()->resizeSection(RunTable::Last, manager.pixels(124));
    header()->resizeSection(RunTable::Best, manager.pixels(84));
    fitColumns();
}

}  // namespace ropelab::ui

#include "moc_run_list.cpp"
