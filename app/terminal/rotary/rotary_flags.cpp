#include "app/terminal/rotary/rotary_flags.h"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/interop/model_table.h"
#include "core/interop/opened_model.h"
#include "core/run/probing.h"
#include "core/settings/keys.h"
#include "core/study/ablation.h"
#include "core/table/table.h"

namespace ropelab::terminal {

namespace {

constexpr std::int64_t most_context = std::int64_t{1} << 30;

bool is_scaling_parameter(const SetupKey& key) {
    RotarySetup unscaled;
    unscaled.fraction = 0.5;
    return !key.matters(unscaled) && key.name != "truncate";
}

// "--beta-fast" for beta_fast.
std::string flag_of(const SetupKey& key) {
    std::string flag = "--" + std::string(key.name);
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}

}  // namespace

Partial parse_partial(const std::string& word) {
    const std::size_t place = choice_of(word, "a method of partial rotation", {"slice", "truncate"});
    return place == 0 ? Partial::slice : Partial::truncate;
}

std::vector<double> parse_list(const std::string& text) {
    std::string list = text;
    std::replace(list.begin(), list.end(), ',', ';');
    return list_of({"list"}, list);
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

std::optional<double> parse_theta(const std::string& text) {
    constexpr double most = 1e12;
    return text.empty() ? std::nullopt : std::optional(parse_positive(text, "--theta", most));
}

void RotaryFlags::add_size(CLI::App& verb, const std::string& context_help) {
    single_.push_back(verb.add_option("--head-dim", head_dim_, std::string(setup_key("head_dim").meaning))
                          ->capture_default_str()
                          ->type_name(number_type));
    single_.push_back(
        verb.add_option("--fraction", fraction_, std::string(setup_key("fraction").meaning))->capture_default_str());
    verb.add_option("--context", context_, context_help + "; 8k is 8,000")->type_name(number_type);
    verb.add_option("--setup", setup_text_, "Rotary setup as text, such as \"theta=500k head_dim=128 fraction=25%\"");
    verb.add_option("--hf-config", hf_config_, "config.json of a Hugging Face model");
    verb.add_option(
        "--model", model_,
        "Name of a known model, such as \"Llama 3.1 8B\", or the folder or file of a model with its weights");
}

void RotaryFlags::add_spectrum(CLI::App& verb) {
    single_.push_back(verb.add_option("--theta", theta_, std::string(setup_key("theta").meaning))
                          ->capture_default_str()
                          ->type_name(number_type));
    single_.push_back(
        verb.add_option("--partial", partial_, std::string(setup_key("partial").meaning))->capture_default_str());
    verb.add_option("--layer-type", layer_type_,
                    "Layer type whose RoPE is used if the layers of the model differ in their RoPE: full_attention or "
                    "sliding_attention");
}

void RotaryFlags::add_scaling(CLI::App& verb) {
    single_.push_back(
        verb.add_option("--scaling", scaling_,
                        "Scaling method for context extension: " + joined(scaling_names(), ", ", &ScalingName::word))
            ->capture_default_str());
    // CLI11 options keep pointers to their values, so the vector must not reallocate.
    parameters_.reserve(setup_keys().size());
    for (const SetupKey& key : setup_keys()) {
        if (!is_scaling_parameter(key)) continue;
        std::vector<std::string_view> users;
        RotarySetup scaled;
        for (const ScalingName& name : scaling_names()) {
            scaled.scaling.method = name.method;
            if (key.matters(scaled)) users.push_back(name.word);
        }
        const std::string standard = to_text(key.get(RotarySetup{}));
        std::string help = joined(users) + ": " + std::string(key.meaning);
        if (key.kind == SettingFacts::Kind::list) help += " Separate the numbers by commas.";
        if (!standard.empty() && key.name != "original_context") help += " (default: " + standard + ")";
        Parameter& entry = parameters_.emplace_back(Parameter{&key, nullptr, ""});
        entry.option = verb.add_option(flag_of(key), entry.text, help);
        if (key.kind != SettingFacts::Kind::list) entry.option->type_name(number_type);
        single_.push_back(entry.option);
    }
    single_.push_back(verb.add_flag("--exact-ramp", exact_ramp_,
                                    "With --scaling yarn: do not round the ends of the ramp between scaled and "
                                    "unscaled pairs to whole pairs (\"truncate\": false in config.json)"));
}

CLI::Option* RotaryFlags::add_shape(CLI::App& verb, const std::string& name, std::string& value,
                                    const std::string& help) {
    shape_.push_back(verb.add_option(name, value, help)->type_name(number_type));
    return shape_.back();
}

bool RotaryFlags::gives(std::string_view name) const {
    return std::any_of(parameters_.begin(), parameters_.end(),
                       [name](const Parameter& each) { return each.key->name == name && each.option->count() > 0; });
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
    RotarySetup scaled;
    scaled.scaling.method = parse_scaling(scaling_);
    const ScalingMethod method = scaled.scaling.method;
    for (const Parameter& entry : parameters_) {
        if (entry.option->count() == 0) continue;
        if (!entry.key->matters(scaled)) {
            throw BadInput("The scaling " + scaling_ + " does not use " + flag_of(*entry.key) + "; leave it out.");
        }
        std::string text = entry.text;
        std::replace(text.begin(), text.end(), ',', ';');
        entry.key->set(scaled, parse_value(*entry.key, text, scaled.head_dim));
    }
    if (exact_ramp_ && method != ScalingMethod::yarn)
        throw BadInput("The scaling " + scaling_ + " does not use --exact-ramp; leave it out.");
    scaled.scaling.truncate = !exact_ramp_;
    const bool needs_factor = method != ScalingMethod::none && method != ScalingMethod::longrope;
    if (needs_factor && !gives("factor"))
        throw BadInput("The scaling " + scaling_ +
                       " needs --factor, the target context divided by the training context.");
    const bool needs_context =
        method != ScalingMethod::none && method != ScalingMethod::linear && method != ScalingMethod::ntk;
    if (needs_context && scaled.scaling.original_context == 0 && !gives_context())
        throw BadInput("The scaling " + scaling_ +
                       " needs --original-context, the context at which the model was trained.");
    return scaled.scaling;
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

void RotaryFlags::load_model(bool allows_others) {
    if (!hf_config_.empty()) {
        model = read_hf_config(load_model_config(hf_config_));
    } else {
        model = read_hf_config(names_model_file(model_) ? OpenedModel(model_).config() : known_model(model_).config);
    }
    layer_type = layer_type_;
    if (allows_others && model->position != HfPosition::rotary) {
        setup.context = model->context;
        return;
    }
    const HfRotary& rotary = model->of(layer_type);
    setup = rotary.setup;
    settings = frequency_settings(setup);
    if (gives_context()) settings.length = static_cast<double>(parse_count(context_, "--context", 1, most_context));
    frequencies = rotary.at(gives_context() ? settings.length : 0);
}

void RotaryFlags::parse(bool allows_others) {
    check_sources();
    const std::int64_t length = gives_context() ? parse_count(context_, "--context", 1, most_context) : 0;
    if (names_model()) {
        load_model(allows_others);
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

std::vector<std::int64_t> parse_frozen_pairs(const std::string& text, const ModelPlan& plan) {
    const Rotary* rotary = plan.rotary();
    std::vector<std::int64_t> pairs = parse_pairs(text, pairs_of(plan), "freeze-pairs");
    std::vector<std::string> fixed;
    for (const std::int64_t pair : pairs) {
        const bool is_rotary = rotary != nullptr && pair < std::ssize(rotary->pairs);
        if (!is_rotary || !rotary->pairs[static_cast<std::size_t>(pair)].rotates) fixed.push_back(std::to_string(pair));
    }
    const std::string words = "the model does not rotate the pairs " + joined(fixed);
    if (fixed.size() == pairs.size()) throw BadInput("Freezing has no effect, because " + words + ".");
    if (!fixed.empty()) std::cerr << "ropelab-cli: Freezing has no effect on some pairs: " << words << ".\n";
    return pairs;
}

void warn_of_unknown_keys(const HfModel& model) {
    for (const std::string& key : model.unknown_keys)
        std::cerr << "ropelab-cli: The key " << key << " of the config.json is unknown and was ignored.\n";
}

void warn_of_remarks(const HfModel& model) {
    for (const std::string& remark : model.remarks) std::cerr << "ropelab-cli: " << remark << '\n';
}

std::string values_text(const HfModel& model) {
    Table table{{{"", 'l', 46}, {"", 'l', 16}, {"", 'l'}}, {}};
    for (const HfValue& value : model.values) {
        const std::string name = value.layer_type.empty() ? value.name : value.name + " (" + value.layer_type + ")";
        const bool renamed = value.origin == HfOrigin::file && value.key != value.name;
        table.rows.push_back({name, value.text, renamed ? "file: " + value.key : std::string(word_of(value.origin))});
    }
    std::string text = table.text();
    for (const std::string& remark : model.remarks) text += remark + '\n';
    return text;
}

}  // namespace ropelab::terminal
