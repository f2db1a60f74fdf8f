#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/event.h"
#include "core/lecture/lecture.h"

namespace ropelab {

struct SceneRun {
    RunId id = 0;
    RunSpec spec;
};
/// Of the recorded lab of the scene, else of the experiment that it trains. Empty for a scene without runs and for a
/// lab that cannot be read, which check_lecture() reports.
std::vector<SceneRun> runs_of(const LectureScene& scene);

/// What a scene shows at a step, as far as the values of controls depend on it.
class ShownState {
 public:
    /// The scene must outlive this state.
    explicit ShownState(const LectureScene& scene);

    ComparedSetups setups;
    std::string room;  // "" for a page of text

    /// Applies a change that is no setting of the setup. Throws BadInput for a value that the control cannot have.
    void set_control(const LectureChange& change);
    void check_pair(std::int64_t pair);

 private:
    const std::vector<SceneRun>& runs();
    /// The largest number of the runs that can be shown; nullopt if they are unknown.
    template <typename Number>
    std::optional<std::int64_t> most(const Number& number_of);
    void set_run(const LectureChange& change);
    void check_of_runs(const LectureChange& change);

    const LectureScene& scene_;
    std::optional<std::vector<SceneRun>> runs_;  // read when a control first needs them
    std::optional<RunId> run_;                   // the run that a step has chosen
};

}  // namespace ropelab
