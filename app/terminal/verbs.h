#pragma once

#include <CLI/CLI.hpp>

namespace ropelab::terminal {

// Each function adds one command (a "verb") to the program: its flags and the callback that runs it. A callback throws
// BadInput for bad input (exit status 2) and std::runtime_error for a failure (exit status 1), with a one-line message.

/// Adds the command `frequencies`: the frequencies and wavelengths of rotary pairs.
void add_frequencies(CLI::App& program);
/// Adds the command `context`: the context that a base supports, and feasible bases.
void add_context(CLI::App& program);
/// Adds the command `cache`: the memory of the RoPE cache and of the KV cache.
void add_cache(CLI::App& program);
/// Adds the command `anatomy`: the stages of a model from tokens to logits.
void add_anatomy(CLI::App& program);
/// Adds the command `quantity`: the value of a named quantity of a rotary setup or a lab.
void add_quantity(CLI::App& program);
/// Adds the command `lecture`: checks, examples and a list of lectures.
void add_lecture(CLI::App& program);
/// Adds the command `rotate`: rotation of queries or keys given as JSON.
void add_rotate(CLI::App& program);
/// Adds the command `data`: listing, downloading, generating and cleaning data sets.
void add_data(CLI::App& program);
/// Adds the commands `train` (one run) and `sweep` (every run of an experiment).
void add_train(CLI::App& program);
/// Adds the command `reproduce`: retraining of published experiments.
void add_reproduce(CLI::App& program);
/// Adds the command `probe`: measurements inside a trained run.
void add_probe(CLI::App& program);
/// Adds the command `sample`: text generation with a trained run.
void add_sample(CLI::App& program);
/// Adds the command `convert-heads`: a trained run with fewer key and value heads.
void add_convert_heads(CLI::App& program);
/// Adds the command `compress`: compression of a text with a trained run and an arithmetic coder.
void add_compress(CLI::App& program);
/// Adds the command `decompress`: the reverse of `compress`.
void add_decompress(CLI::App& program);
/// Adds the command `results`: tables of results and significance tests.
void add_results(CLI::App& program);
/// Adds the command `figure`: figures as PDF, SVG, PNG, CSV or PGFPlots.
void add_figure(CLI::App& program);
/// Adds the command `verify`: an exported figure is computed again and compared.
void add_verify(CLI::App& program);
/// Adds the command `animate`: a rotary figure over positions, theta or pairs as an animation.
void add_animate(CLI::App& program);
/// Adds the command `class` to the command `lecture`: an experiment per student, and the pooled results of a class.
void add_lecture_class(CLI::App& lecture);
/// Adds the commands `handout` and `slides` to the command `lecture`: a lecture on paper and as pages.
void add_lecture_documents(CLI::App& lecture);
/// Adds the command `answers` to the command `lecture`: a table of the answers that a lab stores.
void add_lecture_answers(CLI::App& lecture);
/// Adds the command `report`: a report of a lab as Markdown, HTML and LaTeX.
void add_report(CLI::App& program);
/// Adds the command `replay`: a run's training as an animation.
void add_replay(CLI::App& program);
/// Adds the command `export`: curves as TensorBoard event files or CSV.
void add_export(CLI::App& program);
/// Adds the command `doctor`: a report on this machine, and the check of its CUDA device.
void add_doctor(CLI::App& program);
/// Adds the command `bench`: benchmarks of training, generation, rotation and program start.
void add_bench(CLI::App& program);

}  // namespace ropelab::terminal
