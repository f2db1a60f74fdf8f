#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/stats/descriptive.h"

namespace ropelab {

/// y = intercept + Σ slopes[j]·x[j] with equal and independent errors. Source: Draper and Smith 1998, chapters 5 and 6.
struct LinearFit {
    std::size_t n = 0;  // number of points
    double intercept = 0;
    std::vector<double> slopes;  // one per column of x
    double residual_sum = 0;     // sum of squared residuals
    double total_sum = 0;        // sum of squared differences from the mean of y
    // The columns are centred and scaled to length 1 before they are fitted: x[j] = means[j] + lengths[j]·z[j].
    std::vector<double> means, lengths;
    std::vector<std::vector<double>> inverse;  // of the correlation matrix ZᵀZ

    /// n − number of coefficients, the intercept included.
    double degrees_of_freedom() const { return static_cast<double>(n) - static_cast<double>(slopes.size()) - 1; }
    /// Estimate for an error; NaN without a degree of freedom.
    double variance() const;
    double at(std::span<const double> row) const;
    /// Variance of the fitted y at a row of x, divided by that of an error; for a fitted point its leverage.
    double leverage(std::span<const double> row) const;
    /// Also for the intercept.
    double slope_error(std::size_t column) const;
    double intercept_error() const;
};

/// The first that the columns before it determine to 99.9 % of its variance (a variance inflation factor above 1,000);
/// nullopt if there is none. All rows have equal lengths.
std::optional<std::size_t> collinear_column(const std::vector<std::vector<double>>& rows);

/// With a constant. nullopt for a collinear column or no point. Throws BadInput if the numbers of rows and y differ.
std::optional<LinearFit> fit_linear(const std::vector<std::vector<double>>& rows, std::span<const double> y);

/// y = a + b·x + c·x², with equal and independent normal errors, against a constant.
struct QuadraticFit {
    std::int64_t n = 0;             // number of points
    std::int64_t blocks = 1;        // number of blocks, each with a constant of its own
    IntervalEstimate curvature;     // c, with the interval of Student's t distribution
    double curvature_p = 1;         // two-tailed p of c = 0
    double f = 0;                   // F statistic of the quadratic against a constant (per block)
    double degrees_of_freedom = 0;  // n − 2 − blocks, of F's denominator and of t; the numerator of F has 2
    double p = 1;                   // p of F
    double vertex = 0;              // x of the minimum (c > 0) or maximum (c < 0) of the fitted curve
    /// Fieller's; nullopt if it is unbounded, which is the case if the interval of c contains 0.
    std::optional<IntervalEstimate> vertex_interval;
};

/// Points with two finite numbers. nullopt if they have fewer than four different x or lie on the curve exactly. Throws
/// BadInput if the lengths differ. Source: Draper and Smith 1998, chapters 1 and 5; Fieller 1954.
std::optional<QuadraticFit> fit_quadratic(std::span<const double> x, std::span<const double> y);
/// One constant per block, y = a_block + b·x + c·x², where points of a block share an effect, as runs of equal seed:
/// randomized complete blocks. y[block] has one finite value for each x. nullopt as fit_quadratic. Throws BadInput if
/// there is no block or a block has another number of values than x. Source: Draper and Smith 1998, chapter 23.
std::optional<QuadraticFit> fit_quadratic_in_blocks(std::span<const double> x, std::span<const std::vector<double>> y);

}  // namespace ropelab
