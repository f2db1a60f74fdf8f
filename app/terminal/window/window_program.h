#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ropelab::terminal {

/// exec without a display. Only ropelab links Qt, so that ropelab-cli runs on clusters without Qt. Throws BadInput if
/// ropelab is not in the folder of this program; `what` names the feature in the message (plural: "Figures").
[[noreturn]] void become_window_program(const std::string& what, std::vector<std::string> arguments);

/// Without a display; waits and returns what `ropelab`, beside this program, printed, or nullopt if it failed. Throws
/// BadInput like become_window_program if there is no such program.
std::optional<std::string> run_window_program(const std::string& what, std::vector<std::string> arguments);

/// For work of the window program. Values are fields of the job, a JSON object; the window program checks ranges.
class JobFlags {
 public:
    /// For the options below. The flags must outlive the command.
    void begin(CLI::App& verb) { verb_ = &verb; }
    /// A text or a number, the field `key` of the job.
    void text(const char* key, const char* flag, const char* help) { add(key, {flag, false}, help); }
    void number(const char* key, const char* flag, const char* help) { add(key, {flag, true}, help); }
    void json() { verb_->add_flag("--json", json_, "Print the names of the written files as JSON"); }

    /// In the mode `mode` ("--replay"), with the job and the fields that the user typed. Throws BadInput for a text
    /// that is no number, and like become_window_program().
    [[noreturn]] void run(const std::string& what, const std::string& mode, nlohmann::json job) const;

 private:
    struct Field {
        std::string flag;
        bool is_number = false;
        std::string value = {};  // "" if the flag is not given
    };
    void add(const char* key, const Field& field, const char* help);

    CLI::App* verb_ = nullptr;
    std::map<std::string, Field> fields_;  // by key
    bool json_ = false;
};

}  // namespace ropelab::terminal
