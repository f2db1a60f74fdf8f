#pragma once

#include <CLI/CLI.hpp>

namespace ropelab::terminal {

// Each function adds one command (a "verb") with its callback, which throws BadInput for bad input (exit status 2) and
// std::runtime_error for a failure (exit status 1), with a one-line message.

void add_frequencies(CLI::App& program);
void add_context(CLI::App& program);
void add_cache(CLI::App& program);
void add_anatomy(CLI::App& program);
void add_quantity(CLI::App& program);
void add_rotate(CLI::App& program);
void add_data(CLI::App& program);
/// `train` (one run) and `sweep` (every run of an experiment).
void add_train(CLI::App& program);
void add_reproduce(CLI::App& program);
void add_probe(CLI::App& program);
void add_perplexity(CLI::App& program);
void add_logits(CLI::App& program);
void add_sample(CLI::App& program);
void add_convert_heads(CLI::App& program);
void add_compress(CLI::App& program);
void add_decompress(CLI::App& program);
void add_results(CLI::App& program);
void add_figure(CLI::App& program);
void add_verify(CLI::App& program);
void add_animate(CLI::App& program);
void add_report(CLI::App& program);
void add_replay(CLI::App& program);
void add_lecture(CLI::App& program);
void add_export(CLI::App& program);
void add_import(CLI::App& program);
void add_doctor(CLI::App& program);
void add_engine(CLI::App& program);
void add_bench(CLI::App& program);

}  // namespace ropelab::terminal
