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
    bool is_interleaved = false;
    bool is_fused = false;  // queries, keys and values are one tensor
    const char* epsilon = "rms_norm_eps";
};
constexpr std::array<Architecture, 7> architectures = {
    {{.name = "llama", .model_type = "llama", .is_interleaved = true},
     {.name = "qwen2", .model_type = "qwen2"},
     {.name = "qwen3", .model_type = "qwen3"},
     {.name = "smollm3", .model_type = "smollm3", .is_interleaved = true},
     {.name = "gpt2", .model_type = "gpt2", .is_fused = true, .epsilon = "layer_norm_epsilon"},
     {.name = "gptneox", .model_type = "gpt_neox", .is_fused = true, .epsilon = "layer_norm_eps"},
     {.name = "gemma2", .model_type = "gemma2"}}};

const Architecture& architecture_of(const std::string& name) {
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

double fraction_of_channels(std::int64_t rotated, std::int64_t head) {
    const double fraction = static_cast<double>(rotated) / static_cast<double>(head);
    return fraction * static_cast<double>(head) < static_cast<double>(rotated) ? std::nextafter(fraction, 1) : fraction;
}

std::string gguf_architecture(std::string_view model_type) {
    const auto found = std::ranges::find(architectures, model_type, &Architecture::model_type);
    return found == architectures.end() ? "" : found->name;
}

json gguf_config(const WeightFiles& files) {
    const GgufHeader& header = *files.gguf();
    const Architecture& architecture = architecture_of(header.get<std::string>("general.architecture").value_or(""));
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
    if (!header.get<bool>(prefix + "attention.causal").value_or(true))
        throw BadInput(text_of_refusal(prefix + "attention.causal", "false"));
    const std::int64_t width = whole("embedding_length", 0);
    const std::int64_t heads = whole("attention.head_count", 0);
    const WeightFiles::Entry* embedding = files.find("token_embd.weight");
    if (!embedding || embedding->tensor.shape.size() != 2)
        throw BadInput("The GGUF file has no tensor token_embd.weight with a row for each token.");
    const std::int64_t head = whole("attention.key_length", width / heads);
    const std::string type = architecture.model_type;
    const std::int64_t rotated = whole("rope.dimension_count", head);
    const std::int64_t value = whole("attention.value_length", head);
    const bool is_neox = type == "gpt_neox";
    if (value != head || (is_neox ? rotated > head : rotated != head)) {
        throw BadInput(text_of_refusal(
            prefix + (value != head ? "attention.value_length" : "rope.dimension_count"),
            std::to_string(value != head ? value : rotated) + " of " + std::to_string(head) + " channels of a head"));
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
                   {"tie_word_embeddings", type == "gemma2" || files.find("output.weight") == nullptr}};
    // GGUF has no key for it. Programs that read gpt2 and gptneox compute GELU by the hyperbolic tangent.
    if (architecture.is_fused) {
        const auto activation = header.get<std::string>(gguf_activation_key);
        if (activation == "gelu" || activation == "gelu_new")
            config[is_neox ? "hidden_act" : "activation_function"] = *activation;
    } else if (type != "gemma2") {
        config["hidden_act"] = "silu";
    }
    const auto real_number = [&](const char* key, const char* name) {
        if (const auto found = number(key)) config[name] = shortest(*found);
    };
    const bool is_centred = architecture.epsilon != std::string("rms_norm_eps");
    real_number(is_centred ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon", architecture.epsilon);
    if (type != "gpt2") real_number("rope.freq_base", "rope_theta");
    if (type == "gemma2") {
        real_number("attn_logit_softcapping", "attn_logit_softcapping");
        real_number("final_logit_softcapping", "final_logit_softcapping");
        if (number("attention.sliding_window")) config["sliding_window"] = whole("attention.sliding_window", 0);
        constexpr std::int64_t layers_of_27b = 46;
        config["query_pre_attn_scalar"] = config["num_hidden_layers"] == layers_of_27b ? width / heads : head;
    }
    if (is_neox) {
        config["rope_parameters"] = {{"rope_type", "default"},
                                     {"rope_theta", config.value("rope_theta", 10000.0)},
                                     {"partial_rotary_factor", fraction_of_channels(rotated, head)}};
        config["use_parallel_residual"] = header.get<bool>(prefix + "use_parallel_residual").value_or(true);
    }
    if (type != "qwen2") {
        config["attention_bias"] = files.find("blk.0.attn_q.bias") != nullptr || architecture.is_fused;
    }
    config["mlp_bias"] = files.find("blk.0.ffn_up.bias") != nullptr;
    // As in llama.cpp: 0 is 1, a factor without a type is linear, and attn_factor multiplies cosines and sines.
    const double given = number("rope.scaling.factor").value_or(number("rope.scale_linear").value_or(1));
    const double factor = given == 0 ? 1 : shortest(given);
    const double attention_factor = shortest(number("rope.scaling.attn_factor").value_or(1));
    const auto scaling =
        header.get<std::string>(prefix + "rope.scaling.type").value_or(factor == 1 ? "none" : "linear");
    json rotary = json::object();
    if (scaling == "linear" || scaling == "yarn") {
        rotary = {{"rope_type", scaling}, {"factor", factor}};
        if (number("rope.scaling.original_context_length"))
            rotary["original_max_position_embeddings"] = whole("rope.scaling.original_context_length", 0);
    } else if (scaling != "none") {
        throw BadInput(text_of_refusal(prefix + "rope.scaling.type", quoted_name(scaling)));
    }
    // The file of a model of Llama 3.1 has the divisors of its frequencies instead of their formula; LongRoPE is the
    // scaling by a list of divisors, and has an attention factor, which neither linear scaling nor none has.
    const WeightFiles::Entry* divisors = files.find("rope_freqs.weight");
    const std::int64_t pairs = (rotated + 1) / 2;
    if (divisors && (divisors->tensor.count != pairs || scaling == "yarn"))
        throw BadInput(
            "The tensor rope_freqs.weight of the GGUF file must have a divisor for each rotated pair, and no YaRN "
            "beside it.");
    if (scaling == "yarn") {
        if (attention_factor != 1) rotary["attention_factor"] = attention_factor * (0.1 * std::log(factor) + 1);
    } else if (divisors || attention_factor != 1) {
        std::vector<float> numbers(static_cast<std::size_t>(pairs), 1);
        if (divisors) divisors->file->read(divisors->tensor, 0, numbers);
        if (scaling == "linear") {
            for (float& each : numbers) each *= static_cast<float>(factor);
        }
        rotary = {{"rope_type", "longrope"},
                  {"short_factor", numbers},
                  {"long_factor", numbers},
                  {"attention_factor", attention_factor},
                  {"original_max_position_embeddings", config["max_position_embeddings"]}};
    }
    if (!rotary.empty()) config[is_neox ? "rope_parameters" : "rope_scaling"].update(rotary);
    return config;
}

void rotate_neighbours(ModelPlan& plan) {
    for (LayerPlan& layer : plan.layers) {
        if (Rotary* rotary = layer.rotary()) rotary->pairing = Pairing::interleaved;
    }
}

void adapt_to_gguf(ModelPlan& plan, const std::string& name) {
    const Architecture& architecture = architecture_of(name);
    plan.tensor_names = gguf_tensor_names(architecture.is_fused);
    // The converter adds 1 to the weights of norms that are centred on zero.
    const auto centre = [](std::optional<NormPart>& norm) {
        if (norm && norm->kind == NormPart::Kind::zero_centred_rms) norm->kind = NormPart::Kind::rms;
    };
    centre(plan.head.norm);
    for (LayerPlan& layer : plan.layers) {
        for (BranchNorms* norms : {&layer.attention_norms, &layer.feed_forward_norms}) {
            centre(norms->before);
            centre(norms->output);
        }
    }
    if (architecture.is_interleaved) rotate_neighbours(plan);
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
        steps.push_back(
            {{"type", "Split"}, {"pattern", {{"Regex", expression}}}, {"behavior", "Isolated"}, {"invert", false}});
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
    steps.push_back(byte_level_steps(has_digits ? json{{"Regex", gpt2_expression()}} : json()));
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
                       quoted_name(pre) + ", which is not supported; use the model's folder of Hugging Face.");
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

std::vector<std::pair<std::string, GgufEntry>> gguf_tokenizer_entries(const json& tokenizer, std::int64_t size) {
    const json& model = tokenizer.at("model");
    const bool is_unigram = model.at("type") == "Unigram";
    const bool is_pieces = is_unigram || model.value("byte_fallback", false);
    const bool has_merges = !is_unigram && !model.at("merges").empty();
    const json& steps = tokenizer.at("pre_tokenizer");
    static constexpr std::array<const char*, 5> names = {"gpt-2", "smollm", "llama-bpe", "qwen2", "gpt-4o"};
    const auto pre = std::ranges::find_if(names, [&](const char* name) { return steps_of(name) == steps; });
    // Without merges, and without words that are tokens, every rule gives the same ids.
    const bool is_any = !has_merges && !is_unigram && model.value("ignore_merges", false) == false &&
                        steps == byte_level_steps(nullptr);
    if (!is_pieces && !is_any && pre == names.end()) {
        throw BadInput(
            "The tokenizer of this run cannot be written as GGUF, which has byte-level BPE with the pre-tokenizers of "
            "GPT-2, SmolLM, Llama 3, Qwen 2 and GPT-4o, and SentencePiece, but neither words nor characters beyond "
            "ASCII; "
            "export the run with --hugging-face.");
    }
    enum TokenType { normal = 1, unknown, control, user_defined, unused, byte };
    std::vector<std::string> tokens(static_cast<std::size_t>(size));
    std::vector<float> scores(tokens.size());
    std::vector<std::int32_t> types(tokens.size(), unused);
    for (std::size_t id = 0; id < tokens.size(); ++id) tokens[id] = "[PAD" + std::to_string(id) + "]";
    const auto put = [&](const std::string& token, std::size_t id, TokenType type, float score) {
        tokens.at(id) = token;
        types.at(id) = type;
        scores.at(id) = score;
    };
    const auto put_piece = [&](const std::string& piece, std::size_t id, float score) {
        const bool is_byte = is_pieces && piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with('>');
        put(piece, id, is_byte ? byte : normal, score);
    };
    if (is_unigram) {
        for (std::size_t id = 0; id < model.at("vocab").size(); ++id)
            put_piece(model["vocab"][id].at(0), id, model["vocab"][id].at(1).get<float>());
        types.at(model.at("unk_id")) = unknown;
    } else {  // pieces of BPE are in the order in which they are joined
        for (const auto& [token, id] : model.at("vocab").items()) put_piece(token, id, -id.get<float>());
        if (is_pieces) types.at(model.at("vocab").at(model.at("unk_token").get<std::string>())) = unknown;
    }
    for (const json& token : tokenizer.at("added_tokens"))
        put(token.at("content"), token.at("id"), token.value("special", false) ? control : user_defined, 0);
    std::vector<std::pair<std::string, GgufEntry>> entries = {
        {"tokenizer.ggml.model", std::string(is_unigram  ? "t5"
                                             : is_pieces ? "llama"
                                                         : "gpt2")},
        {"tokenizer.ggml.tokens", std::move(tokens)},
        {"tokenizer.ggml.token_type", std::move(types)},
        {"tokenizer.ggml.add_bos_token", false},
        {"tokenizer.ggml.add_eos_token", false},
        {"tokenizer.ggml.add_space_prefix", false}};
    if (is_pieces) {
        entries.emplace_back("tokenizer.ggml.pre", std::string("default"));
        entries.emplace_back("tokenizer.ggml.scores", std::move(scores));
        entries.emplace_back("tokenizer.ggml.remove_extra_whitespaces", false);
    } else {
        entries.emplace_back("tokenizer.ggml.pre", std::string(is_any ? "gpt-2" : *pre));
        entries.emplace_back("tokenizer.ggml.merges", model.at("merges").get<std::vector<std::string>>());
    }
    return entries;
}

}  // namespace ropelab
