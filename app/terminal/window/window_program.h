#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ropelab::terminal {

/// Replaces this process (exec) by the window program ropelab with these arguments and without a display. Only ropelab
/// links Qt, so that ropelab-cli runs on clusters without Qt. Throws BadInput if ropelab is not in the folder of this
/// program; `what` names the feature in the message (plural: "Figures").
[[noreturn]] void become_window_program(const std::string& what, std::vector<std::string> arguments);

/// Runs the program `ropelab`, which lies beside this program, with these arguments and without a display, and waits
/// until it ends. Returns whether it succeeded. Throws BadInput like become_window_program if there is no such program.
bool run_window_program(const std::string& what, std::vector<std::string> arguments);

/// Flags of a command whose work the window program does, such as an animation. Their values are fields of the job, a
/// JSON object; the window program checks the ranges.
class JobFlags {
 public:
    /// Add a flag whose value is a text or a number, and the field `key` of the job. The flags must outlive the
    /// command.
    void add_text(CLI::App& verb, const char* key, const char* flag, const char* help) {
        add(verb, key, {flag, false}, help);
    }
    void add_number(CLI::App& verb, const char* key, const char* flag, const char* help) {
        add(verb, key, {flag, true}, help);
    }
    /// Adds the flag --json, with which the window program prints the written files as JSON.
    void add_json(CLI::App& verb) { verb.add_flag("--json", json_, "Print the written files as JSON"); }

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
