#pragma once

#include <QObject>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/results/result_group.h"
#include "core/settings/run_spec.h"
#include "core/store/lab_file.h"
#include "ui/figure/figure.h"
#include "ui/session/sweep_session.h"

namespace ropelab::ui {

/// Settings without the seed as JSON text (setting_key). Runs with equal texts have the same setting.
std::string settingKey(const RunSpec& run);

struct RunView;

/// RunView::place of each setting, by its key.
using SettingPlaces = std::unordered_map<std::string, std::size_t>;

/// A setting keeps its first free colour and dash pattern in all rooms and later sweeps until the user changes them.
/// Seven settings have solid lines in seven colours; dash patterns distinguish later ones (Theme::dashes), and all
/// settings in prints without colours. The lab file stores colours and names.
class SettingColors {
 public:
    static constexpr int kCount = 49;

    /// Includes colours that the file does not store yet.
    static SettingColors of(const LabFile& lab);

    /// Null: there are no stored colours. With `keep`, colours that are not stored yet stay. Stored settings that are
    /// among `known`, keys of settings, are not parsed.
    void load(const LabFile* file, bool keep, const std::set<std::string>& known = {});
    /// `settings` are keys of settings, in the order of their runs; those `present` have runs in the lab. If all kCount
    /// colours are in use, the colour of a setting that is not present and not pinned is used again.
    void assign(const std::vector<std::string>& settings, const SettingPlaces& present);

    /// Its settings are in the spelling of the lab file.
    SettingLook lookOf(const std::string& setting) const;
    /// The lab file stores this look. Returns the key of its setting; "" if this program cannot read the setting.
    std::string setLook(SettingLook look);
    /// The shade is that of the run with this seed.
    Ink inkOf(const std::string& setting, std::int64_t seed) const;
    /// Ink, pin and names of the run follow from its setting and seed.
    void applyTo(RunView& run) const;
    /// `hue` is 0 to 6. The dash pattern is one that no other setting has; the first one if all are in use.
    int freeColor(const std::string& setting, int hue) const;

    /// Looks that the lab file does not store yet.
    std::vector<SettingLook> unstored() const;
    void setStored() {
        for (auto& [key, entry] : m_entries) entry.stored = true;
    }

 private:
    struct Entry {
        SettingLook look;
        bool stored = false;
    };

    std::map<std::string, Entry> m_entries;  // by settingKey()
};

struct RunView {
    RunRecord record;
    RunSpec spec;
    std::optional<event::Evaluated> last;  // the newest evaluation
    std::optional<event::Evaluated> best;  // the evaluation with the lowest validation loss
    RunMetrics::Evaluations evaluations;   // all evaluations
    QString sample;                        // the text that the run generated last
    std::int64_t sampleIteration = 0;      // the training step of the sample
    bool visible = true;                   // true: the plots show the run
    std::string setting;                   // the run's settings without its seed: settingKey(spec)
    std::size_t place = 0;                 // of the setting in the lab, in the order of the first runs
    /// changed_settings() without the seed, which runs of one setting share; those of an imported run have all.
    std::shared_ptr<const nlohmann::json> changed = {};
    bool imported = false;            // another program trained it
    Ink ink;                          // colour and dash pattern of the setting, in the shade of the seed
    bool pinned = false;              // the user pinned the setting
    std::string settingName;          // the user's name for the setting; "" for none
    QString name;                     // as lists and figures show the run (shown_run_name)
    std::vector<std::int64_t> rungs;  // iterations at which successive halving compares the run; empty without
    bool searched = false;            // a search chose the run's settings
    std::int64_t look = 0;            // as in ResultRun
    std::shared_ptr<const SequentialSeeds> sequential = {};  // as in ResultRun
};

/// Those that do not have their defaults, from RunView::changed and the seed.
nlohmann::json settingsOf(const nlohmann::json& changed, std::int64_t seed);

/// The runs of a lab in the order of their ids, with their colours.
struct LoadedRuns {
    std::vector<RunView> runs;
    SettingColors colors;
    SettingPlaces places = {};
};

/// Runs are read from the file once and then updated by the events of training. The metrics of single steps are too
/// large to be stored here: a plot reads those that it shows from the file.
class RunStore : public QObject {
    Q_OBJECT

 public:
    explicit RunStore(QObject* parent = nullptr);

    /// In the order of their ids.
    const std::vector<RunView>& runs() const { return m_runs; }
    /// Null if there is none, for example because the run was deleted while its events were queued.
    const RunView* find(RunId id) const;

    /// run_names() of runs with different settings, without their seeds. They are computed once.
    const std::vector<std::string>& settingNames(const std::vector<const RunView*>& runs) const;

    SettingColors& colors() { return m_colors; }
    const SettingColors& colors() const { return m_colors; }

    /// New runs are visible if they belong to the latest experiment. With `keepVisibility`, known runs keep their data
    /// and visibility, and settings keep their colours even if the file could not store them. Null empties the list.
    /// If reading throws BadInput, the known runs stay; without `keepVisibility` the list is empty.
    void reload(const LabFile* file, bool keepVisibility);
    /// What reload() without `keepVisibility` reads; may be called on any thread. Throws BadInput for damaged settings.
    static LoadedRuns load(const LabFile& file) {
        LoadedRuns loaded;
        load(loaded, &file, nullptr);
        return loaded;
    }
    void adopt(LoadedRuns loaded);
    /// Reads only the runs `renewed`, which are new or have other names or notes, and removes those `deleted`. Throws
    /// BadInput and changes nothing if reading fails.
    void renewRuns(const LabFile& file, const std::vector<RunId>& renewed, const std::vector<RunId>& deleted = {});
    /// The look of a setting, which the lab file stores.
    void setLook(const SettingLook& look);
    /// Emits runChanged() for each run that changed.
    void apply(const std::vector<Delivery>& deliveries);
    void setVisible(RunId id, bool visible);
    /// All runs, with one signal.
    void setVisible(const std::function<bool(const RunView& run)>& isVisible);
    /// The run or opened model (LabDocument::model) that was picked last, in whatever room; 0 if it is a run that is
    /// not in the lab any more.
    RunId picked() const { return m_picked < 0 || find(m_picked) ? m_picked : 0; }
    void pick(RunId id);
    /// The layer and head that were picked last, in whatever room; −1 for all.
    struct Head {
        std::int64_t layer = -1;
        std::int64_t head = -1;
        bool operator==(const Head&) const = default;
    };
    const std::optional<Head>& pickedHead() const { return m_head; }
    void pickHead(const Head& head);
    /// States, summaries and names, for example after the end of a sweep; of all runs if `only` is empty.
    void refreshRecords(const LabFile& file, const std::vector<RunId>& only = {});

 signals:
    void reloaded();
    /// The state, the losses or the sample of a run changed.
    void runChanged(ropelab::RunId id);
    void visibilityChanged(const std::vector<ropelab::RunId>& runs);
    void runPicked(ropelab::RunId id);
    void headPicked();

 private:
    RunView* entry(RunId id);
    /// Moves the known runs from `before`, whose colours `loaded` has; null: no run is known.
    static void load(LoadedRuns& loaded, const LabFile* file, std::vector<RunView>* before);
    SettingColors m_colors;
    SettingPlaces m_places;
    std::vector<RunView> m_runs;
    mutable std::map<std::vector<std::size_t>, std::vector<std::string>> m_names;  // by the places of the settings
    RunId m_picked = 0;
    std::optional<Head> m_head;  // nullopt until one was picked
};

/// "finished", "412 / 2,000" (step and total steps), "stopped at 300", "stopped at rung 2 of 4, 500 steps".
QString stateText(const RunView& run);

}  // namespace ropelab::ui
