#include "core/stats/spectrum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <thread>

#include "core/rope/logit.h"

namespace ropelab {
namespace {

TEST(KernelSpectrum, PairWithAWholeNumberOfPeriodsHasAmplitudeOne) {
    const double count = 256;
    std::vector<double> frequencies;
    for (double periods : {3.0, 17.0, 100.0, 128.0}) frequencies.push_back(2 * std::numbers::pi * periods / count);
    const auto spectrum = kernel_spectrum(kernel(frequencies, 256));
    ASSERT_EQ(spectrum.size(), 129U);
    for (std::size_t j = 0; j < spectrum.size(); ++j) {
        EXPECT_NEAR(spectrum[j], j == 3 || j == 17 || j == 100 || j == 128 ? 1 : 0, 1e-9) << j;
    }
}

TEST(KernelSpectrum, AgreesWithTheDefinition) {
    for (std::size_t count : {1U, 2U, 97U, 256U}) {
        const auto values = kernel(frequencies({}).inverse_frequencies, count);
        const auto spectrum = kernel_spectrum(values);
        ASSERT_EQ(spectrum.size(), count / 2 + 1);
        for (std::size_t j = 0; j < spectrum.size(); ++j) {
            std::complex<double> sum = 0;
            for (std::size_t n = 0; n < count; ++n) {
                const double periods = static_cast<double>(j * n) / static_cast<double>(count);
                sum += std::polar(values[n], -2 * std::numbers::pi * periods);
            }
            const bool isOne = j == 0 || 2 * j == count;
            EXPECT_NEAR(spectrum[j], std::abs(sum) * (isOne ? 1 : 2) / static_cast<double>(count), 1e-9);
        }
    }
    EXPECT_TRUE(kernel_spectrum({}).empty());
    EXPECT_NEAR(kernel_spectrum(std::vector<double>(64, 5.0))[0], 5, 1e-9) << "five pairs of frequency 0";
}

TEST(KernelSpectrum, PairsWithoutACompletePeriodConcentrateAtFrequencyZero) {
    const Frequencies f = frequencies({.theta = 1e6});
    std::vector<double> slow;
    for (double frequency : f.inverse_frequencies) {
        if (2 * std::numbers::pi / frequency > 4 * 256) slow.push_back(frequency);
    }
    ASSERT_GT(slow.size(), 10U);
    const auto spectrum = kernel_spectrum(kernel(slow, 256));
    const auto pairs = static_cast<double>(slow.size());
    EXPECT_GT(spectrum[0], 0.5 * pairs);
    EXPECT_LE(spectrum[0], pairs) << "with frequency 0 it would be 1 per pair";
    for (std::size_t j = 10; j < spectrum.size(); ++j) EXPECT_LT(spectrum[j], 0.05 * spectrum[0]);
}

TEST(KernelSpectrum, CanBeCalledFromSeveralThreads) {
    const auto values = kernel(frequencies({}).inverse_frequencies, 1000);
    const auto expected = kernel_spectrum(values);
    std::vector<std::vector<double>> results(4);
    {
        std::vector<std::jthread> threads;
        for (auto& result : results) {
            threads.emplace_back([&] {
                for (int i = 0; i < 50; ++i) result = kernel_spectrum(values);
            });
        }
    }
    for (const auto& result : results) EXPECT_EQ(result, expected);
}

}  // namespace
}  // namespace ropelab
