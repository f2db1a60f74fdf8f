#include "core/stats/least_squares.h"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace ropelab {

namespace {

using FitRows = std::vector<std::vector<double>>;

constexpr double least_independence = 0.001;  // part of a column's variance that other columns must leave

// Columns have length 1; with the lower Cholesky factor of their correlation matrix.
struct ScaledColumns {
    std::vector<double> means, lengths;
    FitRows rows;
    FitRows factor;
    std::optional<std::size_t> collinear;
};

void scale_columns(ScaledColumns& columns, const FitRows& rows) {
    const std::size_t width = rows.front().size();
    columns.rows = rows;
    for (std::size_t j = 0; j < width; ++j) {
        double sum = 0;
        for (const auto& row : rows) sum += row[j];
        const double mean = sum / static_cast<double>(rows.size());
        double squares = 0;
        for (const auto& row : rows) squares += (row[j] - mean) * (row[j] - mean);
        // A column without variance stays 0, which the factorization below finds to be collinear.
        const double rounding = 1e-12 * std::abs(mean) * std::sqrt(static_cast<double>(rows.size()));
        const double length = std::sqrt(squares);
        for (auto& row : columns.rows) row[j] = length > rounding ? (row[j] - mean) / length : 0;
        columns.means.push_back(mean);
        columns.lengths.push_back(length);
    }
}

// Column by column. The square of a diagonal element is the part of the variance that the columns before it leave.
void factorize(ScaledColumns& columns) {
    const std::size_t width = columns.means.size();
    columns.factor.assign(width, std::vector<double>(width, 0));
    FitRows& factor = columns.factor;
    for (std::size_t i = 0; i < width; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = 0;
            for (const auto& row : columns.rows) sum += row[i] * row[j];
            for (std::size_t k = 0; k < j; ++k) sum -= factor[i][k] * factor[j][k];
            if (j < i) {
                factor[i][j] = sum / factor[j][j];
            } else if (sum < least_independence) {
                columns.collinear = i;
                return;
            } else {
                factor[i][i] = std::sqrt(sum);
            }
        }
    }
}

ScaledColumns scaled_columns(const FitRows& rows) {
    ScaledColumns columns;
    if (rows.empty()) return columns;
    scale_columns(columns, rows);
    factorize(columns);
    return columns;
}

// factor·factorᵀ·x = right.
std::vector<double> solved(const FitRows& factor, std::vector<double> right) {
    const std::size_t width = right.size();
    for (std::size_t i = 0; i < width; ++i) {
        for (std::size_t k = 0; k < i; ++k) right[i] -= factor[i][k] * right[k];
        right[i] /= factor[i][i];
    }
    for (std::size_t i = width; i-- > 0;) {
        for (std::size_t k = i + 1; k < width; ++k) right[i] -= factor[k][i] * right[k];
        right[i] /= factor[i][i];
    }
    return right;
}

}  // namespace

double LinearFit::variance() const {
    const double degrees = degrees_of_freedom();
    return degrees > 0 ? residual_sum / degrees : std::numeric_limits<double>::quiet_NaN();
}

double LinearFit::at(std::span<const double> row) const {
    double result = intercept;
    for (std::size_t j = 0; j < slopes.size(); ++j) result += slopes[j] * row[j];
    return result;
}

double LinearFit::leverage(std::span<const double> row) const {
    double result = 1 / static_cast<double>(n);
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        for (std::size_t j = 0; j < slopes.size(); ++j) {
            result += (row[i] - means[i]) / lengths[i] * inverse[i][j] * (row[j] - means[j]) / lengths[j];
        }
    }
    return result;
}

double LinearFit::slope_error(std::size_t column) const {
    return std::sqrt(variance() * inverse[column][column]) / lengths[column];
}

double LinearFit::intercept_error() const {
    return std::sqrt(variance() * leverage(std::vector<double>(slopes.size(), 0.0)));
}

std::optional<std::size_t> collinear_column(const FitRows& rows) {
    return scaled_columns(rows).collinear;
}

std::optional<LinearFit> fit_linear(const FitRows& rows, std::span<const double> y) {
    if (rows.size() != y.size()) {
        throw BadInput("A fit needs equal numbers of rows and values, but there are " + std::to_string(rows.size()) +
                       " and " + std::to_string(y.size()) + ".");
    }
    if (rows.empty()) return std::nullopt;
    ScaledColumns columns = scaled_columns(rows);
    if (columns.collinear) return std::nullopt;
    const std::size_t width = columns.means.size();
    LinearFit fit;
    fit.n = y.size();
    double mean = 0;
    for (const double value : y) mean += value / static_cast<double>(fit.n);
    std::vector<double> products(width, 0.0);
    for (std::size_t i = 0; i < fit.n; ++i) {
        for (std::size_t j = 0; j < width; ++j) products[j] += columns.rows[i][j] * (y[i] - mean);
    }
    const std::vector<double> scaled_slopes = solved(columns.factor, products);
    fit.intercept = mean;
    for (std::size_t j = 0; j < width; ++j) {
        fit.slopes.push_back(scaled_slopes[j] / columns.lengths[j]);
        fit.intercept -= fit.slopes[j] * columns.means[j];
        std::vector<double> unit(width, 0.0);
        unit[j] = 1;
        fit.inverse.push_back(solved(columns.factor, unit));
    }
    for (std::size_t i = 0; i < fit.n; ++i) {
        double residual = y[i] - mean;
        for (std::size_t j = 0; j < width; ++j) residual -= scaled_slopes[j] * columns.rows[i][j];
        fit.residual_sum += residual * residual;
        fit.total_sum += (y[i] - mean) * (y[i] - mean);
    }
    fit.means = std::move(columns.means);
    fit.lengths = std::move(columns.lengths);
    return fit;
}

namespace {

constexpr std::size_t fewest_values = 4;  // a parabola passes through any three

double average_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

// Subtracts the mean. Returns the size before: the sum of the absolute values of mean and first value.
double centered(std::vector<double>& values) {
    const double mean = average_of(values);
    const double size = std::abs(mean) + std::abs(values.front());
    for (double& each : values) each -= mean;
    return size;
}

// The mean is 0 in each block, that of x equal. `size`: size before means were subtracted, for rounding errors.
std::optional<QuadraticFit> fit_centered(std::vector<double> linear, const std::vector<double>& values, double size,
                                         std::int64_t blocks) {
    if (std::set<double>(linear.begin(), linear.end()).size() < fewest_values) return std::nullopt;
    const auto n = static_cast<double>(values.size());
    const double center = average_of(linear);
    for (double& each : linear) each -= center;
    // d and d² − α d − β of d = x − x̄ are orthogonal on these points, so that their coefficients are uncorrelated.
    std::vector<double> squares;
    for (const double d : linear) squares.push_back(d * d);
    const double linear_norm = product(linear, linear);
    const double alpha = product(linear, squares) / linear_norm;
    const double beta = linear_norm / n;
    std::vector<double> quadratic;
    for (const double d : linear) quadratic.push_back(d * d - alpha * d - beta);
    const double quadratic_norm = product(quadratic, quadratic);
    const double slope = product(linear, values) / linear_norm;
    const double c = product(quadratic, values) / quadratic_norm;
    double residual = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double off = values[i] - slope * linear[i] - c * quadratic[i];
        residual += off * off;
    }
    const double rounding = 10 * std::numeric_limits<double>::epsilon() * size;
    if (!(residual > n * rounding * rounding)) return std::nullopt;

    QuadraticFit fit;
    fit.n = static_cast<std::int64_t>(values.size());
    fit.blocks = blocks;
    fit.degrees_of_freedom = n - 2 - static_cast<double>(blocks);
    const double variance = residual / fit.degrees_of_freedom;
    fit.f = (slope * slope * linear_norm + c * c * quadratic_norm) / 2 / variance;
    fit.p = boost::math::cdf(boost::math::complement(boost::math::fisher_f(2, fit.degrees_of_freedom), fit.f));
    const boost::math::students_t student(fit.degrees_of_freedom);
    const double quantile = boost::math::quantile(student, 0.975);
    const double error = std::sqrt(variance / quadratic_norm);
    fit.curvature = {c, c - quantile * error, c + quantile * error};
    fit.curvature_p = 2 * boost::math::cdf(boost::math::complement(student, std::abs(c) / error));
    fit.vertex = center + alpha / 2 - slope / c / 2;
    // Fieller's interval of slope/c: all ratios r for which slope − r c is not significantly different from 0.
    const double leading = c * c - quantile * quantile * variance / quadratic_norm;
    const double rest = slope * slope - quantile * quantile * variance / linear_norm;
    if (leading > 0) {
        const double half = slope * c;
        const double root = std::sqrt(half * half - leading * rest);
        fit.vertex_interval = IntervalEstimate{fit.vertex, center + alpha / 2 - (half + root) / leading / 2,
                                               center + alpha / 2 - (half - root) / leading / 2};
    }
    return fit;
}

}  // namespace

std::optional<QuadraticFit> fit_quadratic(std::span<const double> x, std::span<const double> y) {
    if (x.size() != y.size()) {
        throw BadInput("A fit needs equal numbers of x and y values, but there are " + std::to_string(x.size()) +
                       " and " + std::to_string(y.size()) + ".");
    }
    std::vector<double> linear;
    std::vector<double> values;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
        linear.push_back(x[i]);
        values.push_back(y[i]);
    }
    if (values.empty()) return std::nullopt;
    const double size = centered(values);
    return fit_centered(std::move(linear), values, size, 1);
}

std::optional<QuadraticFit> fit_quadratic_in_blocks(std::span<const double> x, std::span<const std::vector<double>> y) {
    if (y.empty()) throw BadInput("A fit in blocks needs one block or more.");
    std::vector<double> linear;
    std::vector<double> values;
    double size = 0;
    for (std::vector<double> block : y) {
        if (block.size() != x.size()) {
            throw BadInput("Each block of a fit needs one value for each of the " + std::to_string(x.size()) +
                           " x values, but one has " + std::to_string(block.size()) + ".");
        }
        if (block.empty()) return std::nullopt;
        size = std::max(size, centered(block));
        linear.insert(linear.end(), x.begin(), x.end());
        values.insert(values.end(), block.begin(), block.end());
    }
    return fit_centered(std::move(linear), values, size, std::ssize(y));
}

}  // namespace ropelab
