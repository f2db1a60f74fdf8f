#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/interop/config/hf_reader.h"

namespace ropelab {

namespace {

using nlohmann::json;

ScalingMethod method_of(const std::string& type, const HfLayerSet& set) {
    if (type == "default" || type == "mrope" || type == "axial") return ScalingMethod::none;
    if (type == "linear" || type == "proportional") return ScalingMethod::linear;
    if (type == "dynamic") return ScalingMethod::dynamic;
    // The first version of Phi 3 calls LongRoPE "yarn".
    if (type == "yarn") return set.parameters.contains("long_factor") ? ScalingMethod::longrope : ScalingMethod::yarn;
    if (type == "longrope" || type == "su") return ScalingMethod::longrope;
    if (type == "llama3") return ScalingMethod::llama3;
    throw BadInput(
        "The rope type " + excerpt(json(type)) +
        " of the config.json is unknown; it must be default, linear, dynamic, yarn, longrope, llama3 or proportional.");
}

class RotaryReader {
 public:
    RotaryReader(const json& config, const json& defaults, const HfLayerSet& set, HfModel& model)
        : set_(set),
          model_(model),
          defaults_(defaults),
          is_class_(has_library_class(config, model.model_type)),
          is_image_(is_listed("two_dimensional", model.model_type)),
          own_({&set.parameters}, set.library, model.values, set.type),
          library_({}, defaults, model.values, set.type),
          top_(objects_of(config), defaults, model.values, set.type) {}

    HfRotary read() {
        HfRotary result;
        result.layer_type = set_.type;
        const std::string type = own_.word({"rope_type", "type"}).value_or("default");
        if (is_image_ && type != "default" && type != "axial") {
            throw BadInput("The rope type of a model of images is " + excerpt(json(type)) +
                           " in the config.json, but it must be axial.");
        }
        Scaling& scaling = result.setup.scaling;
        scaling.method = method_of(type, set_);
        result.setup.head_dim = own_head_dim();
        result.setup.context = model_.context;
        result.setup.theta = theta();
        result.setup.pairing = pairing();
        read_rotary_dim(result, type);
        if (!read_base_factor(result, type)) {
            check_before_scaling(result);
            read_scaling(result, type);
        }
        fill_plain(result);
        read_order(result);
        check(result.setup);
        result.frequencies = result.at(0);
        return result;
    }

 private:
    int own_head_dim() {
        const int head_dim = model_.shape.head_dim;
        if (set_.type != "full_attention") return head_dim;
        // transformers 5 writes what differs in single layers by their number (Gemma 4).
        const auto own = top_.find_in_file({"per_layer_config"});
        for (std::size_t i = 0; own && own->value->is_object() && i < model_.shape.layers.size(); ++i) {
            const auto layer = own->value->find(std::to_string(i));
            if (layer == own->value->end() || model_.shape.layers[i].type != set_.type || !layer->contains("head_dim"))
                continue;
            HfReader reader({&*layer}, set_.library, model_.values, set_.type);
            return static_cast<int>(reader.count({"head_dim"}, 2, widest_hf_head).value());
        }
        return static_cast<int>(top_.count({"global_head_dim"}, 2, widest_hf_head).value_or(head_dim));
    }

    double theta() {
        const double low = 1e-9;
        const double high = 1e15;
        if (const auto value = own_.number({"rope_theta"}, low, high)) return *value;
        if (is_class_) {
            const bool is_usual = set_.theta_name == "rope_theta";
            const std::string name = is_usual ? rotary_name(model_.model_type, "rope_theta") : set_.theta_name;
            HfReader& reader = name.empty() ? library_ : top_;
            const auto value = reader.number({name.empty() ? "rope_theta" : name.c_str()}, low, high, "rope_theta");
            if (!value) top_.note("rope_theta", "10000", HfOrigin::library_default);
            return value.value_or(10000);
        }
        if (set_.local_theta) {
            if (const auto value = top_.number({"rope_local_base_freq", "local_rope_theta"}, low, high)) return *value;
        }
        if (const auto ratio = top_.number({"rope_ratio"}, low, 1e9)) {  // ChatGLM
            top_.note("rope_theta", number_text(10000 * *ratio), HfOrigin::derived);
            return 10000 * *ratio;
        }
        const auto value = top_.number({"rope_theta", "rotary_emb_base", "rotary_base", "rope_base",
                                        "global_rope_theta", "rope_embedding_base", "rope_freq_constant"},
                                       low, high);
        if (!value) top_.note("rope_theta", "10000", HfOrigin::library_default);
        return value.value_or(10000);
    }

    Pairing pairing() {
        if (const auto interleave = top_.flag({"rope_interleave"}))
            return *interleave ? Pairing::interleaved : Pairing::half;
        if (const auto word = top_.word({"pairing"}))
            return *word == "interleaved" ? Pairing::interleaved : Pairing::half;
        if (model_.model_type.empty() && top_.find_in_file({"dim"}) && top_.find_in_file({"n_heads"})) {
            top_.note("pairing", "interleaved", HfOrigin::assumed);  // Mistral's and Meta's params.json
            return Pairing::interleaved;
        }
        top_.note("pairing", "half", defaults_.empty() ? HfOrigin::assumed : HfOrigin::library_default);
        return Pairing::half;
    }

    // nullopt: whole heads.
    std::optional<double> class_fraction(const std::string& type) {
        const std::string& model = model_.model_type;
        if (type == "default" && !is_listed("reads_fraction_by_default", model)) return std::nullopt;
        if (model == "dots3_note_text") return std::nullopt;  // rotated_head() has them
        if (const auto own = own_.number({"partial_rotary_factor"}, 0, 1)) return *own;
        std::string name = rotary_name(model, "partial_rotary_factor");
        if (name.empty() && type != "default" && model != "bamba") name = "partial_rotary_factor";
        if (!name.empty() && top_.find_in_file({name.c_str()}))
            return top_.number({name.c_str()}, 0, 1, "partial_rotary_factor");
        if (model == "minimax_m2" && top_.find_in_file({"rotary_dim"}))
            return static_cast<double>(top_.count({"rotary_dim"}, 0, widest_hf_head).value()) / model_.shape.head_dim;
        if (model == "mimo_v2_flash" && type != "default") return std::nullopt;
        return library_.number({"partial_rotary_factor"}, 0, 1);
    }

    // Channels of which the fraction rotates: in latent attention only those with rotation, except in some types.
    int rotated_head(const HfRotary& result) {
        const std::string& type = model_.model_type;
        const HfShape& shape = model_.shape;
        if (is_class_ && (type == "deepseek_v4" || type == "mistral4")) return result.setup.head_dim;
        if (is_class_ && is_listed("rotates_head_dim", type) && top_.find_in_file({"head_dim"}))
            return static_cast<int>(top_.count({"head_dim"}, 2, widest_hf_head).value());
        if (type == "dots3_note_text" && set_.type == "sliding_attention")
            return static_cast<int>(top_.count({"swa_qk_rope_head_dim"}, 2, widest_hf_head).value_or(2));
        if (is_listed("ignores_head_dim", type) && shape.width && shape.heads)
            return static_cast<int>(*shape.width / *shape.heads);
        return static_cast<int>(shape.latent_rotary_dim.value_or(result.setup.head_dim));
    }

    void read_rotary_dim(HfRotary& result, const std::string& type) {
        const int head_dim = result.setup.head_dim;
        const bool proportional = type == "proportional";
        result.dimension = rotated_head(result);
        const auto own = is_class_ ? class_fraction(type) : own_.number({"partial_rotary_factor"}, 0, 1);
        if (is_image_ || (model_.shape.latent_rotary_dim && !is_class_)) {
            result.rotary_dim = is_image_ && model_.model_type != "pixtral" ? result.dimension / 2 : result.dimension;
        } else if (is_class_ || own) {
            if (!own) top_.note("partial_rotary_factor", "1", HfOrigin::library_default);
            set_fraction(result, own.value_or(1), proportional);
        } else if (top_.find_in_file({"rotary_dim"}) && !top_.find_in_file(fraction_names)) {
            result.rotary_dim = static_cast<int>(top_.count({"rotary_dim"}, 0, widest_hf_head).value());
        } else if (const auto top_fraction = top_.number(fraction_names, 0, 1)) {
            set_fraction(result, *top_fraction, proportional);
        } else if (const auto default_count = top_.count({"rotary_dim"}, 0, widest_hf_head)) {
            result.rotary_dim = static_cast<int>(*default_count);
        } else {
            top_.note("partial_rotary_factor", "1", HfOrigin::library_default);
            set_fraction(result, 1, proportional);
        }
        if (result.rotary_dim > head_dim) {
            throw BadInput("The config.json rotates " + std::to_string(result.rotary_dim) +
                           " channels per head, but a head has only " + std::to_string(head_dim) + ".");
        }
        top_.note("rotary_dim", std::to_string(result.rotary_dim), HfOrigin::derived);
        result.setup.partial = proportional ? Partial::truncate : Partial::slice;
        result.setup.fraction = static_cast<double>(result.rotary_dim) / head_dim;
        if (result.rotary_dim % 2 != 0) {
            model_.remarks.push_back("The rotary dimension is " + std::to_string(result.rotary_dim) +
                                     ", which is odd; the rotary setup has " + std::to_string(result.rotary_dim + 1) +
                                     " instead.");
        }
    }

    // Hunyuan's alpha multiplies the base at every length, whatever the factor; rope_condense_ratio divides positions.
    bool read_base_factor(HfRotary& result, const std::string& type) {
        if (type == "dynamic" && own_.find({"alpha"}) && model_.model_type.starts_with("hunyuan")) {
            const double d = result.rotary_dim;
            if (d <= 2) throw BadInput("The alpha of the rope scaling requires more than 2 rotated channels.");
            result.setup.theta *= std::pow(own_.number({"alpha"}, 1e-3, 1e9).value(), d / (d - 2));
            result.setup.scaling.method = ScalingMethod::none;
            top_.note("rope_theta", number_text(result.setup.theta), HfOrigin::derived);
            check_before_scaling(result);
            return true;
        }
        if (!is_class_ && result.setup.scaling.method == ScalingMethod::none &&
            top_.find_in_file({"rope_condense_ratio"})) {
            result.setup.scaling.factor = top_.number({"rope_condense_ratio"}, 1e-3, 1e6).value();
            check_before_scaling(result);
            if (result.setup.scaling.factor != 1) result.setup.scaling.method = ScalingMethod::linear;
            return true;
        }
        return false;
    }

    static void set_fraction(HfRotary& result, double fraction, bool proportional) {
        const double channels = fraction * result.dimension;
        result.rotary_dim = proportional ? 2 * static_cast<int>(std::floor(channels / 2)) : static_cast<int>(channels);
    }

    // Checks the settings without scaling, because scaled() requires them to be valid.
    static void check_before_scaling(const HfRotary& result) {
        RotarySetup plain = result.setup;
        plain.scaling = {};
        check(plain);
    }

    double required(const char* name, double low, double high, const std::string& type) {
        const auto value = own_.number({name}, low, high);
        if (!value) throw BadInput("The " + type + " rope scaling of the config.json has no " + name + ".");
        return *value;
    }

    // A missing factor is the ratio of the context to the original context.
    double factor(const std::string& type, double original) {
        if (const auto value = own_.number({"factor"}, 1e-3, 1e6)) return *value;
        if (type == "proportional") return 1;
        if (original <= 0) throw BadInput("The " + type + " rope scaling of the config.json has no factor.");
        const double ratio = static_cast<double>(model_.context) / original;
        own_.note("factor", number_text(ratio), HfOrigin::derived);
        return ratio;
    }

    std::optional<double> original_context() {
        const char* name = "original_max_position_embeddings";
        // A class with layer types reads it inside of their parameters only; the default of Phi 3 comes before them.
        const bool is_nested = is_class_ && !set_.type.empty();
        const bool is_beside = !is_nested && (is_class_ ? top_.find({name}) : top_.find_in_file({name}));
        const bool is_inside = is_nested || (!is_beside && own_.find({name}));
        return (is_inside ? own_ : top_).number({name}, 1, 1 << 30);
    }

    void read_scaling(HfRotary& result, const std::string& type) {
        Scaling& scaling = result.setup.scaling;
        switch (scaling.method) {
            case ScalingMethod::linear:
            case ScalingMethod::dynamic:
                scaling.factor = factor(type, own_.find({"factor"}) ? 0 : original_context().value_or(0));
                if (type == "proportional" && scaling.factor == 1) scaling.method = ScalingMethod::none;
                return;
            case ScalingMethod::llama3:
                scaling.factor = required("factor", 1e-3, 1e6, type);
                scaling.low_freq_factor = required("low_freq_factor", 1e-3, 1e6, type);
                scaling.high_freq_factor = required("high_freq_factor", 1e-3, 1e6, type);
                scaling.original_context = original();
                return;
            case ScalingMethod::yarn:
                read_yarn(result, type);
                return;
            case ScalingMethod::longrope:
                scaling.original_context = original();
                // Only the attention factor depends on the factor, and it needs a factor of at least 1.
                scaling.factor = std::max(1.0, factor(type, scaling.original_context));
                read_attention_factor(result);
                // Phi-3.5-MoE
                if (const auto value = own_.number({"short_mscale"}, 1e-6, 1e6)) result.short_attention_factor = value;
                if (const auto value = own_.number({"long_mscale"}, 1e-6, 1e6)) result.long_attention_factor = value;
                scaling.short_factors = factors("short_factor");
                scaling.long_factors = factors("long_factor");
                return;
            case ScalingMethod::none:
            case ScalingMethod::ntk:
            case ScalingMethod::ntk_by_parts:
                if (const auto unused = own_.find_in_file({"factor"})) {
                    model_.remarks.push_back("The rope type is " + type + ", so the factor " + excerpt(*unused->value) +
                                             " has no effect.");
                }
        }
    }

    double original() {
        if (const auto value = original_context()) return *value;
        own_.note("original_max_position_embeddings", std::to_string(model_.context), HfOrigin::library_default);
        return static_cast<double>(model_.context);
    }

    std::vector<double> factors(const char* name) {
        const auto values = own_.numbers({name});
        if (!values) throw BadInput(std::string("The longrope scaling of the config.json has no ") + name + ".");
        return *values;
    }

    // A factor of 0, which a setup cannot have, is that of a config all the same.
    void read_attention_factor(HfRotary& result) {
        const auto value = own_.number({"attention_factor"}, 0, 1e6);
        if (value != 0.0) {
            result.setup.scaling.attention_factor = value;
            return;
        }
        result.short_attention_factor = result.long_attention_factor = 0;
        model_.remarks.emplace_back(
            "The attention_factor of the config.json is 0, which multiplies all cosines and sines by 0.");
    }

    void read_yarn(HfRotary& result, const std::string& type) {
        Scaling& scaling = result.setup.scaling;
        scaling.original_context = original();
        scaling.factor = factor(type, scaling.original_context);
        // Transformers uses Python's `or`, so a value of 0 means the default.
        const auto value_or_default = [&](const char* name, double default_value) {
            const auto value = own_.number({name}, 0, 1e6);
            if (!value) own_.note(name, number_text(default_value), HfOrigin::library_default);
            return value.value_or(0) == 0 ? default_value : *value;
        };
        scaling.beta_fast = value_or_default("beta_fast", 32);
        scaling.beta_slow = value_or_default("beta_slow", 1);
        // With layer types, transformers looks for it beside their parameters, where it never is.
        const bool is_nested = is_class_ && !set_.type.empty();
        const auto truncate = is_nested ? std::nullopt : own_.flag({"truncate"});
        if (!truncate) own_.note("truncate", "true", HfOrigin::library_default);
        scaling.truncate = truncate.value_or(true);
        read_attention_factor(result);
        const double mscale = own_.number({"mscale"}, 0, 1e3).value_or(0);
        const double mscale_all_dim = own_.number({"mscale_all_dim"}, 0, 1e3).value_or(0);
        if (mscale != 0 && mscale_all_dim != 0) {
            scaling.mscale = mscale;
            scaling.mscale_all_dim = mscale_all_dim;
        }
        if (model_.shape.latent_width && mscale_all_dim != 0 && scaling.factor > 1) {
            const double scale = 0.1 * mscale_all_dim * std::log(scaling.factor) + 1;
            result.softmax_factor = scale * scale;
            model_.remarks.push_back("The softmax scale is multiplied by " +
                                     number_text(std::round(scale * scale * 1e4) / 1e4) +
                                     " (mscale²); cos and sin are not multiplied.");
        }
    }

    static void fill_plain(HfRotary& result) {
        const RotarySetup& setup = result.setup;
        const bool truncated = setup.partial == Partial::truncate;
        if (!truncated) result.dimension = result.rotary_dim;
        // int(p·d) may be odd. The exponents are then arange(0, d, 2) / d, as in transformers.
        for (int i = 0; i < result.dimension; i += 2) {
            const bool is_rotated = i < result.rotary_dim;
            result.plain.push_back(is_rotated ? std::pow(setup.theta, -static_cast<double>(i) / result.dimension)
                                              : 0.0);
        }
    }

    // Some models list the frequencies of the rows of an image first, then those of its columns, then those of time.
    void read_order(HfRotary& result) {
        const auto pairs = static_cast<std::int64_t>(result.plain.size());
        std::int64_t mixed = model_.model_type == "pixtral" ? pairs : 0;
        if (!is_image_ && (model_.model_type.starts_with("ernie4_5_vl_moe") || model_.model_type == "ernie4_5_moe_vl"))
            mixed = std::max<std::int64_t>(0, pairs - top_.count({"freq_allocation"}, 0, widest_hf_head).value_or(20));
        if (mixed == 0) return;
        const std::vector<double> usual = result.plain;
        const std::int64_t rows = (mixed + 1) / 2;
        for (std::int64_t i = 0; i < mixed; ++i)
            result.plain[static_cast<std::size_t>(i % 2 == 0 ? i / 2 : rows + i / 2)] =
                usual[static_cast<std::size_t>(i)];
        model_.remarks.push_back("The model lists its frequencies in an order of its own: the first " +
                                 std::to_string(rows) + " rotate by the row of an image, the next " +
                                 std::to_string(mixed - rows) + " by its column.");
    }

    static constexpr std::initializer_list<const char*> fraction_names = {
        "partial_rotary_factor", "rotary_pct",     "rope_pct",     "rotary_percentage",
        "rope_percentage",       "rotary_percent", "rope_percent", "rotary_emb_fraction"};

    const HfLayerSet& set_;
    HfModel& model_;
    const json& defaults_;
    bool is_class_;
    bool is_image_;
    HfReader own_;
    HfReader library_;
    HfReader top_;
};

}  // namespace

std::vector<HfRotary> read_rotary(const json& config, const json& defaults, HfModel& model) {
    const bool is_class = has_library_class(config, model.model_type);
    const std::vector<HfLayerSet> sets =
        is_class ? class_layer_sets(config, defaults, model) : hf_layer_sets(config, defaults);
    std::vector<HfRotary> result;
    result.reserve(sets.size());
    for (const HfLayerSet& set : sets) result.push_back(RotaryReader(config, defaults, set, model).read());
    name_unknown_keys(config, sets, model);
    if (is_class) name_ignored_keys(config, model);
    if (is_listed("two_dimensional", model.model_type)) {
        model.remarks.emplace_back(
            "The model rotates by the row and by the column of an image; both use the frequencies shown.");
    }
    return result;
}

}  // namespace ropelab
