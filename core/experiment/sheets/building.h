#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/experiment/sheets/sheet.h"

namespace ropelab {

// What the sheets are put together from.

using Settings = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// A text that a sheet asks for, and what stands for it here.
struct SheetText {
    std::string asked;  // "enwik8"
    std::string data;   // value of the key `data`
    bool whole = true;  // the known set itself, in full
};

/// The known sets that a sheet asks for. One that is not there in full is replaced by its beginning, or else by a
/// generated text, and `notes` says so; a set for which no stand-in is left is dropped. At `paper` scale throws
/// BadInput instead, naming the set and how to fetch it.
std::vector<SheetText> texts_for(const std::vector<std::string>& names, const SheetRequest& request,
                                 std::vector<std::string>& notes);

/// The seeds 1337, 1338, …: as many as asked for, else two at `smoke` and `usual` otherwise. Throws BadInput unless
/// they are 2 to 1000.
std::vector<std::string> seeds_for(const SheetRequest& request, std::int64_t usual);

/// A plan with its names, source and experiment; `usual_seeds` as above. Notes say the scale and its seeds.
SheetPlan begin_plan(const char* name, const SheetRequest& request, const nlohmann::json& source,
                     std::int64_t usual_seeds);

void set_all(Experiment& experiment, const Settings& settings);

/// What makes a run a matter of seconds on any machine: one layer, a head of 64 channels, eight short steps.
Settings smoke_shape();
/// Two layers, one head of 64 channels, context 256: a run of seconds to a minute on two cores.
Settings laptop_shape();

/// A rule with the usual test and levels (VerdictRule tells what each of these is).
VerdictRule rule_of(VerdictRule::Kind kind, int direction, double margin, std::string family);

/// A row whose group is compared with a baseline.
PlannedRow compared_row(std::string claim, nlohmann::json keys, std::string measure, GroupKeys group,
                        GroupKeys baseline, VerdictRule rule);
/// A row that is only shown.
PlannedRow shown_row(nlohmann::json keys, std::string measure, GroupKeys group);

/// k groups of n in one named order against the others: 1 / C(n, k).
double chance_of_set(std::size_t n, std::size_t k);

/// The theta paper's shape and training.
Settings theta_paper_shape();
/// The six bases of the theta paper, the baseline 10,000 among them.
const std::vector<std::string>& theta_paper_bases();

}  // namespace ropelab
