#include "core/stats/spectrum.h"

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <new>
#include <string>

#include "core/base/error.h"

namespace ropelab {

namespace {

struct Free {
    void operator()(void* memory) const { fftw_free(memory); }
};

/// For creating and destroying plans, which FFTW does not allow in several threads at once; executing needs no lock.
std::mutex& plans_mutex() {
    static std::mutex mutex;
    return mutex;
}

class FourierPlan {
 public:
    FourierPlan(int count, double* from, fftw_complex* to) {
        const std::lock_guard lock(plans_mutex());
        // FFTW_ESTIMATE does not measure, so the plan and the rounding errors are the same on every call.
        plan_ = fftw_plan_dft_r2c_1d(count, from, to, FFTW_ESTIMATE);
        if (plan_ == nullptr) throw std::bad_alloc();
    }
    ~FourierPlan() {
        const std::lock_guard lock(plans_mutex());
        fftw_destroy_plan(plan_);
    }
    FourierPlan(const FourierPlan&) = delete;
    FourierPlan& operator=(const FourierPlan&) = delete;

    void execute() const { fftw_execute(plan_); }

 private:
    fftw_plan plan_ = nullptr;
};

}  // namespace

std::vector<double> kernel_spectrum(std::span<const double> kernel) {
    if (kernel.empty()) return {};
    constexpr std::size_t max_distances = std::size_t{1} << 30;
    if (kernel.size() > max_distances) {
        throw BadInput("The kernel K(Δ) has " + std::to_string(kernel.size()) +
                       " distances, but its spectrum can be computed for at most " + std::to_string(max_distances) +
                       ".");
    }
    const std::size_t bins = kernel.size() / 2 + 1;
    const std::unique_ptr<double, Free> from(fftw_alloc_real(kernel.size()));
    const std::unique_ptr<fftw_complex, Free> to(fftw_alloc_complex(bins));
    if (!from || !to) throw std::bad_alloc();
    const FourierPlan plan(static_cast<int>(kernel.size()), from.get(), to.get());
    std::ranges::copy(kernel, from.get());
    plan.execute();

    const double half = static_cast<double>(kernel.size()) / 2.0;
    std::vector<double> spectrum(bins);
    for (std::size_t j = 0; j < bins; ++j) {
        // A cosine is in two of all bins, j and count − j, which are one bin for 0 and for count/2.
        const bool isOne = j == 0 || 2 * j == kernel.size();
        spectrum[j] = std::hypot(to.get()[j][0], to.get()[j][1]) / (isOne ? 2 * half : half);
    }
    return spectrum;
}

}  // namespace ropelab
