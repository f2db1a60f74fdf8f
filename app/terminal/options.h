#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "core/contract/engine.h"
#include "core/forecast/time_model.h"
#include "core/store/lab_file.h"

namespace ropelab::terminal {

/// Stricter than CLI11: infinite numbers, whole numbers beyond 64 bits, empty values and flags that are given twice are
/// errors.
void check_every_option(CLI::App& program);

/// Has one value, such as "--lab"; "" if there is none. Call it after parsing has failed.
std::string option_given_twice(const CLI::App& program);

/// The flags live as long as the command, which calls `run` with them.
template <typename Flags, typename Run>
Flags& with_flags(CLI::App& verb, Run run) {
    auto flags = std::make_shared<Flags>();
    verb.callback([flags, run] { run(*flags); });
    return *flags;
}

/// A command of a command, with --json. They share the flags, which live as long as they do.
template <typename Flags>
CLI::App* add_part(CLI::App& verb, const std::shared_ptr<Flags>& flags, const char* name,
                   const std::string& description, void (*run)(const Flags&)) {
    CLI::App* part = verb.add_subcommand(name, description);
    part->add_flag("--json", flags->json, "Print the result as JSON");
    part->callback([flags, run] { run(*flags); });
    return part;
}

void add_json(CLI::App& verb, bool& json, const char* help = "Print the result as JSON");
void add_data_dir(CLI::App& verb, std::string& folder);
/// --device-speed, which needs --plan; and the model of times that it means, this machine's for "".
CLI::Option* add_device_speed(CLI::App& verb, std::string& speed, CLI::Option* plan);
TimeModel time_model_of(const std::string& device_speed);
/// --lab, which must be given.
void add_lab(CLI::App& verb, std::string& lab, bool is_required = true);
/// 0: the first run of the lab.
void add_run(CLI::App& verb, RunId& run);
/// --set, --baseline or another option that takes one value each time it is given.
template <typename Value>
void add_repeated(CLI::App& verb, const char* name, std::vector<Value>& values, const std::string& help) {
    verb.add_option(name, values, help)->allow_extra_args(false);
}
void add_baseline(CLI::App& verb, std::vector<std::string>& settings);
void add_test(CLI::App& verb, std::string& test);
void add_margin(CLI::App& verb, std::string& margin);

/// `name`: the user's name of the lab. Throws BadInput if there is no such run.
RunRecord run_of(const LabFile& lab, const std::string& name, RunId run);
/// text, csv, latex or json.
void check_table_format(const std::string& format);
/// --precision of models that others trained.
void add_model_precision(CLI::App& verb, std::string& word);
Precision parse_model_precision(const std::string& word);
/// "recompute" or "rolling". Throws BadInput for any other word.
Generation::Mode parse_generation_mode(const std::string& word);

}  // namespace ropelab::terminal
