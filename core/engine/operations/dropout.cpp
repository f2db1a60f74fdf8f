#include "core/engine/operations/dropout.h"

#include "core/engine/device/accelerator.h"
#include "core/engine/operations/operations.h"
#include "core/engine/operations/own_passes.h"
#include "core/spec/random_stream.h"

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

constexpr std::int64_t low_word = 0xFFFFFFFF;

// Upper and lower 32 bits of x·factor for numbers below 2^32. The product does not fit int64.
struct Product {
    Product(const torch::Tensor& x, std::int64_t factor) {
        const torch::Tensor of_upper = x * (factor >> 16);
        const torch::Tensor below = of_upper.bitwise_and(0xFFFF) * 65536 + x * (factor & 0xFFFF);
        upper = of_upper.bitwise_right_shift(16) + below.bitwise_right_shift(32);
        lower = below.bitwise_and(low_word);
    }
    torch::Tensor upper;
    torch::Tensor lower;
};

}  // namespace

DeviceStreams::DeviceStreams(std::vector<std::int64_t> seeds, std::int64_t step, torch::Device device)
    : seeds_(std::move(seeds)), step_(torch::full({1}, step, torch::kInt64).to(device)) {}

const torch::Tensor& DeviceStreams::keys(const std::string& what) {
    if (const auto found = keys_.find(what); found != keys_.end()) return found->second;
    std::vector<std::int64_t> words;
    for (const std::int64_t seed : seeds_) {
        for (const std::uint32_t word : RandomStream(seed, what).key()) words.push_back(word);
    }
    return keys_.emplace(what, torch::tensor(words, torch::kInt64).view({-1, 2}).to(step_.device())).first->second;
}

torch::Tensor libtorch_dropout_masks(const torch::Tensor& keys, const torch::Tensor& step, double rate,
                                     std::int64_t size, std::int64_t first) {
    // Philox 4×32-10 (core/spec/random_stream.h) on int64 tensors that contain 32-bit words.
    torch::Tensor key_low = keys.narrow(1, 0, 1);
    torch::Tensor key_high = keys.narrow(1, 1, 1);
    const torch::Tensor group =
        torch::arange(first / 4, (first + size + 3) / 4, torch::TensorOptions(torch::kInt64).device(keys.device()))
            .unsqueeze(0);
    torch::Tensor a = group.bitwise_and(low_word);
    torch::Tensor b = group.bitwise_right_shift(32);
    torch::Tensor c = step.bitwise_and(low_word).unsqueeze(0);
    torch::Tensor d = step.bitwise_right_shift(32).unsqueeze(0);
    for (int round = 0; round < 10; ++round) {
        const Product p(a, 0xD2511F53);
        const Product q(c, 0xCD9E8D57);
        a = q.upper.bitwise_xor(b).bitwise_xor(key_low);
        b = q.lower;
        c = p.upper.bitwise_xor(d).bitwise_xor(key_high);
        d = p.lower;
        key_low = (key_low + 0x9E3779B9).bitwise_and(low_word);
        key_high = (key_high + 0xBB67AE85).bitwise_and(low_word);
    }
    const DropoutRate parts(rate);
    const torch::Tensor numbers =
        torch::stack(torch::broadcast_tensors({a, b, c, d}), -1).flatten(1).narrow(1, first % 4, size);
    return numbers.ge(static_cast<std::int64_t>(parts.threshold)).to(torch::kFloat32) * parts.kept_factor;
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
    torch::Tensor masks;
    if (x.is_cpu() && !is_accelerated(x.device())) {
        masks = masks_on_cpu(*this, size, stream);
    } else {
        std::shared_ptr<DeviceStreams> streams = streams_;
        if (!streams) streams = std::make_shared<DeviceStreams>(seeds_, step_, x.device());
        masks = libtorch_dropout_masks(streams->keys(stream), streams->step(), rate_, size, first_number(size));
    }
    return x * masks.view(x.sizes());
}

}  // namespace ropelab
