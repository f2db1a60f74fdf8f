#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

namespace ropelab::terminal {

// Nothing else in the program writes to standard output. Both functions throw WriteError if the text cannot be written
// completely (a full disk, a closed pipe).

/// Prints `json` and a newline to standard output. The output is always valid JSON: numbers that are not finite become
/// null, and bytes that are not UTF-8 become U+FFFD.
void print_json(const nlohmann::json& json);
/// Prints `text` to standard output, without a newline of its own.
void print_text(const std::string& text);
/// Returns a number of things: "1 run", "3 runs".
std::string counted(std::int64_t count, const std::string& word);

/// Formats a number with a fixed number of decimals; "nan" or "inf" if it is not finite.
std::string decimals_text(double value, int decimals);

/// Returns the contents of a file, or of standard input if `file` is "-". Throws BadInput if the file cannot be read.
std::string read_all(const std::string& file);
/// Parses a file, or standard input if `file` is "-", as JSON. Throws BadInput, naming the file, if it cannot be read
/// or is not JSON, and if an object names a key twice.
nlohmann::json read_json(const std::string& file);
/// Throws BadInput if `output` is standard output and the result is to be printed there as JSON, too.
void check_one_output(const std::string& output, bool json);

/// A progress line on standard error. A failure to print it is ignored, so that it cannot end what it reports. It is
/// redrawn in place on a terminal; otherwise a new line is printed at most every five seconds.
class ProgressLine {
 public:
    /// Detects whether standard error is a terminal.
    ProgressLine();
    ~ProgressLine() { end(); }
    /// Displays `text`, unless the last update is too recent.
    void show(const std::string& text);
    /// Ends the line, so that further output starts on a new line.
    void end();

 private:
    bool terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point last_{};
};

/// Installs handlers of SIGINT (Ctrl-C) and SIGTERM: the first signal only sets interrupted(), the second one ends the
/// program.
void watch_interrupts();
/// Returns whether SIGINT or SIGTERM was received since watch_interrupts().
bool interrupted();

}  // namespace ropelab::terminal
