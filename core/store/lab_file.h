#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/contract/event.h"
#include "core/contract/probe.h"
#include "core/data/text_source.h"

namespace ropelab {

struct LabDatabase;

struct ExperimentRecord {
    std::int64_t id = 0;
    std::string name;
    std::string description;  // JSON text, exactly as the experiment was started
    std::string created;      // UTC, ISO 8601
};

struct RunRecord {
    RunId id = 0;
    std::int64_t experiment = 0;
    std::string name;        // editable; initially the run's label
    std::string note;        // written by the user
    std::string settings;    // the run's settings as flat JSON text
    std::string vocabulary;  // as Vocabulary::to_text returns it; empty until the run has started
    /// Mean over the validation split; NaN until the run has started, and in older labs if characters differ in size.
    double bytes_per_token = RunSummary::unknown;
    /// nullopt until the run has started, and for runs of older program versions.
    std::optional<TextMark> text;
    RunState state = RunState::waiting;
    std::string message;  // error message of a failed run
    std::optional<RunConditions> conditions;
    std::optional<RunSummary> summary;
    /// The last training step whose metrics are in the file.
    std::int64_t iteration = 0;
};

/// Ascending; vectors of equal lengths. Infinities are NaN. Losses are in nats per token.
struct RunMetrics {
    struct Steps {
        std::vector<std::int64_t> iteration;
        std::vector<double> training_loss, gradient_norm, learning_rate;
        std::vector<double> time;  // seconds since 1970 (UTC); NaN for steps of older program versions
    } steps;
    struct Evaluations {
        std::vector<std::int64_t> iteration;
        std::vector<double> training_loss, validation_loss;
        std::vector<double> time;  // as in Steps
    } evaluations;
    std::optional<event::Sampled> latest_sample;
};

struct ClaimedRun {
    RunId id = 0;
    std::string host;  // machine of that program; empty if it is alive on this machine
};

/// Preregistered: fixed before the runs start.
struct DocumentRecord {
    std::int64_t experiment = 0;
    std::string kind;     // such as "predictions"
    std::string text;     // JSON
    std::string created;  // UTC, ISO 8601
};

/// Result of later work on a run, such as a conversion of heads.
struct LaterResult {
    RunId run = 0;
    std::string kind;     // such as "head-conversion"
    std::string text;     // JSON
    std::string created;  // UTC, ISO 8601
};

/// A setting is all runs that differ only in their seed.
struct SettingLook {
    std::string settings;   // the settings without the seed, as flat JSON text
    int color = 0;          // index of colour and dash pattern, from 0
    bool pinned = false;    // listed first; the colour is never given to another setting
    std::string name = {};  // the user's name for the setting; "" for none
    bool operator==(const SettingLook&) const = default;
};

/// The file need not exist. Symbolic links are followed, so that the log, the checkpoints and the lock of a lab are
/// beside the file itself. A link with checkpoints beside it (earlier versions), whose file has none, stays as it is.
std::filesystem::path lab_file_of(const std::filesystem::path& path);
struct AnswerRecord {
    std::string id;        // unique among all labs; add_answers() makes one if it is empty
    std::string lecture;   // title of the lecture
    std::string scene;     // id of the scene
    std::string question;  // its text
    std::string kind;      // "choice", "number" or "curve"
    /// JSON: text of the choice, number (null for "none"), or {"x": […], "y": […]} of a curve.
    std::string given;
    /// In the same form; "null" if there was none.
    std::string truth;
    /// JSON: "choices"; "unit" and "tolerance"; or the axes "x" and "y" with "label", "unit" and "logarithmic", …
    std::string details = "{}";
    bool right = false;
    /// In the unit of the answer, in decades for a curve on a logarithmic axis; NaN for a choice.
    double distance = std::numeric_limits<double>::quiet_NaN();
    std::int64_t people = 1;  // how many people gave this answer, as in a show of hands
    std::string created;      // UTC, ISO 8601; add_answers() takes the current time if it is empty
    std::string group;        // name of the group that was asked; "" for none
};

/// By another program, while open. The message is a clause: "x.ropelab was removed while it was in use".
class LabLost : public std::runtime_error {
 public:
    LabLost(const std::string& clause, bool is_readable) : std::runtime_error(clause), is_readable_(is_readable) {}
    /// The open file still has the content of the lab, so that LabFile::save_as() can copy it.
    bool is_readable() const { return is_readable_; }

 private:
    bool is_readable_;
};

/// An SQLite database with an application id and a versioned schema; it uses a write-ahead log, or a rollback journal
/// if the file system does not support the log. Checkpoints are in `name.ropelab.checkpoints/` next to it. A LabFile
/// must be used by one thread only. Several LabFiles, in several threads or programs, can open the same file: one
/// writes, the others read. Every function throws BadInput if the file is not a lab, was written by a newer program or
/// cannot be written.
class LabFile {
 public:
    enum class Mode { read, write };

    /// Throws BadInput if the file, or checkpoints of a deleted lab, exist. A link to a missing file stays a link.
    static std::unique_ptr<LabFile> create(const std::filesystem::path& given);
    /// A lab with an older schema is migrated first, even if it is opened for reading.
    static std::unique_ptr<LabFile> open(const std::filesystem::path& given, Mode mode = Mode::write);
    ~LabFile();

    /// lab_file_of() the path with which it was opened.
    const std::filesystem::path& path() const { return path_; }
    /// Creates `name.ropelab.checkpoints/` if necessary.
    std::filesystem::path checkpoint_folder() const;
    /// The file may not exist.
    std::filesystem::path checkpoint_path(RunId id) const;

    /// If `writes` throws, none of its changes are stored.
    void in_one_transaction(const std::function<void()>& writes);

    /// `description` is JSON text.
    std::int64_t add_experiment(const std::string& name, const std::string& description);
    /// A waiting run; `settings` is flat JSON text. Throws BadInput if there is no such experiment.
    RunId add_run(std::int64_t experiment, const std::string& name, const std::string& settings);
    std::vector<ExperimentRecord> experiments() const;
    /// A document cannot be changed or removed afterwards; triggers in the database enforce this. Throws BadInput if
    /// the experiment already has a document of this kind or one of its runs has started.
    void add_document(std::int64_t experiment, const std::string& kind, const std::string& text);
    std::vector<DocumentRecord> documents(std::int64_t experiment) const;
    /// nullopt if there is none.
    std::optional<std::string> document(std::int64_t experiment, const std::string& kind) const;
    /// Not in the summary; replaces an earlier value. A value that is not finite is stored as NaN.
    void set_measurement(RunId id, const std::string& name, double value);
    std::map<std::string, double> measurements(RunId id) const;

    /// JSON text, beside earlier results of the same kind. Throws BadInput if there is no such run.
    void add_later_result(RunId id, const std::string& kind, const std::string& text);
    /// Without deleted runs, in the order of the runs, oldest first.
    std::vector<LaterResult> later_results(const std::string& kind) const;

    /// For precision=auto; nullopt if no such run has begun. In earlier labs it is that of the first such run.
    std::optional<ExperimentPrecision> precision_of_experiment(std::int64_t experiment) const;
    /// If it is not settled yet. Returns the precision that holds.
    ExperimentPrecision settle_precision(std::int64_t experiment, const ExperimentPrecision& measured);
    /// JSON text; "" if nothing is stored.
    std::string choice(const std::string& name) const;
    void set_choice(const std::string& name, const std::string& value);

    /// In one transaction; known ids are skipped. Throws BadInput for an unknown kind, no people, or text that is no
    /// JSON.
    void add_answers(std::span<const AnswerRecord> answers);
    /// In one transaction; unknown ids are ignored. add_answers() restores them.
    void delete_answers(std::span<const std::string> ids);
    std::vector<AnswerRecord> answers() const;

    /// Deleted ones are left out.
    std::vector<RunRecord> runs() const;
    /// Even if it is marked as deleted. Throws BadInput if there is none with this id.
    RunRecord run(RunId id) const;
    RunMetrics metrics(RunId id) const;
    /// As metrics(), without the steps, which are most of a lab.
    RunMetrics metrics_of_evaluations(RunId id) const;
    using StepValues = std::vector<double> RunMetrics::Steps::*;
    /// Only the iterations and `quantity`, which is training_loss, gradient_norm or learning_rate.
    RunMetrics::Steps steps(RunId id, StepValues quantity) const;
    std::vector<event::Sampled> samples(RunId id) const;
    /// At most the newest 1,000.
    std::vector<std::int64_t> snapshots(RunId id) const;
    /// Throws BadInput if it is damaged, such as longer than the run's context. Values have float32 precision,
    /// attention weights a precision of 1/65535.
    std::optional<ProbeResult> snapshot(RunId id, std::int64_t iteration) const;

    /// Merges and syncs the log, so that the file alone is the whole lab and can be renamed. Throws WriteError or
    /// BadInput if that fails; the file must then be discarded. Nothing may be written to it afterwards.
    void settle_in_one_file();
    /// A power failure cannot lose changes afterwards.
    void sync_log();
    /// In one transaction. When a run starts or resumes, its summary, its measurements and everything recorded after
    /// the iteration from which it resumes are deleted. Progress marks the runs of this program as paused or running.
    /// SweepEnded ends the runs that have not ended yet. A number that is not finite is stored as NaN. Events of runs
    /// that are no longer in the file are ignored. Throws LabLost if the file is no longer this lab.
    void record(std::span<const Event> events);
    /// Throws LabLost if another file, or none, is now at path(). Thread-safe.
    void require_same_file() const;
    /// SQLite would replay the log into the file that is now at path(). Nothing may be written afterwards.
    void abandon();
    /// In the form of Vocabulary::to_text. `bytes_per_token`: RunRecord::bytes_per_token.
    void set_vocabulary(RunId id, const std::string& vocabulary, double bytes_per_token = RunSummary::unknown);
    /// If the run `begins`, stores `text`. BadInput if it, or a run with this text name, began with a different text.
    void bind_to_text(RunId id, const TextMark& text, bool begins);
    /// What `from` recorded up to `iteration`, text, vocabulary and conditions, without the evaluation at `without`
    /// (-1: none). The waiting run `to` is then stopped, with this summary.
    void copy_history(RunId from, RunId to, std::int64_t iteration, std::int64_t without, const RunSummary& summary);
    /// The run resumes from a checkpoint of `iteration`.
    void discard_after(RunId id, std::int64_t iteration);
    /// Marks runs as stopped that are still marked as running or paused although their program has terminated. Returns
    /// their number. Runs of a program that is alive on this machine are unchanged. Runs of other machines are
    /// unchanged unless `other_machines`, because this program cannot find out whether those are still trained.
    int recover(bool other_machines = false);
    /// Until the runs end. Throws BadInput, changing nothing, if another program has claimed or finished one.
    void claim(const std::vector<RunId>& runs);
    /// Other programs train or have claimed them. Call `recover` first.
    std::vector<ClaimedRun> claimed_runs() const;
    /// Which machines train these runs and what the user can do, one sentence per machine; empty if `foreign` is.
    std::string words_of(const std::vector<ClaimedRun>& foreign) const;

    void rename_run(RunId id, const std::string& name);
    void annotate_run(RunId id, const std::string& note);
    /// Oldest first, also of settings without runs.
    std::vector<SettingLook> setting_looks() const;
    /// In one transaction; each replaces the look of the same settings.
    void set_setting_looks(std::span<const SettingLook> looks);
    void delete_run(RunId id);
    void restore_run(RunId id);
    /// Permanent, with checkpoints.
    void purge();

    /// With checkpoints. The copy is written to a temporary file and then renamed, so that a save that fails leaves the
    /// target unchanged. A link stays a link: the file that it names is replaced. Throws BadInput if the target is
    /// this lab, a lab that is open, or a file that is not a lab.
    void save_as(const std::filesystem::path& given) const;
    /// Experiments and runs get new ids and come with their documents, measurements, later results and checkpoints. A
    /// setting that only the other lab has keeps its colour, unless a setting of this lab has the same one; settings
    /// without a name here get that of the other lab. If this lab already has an equal run (equal settings and
    /// metrics), only a missing checkpoint and the later results that it lacks are added; each run of this lab matches
    /// at most one run of the other lab. A run that was being trained is added as stopped. Answers to questions are
    /// added unless this lab has them. Returns the number of added runs.
    int merge(const std::filesystem::path& other);

 private:
    LabFile(std::filesystem::path path, std::unique_ptr<LabDatabase> database);
    std::filesystem::path path_;
    std::unique_ptr<LabDatabase> database_;
};

/// Throws BadInput unless the file begins as a lab does; before a file that a stranger names is copied.
void require_lab_header(const std::filesystem::path& path);

}  // namespace ropelab
