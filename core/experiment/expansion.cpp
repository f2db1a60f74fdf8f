// How an experiment becomes runs.
#include <algorithm>

#include "core/experiment/experiment.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

using Assignments = std::map<std::string, std::string>;

// In the table's order, so that the head dimension is known when "6 ch" is read.
RunSpec spec_of(const Assignments& choice) {
    RunSpec spec;
    for (const Key& entry : keys()) {
        const auto found = choice.find(std::string(entry.name));
        if (found != choice.end()) entry.set(spec, parse_value(entry, found->second, spec));
    }
    check(spec);
    return spec;
}

// Whether the run has this value; a number of channels that its heads do not have is another one.
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
            throw BadInput("Keys that are zipped need equally many values, but " + zip.front() + " has " +
                           std::to_string(count) + " and " + name + " has " + std::to_string(here) + ".");
        }
        for (const Assignments& run : experiment.explicit_runs()) {
            if (run.contains(name)) {
                throw BadInput("The key " + name + " is zipped (" + joined(zip) +
                               ") and also set by the explicit runs; leave one of them out.");
            }
        }
    }
}

}  // namespace

std::vector<RunSpec> Experiment::expand() const {
    // Explicit runs first, then each swept key in the table's order: the first varies slowest.
    std::vector<Assignments> choices = explicit_runs_;
    if (choices.empty()) choices.emplace_back();
    for (const auto& zip : zips_) check_zip(zip, *this);
    std::vector<const std::vector<std::string>*> met;
    for (const Key& entry : keys()) {
        const std::string name(entry.name);
        const auto zip = std::find_if(zips_.begin(), zips_.end(), [&](const auto& candidate) {
            return std::find(candidate.begin(), candidate.end(), name) != candidate.end();
        });
        if (zip == zips_.end() && !is_set(name)) continue;
        if (zip != zips_.end()) {
            if (std::find(met.begin(), met.end(), &*zip) != met.end()) continue;  // took its place already
            met.push_back(&*zip);
        }
        const std::vector<std::string> together = zip == zips_.end() ? std::vector<std::string>{name} : *zip;
        std::vector<Assignments> next;
        for (const Assignments& choice : choices) {
            for (std::size_t i = 0; i < values(name).size(); ++i) {
                next.push_back(choice);
                for (const std::string& member : together) next.back().try_emplace(member, values(member)[i]);
                if (choice.contains(name)) break;  // the run's own value stands
            }
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
    const auto idle = std::find(matched.begin(), matched.end(), false);
    if (idle != matched.end()) {
        throw BadInput("The exclusion " +
                       assignments_text(exclusions_[static_cast<std::size_t>(idle - matched.begin())]) +
                       " matches no run; leave it out or name values that the experiment has.");
    }
    if (runs.empty()) throw BadInput("The exclusions leave out every run; take one of them back.");
    return runs;
}

}  // namespace ropelab
