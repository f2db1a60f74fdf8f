#include <algorithm>
#include <optional>
#include <stdexcept>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/utf8.h"
#include "core/experiment/experiment.h"
#include "core/forecast/likely_data.h"
#include "core/interop/config/hf_config.h"
#include "core/interop/model_table.h"
#include "core/lecture/quantities/quantity_table.h"
#include "core/plan/step_cost.h"
#include "core/reproduce/published/published.h"
#include "core/rope/memory.h"
#include "core/settings/keys.h"

namespace ropelab {

namespace {

constexpr int kv_number_bytes = 2;  // bfloat16, in which models are published

struct CacheSizes {
    std::int64_t table = 0;
    std::int64_t kv = 0;
};

std::int64_t table_size(int rotary_dim, std::int64_t context, const RotarySetup& setup) {
    return rope_cache_bytes(rotary_dim, context, bytes_of(setup.precision), TableLayout::duplicated);
}

CacheSizes sizes_of_model(const QuantityInput& input) {
    const KnownModel& known = known_model(input.arguments.text("model"));
    const HfModel model = read_hf_config(known.config);
    if (!model.sizes) throw BadInput("The model " + known.name + " has no KV cache.");
    const std::int64_t context = input.arguments.whole_or("L", model.context);
    CacheSizes sizes;
    for (const HfRotary& rotary : model.rotary) sizes.table += table_size(rotary.rotary_dim, context, input.setup);
    sizes.kv = kv_cache_bytes(model.caches(), context, kv_number_bytes);
    return sizes;
}

CacheSizes sizes_of_shape(const QuantityInput& input) {
    const QuantityArguments& arguments = input.arguments;
    constexpr std::int64_t most = 1 << 24;
    for (const char* name : {"layers", "kv_heads", "head_dim", "bytes"}) {
        if (arguments.whole(name) > most) throw BadInput(std::string("The argument ") + name + " is too large.");
    }
    const AttentionSizes sizes = {.layers = arguments.whole("layers"),
                                  .kv_heads = arguments.whole("kv_heads"),
                                  .head_dim = arguments.whole("head_dim")};
    const std::int64_t context = arguments.whole("L");
    const int rotated = rotary_dim(static_cast<int>(sizes.head_dim), input.setup.fraction);
    return {table_size(rotated, context, input.setup),
            kv_cache_bytes(caches_of(sizes), context, static_cast<int>(arguments.whole("bytes")))};
}

CacheSizes sizes_of(const QuantityInput& input) {
    return input.arguments.has("model") ? sizes_of_model(input) : sizes_of_shape(input);
}

nlohmann::json parameters(const QuantityInput& input) {
    RunFilter settings = input.arguments.filter();
    std::optional<std::int64_t> vocabulary;
    if (const auto found = settings.find("vocabulary"); found != settings.end()) {
        vocabulary = static_cast<std::int64_t>(parse_number(found->second));
        settings.erase(found);
    }
    RunSpec spec;
    if (const auto found = settings.find("preset"); found != settings.end()) {
        spec = preset(found->second).experiment.expand().front();
        settings.erase(found);
    }
    for (const auto& [name, text] : settings) {
        const Key& setting = key(current_name(Alias::Kind::key, name));
        setting.set(spec, parse_value(setting, text, spec));
    }
    check(spec);
    return parameter_count(spec, vocabulary ? *vocabulary : likely_vocabulary(spec));
}

constexpr const char* cache_arguments = "(model[, L]) or (layers, kv_heads, head_dim, L, bytes)";

}  // namespace

std::vector<Quantity> memory_quantities() {
    return {
        {{"table_bytes", "", "bytes",
          "Size of the cos/sin table (RoPE cache) for the context and precision of the rotary setup; each number is "
          "stored for both channels of a pair."},
         [](const QuantityInput& input) {
             return table_size(rotary_dim(input.setup), input.setup.context, input.setup);
         }},
        {{"kv_cache_bytes", cache_arguments, "bytes",
          "Size of the KV cache of one sequence of L tokens (default: the model's context). A published model stores "
          "2 bytes per number."},
         [](const QuantityInput& input) { return sizes_of(input).kv; },
         true},
        {{"multi_head_bytes", "(model[, L])", "bytes",
          "Size that the KV cache of a published model would have for a sequence of L tokens (default: the model's "
          "context) if each head had keys and values of its own."},
         [](const QuantityInput& input) {
             const KnownModel& known = known_model(input.arguments.text("model"));
             const HfModel model = read_hf_config(known.config);
             if (!model.sizes) throw BadInput("The model " + known.name + " has no KV cache.");
             AttentionSizes sizes = *model.sizes;
             sizes.kind = KvCache::multi_head;
             return kv_cache_bytes(caches_of(sizes), input.arguments.whole_or("L", model.context), kv_number_bytes);
         },
         true},
        {{"cache_share", cache_arguments, "",
          "Size of the cos/sin table, in the precision of the rotary setup, divided by the size of the KV cache. If no "
          "published model is named, the rotated fraction of head_dim is that of the setup."},
         [](const QuantityInput& input) {
             const CacheSizes sizes = sizes_of(input);
             return static_cast<double>(sizes.table) / static_cast<double>(sizes.kv);
         }},
        {{"parameters", "(setting=value, …)", "parameters",
          "Number of trainable parameters of a run with the given settings; preset=NAME starts from the settings of a "
          "preset, vocabulary=65 sets the vocabulary size."},
         parameters,
         true},
    };
}

namespace {

const nlohmann::json& publication(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    if (name == "theta_paper") return theta_paper();
    if (name == "partial_rope_paper") return partial_rope_paper();
    if (name == "post") return post();
    if (name == "glu_variants") return glu_variants();
    throw BadInput("There are no published values of the name \"" + shortened(name) +
                   "\"; the names are theta_paper, partial_rope_paper, post and glu_variants.");
}

/// A number is compared as a number.
bool row_has_value(const nlohmann::json& row, const std::string& member, const std::string& text) {
    if (!row.is_object() || !row.contains(member)) return false;
    const nlohmann::json& value = row.at(member);
    if (value.is_string()) return value.get<std::string>() == text;
    return value.is_number() && value.get<double>() == parse_number(text);
}

std::string member_names(const nlohmann::json& node) {
    std::string names;
    if (node.is_object()) {
        for (const auto& [name, value] : node.items()) names += (names.empty() ? "" : ", ") + name;
    } else if (node.is_array() && !node.empty() && node.front().is_object()) {
        for (const auto& [name, value] : node.front().items()) names += (names.empty() ? "" : ", ") + name + "=…";
    }
    return names;
}

const nlohmann::json& member_of(const nlohmann::json& node, const std::string& step) {
    if (node.is_object() && node.contains(step)) return node.at(step);
    if (node.is_array()) {
        const std::size_t equals = step.find('=');
        for (const nlohmann::json& row : node) {
            if (equals != std::string::npos && row_has_value(row, step.substr(0, equals), step.substr(equals + 1))) {
                return row;
            }
        }
    }
    const std::string names = member_names(node);
    throw BadInput("The published values have no \"" + shortened(step) + "\" at this point of the path" +
                   (names.empty() ? "." : "; possible are " + shortened(names, 300) + "."));
}

const nlohmann::json& published_node(const QuantityInput& input) {
    const nlohmann::json* node = &publication(input.arguments.text("sheet"));
    std::string path = input.arguments.text("row");
    if (input.arguments.has("column")) path += "/" + input.arguments.text("column");
    for (std::size_t start = 0; start <= path.size();) {
        const std::size_t end = std::min(path.find('/', start), path.size());
        node = &member_of(*node, path.substr(start, end - start));
        start = end + 1;
    }
    return *node;
}

nlohmann::json published_number(const nlohmann::json& node, std::initializer_list<const char*> members) {
    if (node.is_number()) return node;
    for (const char* member : members) {
        if (node.is_object() && node.contains(member) && node.at(member).is_number()) return node.at(member);
    }
    throw BadInput("The path does not lead to a published number; continue the path with one of the members " +
                   shortened(member_names(node), 300) + ".");
}

nlohmann::json spread_of(const nlohmann::json& node) {
    if (node.is_number()) throw BadInput("The published value has no standard deviation or standard error.");
    return published_number(node, {"std", "stderr"});
}

constexpr const char* place_words =
    " The argument row is a path of names and of key=value, separated by \"/\", such as "
    "table_2/tinyshakespeare/theta=500; the argument column is a path within the row, such as best_validation_loss.";

}  // namespace

std::vector<Quantity> published_quantities() {
    const auto described = [](const std::string& text) { return text + place_words; };
    const auto mean = [](const QuantityInput& input) { return published_number(published_node(input), {"mean"}); };
    return {
        {{"published", "(sheet, row[, column])", "as printed",
          described("Value printed in theta_paper (Huang et al. 2025), partial_rope_paper (Khan et al.), post "
                    "(Brahmachary 2025) or glu_variants (Shazeer 2020); the mean where a spread was printed.")},
         mean,
         true},
        {{"published_mean", "(sheet, row[, column])", "as printed",
          described("Mean that the published source prints.")},
         mean,
         true},
        {{"published_spread", "(sheet, row[, column])", "as printed",
          described("Standard deviation or standard error that the published source prints.")},
         [](const QuantityInput& input) { return spread_of(published_node(input)); },
         true},
    };
}

namespace {

constexpr double baseline_theta = 10000;

const nlohmann::json& theta_row(const QuantityInput& input, const nlohmann::json& table) {
    const double theta = input.arguments.number("theta");
    try {
        return row_of_theta(table, theta);
    } catch (const std::out_of_range&) {
        throw BadInput("The tables of Huang et al. 2025 have no row with theta = " + number_text(theta) +
                       "; they have 500, 1000, 5000, 10000, 20000 and 50000.");
    }
}

const nlohmann::json& loss_table(const QuantityInput& input) {
    const std::string& data = input.arguments.text("data");
    const nlohmann::json& tables = theta_paper().at("table_2");
    if (!tables.contains(data)) {
        throw BadInput("Table 2 of Huang et al. 2025 has no data set \"" + data +
                       "\"; it has tinyshakespeare, enwik8 and text8.");
    }
    return tables.at(data);
}

Sample printed_loss(const nlohmann::json& row) {
    return published_sample(row.at("best_validation_loss"), theta_paper().at("n").get<std::int64_t>());
}

nlohmann::json published_improvement(const QuantityInput& input) {
    const nlohmann::json& table = loss_table(input);
    return improvement_of(printed_loss(theta_row(input, table)).mean,
                          printed_loss(row_of_theta(table, baseline_theta)).mean)
        .percent;
}

nlohmann::json published_p_value(const QuantityInput& input) {
    const nlohmann::json& table = loss_table(input);
    const Sample sample = printed_loss(theta_row(input, table));
    const Sample baseline = printed_loss(row_of_theta(table, baseline_theta));
    const std::string& name = input.arguments.text("test");
    if (name != "student" && name != "welch") {
        throw BadInput("The test \"" + name + "\" must be student or welch.");
    }
    const auto test = name == "student" ? student_t_test(sample, baseline) : welch_t_test(sample, baseline);
    return test ? test->p : unknown_value;
}

nlohmann::json published_slowdown(const QuantityInput& input) {
    const nlohmann::json& table = theta_paper().at("table_3");
    const auto speed = [](const nlohmann::json& row) {
        return row.at("generated_tokens_per_second").at("mean").get<double>();
    };
    return speed(row_of_theta(table, baseline_theta)) / speed(theta_row(input, table));
}

nlohmann::json published_perplexity(const QuantityInput& input) {
    const std::string& model = input.arguments.text("config");
    const double percent = input.arguments.number("percent");
    const bool is_large = model == "llama-8b";
    if (!is_large && model != "llama-1b") throw BadInput("The model \"" + model + "\" must be llama-1b or llama-8b.");
    const std::string config = is_large ? "Llama-3.1-8B x FW x Seq. Len. 2048" : "Llama-3.2-1B x FW x Seq. Len. 2048";
    const std::string begin = number_text(percent) + "% RoPE";
    for (const nlohmann::json& row : partial_rope_paper().at("lambada_perplexity")) {
        if (row.at("config") == config && row.at("rope").get<std::string>().starts_with(begin)) {
            return row.at("openai").at("mean");
        }
    }
    throw BadInput("Table 4 of Khan et al. has no perplexity of " + model + " with " + number_text(percent) +
                   " % of the channels rotated.");
}

}  // namespace

std::vector<Quantity> derived_quantities() {
    return {
        {{"published_improvement", "(data, theta)", "%",
          "Improvement of the best validation loss at a base theta over theta = 10000, computed from the losses in "
          "table 2 of Huang et al. 2025."},
         published_improvement,
         true},
        {{"published_p_value", "(data, theta, test)", "",
          "p value of Student's or Welch's t test (student, welch) against theta = 10000, from the means and standard "
          "deviations in table 2 of Huang et al. 2025."},
         published_p_value,
         true},
        {{"published_slowdown", "(theta)", "",
          "Generation speed at theta = 10000 divided by the speed at the given theta, from table 3 of Huang et al. "
          "2025."},
         published_slowdown,
         true},
        {{"published_perplexity", "(config, percent)", "",
          "Perplexity on LAMBADA (OpenAI) of a model of table 4 of Khan et al., by its configuration (llama-1b or "
          "llama-8b, trained on FineWeb with a context of 2,048 tokens) and the percentage of rotated channels."},
         published_perplexity,
         true},
    };
}

}  // namespace ropelab
