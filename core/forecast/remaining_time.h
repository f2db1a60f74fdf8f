#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/base/numbers.h"

namespace ropelab {

/// How long a sweep still takes, from the speed at which it trained lately: other programs slow it down and let it go.
class RemainingTime {
 public:
    struct Range {
        double low = 0;
        double likely = 0;
        double high = 0;
    };

    /// `seconds` since the start, without pauses; `work` so far, in any unit. Where less work is done than before, the
    /// measurement begins anew.
    void add(double seconds, double work) {
        if (!std::isfinite(seconds) || !(work > 0)) return;
        if (!points_.empty() && (work < points_.back().work || seconds < points_.back().seconds)) points_.clear();
        // The newest point moves until it is far enough from the one before.
        if (points_.size() > 1 && points_.back().seconds - points_[points_.size() - 2].seconds < spacing) {
            points_.pop_back();
        }
        points_.push_back({seconds, work});
    }

    /// For `total` work. nullopt until half a second of progress was measured. The range spans what the speeds on
    /// average and lately predict with their scatter; it is wide at first and narrows with time.
    std::optional<Range> left(double total) const {
        if (points_.empty()) return std::nullopt;
        const Point& first = points_.front();
        const Point& last = points_.back();
        const double measured = last.seconds - first.seconds;
        if (measured < enough_seconds || last.work <= first.work) return std::nullopt;
        const double recent = std::min(measured, std::max(least_recent, recent_part * measured));
        const Point from = point_at(last.seconds - recent);
        const double average = pace(first, last);
        const double now = from.work < last.work ? pace(from, last) : average;
        // The scatter of the paces of equal parts of the recent time, in logarithms.
        std::vector<double> logs;
        Point before = from;
        for (int i = 1; i <= parts; ++i) {
            const Point here = i == parts ? last : point_at(last.seconds - recent * (parts - i) / parts);
            if (here.work <= before.work || here.seconds <= before.seconds) continue;
            logs.push_back(std::log(pace(before, here) / now));
            before = here;
        }
        double squares = 0;
        for (const double each : logs) squares += each * each;
        const auto n = static_cast<double>(logs.size());
        const double error = n < 2 ? 0.5 : std::min(0.5, std::sqrt(squares / (n * (n - 1))));
        // A tenth, because no machine keeps its speed exactly; more in the first seconds.
        const double factor = std::exp(2 * error + 0.1 + 0.3 / (1 + measured));
        const double rest = total - last.work;
        const double low = std::max(std::min(now / factor, average), now / widest);
        const double high = std::min(std::max(now * factor, average), now * widest);
        return Range{rest * low, rest * now, rest * high};
    }

 private:
    static constexpr double enough_seconds = 0.5;
    static constexpr double spacing = 0.2;       // seconds between two points
    static constexpr double recent_part = 0.25;  // of the measured time, whose speed counts
    static constexpr double least_recent = 4;    // seconds: some steps and an evaluation of a small sweep
    static constexpr int parts = 6;
    static constexpr double widest = 3;  // a wider range says nothing to anyone

    struct Point {
        double seconds;
        double work;
    };
    /// Seconds per unit of work.
    static double pace(const Point& a, const Point& b) { return (b.seconds - a.seconds) / (b.work - a.work); }
    const Point& point_at(double seconds) const {
        return *std::find_if(points_.begin(), points_.end() - 1,
                             [seconds](const Point& point) { return point.seconds >= seconds; });
    }

    std::deque<Point> points_;  // ascending
};

/// "40–55 s", "5–8 min", "50 s to 2 min", or one time if both ends round to it.
inline std::string duration_range_text(double low, double high) {
    const auto rounded = [](double seconds) {
        const double step = seconds < 20 ? 1 : seconds < 60 ? 5 : seconds < 600 ? 60 : 300;
        return step * std::max(1.0, std::round(seconds / step));
    };
    const auto words = [](double seconds) {
        const bool is_minutes = seconds >= 60 && seconds < 3600;
        return is_minutes ? std::to_string(std::lround(seconds / 60)) + " min" : duration_text(seconds);
    };
    low = rounded(low);
    high = std::max(low, rounded(high));
    if (low == high) return words(low);
    if ((low < 60) != (high < 60) || high >= 3600) return words(low) + " to " + words(high);
    const std::string number = words(low);
    return number.substr(0, number.find(' ')) + "–" + words(high);
}

}  // namespace ropelab
