#include "ui/probes/principal_components.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace ropelab::ui {

namespace {

/// A symmetric matrix that rotations of two axes turn into a diagonal one (Jacobi 1846); the columns of `axes` become
/// its eigenvectors.
class JacobiMatrix {
 public:
    JacobiMatrix(std::vector<double> values, std::size_t size)
        : values_(std::move(values)), axes_(size * size), n_(size) {
        for (std::size_t i = 0; i < n_; ++i) axes_[i * n_ + i] = 1;
    }

    void diagonalize() {
        constexpr int most_sweeps = 60;  // each halves the digits that are left, at the least
        for (int sweep = 0; sweep < most_sweeps && !is_diagonal(); ++sweep) {
            for (std::size_t p = 0; p < n_; ++p) {
                for (std::size_t q = p + 1; q < n_; ++q) remove(p, q);
            }
        }
    }
    double value(std::size_t i) const { return values_[i * n_ + i]; }
    std::vector<double> vector(std::size_t column) const {
        std::vector<double> result(n_);
        for (std::size_t i = 0; i < n_; ++i) result[i] = axes_[i * n_ + column];
        return result;
    }

 private:
    bool is_diagonal() const {
        double beside = 0;
        double along = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t j = 0; j < n_; ++j) {
                (i == j ? along : beside) += values_[i * n_ + j] * values_[i * n_ + j];
            }
        }
        return beside <= 1e-30 * along;
    }
    /// Rotates the axes p and q so that their covariance becomes 0.
    void remove(std::size_t p, std::size_t q) {
        const double covariance = values_[p * n_ + q];
        if (covariance == 0) return;
        const double ratio = (value(q) - value(p)) / (2 * covariance);
        const double tangent = std::copysign(1 / (std::abs(ratio) + std::sqrt(ratio * ratio + 1)), ratio);
        const double cosine = 1 / std::sqrt(tangent * tangent + 1);
        const double sine = tangent * cosine;
        for (std::size_t i = 0; i < n_; ++i) turn(values_[i * n_ + p], values_[i * n_ + q], cosine, sine);
        for (std::size_t i = 0; i < n_; ++i) turn(values_[p * n_ + i], values_[q * n_ + i], cosine, sine);
        for (std::size_t i = 0; i < n_; ++i) turn(axes_[i * n_ + p], axes_[i * n_ + q], cosine, sine);
    }
    static void turn(double& a, double& b, double cosine, double sine) {
        const double before = a;
        a = cosine * before - sine * b;
        b = sine * before + cosine * b;
    }

    std::vector<double> values_;
    std::vector<double> axes_;
    std::size_t n_;
};

}  // namespace

double PrincipalComponents::place(std::span<const double> vector, std::size_t direction) const {
    double place = 0;
    for (std::size_t i = 0; i < mean.size(); ++i) place += (vector[i] - mean[i]) * directions[direction][i];
    return place;
}

PrincipalComponents principal_components(std::span<const double> vectors, std::size_t dimension, std::size_t count) {
    if (dimension == 0 || vectors.empty() || vectors.size() % dimension != 0 || count > dimension) {
        throw std::invalid_argument(
            "principal_components: the values must be whole vectors, with at least as many dimensions as components");
    }
    const std::size_t rows = vectors.size() / dimension;
    PrincipalComponents result;
    result.mean.assign(dimension, 0);
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        result.mean[i % dimension] += vectors[i] / static_cast<double>(rows);
    }
    std::vector<double> covariance(dimension * dimension);
    for (std::size_t row = 0; row < rows; ++row) {
        const auto vector = vectors.subspan(row * dimension, dimension);
        for (std::size_t i = 0; i < dimension; ++i) {
            for (std::size_t j = 0; j < dimension; ++j) {
                covariance[i * dimension + j] +=
                    (vector[i] - result.mean[i]) * (vector[j] - result.mean[j]) / static_cast<double>(rows);
            }
        }
    }
    JacobiMatrix matrix(std::move(covariance), dimension);
    matrix.diagonalize();
    std::vector<std::size_t> order(dimension);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return matrix.value(a) > matrix.value(b); });
    double variance = 0;
    for (std::size_t i = 0; i < dimension; ++i) variance += matrix.value(i);
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<double> direction = matrix.vector(order[i]);
        const auto largest = std::max_element(direction.begin(), direction.end(),
                                              [](double a, double b) { return std::abs(a) < std::abs(b); });
        if (*largest < 0) {
            for (double& number : direction) number = -number;
        }
        result.directions.push_back(std::move(direction));
        result.shares.push_back(variance > 0 ? std::max(0.0, matrix.value(order[i])) / variance : 0);
    }
    return result;
}

}  // namespace ropelab::ui
