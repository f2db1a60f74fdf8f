#include "app/terminal/rotary_flags.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "app/terminal/output.h"
#include "core/interop/model_table.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"
#include "core/spec/numbers.h"

namespace ropelab::terminal {

namespace {

constexpr std::int64_t most_context = std::int64_t{1} << 30;

}  // namespace

std::vector<double> parse_list(const std::string& text) {
    std::vector<double> result;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        result.push_back(parse_number(std::string_view(text).substr(start, end - start)));
        start = end + 1;
    }
    return result;
}

std::int64_t parse_count(const std::string& text, const std::string& flag, std::int64_t low, std::int64_t high) {
    const double value = parse_number(text);
    if (!(value >= static_cast<double>(low) && value <= static_cast<double>(high)) || value != std::trunc(value)) {
        throw BadInput(flag + " is " + text + ", but it must be a whole number from " + std::to_string(low) + " to " +
                       std::to_string(high) + ".");
    }
    return static_cast<std::int64_t>(value);
}

double parse_positive(const std::string& text, const std::string& flag, double high) {
    const double value = parse_number(text);
    if (!(value > 0 && value <= high))
        throw BadInput(flag + " is " + text + ", but it must be above 0 and at most " + number_text(high) + ".");
    return value;
}

void RotaryFlags::add_size(CLI::App& verb, const std::string& context_help) {
    single_.push_back(
        verb.add_option("--head-dim", head_dim_, "Head dimension: channels per head")->capture_default_str());
    single_.push_back(
        verb.add_option("--fraction", fraction_,
                        "Rotated fraction of each head (partial rotary factor), such as 0.25, 25% or 6ch (channels)")
            ->capture_default_str());
    verb.add_option("--context", context_, context_help);
    verb.add_option("--setup", setup_text_, "Rotary setup as text, such as \"theta=500k head_dim=128 fraction=25%\"");
    verb.add_option("--hf-config", hf_config_, "config.json of a Hugging Face model");
    verb.add_option("--model", model_, "Name of a known model, such as \"Llama 3.1 8B\"");
}

void RotaryFlags::add_spectrum(CLI::App& verb) {
    single_.push_back(
        verb.add_option("--theta", theta_, "RoPE theta (the base of the frequencies)")->capture_default_str());
    single_.push_back(
        verb.add_option("--partial", partial_, "Partial rotation: slice or truncate")->capture_default_str());
    verb.add_option("--layer-type", layer_type_,
                    "Layer type of a model that has several: full_attention or sliding_attention");
}

void RotaryFlags::add_scaling(CLI::App& verb) {
    using enum ScalingMethod;
    std::string names;
    for (const ScalingName& name : scaling_names()) names += (names.empty() ? "" : ", ") + std::string(name.word);
    single_.push_back(verb.add_option("--scaling", scaling_, "Scaling method for context extension: " + names)
                          ->capture_default_str());
    const std::vector<ScalingMethod> by_rotations = {ntk_by_parts, yarn};
    struct Row {
        const char* flag;
        const char* help;
        std::vector<ScalingMethod> methods;
    };
    const std::vector<Row> rows = {
        {"--factor",
         "Target context divided by training context",
         {linear, ntk, dynamic, ntk_by_parts, yarn, llama3, longrope}},
        {"--original-context",
         "Context at which the model was trained (default: --context)",
         {dynamic, ntk_by_parts, yarn, llama3, longrope}},
        {"--beta-fast", "Pairs with more periods in the training context keep their frequency (default: 32)",
         by_rotations},
        {"--beta-slow", "Pairs with fewer periods in the training context are divided by the factor (default: 1)",
         by_rotations},
        {"--low-freq-factor",
         "llama3: pairs with fewer periods in the training context are divided by the factor (default: 1)",
         {llama3}},
        {"--high-freq-factor",
         "llama3: pairs with more periods in the training context keep their frequency (default: 4)",
         {llama3}},
        {"--attention-factor",
         "Attention factor, which multiplies cos and sin (default: computed by the method)",
         {ntk_by_parts, yarn, longrope}},
        {"--mscale", "yarn: DeepSeek's mscale", {yarn}},
        {"--mscale-all-dim", "yarn: DeepSeek's mscale_all_dim", {yarn}},
        {"--short-factors",
         "longrope: divisors of the frequencies up to the original context, one per rotated pair: a,b,…",
         {longrope}},
        {"--long-factors",
         "longrope: divisors of the frequencies beyond the original context, one per rotated pair: a,b,…",
         {longrope}},
    };
    // CLI11 options keep pointers to their values, so the vector must not reallocate.
    parameters_.reserve(rows.size());
    for (const Row& row : rows) {
        auto& entry = parameters_.emplace_back(row.flag, Parameter{nullptr, "", row.methods});
        entry.second.option = verb.add_option(row.flag, entry.second.text, row.help);
        single_.push_back(entry.second.option);
    }
    single_.push_back(
        verb.add_flag("--exact-ramp", exact_ramp_,
                      "yarn: do not round the ends of the ramp to whole pairs (\"truncate\": false in config.json)"));
}

CLI::Option* RotaryFlags::add_shape(CLI::App& verb, const std::string& name, std::string& value,
                                    const std::string& help) {
    shape_.push_back(verb.add_option(name, value, help));
    return shape_.back();
}

const std::string* RotaryFlags::given(const std::string& flag) const {
    for (const auto& [name, entry] : parameters_) {
        if (name == flag) return entry.option->count() > 0 ? &entry.text : nullptr;
    }
    return nullptr;
}

void RotaryFlags::check_sources() const {
    std::vector<std::string> sources;
    if (!setup_text_.empty()) sources.emplace_back("--setup");
    if (!hf_config_.empty()) sources.emplace_back("--hf-config");
    if (!model_.empty()) sources.emplace_back("--model");
    const auto refuse = [&](const std::string& other) {
        throw BadInput(sources.front() + " and " + other + " cannot be combined; give one of them.");
    };
    if (sources.size() > 1) refuse(sources[1]);
    if (!layer_type_.empty() && !names_model())
        throw BadInput("--layer-type needs --hf-config or --model, because it selects one of the model's layer types.");
    if (sources.empty()) return;
    for (const CLI::Option* option : single_) {
        if (option->count() > 0) refuse(option->get_name());
    }
    for (const CLI::Option* option : shape_) {
        if (option->count() > 0 && names_model()) refuse(option->get_name());
    }
}

Scaling RotaryFlags::scaling_of_flags() const {
    Scaling scaling;
    scaling.method = parse_scaling(scaling_);
    for (const auto& [flag, entry] : parameters_) {
        const bool used = std::find(entry.methods.begin(), entry.methods.end(), scaling.method) != entry.methods.end();
        if (entry.option->count() > 0 && !used)
            throw BadInput("The scaling " + scaling_ + " does not use " + flag + "; leave it out.");
    }
    if (exact_ramp_ && scaling.method != ScalingMethod::yarn)
        throw BadInput("The scaling " + scaling_ + " does not use --exact-ramp; leave it out.");
    scaling.truncate = !exact_ramp_;
    const bool needs_factor = scaling.method != ScalingMethod::none && scaling.method != ScalingMethod::longrope;
    if (needs_factor && !given("--factor"))
        throw BadInput("The scaling " + scaling_ +
                       " needs --factor, the target context divided by the training context.");
    const auto number = [&](const char* flag, auto& value) {
        if (const std::string* text = given(flag)) value = parse_number(*text);
    };
    const auto list = [&](const char* flag, std::vector<double>& values) {
        if (const std::string* text = given(flag)) values = parse_list(*text);
    };
    number("--factor", scaling.factor);
    number("--beta-fast", scaling.beta_fast);
    number("--beta-slow", scaling.beta_slow);
    number("--low-freq-factor", scaling.low_freq_factor);
    number("--high-freq-factor", scaling.high_freq_factor);
    number("--attention-factor", scaling.attention_factor);
    number("--mscale", scaling.mscale);
    number("--mscale-all-dim", scaling.mscale_all_dim);
    list("--short-factors", scaling.short_factors);
    list("--long-factors", scaling.long_factors);
    if (const std::string* text = given("--original-context"))
        scaling.original_context = static_cast<double>(parse_count(*text, "--original-context", 1, most_context));
    const bool needs_context = scaling.method != ScalingMethod::none && scaling.method != ScalingMethod::linear &&
                               scaling.method != ScalingMethod::ntk;
    if (needs_context && scaling.original_context == 0 && !gives_context())
        throw BadInput("The scaling " + scaling_ +
                       " needs --original-context, the context at which the model was trained.");
    return scaling;
}

void RotaryFlags::parse_flags() {
    setup.head_dim = static_cast<int>(parse_count(head_dim_, "--head-dim", 1, 4096));
    setup.theta = parse_number(theta_);
    rotary_dim(setup.head_dim, 1);  // throws BadInput for an odd head dimension before the fraction is parsed
    setup.fraction = parse_fraction(fraction_, setup.head_dim);
    setup.partial = parse_partial(partial_);
    setup.scaling = scaling_of_flags();
    if (setup.scaling.original_context > 0) setup.context = static_cast<std::int64_t>(setup.scaling.original_context);
}

void RotaryFlags::load_model() {
    model = read_hf_config(hf_config_.empty() ? known_model(model_).config : load_model_config(hf_config_));
    layer_type = layer_type_;
    const HfRotary& rotary = model->of(layer_type);
    setup = rotary.setup;
    settings = frequency_settings(setup);
    if (gives_context()) settings.length = static_cast<double>(parse_count(context_, "--context", 1, most_context));
    frequencies = rotary.at(gives_context() ? settings.length : 0);
}

void RotaryFlags::parse() {
    check_sources();
    const std::int64_t length = gives_context() ? parse_count(context_, "--context", 1, most_context) : 0;
    if (names_model()) {
        load_model();
    } else {
        if (setup_text_.empty()) {
            parse_flags();
            // Without --original-context, --context is both the training context and the current length.
            if (length > 0 && setup.scaling.original_context == 0) setup.context = length;
        } else {
            setup = parse_setup(setup_text_);
        }
        check(setup);
        settings = frequency_settings(setup);
        settings.length = static_cast<double>(length);
        frequencies = ropelab::frequencies(settings);
    }
    if (length > 0) setup.context = length;
}

void warn_of_unknown_keys(const HfModel& model) {
    for (const std::string& key : model.unknown_keys)
        std::cerr << "ropelab-cli: The key " << key << " of the config is unknown and was ignored.\n";
}

void warn_of_remarks(const HfModel& model) {
    for (const std::string& remark : model.remarks) std::cerr << "ropelab-cli: " << remark << '\n';
}

std::string values_text(const HfModel& model) {
    std::ostringstream text;
    for (const HfValue& value : model.values) {
        const std::string name = value.layer_type.empty() ? value.name : value.name + " (" + value.layer_type + ")";
        const bool renamed = value.origin == HfOrigin::file && value.key != value.name;
        text << std::left << std::setw(46) << name << std::setw(16) << value.text
             << (renamed ? "file: " + value.key : std::string(word_of(value.origin))) << '\n';
    }
    for (const std::string& remark : model.remarks) text << remark << '\n';
    return text.str();
}

}  // namespace ropelab::terminal
