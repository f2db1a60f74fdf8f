#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "core/settings/activation.h"
#include "core/settings/choices.h"
#include "core/settings/keys.h"

namespace ropelab {

/// The run with these settings, written as "experts=4 layers=6".
inline RunSpec with_settings(RunSpec spec, const std::string& settings) {
    std::istringstream words(settings);
    for (std::string word; words >> word;) {
        const std::size_t sign = word.find('=');
        const Key& setting = key(word.substr(0, sign));
        setting.set(spec, parse_value(setting, word.substr(sign + 1), spec));
    }
    return spec;
}

/// With these settings, on top of small sizes.
inline RunSpec anatomy_spec(const std::string& settings) {
    RunSpec spec;
    spec.layers = 4;
    spec.heads = 4;
    spec.width = 48;
    spec.context = 24;
    return with_settings(spec, settings);
}

/// Returns settings of models that differ in their stages.
inline const std::vector<std::string>& anatomy_variants() {
    static const std::vector<std::string> settings = [] {
        std::vector<std::string> all = {
            "position=shaw relative_clip=0 bias=true key_value_heads=2",
            "position=rope+bias distance_buckets=8 key_value_heads=1",
            "position=transformer-xl key_value_heads=2 batch=8 micro_batch=2",
            "position=xpos fraction=0.5",
            "position=cope cope_positions=5",
            "position=kerple key_value_heads=2",
            "position=fope fraction=0.5",
            "frequencies=1+0.5+0.1+0.02+0.01+0.001",
            "attention=mla",
            "attention=mla latent_width=10 rotary_channels=4 bias=true",
            "attention=mla position=alibi operations=eager",
            "attention=gated bias=true",
            "attention=gated attention_sinks=true qk_norm=true key_value_heads=2",
            "attention_sinks=true position=shaw",
            "attention_layers=deltanet",
            "attention_layers=deltanet operations=eager bias=true",
            "attention_layers=3deltanet+1full layers=8",
            "attention_layers=2window+1full attention_window=7 layers=7",
            "attention_layers=window+full attention_window=7 layers=2",
            "attention_layers=deltanet+window+full attention_window=5 attention=gated layers=5",
            "attention_layers=deltanet+full attention=mla bias=true",
            "attention_layers=deltanet+full position=shaw",
            "attention_layers=deltanet+full position=transformer-xl qk_norm=projection",
            "attention_layers=deltanet+full position=cope",
            "feed_forward=geglu bias=true",
            "block=pythia feed_forward=swiglu",
            "experts=4",
            "experts=8 experts_per_token=1 expert_noise=false bias=true",
            "experts=4 dense_layers=1 feed_forward=swiglu bias=true",
            "experts=4 dense_layers=3 block=pythia",
            "experts=4 dense_layers=1 attention_layers=deltanet+full layers=6",
            "experts=4 experts_per_token=4 attention=mla norm=dyt",
            "norm=rmsnorm bias=true",
            "norm=zero-centered-rmsnorm norm_position=sandwich",
            "norm=dyt bias=true",
            "norm_position=post",
            "norm_position=post deepnorm=true norm=dyt bias=true experts=4",
            "norm_position=sandwich block=llama bias=true tied_head=false head_bias=true",
            "norm_position=sandwich block=pythia",
            "norm_position=post attention_layers=deltanet+full position=rope+bias",
            "position=learned+rope theta_training=head attention=gated",
            "key_offset=all fraction=0.5",
            "key_offset=1of2 position=none qk_norm=true key_value_heads=2",
            "key_offset=all fraction=0.5 attention_layers=2window+1full attention_window=5",
            "token_smear=true position=none",
            "token_smear=true key_offset=0 fraction=0.5 operations=eager",
            "theta_schedule=drop",
        };
        for (const PositionEncoding& row : position_encodings()) {
            all.push_back("position=" + std::string(row.choice.word));
        }
        for (const ActivationRow& row : activations()) {
            all.push_back("feed_forward=" + std::string(row.choice.word));
        }
        return all;
    }();
    return settings;
}

}  // namespace ropelab
