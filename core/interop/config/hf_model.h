#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/rope/frequencies.h"
#include "core/rope/memory.h"
#include "core/rope/rotary_setup.h"

// What read_hf_config() finds in the config.json of a model.

namespace ropelab {

enum class HfOrigin {
    file,             // the config.json of the model
    library_default,  // default of Hugging Face transformers, or of the code of the model, for its model type
    derived,          // computed from other values
    assumed,          // neither file nor library defines it; the program assumes a value
};
/// "file", "library default", "derived" or "assumed".
std::string_view word_of(HfOrigin origin);

struct HfValue {
    std::string name;  // usual name in Hugging Face transformers: "rope_theta"
    std::string text;  // value as text: "10000"
    HfOrigin origin = HfOrigin::file;
    std::string key;         // name in the file, if it comes from the file: "rotary_emb_base"
    std::string layer_type;  // layer type, if the value applies to one layer type only
};

struct HfRotary {
    std::string layer_type;   // "full_attention", "sliding_attention", …; "" if all layers have the same embedding
    std::int64_t layers = 0;  // number of layers of this type; 0 if unknown
    /// As transformers: int(head_dim · fraction), which may be odd; proportional: 2 · int(head_dim · fraction / 2).
    int rotary_dim = 0;
    /// Its fraction is rotary_dim / head_dim. If rotary_dim is odd, the setup has the next even number, and only
    /// `frequencies` and `at` have the exact frequencies of the model.
    RotarySetup setup;
    /// Factor of the softmax scale: mscale² in DeepSeek models, which do not multiply cos and sin; else 1.
    double softmax_factor = 1.0;
    /// Within the training context, as in a new model in Hugging Face transformers.
    Frequencies frequencies;

    /// At a current length in tokens, for scalings that depend on it; 0 gives `frequencies`. Throws BadInput if the
    /// length is out of range or a frequency is not finite.
    Frequencies at(double length) const;

    /// Factors of cos and sin within and beyond the original context, if the config has two.
    std::optional<double> short_attention_factor;
    std::optional<double> long_attention_factor;
    std::vector<double> plain;  // frequencies before scaling
    int dimension = 0;          // d in formulas 18 to 24
};

/// How attention learns of positions.
enum class HfPosition { rotary, alibi, learned, none };
/// "rotary embedding", "ALiBi", "learned positions" or "no position encoding".
std::string_view word_of(HfPosition position);

struct HfLayer {
    std::string type;      // by names of transformers: "full_attention", "linear_attention", …; "" if all are equal
    bool rotates = false;  // queries and keys
    // Of decoders; 0 without softmax attention over the text.
    std::int64_t kv_heads = 0;
    std::int64_t head_dim = 0;  // with latent attention of both parts
    std::int64_t value_dim = 0;
    std::optional<std::int64_t> window = {};  // in tokens
    std::vector<CachedLayers> caches = {};    // empty: none, or that of an earlier layer
    // What hf_facts() reads.
    bool has_experts = false;
    bool has_attention_norm = true;

    bool operator==(const HfLayer&) const = default;
};

/// Sizes that several questions need, so that each is read once, by all its names. nullopt: the config does not define
/// it.
struct HfShape {
    std::optional<std::int64_t> width;
    std::optional<std::int64_t> heads;
    std::optional<std::int64_t> kv_heads;  // nullopt for encoders
    int head_dim = 0;                      // of local layers if others differ; with latent attention of both parts
    // Latent attention: width of the latent vector, rotary channels of a head, channels of a value.
    std::optional<std::int64_t> latent_width;
    std::optional<std::int64_t> latent_rotary_dim;
    std::optional<std::int64_t> latent_value_dim;
    bool is_encoder = false;
    std::vector<HfLayer> layers;  // empty if the config does not define their number
};

struct HfModel {
    std::string model_type;  // "" if the file does not have it
    HfPosition position = HfPosition::rotary;
    HfShape shape;
    std::vector<HfRotary> rotary;  // full_attention first; empty unless `position` is rotary
    /// Of layers with a KV cache. nullopt without a number of layers or heads, and for encoders.
    std::optional<AttentionSizes> sizes;
    std::int64_t context = 0;     // context length in tokens: max_position_embeddings
    std::vector<HfValue> values;  // all values that were used
    /// Sentences on properties that the other members cannot represent.
    std::vector<std::string> remarks;
    /// Keys on rotary embeddings that are ignored; one inside an object as "rope_scaling.finetuned".
    std::vector<std::string> unknown_keys;

    /// Of all layers; linear attention has none.
    std::vector<CachedLayers> caches() const;
    /// That of a type of layer, or of all layers; null if there is none.
    const HfRotary* find_rotary(std::string_view layer_type) const;
    /// "" means the first one. Throws BadInput if there is none; the message names the layer types of the model, or
    /// says that it has no rotary embeddings.
    const HfRotary& of(std::string_view layer_type) const;
};

}  // namespace ropelab
