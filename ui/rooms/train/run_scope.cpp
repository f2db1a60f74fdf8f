#include "ui/rooms/train/run_scope.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/results/results_compare.h"
#include "core/run/trained_run.h"
#include "core/settings/run_names.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/plot/distinct_names.h"
#include "ui/rooms/train/run_list.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

std::vector<CurveGroup> seedGroups(const RunStore& runs) {
    std::vector<std::size_t> groupOf;    // by the place of the setting: 1 + the place of its group
    std::vector<const RunView*> firsts;  // one per group
    std::vector<std::set<std::int64_t>> seeds;
    std::vector<CurveGroup> groups;
    for (const RunView& run : runs.runs()) {
        if (!run.visible) continue;
        if (run.place >= groupOf.size()) groupOf.resize(run.place + 1);
        std::size_t& group = groupOf[run.place];
        if (group == 0) {
            firsts.push_back(&run);
            seeds.emplace_back();
            groups.emplace_back();
            group = groups.size();
        }
        // A repetition with the same seed adds no information about the variance over seeds.
        if (seeds[group - 1].insert(run.spec.seed).second) groups[group - 1].runs.push_back(run.record.id);
    }
    const std::vector<std::string>& names = runs.settingNames(firsts);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const std::string& given = firsts[i]->settingName;  // the user's
        groups[i].setting = QString::fromStdString(given.empty() ? names[i] : given);
        groups[i].label = groups[i].setting;
        if (groups[i].runs.size() < 2) continue;
        groups[i].label += u", "_s + countText(std::ssize(groups[i].runs), u"seed"_s);
    }
    return groups;
}

namespace {

/// The results of the run at this step; nullopt if it was not evaluated there.
std::optional<RunSummary> summaryAt(const RunView& run, std::int64_t step) {
    const auto& evaluations = run.evaluations;
    const auto found = std::find(evaluations.iteration.begin(), evaluations.iteration.end(), step);
    if (found == evaluations.iteration.end()) return std::nullopt;
    const auto place = found - evaluations.iteration.begin();
    RunSummary summary;
    summary.iterations = step;
    summary.bytes_per_token = run.record.bytes_per_token;
    summary.final_validation_loss = evaluations.validation_loss[place];
    summary.final_training_loss = evaluations.training_loss[place];
    summary.best_validation_loss =
        *std::min_element(evaluations.validation_loss.begin(), evaluations.validation_loss.begin() + place + 1);
    return summary;
}

/// The runs, as the room Results compares them, and the names of their settings. `unfinished`: with their losses at one
/// step, as runs that have not ended.
struct Comparison {
    ResultsTable table;
    GroupNamer name;
};
Comparison comparisonOf(std::vector<ComparedRun> shown, const std::vector<CurveGroup>& groups, bool perByte,
                        const std::string& margin, bool unfinished) {
    std::vector<ResultRun> runs;
    std::vector<RunId> ids;
    for (ComparedRun& run : shown) {
        ids.push_back(run.id);
        runs.push_back(std::move(run.result));
        runs.back().settings = settingsOf(*run.changed, run.seed);
    }
    Comparison result;
    if (runs.empty()) return result;
    result.table = results_table(
        runs,
        {.compare = perByte ? "bits_per_byte" : ResultsOptions{}.compare, .unfinished = unfinished, .margin = margin});
    QStringList names;
    for (const CurveGroup& group : groups) names << group.setting;
    names = distinctNames(names);
    result.name = [table = result.table, groups, names, ids](const ResultGroup& group) {
        const auto found = std::find_if(groups.begin(), groups.end(), [&](const CurveGroup& each) {
            return std::any_of(group.members.begin(), group.members.end(), [&](std::size_t member) {
                return std::find(each.runs.begin(), each.runs.end(), ids[member]) != each.runs.end();
            });
        });
        if (found == groups.end()) return group_words(table, group);
        return settingInWords(names[found - groups.begin()]).toStdString();
    };
    return result;
}

/// The last step at which all visible runs that began were evaluated; nullopt if there is none.
std::optional<std::int64_t> commonStep(const RunStore& store) {
    std::set<std::int64_t> common;
    bool isFirst = true;
    for (const RunView& run : store.runs()) {
        const std::vector<std::int64_t>& steps = run.evaluations.iteration;
        if (!run.visible || steps.empty() || run.record.state == RunState::failed) continue;
        const std::set<std::int64_t> own(steps.begin(), steps.end());
        if (std::exchange(isFirst, false)) {
            common = own;
        } else {
            std::erase_if(common, [&](std::int64_t step) { return !own.contains(step); });
        }
    }
    return common.empty() ? std::nullopt : std::optional(*common.rbegin());
}

}  // namespace

std::vector<ComparedRun> visibleRuns(const std::vector<RunView>& runs) {
    std::vector<ComparedRun> result;
    result.reserve(static_cast<std::size_t>(std::ranges::count_if(runs, &RunView::visible)));
    for (const RunView& run : runs) {
        if (!run.visible) continue;
        ComparedRun& copy = result.emplace_back(run.record.id, run.spec.seed, run.changed);
        copy.result.name = run.record.name;
        copy.result.summary = run.record.summary;
        copy.result.state = run.record.state;
        copy.result.pruned = stopped_at_rung(run.record).has_value();
        copy.result.look = run.look;
        copy.result.sequential = run.sequential;
    }
    return result;
}

RunsVerdict verdictOf(std::vector<ComparedRun> runs, const std::vector<CurveGroup>& groups, bool perByte,
                      const std::string& margin) {
    const auto [table, name] = comparisonOf(std::move(runs), groups, perByte, margin, false);
    if (table.groups.empty()) return {};
    RunsVerdict verdict{withSharedData(QString::fromStdString(headline(table, name)), table), {}};
    if (!verdict.headline.isEmpty()) {
        verdict.details = overallWords(table);
    } else if (const std::string words = equivalence_headline(table, name(table.groups[table.baseline]));
               !words.empty()) {
        verdict.headline = withSharedData(QString::fromStdString(words), table);
        verdict.details = overallWords(table);
    } else if (const std::string ahead = leader(table, name); !ahead.empty()) {
        verdict.headline = u"Not decided. %1"_s.arg(withSharedData(QString::fromStdString(ahead), table));
        verdict.details = overallWords(table);
    }
    return verdict;
}

RunsVerdict verdictSoFar(const RunStore& store, bool perByte) {
    constexpr std::ptrdiff_t most = 1000;  // a sentence at each evaluation of more runs would slow the window
    const auto visible = std::ranges::count_if(store.runs(), [](const RunView& run) { return run.visible; });
    const std::optional<std::int64_t> step = visible > most ? std::nullopt : commonStep(store);
    const auto isSequential = [](const RunView& run) { return run.visible && run.sequential; };
    if (visible <= most && std::ranges::any_of(store.runs(), isSequential)) {
        // A stopping rule, which has its own margin, tests runs that have ended, and no earlier steps.
        const auto [ended, named] = comparisonOf(visibleRuns(store.runs()), {}, perByte, {}, false);
        if (ended.sequential) {
            const QString at = step && *step > 0 ? u"Step %1 of this look. "_s.arg(groupedText(*step)) : QString();
            return {at + QString::fromStdString(stopping_state(ended)),
                    u"Stopping rule, fixed before the first run: %1."_s.arg(
                        QString::fromStdString(words_of(ended.sequential->design)))};
        }
    }
    for (const RunView& run : store.runs()) {
        const bool begins = run.visible && run.record.state == RunState::running && (!run.last || !run.last->iteration);
        if (begins && run.record.conditions &&
            run.record.conditions->reason.find(halving_begins_anew) != std::string::npos)
            return {QString::fromUtf8(halving_begins_anew), {}};
    }
    if (!step || *step == 0) {
        const auto shown = std::ranges::find_if(store.runs(), &RunView::visible);
        if (shown == store.runs().end()) return {};
        const std::int64_t first = std::min(shown->spec.evaluate_every, shown->spec.iterations);
        return {u"The runs begin; the first comparison follows at step %1."_s.arg(groupedText(first)), {}};
    }
    std::vector<ComparedRun> runs = visibleRuns(store.runs());
    for (ComparedRun& run : runs) {  // those that were not evaluated at the step do not count
        if (run.result.state == RunState::failed) continue;
        run.result.summary = summaryAt(*store.find(run.id), *step);
        run.result.state = RunState::running;
    }
    const auto [table, name] = comparisonOf(std::move(runs), seedGroups(store), perByte, {}, true);
    const std::string ahead = table.groups.empty() ? "" : headline(table, name);
    if (ahead.empty()) return {u"Step %1: nothing to compare yet."_s.arg(groupedText(*step)), {}};
    return {u"Step %1. %2"_s.arg(groupedText(*step), withSharedData(QString::fromStdString(ahead), table)),
            u"This is the setting with the lowest loss at the last step at which all runs were evaluated. The interval "
            "is that of this one difference; it is not corrected for the choice of the setting or for looking again "
            "and again, so it decides nothing before the runs end."_s};
}

bool anyRepeats(const std::vector<CurveGroup>& groups) {
    return std::any_of(groups.begin(), groups.end(), [](const CurveGroup& group) { return group.runs.size() > 1; });
}

namespace {

constexpr std::size_t kMostSettings = 200;  // in the list of choices
constexpr std::size_t kMostAtOnce = 1000;   // runs; the names of more settings take a handler of their own

// The first entries of the list have these data; those of settings have their texts.
int dataOf(RunScope::Scope scope) {
    return static_cast<int>(scope);
}

}  // namespace

RunScope::RunScope(RunStore& runs, QWidget* parent)
    : QWidget(parent),
      m_runs(runs),
      m_fold(makeButton<QPushButton>(
          {}, u"Shows or hides the list of runs; the list is also the legend of the plotted curves."_s, this)),
      m_choice(makeChoice(u"Runs in the plot"_s, this, 8)),
      m_hidden(new QLabel(this)),
      m_showAll(
          makeButton<QToolButton>(u"Show all"_s, u"Shows the runs of all sweeps of this lab in the plot."_s, this)) {
    m_rows = scaledRow(this, 8, {12, 2, 12, 2});
    auto* row = scaledRow(nullptr, 8);
    m_buttons = scaledRow(nullptr, 8);
    m_rows->addLayout(row, 1);
    m_rows->addLayout(m_buttons);
    row->addWidget(m_fold);
    m_choice->setToolTip(
        u"Selects the runs that the plot shows. The ticks in the list below show and hide single runs. Of a lab with "
        u"more "
        "than %1 settings, the first ones are listed."_s.arg(kMostSettings));
    row->addWidget(m_choice);
    m_hidden->setProperty("quiet", true);
    m_hidden->setTextFormat(Qt::PlainText);
    m_hidden->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(m_hidden, 1);
    row->addWidget(m_showAll);
    connect(m_choice, &QComboBox::activated, this, &RunScope::choose);
    connect(m_showAll, &QToolButton::clicked, this, [this] { showRuns(Scope::all); });
    const auto reload = [this] {
        m_isStale = true;
        m_runs.runs().size() > kMostAtOnce ? m_renewal.start() : renew();
    };
    connect(&m_runs, &RunStore::reloaded, this, reload);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, reload);
    m_renewal.setSingleShot(true);
    connect(&m_renewal, &QTimer::timeout, this, &RunScope::renew);
    connect(&m_runs, &RunStore::visibilityChanged, &m_renewal, qOverload<>(&QTimer::start));
    reload();
}

void RunScope::addButton(QWidget* button) {
    m_buttons->addWidget(button);
}

QSize RunScope::minimumSizeHint() const {
    QSize size = m_rows->minimumSize();
    int widest = 0;
    for (int i = 0; i < m_rows->count(); ++i) widest = std::max(widest, m_rows->itemAt(i)->minimumSize().width());
    const QMargins margins = m_rows->contentsMargins();
    size.setWidth(widest + margins.left() + margins.right());
    return size;
}

void RunScope::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    int width = m_rows->contentsMargins().left() + m_rows->contentsMargins().right() + m_rows->spacing();
    for (int i = 0; i < m_rows->count(); ++i) width += m_rows->itemAt(i)->minimumSize().width();
    m_rows->setDirection(width > this->width() ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

RoomControl RunScope::control() {
    static constexpr std::array<std::pair<const char*, Scope>, 3> scopes = {
        {{"all", Scope::all}, {"sweep", Scope::sweep}, {"run", Scope::run}}};
    const auto set = [this](const QString& word) {
        for (const auto& [name, scope] : scopes) {
            if (word == QLatin1String(name)) return showRuns(scope);
        }
        throw BadInput("The control \"scope\" of the page Train is \"" + word.toStdString() +
                       "\", but it must be all, sweep or run.");
    };
    const auto shown = [this] {
        for (const auto& [name, scope] : scopes) {
            if (m_scope == scope) return QVariant(QString::fromLatin1(name));
        }
        return QVariant(u"other"_s);
    };
    return {u"scope"_s, set, shown, m_choice};
}

void RunScope::setListShown(bool shown) {
    m_listShown = shown;
    renew();
}

void RunScope::renewSettings() {
    m_settings.clear();
    std::set<std::size_t> seen;
    std::vector<const RunView*> firsts;
    m_latest = 0;
    for (const RunView& run : m_runs.runs()) {
        m_latest = std::max(m_latest, run.record.experiment);
        if (!seen.insert(run.place).second) continue;
        firsts.push_back(&run);
    }
    const std::vector<std::string>& names = m_runs.settingNames(firsts);
    std::size_t listed = 0;
    std::map<int, QIcon> icons;  // by colour
    for (std::size_t i = 0; i < firsts.size(); ++i) {
        const RunView& run = *firsts[i];
        if (!run.pinned && run.setting != m_setting && ++listed > kMostSettings) continue;
        const QString name = QString::fromStdString(run.settingName.empty() ? names[i] : run.settingName);
        QIcon& icon = icons[run.ink.index];
        if (icon.isNull()) icon = QIcon(lineSwatch(Ink::data(run.ink.index)));
        m_settings.push_back({run.pinned ? u"Setting: %1 (pinned)"_s.arg(name) : u"Setting: %1"_s.arg(name),
                              run.setting, icon, run.pinned});
    }
    std::stable_partition(m_settings.begin(), m_settings.end(), [](const Setting& setting) { return setting.pinned; });
    m_choice->clear();  // the icons may have changed
}

bool RunScope::contains(Scope scope, const RunView& run) const {
    switch (scope) {
        case Scope::all:
            return true;
        case Scope::sweep:
            return run.record.experiment == m_latest;
        case Scope::run:
            return run.record.id == m_picked;
        case Scope::setting:
            return run.setting == m_setting;
        case Scope::ticked:
            break;
    }
    return run.visible;
}

bool RunScope::isShown(Scope scope) const {
    const auto& runs = m_runs.runs();
    return std::all_of(runs.begin(), runs.end(),
                       [&](const RunView& run) { return run.visible == contains(scope, run); });
}

void RunScope::showRuns(Scope scope) {
    if (scope == Scope::ticked || scope == Scope::setting || (scope == Scope::run && m_picked == 0)) return renew();
    apply(scope);
}

void RunScope::showSetting(const std::string& setting) {
    m_setting = setting;
    apply(Scope::setting);
}

void RunScope::setPicked(RunId run) {
    if (run == m_picked) return;
    const bool follows = m_scope == Scope::run && run != 0;
    m_picked = run;
    if (follows) return apply(Scope::run);
    renew();
}

void RunScope::apply(Scope scope) {
    m_runs.setVisible([&](const RunView& run) { return contains(scope, run); });
    m_scope = scope;
    renew();
}

void RunScope::choose(int index) {
    const QVariant chosen = m_choice->itemData(index);
    if (chosen.typeId() == QMetaType::QString) return showSetting(chosen.toString().toStdString());
    showRuns(static_cast<Scope>(chosen.toInt()));
}

void RunScope::renew() {
    if (std::exchange(m_isStale, false)) renewSettings();
    const auto& runs = m_runs.runs();
    if (!m_runs.find(m_picked)) m_picked = 0;  // it was deleted
    // The user's selection stays as long as it describes what is visible. In a lab with one sweep, "This sweep" and
    // "All sweeps" are the same runs.
    if (m_scope == Scope::ticked || !isShown(m_scope)) {
        m_scope = Scope::ticked;
        for (const Scope scope : {Scope::sweep, Scope::all, Scope::run}) {
            if (!isShown(scope)) continue;
            m_scope = scope;
            break;
        }
    }
    QList<QPair<QString, QVariant>> entries = {{u"All sweeps"_s, dataOf(Scope::all)},
                                               {u"This sweep"_s, dataOf(Scope::sweep)}};
    if (m_picked != 0) entries.append({u"This run"_s, dataOf(Scope::run)});
    if (m_scope == Scope::ticked) entries.append({u"Ticked runs"_s, dataOf(Scope::ticked)});
    QVariant chosen = dataOf(m_scope);
    const auto firstSetting = static_cast<int>(entries.size());
    for (const Setting& setting : m_settings) {
        const QString key = QString::fromStdString(setting.key);
        entries.append({setting.text, key});
        if (m_scope == Scope::setting && setting.key == m_setting) chosen = key;
    }
    refillChoice(m_choice, entries, chosen);
    for (int i = 0; i < std::ssize(m_settings); ++i) {
        if (!m_choice->itemIcon(firstSetting + i).isNull()) continue;
        m_choice->setItemIcon(firstSetting + i, m_settings[static_cast<std::size_t>(i)].icon);
    }
    m_choice->setIconSize(RunTable::swatchSize());

    std::set<std::size_t> settings;
    for (const RunView& run : runs) {
        if (run.visible) settings.insert(run.place);
    }
    const auto shown = std::count_if(runs.begin(), runs.end(), [](const RunView& run) { return run.visible; });
    m_fold->setText(u"%1 Runs: %2, %3"_s.arg(
        m_listShown ? u"▼"_s : u"►"_s, countText(std::ssize(settings), u"setting"_s), countText(shown, u"run"_s)));
    const auto hidden = std::count_if(runs.begin(), runs.end(), [](const RunView& run) { return !run.visible; });
    const bool areEarlier = std::all_of(runs.begin(), runs.end(), [this](const RunView& run) {
        return run.visible || run.record.experiment != m_latest;
    });
    const QString text = countText(hidden, u"run"_s);
    m_hidden->setText(hidden == 0  ? QString()
                      : areEarlier ? u"%1 of earlier sweeps hidden"_s.arg(text)
                                   : u"%1 hidden"_s.arg(text));
    m_showAll->setVisible(hidden > 0);
}

}  // namespace ropelab::ui

#include "moc_run_scope.cpp"
