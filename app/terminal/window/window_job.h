#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace ropelab::terminal {

/// Flags of a command whose work the window program does, such as an animation. Their values are fields of the job, a
/// JSON object; the window program checks the ranges.
class JobFlags {
 public:
    /// Adds a flag whose value is a text, and the field `key` of the job. The flags must outlive the command.
    void add_text(CLI::App& verb, const char* key, const char* flag, const char* help);
    /// Adds a flag whose value is a number, and the field `key` of the job.
    void add_number(CLI::App& verb, const char* key, const char* flag, const char* help);
    /// Adds the flag --json, with which the window program prints the written files as JSON.
    void add_json(CLI::App& verb);

    /// Replaces this process by the window program, in the mode `mode` ("--replay"), with the job and the fields that
    /// the user typed. Throws BadInput for a text that is no number, and like become_window_program(), whose `what` it
    /// takes.
    [[noreturn]] void run(const std::string& what, const std::string& mode, nlohmann::json job) const;

 private:
    struct Field {
        std::string flag;
        bool is_number = false;
        std::string value = {};  // "" if the flag is not given
    };
    void add(CLI::App& verb, const char* key, const Field& field, const char* help);

    std::map<std::string, Field> fields_;  // by key
    bool json_ = false;
};

}  // namespace ropelab::terminal
