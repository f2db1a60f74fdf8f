#pragma once

#include <CLI/CLI.hpp>

namespace ropelab::terminal {

// Each adds one verb to the program: its flags, and what it does as the verb's callback. A callback throws BadInput for
// bad input (exit status 2) and std::runtime_error for a failed run (1), with one sentence each.

void add_frequencies(CLI::App& program);
void add_context(CLI::App& program);
void add_cache(CLI::App& program);
void add_rotate(CLI::App& program);
void add_data(CLI::App& program);
void add_train(CLI::App& program);
void add_reproduce(CLI::App& program);
void add_probe(CLI::App& program);
void add_sample(CLI::App& program);
void add_results(CLI::App& program);
void add_figure(CLI::App& program);
void add_replay(CLI::App& program);
void add_export(CLI::App& program);
void add_doctor(CLI::App& program);
void add_bench(CLI::App& program);

}  // namespace ropelab::terminal
