#include <algorithm>
#include <chrono>
#include <cmath>
#include <iomanip>
#include <memory>
#include <optional>
#include <sstream>

#include "app/terminal/output.h"
#include "app/terminal/progress.h"
#include "app/terminal/rotary/rotary_flags.h"
#include "app/terminal/verbs.h"
#include "core/rope/context.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    RotaryFlags rotary;
    std::string scan_from;
    std::string scan_to;
    std::string scan_step;
    bool json = false;
};

// Returns the bases to scan: by default up to 1,000,000 or twice theta, with a step that lets the scan end within about
// two seconds.
BaseScan scan_of(const Flags& flags, const RotarySetup& setup) {
    constexpr double most = 1e15;
    const double high =
        flags.scan_to.empty() ? std::max(1e6, 2 * setup.theta) : parse_positive(flags.scan_to, "--scan-to", most);
    std::optional<double> step;
    if (!flags.scan_step.empty()) step = parse_positive(flags.scan_step, "--scan-step", most);
    BaseScan scan = base_scan(setup.context, setup.head_dim, high, step);
    if (!flags.scan_from.empty()) scan.low = parse_positive(flags.scan_from, "--scan-from", most);
    return scan;
}

// Returns distances below the context: 0, 1, 2, … and then about twelve per factor of two.
std::vector<double> distances_to(std::int64_t context) {
    std::vector<double> result = {0};
    for (double distance = 1; distance < static_cast<double>(context);
         distance = std::max(distance + 1, std::round(distance * 1.06))) {
        result.push_back(distance);
    }
    return result;
}

nlohmann::json json_of(const FeasibleBases& bases) {
    nlohmann::json list = nlohmann::json::array();
    for (const BaseInterval& interval : bases.intervals) list.push_back({interval.low, interval.high});
    return list;
}

std::string text_of(const FeasibleBases& bases, const BaseScan& scan, std::int64_t context, ScalingMethod scaling) {
    std::ostringstream text;
    text << "feasible bases for a context of " << context << " tokens"
         << (scaling == ScalingMethod::none ? "" : " with the same scaling") << ", scanned from "
         << number_text(scan.low) << " to " << number_text(scan.high) << " in steps of " << number_text(scan.step)
         << ":\n";
    if (bases.intervals.empty()) text << "  none\n";
    constexpr std::size_t shown = 20;
    for (std::size_t i = 0; i < std::min(shown, bases.intervals.size()); ++i) {
        const auto& [low, high] = bases.intervals[i];
        text << "  " << number_text(low) << (high > low ? " – " + number_text(high) : "") << '\n';
    }
    if (bases.intervals.size() > shown)
        text << "  and " << bases.intervals.size() - shown << " more, the last from "
             << number_text(bases.intervals.back().low) << " – " << number_text(bases.intervals.back().high) << '\n';
    return text.str();
}

void run(Flags& flags) {
    flags.rotary.parse();
    const RotarySetup& setup = flags.rotary.setup;
    Frequencies frequencies = flags.rotary.frequencies;
    if (const auto& model = flags.rotary.model) {
        warn_of_unknown_keys(*model);
        // Frequencies that depend on the length are those at the full context.
        frequencies = model->of(flags.rotary.layer_type).at(static_cast<double>(setup.context));
    }
    const BaseScan scan = scan_of(flags, setup);

    watch_interrupts();
    ProgressLine line;
    const auto start = std::chrono::steady_clock::now();
    const auto bases = feasible_bases(flags.rotary.settings, setup.context, scan, interrupted, [&](double fraction) {
        if (std::chrono::steady_clock::now() - start < std::chrono::seconds(2)) return;
        line.show("scanning bases: " + std::to_string(std::lround(100 * fraction)) + " %");
    });
    const auto first = first_negative(frequencies, setup.head_dim, setup.context, interrupted);
    // Limited, because a lowest value cannot be found early as the first negative one can.
    const std::int64_t distances_searched = std::min<std::int64_t>(setup.context, std::int64_t{1} << 22);
    const LowestBound lowest = lowest_bound(frequencies, setup.head_dim, distances_searched, interrupted);
    line.end();
    if (interrupted()) throw std::runtime_error("Interrupted before the scan was complete.");
    const int dimension = setup.partial == Partial::slice ? frequencies.rotary_dim : setup.head_dim;
    // Counted with the scaled frequencies; without scaling this is the critical dimension of formula 14.
    const int critical = 2 * complete_pairs(frequencies, static_cast<double>(setup.context));
    const std::vector<double> distances = distances_to(setup.context);
    const std::vector<double> bound = decay_bound(frequencies.inverse_frequencies, distances);

    if (flags.json) {
        print_json({{"first_negative", first ? nlohmann::json(*first) : nlohmann::json(nullptr)},
                    {"lowest_bound",
                     {{"value", lowest.value},
                      {"of", setup.head_dim / 2},
                      {"distance", lowest.distance},
                      {"negative_distances", lowest.negative},
                      {"distances", distances_searched}}},
                    {"feasible_bases", json_of(bases)},
                    {"critical_dimension", critical},
                    {"decay", {{"distance", distances}, {"bound", bound}}},
                    {"scan", {{"low", scan.low}, {"high", scan.high}, {"step", scan.step}}},
                    {"context", setup.context}});
        return;
    }
    std::ostringstream text;
    text << "context                 " << setup.context << " tokens\n"
         << "context bound           "
         << (first ? std::to_string(*first) + " tokens (Men et al.: first distance Δ with B(Δ) < 0)"
                   : "at least the context (Men et al.: B(Δ) ≥ 0 at every distance below it)")
         << '\n';
    if (first) {
        text << "lowest B(Δ)             " << number_text(std::round(lowest.value * 100) / 100) << " of "
             << setup.head_dim / 2 << " at Δ = " << lowest.distance << "; B(Δ) < 0 at " << lowest.negative << " of "
             << distances_searched << " distances\n";
    }
    text << "critical dimension      " << critical << " of " << dimension
         << " channels complete a period within the context (Liu et al."
         << (setup.scaling.method == ScalingMethod::none ? "" : ", applied to the scaled frequencies") << ")\n"
         << text_of(bases, scan, setup.context, setup.scaling.method)
         << "decay bound (2/d) Σ|S_j| (Su et al.) by distance [tokens]:\n";
    for (std::size_t i = 0; i < distances.size(); i += std::max<std::size_t>(1, distances.size() / 12)) {
        text << "  " << std::left << std::setw(10) << number_text(distances[i])
             << number_text(std::round(bound[i] * 1e4) / 1e4) << '\n';
    }
    print_text(text.str());
}

}  // namespace

void add_context(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand(
        "context", "Compute the context that a rotary embedding supports, and the feasible bases");
    flags->rotary.add_size(*verb, "Context in tokens (default: 1024, or the model's own)");
    flags->rotary.add_spectrum(*verb);
    verb->add_option("--scan-from", flags->scan_from,
                     "First base of the scan (default: 100, or the step if that is larger)");
    verb->add_option("--scan-to", flags->scan_to,
                     "Last base of the scan (default: 1M, or twice theta if that is larger)");
    verb->add_option("--scan-step", flags->scan_step,
                     "Step between the scanned bases (default: chosen so that the scan takes about two seconds)");
    verb->add_flag("--json", flags->json, "Print the result as JSON");
    verb->footer(
        "A base is feasible if B(Δ) = Σ cos(Δω_i) ≥ 0 for every distance Δ below the context (Men et al. 2024). All "
        "lines use the scaled frequencies if there is a scaling. The scan can miss feasible intervals that are "
        "narrower than its step.");
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
