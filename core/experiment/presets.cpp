#include <algorithm>

#include "core/experiment/experiment.h"

namespace ropelab {

namespace {

using Runs = std::vector<std::map<std::string, std::string>>;

// `settings`: assignments as of --set, separated by "; ".
Preset make(std::string name, std::string summary, std::string_view settings, Runs runs = {}) {
    Experiment experiment(name);
    while (!settings.empty()) {
        const std::string_view assignment = settings.substr(0, settings.find("; "));
        experiment.set_assignment(assignment);
        settings.remove_prefix(std::min(settings.size(), assignment.size() + 2));
    }
    experiment.set_explicit_runs(std::move(runs));
    return {std::move(name), std::move(summary), std::move(experiment)};
}

std::vector<Preset> make_presets() {
    // Five seeds decide: each setting of lecture-minute differs significantly from 100 % at θ = 10k (the paired test
    // with Holm's correction). With three seeds none does, although their losses differ by up to 0.5 nats.
    const std::string minute =
        "data=synthetic; layers=2; heads=2; width=64; context=128; batch=8; iterations=200; warmup=10; "
        "learning_rate=3e-3; final_learning_rate=3e-4; evaluate_every=25; evaluation_batches=8; "
        "seed=1337,1338,1339,1340,1341";
    // Table 1 of the partial-RoPE paper (Khan et al.): these fractions give the paper's 0, 2, 6, 16, … of 64 channels.
    const std::string fractions = "; fraction=0,2 ch,0.1,0.25,0.5,0.75,1";
    const std::string partial_minute =
        "layers=2; heads=2; width=128; context=128; batch=8; iterations=200; warmup=10; learning_rate=2e-3; "
        "final_learning_rate=2e-4; evaluate_every=50; evaluation_batches=4";
    const std::string partial_hour =
        "data=enwik8; layers=8; heads=8; width=512; context=512; batch=32; iterations=5000; warmup=250; "
        "learning_rate=6e-4; final_learning_rate=6e-5; evaluate_every=500; evaluation_batches=40";
    // 16 layers of width 2,048, context 2,048, batch size 4,096, warm-up of 5 % of the steps, decay to a tenth of the
    // learning rate. A pass has 64 sequences, as on each of the paper's 32 GPUs, which accumulate two passes per step.
    // The learning rate and the tokenizer (characters here) are not the paper's.
    const std::string partial_paper =
        "data=enwik8; layers=16; width=2048; mlp_width=8192; context=2048; batch=4096; micro_batch=64; "
        "iterations=12000; warmup=600; learning_rate=3e-4; final_learning_rate=3e-5; beta2=0.95; evaluate_every=1000; "
        "evaluation_batches=1";
    const auto llama = [&](const std::string& size, const std::string& heads) {
        return "block=llama; key_value_heads=" + heads + "; " + size + fractions;
    };
    // Llama-3.2-1B ties its output matrix and has no biases, Pythia-1B has both of its own.
    const auto pythia = [&](const std::string& size) {
        return "block=pythia; bias=true; tied_head=false; " + size + fractions;
    };

    return {
        make("lecture-minute",
             "Small models with six RoPE settings and five seeds learn a synthetic language in about a minute: RoPE "
             "on 0 %, 2 channels, 25 % and 100 % of each head at θ = 10k, and on 100 % also at θ = 100 and θ = 1M.",
             minute,
             {{{"fraction", "0"}},
              {{"fraction", "2 ch"}},
              {{"fraction", "0.25"}},
              {{"fraction", "1"}},
              {{"theta", "100"}},
              {{"theta", "1000000"}}}),
        make("theta-minute",
             "The six bases θ of the theta paper (Huang, Chen, Zheng 2025) on small models with five seeds; trains in "
             "about a minute.",
             minute + "; theta=500,1000,5000,10000,20000,50000"),
        make("encodings-minute",
             "Nine position encodings on small models with two seeds; trains in about two minutes: none, learned, "
             "sinusoidal, RoPE, ALiBi, T5, Shaw, Transformer-XL, xPos. The loss after 300 steps shows how fast each "
             "encoding learns, not its final rank.",
             "data=synthetic; position=none,learned,sinusoidal,rope,alibi,t5,shaw,transformer-xl,xpos; layers=2; "
             "heads=2; "
             "width=64; context=64; batch=8; iterations=300; warmup=15; learning_rate=3e-3; final_learning_rate=3e-4; "
             "evaluate_every=50; evaluation_batches=8; seed=1337,1338"),
        make("nanogpt-cpu", "nanoGPT's documented CPU setting: 4 layers, width 128, context 64, on Tiny Shakespeare.",
             "data=tinyshakespeare; layers=4; heads=4; width=128; context=64; batch=12; iterations=2000; "
             "decay_iterations=2000; learning_rate=1e-3; final_learning_rate=1e-4; warmup=100; dropout=0; "
             "evaluate_every=250; evaluation=sampled; evaluation_batches=20"),
        make("theta-paper",
             "The experiment of the theta paper (Huang, Chen, Zheng 2025): learned positions and RoPE, six bases θ, "
             "three seeds.",
             "data=tinyshakespeare; position=learned+rope; theta=500,1000,5000,10000,20000,50000; layers=6; heads=6; "
             "width=384; context=256; batch=64; dropout=0.2; iterations=5000; learning_rate=1e-3; "
             "final_learning_rate=1e-4; warmup=100; evaluate_every=250; evaluation=sampled; evaluation_batches=200; "
             "seed=1337,1338,1339"),
        make("partial-llama-minute",
             "Seven rotated fractions in a small Llama-style model (RMSNorm, SwiGLU, grouped-query attention); trains "
             "in about a minute.",
             llama(partial_minute, "1")),
        make("partial-pythia-minute",
             "Seven rotated fractions in a small Pythia-style model (parallel residual); trains in about a minute.",
             pythia(partial_minute)),
        make("partial-llama-hour",
             "Seven rotated fractions in a Llama-style model on enwik8; trains in about an hour on a data-centre GPU.",
             llama(partial_hour, "2")),
        make("partial-pythia-hour",
             "Seven rotated fractions in a Pythia-style model on enwik8; trains in about an hour on a data-centre GPU.",
             pythia(partial_hour)),
        make("partial-llama-paper",
             "The 1B model of the partial-RoPE paper with sequential residual (Llama-3.2-1B), in passes of 64 "
             "sequences as on each of the paper's 32 GPUs; use this preset to estimate the cost, not to train.",
             "heads=32; " + llama(partial_paper, "8")),
        make("partial-pythia-paper",
             "The 1B model of the partial-RoPE paper with parallel residual (Pythia-1B), in passes of 64 sequences as "
             "on each of the paper's 32 GPUs; use this preset to estimate the cost, not to train.",
             "heads=8; " + pythia(partial_paper)),
    };
}

}  // namespace

const std::vector<Preset>& presets() {
    static const std::vector<Preset> list = make_presets();
    return list;
}

const Preset& preset(std::string_view name) {
    return item_named(presets(), name, "preset");
}

}  // namespace ropelab
