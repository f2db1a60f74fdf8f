#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/interop/config/hf_config.h"
#include "core/plan/model_plan.h"
#include "core/rope/rotary_setup.h"

namespace ropelab::terminal {

/// In the help of options that also read numbers such as 10k.
inline constexpr const char* number_type = "NUMBER";

/// "slice" or "truncate". Throws BadInput for any other word.
Partial parse_partial(const std::string& word);
/// "1,1.5,2". Throws BadInput if a part is not a number.
std::vector<double> parse_list(const std::string& text);

/// For frequencies, context and cache: individual settings, or instead one of a setup's text (--setup), a Hugging Face
/// config.json (--hf-config) and a known model (--model).
class RotaryFlags {
 public:
    /// --head-dim, --fraction, --context, --setup, --hf-config and --model.
    void add_size(CLI::App& verb, const std::string& context_help);
    /// --theta, --partial and --layer-type.
    void add_spectrum(CLI::App& verb);
    /// With the parameters of the scaling methods.
    void add_scaling(CLI::App& verb);
    /// A part of the model's shape, which cannot be combined with --hf-config or --model.
    CLI::Option* add_shape(CLI::App& verb, const std::string& name, std::string& value, const std::string& help);

    bool names_model() const { return !hf_config_.empty() || !model_.empty(); }
    bool gives_context() const { return !context_.empty(); }

    /// Sets the public members below. Throws BadInput for invalid values and for flags that cannot be combined, and,
    /// unless `allows_others`, for a model without rotary embeddings; else such a model sets `model` and the context.
    void parse(bool allows_others = false);

    // The results of parse().
    RotarySetup setup;             // the setup; its context is --context if that is given
    FrequencySettings settings;    // the parameters of the frequencies, with the scaling
    Frequencies frequencies;       // the frequencies, at the length --context if that is given
    std::optional<HfModel> model;  // the model of --hf-config or --model
    std::string layer_type;        // the chosen layer type of the model; "" for its first one

 private:
    void check_sources() const;
    void parse_flags();
    void load_model(bool allows_others);
    Scaling scaling_of_flags() const;

    std::string head_dim_ = "64";
    std::string theta_ = "10000";
    std::string fraction_ = "1";
    std::string partial_ = "slice";
    std::string setup_text_;
    std::string hf_config_;
    std::string layer_type_;
    std::string model_;
    std::string context_;

    struct Parameter {
        const SetupKey* key = nullptr;
        CLI::Option* option = nullptr;
        std::string text;
    };
    bool gives(std::string_view name) const;

    std::string scaling_ = "none";
    bool exact_ramp_ = false;
    std::vector<Parameter> parameters_;
    std::vector<CLI::Option*> single_;  // flags that --setup, --hf-config and --model replace
    std::vector<CLI::Option*> shape_;   // flags of add_shape
};

/// "8192" or "8k", from `low` to `high`. Throws BadInput, naming the flag, for any other text.
std::int64_t parse_count(const std::string& text, const std::string& flag, std::int64_t low, std::int64_t high);
/// Above 0 and at most `high`. Throws BadInput, naming the flag, for any other text.
double parse_positive(const std::string& text, const std::string& flag, double high);
/// The value of --theta; nullopt for "".
std::optional<double> parse_theta(const std::string& text);

/// The value of --freeze-pairs. Throws BadInput if none of the pairs rotates, and names those that do not on standard
/// error.
std::vector<std::int64_t> parse_frozen_pairs(const std::string& text, const ModelPlan& plan);

void warn_of_unknown_keys(const HfModel& model);
void warn_of_remarks(const HfModel& model);
/// A model's rotary values and where each comes from (the file or a default).
std::string values_text(const HfModel& model);

}  // namespace ropelab::terminal
