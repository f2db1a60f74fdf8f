#include "core/engine/torch_engine.h"

#include <ATen/Version.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <torch/torch.h>

#include "core/base/error.h"
#include "core/base/processor.h"
#include "core/engine/device/accelerator.h"
#include "core/engine/device/cuda.h"
#include "core/engine/device/processor_setup.h"
#include "core/engine/device/tensor_memory.h"
#include "core/engine/model/torch_model.h"
#include "core/engine/operations/operations.h"
#include "core/engine/operations/parameters.h"
#include "core/engine/operations/products.h"
#include "core/engine/train/device_check.h"
#include "core/engine/train/torch_cohort.h"
#include "core/kernels/kernels.h"
#include "core/plan/kernels.h"

namespace ropelab {

namespace {

constexpr std::int64_t most_threads = 1024;  // of the setting threads

// 0 if unknown; open_cuda's value before the first context, because asking LibTorch would create one.
std::int64_t free_device_memory() {
    const CudaGraphs* graphs = open_cuda().graphs;
    try {
        if (graphs && graphs->free_memory && at::detail::getCUDAHooks().hasPrimaryContext(0)) {
            return graphs->free_memory();
        }
    } catch (const std::exception&) {
        return 0;
    }
    return open_cuda().free_memory;
}

bool is_uncomputed(const std::optional<NormPart>& norm) {
    return norm && (norm->kind == NormPart::Kind::unknown || !norm->has_weight);
}

std::string uncomputed_part(const Softmax& part) {
    if (part.shares_values) return "values that are the keys";
    const bool is_weightless = part.qk_norm != Softmax::QkNorm::none && !part.head_norm.has_weight;
    return is_weightless ? "norms of queries and keys without weights" : "";
}

std::string uncomputed_part(const Latent& part) {
    if (part.has_query_latent) return "a latent vector of the queries";
    return part.has_other_values && part.D_v != part.D ? "values of another width than keys" : "";
}

std::string uncomputed_part(const DeltaNet& part) {
    return part.has_convolution ? "the short convolution of a gated DeltaNet" : "";
}

std::string uncomputed_part(const Mlp& part) {
    return part.activation.kind == FeedForward::automatic ? "the activation " + part.activation.name : "";
}

std::string uncomputed_part(const Experts& part) {
    if (part.shared) return "shared experts";
    if (part.has_router_bias || part.weighs_inputs) return "another router of experts";
    return uncomputed_part(part.expert);
}

// Plans of configs can say more than runs. "" if everything is computed.
std::string uncomputed_part(const ModelPlan& plan) {
    if (!plan.sizes.decoder) return "attention to later tokens";
    if (!plan.before_head.empty()) return "a layer before the output head";
    if (!plan.names_settings && !plan.shared.empty()) return "a norm of the embedding";
    if (!plan.head.is_known || is_uncomputed(plan.head.norm)) return "norms of this kind";
    for (const LayerPlan& layer : plan.layers) {
        for (const BranchNorms* norms : {&layer.attention_norms, &layer.feed_forward_norms}) {
            if (is_uncomputed(norms->before) || is_uncomputed(norms->output) || is_uncomputed(norms->after))
                return "norms of this kind";
        }
        const Scores* scores = layer.scores();
        if (scores && scores->window && scores->window_name != "sliding window") return scores->window_name;
        for (const std::string& part :
             {std::visit([](const auto& attention) { return uncomputed_part(attention); }, layer.attention),
              std::visit([](const auto& network) { return uncomputed_part(network); }, layer.feed_forward)}) {
            if (!part.empty()) return part;
        }
    }
    return "";
}

void require_computed(const ModelPlan& plan) {
    if (const std::string part = uncomputed_part(plan); !part.empty())
        throw BadInput("The engine cannot compute this model, because it has " + part + ".");
}

Precision precision_of(const Computing& computing) {
    return computing.precision == Precision::automatic ? Precision::float32 : computing.precision;
}

bool uses_cuda(const Computing& computing, bool has_device) {
    return computing.device != Device::cpu && has_device && open_cuda().available;
}

// Consecutive rows of the parameter, each piece with a source of its own and about `numbers` numbers or fewer, unless
// it has rows that cannot be divided.
std::vector<Parameter> pieces_of(const Parameter& parameter, std::int64_t numbers) {
    std::vector<Parameter> pieces;
    std::int64_t offset = parameter.offset;
    const std::int64_t columns = parameter.size / parameter.shape.front();
    for (const SourceRows& part : parameter.source.parts) {
        const bool is_divisible = part.head_rows == part.rows && part.order.empty();
        const std::int64_t step = is_divisible ? 1 : part.head_rows;
        const std::int64_t most = std::max<std::int64_t>(1, numbers / columns / step) * step;
        for (std::int64_t first = 0; first < part.rows; first += most) {
            SourceRows rows = part;
            rows.rows = std::min(most, part.rows - first);
            if (is_divisible) rows.head_rows = rows.rows;
            rows.first = part.first + (is_divisible ? first : first / part.head_rows * part.stride);
            Parameter& piece = pieces.emplace_back(parameter);
            piece.shape.front() = rows.rows;
            piece.offset = offset;
            piece.size = rows.rows * columns;
            piece.source.parts = {std::move(rows)};
            offset += piece.size;
        }
    }
    if (pieces.empty()) pieces.push_back(parameter);  // of a run, whose parameters have no sources
    return pieces;
}

// Matrices are in memory in bfloat16 or as int8 rows only.
Parameters rounded_parameters(const Layout& layout, const WeightReader& read, bool has_bytes) {
    const std::int64_t matrices = numbers_of_matrices(layout);
    const torch::Tensor rounded = empty_in_large_pages(matrices, has_bytes ? torch::kUInt8 : torch::kBFloat16);
    std::vector<float> scales;
    const torch::Tensor vectors = torch::empty({layout.total - matrices});
    torch::Tensor numbers;
    for (const Parameter& parameter : layout.parameters) {
        if (parameter.offset >= matrices) {
            read(parameter,
                 {vectors.data_ptr<float>() + parameter.offset - matrices, static_cast<std::size_t>(parameter.size)});
            continue;
        }
        for (const Parameter& piece : pieces_of(parameter, std::int64_t{1} << 20)) {
            if (!numbers.defined() || numbers.numel() < piece.size) numbers = torch::empty({piece.size});
            read(piece, {numbers.data_ptr<float>(), static_cast<std::size_t>(piece.size)});
            if (!has_bytes) {
                rounded.narrow(0, piece.offset, piece.size).copy_(numbers.narrow(0, 0, piece.size));
                continue;
            }
            const std::int64_t rows = piece.shape.front();
            scales.resize(scales.size() + static_cast<std::size_t>(rows));
            kernels::round_rows(numbers.data_ptr<float>(), rows, piece.size / rows,
                                rounded.data_ptr<std::uint8_t>() + piece.offset,
                                scales.data() + std::ssize(scales) - rows);
        }
    }
    return {layout, vectors.unsqueeze(0), rounded.unsqueeze(0),
            has_bytes ? torch::tensor(scales).unsqueeze(0) : torch::Tensor()};
}

// On the CPU.
std::unique_ptr<Model> rounded_model(const ModelPlan& plan, const Layout& layout, const WeightReader& read,
                                     Precision precision) {
    const bool has_bytes = precision == Precision::int8;
    if (has_bytes && (plan.is_eager || !token_kernels_support(plan))) {
        throw BadInput(
            "Weights in int8 need a model that the program's own kernels generate with: softmax attention, MLP, norms "
            "before both, and no operations=eager; this model has another part, so choose float32 or bfloat16.");
    }
    return std::make_unique<TorchModel>(plan, rounded_parameters(layout, read, has_bytes), precision);
}

std::unique_ptr<Model> model_with(const ModelPlan& plan, const Layout& layout, const torch::Tensor& row,
                                  const Computing& computing, bool has_device) {
    if (precision_of(computing) == Precision::int8) {
        const auto read = [&](const Parameter& parameter, std::span<float> to) {
            std::copy_n(row.data_ptr<float>() + parameter.offset, to.size(), to.begin());
        };
        return rounded_model(plan, layout, read, Precision::int8);
    }
    return std::make_unique<TorchModel>(plan, layout, uses_cuda(computing, has_device) ? row.to(torch::kCUDA) : row,
                                        precision_of(computing));
}

}  // namespace

TorchEngine::TorchEngine() : default_threads_(use_threads(at::get_num_threads())) {
    keep_tensor_memory();
    avoid_broken_amx();
}

EngineInfo TorchEngine::info() {
    EngineInfo result;
    result.version = TORCH_VERSION;
    result.processor = at::get_cpu_capability() + ", kernels for " + std::string(kernels::level());
    result.bfloat16 = processor_multiplies_bfloat16();
    result.threads = default_threads_;
    result.cuda = open_cuda().available;
    result.cuda_detail = open_cuda().detail;
    result.cuda_memory = free_device_memory();
    result.cuda_identity = open_cuda().identity;
    return result;
}

std::unique_ptr<Cohort> TorchEngine::create_cohort(const CohortStart& start, const TokenData& data) {
    if (start.runs.empty()) throw BadInput("A cohort (runs trained as one batch) requires at least one run.");
    open_cuda();  // LibTorch looks for CUDA only once, at the first gradient
    const RunSpec& spec = start.runs.front();
    CohortStart settled = start;
    std::string device_reason;
    if (!settled.conditions && spec.device == Device::automatic) {
        const bool uses_cuda = open_cuda().available && trust_.device;
        for (RunSpec& run : settled.runs) run.device = uses_cuda ? Device::cuda : Device::cpu;
        if (!uses_cuda) {
            device_reason =
                " The run trains on the CPU: " +
                (open_cuda().available ? "this CUDA device computed other results than the CPU in its check."
                                       : open_cuda().detail);
        }
    }
    const bool cuda =
        settled.conditions ? settled.conditions->device == "cuda" : settled.runs.front().device == Device::cuda;
    if (cuda && !open_cuda().available) {
        throw BadInput("The setting device=cuda is not possible: " + open_cuda().detail +
                       " Use device=cpu or device=auto.");
    }
    std::int64_t threads = start.conditions ? start.conditions->threads : spec.threads;
    if (threads == 0) threads = default_threads_;
    if (threads < 0 || threads > most_threads) {
        throw BadInput("The run began with " + std::to_string(threads) +
                       " CPU threads, but the number must be from 1 to " + std::to_string(most_threads) +
                       "; the checkpoint or lab file of the run is damaged.");
    }
    return std::make_unique<TorchCohort>(settled, data, threads, device_reason);
}

std::unique_ptr<Model> TorchEngine::create_model(const ModelPlan& plan, std::span<const NamedTensor> tensors,
                                                 const Computing& computing) {
    require_computed(plan);
    const Layout layout = layout_of(plan);
    return model_with(plan, layout, from_named(layout, tensors, "model."), computing, trust_.device);
}

std::unique_ptr<Model> TorchEngine::load_model(const ModelPlan& plan, const WeightReader& read,
                                               const Computing& computing) {
    require_computed(plan);
    const Layout layout = layout_of(plan);
    const Precision precision = precision_of(computing);
    if (precision == Precision::int8 || (precision == Precision::bfloat16 && !uses_cuda(computing, trust_.device)))
        return rounded_model(plan, layout, read, precision);
    const torch::Tensor row = empty_in_large_pages(layout.total);
    for (const Parameter& parameter : layout.parameters)
        read(parameter, {row.data_ptr<float>() + parameter.offset, static_cast<std::size_t>(parameter.size)});
    return model_with(plan, layout, row, computing, trust_.device);
}

std::unique_ptr<Model> TorchEngine::create_untrained_model(const ModelPlan& plan, std::int64_t seed,
                                                           const Computing& computing) {
    const Layout layout = layout_of(plan);
    return model_with(plan, layout, initial_row(layout, seed), computing, trust_.device);
}

void TorchEngine::trust_device(const DeviceTrust& trust) {
    trust_ = trust;
    trust_cuda(trust);
}

void TorchEngine::check_device(const std::function<void(const DeviceCheck&)>& publish) {
    if (!open_cuda().available) throw BadInput("There is no CUDA device to check: " + open_cuda().detail);
    ropelab::check_device(torch::kCUDA, open_cuda().graphs, publish);
    trust_cuda(trust_);
}

KernelChoices TorchEngine::kernel_choices() {
    return known_choices();
}

void TorchEngine::use_kernel_choices(const KernelChoices& choices) {
    add_choices(choices);
}

std::optional<std::int64_t> TorchEngine::count_operations(const std::function<void()>& work) {
    return ropelab::count_operations(work);
}

}  // namespace ropelab

extern "C" ropelab::Engine* ropelab_engine() {
    static ropelab::TorchEngine engine;
    return &engine;
}
