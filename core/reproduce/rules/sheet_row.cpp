#include "core/reproduce/rules/sheet_row.h"

#include <array>
#include <cmath>

#include "core/results/result_group.h"
#include "core/settings/keys.h"

namespace ropelab {

std::string to_string(SheetVerdict verdict) {
    // in the order of the enumeration
    static constexpr std::array words = {"shown",          "baseline",  "unfinished",  "reproduced",
                                         "not reproduced", "undecided", "not testable"};
    return words.at(static_cast<std::size_t>(verdict));
}

std::string to_string(RowEffect::Scale scale) {
    if (scale == RowEffect::Scale::percent) return "percent";
    if (scale == RowEffect::Scale::ratio) return "ratio";
    return scale == RowEffect::Scale::proportion ? "proportion" : "proportion difference";
}

bool belongs(const RunSpec& spec, const GroupKeys& group) {
    return std::all_of(group.begin(), group.end(), [&](const auto& entry) {
        const Key& known = key(entry.first);
        RunSpec wanted = spec;
        known.set(wanted, parse_value(known, entry.second, spec));
        return known.get(wanted) == known.get(spec);
    });
}

std::string unit_of(const std::string& measure) {
    if (measure == extension_rise || measure == scaled_loss) return "nats";
    for (const Measure& known : measures()) {
        if (known.name == measure) return std::string(known.unit);
    }
    return {};
}

bool is_loss(const std::string& measure) {
    const std::string unit = unit_of(measure);
    return unit == "nats" || unit == "bits";
}

std::string sample_text(const Sample& sample) {
    if (sample.n == 0 || !std::isfinite(sample.mean)) return missing_cell;
    const int decimals = std::abs(sample.mean) < 100 ? 4 : 1;
    const std::string mean = fixed_text(sample.mean, decimals);
    return std::isfinite(sample.standard_deviation) ? mean + " ± " + fixed_text(sample.standard_deviation, decimals)
                                                    : mean;
}

}  // namespace ropelab
