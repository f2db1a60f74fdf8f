// A text by one kernel, against the same text by the kernels that go one step each.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/cuda/compare.h"
#include "tests/core/cuda/text_model.h"

namespace ropelab::cuda {
namespace {

// Texts of a prompt of three and `count` more, past the context, by both ways.
void compare(const Shape& shape, std::int64_t piece, std::int64_t count = 9,
             const std::vector<double>& temperatures = {0.0, 0.8}) {
    const std::vector<std::int32_t> prompt = {1, 4, 2};
    for (double temperature : temperatures) {
        SCOPED_TRACE(testing::Message() << "temperature " << temperature);
        const Writer steps(shape, prompt, count, temperature);
        Writer one(shape, prompt, count, temperature);
        if (ropelab_cuda_kernels()->text_blocks(one.args()) == 0) {
            GTEST_SKIP() << "These kernels were not run: the device starts no cooperative grids.";
        }
        steps.step_by_step(0, steps.end());
        const std::vector<std::int32_t> wanted = steps.text();
        const std::vector<std::int32_t> shown = one.at_once(0, one.end(), piece);
        EXPECT_EQ(one.text(), wanted);
        EXPECT_EQ(shown, std::vector<std::int32_t>(wanted.begin() + 3, wanted.end()));
        // Sums are made in the same order.
        expect_near(one.logits(), steps.logits(), 1e-5);
        EXPECT_EQ(one.arrived() & 0x7FFFFFFFU, 0U);
        if (temperature == 0) continue;
        EXPECT_TRUE(std::any_of(shown.begin(), shown.end(), [&](auto symbol) { return symbol != shown.front(); }));
    }
}

Shape llama() {
    Shape shape;
    shape.key_value_heads = 1;
    shape.hidden = 48;
    shape.activation = Activation::swiglu;
    shape.centred = false;
    shape.head_norms = true;
    return shape;
}

Shape pythia() {
    Shape shape;
    shape.beside = true;
    shape.bias = true;
    return shape;
}

KERNEL_TEST(TextWriter, WritesTheTextOfSingleSteps) {
    SKIP_WITHOUT_DEVICE();
    compare({}, 4);
    compare({}, 1, 9, {0.8});
    Shape shape;
    shape.learned_positions = true;
    shape.turns = false;
    shape.bias = true;
    compare(shape, 64, 9, {0.8});
}

KERNEL_TEST(TextWriter, WritesTheTextOfALlama) {
    SKIP_WITHOUT_DEVICE();
    compare(llama(), 5);
}

KERNEL_TEST(TextWriter, WritesTheTextOfAPythia) {
    SKIP_WITHOUT_DEVICE();
    compare(pythia(), 5);
}

KERNEL_TEST(TextWriter, WritesTheTextInBfloat16) {
    SKIP_WITHOUT_DEVICE();
    for (Shape shape : {Shape{}, llama(), pythia()}) {
        shape.type = Type::bfloat16;
        compare(shape, 64, 9, {0.8});
    }
}

// Rows that are no multiples of 16 bytes.
KERNEL_TEST(TextWriter, WritesTheTextOfAnOddWidth) {
    SKIP_WITHOUT_DEVICE();
    for (Type type : {Type::float32, Type::bfloat16}) {
        Shape shape;
        shape.layers = 1;
        shape.width = 12;
        shape.hidden = 38;
        shape.type = type;
        compare(shape, 64, 9, {0.8});
    }
}

// More rows than the warps of a small grid, rows longer than what is loaded ahead, and a cache of more than one part.
KERNEL_TEST(TextWriter, WritesTheTextOfALargerModel) {
    SKIP_WITHOUT_DEVICE();
    Shape shape;
    shape.layers = 1;
    shape.width = 64;
    shape.hidden = 1000;
    shape.context = 36;
    shape.symbols = 65;
    compare(shape, 16, 39, {0.8});
#ifdef ROPELAB_ON_GPU
    // The theta paper's shape, for which every multiprocessor has a block.
    shape.layers = 6;
    shape.width = 384;
    shape.heads = shape.key_value_heads = 6;
    shape.hidden = 1536;
    shape.context = 256;
    for (Type type : {Type::float32, Type::bfloat16}) {
        shape.type = type;
        compare(shape, 128, 600, {0.8});
    }
#endif
}

// A cancelled text: what was written before stays, and the rest can be asked for.
KERNEL_TEST(TextWriter, GoesOnWhereItStopped) {
    SKIP_WITHOUT_DEVICE();
    const std::vector<std::int32_t> prompt = {1, 4, 2};
    const Writer steps({}, prompt, 9, 0.8);
    steps.step_by_step(0, steps.end());
    Writer stopped({}, prompt, 9, 0.8);
    if (ropelab_cuda_kernels()->text_blocks(stopped.args()) == 0) {
        GTEST_SKIP() << "These kernels were not run: the device starts no cooperative grids.";
    }
    stopped.at_once(0, 6, 4);
    std::vector<std::int32_t> wanted = steps.text();
    const std::vector<std::int32_t> whole = wanted;
    std::fill(wanted.begin() + 7, wanted.end(), 0);
    EXPECT_EQ(stopped.text(), wanted);
    stopped.at_once(6, stopped.end(), 4);
    EXPECT_EQ(stopped.text(), whole);
}

KERNEL_TEST(TextWriter, LeavesWhatItHasNoRoomForToSingleSteps) {
    SKIP_WITHOUT_DEVICE();
    const Kernels& kernels = *ropelab_cuda_kernels();
    const WriteText good = Writer({}, {1}, 1, 0).args();
    WriteText args = good;
    args.layers = most_layers + 1;
    EXPECT_EQ(kernels.text_blocks(args), 0);
    args = good;
    args.hidden = most_columns + 4;
    EXPECT_EQ(kernels.text_blocks(args), 0);
    args = good;
    args.sample.symbols = most_symbols + 1;
    EXPECT_EQ(kernels.text_blocks(args), 0);
    args = good;
    args.count = ring_places + 1;
    EXPECT_NE(kernels.write_text(args, 1, nullptr), 0);
    args.count = 1;
    EXPECT_NE(kernels.write_text(args, 0, nullptr), 0);
    EXPECT_NE(kernels.write_text(args, 1 << 20, nullptr), 0);  // more than are at work at once
}

}  // namespace
}  // namespace ropelab::cuda
