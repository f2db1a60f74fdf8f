#pragma once

#include <QComboBox>
#include <QPushButton>
#include <QTableView>
#include <functional>

#include "core/reproduce/sheet_lab.h"
#include "tests/ui/support/workbench.h"
#include "ui/controls/text_table.h"
#include "ui/rooms/reproduce/reproduce_room.h"

namespace ropelab::ui {

/// Fixture with the room "Reproduce" over a workspace whose engine needs no LibTorch; the sheets use synthetic
/// languages.
class ReproduceTest : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        makeRoom();
    }
    void makeRoom() {
        room.reset();
        workspace.reset();
        workspace = std::make_unique<Workspace>(options());
        room = std::make_unique<ReproduceRoom>(*workspace, workspace->runAccess(), workspace->settings());
        room->resize(900, 600);
        room->show();
    }

    void choose(const char* sheet, SheetScale scale = SheetScale::smoke) {
        room->choices().form().setValue("sheet", QLatin1String(sheet));
        room->choices().form().setValue("scale", static_cast<int>(scale));
    }
    QPushButton& button() { return *room->choices().startButton(); }
    bool isComplete() const {
        const auto& progress = room->trainer().progress();
        return room->trainer().step() == SheetTrainer::Step::idle && progress && progress->isComplete();
    }
    bool waitUntilComplete() {
        return waitUntil([this] { return isComplete(); });
    }
    bool waitUntilIdle() {
        return waitUntil([this] {
            return room->trainer().step() == SheetTrainer::Step::idle && !workspace->session().isActive() &&
                   !room->trainer().isLoading();
        });
    }
    static QString cell(const TextTable& table, int row, const QString& column) {
        const int index = table.columnOf(column);
        return index < 0 ? QStringLiteral("no column") : table.index(row, index).data().toString();
    }

    /// Returns the path of a new lab in which every run of the sheet has ended: finished with this best validation
    /// loss, or failed if the loss is not finite.
    QString recordedLab(const SheetPlan& plan, const std::function<double(const RunSpec&)>& loss) {
        const QString path = file("recorded.ropelab");
        const auto lab = LabFile::create(path.toStdString());
        enter_sheet(*lab, plan);
        const std::vector<RunSpec> specs = plan.experiment.expand();
        std::vector<Event> events;
        std::size_t next = 0;
        for (const RunRecord& run : lab->runs()) {
            RunSummary summary;
            summary.iterations = 8;
            summary.best_validation_loss = summary.final_validation_loss = loss(specs[next++]);
            const bool failed = !std::isfinite(summary.best_validation_loss);
            events.emplace_back(event::RunEnded{run.id, failed ? RunState::failed : RunState::finished,
                                                failed ? "The loss is not finite any more." : "", summary});
        }
        lab->record(events);
        return path;
    }

    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<ReproduceRoom> room;
};

}  // namespace ropelab::ui
