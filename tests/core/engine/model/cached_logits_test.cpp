// Text is generated with caches, everything else is computed over whole sequences. Both must give the same logits.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/engine/attention/cpu.h"
#include "core/engine/model/cached_decoder.h"
#include "core/engine/model/token_decoder.h"
#include "core/plan/kernels.h"
#include "tests/core/plan/anatomy_variants.h"

namespace ropelab {
namespace {

constexpr int vocabulary = 13;
constexpr double largest_difference = 2e-4;  // of float32, after up to eight layers

// Settings of models that differ in what they cache: all of anatomy_variants(), and each encoding of positions with
// each attention.
std::vector<std::string> cached_variants() {
    std::vector<std::string> all = anatomy_variants();
    for (const PositionEncoding& position : position_encodings()) {
        for (const char* attention :
             {"", "attention_window=5", "attention_layers=window+full attention_window=6 attention_sinks=true",
              "attention=gated key_value_heads=2", "attention_sinks=true",
              "attention_layers=deltanet+full attention=gated"}) {
            all.push_back("position=" + std::string(position.choice.word) + " " + attention);
        }
    }
    for (const char* settings :
         {"attention=mla attention_sinks=true", "attention=mla attention_layers=window+2full attention_window=7",
          "attention=mla fraction=0.5", "fraction=0.25", "rotated_layers=0+2", "theta_training=layer",
          "attention_layers=deltanet position=none"}) {
        all.emplace_back(settings);
    }
    return all;
}

class CachedLogits : public testing::Test {
 protected:
    CachedLogits() { torch::manual_seed(1); }

    // A model with larger weights than at the start of training, so that attention decides on the logits.
    struct Prepared {
        explicit Prepared(const RunSpec& given) : Prepared(given, plan_of(given, vocabulary)) {}
        Prepared(const RunSpec& given, const ModelPlan& plan)
            : spec(given),
              weights(layout_of(spec, vocabulary), 3 * initial_row(layout_of(spec, vocabulary), 7).unsqueeze(0)),
              decoder(plan),
              terms({&decoder.plan(), 1}, spec.context, torch::kCPU, &weights),
              tokens(torch::randint(vocabulary, {1, 1, spec.context}, torch::kInt64)) {
            if (spec.token_smear) {  // which starts without effect
                weights.get("smear.gate").fill_(0.3);
                weights.get("smear.factor").fill_(0.7);
            }
        }

        // Returns the logits of whole sequences, (time, vocabulary).
        torch::Tensor whole(const torch::Tensor& text) const {
            return decoder.logits(weights, text, terms.at(0, text.size(2)), Precision::float32)[0];
        }
        std::int32_t token(std::int64_t place) const { return tokens[0][0][place].item<std::int32_t>(); }

        RunSpec spec;
        Parameters weights;
        Decoder decoder;
        PositionSource terms;
        torch::Tensor tokens;
    };

    // The largest difference, relative to the spread of the logits.
    static double difference(const torch::Tensor& a, const torch::Tensor& b) {
        return ((a - b).abs().max() / (b - b.mean()).abs().max()).item<double>();
    }
};

// A plan may give each layer frequencies and an epsilon of its own, which no run has.
TEST_F(CachedLogits, EachLayerHasItsOwnFrequenciesAndEpsilon) {
    const torch::NoGradGuard no_gradients;
    const RunSpec spec = anatomy_spec("fraction=0.5");
    RunSpec far = spec;
    far.theta = 300;
    far.fraction = 1;
    const ModelPlan usual = plan_of(spec, vocabulary);
    ModelPlan plan = usual;
    plan.layers[1].attention = plan_of(far, vocabulary).layers[1].attention;
    const auto tables_of = [&](const ModelPlan& of) { return layer_tables({&of, 1}, spec.context, torch::kCPU); };
    EXPECT_TRUE(torch::equal(tables_of(plan).at(0).cosine, tables_of(usual).at(0).cosine));
    EXPECT_TRUE(torch::equal(tables_of(plan).at(1).cosine, tables_of(plan_of(far, vocabulary)).at(1).cosine));
    const auto logits_of = [&](const ModelPlan& of) {
        torch::manual_seed(1);
        const Prepared model(spec, of);
        const torch::Tensor whole = model.whole(model.tokens);
        TokenDecoder by_token(of, model.weights, Precision::float32);
        double largest = 0;
        for (std::int64_t place = 0; place < spec.context; ++place)
            largest = std::max(largest, difference(by_token.next(model.token(place), place), whole[place]));
        EXPECT_LT(largest, largest_difference);
        return whole;
    };
    const torch::Tensor others = logits_of(plan);
    EXPECT_GT(difference(others, logits_of(usual)), 0.01);
    plan.layers[2].feed_forward_norms.before->epsilon = 0.5;
    EXPECT_GT(difference(others, logits_of(plan)), 0.01);
}

// No run has them, but published models do.
TEST_F(CachedLogits, FactorsAndSoftCapsOfAPlan) {
    const torch::NoGradGuard no_gradients;
    for (const char* settings : {"", "qk_norm=true block=llama", "block=pythia attention_sinks=true",
                                 "norm_position=sandwich", "attention=mla"}) {
        SCOPED_TRACE(settings);
        const RunSpec spec = anatomy_spec(settings);
        const auto logits_of = [&](const ModelPlan& plan) {
            torch::manual_seed(1);
            const Prepared model(spec, plan);
            const torch::Tensor whole = model.whole(model.tokens);
            CachedDecoder cached(model.decoder, model.weights, model.terms, Precision::float32);
            double largest = difference(cached.begin(model.tokens.narrow(2, 0, 2)), whole[1]);
            for (std::int64_t place = 2; place < spec.context; ++place)
                largest = std::max(largest, difference(cached.next(model.token(place), place), whole[place]));
            EXPECT_LT(largest, largest_difference);
            return whole;
        };
        const ModelPlan usual = plan_of(spec, vocabulary);
        const torch::Tensor expected = logits_of(usual);
        const auto expect_change = [&](const char* what, auto change) {
            SCOPED_TRACE(what);
            ModelPlan plan = usual;
            change(plan);
            EXPECT_FALSE(token_kernels_support(plan) && std::string(what) != "embedding");
            EXPECT_GT(difference(logits_of(plan), expected), 1e-3);
        };
        expect_change("embedding", [](ModelPlan& plan) { plan.embedding.factor = 3; });
        expect_change("branch", [](ModelPlan& plan) { plan.layers[1].branch_factor = 0.3; });
        expect_change("head", [](ModelPlan& plan) { plan.head.factor = 0.5; });
        expect_change("cap of the head", [](ModelPlan& plan) { plan.head.soft_cap = 0.1; });
        expect_change("scores", [](ModelPlan& plan) { plan.layers[1].scores()->factor = 4; });
        expect_change("cap of the scores", [](ModelPlan& plan) {
            for (LayerPlan& layer : plan.layers) layer.scores()->soft_cap = 0.02;
        });
    }
}

TEST_F(CachedLogits, EqualThoseOfTheWholeSequence) {
    const torch::NoGradGuard no_gradients;
    for (const std::string& settings : cached_variants()) {
        SCOPED_TRACE(settings);
        const Prepared model(anatomy_spec(settings));
        const std::int64_t time = model.spec.context;
        const torch::Tensor expected = model.whole(model.tokens);
        torch::Tensor changed = model.tokens.clone();
        changed.narrow(2, 0, time - 1).add_(1).remainder_(vocabulary);
        if (!model.spec.deepnorm) {  // whose branches are small beside the stream
            EXPECT_GT(difference(model.whole(changed)[time - 1], expected[time - 1]), 0.005)
                << "attention matters little";
        }
        for (const std::int64_t prompt : {std::int64_t{1}, std::int64_t{2}, std::int64_t{9}, time - 1}) {
            CachedDecoder cached(model.decoder, model.weights, model.terms, Precision::float32);
            double largest = difference(cached.begin(model.tokens.narrow(2, 0, prompt)), expected[prompt - 1]);
            for (std::int64_t place = prompt; place < time; ++place) {
                largest = std::max(largest, difference(cached.next(model.token(place), place), expected[place]));
            }
            EXPECT_LT(largest, largest_difference) << "prompt of " << prompt << " tokens";
        }
        if (!token_kernels_support(model.decoder.plan())) continue;
        TokenDecoder by_token(model.decoder.plan(), model.weights, Precision::float32);
        double largest = 0;
        for (std::int64_t place = 0; place < time; ++place) {
            largest = std::max(largest, difference(by_token.next(model.token(place), place), expected[place]));
        }
        EXPECT_LT(largest, largest_difference) << "token by token";
    }
}

// From least_prefill tokens on, a prompt is computed as one sequence, and its keys and values fill the cache.
TEST_F(CachedLogits, OfLongPrompts) {
    const torch::NoGradGuard no_gradients;
    for (const char* settings :
         {"", "block=llama key_value_heads=2 qk_norm=true", "attention_window=5", "position=alibi", "position=learned",
          "block=pythia fraction=0.25", "feed_forward=relu", "feed_forward=relu attention_window=40"}) {
        SCOPED_TRACE(settings);
        RunSpec spec = anatomy_spec(settings);
        spec.context = 48;
        const Prepared model(spec);
        const torch::Tensor expected = model.whole(model.tokens);
        const auto expect_equal = [&](auto&& decoder, std::int64_t prompt, const torch::Tensor& first) {
            double largest = difference(first, expected[prompt - 1]);
            for (std::int64_t place = prompt; place < spec.context; ++place)
                largest = std::max(largest, difference(decoder.next(model.token(place), place), expected[place]));
            EXPECT_LT(largest, largest_difference) << "prompt of " << prompt << " tokens";
        };
        for (const std::int64_t prompt : {least_prefill, std::int64_t{45}}) {
            const torch::Tensor tokens = model.tokens.narrow(2, 0, prompt);
            CachedDecoder cached(model.decoder, model.weights, model.terms, Precision::float32);
            expect_equal(cached, prompt, cached.begin(tokens));
            if (!token_kernels_support(model.decoder.plan())) continue;
            TokenDecoder by_token(model.decoder.plan(), model.weights, Precision::float32);
            expect_equal(by_token, prompt, by_token.begin(model.decoder, tokens));
        }
    }
}

// Weights that are in memory in bfloat16 only give the logits of float32 weights, which each product rounds.
TEST_F(CachedLogits, OfRoundedWeights) {
    const torch::NoGradGuard no_gradients;
    for (const char* settings : {"block=llama"}) {
        SCOPED_TRACE(settings);
        const Prepared model{anatomy_spec(settings)};
        const std::int64_t matrices = numbers_of_matrices(model.weights.layout());
        const torch::Tensor flat = model.weights.flat();
        const torch::Tensor rounded = flat.narrow(1, 0, matrices).to(torch::kBFloat16);
        const torch::Tensor vectors = flat.narrow(1, matrices, flat.size(1) - matrices);
        const Parameters all(model.weights.layout(), torch::cat({rounded.to(torch::kFloat32), vectors}, 1));
        const Parameters few(model.weights.layout(), vectors, rounded);
        const auto logits_of = [&](const Parameters& weights) {
            return model.decoder.logits(weights, model.tokens, model.terms.at(0, model.spec.context),
                                        Precision::bfloat16)[0];
        };
        EXPECT_TRUE(torch::equal(logits_of(few), logits_of(all)));
        if (!token_kernels_support(model.decoder.plan())) continue;
        TokenDecoder of_all(model.decoder.plan(), all, Precision::bfloat16);
        TokenDecoder of_few(model.decoder.plan(), few, Precision::bfloat16);
        for (std::int64_t place = 0; place < model.spec.context; ++place)
            EXPECT_TRUE(torch::equal(of_few.next(model.token(place), place), of_all.next(model.token(place), place)));
    }
}

}  // namespace
}  // namespace ropelab
