#pragma once

#include <QTableView>
#include <cmath>

#include "core/sweep/search.h"
#include "tests/ui/support/workbench.h"
#include "ui/rooms/results/group_table.h"
#include "ui/rooms/results/results_room.h"

namespace ropelab::ui {

/// Fixture with a Results room and labs of finished runs.
class ResultsRoomTest : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        workspace = std::make_unique<Workspace>(options());
        workspace->settings().setValue("results/test", "welch");
        room = std::make_unique<ResultsRoom>(*workspace, workspace->runAccess(), workspace->settings());
        room->resize(900, 600);
    }

    // Opens a lab of finished runs. Each pair is a theta and the best validation losses of its seeds 1, 2, 3, … A
    // `search` is the document of a search that chose the settings.
    void openLab(const std::vector<std::pair<double, std::vector<double>>>& groups, const std::string& search = {}) {
        const QString path = file(QStringLiteral("recorded %1.ropelab").arg(++labs).toLatin1().constData());
        {
            const auto lab = LabFile::create(path.toStdString());
            const std::int64_t experiment = lab->add_experiment("recorded", Experiment("recorded").to_json().dump());
            if (!search.empty()) lab->add_document(experiment, search_document, search);
            for (const auto& [theta, losses] : groups) {
                for (std::size_t i = 0; i < losses.size(); ++i) {
                    const nlohmann::json settings = {{"theta", theta}, {"seed", i + 1}};
                    const RunId run =
                        lab->add_run(experiment, "θ " + std::to_string(static_cast<int>(theta)), settings.dump());
                    RunSummary summary;
                    summary.iterations = 200;
                    summary.best_validation_loss = losses[i];
                    summary.final_validation_loss = losses[i] + 0.1;
                    summary.final_training_loss = losses[i] - 0.1;
                    summary.seconds = 10;
                    summary.tokens_per_second = 1000;
                    const bool failed = !std::isfinite(losses[i]);
                    std::vector<Event> events = {event::Evaluated{run, 100, 2.0, failed ? 9.0 : losses[i] + 0.5},
                                                 event::Evaluated{run, 200, 1.0, failed ? 9.0 : losses[i]}};
                    events.emplace_back(event::RunEnded{run, failed ? RunState::failed : RunState::finished,
                                                        failed ? "The loss is not finite any more." : "", summary});
                    lab->record(events);
                }
            }
        }
        workspace->lab().open(path);
        room->show();
        ASSERT_TRUE(waitUntil([&] { return !room->isEmpty(); }));
    }
    void openUsual() { openLab({{10000, {1.50, 1.51, 1.52}}, {500, {1.30, 1.32, 1.31}}, {2000, {1.505, 1.50, 1.53}}}); }

    QString cell(int row, const QString& column) {
        const int place = room->groups().columnOf(column);
        const auto* model = room->groupView().model();
        return place < 0 ? QStringLiteral("no column") : model->index(row, place).data().toString();
    }

    int labs = 0;
    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<ResultsRoom> room;
};

}  // namespace ropelab::ui
