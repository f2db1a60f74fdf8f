#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/rope/frequencies.h"
#include "core/rope/memory.h"
#include "core/rope/rotary_setup.h"

namespace ropelab {

/// Who says a value of a model.
enum class HfOrigin {
    file,             // its config.json
    library_default,  // Hugging Face transformers, or the model's own code, for its model type
    derived,          // follows from others
    assumed,          // nobody
};
/// "file", "library default", "derived", "assumed".
std::string_view word_of(HfOrigin origin);

/// One value, for a list that hides nothing.
struct HfValue {
    std::string name;  // Hugging Face's usual name: "rope_theta"
    std::string text;  // "10000"
    HfOrigin origin = HfOrigin::file;
    std::string key;         // how the file spells it, where the file says it: "rotary_emb_base"
    std::string layer_type;  // where it holds for one layer type only
};

/// The rotary embedding of one layer type.
struct HfRotary {
    std::string layer_type;   // "" where all layers have the same; else "full_attention", "sliding_attention" …
    std::int64_t layers = 0;  // how many layers have it; 0 where the file does not tell
    /// By Hugging Face's rule: int(head_dim · fraction), even or not; proportional: twice int(head_dim · fraction / 2).
    int rotary_dim = 0;
    /// What the rooms show. Its fraction is rotary_dim / head_dim; an odd rotary_dim is shown as the next even one, so
    /// `frequencies` and `at` are the numbers to trust then.
    RotarySetup setup;
    /// What the softmax scale is multiplied by: DeepSeek's mscale², which leaves cos and sin alone.
    double softmax_factor = 1.0;
    /// As transformers builds them before it has seen a text: within the context the model was trained at.
    Frequencies frequencies;

    /// The same for a current length in tokens, for scalings that depend on it; 0: `frequencies`.
    Frequencies at(double length) const;

    std::vector<double> plain;  // before scaling
    int dimension = 0;          // d of F18–F24
};

/// What a config.json says about rotary embeddings and caches.
struct HfModel {
    std::string model_type;        // "" where the file does not say
    std::vector<HfRotary> rotary;  // one or more, full_attention first
    /// Nothing where the file gives no layers or heads, or for an encoder, which keeps no KV cache. Layers without a KV
    /// cache (linear attention) are not counted.
    std::optional<CacheShape> cache;
    KvCache kind = KvCache::multi_head;
    std::int64_t context = 0;  // max_position_embeddings
    std::vector<HfValue> values;
    /// What the lists above cannot say, one sentence each.
    std::vector<std::string> remarks;
    /// Keys that speak of rotary embeddings and were not understood; as "rope_scaling.finetuned" inside an object.
    std::vector<std::string> unknown_keys;

    /// The rotary embedding of a layer type; "" takes the first. Throws BadInput, naming those there are.
    const HfRotary& of(std::string_view layer_type) const;
};

/// Reads a config.json as a parsed object: every spelling of the fraction, theta, head size and context that
/// transformers 4 and 5 and the models' own code use, at the top or in text_config and its like. Rope types default,
/// mrope, linear, dynamic, yarn, longrope (su), llama3 and proportional. Throws BadInput, naming the key, for a value
/// of the wrong type or out of range, an unknown rope type, a missing value that has no default, or a model without
/// rotary embeddings.
HfModel read_hf_config(const nlohmann::json& config);

/// The frequencies of one layer type at a current length (0: as freshly built).
Frequencies hf_frequencies(const nlohmann::json& config, std::string_view layer_type = "", double length = 0);

/// Parses a config.json: at most 4 MiB and 64 levels deep. `name` is what messages call it. Throws BadInput.
nlohmann::json parse_model_config(std::string_view text, const std::string& name = "The config");
/// The same of a file, of which no more than that is read. Throws BadInput.
nlohmann::json load_model_config(const std::filesystem::path& file);

}  // namespace ropelab
