#include "core/lecture/lecture_check.h"

#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <system_error>

#include "core/lecture/lecture_rooms.h"
#include "core/lecture/quantity.h"
#include "core/spec/error.h"
#include "core/store/lab_file.h"

namespace ropelab {

namespace {

/// Temporary folder for the labs that the checks train.
class CheckFolder {
 public:
    CheckFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "ropelab-lecture-XXXXXX").string();
        if (!mkdtemp(pattern.data())) throw std::runtime_error("A temporary folder for training cannot be created.");
        path_ = pattern;
    }
    ~CheckFolder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    CheckFolder(const CheckFolder&) = delete;
    CheckFolder& operator=(const CheckFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

 private:
    std::filesystem::path path_;
};

/// Computes the checks of one scene.
class SceneChecks {
 public:
    SceneChecks(const LectureScene& scene, const LectureCheckOptions& options) : scene_(scene), options_(options) {}

    std::vector<CheckedQuantity> run() {
        source_.setups = scene_.setup;
        room_ = scene_.room;
        if (scene_.live) train();
        open_lab();
        if (!scene_.find.empty()) check_for_value(scene_.find, scene_.line);
        for (const LectureStep& step : scene_.steps) {
            apply(step);
            for (const LectureCheck& each : step.checks) check(each);
            if (step.ask && !step.ask->quantity.empty()) check_for_value(step.ask->quantity, step.ask->line);
        }
        return std::move(results_);
    }

 private:
    void train() {
        CheckedQuantity result{scene_.id, scene_.line, "live", "finished", nullptr, false, ""};
        try {
            folder_ = std::make_unique<CheckFolder>();
            trained_ = train_into(folder_->path(), experiment_of(*scene_.live, true), options_);
            result.value = "finished";
            result.ok = true;
        } catch (const std::exception& error) {
            result.problem = error.what();
        }
        results_.push_back(std::move(result));
    }

    void open_lab() {
        const std::filesystem::path& path = scene_.lab.empty() ? trained_ : scene_.lab;
        if (path.empty()) return;
        try {
            lab_ = LabFile::open(path, LabFile::Mode::read);
            source_.lab = lab_.get();
        } catch (const BadInput& error) {
            results_.push_back({scene_.id, scene_.line, "lab", "readable", nullptr, false, error.what()});
        }
    }

    void apply(const LectureStep& step) {
        for (const LectureChange& change : step.set) {
            if (change.key == "room") room_ = lecture_view(change.value).room;
            apply_to_setups(change, room_, source_.setups);
        }
    }

    void check(const LectureCheck& wanted) {
        CheckedQuantity result{scene_.id, wanted.line, wanted.quantity, wanted.expected, nullptr, false, ""};
        try {
            result.value = evaluate_quantity(wanted.quantity, source_);
            result.ok = agrees_with(result.value, wanted.expected, wanted.tolerance);
        } catch (const std::exception& error) {
            result.problem = error.what();
        }
        results_.push_back(std::move(result));
    }

    void check_for_value(const std::string& quantity, int line) {
        CheckedQuantity result{scene_.id, line, quantity, "a value", nullptr, false, ""};
        try {
            result.value = evaluate_quantity(quantity, source_);
            if (!result.value.is_null()) return;
            result.problem = "The quantity has no value here.";
        } catch (const std::exception& error) {
            result.problem = error.what();
        }
        results_.push_back(std::move(result));
    }

    const LectureScene& scene_;
    const LectureCheckOptions& options_;
    QuantitySource source_;
    std::string room_;
    std::unique_ptr<CheckFolder> folder_;
    std::filesystem::path trained_;
    std::unique_ptr<LabFile> lab_;
    std::vector<CheckedQuantity> results_;
};

}  // namespace

std::vector<CheckedQuantity> check_lecture(const Lecture& lecture, const LectureCheckOptions& options) {
    std::vector<CheckedQuantity> all;
    for (const LectureScene& scene : lecture.scenes) {
        if (options.progress) options.progress(scene.id);
        for (CheckedQuantity& each : SceneChecks(scene, options).run()) all.push_back(std::move(each));
    }
    return all;
}

bool agrees_with(const nlohmann::json& value, const nlohmann::json& expected, double tolerance) {
    if (value.is_number() && expected.is_number()) {
        return std::abs(value.get<double>() - expected.get<double>()) <= tolerance;
    }
    if (value.is_array() && expected.is_array()) {
        return std::equal(
            value.begin(), value.end(), expected.begin(), expected.end(),
            [&](const nlohmann::json& a, const nlohmann::json& b) { return agrees_with(a, b, tolerance); });
    }
    return value.is_null() && expected.is_null();
}

}  // namespace ropelab
