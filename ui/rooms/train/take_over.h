#pragma once

#include "core/store/lab_file.h"
#include "ui/common/banners.h"
#include "ui/session/run_access.h"

namespace ropelab::ui {

class SessionActions;

/// Reports runs of the lab that a program on another machine was training. This program cannot check whether it still
/// runs; a user who knows that it has ended can take the runs over and resume them.
class TakeOver : public BannerArea {
    Q_OBJECT

 public:
    TakeOver(SessionActions& actions, RunAccess access, QWidget* parent = nullptr);

    const std::vector<ClaimedRun>& runs() const { return m_runs; }
    /// Resumes the unfinished ones of these runs, unless a sweep trains already.
    void takeOver();

 private:
    void renew();

    SessionActions& m_actions;
    RunAccess m_access;
    std::vector<ClaimedRun> m_runs;
};

}  // namespace ropelab::ui
