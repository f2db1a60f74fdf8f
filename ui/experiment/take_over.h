#pragma once

#include "core/store/lab_file.h"
#include "ui/window/banners.h"

namespace ropelab::ui {

class Workspace;

/// Says that programs on other machines hold runs of the lab, of which nothing can be known here, and goes on with
/// those where the person knows that they have ended.
class TakeOver : public BannerArea {
    Q_OBJECT

 public:
    explicit TakeOver(Workspace& workspace, QWidget* parent = nullptr);

    /// Runs that could be taken over.
    const std::vector<HeldRun>& runs() const { return m_runs; }
    /// Takes them over, and goes on with what is left of them where nothing trains.
    void takeOver();

 private:
    void renew();

    Workspace& m_workspace;
    std::vector<HeldRun> m_runs;
};

}  // namespace ropelab::ui
