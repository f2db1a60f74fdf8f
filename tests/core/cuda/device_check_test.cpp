// Tests of the device check. Faults are injected into the emulated kernels; the check must disable the right part, and
// its message must name the kernel.
#include "core/train/device_check.h"

#include <gtest/gtest.h>

#include <map>

#include "core/spec/error.h"
#include "tests/core/cuda/device_memory.h"
#include "tests/core/cuda/emulated_device.h"

namespace ropelab {
namespace {

using cuda::device_is_here;
using Outcome = DeviceCheck::Outcome;

enum class Fault { none, refused, sticky, factor, nan, overrun, unrepeatable };
constexpr std::array<Fault, 6> faults = {Fault::refused, Fault::sticky,  Fault::factor,
                                         Fault::nan,     Fault::overrun, Fault::unrepeatable};

// The fault that the selected kernel has.
Fault fault = Fault::none;
int calls = 0;
bool stuck = false;

// The output array of a kernel.
struct Written {
    void* numbers;
    std::int64_t count;
    cuda::Type type = cuda::Type::float32;
    bool whole = false;    // true for int64
    bool precise = false;  // true for float64
};

template <typename T>
T number(double value) {
    if constexpr (std::is_same_v<T, c10::BFloat16>) {
        return {static_cast<float>(value)};
    } else {
        return static_cast<T>(value);
    }
}

template <typename T>
void spoil_numbers(T* numbers, std::int64_t count, Fault how) {
    std::int64_t largest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        if (std::abs(static_cast<double>(numbers[i])) > std::abs(static_cast<double>(numbers[largest]))) largest = i;
    }
    const double value = static_cast<double>(numbers[largest]);
    if (how == Fault::factor) numbers[largest] = number<T>(1.1 * value + (std::is_integral_v<T> ? 1 : 0));
    if (how == Fault::nan) numbers[largest] = number<T>(std::is_integral_v<T> ? -9e9 : static_cast<double>(NAN));
    if (how == Fault::overrun) numbers[count] = number<T>(1);
    if (how == Fault::unrepeatable) {
        numbers[largest] = number<T>(value * (1 + 1e-5 * calls) + (std::is_integral_v<T> ? calls : 0));
    }
}
void spoil(const Written& written) {
    ++calls;
    if (written.whole) return spoil_numbers(static_cast<std::int64_t*>(written.numbers), written.count, fault);
    if (written.precise) return spoil_numbers(static_cast<double*>(written.numbers), written.count, fault);
    if (written.type == cuda::Type::float32) {
        return spoil_numbers(static_cast<float*>(written.numbers), written.count, fault);
    }
    // LibTorch's bfloat16 type has the same representation.
    spoil_numbers(static_cast<c10::BFloat16*>(written.numbers), written.count, fault);
}

int spoiled(int error, const Written& written) {
    if (fault == Fault::refused) return 1;
    if (fault == Fault::sticky) stuck = true;
    if (stuck) return 700;
    if (error == 0 && fault != Fault::none && written.numbers) spoil(written);
    return error;
}

std::int64_t rows_of(std::int64_t a, std::int64_t b, std::int64_t c = 1) {
    return a * b * c;
}

struct Victim {
    const char* name;
    DevicePart part;
    void (*break_it)(cuda::Kernels& table);
};

const cuda::Kernels& real() {
    return *ropelab_cuda_kernels();
}

// Lists each kernel with the output array into which the fault is injected.
const std::vector<Victim>& victims() {
    using namespace cuda;
    static const std::vector<Victim> all = {
        {"rotate_qkv", DevicePart::rotation,
         [](Kernels& t) {
             t.rotate_qkv = [](const RotateQkv& a, Stream s) {
                 const auto width = (a.heads + 2 * a.key_value_heads) * a.head_dim;
                 return spoiled(real().rotate_qkv(a, s), {a.qkv, rows_of(a.runs, a.rows, width), a.type});
             };
         }},
        {"residual_norm", DevicePart::norm,
         [](Kernels& t) {
             t.residual_norm = [](const ResidualNorm& a, Stream s) {
                 return spoiled(real().residual_norm(a, s), {a.normed, rows_of(a.runs, a.rows, a.columns), a.type});
             };
         }},
        {"residual_norm_backward", DevicePart::norm,
         [](Kernels& t) {
             t.residual_norm_backward = [](const ResidualNormBackward& a, Stream s) {
                 return spoiled(real().residual_norm_backward(a, s), {a.grad_x, rows_of(a.runs, a.rows, a.columns)});
             };
         }},
        {"drop_out", DevicePart::dropout,
         [](Kernels& t) {
             t.drop_out = [](const DropOut& a, Stream s) {
                 return spoiled(real().drop_out(a, s), {a.out, rows_of(a.runs, a.size), a.type});
             };
         }},
        {"causal_softmax", DevicePart::softmax,
         [](Kernels& t) {
             t.causal_softmax = [](const CausalSoftmax& a, Stream s) {
                 const int error = real().causal_softmax(a, s);
                 const Written written{a.dropped ? a.dropped : a.scores, rows_of(a.runs, a.rows, a.time), a.type};
                 // The scores are in memory of LibTorch, so the test must not write beyond its end.
                 return fault == Fault::overrun && !a.dropped ? error : spoiled(error, written);
             };
         }},
        {"causal_softmax_backward", DevicePart::softmax,
         [](Kernels& t) {
             t.causal_softmax_backward = [](const CausalSoftmaxBackward& a, Stream s) {
                 const int error = real().causal_softmax_backward(a, s);
                 if (fault == Fault::overrun) {
                     return a.dropped ? spoiled(error, {a.dropped, rows_of(a.runs, a.rows, a.time), a.type}) : error;
                 }
                 return spoiled(error, {a.gradient, rows_of(a.runs, a.rows, a.time), a.type});
             };
         }},
        {"gelu_curve", DevicePart::activation,
         [](Kernels& t) {
             t.gelu_curve = [](const GeluCurve& a, Stream s) {
                 return spoiled(real().gelu_curve(a, s), {a.out, a.count, a.type});
             };
         }},
        {"gelu_curve_backward", DevicePart::activation,
         [](Kernels& t) {
             t.gelu_curve_backward = [](const GeluCurveBackward& a, Stream s) {
                 return spoiled(real().gelu_curve_backward(a, s), {a.grad_in, a.count, a.type});
             };
         }},
        {"cross_entropy", DevicePart::loss,
         [](Kernels& t) {
             t.cross_entropy = [](const CrossEntropy& a, Stream s) {
                 return spoiled(real().cross_entropy(a, s), {a.losses, a.rows});
             };
         }},
        {"cross_entropy_backward", DevicePart::loss,
         [](Kernels& t) {
             t.cross_entropy_backward = [](const CrossEntropyBackward& a, Stream s) {
                 return spoiled(real().cross_entropy_backward(a, s), {a.gradient, a.rows * a.padded, a.type});
             };
         }},
        {"look_up", DevicePart::embedding,
         [](Kernels& t) {
             t.look_up = [](const LookUp& a, Stream s) {
                 return spoiled(real().look_up(a, s), {a.out, rows_of(a.runs, a.rows, a.columns)});
             };
         }},
        {"embedding_gradient", DevicePart::embedding,
         [](Kernels& t) {
             t.embedding_gradient = [](const EmbeddingGradient& a, Stream s) {
                 return spoiled(real().embedding_gradient(a, s),
                                {a.grad_table, rows_of(a.runs, a.vocabulary, a.columns)});
             };
         }},
        {"square_sums", DevicePart::optimizer,
         [](Kernels& t) {
             t.square_sums = [](const SquareSums& a, Stream s) {
                 return spoiled(real().square_sums(a, s),
                                {.numbers = a.parts, .count = a.runs * square_parts(a.count), .precise = true});
             };
         }},
        {"prepare_update", DevicePart::optimizer,
         [](Kernels& t) {
             t.prepare_update = [](const PrepareUpdate& a, Stream s) {
                 return spoiled(real().prepare_update(a, s), {a.norms, a.runs});
             };
         }},
        {"adamw", DevicePart::optimizer,
         [](Kernels& t) {
             t.adamw = [](const AdamW& a, Stream s) {
                 return spoiled(real().adamw(a, s), {a.weights, rows_of(a.runs, a.count)});
             };
         }},
        {"gather_batch", DevicePart::batches,
         [](Kernels& t) {
             t.gather_batch = [](const GatherBatch& a, Stream s) {
                 return spoiled(real().gather_batch(a, s),
                                {.numbers = a.x, .count = rows_of(a.runs, a.batch, a.context), .whole = true});
             };
         }},
        {"add_rows", DevicePart::batches,
         [](Kernels& t) {
             t.add_rows = [](const AddRows& a, Stream s) {
                 return spoiled(real().add_rows(a, s), {.numbers = a.totals, .count = a.runs, .precise = true});
             };
         }},
    };
    return all;
}

struct Found {
    DeviceTrust trust = DeviceTrust::everything();
    std::string failures;  // details of the failed checks
    std::size_t checks = 0;
};

class DeviceCheckTest : public testing::Test {
 protected:
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }
    void TearDown() override {
        fault = Fault::none;
        stuck = false;
        set_device_kernels(torch::kCPU, {});
    }
    static Found check(const cuda::Kernels& table, const CudaGraphs* graphs, std::optional<DevicePart> only = {}) {
        calls = 0;
        stuck = false;
        Found found;
        check_device(torch::kCPU, &table, graphs,
                     [&](const DeviceCheck& one) {
                         apply(one, found.trust);
                         if (one.outcome != Outcome::started) ++found.checks;
                         if (one.outcome == Outcome::failed) found.failures += one.detail + "\n";
                     },
                     {.timed = false, .only = only});
        return found;
    }
    static const CudaGraphs* graphs(EmulatedDevice::Graphs how) { return EmulatedDevice::graphs_that(how); }
};

TEST_F(DeviceCheckTest, CorrectKernelsPassEveryCheck) {
    const Found found = check(real(), graphs(EmulatedDevice::Graphs::replayed));
    EXPECT_EQ(found.failures, "");
    EXPECT_EQ(found.trust, DeviceTrust::everything());
    EXPECT_GT(found.checks, 80U);
    EXPECT_FALSE(has_device_kernels(torch::kCPU));
}

TEST_F(DeviceCheckTest, FailingOrStaleGraphsAreDisabled) {
    for (const auto how : {EmulatedDevice::Graphs::refused, EmulatedDevice::Graphs::stale}) {
        const Found found = check(real(), graphs(how));
        EXPECT_EQ(to_text(found.trust), "all but graphs");
        EXPECT_NE(found.failures.find("by graphs"), std::string::npos) << found.failures;
    }
}

TEST_F(DeviceCheckTest, EveryFaultOfEveryKernelDisablesItsPart) {
    for (const Victim& victim : victims()) {
        cuda::Kernels table = real();
        victim.break_it(table);
        for (const Fault how : faults) {
            SCOPED_TRACE(testing::Message() << victim.name << ", fault " << static_cast<int>(how));
            fault = how;
            const Found found = check(table, nullptr, victim.part);
            EXPECT_FALSE(found.trust.trusts(victim.part));
            EXPECT_TRUE(found.trust.device);
            EXPECT_FALSE(found.failures.empty());
        }
        fault = Fault::none;
    }
}

TEST(Difference, NamesTheElementWithTheLargestDifference) {
    const torch::Tensor wanted = torch::ones({4}, torch::kFloat64);
    torch::Tensor got = wanted.clone();
    EXPECT_EQ(difference(got, wanted, 1e-3), "");
    got[2] = 1.1;
    EXPECT_EQ(difference(got, wanted, 1e-3), "number 2 is 1.1 instead of 1");
    got[1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(difference(got, wanted, 1e-3), "a number is not finite");
    EXPECT_EQ(difference(got.narrow(0, 0, 3), wanted, 1e-3), "the shape is wrong");
}

}  // namespace
}  // namespace ropelab
