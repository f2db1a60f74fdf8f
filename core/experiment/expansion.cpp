// The expansion of an experiment into its runs.
#include <algorithm>

#include "core/experiment/experiment.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

using Assignments = std::map<std::string, std::string>;

constexpr std::size_t most_runs = 20'000;

// Returns the run with these settings. They are applied in the order of the table of settings, so that the head
// dimension is known when a fraction such as "6 ch" is parsed.
RunSpec spec_of(const Assignments& choice) {
    RunSpec spec;
    for (const Key& entry : keys()) {
        const auto found = choice.find(std::string(entry.name));
        if (found != choice.end()) entry.set(spec, parse_value(entry, found->second, spec));
    }
    check(spec);
    return spec;
}

// Returns whether the run has this value of a setting; false for a value that is invalid for the run, such as more
// channels than its heads have.
bool has_value(const RunSpec& spec, const Key& key, const std::string& text) {
    RunSpec changed = spec;
    try {
        key.set(changed, parse_value(key, text, spec));
    } catch (const BadInput&) {
        return false;
    }
    return changed == spec;
}

bool has_all(const RunSpec& spec, const Assignments& assignments) {
    return std::all_of(assignments.begin(), assignments.end(),
                       [&](const auto& each) { return has_value(spec, key(each.first), each.second); });
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

void check_zip(const std::vector<std::string>& zip, const Experiment& experiment) {
    const std::size_t count = experiment.values(zip.front()).size();
    for (const std::string& name : zip) {
        const std::size_t here = experiment.values(name).size();
        if (here != count) {
            throw BadInput("Zipped settings must have equal numbers of values, but " + zip.front() + " has " +
                           std::to_string(count) + " and " + name + " has " + std::to_string(here) + ".");
        }
        for (const Assignments& run : experiment.explicit_runs()) {
            if (run.contains(name)) {
                throw BadInput("The setting " + name + " is zipped (" + joined(zip) +
                               ") and also set by explicit runs; remove one of the two.");
            }
        }
    }
}

}  // namespace

std::vector<RunSpec> Experiment::expand() const {
    // The product starts with the explicit runs and multiplies by each swept setting in the order of the table, so that
    // the first one varies slowest.
    std::vector<Assignments> choices = explicit_runs_;
    if (choices.empty()) choices.emplace_back();
    for (const auto& zip : zips_) check_zip(zip, *this);
    std::vector<const std::vector<std::string>*> done_zips;
    for (const Key& entry : keys()) {
        const std::string name(entry.name);
        const auto zip = std::find_if(zips_.begin(), zips_.end(), [&](const auto& candidate) {
            return std::find(candidate.begin(), candidate.end(), name) != candidate.end();
        });
        if (zip == zips_.end() && !is_set(name)) continue;
        if (zip != zips_.end()) {
            if (std::find(done_zips.begin(), done_zips.end(), &*zip) != done_zips.end()) continue;
            done_zips.push_back(&*zip);
        }
        const std::vector<std::string> members = zip == zips_.end() ? std::vector<std::string>{name} : *zip;
        std::vector<Assignments> next;
        for (const Assignments& choice : choices) {
            for (std::size_t i = 0; i < values(name).size(); ++i) {
                next.push_back(choice);
                for (const std::string& member : members) next.back().try_emplace(member, values(member)[i]);
                if (choice.contains(name)) break;  // an explicit run's own value has precedence
            }
        }
        if (next.size() > most_runs) {
            throw BadInput("The experiment has more than " + std::to_string(most_runs) +
                           " runs, one for each combination of its values; give fewer values, or sample some with " +
                           "a search.");
        }
        choices = std::move(next);
    }

    std::vector<RunSpec> runs;
    std::vector<bool> matched(exclusions_.size(), false);
    for (const Assignments& choice : choices) {
        RunSpec spec = spec_of(choice);
        bool left_out = false;
        for (std::size_t i = 0; i < exclusions_.size(); ++i) {
            if (!has_all(spec, exclusions_[i])) continue;
            left_out = true;
            matched[i] = true;
        }
        if (!left_out) runs.push_back(std::move(spec));
    }
    const auto unused = std::find(matched.begin(), matched.end(), false);
    if (unused != matched.end()) {
        throw BadInput("The exclusion " +
                       assignments_text(exclusions_[static_cast<std::size_t>(unused - matched.begin())]) +
                       " matches no run; remove it, or use values that occur in the experiment.");
    }
    if (runs.empty()) throw BadInput("The exclusions remove every run; remove one of them.");
    return runs;
}

}  // namespace ropelab
