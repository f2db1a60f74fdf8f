// Times and outputs of the stages of a forward pass, for every variant of a model.
#include "core/contract/anatomy_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "core/base/error.h"
#include "core/base/random_stream.h"
#include "core/engine/torch_engine.h"
#include "core/plan/layout.h"
#include "tests/core/plan/anatomy_variants.h"

namespace ropelab {
namespace {

using ::testing::HasSubstr;

constexpr int letters = 11;

TorchEngine& engine() {
    static TorchEngine made;
    return made;
}

std::vector<std::string> timed_variants() {
    std::vector<std::string> all = anatomy_variants();
    for (const char* more :
         {"", "position=learned", "position=sinusoidal", "position=alibi", "position=none",
          "position=rope qk_norm=true", "position=rope qk_norm=projection operations=eager",
          "block=llama attention_window=7", "block=pythia operations=eager", "position=rope rotated_layers=0",
          "position=rope theta_training=one", "position=rope theta_training=free operations=eager"}) {
        all.emplace_back(more);
    }
    return all;
}

// Weights that are random numbers around 0, or 1 for norms, as named tensors.
std::vector<NamedTensor> weights_of(const RunSpec& spec) {
    std::vector<NamedTensor> tensors;
    for (const Parameter& parameter : layout_of(spec, letters).parameters) {
        NamedTensor tensor{"model." + parameter.name, parameter.shape, {}};
        tensor.values.resize(static_cast<std::size_t>(parameter.size));
        if (parameter.name != "rotary.shift") RandomStream(3, parameter.name).fill_normal(tensor.values, 0.15);
        if (parameter.name.ends_with("norm.weight")) {
            for (float& value : tensor.values) value += 1;
        }
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

std::vector<std::int32_t> text_of(std::int64_t count) {
    std::vector<std::int32_t> text;
    for (std::int64_t i = 0; i < count; ++i) text.push_back(static_cast<std::int32_t>((i * i + 3 * i) % letters));
    return text;
}

TEST(AnatomyTimes, EveryStageHasATimeOrTheStageThatContainsIt) {
    for (const std::string& settings : timed_variants()) {
        SCOPED_TRACE(settings);
        RunSpec spec = anatomy_spec(settings);
        spec.batch = 2;
        spec.micro_batch = 0;
        Anatomy anatomy = anatomy_of(spec, letters);
        EXPECT_FALSE(anatomy.totals().seconds);
        EXPECT_TRUE(times_remarks(anatomy).empty());
        const StageTimes times = measure_stages(engine(), spec, letters);
        EXPECT_EQ(times.sequences, 2);
        EXPECT_EQ(times.length, spec.context);
        EXPECT_GT(times.whole, 0);
        add_times(anatomy, times);
        std::size_t places = 0;
        for (const AnatomySection& section : anatomy.sections) {
            for (const AnatomyStage& stage : section.stages) {
                places += static_cast<std::size_t>(section.repeats());
                EXPECT_NE(stage.seconds.has_value(), !stage.within.empty()) << stage.id;
                EXPECT_NE(stage_time(stage), "") << stage.id;
                for (const std::string& name : stage.within) EXPECT_NE(name, stage.name);
            }
        }
        // The engine reports the stages of the listing and no others.
        EXPECT_EQ(times.stages.size(), places);
        for (const StageTime& each : times.stages) {
            EXPECT_TRUE(anatomy.find(each.place.id)) << each.place.id;
            if (!each.within) {
                EXPECT_GE(each.seconds, 0) << each.place.id;
                continue;
            }
            const auto is_host = [&](const StageTime& other) { return other.place == *each.within && !other.within; };
            EXPECT_TRUE(std::any_of(times.stages.begin(), times.stages.end(), is_host))
                << each.place.id << " is within " << each.within->id;
        }
        EXPECT_GT(anatomy.totals().seconds.value(), 0);
        EXPECT_THAT(times_remarks(anatomy).front(), HasSubstr("2 × 24 tokens"));
    }
}

TEST(AnatomyTimes, OutputsHaveTheShapesOfTheStages) {
    for (const std::string& settings : timed_variants()) {
        SCOPED_TRACE(settings);
        RunSpec spec = anatomy_spec(settings);
        spec.batch = 1;
        spec.micro_batch = 0;
        const auto model = create_model(engine(), spec, letters, weights_of(spec));
        const std::vector<std::int32_t> text = text_of(spec.context);
        const Anatomy anatomy = anatomy_of(spec, letters);
        for (const AnatomySection& section : anatomy.sections) {
            for (const AnatomyStage& stage : section.stages) {
                // Neither depends on the text: they are tables of the model.
                if (stage.id == "frequencies" || (stage.id == "distances" && spec.position != Position::transformer_xl))
                    continue;
                const std::int64_t layer = section.layers.empty() ? -1 : section.layers.front();
                const ProbeArray output = model->stage_output(text, {stage.id, layer});
                const auto product = [](const std::vector<std::int64_t>& shape) {
                    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
                };
                EXPECT_EQ(product(output.shape), product(stage.shape)) << stage.id;
                EXPECT_EQ(product(output.shape), std::ssize(output.values)) << stage.id;
                const bool is_matrix = output.shape.size() == 2 || output.shape.size() == 3;
                EXPECT_TRUE(is_matrix) << stage.id;
                const bool may_be_infinite = stage.id == "attention.scores";  // of hidden keys
                for (const float value : output.values) {
                    ASSERT_FALSE(std::isnan(value)) << stage.id;
                    ASSERT_TRUE(may_be_infinite || std::isfinite(value)) << stage.id;
                }
            }
        }
    }
}

TEST(AnatomyTimes, OutputOfTheHeadIsTheLogits) {
    for (const std::string& settings : timed_variants()) {
        SCOPED_TRACE(settings);
        const RunSpec spec = anatomy_spec(settings);
        const auto model = create_model(engine(), spec, letters, weights_of(spec));
        const std::vector<std::int32_t> text = text_of(17);
        const std::vector<float> logits = model->logits(text);
        const ProbeArray head = model->stage_output(text, {"head", -1});
        EXPECT_EQ(head.shape, (std::vector<std::int64_t>{17, letters}));
        ASSERT_EQ(head.values.size(), logits.size());
        for (std::size_t i = 0; i < logits.size(); ++i) {
            EXPECT_NEAR(head.values[i], logits[i], 2e-3 * (1 + std::abs(logits[i])));
        }
    }
}

TEST(AnatomyTimes, OutputsAreThoseOfTheirDefinition) {
    const RunSpec spec = anatomy_spec("block=llama tied_head=true");
    const std::vector<NamedTensor> weights = weights_of(spec);
    const auto model = create_model(engine(), spec, letters, weights);
    const std::vector<std::int32_t> text = text_of(9);
    const auto width = static_cast<std::size_t>(spec.width);
    std::map<std::string, const NamedTensor*> named;
    for (const NamedTensor& tensor : weights) named[tensor.name] = &tensor;
    const std::vector<float>& rows = named.at("model.embedding.weight")->values;

    const ProbeArray embedding = model->stage_output(text, {"embedding", -1});
    const ProbeArray last = model->stage_output(text, {"final_norm", -1});
    const ProbeArray head = model->stage_output(text, {"head", -1});
    for (std::size_t t = 0; t < text.size(); ++t) {
        const auto first = static_cast<std::size_t>(text[t]) * width;
        for (std::size_t c = 0; c < width; ++c) EXPECT_EQ(embedding.values[t * width + c], rows[first + c]);
        for (std::size_t v = 0; v < letters; ++v) {
            double sum = 0;
            for (std::size_t c = 0; c < width; ++c) {
                sum += static_cast<double>(last.values[t * width + c]) * static_cast<double>(rows[v * width + c]);
            }
            EXPECT_NEAR(head.values[t * letters + v], sum, 1e-3);
        }
    }
    // Layer 1: each row of the attention weights is the softmax of the scores, which hide later tokens.
    const ProbeArray scores = model->stage_output(text, {"attention.scores", 1});
    const ProbeArray attention = model->stage_output(text, {"attention.weights", 1});
    EXPECT_EQ(scores.shape, (std::vector<std::int64_t>{4, 9, 9}));
    for (std::size_t row = 0; row < 4 * 9; ++row) {
        const std::size_t query = row % 9;
        double sum = 0;
        for (std::size_t key = 0; key < 9; ++key) {
            sum += static_cast<double>(attention.values[row * 9 + key]);
            EXPECT_EQ(attention.values[row * 9 + key] == 0, key > query);
            EXPECT_EQ(std::isinf(scores.values[row * 9 + key]), key > query);
        }
        EXPECT_NEAR(sum, 1, 1e-5);
        EXPECT_NEAR(attention.values[row * 9] / attention.values[row * 9 + query],
                    std::exp(scores.values[row * 9] - scores.values[row * 9 + query]),
                    1e-3 * (1 + std::exp(scores.values[row * 9] - scores.values[row * 9 + query])));
    }
    // The residual sum is the stream before it and the output of attention.
    const ProbeArray output = model->stage_output(text, {"attention.output", 0});
    const ProbeArray stream = model->stage_output(text, {"attention.sum", 0});
    for (std::size_t i = 0; i < stream.values.size(); ++i) {
        EXPECT_NEAR(stream.values[i], embedding.values[i] + output.values[i], 1e-4);
    }
}

TEST(AnatomyTimes, BadRequestsAreRefusedAndCancelledOnesEnd) {
    const RunSpec spec = anatomy_spec("");
    const auto model = create_untrained_model(engine(), spec, letters);
    EXPECT_THROW(model->stage_output(text_of(5), {"attention.gate", 0}), BadInput);
    EXPECT_THROW(model->stage_output(text_of(5), {"attention.qkv", 9}), BadInput);
    EXPECT_THROW(model->stage_output(text_of(25), {"head", -1}), BadInput);
    EXPECT_THROW(model->stage_output({}, {"head", -1}), BadInput);
    EXPECT_THROW(model->stage_output(std::vector<std::int32_t>{letters}, {"head", -1}), BadInput);
    EXPECT_THROW(model->stage_times({.sequences = 2, .tokens = text_of(5)}), BadInput);
    EXPECT_THROW(model->stage_times({.tokens = text_of(5), .passes = 0}), BadInput);
    EXPECT_FALSE(model->stage_times({.tokens = text_of(5), .passes = 1}).stages.empty());
    EXPECT_TRUE(measure_stages(engine(), spec, letters, [] { return true; }).empty());
    RunSpec huge = spec;
    huge.layers = 200;
    huge.width = 48 * 1024;
    EXPECT_THROW(measure_stages(engine(), huge, letters), BadInput);
}

TEST(AnatomyTimes, TimesOfEqualLayersAreMeans) {
    const RunSpec spec = anatomy_spec("layers=2");
    Anatomy anatomy = anatomy_of(spec, letters);
    StageTimes times;
    times.stages = {{{"attention.qkv", 0}, 0.001, {}},
                    {{"attention.qkv", 1}, 0.003, {}},
                    {{"mlp.sum", 0}, 0, StagePlace{"attention_norm", 1}},
                    {{"mlp.sum", 1}, 0, StagePlace{"final_norm", -1}},
                    {{"head", -1}, 0.01, {}}};
    add_times(anatomy, times);
    EXPECT_DOUBLE_EQ(anatomy.find("attention.qkv")->seconds.value(), 0.002);
    EXPECT_EQ(stage_time(*anatomy.find("attention.qkv")), "2.000");
    EXPECT_EQ(stage_time(*anatomy.find("mlp.sum")), "in Norm before attention, Final norm");
    EXPECT_DOUBLE_EQ(anatomy.totals().seconds.value(), 0.014);
    EXPECT_EQ(milliseconds_text(0.0123456), "12.35");
    EXPECT_EQ(milliseconds_text(1.5), "1500");
}

}  // namespace
}  // namespace ropelab
