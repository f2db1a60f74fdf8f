#include "core/lecture/lecture_check.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/lecture/answer.h"
#include "core/lecture/lecture_rooms.h"
#include "core/lecture/quantities/quantity.h"
#include "core/lecture/recorded_lab.h"
#include "core/lecture/secrets.h"
#include "core/machine/engine_loader.h"
#include "core/store/lab_recorder.h"
#include "core/sweep/lab_plan.h"

namespace ropelab {

Plan plan_into(const std::filesystem::path& lab, const Experiment& experiment, const std::filesystem::path& data_dir) {
    Plan plan;
    plan.data_dir = data_dir;
    const auto file = create_filled_lab(lab, [&](LabFile& fresh) {
        plan.runs = plan_new_runs(fresh, experiment).runs;
        settle_data(fresh, plan);
    });
    plan.runs = plan_continued_runs(*file, unfinished_runs(*file)).runs;
    return plan;
}

namespace {

void require_finished(const std::filesystem::path& lab) {
    for (const RunRecord& run : LabFile::open(lab, LabFile::Mode::read)->runs()) {
        if (run.state == RunState::finished) continue;
        throw std::runtime_error("The run \"" + run.name + "\" did not finish" +
                                 (run.message.empty() ? "." : ": " + run.message));
    }
}

}  // namespace

std::filesystem::path train_into(const std::filesystem::path& folder, const Experiment& experiment,
                                 const LectureCheckOptions& options) {
    const std::filesystem::path lab = folder / "checks.ropelab";
    Plan plan = plan_into(lab, experiment, options.data_dir);
    LabRecorder recorder(lab);
    connect(plan, lab, recorder);
    Runner runner(open_engine, [&](const Event& event) { recorder.record(event); });
    runner.start(std::move(plan));
    bool cancelled = false;
    while (runner.running()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (!cancelled && options.cancelled && options.cancelled()) {
            cancelled = true;
            runner.stop();
        }
    }
    runner.join();
    if (const std::string error = recorder.close(); !error.empty()) throw std::runtime_error(error);
    if (cancelled) throw std::runtime_error("Training was interrupted.");
    require_finished(lab);
    return lab;
}

namespace {

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
            if (step.ask) check_tolerance(*step.ask);
            if (step.ask) check_secret(step);
            for (const std::string& text : {step.say, step.ask ? step.ask->answer : std::string()}) {
                for (const std::string& each : quantities_in(text)) check_for_value(each, step.line);
            }
        }
        return std::move(results_);
    }

 private:
    // The problem is what `compute` throws.
    void add(int line, std::string quantity, nlohmann::json expected,
             const std::function<void(CheckedQuantity&)>& compute) {
        CheckedQuantity result{scene_.id, line, std::move(quantity), std::move(expected), nullptr, false, ""};
        try {
            compute(result);
        } catch (const std::exception& error) {
            result.problem = error.what();
        }
        results_.push_back(std::move(result));
    }

    void train() {
        add(scene_.line, "live", "finished", [&](CheckedQuantity& result) {
            folder_ = std::make_unique<TemporaryFolder>();
            trained_ = train_into(folder_->path(), experiment_of(*scene_.live, true), options_);
            if (auto plan = scene_.live->extrapolation) {
                plan->steps = 1;
                extrapolate_runs(open_engine(), trained_, *plan, options_.data_dir,
                                 [&](double) { return !options_.cancelled || !options_.cancelled(); });
            }
            result.value = "finished";
            result.ok = true;
        });
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
        add(wanted.line, wanted.quantity, wanted.expected, [&](CheckedQuantity& result) {
            result.value = evaluate_quantity(wanted.quantity, source_);
            result.ok = agrees_with(result.value, wanted.expected, wanted.tolerance);
        });
    }

    // What the class reads up to this step must not contain the answer. Text of a room closes the scene.
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
                             "\", which gives the answer away before the class has answered.";
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
        for (const LectureMistake& mistake : question.wrong)
            read("the sentence on a wrong answer", mistake.say, question.line);
        results_.push_back(std::move(result));
    }

    // Listed only if nobody could type the answer, or if a careless answer would be right.
    void check_tolerance(const LectureQuestion& question) {
        if (question.quantity.empty()) return;
        nlohmann::json truth;
        try {
            truth = evaluate_quantity(question.quantity, source_);
        } catch (const std::exception&) {
            return;  // is reported as a quantity without a value
        }
        if (!truth.is_number()) return;
        const auto value = truth.get<double>();
        CheckedQuantity result{scene_.id,          question.line, "tolerance", "suits the answer",
                               question.tolerance, false,         ""};
        if (question.tolerance == 0 && value != std::round(value)) {
            result.problem =
                "The answer " + number_text(value) + " is not whole, so nobody can type it exactly; give a tolerance.";
        } else if (value != 0 && question.tolerance >= std::abs(value)) {
            result.problem =
                "The tolerance is not smaller than the answer " + number_text(value) + ", so 0 would be right.";
        }
        if (!result.problem.empty()) results_.push_back(std::move(result));
    }

    void check_for_value(const std::string& quantity, int line) {
        add(line, quantity, "a value", [&](CheckedQuantity& result) {
            result.value = evaluate_quantity(quantity, source_);
            result.ok = !result.value.is_null();
            if (!result.ok) result.problem = "The quantity has no value for the setup or the runs of this scene.";
        });
        if (results_.back().ok) results_.pop_back();  // only what has no value is listed
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

namespace {

// What the class reads or sees in the scenes before the one that asks must not contain the answer; "" if it does not.
std::string told_earlier(const LectureSecret& secret, const Lecture& lecture) {
    const std::string title_page = secret.given_away_by(lecture.text);
    if (!title_page.empty()) return "The title page says \"" + title_page + "\"";
    for (std::size_t i = 0; i < secret.scene; ++i) {
        const LectureScene& scene = lecture.scenes[i];
        const std::string place = " of the scene \"" + scene.id + "\"";
        std::vector<std::pair<std::string, const std::string*>> texts = {{"The title" + place, &scene.title},
                                                                         {"The question" + place, &scene.question},
                                                                         {"The text" + place, &scene.text}};
        const std::vector<LectureSight> sights = sights_of(scene);
        for (std::size_t k = 0; k < scene.steps.size(); ++k) {
            const LectureStep& step = scene.steps[k];
            const std::string line = " of line " + std::to_string(step.line);
            texts.emplace_back("The sentence" + line, &step.say);
            if (step.ask) {
                texts.emplace_back("The question" + line, &step.ask->text);
                texts.emplace_back("The hint" + line, &step.ask->hint);
                texts.emplace_back("The answer" + line, &step.ask->answer);
            }
            if (secret.is_shown_by(sights[k])) return "The picture of line " + std::to_string(step.line) + " shows it";
            const auto states = [&](const LectureCheck& check) {
                return check.quantity == secret.quantity && sights[k].setups == secret.sight.setups;
            };
            if (!secret.quantity.empty() && std::any_of(step.checks.begin(), step.checks.end(), states)) {
                return "The sentence" + line + " states " + secret.quantity;
            }
        }
        for (const auto& [what, text] : texts) {
            if (const std::string found = secret.given_away_by(*text); !found.empty())
                return what + " says \"" + found + "\"";
        }
    }
    return {};
}

}  // namespace

std::vector<CheckedQuantity> check_lecture(const Lecture& lecture, const LectureCheckOptions& options) {
    std::vector<CheckedQuantity> all;
    for (const LectureScene& scene : lecture.scenes) {
        if (options.progress) options.progress(scene.id);
        for (CheckedQuantity& each : SceneChecks(scene, options).run()) all.push_back(std::move(each));
    }
    for (const LectureSecret& secret : secrets_of(lecture)) {
        const auto asked = std::find_if(all.begin(), all.end(), [&](const CheckedQuantity& each) {
            return each.quantity == "answer" && each.line == secret.line;
        });
        if (asked == all.end() || !asked->ok) continue;
        if (const std::string told = told_earlier(secret, lecture); !told.empty()) {
            asked->ok = false;
            asked->problem = told + ", which gives the answer away before its question.";
        }
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
