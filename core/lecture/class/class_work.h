#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/results/results_table.h"
#include "core/store/lab_file.h"

namespace ropelab {

// Work of a class: each student trains the same experiment with a seed of their own, and the results are pooled.

struct StudentTask {
    std::string name;  // "student-07", the stem of the student's files
    std::int64_t seed = 0;
    Experiment experiment;
};
/// The first student has the first seed of the experiment, and each other one the next whole number. Throws BadInput
/// unless there are 1 to 999 students, and for an invalid experiment.
std::vector<StudentTask> student_tasks(const Experiment& experiment, int students);
/// Markdown: what each student types, and how the results are pooled. `lecture` is a file or name.
std::string class_sheet(const std::string& title, const std::string& lecture, const std::vector<StudentTask>& tasks);

struct ClassPool {
    struct Refused {
        std::filesystem::path file;
        std::string reason;
    };
    int runs = 0;   // runs that were added
    int files = 0;  // files that were read
    std::vector<Refused> refused;
};
/// A file is a lab, or what `ropelab-cli sweep … --json` prints. Runs that the lab has are not added again. Files that
/// cannot be read are refused; the others are still pooled.
ClassPool pool_class(LabFile& lab, std::vector<std::filesystem::path> files);

/// One group per setting, in which each student is one seed.
ResultsTable class_table(const LabFile& lab, const std::string& measure = "best_validation_loss");
/// For each setting: students, mean ± standard deviation and 95 % interval of the mean from Student's t distribution.
std::string class_text(const ResultsTable& table);
/// {"measure", "unit", "groups": [{"settings", "students", "mean", "standard_deviation", "low", "high", "values"}]}.
nlohmann::json class_json(const ResultsTable& table);

}  // namespace ropelab
