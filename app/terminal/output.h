#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/numbers.h"

namespace ropelab::terminal {

// Nothing else writes to standard output. Both throw WriteError if the text cannot be written completely.

/// Always valid JSON: numbers that are not finite become null, and bytes that are not UTF-8 become U+FFFD.
void print_json(const nlohmann::json& json);
void print_text(const std::string& text);

/// "nan" or "inf" if it is not finite.
std::string decimals_text(double value, int decimals);

/// Standard input if `file` is "-". Throws BadInput if the file cannot be read.
std::string read_all(const std::string& file);
/// Standard input if `file` is "-". Throws BadInput, naming the file, if it is not JSON or an object names a key twice.
nlohmann::json read_json(const std::string& file);
/// Throws BadInput if JSON is to be printed to standard output, too.
void check_one_output(const std::string& output, bool json);

/// On standard error. Redrawn in place on a terminal, else printed at most every five seconds.
class ProgressLine {
 public:
    ProgressLine();
    ~ProgressLine() { end(); }
    /// Unless the last update is too recent.
    void show(const std::string& text);
    /// Further output starts on a new line.
    void end();
    /// Shows the last update, however recent the one before is.
    void end(const std::string& text);

 private:
    bool terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point last_{};
};

/// SIGINT (Ctrl-C), SIGTERM and SIGHUP (a closed terminal): the first signal only sets interrupted(), the second one
/// ends the program.
void watch_interrupts();
bool interrupted();

}  // namespace ropelab::terminal
