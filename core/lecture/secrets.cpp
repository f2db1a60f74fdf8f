#include "core/lecture/secrets.h"

#include <algorithm>
#include <optional>

#include "core/lecture/lecture_rooms.h"
#include "core/lecture/quantities/quantity.h"
#include "core/lecture/recorded_lab.h"

namespace ropelab {

namespace {

// Null if it has none or cannot be computed.
nlohmann::json truth_of(const LectureQuestion& question, const LectureScene& scene, const ComparedSetups& setups) {
    if (question.quantity.empty()) return nullptr;
    try {
        std::optional<RecordedLab> lab;
        if (!scene.lab.empty() && quantity_needs_lab(question.quantity)) lab.emplace(scene.lab);
        return evaluate_quantity(question.quantity, {setups, lab ? &lab->lab() : nullptr});
    } catch (const std::exception&) {
        return nullptr;
    }
}

}  // namespace

std::vector<LectureSight> sights_of(const LectureScene& scene) {
    LectureSight now{scene.room, scene.part, scene.setup, scene.lab.string()};
    std::vector<LectureSight> sights;
    for (const LectureStep& step : scene.steps) {
        for (const LectureChange& change : step.set) {
            if (change.key == "room") {
                const LectureView view = lecture_view(change.value);
                now.room = view.room;
                now.part = view.part;
            }
            apply_to_setups(change, now.room, now.setups);
        }
        sights.push_back(now);
    }
    return sights;
}

std::string LectureSecret::given_away_by(std::string_view text) const {
    constexpr int distinct_digits = 3;
    SecretAnswer distinct = answer;
    std::erase_if(distinct.numbers, [](double number) { return significant_digits(number) < distinct_digits; });
    // What the answer leaves of a number of the question is said of other things, too.
    if (!distinct.numbers.empty() && distinct.numbers.front() != answer.numbers.front()) distinct.numbers.clear();
    distinct.numbers.resize(std::min<std::size_t>(1, distinct.numbers.size()));
    distinct.least_digits = distinct_digits;
    std::erase_if(distinct.clauses, [](const std::string& clause) {
        return std::count(clause.begin(), clause.end(), ' ') < 4;  // "8 MB" is said of other things, too
    });
    return given_away(distinct, text);
}

std::vector<LectureSecret> secrets_of(const Lecture& lecture) {
    std::vector<LectureSecret> secrets;
    for (std::size_t scene = 0; scene < lecture.scenes.size(); ++scene) {
        const LectureScene& shown = lecture.scenes[scene];
        const std::vector<LectureSight> sights = sights_of(shown);
        for (std::size_t step = 0; step < shown.steps.size(); ++step) {
            const auto& ask = shown.steps[step].ask;
            if (!ask) continue;
            secrets.push_back({scene, step, ask->line, secret_of(*ask, truth_of(*ask, shown, sights[step].setups)),
                               ask->quantity, sights[step], ask->hides_figure()});
        }
    }
    return secrets;
}

}  // namespace ropelab
