#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/run/checkpoint.h"

namespace ropelab::terminal {

/// The options --lab, --run and --checkpoint of commands that evaluate one trained run.
struct TrainedRunFlags {
    std::string lab;
    RunId run = 0;  // 0: the first run of the lab
    std::string checkpoint;

    /// Adds the options to a command.
    void add_to(CLI::App& verb);
    /// Reads the checkpoint that the options name. Throws BadInput if they name none or there is no such file.
    Checkpoint read() const;
};

}  // namespace ropelab::terminal
