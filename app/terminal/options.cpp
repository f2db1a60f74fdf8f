#include "app/terminal/options.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace ropelab::terminal {

namespace {

// CLI11 stores the nearest 64-bit number for a longer one.
std::string why_not_whole(const std::string& text) {
    errno = 0;
    std::strtoll(text.c_str(), nullptr, 0);
    return errno == ERANGE ? text + " is out of range; the largest whole number is 9223372036854775807" : "";
}

std::string why_not_finite(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return end != text.c_str() && !std::isfinite(value) ? text + " is not a finite number" : "";
}

// A script whose variable is not set would otherwise store nothing, or write somewhere else.
std::string why_empty(const std::string& text) {
    return text.empty() ? "the value is empty; give a value, or leave the option out" : "";
}

std::vector<const CLI::Option*> given_options(const CLI::App& app) {
    return app.get_options([](const CLI::Option* option) { return option->count() > 0; });
}

}  // namespace

void check_every_option(CLI::App& program) {
    for (CLI::Option* option : program.get_options()) {
        const std::string type = option->get_type_name();
        if (type.starts_with("FLOAT")) option->check(why_not_finite, "");
        if (type.starts_with("INT") || type.starts_with("UINT")) option->check(why_not_whole, "");
        const bool may_be_empty = option->check_lname("prompt") || option->check_lname("text");
        if (option->get_items_expected_max() > 0 && !may_be_empty) option->check(why_empty, "");
        if (option->get_items_expected_max() == 0) option->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    }
    for (CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
        check_every_option(*command);
}

std::string option_given_twice(const CLI::App& program) {
    for (const CLI::Option* option : given_options(program)) {
        if (option->count() > 1 && option->get_items_expected_max() <= 1) return option->get_name();
    }
    for (const CLI::App* command : program.get_subcommands()) {
        if (const std::string name = option_given_twice(*command); !name.empty()) return name;
    }
    return "";
}

void add_json(CLI::App& verb, bool& json, const char* help) {
    verb.add_flag("--json", json, help);
}

void add_data_dir(CLI::App& verb, std::string& folder) {
    verb.add_option("--data-dir", folder, "Folder that is searched first for known data sets");
}

CLI::Option* add_device_speed(CLI::App& verb, std::string& speed, CLI::Option* plan) {
    return verb
        .add_option("--device-speed", speed,
                    "With --plan: estimate the time for a device with this many floating-point operations per second, "
                    "such as 2e14, or for " +
                        joined(device_peaks(), ", ", &DevicePeak::name) + ", of whose bfloat16 peak " +
                        number_text(100 * peak_share) + " % counts, as large models reach; small models reach less")
        ->needs(plan);
}

TimeModel time_model_of(const std::string& device_speed) {
    return device_speed.empty() ? *machine_time_model() : TimeModel::of_device(device_speed);
}

void add_lab(CLI::App& verb, std::string& lab, bool is_required) {
    verb.add_option("--lab", lab, "Lab file")->required(is_required);
}

void add_run(CLI::App& verb, RunId& run) {
    verb.add_option("--run", run, "Number of the run in the lab file (default: the first run)");
}

void add_baseline(CLI::App& verb, std::vector<std::string>& settings) {
    add_repeated(
        verb, "--baseline", settings,
        "Setting of the baseline (the group of runs with which other groups are compared), as key=value. If "
        "several groups have this setting, each group is compared with the one that has its values of the other "
        "swept settings. Default: the default value of position if position is swept, else of theta, else of "
        "fraction, else of the first other swept setting");
}

void add_test(CLI::App& verb, std::string& test) {
    verb.add_option("--test", test,
                    "Significance test: student, welch, paired (by seed) or permutation (signs of the differences per "
                    "seed, without a normal distribution); auto chooses it for each comparison: "
                    "paired if its two groups share at least two seeds and half of those of the smaller group, else "
                    "welch")
        ->capture_default_str();
}

void add_margin(CLI::App& verb, std::string& margin) {
    verb.add_option("--margin", margin,
                    "Relevance margin in percent of the baseline's mean, or seeds for the standard deviation of the "
                    "seeds: a difference whose 95 % interval lies within it is called equivalent; 0 turns this off "
                    "(default: the margin that the lab file stores, else 0.1)");
}

RunRecord run_of(const LabFile& lab, const std::string& name, RunId run) {
    const auto runs = lab.runs();
    if (runs.empty()) throw BadInput("The lab file " + name + " has no runs; name a lab file with runs.");
    return run == 0 ? runs.front() : lab.run(run);
}

void check_table_format(const std::string& format) {
    choice_of(format, "an output format", {"text", "csv", "latex", "json"});
}

void add_model_precision(CLI::App& verb, std::string& word) {
    verb.add_option(
            "--precision", word,
            "Precision in which the model is computed: float32, bfloat16 (products of matrices) or int8 (weights "
            "of matrices, with one scale per row, on the CPU)" +
                std::string(word.empty() ? " (default: float32, or that in which a run was trained)" : ""))
        ->capture_default_str();
}

Precision parse_model_precision(const std::string& word) {
    return static_cast<Precision>(1 +
                                  choice_of(word, "--precision", {precision_names.begin() + 1, precision_names.end()}));
}

Generation::Mode parse_generation_mode(const std::string& word) {
    const std::size_t place = choice_of(word, "a generation mode", {"recompute", "rolling"});
    return place == 0 ? Generation::Mode::recompute : Generation::Mode::rolling;
}

}  // namespace ropelab::terminal
