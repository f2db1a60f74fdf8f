#include "core/engine/operations/mask_kernel.h"

#include <torch/csrc/jit/tensorexpr/codegen.h>
#include <torch/csrc/jit/tensorexpr/loopnest.h>

#include <array>
#include <vector>

#include "core/base/random_stream.h"
#include "core/engine/operations/dropout.h"

namespace ropelab {

namespace {

namespace te = torch::jit::tensorexpr;

te::ExprHandle number(std::int64_t value) {
    return te::LongImm::make(value);
}

// The four 32-bit words of a group, in int64.
std::array<te::ExprHandle, 4> philox_words(const te::ExprHandle& group, const te::ExprHandle& step,
                                           const std::array<te::ExprHandle, 2>& keys) {
    const te::ExprHandle low = number(0xFFFFFFFF);
    const te::ExprHandle bits = number(32);
    std::array<te::ExprHandle, 2> words = {group & low, step & low};
    std::array<te::ExprHandle, 2> products = {step >> bits, group >> bits};  // words b and d are their lower halves
    for (int round = 0; round < philox_rounds; ++round) {
        const std::array<te::ExprHandle, 2> next = {words[0] * number(philox_multipliers[0]),
                                                    words[1] * number(philox_multipliers[1])};
        for (std::size_t i = 0; i < 2; ++i) {
            const te::ExprHandle key = keys[i] + number(round * std::int64_t{philox_key_steps[i]});
            words[i] = ((next[1 - i] >> bits) ^ products[1 - i] ^ key) & low;
        }
        products = next;
    }
    return {words[0], products[1] & low, words[1], products[0] & low};
}

}  // namespace

MaskKernel::MaskKernel(std::int64_t runs, std::int64_t groups, double rate, torch::Device device)
    : runs_(runs), groups_(groups) {
    const te::BufHandle keys("keys", {number(runs), number(philox_rounds), number(2)}, te::kLong);
    const te::BufHandle step("step", {number(1)}, te::kLong);
    const te::VarHandle first("first", te::kLong);
    const DropoutRate parts(rate);
    const std::vector<te::ExprHandle> shape = {number(runs), number(groups), number(4)};
    const te::Tensor masks = te::Compute("masks", shape, [&](const std::vector<te::VarHandle>& at) {
        const auto key = [&](std::int64_t word) { return keys.load(at[0], number(0), number(word)); };
        const auto words = philox_words(first + at[1], step.load(number(0)), {key(0), key(1)});
        const auto is_word = [&](std::int64_t word) { return te::CompareSelect::make(at[2], number(word), te::kEQ); };
        te::ExprHandle word = words[3];
        for (const int other : {2, 1, 0}) word = te::ifThenElse(is_word(other), words[other], word);
        return te::CompareSelect::make(word, number(parts.threshold), te::FloatImm::make(parts.kept_factor),
                                       te::FloatImm::make(0.0F), te::kGE);
    });
    te::LoopNest nest({masks});
    if (device.is_cuda()) {
        constexpr int threads = 256;
        te::ForPtr blocks;
        te::ForPtr inner;
        te::LoopNest::flatten(nest.getLoopStmtsFor(masks), &blocks);
        te::LoopNest::splitWithMask(blocks, threads, &inner);
        blocks->set_gpu_block_index(0);
        inner->set_gpu_thread_index(0);
    }
    nest.prepareForCodegen();
    code_ = te::CreateCodeGen(device.is_cuda() ? "cuda_codegen" : "simple_ir_eval", nest.root_stmt(),
                              {keys, step, first, te::CodeGen::BufferArg(masks)}, device);
}

MaskKernel::~MaskKernel() = default;

torch::Tensor MaskKernel::operator()(const torch::Tensor& keys, const torch::Tensor& step, std::int64_t first) const {
    const torch::Tensor masks = torch::empty({runs_, 4 * groups_}, step.options().dtype(torch::kFloat32));
    code_->call({keys.data_ptr(), step.data_ptr(), first, masks.data_ptr()});
    return masks;
}

}  // namespace ropelab
