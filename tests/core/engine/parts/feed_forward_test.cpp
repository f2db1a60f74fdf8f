// Feed-forward networks and mixtures of experts against a plain implementation in double precision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "core/engine/parts/routing.h"
#include "core/plan/layout.h"
#include "tests/core/engine/model/plain_decoder.h"
#include "tests/core/engine/probe/probed_run.h"
#include "tests/support/every_choice.h"

namespace ropelab {
namespace {

using testing::ElementsAre;

const std::vector<FeedForward> every_kind = every_activation();

RunSpec small_spec(FeedForward kind) {
    RunSpec spec = quick_spec();
    spec.width = 24;
    spec.feed_forward = kind;
    return spec;
}

// Two layers of four experts whose routers differ clearly between tokens.
RunSpec expert_spec(FeedForward kind = FeedForward::automatic) {
    RunSpec spec = small_spec(kind);
    spec.experts = 4;
    spec.router_deviation = 0.4;
    spec.expert_balance = 0.1;
    return spec;
}

const std::vector<std::int64_t> batch_places = {3, 50, 120, 333};

std::pair<torch::Tensor, torch::Tensor> places_of(const std::vector<std::int32_t>& tokens, std::int64_t context) {
    const torch::Tensor text = torch::tensor(c10::ArrayRef<std::int32_t>(tokens), torch::kInt64);
    std::vector<torch::Tensor> inputs;
    std::vector<torch::Tensor> targets;
    for (const std::int64_t first : batch_places) {
        inputs.push_back(text.narrow(0, first, context));
        targets.push_back(text.narrow(0, first + 1, context));
    }
    return {torch::stack(inputs), torch::stack(targets)};
}

// Compares a training step's gradients and loss, and the logits of an evaluation.
void expect_plain_feed_forward(const RunSpec& spec) {
    const auto tokens = tiny_tokens(400);
    const auto cohort = trained(spec, tokens, 3);
    PlainDecoder plain(spec, cohort->state(0));
    plain.step = cohort->iteration();
    const auto [x, y] = places_of(tokens, spec.context);
    std::vector<torch::Tensor> leaves;
    std::vector<std::string> names;
    for (auto& [name, weight] : plain.weights()) {
        names.push_back(name);
        leaves.push_back(weight);
    }
    const auto gradients = torch::autograd::grad({plain.loss_with_balance(x, y)}, leaves, {}, {}, {}, true);
    const auto ours = cohort->gradient_at({batch_places}, 0);
    ASSERT_EQ(ours.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto found = std::find_if(ours.begin(), ours.end(), [&](const auto& t) { return t.name == names[i]; });
        ASSERT_NE(found, ours.end()) << names[i];
        ASSERT_TRUE(gradients[i].defined()) << names[i];
        const torch::Tensor mine = torch::tensor(c10::ArrayRef<float>(found->values)).view_as(gradients[i]);
        const double largest = gradients[i].abs().max().item<double>();
        EXPECT_LE((mine - gradients[i]).abs().max().item<double>(), 1e-4 * largest + 1e-8) << names[i];
    }
    const double loss = plain.loss(x, y).item<double>();
    plain.step.reset();
    const std::vector<std::int32_t> window(tokens.begin() + 7, tokens.begin() + 7 + spec.context);
    const torch::Tensor inputs = torch::tensor(c10::ArrayRef<std::int32_t>(window), torch::kInt64).unsqueeze(0);
    const torch::Tensor expected = plain.logits(inputs).flatten();
    const auto logits = cohort->model(0)->logits(window);
    ASSERT_EQ(std::ssize(logits), expected.numel());
    const torch::Tensor got = torch::tensor(c10::ArrayRef<float>(logits));
    EXPECT_LE((got - expected).abs().max().item<double>(), 5e-5);
    // The reported loss is the cross-entropy, without the load-balancing loss.
    EXPECT_NEAR(cohort->step_at({batch_places}).front().training_loss, loss, 2e-5);
}

TEST(FeedForwardNetworks, EveryActivationEqualsThePlainDecoder) {
    for (const FeedForward kind : every_kind) {
        for (const Operations operations : {Operations::fused, Operations::eager}) {
            SCOPED_TRACE(testing::Message()
                         << "kind " << static_cast<int>(kind) << ", eager " << (operations == Operations::eager));
            RunSpec spec = small_spec(kind);
            spec.operations = operations;
            spec.bias = operations == Operations::eager;
            expect_plain_feed_forward(spec);
        }
    }
}

TEST(FeedForwardNetworks, EveryBlockCanHaveAnotherActivation) {
    RunSpec spec = small_spec(FeedForward::relu);
    spec.block = Block::llama;
    expect_plain_feed_forward(spec);
    spec = small_spec(FeedForward::swiglu);
    spec.block = Block::pythia;
    expect_plain_feed_forward(spec);
}

TEST(Experts, EqualThePlainDecoder) {
    for (const std::int64_t per_token : {1, 2, 4}) {
        SCOPED_TRACE(testing::Message() << per_token << " experts per token");
        RunSpec spec = expert_spec();
        spec.experts_per_token = per_token;
        expect_plain_feed_forward(spec);
    }
    RunSpec gated = expert_spec(FeedForward::geglu);
    gated.bias = true;
    gated.dense_layers = 1;
    expect_plain_feed_forward(gated);
    RunSpec quiet = expert_spec(FeedForward::swiglu);
    quiet.block = Block::pythia;
    quiet.expert_noise = false;
    quiet.operations = Operations::eager;
    expect_plain_feed_forward(quiet);
}

// More experts than tokens: many process none or one.
TEST(Experts, OfFewTokensEqualThePlainDecoder) {
    RunSpec spec = expert_spec();
    spec.experts = 60;
    spec.experts_per_token = 1;
    expect_plain_feed_forward(spec);
}

// In bfloat16 the rows of each expert are padded. The router is float32, but its inputs are rounded.
TEST(Experts, InBfloat16AreNearThoseInFloat32) {
    for (const auto& [experts, bias] : {std::pair(3, false), std::pair(60, true)}) {
        RunSpec spec = expert_spec();
        spec.experts = experts;
        spec.bias = bias;
        spec.expert_capacity = 0.8;
        const auto tokens = tiny_tokens(400);
        const auto exact = trained(spec, tokens, 0)->gradient_at({batch_places}, 0);
        spec.precision = Precision::bfloat16;
        const auto rounded = trained(spec, tokens, 0)->gradient_at({batch_places}, 0);
        ASSERT_EQ(exact.size(), rounded.size());
        double error = 0;
        double size = 0;
        for (std::size_t i = 0; i < exact.size(); ++i) {
            for (std::size_t j = 0; j < exact[i].values.size(); ++j) {
                error += std::pow(exact[i].values[j] - rounded[i].values[j], 2);
                size += std::pow(exact[i].values[j], 2);
            }
        }
        EXPECT_LE(std::sqrt(error / size), 0.05) << experts << " experts";
    }
}

TEST(Experts, RandomSecondExpertAndCapacityEqualThePlainDecoder) {
    RunSpec spec = expert_spec();
    spec.second_expert = SecondExpert::random;
    expect_plain_feed_forward(spec);
    spec = expert_spec();
    spec.expert_capacity = 0.6;
    const auto tokens = tiny_tokens(400);
    PlainDecoder plain(spec, trained(spec, tokens, 3)->state(0));
    plain.step = 3;
    const auto [x, y] = places_of(tokens, spec.context);
    plain.loss(x, y);
    EXPECT_GT(plain.dropped_choices.at(0), 0);  // otherwise the next comparison would test no drops
    expect_plain_feed_forward(spec);
}

// All results of a run, bit for bit, whatever other runs its cohort has.
TEST(Experts, AndActivationsDoNotDependOnTheCohort) {
    std::vector<RunSpec> shapes;
    for (const FeedForward kind : every_kind) shapes.push_back(small_spec(kind));
    shapes.push_back(expert_spec());
    shapes.push_back(expert_spec(FeedForward::glu));
    shapes.back().second_expert = SecondExpert::random;
    shapes.back().expert_capacity = 1;
    const auto tokens = tiny_tokens(400);
    const TokenData data{vocabulary_size, tokens, tokens};
    for (const RunSpec& shape : shapes) {
        SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(shape.feed_forward) << ", experts "
                                        << shape.experts);
        std::vector<RunSpec> runs(3, shape);
        runs[1].seed = 7;
        runs[2].theta = 100;
        CohortStart all;
        all.runs = runs;
        TorchCohort together(all, data, 2);
        for (int i = 0; i < 8; ++i) together.step();
        for (std::size_t run = 0; run < runs.size(); ++run) {
            CohortStart one;
            one.runs = {runs[run]};
            TorchCohort alone(one, data, 2);
            for (int i = 0; i < 8; ++i) alone.step();
            EXPECT_EQ(alone.state(0), together.state(static_cast<std::int64_t>(run))) << "run " << run;
        }
    }
}

TEST(Experts, ResumedRunEqualsAStraightOne) {
    const RunSpec spec = expert_spec();
    const auto tokens = tiny_tokens(400);
    const TokenData data{vocabulary_size, tokens, tokens};
    const auto straight = trained(spec, tokens, 12);
    const auto first = trained(spec, tokens, 5);
    CohortStart start{{spec}, first->iteration(), {first->state(0)}, first->conditions()};
    TorchCohort second(start, data, 1);
    for (int i = 5; i < 12; ++i) second.step();
    EXPECT_EQ(second.state(0), straight->state(0));
}

// With a KV cache, each token is routed by itself; without one, the whole text is evaluated again.
TEST(FeedForwardNetworks, CachedGenerationEqualsWholeEvaluation) {
    std::vector<RunSpec> specs;
    for (const FeedForward kind : every_kind) specs.push_back(small_spec(kind));
    specs.push_back(expert_spec());
    specs.push_back(expert_spec(FeedForward::reglu));
    specs.back().expert_capacity = 0.5;
    const auto tokens = tiny_tokens(400);
    for (const RunSpec& spec : specs) {
        SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(spec.feed_forward) << ", experts "
                                        << spec.experts);
        const auto model = trained(spec, tokens)->model(0);
        std::vector<std::int32_t> text = {1, 4, 2};
        Generation how;
        how.length = spec.context - std::ssize(text);
        how.temperature = 0;
        const auto generated = model->generate(text, how);
        for (const std::int32_t token : generated) {
            const auto logits = model->logits(text);
            const auto last = logits.end() - vocabulary_size;
            EXPECT_EQ(token, std::max_element(last, logits.end()) - last) << "after " << text.size() << " tokens";
            text.push_back(token);
        }
        EXPECT_EQ(std::ssize(text), spec.context);
    }
}

// A router without weights chooses the first experts for all tokens.
TEST(Experts, ProbeMeasuresLoadBalanceAndDrops) {
    RunSpec spec = expert_spec();
    spec.router_deviation = 0;
    spec.expert_noise = false;
    spec.expert_capacity = 1;
    spec.dense_layers = 1;
    const auto tokens = tiny_tokens(400);
    ProbeRequest request;
    request.sequences = sequences_at(tokens, spec.context, {0, 40});
    const ProbeResult result = trained(spec, tokens, 0)->probe(0, request);
    const auto distinct = std::set(request.sequences.tokens.begin(), request.sequences.tokens.end());
    EXPECT_EQ(result.expert_tokens, std::vector<std::int32_t>(distinct.begin(), distinct.end()));
    ASSERT_EQ(result.expert_shares.shape, (std::vector<std::int64_t>{2, 4, std::ssize(distinct)}));
    std::vector<double> load;
    for (std::int64_t layer = 0; layer < 2; ++layer) {
        for (std::int64_t expert = 0; expert < 4; ++expert) {
            const auto row = result.expert_shares.row(layer, expert);
            load.push_back(std::accumulate(row.begin(), row.end(), 0.0));
        }
    }
    EXPECT_THAT(load, testing::Pointwise(testing::DoubleNear(1e-6), {0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0}));
    const auto count = std::count(request.sequences.tokens.begin(), request.sequences.tokens.end(), *distinct.begin());
    EXPECT_NEAR(result.expert_shares.row(1, 0)[0],
                0.5 * static_cast<double>(count) / (2.0 * static_cast<double>(spec.context)), 1e-6);
    EXPECT_THAT(result.expert_balance.values, ElementsAre(0, testing::FloatNear(1, 1e-6F)));
    // Two experts are chosen by all tokens; each may process half of them.
    EXPECT_THAT(result.expert_dropped.values, ElementsAre(0, testing::FloatNear(0.5, 1e-6F)));
}

TEST(Experts, BalanceLossMakesLoadsEven) {
    const auto balance_after = [](double weight) {
        RunSpec spec = expert_spec();
        spec.expert_balance = weight;
        const auto tokens = tiny_tokens(400);
        ProbeRequest request;
        request.sequences = sequences_at(tokens, spec.context, {0, 40, 80, 120});
        const ProbeResult result = trained(spec, tokens, 40)->probe(0, request);
        return std::accumulate(result.expert_balance.values.begin(), result.expert_balance.values.end(), 0.0);
    };
    EXPECT_LT(balance_after(1.0), balance_after(0.0));
}

TEST(RoutingTest, TokensChooseTheLargestLogits) {
    const std::vector<float> logits = {0, 3, 2, 1, 5, 5, 4, 5};
    const Routing routing = route(logits, 4, 2);
    EXPECT_THAT(routing.expert, ElementsAre(1, 2, 0, 1));  // of equal logits, the first ones
    EXPECT_THAT(routing.kept, ElementsAre(1, 1, 1, 1));
    EXPECT_THAT(routing.counts, ElementsAre(1, 2, 1, 0));
    EXPECT_EQ(routing.choices(), 4);
    EXPECT_EQ(routing.dropped, 0);
}

// Token 2's first choice comes before the second choice of token 0.
TEST(RoutingTest, FirstChoicesFillTheCapacityFirst) {
    const std::vector<float> logits = {2, 1, 0, 2, 0, 1, 1, 2, 0};
    const Routing routing = route(logits, 3, 2, {2, {}});
    EXPECT_THAT(routing.expert, ElementsAre(0, 1, 0, 2, 1, 0));
    EXPECT_THAT(routing.kept, ElementsAre(1, 1, 1, 1, 1, 0));
    EXPECT_EQ(routing.dropped, 1);
    EXPECT_THAT(routing.counts, ElementsAre(3, 2, 1));
    EXPECT_EQ(expert_capacity_of(1.25, 6, 4, 2), 4);  // 3.75 rounded up
    EXPECT_EQ(expert_capacity_of(0, 6, 4, 2), 0);
}

TEST(RoutingTest, SecondExpertIsSkippedIfTwiceItsProbabilityIsLess) {
    const float third = std::log(1.0F / 3);  // probabilities 3/4 and 1/4
    const std::vector<float> logits = {0, third, 0, third};
    const std::vector<double> numbers = {0.49, 0.51};
    const Routing routing = route(logits, 2, 2, {0, numbers});
    EXPECT_THAT(routing.expert, ElementsAre(0, 1, 0, -1));
    EXPECT_THAT(routing.kept, ElementsAre(1, 1, 1, 0));
    EXPECT_EQ(routing.choices(), 3);
    EXPECT_EQ(routing.dropped, 0);
}

}  // namespace
}  // namespace ropelab
