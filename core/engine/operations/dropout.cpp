#include "core/engine/operations/dropout.h"

#include <torch/csrc/jit/tensorexpr/codegen.h>
#include <torch/csrc/jit/tensorexpr/loopnest.h>

#include <array>
#include <limits>
#include <map>
#include <tuple>

#include "core/engine/device/accelerator.h"
#include "core/engine/operations/operations.h"
#include "core/engine/operations/own_passes.h"

namespace ropelab {

namespace {

// (runs, size) float32, with RandomStream.
torch::Tensor masks_on_cpu(const Dropout& dropout, std::int64_t size, const std::string& stream) {
    const std::int64_t runs = std::ssize(dropout.seeds());
    const torch::Tensor mask = torch::empty({runs, size}, torch::kFloat32);
    const std::int64_t first_number = dropout.first_number(size);
    constexpr std::int64_t grain = 16384;
    ROPELAB_OWN_PASS("dropout_mask");
    for (std::int64_t run = 0; run < runs; ++run) {
        const RandomStream numbers(dropout.seeds()[static_cast<std::size_t>(run)], stream);
        float* run_mask = mask.data_ptr<float>() + run * size;
        at::parallel_for(0, (size + grain - 1) / grain, 1, [&](std::int64_t begin, std::int64_t end) {
            const std::int64_t first = begin * grain;
            const std::int64_t last = std::min(size, end * grain);
            numbers.fill_dropout({run_mask + first, static_cast<std::size_t>(last - first)}, dropout.rate(),
                                 static_cast<std::uint64_t>(dropout.step()),
                                 static_cast<std::uint64_t>(first_number + first));
        });
    }
    return mask;
}

// The lower or upper 32 bits of int64 numbers, (rows, columns), which must be contiguous.
torch::Tensor lower(const torch::Tensor& numbers) {
    return numbers.view(torch::kInt32).slice(1, 0, std::nullopt, 2);
}
torch::Tensor upper(const torch::Tensor& numbers) {
    return numbers.view(torch::kInt32).slice(1, 1, std::nullopt, 2);
}

// x · mask · factor in one pass, which stores one byte per number for the backward pass.
class Kept : public torch::autograd::Function<Kept> {
 public:
    static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                                 const torch::Tensor& mask, double factor) {
        context->save_for_backward({mask});
        context->saved_data["factor"] = factor;
        return at::native_dropout_backward(x, mask, factor);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        const torch::Tensor mask = context->get_saved_variables()[0];
        return {at::native_dropout_backward(gradients[0], mask, context->saved_data["factor"].toDouble()), {}, {}};
    }
};

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

DeviceStreams::DeviceStreams(std::vector<std::int64_t> seeds, std::int64_t step, torch::Device device)
    : seeds_(std::move(seeds)), step_(torch::full({1}, step, torch::kInt64).to(device)) {}

const torch::Tensor& DeviceStreams::keys(const std::string& what) {
    if (const auto found = keys_.find(what); found != keys_.end()) return found->second;
    std::vector<std::int64_t> words;
    for (const std::int64_t seed : seeds_) {
        auto key = RandomStream(seed, what).key();
        for (int round = 0; round < philox_rounds; ++round) {
            for (std::size_t i = 0; i < 2; ++i) {
                words.push_back(key[i]);
                key[i] += philox_key_steps[i];
            }
        }
    }
    const torch::Tensor keys = torch::tensor(words, torch::kInt64).view({-1, philox_rounds, 2});
    return keys_.emplace(what, keys.to(step_.device())).first->second;
}

torch::Tensor libtorch_dropout_masks(const torch::Tensor& keys, const torch::Tensor& step, double rate,
                                     std::int64_t size, std::int64_t first) {
    const torch::Tensor group = torch::arange(first / 4, (first + size + 3) / 4, step.options()).unsqueeze(0);
    // Words a and c of Philox's counter are the lower halves of int64 numbers whose upper halves are 0, so that a
    // product modulo 2^64 has the bits of the unsigned one. Words b and d are the lower halves of the previous
    // products.
    const std::array<std::int64_t, 2> shape = {keys.size(0), group.size(1)};
    const std::array<torch::Tensor, 2> words = {torch::zeros(shape, step.options()),
                                                torch::zeros(shape, step.options())};
    const torch::Tensor key_words = keys.view(torch::kInt32);
    lower(words[0]).copy_(lower(group));
    lower(words[1]).copy_(lower(step.unsqueeze(0)));
    std::array<torch::Tensor, 2> products = {step.bitwise_right_shift(32).unsqueeze(0), group.bitwise_right_shift(32)};
    for (int round = 0; round < philox_rounds; ++round) {
        const std::array<torch::Tensor, 2> next = {words[0] * std::int64_t{philox_multipliers[0]},
                                                   words[1] * std::int64_t{philox_multipliers[1]}};
        for (std::size_t i = 0; i < 2; ++i) {
            torch::Tensor word = lower(words[i]);
            const torch::Tensor key = key_words.select(1, round).narrow(1, 2 * static_cast<std::int64_t>(i), 1);
            torch::bitwise_xor_out(word, upper(next[1 - i]), lower(products[1 - i]).expand_as(word)).bitwise_xor_(key);
        }
        products = next;
    }
    const DropoutRate parts(rate);
    constexpr std::int32_t sign = std::numeric_limits<std::int32_t>::min();  // makes the signed order the unsigned one
    const torch::Tensor numbers =
        torch::stack({lower(words[0]), lower(products[1]), lower(words[1]), lower(products[0])}, 2).bitwise_xor_(sign);
    return numbers.flatten(1).narrow(1, first % 4, size).ge(static_cast<std::int32_t>(parts.threshold) ^ sign);
}

MaskKernel::MaskKernel(std::int64_t runs, std::int64_t groups, double rate, torch::Device device)
    : runs_(runs), groups_(groups) {
    const te::BufHandle keys("keys", {number(runs), number(philox_rounds), number(2)}, te::kLong);
    const te::BufHandle step("step", {number(1)}, te::kLong);
    const te::VarHandle first("first", te::kLong);
    const DropoutRate parts(rate);
    const std::vector<te::ExprHandle> shape = {number(runs), number(groups)};
    const te::Tensor masks = te::Compute("masks", shape, [&](const std::vector<te::VarHandle>& at) {
        const auto key = [&](std::int64_t word) { return keys.load(at[0], number(0), number(word)); };
        const auto words = philox_words(first + at[1], step.load(number(0)), {key(0), key(1)});
        te::ExprHandle bytes = te::IntImm::make(0);
        for (std::size_t i = 0; i < words.size(); ++i) {
            bytes = bytes | te::CompareSelect::make(words[i], number(parts.threshold), te::IntImm::make(1 << (8 * i)),
                                                    te::IntImm::make(0), te::kGE);
        }
        return bytes;
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
    const torch::Tensor masks = torch::empty({runs_, groups_}, step.options().dtype(torch::kInt32));
    code_->call({keys.data_ptr(), step.data_ptr(), first, masks.data_ptr()});
    return masks.view(torch::kBool);
}

torch::Tensor device_dropout_masks(const torch::Tensor& keys, const torch::Tensor& step, double rate, std::int64_t size,
                                   std::int64_t first) {
    const auto by_operations = [&] { return libtorch_dropout_masks(keys, step, rate, size, first); };
    if (!keys.is_cuda()) return by_operations();
    const std::int64_t groups = (first + size + 3) / 4 - first / 4;
    const auto by_kernel = [&](const MaskKernel& kernel) {
        return kernel(keys, step, first / 4).narrow(1, first % 4, size);
    };
    static std::map<std::tuple<std::int64_t, std::int64_t, double>, std::unique_ptr<MaskKernel>> kernels;
    const auto [found, is_new] = kernels.try_emplace({keys.size(0), groups, rate});
    if (!is_new) return found->second ? by_kernel(*found->second) : by_operations();
    torch::Tensor masks = by_operations();
    try {
        auto kernel = std::make_unique<MaskKernel>(keys.size(0), groups, rate, keys.device());
        if (torch::equal(by_kernel(*kernel), masks)) found->second = std::move(kernel);
    } catch (const std::exception&) {
        // LibTorch has no compiler for this device, so its operations go on computing the masks.
    }
    return masks;
}

Dropout Dropout::of_sequences(std::int64_t first, std::int64_t count) const {
    Dropout part = *this;
    part.first_sequence_ = first;
    part.sequences_ = count;
    return part;
}

torch::Tensor Dropout::operator()(const torch::Tensor& x, const std::string& place) const {
    if (!active()) return x;
    const std::string stream = "dropout:" + place;
    const std::int64_t size = x.numel() / x.size(0);
    if (x.is_cpu() && !is_accelerated(x.device())) return x * masks_on_cpu(*this, size, stream).view(x.sizes());
    std::shared_ptr<DeviceStreams> streams = streams_;
    if (!streams) streams = std::make_shared<DeviceStreams>(seeds_, step_, x.device());
    const torch::Tensor masks =
        device_dropout_masks(streams->keys(stream), streams->step(), rate_, size, first_number(size));
    // In float32, as on the CPU: bfloat16 would round the product.
    return Kept::apply(in_float(x), masks.view(x.sizes()), DropoutRate(rate_).kept_factor);
}

}  // namespace ropelab
