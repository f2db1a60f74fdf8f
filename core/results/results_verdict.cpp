#include "core/results/results_verdict.h"

#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "core/base/numbers.h"
#include "core/results/results_compare.h"
#include "core/table/table.h"

namespace ropelab {

namespace {

// "3 seeds per group", "3 and 5 seeds" or "3 pairs of seeds".
std::string seeds_words(const ResultsTable& table, const ResultGroup& group) {
    if (is_by_seed(group.test)) return std::to_string(group.pairs) + " pairs of seeds";
    const auto ours = group.described[table.compared].n;
    const auto theirs = table.baseline_of(group)->described[table.compared].n;
    if (ours == theirs) return counted(ours, "seed") + " per group";
    return std::to_string(ours) + " and " + std::to_string(theirs) + " seeds";
}

bool has_levels(const ResultsTable& table) {
    return std::count_if(table.groups.begin(), table.groups.end(),
                         [&](const ResultGroup& each) { return table.is_baseline(each); }) > 1;
}

// "0.0061 nats lower than the baseline (95 % interval -0.0095 … -0.0027 nats)". One of several baselines is named.
std::string difference_words(const ResultsTable& table, const ResultGroup& group) {
    const DifferenceInterval& estimate = *group.decided().estimate;
    const std::string unit = unit_after(table);
    std::string words = rough_text(std::abs(estimate.difference)) + unit +
                        (estimate.difference < 0 ? " lower" : " higher") + " than the baseline" +
                        (has_levels(table) ? " " + group_label(table, *table.baseline_of(group)) : "");
    if (std::isfinite(estimate.low)) {
        words += " (95 % interval " + rough_text(estimate.low) + " … " + rough_text(estimate.high) + unit + ")";
    }
    return words;
}

std::string why_untested(const ResultsTable& table, const ResultGroup& group) {
    const auto ours = group.described[table.compared].n;
    const ResultGroup* baseline = table.baseline_of(group);
    if (!baseline)
        return "No test: no group of this " + data_words(table) +
               " has the baseline's setting together with this group's other swept settings, so this group has no "
               "baseline.";
    const auto theirs = baseline->described[table.compared].n;
    if (ours == 0)
        return "No test: no run of the group has a finite " + std::string(measures()[table.compared].name) + " yet.";
    if (theirs == 0)
        return "No test: no run of the baseline has a finite " + std::string(measures()[table.compared].name) + " yet.";
    if (repeats(table, group)) {
        return "No test: the group trains the same models as the group " +
               group_label(table, table.groups[*group.repeats]) +
               ", from which it differs only in settings without an effect on training; that comparison counts once.";
    }
    if (measures()[table.compared].of_best && !is_testable(group, *baseline, table.compared)) {
        return "No test: the group is evaluated more or less often than the baseline or on other batches, and the "
               "lowest of several losses depends on that. Compare final_validation_loss.";
    }
    if (!is_testable(group, *baseline, table.compared)) {
        return "No test: training times are one measurement per group, because runs trained as one batch (a cohort) "
               "share one clock and the load of the machine differs between batches and sessions.";
    }
    if (const auto& rule = group.decided().sequential; rule && rule->pairs == 0) {
        return std::string(
                   "No test: the stopping rule compares seeds in their fixed order, and of the seeds of its first ") +
               "look, a run of the group or of the baseline " +
               (rule->end == SequentialResult::End::blocked
                    ? "failed, diverged or is excluded."
                    : "is missing, or one of another group, for which the rule waits.");
    }
    if (is_by_seed(group.test) && group.pairs < 2) {
        return "No test: a paired test needs at least two seeds that both groups have, but there " +
               (group.pairs == 1 ? std::string("is 1.") : "are " + std::to_string(group.pairs) + ".");
    }
    if (ours < 2 || theirs < 2) return "No test: a test needs at least two seeds in the group and in the baseline.";
    const bool varies = group.described[table.compared].standard_deviation > 0;
    if (is_by_seed(group.test) && varies && group.difference.value_or(0) != 0) {
        return "No test: all pairs of seeds have the same difference, which leaves no variation to test against.";
    }
    return "No test: all seeds have equal values, so they are copies and not independent measurements.";
}

// The end of a sentence: ", which is less than the 0.032 nats that …"; "" if the detectable difference is unknown.
std::string power_words(const ResultsTable& table, const ResultGroup& group) {
    const Comparison& comparison = group.decided();
    if (group.test == TestKind::permutation && cannot_decide(group)) {
        return "; with " + counted(group.pairs, "pair") + " of seeds p is at least " +
               rough_text(std::ldexp(1, 1 - group.pairs)) + ", so no difference can be significant after Holm's " +
               "correction over " + counted(group.comparisons, "comparison") + " before there are " +
               std::to_string(fewest_pairs(group.comparisons)) + " pairs";
    }
    if (!comparison.detectable || !(std::abs(comparison.estimate->difference) < *comparison.detectable)) return {};
    const bool paired = is_by_seed(group.test);
    const int count = group.comparisons;
    std::string result = "; this difference is smaller than the " + rough_text(*comparison.detectable) +
                         unit_after(table) + " that the " + (group.test == TestKind::permutation ? "paired t " : "") +
                         "test detects with 80 % power, given " + seeds_words(table, group) +
                         ", their standard deviations and the 5 % level";
    if (count > 1) {
        result += " divided by " + std::to_string(count) + " comparisons (the first and strictest step of Holm's " +
                  "correction)";
    }
    if (comparison.seeds_needed) {
        const auto number = [](const auto& seeds) {
            return seeds ? std::to_string(*seeds) : "more than " + std::to_string(max_seeds);
        };
        result +=
            "; about " + std::to_string(*comparison.seeds_needed) + (paired ? " pairs of seeds" : " seeds per group") +
            " (95 % interval " + number(comparison.seeds_needed_low) + " … " + number(comparison.seeds_needed_high) +
            ", because the standard deviation is an estimate) would be needed to detect a true difference of this size";
    }
    return result;
}

// " Settled after 6 of at most 42 seeds (4 looks, e-value 85)."; "" without a stopping rule.
std::string sequential_words(const ResultsTable& table, const Comparison& comparison) {
    if (!comparison.sequential) return {};
    using End = SequentialResult::End;
    const SequentialResult& result = *comparison.sequential;
    const bool to_target = table.target().has_value();
    const std::map<End, std::string> beginnings = {
        {End::open, "Not settled yet"},
        {End::claim, "Settled"},
        {End::refutation, to_target ? "Settled" : "Equivalent"},
        {End::futile, to_target ? "Stopped for futility, which shows nothing about the mean,"
                                : "Stopped for futility, which shows no equivalence,"},
        {End::budget, "Budget spent"},
        {End::blocked, "Stopped by a diverged or excluded run"}};
    return " " + beginnings.at(result.end) + " after " + std::to_string(result.pairs) + " of at most " +
           counted(table.sequential->design.cap, "seed") + " (" + counted(result.looks, "look") +
           (result.end == End::refutation && !to_target ? ", p " + p_text(result.p_refutation_holm) + " for equivalence"
            : std::isfinite(result.e_value)             ? ", largest e-value " + rough_text(result.largest_e_value())
                                                        : "") +
           "); p and " + (to_target ? "bound" : "interval") + " hold at all looks together.";
}

double margin_of(const ResultsTable& table, const DifferenceInterval& estimate) {
    return table.margin_percent / 100 * std::abs(estimate.reference);
}

// On runs that the comparison lacks because they failed; "" if there are none.
std::string survivor_words(const ResultsTable& table, const ResultGroup& group) {
    const ResultGroup& baseline = *table.baseline_of(group);
    if (!table.compares_survivors(group)) return {};
    std::string lost;
    for (const auto& [each, name] : {std::pair(&group, "group"), std::pair(&baseline, "baseline")}) {
        if (each->failed == 0) continue;
        lost += (lost.empty() ? "" : " and ") + std::to_string(each->failed) + " of " +
                counted(std::ssize(each->members), "run") + " of the " + name;
    }
    return " The comparison covers only the surviving runs: " + lost + " failed or diverged.";
}

using Counts = std::map<std::string, int>;

// "bfloat16 (2), float32 (1)".
std::string counts_text(const Counts& counts) {
    return joined(counts, ", ",
                  [](const auto& value) { return value.first + " (" + std::to_string(value.second) + ")"; });
}

Counts counts_of(const ResultGroup& group, std::string_view name) {
    const auto found = group.conditions.find(std::string(name));
    return found == group.conditions.end() ? Counts() : found->second;
}

// Only bits per byte are comparable between tokenizers of one text.
std::string tokenizer_warning(const ResultsTable& table) {
    const std::size_t per_byte = measure_index("bits_per_byte");
    const std::size_t per_token = measure_index("best_validation_loss");
    std::vector<const ResultGroup*> texts;  // one group of each
    const bool differs = std::any_of(table.groups.begin(), table.groups.end(), [&](const ResultGroup& group) {
        const auto known = std::find_if(texts.begin(), texts.end(),
                                        [&](const ResultGroup* each) { return same_data(*each, group, per_byte); });
        if (known != texts.end()) return !same_data(**known, group, per_token);
        texts.push_back(&group);
        return false;
    });
    if (!differs) return "";
    const std::string words =
        "Warning: the runs have different tokenizers, so only their bits per byte can be compared. ";
    return words + (table.compared == per_byte
                        ? "Losses per token are not comparable between them."
                        : "Losses are compared with the baseline of the same tokenizer; compare bits_per_byte "
                          "to compare all runs with one baseline.");
}

// "" if no group repeats another and all are evaluated alike.
std::string evaluation_warning(const ResultsTable& table) {
    const Measure& compared = measures()[table.compared];
    if (!is_loss(compared)) return {};
    const bool has_repeats =
        std::ranges::any_of(table.groups, [](const ResultGroup& group) { return group.repeats.has_value(); });
    std::string words = has_repeats ? "Note: some groups train the same models, because they differ only in settings "
                                      "without an effect on training; each comparison is tested once."
                                    : "";
    if (are_evaluated_alike(table)) return words;
    return words + (has_repeats ? " " : "Note: ") +
           "The lowest of several losses depends on how often and on which batches a run is evaluated, so " +
           std::string(compared.name) +
           (compared.of_best ? " is tested only between groups that are evaluated alike."
                             : " is compared instead of the best loss.");
}

}  // namespace

std::string text_words(const ResultsTable& table) {
    if (!is_loss(measures()[table.compared])) return "";
    const std::size_t texts = count_texts(table);
    return texts > 1 ? " on 1 of " + counted(texts, "text") : " on this text";
}

std::size_t count_texts(const ResultsTable& table) {
    std::vector<std::string> keys = table.swept;
    std::erase_if(keys, [](const std::string& key) { return !is_text_setting(key); });
    if (keys.empty()) return std::min<std::size_t>(table.groups.size(), 1);
    std::set<std::vector<nlohmann::json>> texts;
    for (const ResultGroup& group : table.groups) {
        std::vector<nlohmann::json> text;
        for (const std::string& key : keys) text.push_back(group.settings.at(key));
        texts.insert(std::move(text));
    }
    return texts.size();
}

std::string margin_words(const ResultsTable& table) {
    return (table.margin_of_seeds ? rough_text(table.margin_percent) : number_text(table.margin_percent)) +
           " % of the baseline's mean" + (table.margin_of_seeds ? ", the standard deviation of the seeds" : "");
}

bool is_equivalent(const ResultsTable& table, const std::optional<DifferenceInterval>& estimate) {
    return estimate && std::max(std::abs(estimate->low), std::abs(estimate->high)) < margin_of(table, *estimate);
}

namespace {

// Of the group's first run; NaN without one.
double iterations_of(const ResultGroup& group) {
    return group.summaries.empty() ? Description::unknown : static_cast<double>(group.summaries.front().iterations);
}

Verdict target_verdict(const ResultsTable& table, const ResultGroup& group) {
    using End = SequentialResult::End;
    const Comparison& comparison = group.paired;
    if (!comparison.estimate)
        return {Verdict::Kind::untested, "No test: fewer seeds have ended than the first look needs."};
    const SequentialResult& result = *comparison.sequential;
    const DifferenceInterval& estimate = *comparison.estimate;
    const bool is_decided = result.end == End::claim || result.end == End::refutation;
    const Description& seconds = group.described[measure_index("seconds")];
    const std::string beginning = result.end == End::claim ? "Below the target"
                                  : is_decided             ? "Above the target"
                                                           : "Not decided";
    const std::string words =
        beginning + text_words(table) + ": the mean validation loss of " + counted(result.pairs, "seed") + " after " +
        number_text(iterations_of(group)) + " iterations (" + rough_text(seconds.mean) + " s per run) is " +
        fixed_text(estimate.reference + estimate.difference, 4) + " nats, " +
        rough_text(std::abs(estimate.difference)) + (estimate.difference < 0 ? " below" : " above") +
        " the target of " + number_text(estimate.reference) + " (upper bound of the mean " +
        fixed_text(target_bound(table, group), 4) + "; " + (result.end == End::refutation ? "above: " : "below: ") +
        p_words(comparison.p_holm.value_or(1)) + " after Holm's correction over " +
        counted(group.comparisons, "setting") + "); " +
        (group.until.n > 0 ? "the first evaluation at or below the target is after " +
                                 mean_and_deviation(group.until, 0) + " iterations (" + std::to_string(group.until.n) +
                                 " of " + counted(group.iterations_until.size(), "run") + ")."
                           : "no evaluation is at or below the target.");
    return {result.end == End::claim ? Verdict::Kind::better
            : is_decided             ? Verdict::Kind::worse
                                     : Verdict::Kind::undecided,
            words + sequential_words(table, comparison)};
}

}  // namespace

nlohmann::json target_json(const ResultsTable& table, const ResultGroup& group) {
    const auto& estimate = group.paired.estimate;
    return {{"target_loss", *table.target()},
            {"seeds_used", group.pairs},
            {"mean", estimate ? json_number(estimate->reference + estimate->difference) : nullptr},
            {"upper_bound", json_number(target_bound(table, group))},
            {"error", table.sequential->design.alpha},
            {"tuning_seeds", table.sequential->design.tuning_seeds},
            {"iterations", json_number(iterations_of(group))},
            {"seconds_per_run", json_number(group.described[measure_index("seconds")].mean)},
            {"iterations_to_target", json_number(group.until.mean)},
            {"runs_to_target", group.until.n}};
}

namespace {

Verdict tested_verdict(const ResultsTable& table, const ResultGroup& group) {
    if (table.target()) return target_verdict(table, group);
    if (table.is_baseline(group)) return {Verdict::Kind::baseline, "This group is the baseline of the comparison."};
    const Comparison& comparison = group.decided();
    if (!comparison.p || !comparison.p_holm || !comparison.estimate) {
        return {Verdict::Kind::untested, why_untested(table, group)};
    }
    const bool is_significant = *comparison.p_holm < family_level;
    const std::string where = text_words(table) + ": ";
    std::string words = difference_words(table, group) + ", ";
    if (!is_significant && *comparison.p < family_level) words += p_words(*comparison.p) + " without correction, but ";
    words += p_words(*comparison.p_holm) + " after Holm's correction (" +
             (comparison.sequential ? "the stopping rule's test, paired by seed" : test_title(group.test)) + ", " +
             counted(group.comparisons, "comparison") + ")";
    std::string end = "." + survivor_words(table, group);
    if (table.looks(group) > 1) {
        end += " Seeds were added after results existed (look " + std::to_string(table.looks(group)) +
               " at this comparison); p is not corrected for the earlier " +
               (table.looks(group) > 2 ? "looks." : "look.");
    }
    end += sequential_words(table, comparison);
    const DifferenceInterval& estimate = *comparison.estimate;
    const std::string margin =
        rough_text(margin_of(table, estimate)) + unit_after(table) + " (" + margin_words(table) + ")";
    const bool is_shown = comparison.sequential ? comparison.sequential->end == SequentialResult::End::refutation
                                                : is_equivalent(table, estimate);
    if (is_shown) return {Verdict::Kind::equivalent, "Equivalent within " + margin + where + words + end};
    if (!is_significant)
        return {Verdict::Kind::undecided, "Not significant" + where + words + power_words(table, group) + end};
    if (std::min(std::abs(estimate.low), std::abs(estimate.high)) < margin_of(table, estimate))
        words += "; the interval includes differences below the relevance margin of " + margin;
    const bool better = (estimate.difference > 0) == measures()[table.compared].more_is_better;
    return {better ? Verdict::Kind::better : Verdict::Kind::worse, (better ? "Better" : "Worse") + where + words + end};
}

constexpr const char* undecided_words = "Not decided until all runs end";

// "Lowest loss", "Highest training speed", of `best`, or of a group that another one exceeds: "Lower loss".
std::string rank_words(const ResultsTable& table, const ResultGroup& best) {
    const Measure& measure = measures()[table.compared];
    const auto is_ahead = [&](const ResultGroup& other) {
        const double a = other.described[table.compared].mean;
        const double b = best.described[table.compared].mean;
        return measure.more_is_better ? a > b : a < b;
    };
    const bool is_first = std::ranges::none_of(table.groups, is_ahead);
    const std::string rank =
        measure.more_is_better ? (is_first ? "Highest " : "Higher ") : (is_first ? "Lowest " : "Lower ");
    if (measure.name == "bits_per_byte") return rank + "bits per byte";
    if (is_loss(measure)) return rank + "loss";
    return rank + (measure.name == "seconds"             ? "training time"
                   : measure.name == "tokens_per_second" ? "training speed"
                                                         : "generation speed");
}

// "Lowest loss: θ 100; 0.041 nats below θ 10k".
std::string ahead_words(const ResultsTable& table, const GroupNamer& name, const ResultGroup& best,
                        const ResultGroup& other, double difference, const std::string& where) {
    const Measure& measure = measures()[table.compared];
    return rank_words(table, best) + where + ": " + name(best) + "; " + rough_text(std::abs(difference)) +
           (measure.name == "bits_per_byte" ? " bits per byte" : unit_after(table)) +
           (measure.more_is_better ? " above " : " below ") + name(other);
}

}  // namespace

Verdict verdict_of(const ResultsTable& table, const ResultGroup& group) {
    Verdict verdict = tested_verdict(table, group);
    verdict.so_far = table.open() > 0 && verdict.kind > Verdict::Kind::untested;
    if (verdict.so_far)
        verdict.words =
            std::string(undecided_words) + " (" + counted(table.open(), "run") + " left). So far: " + verdict.words;
    return verdict;
}

std::string name_of(const SequentialDesign& design) {
    return design.kind == SequentialDesign::Kind::anytime ? "anytime-valid e-process" : "group-sequential t tests";
}

std::string stopping_state(const ResultsTable& table) {
    std::map<std::string, int> ends;
    int comparisons = 0;
    std::int64_t pairs = 0, looks = 0;
    for (const ResultGroup& group : table.groups) {
        if (!group.paired.sequential) continue;
        ++comparisons;
        ++ends[end_of(table.sequential->design, *group.paired.sequential)];
        pairs = std::max(pairs, group.paired.sequential->pairs);
        looks = std::max(looks, group.paired.sequential->looks);
    }
    if (comparisons == 0) return {};
    const auto part = [](const auto& end) { return std::to_string(end.second) + " " + end.first; };
    return counted(comparisons, "comparison") + ": " + joined(ends, ", ", part) + " after " + std::to_string(pairs) +
           " of at most " + counted(table.sequential->design.cap, "seed") + " (" + counted(looks, "look") + ", " +
           name_of(table.sequential->design) + ")";
}

std::string headline(const ResultsTable& table, const GroupNamer& name) {
    if (const auto target = table.target()) {
        std::string below;
        for (const ResultGroup& group : table.groups) {
            if (verdict_of(table, group).kind == Verdict::Kind::better)
                below += (below.empty() ? "" : ", ") + (table.groups.size() == 1 ? "yes" : name(group));
        }
        return "Mean loss below the target of " + number_text(*target) + " nats" + text_words(table) + ": " +
               (below.empty() ? "not shown" : below) + " (" + stopping_state(table) + ")";
    }
    if (table.open() > 0) {
        const std::string ahead = leader(table, name);
        return ahead.empty() ? ahead : undecided_words + (". " + ahead);
    }
    const auto rank = [&](const ResultGroup& group) {
        const Verdict::Kind kind = verdict_of(table, group).kind;
        const int order = kind == Verdict::Kind::better ? 2 : kind == Verdict::Kind::worse ? 1 : 0;
        return std::pair(order, order == 0 ? 0 : std::abs(group.decided().estimate->difference));
    };
    const auto most = std::max_element(table.groups.begin(), table.groups.end(),
                                       [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    if (most == table.groups.end() || rank(*most).first == 0) return {};
    const Comparison& comparison = most->decided();
    const bool is_better = rank(*most).first == 2;
    const ResultGroup& best = is_better ? *most : *table.baseline_of(*most);
    const ResultGroup& other = is_better ? *table.baseline_of(*most) : *most;
    const auto& stopped = comparison.sequential;
    const std::string seeds = stopped ? std::to_string(stopped->pairs) + " of at most " +
                                            counted(table.sequential->design.cap, "seed") + ", " +
                                            counted(stopped->looks, "look") + ", " + name_of(table.sequential->design)
                              : is_by_seed(most->test) ? counted(most->pairs, "seed")
                                                       : seeds_words(table, *most);
    return ahead_words(table, name, best, other, comparison.estimate->difference, text_words(table)) + " (" + seeds +
           ", " + p_words(*comparison.p_holm) + (table.looks(*most) > 1 ? ", tested before with fewer seeds" : "") +
           (table.compares_survivors(*most) ? ", without failed runs" : "") + ")";
}

std::string equivalence_headline(const ResultsTable& table, const std::string& baseline) {
    bool is_any = false, are_all = true;
    for (const ResultGroup& group : table.groups) {
        if (table.is_baseline(group)) continue;
        const bool is_within = verdict_of(table, group).kind == Verdict::Kind::equivalent;
        is_any = is_any || is_within;
        are_all = are_all && is_within;
    }
    if (!is_any || !are_all) return {};
    return "Equivalent: no setting differs from " + baseline + text_words(table) +
           " by more than the relevance margin of " + margin_words(table);
}

std::string leader(const ResultsTable& table, const GroupNamer& name) {
    // Means over the seeds that a group shares with its baseline, so that other seeds do not change the order.
    struct Place {
        const ResultGroup* group;
        double mean;
    };
    std::vector<Place> ranked;
    for (const ResultGroup& group : table.groups) {
        if (group.repeats || !(group.described[table.compared].n > 0)) continue;
        const ResultGroup* baseline = table.baseline_of(group);
        const bool is_compared = baseline && baseline != &group && group.difference;
        const double mean = is_compared ? baseline->described[table.compared].mean + *group.difference
                                        : group.described[table.compared].mean;
        if (std::isfinite(mean)) ranked.push_back({&group, mean});
    }
    const bool more = measures()[table.compared].more_is_better;
    std::ranges::stable_sort(
        ranked, [&](double a, double b) { return more ? a > b : a < b; }, &Place::mean);
    if (ranked.size() < 2) return {};
    const ResultGroup& best = *ranked.front().group;
    const ResultGroup* baseline = table.baseline_of(best);
    const bool has_other = baseline && baseline != &best && baseline->described[table.compared].n > 0;
    const ResultGroup& other = has_other ? *baseline : *ranked[1].group;
    if (!same_data(best, other, table.compared)) return {};
    // Of the test that decides between a group and its baseline; another pair has its own.
    const ResultGroup* tested = has_other ? &best : table.baseline_of(other) == &best ? &other : nullptr;
    std::optional<DifferenceInterval> interval =
        tested ? tested->decided().estimate
               : difference_interval(best, other, table.compared, test_kind_between(best, other, table.compared));
    if (!interval || (more ? -1 : 1) * (tested == &other ? -1 : 1) * interval->difference > 0) return {};
    // The words say "below" or "above", so that the interval has the sign of a distance.
    if ((tested == &other) == more) {
        std::swap(interval->low, interval->high);
        for (double* each : {&interval->low, &interval->high}) *each = -*each;
    }
    const std::string where = (table.open() > 0 ? " so far" : "") + text_words(table);
    const std::string words = ahead_words(table, name, best, other, interval->difference, where);
    const std::string state = table.sequential ? stopping_state(table) : "";
    const bool survives = tested && table.compares_survivors(*tested);
    const std::string end = (survives ? "; without failed runs" : "") + (state.empty() ? "" : "; " + state) + ")";
    if (std::isfinite(interval->low) && (tested || !table.sequential)) {
        return words + " (95 % interval " + (table.sequential ? "at all looks together " : "") +
               rough_text(interval->low) + " … " + rough_text(interval->high) +
               (interval->low <= 0 && interval->high >= 0 ? ", which contains 0"
                : !table.sequential && tested && *tested->decided().p_holm >= family_level
                    ? ", but " + p_words(*tested->decided().p_holm) + " with Holm's correction"
                    : "") +
               end;
    }
    if (table.sequential) return words + (state.empty() ? "" : " (" + state + ")");
    return words + " (one seed decides nothing" + end;
}

std::string to_string(Verdict::Kind kind) {
    constexpr std::array words = {"baseline", "no test", "not significant", "equivalent", "better", "worse"};
    return words[static_cast<std::size_t>(kind)];
}

std::string to_string(const Verdict& verdict) {
    return to_string(verdict.kind) + (verdict.so_far ? " so far" : "");
}

std::string condition_text(const ResultGroup& group, std::string_view name) {
    const Counts counts = counts_of(group, name);
    return counts.size() == 1 ? counts.begin()->first : counts_text(counts);
}

std::string search_warning(const ResultsTable& table) {
    if (!table.searched || measures()[table.compared].name == "test_loss") return {};
    return "Warning: a search chose these settings by their validation loss, so the best of them looks better "
           "than it is on other text. The test_loss of runs with split=90/5/5 is not affected by this choice.";
}

std::string look_warning(const ResultsTable& table) {
    std::set<std::int64_t> experiments;
    for (const ResultGroup& group : table.groups) {
        const std::set<std::int64_t> looks(group.looks.begin(), group.looks.end());
        if (looks.size() > 1) experiments.insert(std::next(looks.begin()), looks.end());
    }
    if (experiments.empty()) return {};
    const auto number = [](std::int64_t each) { return "experiment " + std::to_string(each); };
    return "Warning: this is not the first look at these groups: " + joined(experiments, " and ", number) +
           " added seeds to groups that already had some. The p values are not corrected for earlier looks, so "
           "chance alone makes differences significant more often than the level says.";
}

namespace {

// A run whose training loss ends far above its best validation loss; one that overfits has a low training loss.
bool ends_diverged(const RunSummary& run) {
    constexpr double rise = 1;  // nats
    return run.final_training_loss > run.best_validation_loss + rise;
}

std::string divergence_warning(const ResultsTable& table) {
    if (!is_loss(measures()[table.compared]) || !imported_words(table).empty()) return {};
    std::string groups;
    std::int64_t all = 0;
    for (const ResultGroup& group : table.groups) {
        const auto runs = std::ranges::count_if(group.summaries, ends_diverged);
        if (runs == 0) continue;
        all += runs;
        groups += (groups.empty() ? "" : "; ") + group_label(table, group) + " (" + std::to_string(runs) + " of " +
                  std::to_string(group.summaries.size()) + ")";
    }
    if (all == 0) return {};
    return "Warning: the means include " + counted(all, "run") +
           " that diverged without failing: the training loss ended more than 1 nat above the best validation loss. "
           "Groups: " +
           groups + ".";
}

// Runs of equal settings and seed that ended differently, as those of labs of several machines.
std::string repeat_warning(const ResultsTable& table) {
    std::string groups;
    for (const ResultGroup& group : table.groups) {
        if (!(group.repeat_difference > 0)) continue;
        groups += (groups.empty() ? "" : "; ") + group_label(table, group) +
                  (std::isinf(group.repeat_difference) ? " (one of them is not a finite number)"
                                                       : " (by up to " + rough_text(group.repeat_difference) + ")");
    }
    if (groups.empty()) return {};
    return "Warning: runs with equal settings and seed have different losses: " + groups +
           ". Of these runs, the one that was added last counts.";
}

std::string rule_warning(const ResultsTable& table) {
    if (!table.changes_rule) return {};
    return "Warning: the chosen baseline, measure or margin is not the one with which the stopping rule decided when "
           "to stop; with another one, p does not hold at all looks, and comparisons may end differently.";
}

std::string test_warning(const ResultsTable& table) {
    if (!table.ignored_test) return {};
    return "Warning: the chosen test (" + test_title(table.ignored_test) +
           ") has no effect, because the stopping rule of these runs has a test of its own.";
}

}  // namespace

std::vector<std::string> condition_warnings(const ResultsTable& table) {
    std::vector<std::string> result;
    for (const std::string& words : {look_warning(table), evaluation_warning(table), divergence_warning(table),
                                     repeat_warning(table), rule_warning(table), test_warning(table)}) {
        if (!words.empty()) result.push_back(words);
    }
    if (const std::string words = tokenizer_warning(table); !words.empty()) result.push_back(words);
    for (const std::string_view name : condition_names) {
        const bool separates = std::find(table.swept.begin(), table.swept.end(), name) != table.swept.end();
        Counts all;
        std::string pooled;
        for (const ResultGroup& group : table.groups) {
            const Counts counts = counts_of(group, name);
            for (const auto& [value, count] : counts) all[value] += count;
            if (counts.size() > 1) pooled += (pooled.empty() ? "" : "; ") + group_label(table, group);
        }
        if (all.size() < 2 || (separates && pooled.empty())) continue;
        std::string words = "Warning: the runs trained with different " + std::string(name) +
                            (name == "kernels" ? "" : "s") + ": " + counts_text(all) + ". ";
        if (name == "precision") words = "Warning: the runs trained in different precision: " + counts_text(all) + ". ";
        words += pooled.empty()
                     ? "The tests compare groups that were trained under different conditions."
                     : "Runs of different conditions are pooled in the means of these groups: " + pooled + ".";
        result.push_back(words + " Split by " + std::string(name) + " to separate them.");
    }
    return result;
}

}  // namespace ropelab
