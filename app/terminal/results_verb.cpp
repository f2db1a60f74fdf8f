#include <memory>

#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/spec/error.h"
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
    bool unfinished = false;
    bool json = false;
};

void run(const Flags& flags) {
    if (!flags.merge.empty()) {
        const bool there = std::filesystem::exists(flags.lab);
        const auto lab = there ? LabFile::open(flags.lab) : LabFile::create(flags.lab);
        for (const std::string& other : flags.merge) lab->merge(other);
    }
    ResultsOptions options{flags.compare, {}, flags.unfinished};
    for (const std::string& setting : flags.baseline) {
        const auto equals = setting.find('=');
        if (equals == std::string::npos) throw BadInput("\"" + setting + "\" names no baseline; write key=value.");
        options.baseline[setting.substr(0, equals)] = setting.substr(equals + 1);
    }

    std::vector<ResultRun> runs;
    for (const RunRecord& record : LabFile::open(flags.lab, LabFile::Mode::read)->runs()) {
        runs.push_back({nlohmann::json::parse(record.settings), record.name, record.summary, record.state});
    }
    if (runs.empty()) throw BadInput("The lab " + flags.lab + " has no runs yet.");
    const ResultsTable table = results_table(runs, options);
    const std::string format = flags.json ? "json" : flags.format;
    if (format == "text") return print_text(results_text(table));
    if (format == "csv") return print_text(results_csv(table));
    if (format == "latex") return print_text(results_latex(table));
    if (format == "json") return print_json(results_json(table));
    throw BadInput("\"" + format + "\" is no format; it must be text, csv, latex or json.");
}

}  // namespace

void add_results(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb =
        program.add_subcommand("results", "Tables of a lab's runs: mean ± std over seeds, and significance");
    verb->add_option("--lab", flags->lab, "The lab file")->required();
    verb->add_option("--format", flags->format, "text, csv, latex or json")->capture_default_str();
    verb->add_option("--compare", flags->compare, "What the tests compare, as best_validation_loss")
        ->capture_default_str();
    verb->add_option("--baseline", flags->baseline, "key=value of the group that others are compared with")
        ->allow_extra_args(false);
    verb->add_option("--merge", flags->merge, "Lab files whose runs are added first, as those of a cluster's jobs");
    verb->add_flag("--unfinished", flags->unfinished, "Count stopped and failed runs too");
    verb->add_flag("--json", flags->json, "Write JSON");
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
