#include "core/engine/operations/products.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/numbers.h"
#include "core/engine/operations/own_passes.h"
#include "core/kernels/kernels.h"

namespace ropelab {

namespace {

// What decides on bits and speed: LibTorch's function, sizes, transposed factors, threads.
using Shape = std::array<std::int64_t, 7>;

Shape shape_of(const torch::Tensor& left, const torch::Tensor& right, bool by_run) {
    return {by_run,
            left.size(1),
            right.size(2),
            left.size(2),
            left.stride(2) == 1,
            right.stride(2) == 1,
            at::in_parallel_region() ? 1 : at::get_num_threads()};
}

enum class Kernel { library, library_alone, own };
constexpr std::array<const char*, 3> kernel_words = {"LibTorch", "LibTorch by one thread", "own kernel"};

std::string words_of(const Shape& shape) {
    return "product, by run, rows, columns, depth, plain left, plain right, threads: " +
           joined(shape, " ", [](std::int64_t number) { return std::to_string(number); });
}

// The kernels of shapes.
class Choices {
 public:
    std::optional<Kernel> find(const Shape& shape) {
        const std::lock_guard lock(mutex_);
        const auto found = kernels_.find(shape);
        if (found != kernels_.end()) return found->second;
        // Experts multiply other numbers of rows in every step.
        constexpr std::size_t most_shapes = 256;
        if (kernels_.size() < most_shapes) return std::nullopt;
        constexpr std::int64_t narrow = 64;  // bits of up to 27 rows were seen to depend on the threads
        return std::min(shape[1], shape[2]) < narrow ? Kernel::library_alone : Kernel::library;
    }
    void set(const Shape& shape, Kernel kernel) {
        const std::lock_guard lock(mutex_);
        kernels_[shape] = kernel;
    }

 private:
    std::mutex mutex_;
    std::map<Shape, Kernel> kernels_;
};

kernels::Factor factor(const torch::Tensor& matrices, std::int64_t run) {
    return {row(matrices, run), matrices.stride(1), matrices.stride(2)};
}

torch::Tensor own_product(const torch::Tensor& left, const torch::Tensor& right) {
    const torch::Tensor result = torch::empty({left.size(0), left.size(1), right.size(2)}, left.options());
    const auto of_run = [&](std::int64_t run) {
        return kernels::Product{left.size(1),      right.size(2),      left.size(2),
                                factor(left, run), factor(right, run), row(result, run)};
    };
    ROPELAB_OWN_PASS("product");
    for_each_run(left.size(0), of_run(0).parts(), 1, [&](std::int64_t run, std::int64_t first, std::int64_t last) {
        kernels::multiply(of_run(run), first, last);
    });
    return result;
}

// By one thread. With several, Intel's library (MKL 2024) adds the terms of some products in another order: with 2
// threads those of 5 to 7 and 9 to 11 rows, with 3 those of 17 to 27 columns, with 4 those of 65 columns too.
template <typename Library>
torch::Tensor alone(Library library) {
    torch::Tensor result;
    at::parallel_for(0, 2, 1, [&](std::int64_t begin, std::int64_t) {
        if (begin == 0) result = library();
    });
    return result;
}

// The first product of a shape is computed in all ways, to compare bits and times.
template <typename Library>
torch::Tensor faster_product(const torch::Tensor& left, const torch::Tensor& right, bool by_run, Library library) {
    if (left.scalar_type() != torch::kFloat32 || !has_own_passes(left) || left.numel() == 0) return library();
    static auto* choices = new Choices;  // never destroyed, because threads may multiply until the program ends
    const Shape shape = shape_of(left, right, by_run);
    const auto by = [&](Kernel kernel) {
        return kernel == Kernel::own       ? own_product(left, right)
               : kernel == Kernel::library ? library()
                                           : alone(library);
    };
    if (const std::optional<Kernel> chosen = choices->find(shape)) return by(*chosen);
    const torch::Tensor result = alone(library);
    // Zeros, as of weights that begin with them, agree in every order of summation, and NaN never does. aminmax returns
    // NaN if there is one; isfinite would store a copy of all numbers.
    const auto [least, largest] = torch::aminmax(result);
    if (2 * result.count_nonzero().item<std::int64_t>() < result.numel() || !std::isfinite(least.item<float>()) ||
        !std::isfinite(largest.item<float>()))
        return result;
    const std::string work = words_of(shape);
    if (const std::optional<std::string> known = known_choice(work)) {
        const auto word = std::find(kernel_words.begin(), kernel_words.end(), *known);
        const auto kernel = static_cast<Kernel>(word - kernel_words.begin());
        if (word != kernel_words.end() && torch::equal(by(kernel), result)) {
            choices->set(shape, kernel);
            return result;
        }
    }
    const auto best_seconds = [&](Kernel kernel) {
        constexpr int attempts = 3;
        constexpr double long_seconds = 0.02;  // one attempt suffices
        double best = std::numeric_limits<double>::infinity();
        for (int attempt = 0; attempt < attempts && (attempt == 0 || best < long_seconds); ++attempt) {
            const auto begin = std::chrono::steady_clock::now();
            const torch::Tensor computed = by(kernel);
            best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
            if (!torch::equal(computed, result)) return std::numeric_limits<double>::infinity();
        }
        return best;
    };
    // Chance on a busy machine must not decide between nearly equal times.
    constexpr double least_gain = 1.05;
    const double library_seconds = best_seconds(Kernel::library);
    const bool splits = std::isinf(library_seconds);
    const double seconds = splits ? best_seconds(Kernel::library_alone) : library_seconds;
    const Kernel of_library = splits ? Kernel::library_alone : Kernel::library;
    const Kernel chosen = best_seconds(Kernel::own) < least_gain * seconds ? Kernel::own : of_library;
    choices->set(shape, chosen);
    add_choices({{work, kernel_words[static_cast<std::size_t>(chosen)]}});
    return result;
}

struct Known {
    std::mutex mutex;
    KernelChoices choices;
};
Known& process = *new Known;  // never destroyed, as the choices above

}  // namespace

KernelChoices known_choices() {
    const std::lock_guard lock(process.mutex);
    return process.choices;
}

std::optional<std::string> known_choice(const std::string& work) {
    const KernelChoices choices = known_choices();
    const auto found = choices.find(work);
    return found == choices.end() ? std::nullopt : std::optional(found->second);
}

void add_choices(const KernelChoices& choices) {
    const std::lock_guard lock(process.mutex);
    for (const auto& [work, way] : choices) process.choices[work] = way;
}

torch::Tensor product(const torch::Tensor& left, const torch::Tensor& right) {
    return faster_product(left, right, false, [&] { return torch::bmm(left, right); });
}

torch::Tensor product_by_run(const torch::Tensor& left, const torch::Tensor& right) {
    return faster_product(left, right, true, [&] {
        torch::Tensor result = torch::empty({left.size(0), left.size(1), right.size(2)}, left.options());
        for (std::int64_t run = 0; run < left.size(0); ++run) {
            torch::Tensor out = result.select(0, run);
            torch::mm_out(out, left.select(0, run), right.select(0, run));
        }
        return result;
    });
}

}  // namespace ropelab
