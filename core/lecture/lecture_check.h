#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/lecture/lecture.h"
#include "core/run/runner.h"

namespace ropelab {

struct CheckedQuantity {
    std::string scene;  // id
    int line = 0;
    std::string quantity;     // "live" for the training of a scene
    nlohmann::json expected;  // "finished" for a training
    nlohmann::json value;     // null if there is no value
    bool ok = false;
    std::string problem;  // why there is no value; "" if it was computed
};

struct LectureCheckOptions {
    std::filesystem::path data_dir;  // folder that is searched first for known data sets
    /// If it returns true, training stops and the check fails.
    std::function<bool()> cancelled;
    /// Called with the id of each scene before it is checked.
    std::function<void(const std::string&)> progress;
};

/// Changes of the rotary setup accumulate over the steps of a scene, and the checks of a step are computed after its
/// changes. Quantities of runs are computed from the recorded lab of the scene, or without one from the lab that the
/// scene trains. Each scene with an experiment trains it, on the CPU and with the settings for checks; the result is a
/// check "live". A quantity that cannot be computed is a failed check. The quantities of questions and of the number to
/// find are checked for a value only, and listed only if they have none. Each question is a check "answer", which fails
/// if a text that the class reads before gives the answer away; the figures are not read.
std::vector<CheckedQuantity> check_lecture(const Lecture& lecture, const LectureCheckOptions& options = {});

/// Numbers differ by at most `tolerance`, lists have equal lengths and agreeing elements, and null agrees with null.
bool agrees_with(const nlohmann::json& value, const nlohmann::json& expected, double tolerance);

/// Makes a lab with the runs of an experiment, ready to be trained. Throws BadInput for unreadable data.
Plan plan_into(const std::filesystem::path& lab, const Experiment& experiment, const std::filesystem::path& data_dir);
/// Returns the lab. Throws BadInput for unreadable data, and std::runtime_error if a run fails or is cancelled.
std::filesystem::path train_into(const std::filesystem::path& folder, const Experiment& experiment,
                                 const LectureCheckOptions& options);

}  // namespace ropelab
