// Checks of the kernels that keep whole training steps on the device: batches, gradient norm, AdamW.
#include <cmath>

#include "core/model/fresh_memory.h"
#include "core/model/fused_device.h"
#include "core/train/batches.h"
#include "core/train/device_check.h"

namespace ropelab {

namespace {

constexpr std::int64_t step_runs = 2;
const std::vector<std::int64_t> seeds = {1, 7};

// Tensors on the device with margins around them.
class Memory {
 public:
    explicit Memory(torch::Device device) : device_(device) {}
    torch::Tensor of(const torch::Tensor& host) const {
        torch::Tensor memory = fresh_memory(host.sizes(), host.options().device(device_));
        memory.copy_(host);
        return memory;
    }

 private:
    torch::Device device_;
};

void require(const cuda::Kernels& kernels, int error, const char* name) {
    check_launch({.table = &kernels}, error, name);
}

std::string gather_error(const Memory& memory, const cuda::Kernels& kernels, cuda::Stream stream, torch::Device device,
                         BatchOrder order) {
    constexpr std::int64_t step = 5;
    RunSpec spec;
    spec.batch = 3;
    spec.context = 9;
    spec.batches = order;
    const torch::Tensor tokens = torch::arange(501, torch::kInt32);
    DeviceStreams streams(seeds, step, device);
    const torch::Tensor on_device = memory.of(tokens);
    const torch::Tensor x = memory.of(torch::zeros({step_runs, spec.batch, spec.context}, torch::kInt64));
    const torch::Tensor y = memory.of(torch::zeros({step_runs, spec.batch, spec.context}, torch::kInt64));
    require(kernels,
            kernels.gather_batch({.runs = step_runs,
                                  .batch = spec.batch,
                                  .context = spec.context,
                                  .tokens = on_device.data_ptr<std::int32_t>(),
                                  .token_count = tokens.size(0),
                                  .starts = nullptr,
                                  .sequential = order == BatchOrder::sequential,
                                  .keys = static_cast<const cuda::StreamKey*>(streams.keys("batches").data_ptr()),
                                  .step = streams.step().data_ptr<std::int64_t>(),
                                  .x = x.data_ptr<std::int64_t>(),
                                  .y = y.data_ptr<std::int64_t>()},
                                 stream),
            "gather_batch");
    torch::Tensor wanted = torch::empty({step_runs, spec.batch, spec.context}, torch::kInt64);
    for (std::int64_t run = 0; run < step_runs; ++run) {
        spec.seed = seeds[static_cast<std::size_t>(run)];
        const auto starts = batch_starts(spec, 501, step);
        for (std::int64_t i = 0; i < spec.batch; ++i) {
            wanted[run][i].copy_(torch::arange(spec.context) + starts[static_cast<std::size_t>(i)]);
        }
    }
    if (const auto words = difference(x, wanted, 1e-9); !words.empty()) return "gather_batch: " + words;
    if (const auto words = difference(y, wanted + 1, 1e-9); !words.empty()) return "gather_batch: " + words;
    return "";
}

std::string sum_error(const Memory& memory, const cuda::Kernels& kernels, cuda::Stream stream) {
    const torch::Tensor losses = torch::rand({step_runs, 777}) + 1.0;
    const torch::Tensor on_device = memory.of(losses);
    const torch::Tensor totals = memory.of(torch::ones({step_runs}, torch::kFloat64));
    require(kernels,
            kernels.add_rows({.runs = step_runs,
                              .rows = losses.size(1),
                              .losses = on_device.data_ptr<float>(),
                              .totals = totals.data_ptr<double>()},
                             stream),
            "add_rows");
    const auto words = difference(totals, losses.to(torch::kFloat64).sum(1) + 1.0, 1e-6);
    return words.empty() ? "" : "add_rows: " + words;
}

}  // namespace

std::string batch_kernel_error(torch::Device device, const cuda::Kernels& kernels, cuda::Stream stream) {
    const MemoryMargins margins;
    const Memory memory(device);
    for (const BatchOrder order : {BatchOrder::random, BatchOrder::sequential}) {
        const auto words = gather_error(memory, kernels, stream, device, order);
        if (!words.empty()) return words;
    }
    if (const auto words = sum_error(memory, kernels, stream); !words.empty()) return words;
    return margins.intact() ? "" : "a kernel writes beyond its memory";
}

std::string optimizer_kernel_error(torch::Device device, const cuda::Kernels& kernels, cuda::Stream stream) {
    constexpr std::int64_t count = 33333;  // longer than one part of a sum of squares
    constexpr std::int64_t decayed = 20001;
    constexpr std::int64_t step_number = 4;
    constexpr double clip = 1.0;
    const cuda::Betas betas{0.9, 0.99, 1e-8, 0.1};
    const torch::Tensor weights = torch::randn({step_runs, count});
    const torch::Tensor gradient = 0.01 * torch::randn({step_runs, count});
    const torch::Tensor first = 0.01 * torch::randn({step_runs, count});
    const torch::Tensor second = 1e-4 * torch::rand({step_runs, count});
    const torch::Tensor rates = torch::tensor({1e-3, 2e-3}, torch::kFloat64);

    // AdamW in double precision, after Loshchilov and Hutter 2019.
    const auto precise = [](const torch::Tensor& x) { return x.to(torch::kFloat64); };
    const torch::Tensor norms = precise(gradient).norm(2, {1}, true);
    const torch::Tensor clipped = precise(gradient) * torch::where(norms > clip, clip / (norms + 1e-6), 1.0);
    const torch::Tensor new_first = betas.beta1 * precise(first) + (1 - betas.beta1) * clipped;
    const torch::Tensor new_second = betas.beta2 * precise(second) + (1 - betas.beta2) * clipped.square();
    torch::Tensor kept = precise(weights);
    kept.narrow(1, 0, decayed).mul_(1 - rates.unsqueeze(1) * betas.decay);
    const double steps = step_number + 1;
    const torch::Tensor root = (new_second / (1 - std::pow(betas.beta2, steps))).sqrt() + betas.epsilon;
    const torch::Tensor wanted = kept - rates.unsqueeze(1) / (1 - std::pow(betas.beta1, steps)) * new_first / root;

    const MemoryMargins margins;
    const Memory memory(device);
    const auto updated = [&] {
        const torch::Tensor w = memory.of(weights);
        const torch::Tensor working = memory.of(weights.to(torch::kBFloat16));
        const torch::Tensor g = memory.of(gradient);
        const torch::Tensor m = memory.of(first);
        const torch::Tensor v = memory.of(second);
        const torch::Tensor parts = memory.of(torch::zeros({step_runs, cuda::square_parts(count)}, torch::kFloat64));
        const torch::Tensor losses = memory.of(torch::ones({step_runs}));
        const torch::Tensor its_rates = memory.of(rates);
        const torch::Tensor step = memory.of(torch::full({1}, step_number, torch::kInt64));
        const torch::Tensor its_norms = memory.of(torch::zeros({step_runs}));
        const torch::Tensor settings = memory.of(torch::zeros({step_runs, 4}));
        auto* its_settings = reinterpret_cast<cuda::UpdateSettings*>(settings.data_ptr<float>());
        require(
            kernels,
            kernels.square_sums(
                {.runs = step_runs, .count = count, .gradient = g.data_ptr<float>(), .parts = parts.data_ptr<double>()},
                stream),
            "square_sums");
        require(kernels,
                kernels.prepare_update({.runs = step_runs,
                                        .count = count,
                                        .parts = parts.data_ptr<double>(),
                                        .losses = losses.data_ptr<float>(),
                                        .rates = its_rates.data_ptr<double>(),
                                        .step = step.data_ptr<std::int64_t>(),
                                        .clip = clip,
                                        .betas = betas,
                                        .norms = its_norms.data_ptr<float>(),
                                        .settings = its_settings},
                                       stream),
                "prepare_update");
        require(kernels,
                kernels.adamw({.runs = step_runs,
                               .count = count,
                               .decayed = decayed,
                               .weights = w.data_ptr<float>(),
                               .working = static_cast<cuda::Bfloat16*>(working.data_ptr()),
                               .gradient = g.data_ptr<float>(),
                               .first_moment = m.data_ptr<float>(),
                               .second_moment = v.data_ptr<float>(),
                               .settings = its_settings,
                               .betas = betas},
                              stream),
                "adamw");
        require(kernels, kernels.advance_step(step.data_ptr<std::int64_t>(), stream), "advance_step");
        return std::vector<torch::Tensor>{w, m, v, working, parts, its_norms, step};
    };
    const auto results = updated();
    const auto again = updated();
    for (std::size_t i = 0; i < results.size(); ++i) {
        const bool equal = torch::equal(results[i], again[i]) || !torch::isfinite(results[i]).all().item<bool>();
        if (!equal) return "optimizer kernels: two runs give different numbers";
    }
    const torch::Tensor squares = results[4].to(torch::kCPU).sum(1, true).sqrt();
    if (const auto words = difference(squares, norms, 1e-5); !words.empty()) return "square_sums: " + words;
    if (const auto words = difference(results[5], norms.flatten(), 1e-5); !words.empty()) {
        return "prepare_update: " + words;
    }
    const std::vector<torch::Tensor> exact = {wanted, new_first, new_second};
    for (std::size_t i = 0; i < exact.size(); ++i) {
        if (const auto words = difference(results[i], exact[i], 1e-4); !words.empty()) return "adamw: " + words;
    }
    if (!torch::equal(results[3], results[0].to(torch::kBFloat16)))
        return "adamw: the working copy differs from the rounded weights";
    if (results[6].item<std::int64_t>() != step_number + 1) return "advance_step: the step number is wrong";
    return margins.intact() ? "" : "a kernel writes beyond its memory";
}

}  // namespace ropelab
