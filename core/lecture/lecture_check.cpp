#include "core/lecture/lecture_check.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/lecture/answer.h"
#include "core/lecture/lecture_rooms.h"
#include "core/lecture/quantity.h"
#include "core/lecture/recorded_lab.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

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
            if (step.ask) check_secret(step);
            for (const std::string& text : {step.say, step.ask ? step.ask->answer : std::string()}) {
                for (const std::string& each : quantities_in(text)) check_for_value(each, step.line);
            }
        }
        return std::move(results_);
    }

 private:
    void train() {
        CheckedQuantity result{scene_.id, scene_.line, "live", "finished", nullptr, false, ""};
        try {
            folder_ = std::make_unique<TemporaryFolder>();
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
            lab_ = std::make_unique<RecordedLab>(path);
            source_.lab = &lab_->lab();
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

    // Checks that what the class reads up to this step does not contain the answer to its question. The text of a scene
    // with a room closes the scene.
    void check_secret(const LectureStep& asking) {
        const LectureQuestion& question = *asking.ask;
        nlohmann::json truth;
        try {
            if (!question.quantity.empty()) truth = evaluate_quantity(question.quantity, source_);
        } catch (const std::exception&) {
            return;  // is reported as a quantity without a value
        }
        const SecretAnswer secret = secret_of(question, truth);
        CheckedQuantity result{scene_.id, question.line, "answer", "not given away", "not given away", true, ""};
        const auto read = [&](const char* what, const std::string& text, int line) {
            const std::string found = given_away(secret, with_quantities(text, source_));
            if (found.empty() || !result.ok) return;
            result.ok = false;
            result.problem = std::string(what) + " of line " + std::to_string(line) + " says \"" + found +
                             "\", which gives the answer away before the class has given one.";
        };
        read("the title", scene_.title, scene_.line);
        read("the question of the scene", scene_.question, scene_.line);
        if (scene_.room.empty() && !question.hides) read("the text", scene_.text, scene_.line);
        for (const LectureStep& step : scene_.steps) {
            read("the sentence", step.say, step.line);
            if (&step == &asking) break;
        }
        read("the question", question.text, question.line);
        read("the hint", question.hint, question.line);
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
    std::unique_ptr<TemporaryFolder> folder_;
    std::filesystem::path trained_;
    std::unique_ptr<RecordedLab> lab_;
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
