#pragma once

#include <chrono>
#include <string>

namespace ropelab::terminal {

/// One line of progress on standard error: redrawn in place on a terminal, else a new line every few seconds.
class ProgressLine {
 public:
    ProgressLine();
    ~ProgressLine() { end(); }
    void show(const std::string& text);
    /// Leaves the line as it is; the next output starts below.
    void end();

 private:
    bool terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point last_{};
};

/// From now on an interrupt (Ctrl-C) or a termination signal is only noted; the second one ends the program.
void watch_interrupts();
/// Whether one came.
bool interrupted();

}  // namespace ropelab::terminal
