// Fuzz test of the Hugging Face importer: mutates real configuration files at random. The importer must either accept a
// file or throw BadInput. Usage: hf_config_fuzz [mutations [seed]]. The test is deterministic for a given seed.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "core/base/error.h"
#include "core/interop/config/hf_anatomy.h"
#include "core/interop/config/hf_config.h"
#include "core/interop/model_table.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/source_file.h"

namespace {

using nlohmann::json;
using namespace ropelab;
using namespace ropelab::fuzz;

std::string read(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// Returns the configurations of the model table and, if they are installed, those of the shared test data.
std::vector<std::string> seeds() {
    std::vector<std::string> result;
    for (const KnownModel& model : model_table()) result.push_back(model.config.dump());
    const std::filesystem::path shared = source_file("../shared/data");
    const auto oracles = shared / "oracles/hf_inverse_frequencies.json";
    if (std::filesystem::exists(oracles)) {
        const json reference = json::parse(read(oracles));
        for (const auto& record : reference.at("records")) result.push_back(record.at("config").dump());
    }
    for (const char* name : {"gpt2", "llama_gqa", "neox_25"}) {
        for (const char* file : {"config.json", "config.v4.json"}) {
            const auto path = shared / "oracles/hf_models" / name / file;
            if (std::filesystem::exists(path)) result.push_back(read(path));
        }
    }
    return result;
}

const std::vector<std::string> interesting = {"0",
                                              "-1",
                                              "1",
                                              "2",
                                              "3",
                                              "7",
                                              "63",
                                              "4096",
                                              "4097",
                                              "65536",
                                              "1e300",
                                              "-1e300",
                                              "1e-300",
                                              "1e999",
                                              "0.5",
                                              "1.5",
                                              "2147483648",
                                              "9223372036854775807",
                                              "18446744073709551616",
                                              "null",
                                              "true",
                                              "false",
                                              "\"\"",
                                              "\"yarn\"",
                                              "\"longrope\"",
                                              "\"dynamic\"",
                                              "[]",
                                              "{}",
                                              "[1,2,3]",
                                              "{\"full_attention\":{}}"};

const std::vector<std::string> keys = {"rope_theta",
                                       "rope_scaling",
                                       "rope_parameters",
                                       "rotary_dim",
                                       "partial_rotary_factor",
                                       "rope_type",
                                       "type",
                                       "factor",
                                       "head_dim",
                                       "original_max_position_embeddings",
                                       "model_type",
                                       "layer_types",
                                       "sliding_window",
                                       "short_factor",
                                       "sliding_window_pattern",
                                       "text_config",
                                       "kv_lora_rank",
                                       "qk_rope_head_dim",
                                       "beta_fast",
                                       "full_attention_interval",
                                       "attention_factor",
                                       "low_freq_factor",
                                       "num_key_value_heads",
                                       "attn_config",
                                       "attn_type_list",
                                       "block_configs",
                                       "compress_ratios",
                                       "compress_rates",
                                       "index_head_dim",
                                       "indexer_types",
                                       "kv_source_layers",
                                       "mlp_layer_types",
                                       "query_pre_attn_scalar",
                                       "attn_logit_softcapping",
                                       "final_logit_softcapping",
                                       "logits_scaling",
                                       "logit_scale",
                                       "embedding_multiplier",
                                       "residual_multiplier",
                                       "attention_multiplier",
                                       "rms_norm_eps",
                                       "hidden_activation",
                                       "n_recurrent_loops",
                                       "num_query_heads",
                                       "per_layer_config"};

// Returns a random node of the tree.
json* place(json& tree, Generator& generator) {
    json* node = &tree;
    while (node->is_structured() && !node->empty() && below(generator, 4) != 0) {
        auto entry = node->begin();
        std::advance(entry, static_cast<std::ptrdiff_t>(below(generator, node->size())));
        node = &*entry;
    }
    return node;
}

// Mutates one value or key; the text remains valid JSON.
void change_values(std::string& text, Generator& generator) {
    json tree = json::parse(text, nullptr, false);
    if (tree.is_discarded() || !tree.is_object()) return;
    json* node = place(tree, generator);
    const std::string key = keys[below(generator, keys.size())];
    const json value = json::parse(interesting[below(generator, interesting.size())], nullptr, false);
    switch (below(generator, 5)) {
        case 0:
            if (node->is_object()) (*node)[key] = *place(tree, generator);
            break;
        case 1:
            if (node->is_object() && !node->empty()) {
                auto entry = node->begin();
                std::advance(entry, static_cast<std::ptrdiff_t>(below(generator, node->size())));
                node->erase(entry);
            }
            break;
        case 2:
            if (!value.is_discarded() && node->is_object()) (*node)[key] = value;
            break;
        case 3:
            if (node->is_number())
                *node = node->get<double>() * std::pow(10.0, static_cast<double>(below(generator, 9)) - 4);
            break;
        default:
            if (!value.is_discarded() && node != &tree) *node = value;
    }
    text = tree.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Returns true if the importer accepted the text.
bool try_import(const std::string& text, Generator& generator) {
    try {
        const json config = parse_model_config(text);
        const HfModel model = read_hf_config(config);
        require(model.rotary.empty() == (model.position != HfPosition::rotary), "the rotary embeddings");
        for (const HfRotary& rotary : model.rotary) {
            for (double length : {0.0, 1.0, static_cast<double>(below(generator, 1 << 20))}) {
                for (double g : rotary.at(length).inverse_frequencies)
                    require(std::isfinite(g) && g >= 0, "a frequency");
            }
            require(parse_setup(text_of(rotary.setup)) == rotary.setup, "the setup's text");
        }
        if (model.sizes) {
            require(kv_cache_bytes(model.caches(), model.context, 4) >= 0, "the cache");
            require(index_cache_bytes(model.caches(), model.context, 4) >= 0, "the keys of indexers");
        }
        const ModelPlan plan = hf_plan(config);
        plan.anatomy();
        require(std::isfinite(plan.embedding.factor) && std::isfinite(plan.head.factor), "a factor");
        for (const LayerPlan& layer : plan.layers) {
            require(!layer.scores() || std::isfinite(layer.scores()->factor), "the factor of the scores");
            if (const Rotary* rotary = layer.rotary()) {
                for (const RotaryPair& pair : rotary->pairs) require(std::isfinite(pair.frequency), "a frequency");
            }
        }
        return true;
    } catch (const BadInput& error) {
        const std::string message = error.what();
        require(!message.empty() && message.size() < 400 && message.find('\n') == std::string::npos, "the message");
        return false;
    }
}

}  // namespace

int main(int count, char** arguments) {
    const long mutations = count > 1 ? std::atol(arguments[1]) : 3000;
    const auto seed = static_cast<std::uint64_t>(count > 2 ? std::atol(arguments[2]) : 1);
    const std::vector<std::string> files = seeds();
    Generator generator(seed);
    long accepted = 0;
    for (long i = 0; i < mutations; ++i) {
        std::string text = files[below(generator, files.size())];
        const bool values = below(generator, 3) != 0;
        for (std::size_t change = 0; change <= below(generator, 4); ++change) {
            if (values)
                change_values(text, generator);
            else
                change_bytes(text, generator, interesting, files);
        }
        try {
            accepted += try_import(text, generator) ? 1 : 0;
        } catch (const std::exception& error) {
            std::cerr << "mutation " << i << " of seed " << seed << ": " << error.what() << "\n" << text << '\n';
            return 1;
        }
    }
    std::cout << mutations << " mutations of " << files.size() << " files: " << accepted << " accepted, "
              << mutations - accepted << " rejected\n";
    return accepted > 0 && accepted < mutations ? 0 : 1;
}
