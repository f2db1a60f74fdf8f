#include "ui/rooms/rotation/figures/scene_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/common/format.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

// The curve rotates each pair step by step, which is cheaper than a cos and a sin per distance. After this many steps
// the angle is computed directly again, so that rounding errors do not accumulate.
constexpr std::int64_t kExactInterval = 2048;

/// The terms of the logit: the products q_i·conj(k_i)/√d of the rotated pairs, times the squared attention factor.
/// The contribution of a pair at distance Δ is the real part of its product times e^{𝑖Δωᵢ}.
struct Parts {
    std::vector<std::complex<double>> products;
    std::vector<double> frequencies;
    double constant = 0;  // the sum of the terms that do not depend on the distance
};

Parts partsOf(const RotationScene& scene) {
    Parts parts;
    const double root = std::sqrt(static_cast<double>(scene.setup.head_dim));
    const double factor = scene.frequencies.attention_factor * scene.frequencies.attention_factor;
    for (int pair = 0; pair < scene.rotatedPairs(); ++pair) {
        parts.products.push_back(scene.query(pair) * std::conj(scene.key(pair)) * factor / root);
        parts.frequencies.push_back(scene.frequency(pair));
    }
    // The constant term comes from the unrotated pairs and channels: the logit at distance 0 minus the rotated pairs.
    const LogitSplit here = split_logit(scene.state.query, scene.state.key, 0, 0, scene.frequencies,
                                        scene.setup.partial, scene.setup.pairing);
    parts.constant = here.total;
    for (const auto& product : parts.products) {
        parts.constant -= product.real();
    }
    return parts;
}

double sumAt(const Parts& parts, double distance) {
    double sum = parts.constant;
    for (std::size_t i = 0; i < parts.products.size(); ++i) {
        const double angle = distance * parts.frequencies[i];
        sum += parts.products[i].real() * std::cos(angle) - parts.products[i].imag() * std::sin(angle);
    }
    return sum;
}

/// Collects the smallest and the largest logit of each stretch of `length` distances into a curve.
class Stretches {
 public:
    Stretches(LogitCurve& curve, std::int64_t length) : m_curve(curve), m_length(length) {}

    void add(std::int64_t distance, double logit) {
        if (!m_any || logit > m_curve.best) {
            m_any = true;
            m_curve.best = logit;
            m_curve.bestDistance = static_cast<double>(distance);
        }
        if (m_count == 0 || logit < m_low.logit) {
            m_low = {distance, logit};
        }
        if (m_count == 0 || logit > m_high.logit) {
            m_high = {distance, logit};
        }
        if (++m_count == m_length) {
            close();
        }
    }
    void close() {
        if (m_count == 0) {
            return;
        }
        const bool lowFirst = m_low.distance <= m_high.distance;
        push(lowFirst ? m_low : m_high);
        if (m_low.distance != m_high.distance) {
            push(lowFirst ? m_high : m_low);
        }
        m_count = 0;
    }

 private:
    struct Point {
        std::int64_t distance = 0;
        double logit = 0;
    };
    void push(const Point& point) {
        m_curve.distances.push_back(static_cast<double>(point.distance));
        m_curve.logits.push_back(point.logit);
    }

    LogitCurve& m_curve;
    std::int64_t m_length;
    std::int64_t m_count = 0;
    bool m_any = false;
    Point m_low;
    Point m_high;
};

QString count(double value) {
    return readableCount(value);
}

}  // namespace

std::int64_t strideWithin(const RotationScene& scene, std::int64_t budget) {
    const auto pairs = std::max<std::int64_t>(1, scene.rotatedPairs());
    const std::int64_t affordable = std::max<std::int64_t>(1, budget / pairs);
    return (scene.setup.context + affordable - 1) / affordable;
}

double logitAt(const RotationScene& scene, double distance) {
    return sumAt(partsOf(scene), distance);
}

LogitCurve logitCurve(const RotationScene& scene, std::int64_t stride, int stretches, const Cancelled& cancelled) {
    LogitCurve curve;
    curve.stride = std::max<std::int64_t>(1, stride);
    const Parts parts = partsOf(scene);
    const std::size_t pairs = parts.products.size();
    const std::int64_t count = (scene.setup.context + curve.stride - 1) / curve.stride;
    const std::int64_t length = std::max<std::int64_t>(1, count / std::max(1, stretches));
    Stretches gather(curve, length);

    std::vector<double> real(pairs);
    std::vector<double> imaginary(pairs);
    std::vector<double> cosine(pairs);
    std::vector<double> sine(pairs);
    for (std::size_t i = 0; i < pairs; ++i) {
        const double angle = static_cast<double>(curve.stride) * parts.frequencies[i];
        cosine[i] = std::cos(angle);
        sine[i] = std::sin(angle);
    }
    for (std::int64_t step = 0; step < count; ++step) {
        if (step % kExactInterval == 0) {
            if (cancelled && cancelled()) {
                curve.complete = false;
                break;
            }
            for (std::size_t i = 0; i < pairs; ++i) {
                const double angle = static_cast<double>(step * curve.stride) * parts.frequencies[i];
                const std::complex<double> at = parts.products[i] * std::polar(1.0, angle);
                real[i] = at.real();
                imaginary[i] = at.imag();
            }
        }
        double sum = parts.constant;
        for (std::size_t i = 0; i < pairs; ++i) {
            sum += real[i];
            const double next = real[i] * cosine[i] - imaginary[i] * sine[i];
            imaginary[i] = real[i] * sine[i] + imaginary[i] * cosine[i];
            real[i] = next;
        }
        gather.add(step * curve.stride, sum);
    }
    gather.close();

    const auto distance = static_cast<double>(scene.state.distance);
    const double atDistance = sumAt(parts, distance);
    // The aimed distance may fall between two strides. It wins a tie within rounding, because k was aimed at it.
    if (atDistance >= curve.best - 1e-12 * std::max(1.0, std::abs(curve.best))) {
        curve.best = atDistance;
        curve.bestDistance = distance;
    }
    const auto place = std::lower_bound(curve.distances.begin(), curve.distances.end(), distance);
    if (place == curve.distances.end() || *place != distance) {
        curve.logits.insert(curve.logits.begin() + (place - curve.distances.begin()), atDistance);
        curve.distances.insert(place, distance);
    }
    return curve;
}

QString aimText(const RotationScene& scene, const LogitCurve& curve) {
    if (scene.rotatedPairs() == 0) {
        return u"At fraction 0 no pair is rotated: the logit is the same at every distance, so no key makes the logit "
               "largest at a chosen distance."_s;
    }
    return u"The largest logit in the context is %1, at a distance of %2 tokens."_s.arg(readableNumber(curve.best),
                                                                                        count(curve.bestDistance));
}

Figure aimFigure(const RotationScene& scene, const LogitCurve& curve) {
    Figure figure = rotation::figure(u"aim"_s, scene);
    figure.x = {u"distance Δ = m − n"_s, u"tokens"_s, false, 0,
                static_cast<double>(std::max<std::int64_t>(1, scene.setup.context - 1))};
    figure.y.label = u"logit q·k/√d"_s;
    figure.summary = aimText(scene, curve);
    if (curve.stride > 1) {
        figure.note = u"logit computed every %1 tokens"_s.arg(groupedText(curve.stride));
        figure.settings.insert(u"distance step"_s, static_cast<qint64>(curve.stride));
    }
    if (scene.state.source == VectorSource::random)
        figure.note += (figure.note.isEmpty() ? u""_s : u"; "_s) + u"random q and k are aimed at no distance"_s;
    FigureCurve logit;
    logit.quantity = u"logit"_s;
    logit.ink = {Ink::Kind::rotated};
    logit.x = QList<double>(curve.distances.begin(), curve.distances.end());
    logit.y = QList<double>(curve.logits.begin(), curve.logits.end());
    figure.curves.push_back(std::move(logit));

    FigureCurve maximum;
    maximum.quantity = u"largest logit"_s;
    maximum.ink = {Ink::Kind::accent};
    maximum.shape = FigureCurve::Shape::points;
    maximum.pointPt = 7;
    maximum.x = {curve.bestDistance};
    maximum.y = {curve.best};
    figure.curves.push_back(std::move(maximum));

    const auto aimed = static_cast<double>(scene.state.distance);
    const auto distance = static_cast<double>(scene.state.m - scene.state.n);
    const QString both = distance == aimed ? u"m − n = "_s : QString();  // one line for both
    figure.verticalLines.push_back(
        {aimed,
         (scene.state.source == VectorSource::aimed ? u"aimed at r = %1%2"_s : u"%1r = %2, not aimed"_s)
             .arg(both, count(aimed)),
         {Ink::Kind::key},
         QString::fromLatin1(kAimHandle)});
    if (distance >= 0 && distance != aimed) {
        figure.verticalLines.push_back({distance, u"Δ = m − n = %1"_s.arg(count(distance)), {Ink::Kind::quiet}});
    }
    return figure;
}

}  // namespace ropelab::ui
