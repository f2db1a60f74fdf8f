#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/data/text_mark.h"
#include "core/spec/event.h"
#include "core/spec/probe.h"

namespace ropelab {

/// One experiment of a lab file: its description as JSON text, exactly as it was started.
struct ExperimentRecord {
    std::int64_t id = 0;
    std::string name;
    std::string description;  // JSON
    std::string created;      // UTC, ISO 8601
};

/// One run of a lab file.
struct RunRecord {
    RunId id = 0;
    std::int64_t experiment = 0;
    std::string name;  // editable; at first the run's label
    std::string note;
    std::string settings;    // the run's settings as flat JSON text
    std::string vocabulary;  // Vocabulary::to_text, "" until the run has started
    /// nullopt until the run has started, and for runs of an older RoPE Lab.
    std::optional<TextMark> text;
    RunState state = RunState::waiting;
    std::string message;  // why it failed
    std::optional<RunConditions> conditions;
    std::optional<RunSummary> summary;
    /// Steps whose metrics are in the file.
    std::int64_t iteration = 0;
};

/// A run's measurements in order of iteration. The vectors of `Steps` have equal lengths, and so have those of
/// `Evaluations`. A number that was not finite is NaN.
struct RunMetrics {
    struct Steps {
        std::vector<std::int64_t> iteration;
        std::vector<double> training_loss, gradient_norm, learning_rate;
    } steps;
    struct Evaluations {
        std::vector<std::int64_t> iteration;
        std::vector<double> training_loss, validation_loss;
    } evaluations;
    /// What the run wrote last.
    std::optional<event::Sampled> latest_sample;
};

/// One part of a run's snapshots (core/spec/probe.h names them) over training.
struct SnapshotCourse {
    std::vector<std::int64_t> iteration;  // ascending
    std::vector<ProbeArray> numbers;      // one each
};

/// A run that another program trains or is going to.
struct HeldRun {
    RunId id = 0;
    std::string host;  // "" for this machine, where that program is alive; else nothing is known of it
};

/// What was fixed for an experiment before its runs started, as the rules of its verdicts.
struct DocumentRecord {
    std::int64_t experiment = 0;
    std::string kind;
    std::string text;     // JSON
    std::string created;  // UTC, ISO 8601
};

/// `name.ropelab`: one SQLite database (write-ahead log, or a rollback journal where the file system cannot), with an
/// application id and a versioned schema. Checkpoints lie beside it in `name.ropelab.checkpoints/`. An object belongs
/// to one thread; two objects (of two threads or programs) may have one file open: one writes, others read.
/// Every function throws BadInput for a file that is not a lab, is newer than this program, or cannot be written.
class LabFile {
 public:
    enum class Mode { read, write };

    /// A new, empty lab. Throws BadInput where the file exists already, or checkpoints of a removed lab of this name.
    static std::unique_ptr<LabFile> create(const std::filesystem::path& path);
    /// An existing lab; older schemas are migrated first, also for reading.
    static std::unique_ptr<LabFile> open(const std::filesystem::path& path, Mode mode = Mode::write);
    ~LabFile();

    const std::filesystem::path& path() const { return path_; }
    /// `name.ropelab.checkpoints/`; made when first needed.
    std::filesystem::path checkpoint_folder() const;
    /// Where run `id`'s checkpoint lies (it may not exist).
    std::filesystem::path checkpoint_path(RunId id) const;

    /// What `writes` writes into this lab, all of it or, where it throws, nothing.
    void in_one_transaction(const std::function<void()>& writes);

    std::int64_t add_experiment(const std::string& name, const std::string& description);
    RunId add_run(std::int64_t experiment, const std::string& name, const std::string& settings);
    std::vector<ExperimentRecord> experiments() const;
    /// Fixes a document of an experiment, one of a kind. Throws BadInput where one of this kind is there already, or a
    /// run of the experiment has started; the file itself refuses to change or remove it from then on.
    void add_document(std::int64_t experiment, const std::string& kind, const std::string& text);
    /// Of one experiment, by kind.
    std::vector<DocumentRecord> documents(std::int64_t experiment) const;
    /// Keeps a number that was measured of a run besides its summary, by name; the newest stands. A number that is not
    /// finite is kept as NaN.
    void set_measurement(RunId id, const std::string& name, double value);
    /// By name.
    std::map<std::string, double> measurements(RunId id) const;

    /// Runs that are not deleted, in order of id.
    std::vector<RunRecord> runs() const;
    /// Also one that is deleted.
    RunRecord run(RunId id) const;
    RunMetrics metrics(RunId id) const;
    /// All samples of a run, oldest first.
    std::vector<event::Sampled> samples(RunId id) const;
    /// The iterations after which a run was looked into, ascending.
    std::vector<std::int64_t> snapshots(RunId id) const;
    /// What was seen after that iteration, in float32 and its attention maps to 1/65535; nullopt where nothing was.
    std::optional<ProbeResult> snapshot(RunId id, std::int64_t iteration) const;
    /// One part over training, as "usage.query".
    SnapshotCourse snapshot_course(RunId id, const std::string& part) const;

    /// Makes what was written so far outlast a power cut.
    void sync_log();
    /// Writes events down in one transaction. A run that starts or goes on has no summary until it ends, no
    /// measurements, and nothing recorded after the iteration it goes on from. Progress marks this program's runs
    /// paused or running again; SweepEnded ends those that had no ending of their own. A number that is not finite is
    /// kept as NaN. Events of runs that are not in the file (purged meanwhile) are dropped.
    void record(std::span<const Event> events);
    void set_vocabulary(RunId id, const std::string& vocabulary);
    /// Holds a run to its text: where it `begins`, this one is written down. Throws BadInput where it began with
    /// another one, or where runs of this lab did under the same name.
    void hold_to_text(RunId id, const TextMark& text, bool begins);
    /// Drops everything measured after `iteration`, as when a run goes on from its checkpoint.
    void cut_back(RunId id, std::int64_t iteration);
    /// Runs marked running or paused by a program that ended without a word become stopped. Returns how many. Runs of
    /// another program that is still alive on this machine are left alone, and so are those of another machine, of
    /// which nothing can be known here, unless `other_machines`.
    int recover(bool other_machines = false);
    /// Makes these runs this program's to train, until they end. Throws BadInput, and changes nothing, where another
    /// program holds one of them or has finished it.
    void claim(const std::vector<RunId>& runs);
    /// Runs that other programs train or are going to, so that this one must not. Recover first.
    std::vector<HeldRun> held_runs() const;
    /// Who holds these runs and what to do: one sentence, or one of this machine and one of others. "" for none.
    std::string words_of(const std::vector<HeldRun>& held) const;

    void rename_run(RunId id, const std::string& name);
    void annotate_run(RunId id, const std::string& note);
    /// Hides a run (undo with restore_run); purge removes hidden runs and their checkpoints for good.
    void delete_run(RunId id);
    void restore_run(RunId id);
    void purge();

    /// A copy under another name, checkpoints too, through SQLite's backup interface. The copy is written beside the
    /// target and renamed, so that an interrupted save leaves the target as it was. Throws BadInput where the target is
    /// this lab, something else than a lab, or a lab that is open.
    void save_as(const std::filesystem::path& target) const;
    /// Adds the experiments and runs of another lab (with new ids), their documents, measurements and checkpoints. Of
    /// runs that are already here (same settings, same measurements), each standing for one, only a missing checkpoint
    /// is added. A run that was in training comes as stopped. Returns how many runs were added.
    int merge(const std::filesystem::path& other);

    /// Opaque.
    struct Database;

 private:
    LabFile(std::filesystem::path path, std::unique_ptr<Database> database);
    std::filesystem::path path_;
    std::unique_ptr<Database> database_;
};

}  // namespace ropelab
