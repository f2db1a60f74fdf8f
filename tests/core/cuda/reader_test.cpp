// Texts as a device goes on with them, on the CPU's memory with the emulated kernels, against the CPU's own way.
#include "core/model/device_reader.h"

#include <gtest/gtest.h>

#include "core/spec/error.h"
#include "core/train/amx.h"
#include "core/train/torch_engine.h"
#include "tests/core/cuda/device_memory.h"
#include "tests/core/cuda/emulated_device.h"
#include "tests/support/expect_message.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

using cuda::device_is_here;
using Graphs = EmulatedDevice::Graphs;

class DeviceReaderTest : public testing::Test {
 protected:
    void SetUp() override {
        SKIP_WITHOUT_DEVICE();
        prepare_amx();
    }

    static RunSpec small() {
        RunSpec spec = tiny_spec();
        spec.context = 8;
        return spec;
    }
    // Weights large enough for opinions.
    static std::unique_ptr<Model> model(const RunSpec& spec) {
        const Layout layout = layout_of(spec, 7);
        std::vector<NamedTensor> tensors;
        for (NamedTensor& tensor : to_named(layout, initial_row(layout, spec.seed), "model.")) {
            if (tensor.shape.size() == 2) {
                for (float& value : tensor.values) value *= 20;
            }
            tensors.push_back(std::move(tensor));
        }
        return TorchEngine().create_model(spec, 7, tensors);
    }
    // Both modes, with and without chance.
    static std::vector<std::vector<std::int32_t>> texts(const RunSpec& spec, bool in_one_kernel = true) {
        std::vector<std::vector<std::int32_t>> result;
        const auto reader = model(spec);
        for (double temperature : {0.0, 0.8}) {
            for (Generation::Mode mode : {Generation::Mode::recompute, Generation::Mode::rolling}) {
                if (mode == Generation::Mode::rolling && (!spec.rotates() || spec.learns_positions())) continue;
                Generation how;
                how.length = 12;
                how.temperature = temperature;
                how.top_k = 5;
                how.mode = mode;
                how.in_one_kernel = in_one_kernel;
                result.push_back(reader->generate(std::vector<std::int32_t>{1, 4, 2}, how));
            }
        }
        return result;
    }
    // In one kernel, and by graphs or what stands for them.
    static void expect_the_cpus(const RunSpec& spec, Graphs graphs = Graphs::replayed) {
        const auto wanted = texts(spec);
        {
            const EmulatedDevice device(graphs);
            EXPECT_EQ(texts(spec, true), wanted);
            EXPECT_GT(EmulatedDevice::writings(), 0);
            EXPECT_EQ(EmulatedDevice::replays(), 0);
        }
        const EmulatedDevice device(graphs);
        EXPECT_EQ(texts(spec, false), wanted);
        EXPECT_EQ(EmulatedDevice::writings(), 0);
        EXPECT_EQ(EmulatedDevice::replays() > 0, graphs == Graphs::replayed);
    }
};

TEST_F(DeviceReaderTest, WritesTheCpusText) {
    for (Graphs graphs : {Graphs::none, Graphs::replayed, Graphs::refused}) expect_the_cpus(small(), graphs);
}

TEST_F(DeviceReaderTest, WritesTheCpusTextWithBiasAndLearnedPositions) {
    RunSpec spec = small();
    spec.bias = true;
    spec.position = Position::learned_rope;
    spec.tied_head = false;
    expect_the_cpus(spec);
    spec.position = Position::none;
    expect_the_cpus(spec);
}

TEST_F(DeviceReaderTest, WritesTheCpusTextAsALlama) {
    RunSpec spec = small();
    spec.block = Block::llama;
    spec.key_value_heads = 1;
    spec.qk_norm = true;
    expect_the_cpus(spec);
}

TEST_F(DeviceReaderTest, WritesTheCpusTextAsAPythia) {
    RunSpec spec = small();
    spec.block = Block::pythia;
    spec.rotated_layers = "1";
    spec.fraction = 0.5;
    expect_the_cpus(spec);
}

TEST_F(DeviceReaderTest, WritesTheCpusTextInBfloat16) {
    RunSpec spec = small();
    spec.precision = Precision::bfloat16;
    expect_the_cpus(spec);
}

TEST_F(DeviceReaderTest, ALongPromptIsReadToItsLastWindow) {
    const std::vector<std::int32_t> prompt = {1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4};
    const auto text = [&](bool in_one_kernel) {
        Generation how;
        how.length = 12;
        how.in_one_kernel = in_one_kernel;
        return model(small())->generate(prompt, how);
    };
    const auto wanted = text(true);
    const EmulatedDevice device(Graphs::replayed);
    EXPECT_EQ(text(true), wanted);
    EXPECT_EQ(text(false), wanted);
}

TEST_F(DeviceReaderTest, WritesByGraphsWhereNoGridStaysTogether) {
    const auto wanted = texts(small());
    for (auto grids : {EmulatedDevice::Grids::none, EmulatedDevice::Grids::refused}) {
        const EmulatedDevice device(Graphs::replayed, grids);
        EXPECT_EQ(texts(small()), wanted);
        EXPECT_EQ(EmulatedDevice::writings(), 0);
        EXPECT_GT(EmulatedDevice::replays(), 0);
    }
}

TEST_F(DeviceReaderTest, StopsWhereItIsToldAndShowsEachSymbolOnce) {
    const EmulatedDevice device(Graphs::replayed);
    RunSpec spec = small();
    spec.layers = 1;
    const auto text = [&](std::size_t most, bool in_one_kernel) {
        std::vector<std::int32_t> seen;
        Generation how;
        how.length = 300;
        how.mode = Generation::Mode::rolling;
        how.in_one_kernel = in_one_kernel;
        how.on_token = [&](std::int32_t token) {
            seen.push_back(token);
            return seen.size() < most;
        };
        const auto written = model(spec)->generate(std::vector<std::int32_t>{1}, how);
        EXPECT_EQ(written.size(), most);
        EXPECT_EQ(written, seen);
        return written;
    };
    const auto wanted = text(37, false);
    EXPECT_EQ(text(37, true), wanted);
    EXPECT_EQ(EmulatedDevice::writings(), 1);  // not all 300
    // Past the first piece.
    const auto longer = text(140, true);
    EXPECT_EQ(EmulatedDevice::writings(), 3);
    EXPECT_EQ(std::vector<std::int32_t>(longer.begin(), longer.begin() + 37), wanted);
}

TEST_F(DeviceReaderTest, RefusesASymbolThatTheModelDoesNotKnow) {
    const EmulatedDevice device;
    EXPECT_MESSAGE(model(small())->generate(std::vector<std::int32_t>{1, 7}, {}), BadInput,
                   "Token 7 is outside the model's vocabulary of 7.");
}

TEST_F(DeviceReaderTest, LeavesModelsThatTheKernelsDoNotTakeToLibTorch) {
    const Layout layout = layout_of(small(), 2000);
    const Parameters large(layout, torch::zeros({1, layout.total}));
    const Layout little_layout = layout_of(small(), 7);
    const Parameters little(little_layout, torch::zeros({1, little_layout.total}));
    EXPECT_FALSE(DeviceReader::serves(small(), little));
    const EmulatedDevice device;
    EXPECT_TRUE(DeviceReader::serves(small(), little));
    EXPECT_FALSE(DeviceReader::serves(small(), large));
}

}  // namespace
}  // namespace ropelab
