#include <memory>

#include "app/terminal/output.h"
#include "app/terminal/progress.h"
#include "app/terminal/verbs.h"
#include "core/experiment/engine_loader.h"
#include "core/experiment/sheets/ledger.h"
#include "core/experiment/sheets/measuring.h"
#include "core/experiment/stored_run.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/stats/results_table.h"
#include "core/store/lab_file.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    std::string lab;
    std::string format = "text";
    std::string compare = "best_validation_loss";
    std::vector<std::string> baseline;
    std::vector<std::string> merge;
    std::string test = "welch";
    std::string sort;
    std::string until;
    std::string data_dir;
    bool unfinished = false;
    bool measure = false;
    bool json = false;
};

// What the predictions on a lab's sweeps speak of, beside what sheets measure of their own.
void measure_predicted(const Flags& flags) {
    watch_interrupts();
    const auto lab = LabFile::open(flags.lab);
    const auto engine = []() -> Engine& { return open_engine(); };
    for (const StoredSheet& stored : stored_predictions(*lab)) {
        if (measure_runs(*lab, stored.experiment, stored.plan, flags.data_dir, engine, [] { return interrupted(); })) {
            continue;
        }
        throw std::runtime_error("Stopped; the same command goes on from here.");
    }
}

void run(const Flags& flags) {
    if (!flags.merge.empty()) {
        // All of them, before anything is written.
        for (const std::string& other : flags.merge) LabFile::open(other, LabFile::Mode::read);
        const bool there = std::filesystem::exists(flags.lab);
        const auto lab = there ? LabFile::open(flags.lab) : LabFile::create(flags.lab);
        for (const std::string& other : flags.merge) lab->merge(other);
    }
    if (flags.measure) measure_predicted(flags);
    ResultsOptions options;
    options.compare = flags.compare;
    options.unfinished = flags.unfinished;
    options.test = test_kind(flags.test);
    if (!flags.until.empty()) options.target_loss = parse_number(flags.until);
    options.baseline = baseline_settings(flags.baseline);

    std::vector<ResultRun> runs;
    const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
    for (const RunRecord& record : lab->runs()) {
        runs.push_back({stored_settings(record), record.name, record.summary, record.state});
        if (!options.target_loss) continue;
        const auto evaluations = lab->metrics(record.id).evaluations;
        for (std::size_t i = 0; i < evaluations.iteration.size(); ++i) {
            runs.back().evaluations.push_back({evaluations.iteration[i], evaluations.validation_loss[i]});
        }
    }
    if (runs.empty()) throw BadInput("The lab " + flags.lab + " has no runs yet.");
    ResultsTable table = results_table(runs, options);
    if (!flags.sort.empty()) sort_groups(table, flags.sort);
    const std::string format = flags.json ? "json" : flags.format;
    if (format == "text")
        return print_text(results_text(table) +
                          ledgers_text(ledgers_of(*lab), "Add --measure to measure what they speak of."));
    if (format == "csv") return print_text(results_csv(table));
    if (format == "latex") return print_text(results_latex(table));
    if (format == "json") {
        nlohmann::json result = results_json(table);
        result["predictions"] = ledgers_json(ledgers_of(*lab));
        return print_json(result);
    }
    throw BadInput("\"" + format + "\" is no format; it must be text, csv, latex or json.");
}

}  // namespace

void add_results(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb =
        program.add_subcommand("results", "Tables of a lab's runs: mean ± std over seeds, and significance");
    verb->add_option("--lab", flags->lab, "The lab file")->required();
    verb->add_option("--format", flags->format, "text, csv, latex or json")->capture_default_str();
    std::string names;
    for (const Measure& measure : measures()) names += (names.empty() ? "" : ", ") + std::string(measure.name);
    verb->add_option("--compare", flags->compare, "What the tests compare: " + names)->capture_default_str();
    verb->add_option("--baseline", flags->baseline, "key=value of the group that others are compared with")
        ->allow_extra_args(false);
    verb->add_option("--test", flags->test, "What verdicts follow: student, welch or paired (by seed)")
        ->capture_default_str();
    verb->add_option("--sort", flags->sort,
                     "Column to sort by: a swept key, n, a measure as in --compare, improvement, p_student, p_welch, "
                     "p_paired; in descending order as --sort=-theta");
    verb->add_option("--until", flags->until, "Also count the steps until this validation loss, in nats");
    verb->add_option("--merge", flags->merge, "Lab files whose runs are added first, as those of a cluster's jobs");
    CLI::Option* measure =
        verb->add_flag("--measure", flags->measure,
                       "First measure what the predictions on a sweep speak of: retrieval, longer contexts");
    verb->add_option("--data-dir", flags->data_dir, "A folder in which known sets are looked for first")
        ->needs(measure);
    verb->add_flag("--unfinished", flags->unfinished, "Count stopped and failed runs too");
    verb->add_flag("--json", flags->json, "Write JSON")->excludes(verb->get_option("--format"));
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
