#include "ui/figure/polyline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace ropelab::ui {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class Clipper {
 public:
    Clipper(const AxisScale& x, const AxisScale& y, Polyline& out) : m_x(x), m_y(y), m_out(out) {}

    void gap() {
        if (m_last && m_alone && inside(*m_last)) {
            begin(*m_last);  // a point between two gaps: a line of length 0 is visible by its round caps
            put(*m_last);
        }
        m_last.reset();
        m_connected = false;
    }

    void point(double x, double y) {
        const Point next{x, y, m_x.toDevice(x), m_y.toDevice(y)};
        if (!std::isfinite(next.deviceX) || !std::isfinite(next.deviceY)) {
            gap();
            return;
        }
        if (m_last) {
            segment(*m_last, next);
            m_alone = false;
        } else {
            m_alone = true;
        }
        m_last = next;
    }

 private:
    struct Point {
        double x, y, deviceX, deviceY;
    };

    bool inside(const Point& p) const { return m_x.contains(p.x) && m_y.contains(p.y); }

    /// Clips in device units (Liang–Barsky), where lines are straight on logarithmic axes, too.
    void segment(const Point& a, const Point& b) {
        double from = 0;
        double to = 1;
        const double dx = b.deviceX - a.deviceX;
        const double dy = b.deviceY - a.deviceY;
        const std::array<std::pair<double, double>, 4> borders = {
            std::pair{-dx, a.deviceX}, {dx, m_x.length - a.deviceX}, {-dy, a.deviceY}, {dy, m_y.length - a.deviceY}};
        for (const auto& [direction, space] : borders) {
            if (direction == 0) {
                if (space < 0) {
                    m_connected = false;
                    return;
                }
            } else if (direction < 0) {
                from = std::max(from, space / direction);
            } else {
                to = std::min(to, space / direction);
            }
        }
        if (from > to) {
            m_connected = false;
            return;
        }
        const Point start = from > 0 ? between(a, dx, dy, from) : a;
        const Point end = to < 1 ? between(a, dx, dy, to) : b;
        if (!m_connected || from > 0) {
            begin(start);
        }
        put(end);
        m_connected = to >= 1;
    }

    Point between(const Point& a, double dx, double dy, double fraction) const {
        const double deviceX = a.deviceX + dx * fraction;
        const double deviceY = a.deviceY + dy * fraction;
        return {std::clamp(m_x.fromDevice(deviceX), m_x.minimum, m_x.maximum),
                std::clamp(m_y.fromDevice(deviceY), m_y.minimum, m_y.maximum), deviceX, deviceY};
    }

    void begin(const Point& p) {
        if (!m_out.x.isEmpty()) {
            m_out.x.append(std::max(m_out.x.last(), p.x));
            m_out.y.append(kNan);
        }
        put(p);
    }

    void put(const Point& p) {
        m_out.x.append(p.x);
        m_out.y.append(p.y);
    }

    const AxisScale& m_x;
    const AxisScale& m_y;
    Polyline& m_out;
    std::optional<Point> m_last;
    bool m_connected = false;
    bool m_alone = false;
};

}  // namespace

double AxisScale::toDevice(double value) const {
    if (logarithmic) {
        return value > 0 ? length * std::log(value / minimum) / std::log(maximum / minimum) : kNan;
    }
    const double position = length * (value - minimum) / (maximum - minimum);
    return reversed ? length - position : position;
}

double AxisScale::fromDevice(double position) const {
    const double fraction = reversed ? 1 - position / length : position / length;
    return logarithmic ? minimum * std::pow(maximum / minimum, fraction) : minimum + (maximum - minimum) * fraction;
}

Polyline drawable(const QList<double>& x, const QList<double>& y, const AxisScale& xScale, const AxisScale& yScale,
                  double columnWidth) {
    Polyline result;
    // The visible points and one more point on each side, because the lines to these points are visible.
    auto begin = std::lower_bound(x.begin(), x.end(), xScale.minimum) - x.begin();
    auto end = std::upper_bound(x.begin(), x.end(), xScale.maximum) - x.begin();
    begin = std::max<qsizetype>(0, begin - 1);
    end = std::min({x.size(), y.size(), static_cast<qsizetype>(end + 1)});

    Clipper clipper(xScale, yScale, result);
    const auto isDrawable = [&](qsizetype i) { return std::isfinite(y[i]) && (!yScale.logarithmic || y[i] > 0); };
    const auto column = [&](qsizetype i) { return std::floor(xScale.toDevice(x[i]) / columnWidth); };
    for (qsizetype i = begin; i < end;) {
        if (!isDrawable(i)) {
            clipper.gap();
            ++i;
            continue;
        }
        const double columnEnd = xScale.fromDevice((column(i) + 1) * columnWidth);
        qsizetype low = i;
        qsizetype high = i;
        qsizetype last = i;
        qsizetype next = i + 1;
        for (; next < end && isDrawable(next) && x[next] < columnEnd; ++next) {
            low = y[next] < y[low] ? next : low;
            high = y[next] > y[high] ? next : high;
            last = next;
        }
        // The ends of a piece are kept, too.
        const bool starts = i == begin || !isDrawable(i - 1);
        const bool ends = next == end || !isDrawable(next);
        qsizetype previous = -1;
        for (const qsizetype k : {starts ? i : -1, std::min(low, high), std::max(low, high), ends ? last : -1}) {
            if (k > previous) {
                clipper.point(x[k], y[k]);
                previous = k;
            }
        }
        i = next;
    }
    clipper.gap();
    for (QList<double>* each : {&result.x, &result.y})
        each->squeeze();  // of thousands of curves, the spare memory counts
    return result;
}

QList<double> spread(const QList<double>& wanted, double gap, double low, double high) {
    // After subtracting i·gap, "at least gap apart" becomes "not decreasing": isotonic regression by pool adjacent
    // violators.
    struct Block {
        double sum;
        qsizetype count;
        double mean() const { return sum / static_cast<double>(count); }
    };
    std::vector<Block> blocks;
    for (qsizetype i = 0; i < wanted.size(); ++i) {
        blocks.push_back({wanted[i] - static_cast<double>(i) * gap, 1});
        while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
            const Block last = blocks.back();
            blocks.pop_back();
            blocks.back().sum += last.sum;
            blocks.back().count += last.count;
        }
    }
    QList<double> result;
    const double top = std::max(low, high - static_cast<double>(std::max<qsizetype>(0, wanted.size() - 1)) * gap);
    for (const Block& block : blocks) {
        for (qsizetype i = 0; i < block.count; ++i) {
            const double place = std::clamp(block.mean(), low, top);
            result.append(place + static_cast<double>(result.size()) * gap);
        }
    }
    return result;
}

}  // namespace ropelab::ui
