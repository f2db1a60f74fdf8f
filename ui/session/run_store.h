#pragma once

#include <QObject>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/spec/run_spec.h"
#include "core/store/lab_file.h"
#include "ui/figure/figure.h"
#include "ui/session/event_queue.h"
#include "ui/session/setting_colors.h"

namespace ropelab::ui {

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
    Ink ink;                               // colour and dash pattern of the setting, in the shade of the seed
    bool pinned = false;                   // the user pinned the setting
    std::string settingName;               // the user's name for the setting; "" for none
    QString name;                          // as lists and figures show the run (shown_run_name)
    std::vector<std::int64_t> rungs;       // iterations at which successive halving compares the run; empty without
};

/// Runs are read from the file once and then updated by the events of training. The metrics of single steps are too
/// large to be stored here: a plot that needs them copies them from arrived() while reloaded() is emitted.
class RunStore : public QObject {
    Q_OBJECT

 public:
    explicit RunStore(QObject* parent = nullptr);

    /// In the order of their ids.
    const std::vector<RunView>& runs() const { return m_runs; }
    /// Null if there is none, for example because the run was deleted while its events were queued.
    const RunView* find(RunId id) const;

    /// Parsed only once; valid until the next call for this id. Throws BadInput if the settings are damaged.
    const nlohmann::json& settingsOf(const RunView& run) const;

    /// Metrics that the latest reload() added; null unless reloaded() is being emitted. Receivers share this one copy.
    const RunMetrics* arrived(RunId id) const;

    SettingColors& colors() { return m_colors; }
    const SettingColors& colors() const { return m_colors; }

    /// New runs are visible if they belong to the latest experiment. With `keepVisibility`, known runs keep their data
    /// and visibility, and settings keep their colours even if the file could not store them. Null empties the list.
    void reload(const LabFile* file, bool keepVisibility);
    /// Emits runChanged() for each run that changed.
    void apply(const std::vector<Delivery>& deliveries);
    void setVisible(RunId id, bool visible);
    /// States, summaries and names, for example after the end of a sweep.
    void refreshRecords(const LabFile& file);

 signals:
    void reloaded();
    /// The state, the losses or the sample of a run changed.
    void runChanged(ropelab::RunId id);
    void visibilityChanged(ropelab::RunId id);

 private:
    RunView* entry(RunId id);
    void applyColors(const LabFile* file, bool keep);
    static void renewName(RunView& run);
    void applyRungs(const LabFile* file);
    SettingColors m_colors;
    std::vector<RunView> m_runs;
    struct ParsedSettings {
        std::string text;  // from which they were parsed
        nlohmann::json values;
    };
    mutable std::map<RunId, ParsedSettings> m_settings;
    std::map<RunId, RunMetrics> m_arrived;
};

/// "finished", "412 / 2,000" (step and total steps), "stopped at 300", "stopped at rung 2 of 4, 500 steps".
QString stateText(const RunView& run);

}  // namespace ropelab::ui
