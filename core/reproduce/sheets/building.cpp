#include "core/reproduce/sheets/building.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <system_error>

#include "core/base/error.h"
#include "core/data/known_sets.h"
#include "core/data/text_source.h"
#include "core/reproduce/published/published.h"
#include "core/results/results_cells.h"
#include "core/stats/t_test.h"

namespace ropelab {

std::vector<SheetData> data_for(const std::vector<std::string>& names, const SheetRequest& request, SheetPlan& plan) {
    std::vector<SheetData> sets;
    std::vector<std::string> stand_ins = {"synthetic", "synthetic-local"};
    for (const std::string& name : names) {
        const KnownSet& set = known_set(name);
        const auto found = find_on_disk(set, request.data_dir);
        if (found && found->bytes == set.bytes) {
            sets.push_back({name, name, true, ""});
            continue;
        }
        if (request.scale == SheetScale::paper && request.only_plans) {
            plan.missing_sets.push_back(name);
            plan.notes.push_back(set.title + " is not on disk, and training requires it.");
            sets.push_back({name, name, true, ""});
            continue;
        }
        if (request.scale == SheetScale::paper) {
            throw MissingSet(name, "The scale \"paper\" requires all of " + set.title +
                                       ", which is not on disk. Download it with " + "ropelab-cli data fetch " + name +
                                       " or use the scale \"laptop\".");
        }
        plan.missing_sets.push_back(name);
        if (found) {
            sets.push_back({name, name, false, ""});
            plan.notes.push_back("This reproduction uses " + found->description + " instead of all of " + set.title +
                                 ". Losses on this text are not comparable with the published losses, so the published "
                                 "losses are not shown.");
        } else if (!stand_ins.empty()) {
            sets.push_back({name, stand_ins.front(), false,
                            "Claims about " + set.title +
                                " cannot be tested on a synthetic language. Download the data set (in the terminal: "
                                "ropelab-cli data fetch " +
                                name + "); a reproduction that starts after the download tests them."});
            plan.notes.push_back(
                set.title + " is not on disk. This reproduction uses the synthetic language \"" + stand_ins.front() +
                "\" instead. Rows on this language are measured and shown, but no claim is tested on it.");
            stand_ins.erase(stand_ins.begin());
        } else {
            plan.notes.push_back(set.title + " is not on disk, so this reproduction leaves it out.");
        }
    }
    return sets;
}

std::vector<std::string> seeds_for(const SheetRequest& request, std::int64_t usual) {
    const std::int64_t count = request.stopping
                                   ? request.stopping->cap
                                   : request.seeds.value_or(request.scale == SheetScale::smoke ? 2 : usual);
    if (count < 2 || count > 1000) {
        throw BadInput("A reproduction cannot run with " + std::to_string(count) +
                       " seeds per setting; the number of seeds must be between 2 and 1000.");
    }
    std::vector<std::string> seeds;
    for (std::int64_t i = 0; i < count; ++i) seeds.push_back(std::to_string(1337 + i));
    return seeds;
}

SheetPlan begin_plan(const char* name, const SheetRequest& request, const nlohmann::json& source,
                     std::int64_t usual_seeds) {
    SheetPlan plan;
    plan.sheet = name;
    plan.title = sheet(name).title;
    plan.source = source.at("source").get<std::string>();
    plan.scale = request.scale;
    plan.experiment = Experiment(plan.sheet);
    const auto seeds = seeds_for(request, usual_seeds);
    plan.experiment.set("seed", seeds);
    plan.experiment.set("sample_length", {"0"});
    plan.notes.push_back(
        "All seeds share one data set: intervals and verdicts hold for other initializations and batches on this data "
        "set, and not for other data sets.");
    plan.stopping = request.stopping;
    if (plan.stopping) {
        plan.notes.push_back(
            "Stopping rule, fixed before the first run: " + words_of(*plan.stopping) +
            ". Each row uses the first seeds up to its last look, and its p values hold at all looks together; "
            "the intervals are those of a fixed number of seeds. A diverged run ends its row. "
            "Predictions are scored on the seeds of the first look.");
    }
    const std::string count = (plan.stopping ? "at most " : "") + std::to_string(seeds.size()) + " seeds per setting";
    if (request.scale == SheetScale::smoke) {
        plan.notes.push_back("Scale \"smoke\" (a quick check), " + count +
                             ": the runs check that the reproduction works; they test no claim.");
    } else if (request.scale == SheetScale::laptop) {
        plan.notes.push_back(
            "Scale \"laptop\", " + count +
            ": the models are small and the training is short. Verdicts hold for these models after this length of "
            "training only: models that learn faster are ahead after few steps, and need not be after many.");
    } else {
        plan.notes.push_back("Scale \"paper\", " + count +
                             ". Published protocol: " + source.at("protocol").get<std::string>() + ".");
    }
    return plan;
}

GroupKeys settings_in(std::string_view text) {
    GroupKeys settings;
    for (const auto word : std::views::split(text, ' ')) {
        const std::string setting(word.begin(), word.end());
        const std::size_t equals = setting.find('=');
        settings[setting.substr(0, equals)] = setting.substr(equals + 1);
    }
    return settings;
}

void set_all(Experiment& experiment, std::string_view settings) {
    for (const auto& [key, value] : settings_in(settings)) {
        experiment.set(key, value.empty() ? std::vector<std::string>{} : std::vector{value});
    }
}

void set_small_shape(SheetPlan& plan, std::string_view at_laptop) {
    if (plan.scale == SheetScale::smoke) {
        return set_all(plan.experiment,
                       "data_length=20000 layers=1 heads=1 width=64 context=32 batch=2 iterations=8 warmup=2 "
                       "evaluate_every=4 evaluation=sampled evaluation_batches=2 precision=float32");
    }
    set_all(plan.experiment,
            "layers=2 heads=1 width=64 context=256 batch=4 iterations=1000 warmup=50 learning_rate=3e-3 "
            "final_learning_rate=3e-4 evaluate_every=250 evaluation=sampled evaluation_batches=50");
    if (!at_laptop.empty()) set_all(plan.experiment, at_laptop);
}

std::vector<std::string> training_lengths(SheetScale scale, std::int64_t paper_steps) {
    if (scale == SheetScale::smoke) return {"4", "8"};
    if (scale == SheetScale::laptop) return {"800", "2400"};
    return {std::to_string(paper_steps / 4), std::to_string(paper_steps)};
}

std::string lengths_words(const std::vector<std::string>& lengths) {
    const auto after = [](const std::string& steps) {
        return "after " + grouped(static_cast<std::int64_t>(parse_number(steps)));
    };
    return joined(lengths, " and ", after) + " steps";
}

VerdictRule rule_of(VerdictRule::Kind kind, int direction, double margin, std::string family) {
    return {.kind = kind, .direction = direction, .margin = margin, .family = std::move(family)};
}

VerdictRule difference_rule(int direction, double margin, std::string family) {
    return rule_of(VerdictRule::Kind::difference, direction, margin, std::move(family));
}

VerdictRule size_rule(double low, double high, std::string family) {
    using enum VerdictRule::Kind;
    return {.kind = size, .direction = 0, .margin = 0, .family = std::move(family), .low = low, .high = high};
}

VerdictRule proportion_rule(int direction, double bound, std::string family) {
    using enum VerdictRule::Kind;
    return {.kind = proportion, .direction = direction, .margin = 0, .family = std::move(family), .bound = bound};
}

void mark_untestable(SheetPlan& plan, const SheetData& set, std::size_t first) {
    if (set.missing.empty()) return;
    for (std::size_t i = first; i < plan.rows.size(); ++i) {
        PlannedRow& row = plan.rows[i];
        if (row.rule) row.out_of_reach = set.missing + (row.out_of_reach.empty() ? "" : " " + row.out_of_reach);
    }
}

namespace {

// How often the stopping rule reaches a verdict, by simulation.
void add_sequential_power(SheetPlan& plan, int rows) {
    constexpr int repeats = 100;
    std::string power;
    for (const int effect : {1, 2}) {
        const SequentialPower expected = sequential_power(*plan.stopping, effect, rows, repeats);
        power += (power.empty() ? "" : ", ") + std::to_string(effect) + (effect == 1 ? " standard deviation: " : ": ") +
                 fixed_text(100 * expected.settled, 0) + " % settled after " + fixed_text(expected.mean_pairs, 1) +
                 " seeds on average";
    }
    plan.notes.push_back(
        "Power before training (simulated, " + std::to_string(rows) +
        " rows that share a baseline and all have a mean difference of so many standard deviations of the "
        "differences within pairs): " +
        power + ".");
}

}  // namespace

void add_power_note(SheetPlan& plan) {
    std::map<std::string, int> comparisons;  // by family
    for (const PlannedRow& row : plan.rows) {
        const bool counts = row.rule && row.rule->kind == VerdictRule::Kind::difference && row.out_of_reach.empty();
        if (counts) ++comparisons[row.rule->family];
    }
    int most = 0;
    for (const auto& [family, count] : comparisons) most = std::max(most, count);
    if (most == 0) {
        plan.notes.push_back(
            "The power before training is not stated: it is known for rows that test a difference of means, and no "
            "such "
            "row can be tested at this scale and with this data.");
        return;
    }
    if (plan.stopping) return add_sequential_power(plan, most);
    const VerdictRule rule;
    const auto seeds = static_cast<std::int64_t>(plan.experiment.values("seed").size());
    const auto detectable = detectable_difference_of_pairs({seeds, 0, 1}, {rule.alpha / most, rule.power});
    if (!detectable) return;
    plan.notes.push_back("With " + std::to_string(seeds) +
                         " seeds per setting, a row that claims a direction detects a mean difference of " +
                         fixed_text(*detectable, 1) +
                         " standard deviations of the differences within pairs with 80 % power, at the first and "
                         "strictest step of Holm's correction over " +
                         std::to_string(most) + " rows. Smaller differences are likely to stay undecided.");
}

PlannedRow compared_row(std::string claim, nlohmann::json keys, std::string measure, GroupKeys group,
                        GroupKeys baseline, VerdictRule rule) {
    return {.claim = std::move(claim),
            .keys = std::move(keys),
            .measure = std::move(measure),
            .group = std::move(group),
            .baseline = std::move(baseline),
            .rule = std::move(rule)};
}

PlannedRow shown_row(nlohmann::json keys, std::string measure, GroupKeys group) {
    return {.keys = std::move(keys), .measure = std::move(measure), .group = std::move(group)};
}

const std::vector<std::string>& theta_paper_bases() {
    static const std::vector<std::string> bases = {"500", "1000", "5000", "10000", "20000", "50000"};
    return bases;
}

namespace fs = std::filesystem;

namespace {

std::optional<fs::path> find_corpus(const std::string& name, const SheetRequest& request) {
    std::vector<fs::path> places = data_folders(request.data_dir);
    places.push_back(cache_folder());
    for (const fs::path& place : places) {
        std::error_code error;
        if (fs::is_directory(place / name, error)) return fs::absolute(place / name).lexically_normal();
    }
    return std::nullopt;
}

std::string gigabytes(double bytes) {
    return number_text(std::ceil(bytes / 1e9)) + " GB";
}

}  // namespace

std::vector<SheetData> corpora_for(const std::vector<std::string>& names, double tokens, const SheetRequest& request,
                                   std::vector<std::string>& notes) {
    constexpr double training_part = 0.9;  // of a text, in every split
    const std::string needs = "a run trains on " + gigabytes(tokens) + " of text, so that a folder \"" + names.front() +
                              "\" with at least " + gigabytes(tokens / most_epochs / training_part) + " of text (" +
                              number_text(most_epochs) + " epochs) is required in --data-dir or ROPELAB_DATA";
    std::vector<SheetData> sets;
    for (const std::string& name : names) {
        const auto folder = find_corpus(name, request);
        if (!folder && sets.empty() && request.only_plans) {
            notes.push_back("There is no folder \"" + name + "\" with text: " + needs + '.');
            sets.push_back({name, name, true, ""});
            continue;
        }
        if (!folder) {
            if (sets.empty())
                throw BadInput("The scale \"paper\" is not possible: " + needs + ", or choose the scale \"laptop\".");
            notes.push_back("There is no folder \"" + name + "\" with text, so this reproduction leaves it out.");
            continue;
        }
        const std::int64_t bytes = bytes_of(files_of_folder(*folder));
        const double epochs = tokens / static_cast<double>(split_sizes(bytes, Split::ninety_ten).training);
        if (epochs > most_epochs) {
            throw BadInput("The scale \"paper\" is not possible: the folder '" + folder->string() + "' has " +
                           grouped(bytes) + " bytes, which a run would train on for " +
                           number_text(std::round(10 * epochs) / 10) + " epochs, but " + needs +
                           ", or use the scale \"laptop\".");
        }
        notes.push_back("Each run trains for " + number_text(std::round(100 * epochs) / 100) + " epochs of the " +
                        grouped(bytes) + " bytes in the folder \"" + name + "\".");
        sets.push_back({name, folder->string(), true, ""});
    }
    return sets;
}

}  // namespace ropelab
