#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/interop/hf_config.h"
#include "core/rope/rotary_setup.h"

namespace ropelab::terminal {

/// The flags by which the verbs of the rotary rooms are told about a rotary embedding: single settings, or one of a
/// setup's text, a Hugging Face file and a model of the table instead.
class RotaryFlags {
 public:
    /// Adds --head-dim, --fraction, --context, --setup, --hf-config and --model.
    void add_size(CLI::App& verb, const std::string& context_help);
    /// Adds what changes frequencies: --theta, --partial and --layer-type.
    void add_spectrum(CLI::App& verb);
    /// Adds --scaling and its parameters.
    void add_scaling(CLI::App& verb);
    /// A flag of a verb's own that speaks of the model's shape, so that a file or a table row forbids it.
    CLI::Option* add_shape(CLI::App& verb, const std::string& name, std::string& value, const std::string& help);

    /// Whether a file or a row of the table was named.
    bool names_model() const { return !hf_config_.empty() || !model_.empty(); }
    /// Whether --context was given.
    bool gives_context() const { return !context_.empty(); }

    /// What the flags say. Throws BadInput for flags that do not go together or have bad values.
    void read();

    /// The result of read(): the setup (its context is --context where that is given), its frequencies at that length,
    /// and the file's or table's model.
    RotarySetup setup;
    Frequencies frequencies;
    std::optional<HfModel> model;
    std::string layer_type;  // of the model, "" for its first

 private:
    void check_sources() const;
    void read_flags();
    void read_model();
    Scaling read_scaling() const;

    std::string head_dim_ = "64";
    std::string theta_ = "10000";
    std::string fraction_ = "1";
    std::string partial_ = "slice";
    std::string setup_text_;
    std::string hf_config_;
    std::string layer_type_;
    std::string model_;
    std::string context_;

    // A parameter of the scaling methods, with those that read it.
    struct Parameter {
        CLI::Option* option = nullptr;
        std::string text;
        std::vector<ScalingMethod> methods;
    };
    Parameter& parameter(const std::string& flag);
    const std::string* given(const std::string& flag) const;

    std::string scaling_ = "none";
    bool exact_ramp_ = false;
    std::vector<std::pair<std::string, Parameter>> parameters_;
    std::vector<CLI::Option*> single_;  // flags that a setup, a file or a row of the table takes the place of
    std::vector<CLI::Option*> shape_;
};

/// "8192" or "8k" as a whole number within limits. Throws BadInput, naming the flag.
std::int64_t parse_count(const std::string& text, const std::string& flag, std::int64_t low, std::int64_t high);
/// A number above 0 and at most `high`. Throws BadInput, naming the flag.
double parse_positive(const std::string& text, const std::string& flag, double high);

/// Says on standard error which keys of a file were not understood.
void warn_of_unknown_keys(const HfModel& model);
/// A table of a model's values and who says them, for people.
std::string values_text(const HfModel& model);

}  // namespace ropelab::terminal
