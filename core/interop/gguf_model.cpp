#include "core/interop/gguf_model.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/tokenizer/subword_kinds.h"
#include "core/interop/tensor_names.h"

namespace ropelab {

namespace {

using nlohmann::json;

struct Architecture {
    const char* name;        // general.architecture
    const char* model_type;  // of transformers
    /// The converter reorders the rows of queries and keys, so that channels 2i and 2i + 1 rotate together.
    bool is_interleaved;
};
constexpr std::array<Architecture, 4> architectures = {
    {{"llama", "llama", true}, {"qwen2", "qwen2", false}, {"qwen3", "qwen3", false}, {"smollm3", "smollm3", true}}};

const Architecture& architecture_of(const GgufHeader& header) {
    const std::string name = header.get<std::string>("general.architecture").value_or("");
    const auto found = std::ranges::find_if(architectures, [&](const Architecture& each) { return each.name == name; });
    if (found != architectures.end()) return *found;
    throw BadInput("The GGUF file has a model of the architecture " + quoted_name(name) + ", but only " +
                   joined(architectures, ", ", &Architecture::name) +
                   " are read from GGUF; use the model's folder of Hugging Face instead.");
}

std::string text_of_refusal(const std::string& key, const std::string& value) {
    return "The GGUF file sets " + key + " to " + value + ", which is not supported.";
}

// The shortest decimal number that is this one in float32, in which GGUF stores it: 1e-5 as in the config.
double shortest(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), static_cast<float>(value)).ptr;
    std::from_chars(text.data(), end, value);
    return value;
}

}  // namespace

json gguf_config(const WeightFiles& files) {
    const GgufHeader& header = *files.gguf();
    const Architecture& architecture = architecture_of(header);
    const std::string prefix = std::string(architecture.name) + ".";
    const auto number = [&](const char* key) { return header.get<double>(prefix + key); };
    const auto whole = [&](const char* key, std::int64_t otherwise) {  // 0: it must be there
        const double found = number(key).value_or(static_cast<double>(otherwise));
        if (!(found >= 1 && found <= 1 << 30) || found != std::floor(found)) {
            throw BadInput("The GGUF file must have a whole number of 1 or more as its metadata " + prefix + key + ".");
        }
        return static_cast<std::int64_t>(found);
    };
    if (number("expert_count").value_or(0) > 0)
        throw BadInput(text_of_refusal(prefix + "expert_count", number_text(*number("expert_count"))));
    const std::int64_t width = whole("embedding_length", 0);
    const std::int64_t heads = whole("attention.head_count", 0);
    const WeightFiles::Entry* embedding = files.find("token_embd.weight");
    if (!embedding || embedding->tensor.shape.size() != 2)
        throw BadInput("The GGUF file has no tensor token_embd.weight with a row for each token.");
    const std::int64_t head = whole("attention.key_length", width / heads);
    for (const char* key : {"attention.value_length", "rope.dimension_count"}) {
        if (whole(key, head) != head)
            throw BadInput(text_of_refusal(prefix + key, std::to_string(whole(key, head)) + " of " +
                                                             std::to_string(head) + " channels of a head"));
    }
    json config = {{"model_type", architecture.model_type},
                   {"hidden_size", width},
                   {"intermediate_size", whole("feed_forward_length", 0)},
                   {"num_hidden_layers", whole("block_count", 0)},
                   {"num_attention_heads", heads},
                   {"num_key_value_heads", whole("attention.head_count_kv", heads)},
                   {"head_dim", head},
                   {"max_position_embeddings", whole("context_length", 0)},
                   {"vocab_size", embedding->tensor.shape.front()},
                   {"hidden_act", "silu"},
                   {"tie_word_embeddings", files.find("output.weight") == nullptr}};
    const auto real_number = [&](const char* key, const char* name) {
        if (const auto found = number(key)) config[name] = shortest(*found);
    };
    real_number("attention.layer_norm_rms_epsilon", "rms_norm_eps");
    real_number("rope.freq_base", "rope_theta");
    if (architecture.model_type != std::string("qwen2"))
        config["attention_bias"] = files.find("blk.0.attn_q.bias") != nullptr;
    config["mlp_bias"] = files.find("blk.0.ffn_up.bias") != nullptr;
    const auto scaling = header.get<std::string>(prefix + "rope.scaling.type").value_or("none");
    if (scaling == "linear" || scaling == "yarn") {
        config["rope_scaling"] = {{"rope_type", scaling},
                                  {"factor", shortest(number("rope.scaling.factor").value_or(1))}};
        if (number("rope.scaling.original_context_length"))
            config["rope_scaling"]["original_max_position_embeddings"] =
                whole("rope.scaling.original_context_length", 0);
    } else if (scaling != "none") {
        throw BadInput(text_of_refusal(prefix + "rope.scaling.type", quoted_name(scaling)));
    }
    // The file of a model of Llama 3.1 has the divisors of its frequencies instead of their formula; LongRoPE is the
    // scaling by a list of divisors.
    if (const WeightFiles::Entry* divisors = files.find("rope_freqs.weight")) {
        if (divisors->tensor.count != head / 2 || scaling != "none")
            throw BadInput(
                "The tensor rope_freqs.weight of the GGUF file must have a divisor for each rotated pair, and no "
                "other scaling beside it.");
        std::vector<float> numbers(static_cast<std::size_t>(divisors->tensor.count));
        divisors->file->read(divisors->tensor, 0, numbers);
        config["rope_scaling"] = {{"rope_type", "longrope"},
                                  {"short_factor", numbers},
                                  {"long_factor", numbers},
                                  {"attention_factor", 1.0},
                                  {"original_max_position_embeddings", config["max_position_embeddings"]}};
    }
    return config;
}

void adapt_to_gguf(ModelPlan& plan, const WeightFiles& files) {
    plan.tensor_names = gguf_tensor_names();
    if (architecture_of(*files.gguf()).is_interleaved) rotate_neighbours(plan);
}

void rotate_neighbours(ModelPlan& plan) {
    for (LayerPlan& layer : plan.layers) {
        if (Rotary* rotary = layer.rotary()) rotary->pairing = Pairing::interleaved;
    }
}

namespace {

// tokenizer.ggml.pre, and what it means in a tokenizer.json (llama-vocab.cpp of llama.cpp).
json steps_of(const std::string& pre) {
    const auto is_one_of = [&](std::initializer_list<const char*> names) { return std::ranges::count(names, pre) > 0; };
    const auto split = [](const std::string& expression) { return byte_level_steps({{"Regex", expression}}); };
    if (is_one_of({"gpt-2", "phi-2", "olmo", "jina-es", "jina-de", "jais", "mpt"})) return split(gpt2_expression());
    if (is_one_of({"llama-bpe", "llama-v3", "llama3", "dbrx", "smaug-bpe", "chatglm-bpe"}))
        return split(gpt4_expression(3));
    if (is_one_of({"qwen2", "stablelm2", "hunyuan", "deepseek-r1-qwen", "megrez"})) return split(gpt4_expression(1));
    if (is_one_of({"gpt-4o", "llama4"})) return split(o200k_expression());
    json steps = json::array();
    const auto add = [&](const char* expression) {
        steps.push_back({{"type", "Split"}, {"pattern", {{"Regex", expression}}}, {"behavior", "Isolated"}});
    };
    const bool has_digits = is_one_of({"smollm", "starcoder", "refact", "command-r", "codeshell"});
    if (has_digits) {
        steps.push_back({{"type", "Digits"}, {"individual_digits", true}});
    } else if (pre == "deepseek-coder") {
        add(R"([\r\n])");
        add(R"(\s?\p{L}+)");
        add(R"(\s?\p{P}+)");
        add(R"([\x{4e00}-\x{9fa5}\x{0800}-\x{4e00}\x{ac00}-\x{d7ff}]+)");
        add(R"(\p{N})");
    } else if (pre == "deepseek-v3") {
        add(R"(\p{N}{1,3})");
        add(R"([\x{4e00}-\x{9fa5}\x{3040}-\x{309f}\x{30a0}-\x{30ff}]+)");
        add(R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)");
    } else {
        return nullptr;
    }
    steps.push_back({{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", has_digits}});
    return {{"type", "Sequence"}, {"pretokenizers", steps}};
}

}  // namespace

std::shared_ptr<const Subwords> gguf_tokenizer(const GgufHeader& header, const std::string& name) {
    const auto kind = header.get<std::string>("tokenizer.ggml.model").value_or("none");
    const auto pre = header.get<std::string>("tokenizer.ggml.pre").value_or("default");
    const auto tokens = header.get<std::vector<std::string>>("tokenizer.ggml.tokens");
    const auto types = header.get<std::vector<double>>("tokenizer.ggml.token_type");
    const auto require = [&](bool is_there, const char* list) {
        if (is_there) return;
        throw BadInput("The GGUF file must have a list of tokens, and as many types of tokens" + std::string(list) +
                       ", but one is missing.");
    };
    require(tokens && types && types->size() == tokens->size(), "");
    if (kind == "llama") {
        const auto scores = header.get<std::vector<double>>("tokenizer.ggml.scores");
        require(scores && scores->size() == tokens->size(), " and scores");
        const bool adds_space = header.get<bool>("tokenizer.ggml.add_space_prefix").value_or(true);
        return sentencepiece_of_model(sentencepiece_model(*tokens, *scores, *types, adds_space), name,
                                      Normalization::own);
    }
    const json steps = kind == "gpt2" ? steps_of(pre) : json();
    if (steps.is_null()) {
        throw BadInput("The GGUF file has a tokenizer of the kind " + quoted_name(kind) + " with the pre-tokenizer " +
                       quoted_name(pre) +
                       ", which is not supported; use the model's folder of Hugging Face, or give token ids with "
                       "--tokens.");
    }
    const auto merges = header.get<std::vector<std::string>>("tokenizer.ggml.merges");
    require(merges.has_value(), " and a list of merges");
    const bool has_whole_words = pre == "llama-bpe" || pre == "llama-v3" || pre == "llama3";
    json file = {
        {"model",
         {{"type", "BPE"}, {"vocab", json::object()}, {"merges", *merges}, {"ignore_merges", has_whole_words}}}};
    file["pre_tokenizer"] = steps;
    file["added_tokens"] = json::array();
    for (std::size_t id = 0; id < tokens->size(); ++id) {
        const std::string& token = (*tokens)[id];
        constexpr double control = 3;
        constexpr double user_defined = 4;
        const double type = (*types)[id];
        if (type == control || type == user_defined) {
            file["added_tokens"].push_back({{"id", id}, {"content", token}, {"special", type == control}});
        } else if (!file["model"]["vocab"].emplace(token, id).second) {
            throw BadInput("The GGUF file has the token " + quoted_name(token) + " twice.");
        }
    }
    return byte_pairs_of_json(file.dump(), name);
}

}  // namespace ropelab
