#include "ui/session/run_store.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/experiment/experiment.h"
#include "core/experiment/halving.h"
#include "core/experiment/setting_names.h"
#include "core/settings/run_names.h"
#include "core/store/imported.h"
#include "core/sweep/lab_results.h"
#include "core/sweep/search.h"
#include "core/sweep/stored_run.h"
#include "ui/common/format.h"
#include "ui/theme/theme.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

static_assert(SettingColors::kCount == static_cast<int>(std::tuple_size_v<decltype(Theme::data)>) * Theme::kDashes);

constexpr int kHues = SettingColors::kCount / Theme::kDashes;

}  // namespace

std::string settingKey(const RunSpec& run) {
    return setting_key(run);
}

SettingColors SettingColors::of(const LabFile& lab) {
    SettingColors colors;
    colors.load(&lab, false);
    std::vector<std::string> settings;
    SettingPlaces places;
    for (const RunRecord& record : lab.runs()) {
        settings.push_back(setting_key(record));
        places.try_emplace(settings.back());
    }
    colors.assign(settings, places);
    return colors;
}

void SettingColors::load(const LabFile* file, bool keep, const std::set<std::string>& known) {
    if (keep) {
        std::erase_if(m_entries, [](const auto& entry) { return entry.second.stored; });
    } else {
        m_entries.clear();
    }
    if (!file) return;
    std::set<std::string> loaded;
    for (SettingLook& look : file->setting_looks()) {
        const auto key = known.contains(look.settings) ? look.settings : setting_key(look);
        look.color = ((look.color % kCount) + kCount) % kCount;  // a stranger's lab may store any number
        // Two spellings of one setting, from two versions of the program: the older entry counts.
        if (key && loaded.insert(*key).second) m_entries[*key] = {std::move(look), true};
    }
}

std::string SettingColors::setLook(SettingLook look) {
    const std::string key = setting_key(look).value_or(std::string());
    if (!key.empty()) m_entries[key] = {std::move(look), true};
    return key;
}

void SettingColors::assign(const std::vector<std::string>& settings, const SettingPlaces& present) {
    if (std::ranges::all_of(settings, [this](const auto& setting) { return m_entries.contains(setting); })) return;
    std::vector<int> uses(kCount, 0);
    std::vector<int> shown(kCount, 0);  // by settings with runs
    std::vector<bool> isPinned(kCount, false);
    for (const auto& [key, entry] : m_entries) {
        const auto color = static_cast<std::size_t>(entry.look.color % kCount);
        ++uses[color];
        if (present.contains(key)) ++shown[color];
        if (entry.look.pinned) isPinned[color] = true;
    }
    const auto nextFree = [&] {
        const auto unused = std::find(uses.begin(), uses.end(), 0);
        if (unused != uses.end()) return static_cast<std::size_t>(unused - uses.begin());
        // All are in use: colours of settings without runs come next, then those that the fewest settings have.
        std::size_t best = kCount;
        for (std::size_t i = 0; i < kCount; ++i) {
            if (!isPinned[i] && (best == kCount || shown[i] < shown[best])) best = i;
        }
        return best % kCount;  // 0 if every colour is pinned
    };
    for (const std::string& setting : settings) {
        if (m_entries.contains(setting)) continue;
        const std::size_t color = nextFree();
        ++uses[color];
        ++shown[color];
        m_entries[setting] = {{setting, static_cast<int>(color), false}, false};
    }
}

SettingLook SettingColors::lookOf(const std::string& setting) const {
    const auto found = m_entries.find(setting);
    return found == m_entries.end() ? SettingLook{setting, 0, false} : found->second.look;
}

namespace {

Ink inkOfSeed(int color, std::int64_t seed) {
    const std::int64_t from = seed - RunSpec{}.seed;
    return Ink::data(color, static_cast<int>(((from % Theme::kShades) + Theme::kShades) % Theme::kShades));
}

void renewName(RunView& run) {
    run.name = QString::fromStdString(shown_run_name(run.settingName, run.record.name, run.spec));
}

}  // namespace

Ink SettingColors::inkOf(const std::string& setting, std::int64_t seed) const {
    return inkOfSeed(lookOf(setting).color, seed);
}

void SettingColors::applyTo(RunView& run) const {
    const SettingLook& look = m_entries.at(run.setting).look;
    run.ink = inkOfSeed(look.color, run.spec.seed);
    run.pinned = look.pinned;
    run.settingName = look.name;
    renewName(run);
}

int SettingColors::freeColor(const std::string& setting, int hue) const {
    for (int round = 0; round < Theme::kDashes; ++round) {
        const int color = hue + kHues * round;
        const bool isTaken = std::any_of(m_entries.begin(), m_entries.end(), [&](const auto& entry) {
            return entry.first != setting && entry.second.look.color == color;
        });
        if (!isTaken) return color;
    }
    return hue;
}

std::vector<SettingLook> SettingColors::unstored() const {
    std::vector<SettingLook> result;
    for (const auto& [key, entry] : m_entries) {
        if (!entry.stored) result.push_back(entry.look);
    }
    std::sort(result.begin(), result.end(),
              [](const SettingLook& a, const SettingLook& b) { return a.color < b.color; });
    return result;
}

namespace {

void updateLastAndBest(RunView& run, const event::Evaluated& evaluated) {
    run.last = evaluated;
    const double best = run.best ? run.best->validation_loss : RunSummary::unknown;
    if (improves(best, evaluated.validation_loss)) run.best = evaluated;
}

void recomputeLastAndBest(RunView& run) {
    run.last.reset();
    run.best.reset();
    const RunMetrics::Evaluations& all = run.evaluations;
    for (std::size_t i = 0; i < all.iteration.size(); ++i) {
        updateLastAndBest(run,
                          {run.record.id, all.iteration[i], all.training_loss[i], all.validation_loss[i], all.time[i]});
    }
}

// Returns whether there were evaluations after `iteration`.
bool truncate(RunMetrics::Evaluations& evaluations, std::int64_t iteration) {
    auto& all = evaluations.iteration;
    const auto keep = static_cast<std::size_t>(std::upper_bound(all.begin(), all.end(), iteration) - all.begin());
    if (keep == all.size()) return false;
    all.resize(keep);
    evaluations.training_loss.resize(keep);
    evaluations.validation_loss.resize(keep);
    evaluations.time.resize(keep);
    return true;
}

void add(RunView& run, const event::Evaluated& evaluated) {
    // A resumed run repeats evaluations; the repeated ones replace the older ones.
    if (truncate(run.evaluations, evaluated.iteration - 1)) recomputeLastAndBest(run);
    run.evaluations.iteration.push_back(evaluated.iteration);
    run.evaluations.training_loss.push_back(evaluated.training_loss);
    run.evaluations.time.push_back(evaluated.time);
    run.evaluations.validation_loss.push_back(evaluated.validation_loss);
    updateLastAndBest(run, evaluated);
}

/// The stored settings of runs that differ only in their seed are parsed once.
class KnownSettings {
 public:
    void read(RunView& run, const RunRecord& record) {
        // Of a quote inside a string, JSON text has \" instead: this can only be the setting.
        constexpr std::string_view name = "\"seed\":";
        const std::string& all = record.settings;
        const std::size_t begin = all.find(name);
        const std::size_t first = begin == std::string::npos ? begin : begin + name.size();
        const std::size_t end = all.find_first_not_of("0123456789", std::min(first, all.size()));
        std::int64_t seed = 0;
        const bool hasSeed = first != std::string::npos && end != std::string::npos &&
                             std::from_chars(&all[first], &all[end], seed).ec == std::errc() &&
                             (all[end] == ',' || all[end] == '}');
        if (!hasSeed || may_be_imported(all)) {
            run.spec = stored_spec(record);
            run.setting = setting_key(record);
            run.changed = std::make_shared<const nlohmann::json>(changed_settings(record));
            run.imported = is_imported(record);
            return;
        }
        const auto [known, isNew] = m_known.try_emplace(all.substr(0, first) + all.substr(end));
        if (isNew) {
            nlohmann::json changed = changed_settings(record);
            changed.erase("seed");
            const RunSpec spec = stored_spec(record);
            known->second = {spec, setting_key(spec), std::make_shared<const nlohmann::json>(std::move(changed))};
        }
        std::tie(run.spec, run.setting, run.changed) = known->second;
        run.spec.seed = seed;
    }

 private:
    using Known = std::tuple<RunSpec, std::string, std::shared_ptr<const nlohmann::json>>;
    std::unordered_map<std::string, Known> m_known;  // by the text without the seed
};

RunView makeView(RunRecord record, RunMetrics metrics, KnownSettings& settings) {
    RunView run;
    settings.read(run, record);
    if (metrics.latest_sample) {
        run.sample = QString::fromStdString(metrics.latest_sample->text);
        run.sampleIteration = metrics.latest_sample->iteration;
    }
    run.record = std::move(record);
    run.evaluations = std::move(metrics.evaluations);
    recomputeLastAndBest(run);
    return run;
}

}  // namespace

nlohmann::json settingsOf(const nlohmann::json& changed, std::int64_t seed) {
    nlohmann::json settings = changed;
    if (imported_from(settings).empty()) settings["seed"] = seed;
    return settings;
}

RunStore::RunStore(QObject* parent) : QObject(parent) {}

const std::vector<std::string>& RunStore::settingNames(const std::vector<const RunView*>& runs) const {
    std::vector<std::size_t> places;
    for (const RunView* run : runs) places.push_back(run->place);
    constexpr std::size_t most = 4;  // all settings, the visible ones, and those before
    if (m_names.size() >= most && !m_names.contains(places)) m_names.clear();
    const auto [known, isNew] = m_names.try_emplace(std::move(places));
    if (!isNew) return known->second;
    std::vector<RunSpec> specs;
    specs.reserve(runs.size());
    for (const RunView* run : runs) {
        specs.push_back(run->spec);
        specs.back().seed = RunSpec{}.seed;
    }
    return known->second = run_names(specs);
}

const RunView* RunStore::find(RunId id) const {
    const auto found = std::lower_bound(m_runs.begin(), m_runs.end(), id,
                                        [](const RunView& run, RunId wanted) { return run.record.id < wanted; });
    return found == m_runs.end() || found->record.id != id ? nullptr : &*found;
}

RunView* RunStore::entry(RunId id) {
    return const_cast<RunView*>(std::as_const(*this).find(id));
}

namespace {

/// Sets RunView::place. Returns the settings that have no place yet, in the order of their runs.
std::vector<std::string> placeSettings(std::span<RunView> runs, SettingPlaces& places) {
    std::vector<std::string> settings;
    for (RunView& run : runs) {
        const auto [known, isNew] = places.try_emplace(run.setting, places.size());
        run.place = known->second;
        if (isNew) settings.push_back(run.setting);
    }
    return settings;
}

void applyColors(LoadedRuns& loaded, const LabFile* file, bool keep) {
    const std::vector<std::string> settings = placeSettings(loaded.runs, loaded.places);
    loaded.colors.load(file, keep, {settings.begin(), settings.end()});
    loaded.colors.assign(settings, loaded.places);
    for (RunView& run : loaded.runs) loaded.colors.applyTo(run);
}

void applyRungs(std::vector<RunView>& runs, const LabFile* file) {
    std::map<std::int64_t, std::optional<StoppingRule>> rules;
    std::map<std::int64_t, ExperimentOrigin> origins;  // by the experiment's number
    for (RunView& run : runs) {
        const std::int64_t experiment = run.record.experiment;
        const auto [known, isNew] = rules.try_emplace(experiment);
        if (isNew) known->second = stored_stopping_rule(*file, experiment);
        const Halving* halving = halving_in(known->second);
        run.rungs = halving ? rungs_of(*halving, run.spec.iterations) : std::vector<std::int64_t>();
        const auto [origin, isNewOrigin] = origins.try_emplace(experiment);
        if (isNewOrigin) origin->second = origin_of(*file, experiment);
        run.searched = origin->second.searched;
        run.look = origin->second.look;
        run.sequential = origin->second.sequential;
    }
}

}  // namespace

void RunStore::load(LoadedRuns& loaded, const LabFile* file, std::vector<RunView>* before) {
    std::map<RunId, RunView*> known;
    if (before) {
        for (RunView& run : *before) known.emplace(run.record.id, &run);
    }
    if (file) {
        std::int64_t latest = 0;
        KnownSettings settings;
        std::vector<RunRecord> records = file->runs();
        for (const RunRecord& record : records) latest = std::max(latest, record.experiment);
        loaded.runs.reserve(records.size() + records.size() / 8);  // further sweeps then move none of many
        for (RunRecord& record : records) {
            if (const auto old = known.find(record.id); old != known.end()) {
                // The events that were already applied may be newer than the file.
                RunView& run = loaded.runs.emplace_back(std::move(*old->second));
                run.record.name = record.name;
                run.record.note = record.note;
            } else {
                RunMetrics metrics = file->metrics_of_evaluations(record.id);
                RunView& run = loaded.runs.emplace_back(makeView(std::move(record), std::move(metrics), settings));
                run.visible = run.record.experiment == latest;
            }
        }
    }
    applyColors(loaded, file, before != nullptr);
    applyRungs(loaded.runs, file);
}

void RunStore::reload(const LabFile* file, bool keepVisibility) {
    LoadedRuns loaded{{}, m_colors, {}};
    try {
        load(loaded, file, keepVisibility ? &m_runs : nullptr);
    } catch (...) {
        if (!keepVisibility) adopt({});
        for (RunView& run : loaded.runs) {
            if (RunView* known = entry(run.record.id)) *known = std::move(run);
        }
        throw;
    }
    adopt(std::move(loaded));
}

void RunStore::adopt(LoadedRuns loaded) {
    m_runs = std::move(loaded.runs);
    m_colors = std::move(loaded.colors);
    m_places = std::move(loaded.places);
    m_names.clear();
    emit reloaded();
}

void RunStore::renewRuns(const LabFile& file, const std::vector<RunId>& renewed, const std::vector<RunId>& deleted) {
    std::vector<RunView> added;
    std::vector<RunRecord> known;
    KnownSettings settings;
    for (const RunId id : renewed) {
        RunRecord record = file.run(id);
        if (find(id)) {
            known.push_back(std::move(record));
        } else {
            added.push_back(makeView(std::move(record), file.metrics_of_evaluations(id), settings));
        }
    }
    applyRungs(added, &file);
    for (const RunRecord& record : known) {
        // The events that were already applied may be newer than the file.
        RunView& run = *entry(record.id);
        run.record.name = record.name;
        run.record.note = record.note;
        renewName(run);
    }
    std::erase_if(m_runs, [&](const RunView& run) { return std::ranges::count(deleted, run.record.id) > 0; });
    const std::vector<std::string> placed = placeSettings(added, m_places);
    std::int64_t latest = 0;
    std::vector<bool> hasRuns(m_places.size());  // by place; deleted settings keep theirs
    for (const auto* runs : {&m_runs, &added}) {
        for (const RunView& run : *runs) {
            latest = std::max(latest, run.record.experiment);
            hasRuns[run.place] = true;
        }
    }
    SettingPlaces present = m_places;
    std::erase_if(present, [&](const auto& each) { return !hasRuns[each.second]; });
    m_colors.assign(placed, present);
    for (RunView& run : added) {
        m_colors.applyTo(run);
        run.visible = run.record.experiment == latest;
        const auto later = std::ranges::find_if(m_runs.rbegin(), m_runs.rend(), [&](const RunView& each) {
                               return each.record.id < run.record.id;
                           }).base();
        m_runs.insert(later, std::move(run));
    }
    emit reloaded();
}

void RunStore::setLook(const SettingLook& look) {
    const std::string setting = m_colors.setLook(look);
    for (RunView& run : m_runs) {
        if (run.setting == setting) m_colors.applyTo(run);
    }
    emit reloaded();
}

void RunStore::apply(const std::vector<Delivery>& deliveries) {
    std::set<RunId> changed;
    for (const Delivery& delivery : deliveries) {
        if (const auto* cut = std::get_if<DiscardAfter>(&delivery)) {
            if (RunView* run = entry(cut->run)) {
                run->record.iteration = std::max<std::int64_t>(cut->iteration, 0);
                if (truncate(run->evaluations, cut->iteration)) recomputeLastAndBest(*run);
                changed.insert(cut->run);
            }
            continue;
        }
        const Event& event = std::get<Event>(delivery);
        if (const auto* step = std::get_if<event::Step>(&event)) {
            if (RunView* run = entry(step->run)) run->record.iteration = step->iteration;
        } else if (const auto* evaluated = std::get_if<event::Evaluated>(&event)) {
            if (RunView* run = entry(evaluated->run)) {
                add(*run, *evaluated);
                changed.insert(evaluated->run);
            }
        } else if (const auto* sampled = std::get_if<event::Sampled>(&event)) {
            if (RunView* run = entry(sampled->run)) {
                run->sample = QString::fromStdString(sampled->text);
                run->sampleIteration = sampled->iteration;
                changed.insert(sampled->run);
            }
        } else if (const auto* cohort = std::get_if<event::CohortStarted>(&event)) {
            for (const RunId id : cohort->runs) {
                if (RunView* run = entry(id)) {
                    run->record.state = RunState::running;
                    run->record.message.clear();
                    run->record.conditions = cohort->conditions;
                    run->record.bytes_per_token = cohort->bytes_per_token;
                    changed.insert(id);
                }
            }
        } else if (const auto* progress = std::get_if<event::Progress>(&event)) {
            const RunState from = progress->paused ? RunState::running : RunState::paused;
            for (RunView& run : m_runs) {
                if (run.record.state != from) continue;
                run.record.state = progress->paused ? RunState::paused : RunState::running;
                changed.insert(run.record.id);
            }
        } else if (const auto* end = std::get_if<event::RunEnded>(&event)) {
            if (RunView* run = entry(end->run)) {
                run->record.state = end->state;
                run->record.message = end->message;
                run->record.summary = end->summary;
                changed.insert(end->run);
            }
        }
    }
    for (const RunId id : changed) emit runChanged(id);
}

void RunStore::refreshRecords(const LabFile& file, const std::vector<RunId>& only) {
    const auto refresh = [this](RunId id, const auto& read) {
        RunView* run = entry(id);
        if (!run) return;
        run->record = read();
        renewName(*run);
        emit runChanged(id);
    };
    for (const RunId id : only) refresh(id, [&] { return file.run(id); });
    if (!only.empty()) return;
    for (RunRecord& record : file.runs()) refresh(record.id, [&] { return std::move(record); });
}

void RunStore::pick(RunId id) {
    if (id == m_picked || (id >= 0 && !find(id))) return;
    m_picked = id;
    emit runPicked(id);
}

void RunStore::pickHead(const Head& head) {
    if (m_head == head) return;
    m_head = head;
    emit headPicked();
}

void RunStore::setVisible(RunId id, bool visible) {
    RunView* run = entry(id);
    if (!run || run->visible == visible) return;
    run->visible = visible;
    emit visibilityChanged({id});
}

void RunStore::setVisible(const std::function<bool(const RunView& run)>& isVisible) {
    std::vector<RunId> changed;
    for (RunView& run : m_runs) {
        const bool visible = isVisible(run);
        if (std::exchange(run.visible, visible) != visible) changed.push_back(run.record.id);
    }
    if (!changed.empty()) emit visibilityChanged(changed);
}

QString stateText(const RunView& run) {
    const RunRecord& record = run.record;
    switch (record.state) {
        case RunState::waiting:
            return u"waiting"_s;
        case RunState::running:
            return u"%1 / %2"_s.arg(groupedText(record.iteration), groupedText(run.spec.iterations));
        case RunState::paused:
            return u"paused at %1"_s.arg(groupedText(record.iteration));
        case RunState::finished:
            return u"finished"_s;
        case RunState::failed:
            return u"failed at %1"_s.arg(groupedText(record.iteration));
        case RunState::stopped:
            if (const auto rung = stopped_at_rung(record)) {
                const QString steps = countText(record.iteration, u"step"_s);
                return run.rungs.empty() ? u"stopped at rung %1, %2"_s.arg(QString::number(*rung), steps)
                                         : u"stopped at rung %1 of %2, %3"_s.arg(
                                               QString::number(*rung), QString::number(run.rungs.size()), steps);
            }
            return u"stopped at %1"_s.arg(groupedText(record.iteration));
    }
    return {};
}

}  // namespace ropelab::ui

#include "moc_run_access.cpp"
#include "moc_run_store.cpp"
