#include "ui/session/sweep_session.h"

#include <gmock/gmock.h>

#include <QSignalSpy>

#include "core/base/error.h"
#include "core/store/sqlite.h"
#include "core/sweep/lab_plan.h"
#include "tests/ui/support/workbench.h"

namespace ropelab::ui {
namespace {

class SweepSessionTest : public Workbench {
 protected:
    SweepSessionTest() { m_plan = plan_new_runs(*m_lab, smallSweep(40)); }

    // Trains the plan and returns how the sweep ended and its message.
    std::pair<RunState, QString> train() {
        QSignalSpy ended(&m_session, &SweepSession::ended);
        m_session.start(m_plan, m_path);
        if (!waitUntil([&] { return !ended.isEmpty(); })) return {};
        return {ended[0][0].value<RunState>(), ended[0][1].toString()};
    }

    std::filesystem::path m_path = file("a.ropelab").toStdString();
    std::unique_ptr<LabFile> m_lab = LabFile::create(m_path);
    sqlite::Connection m_other{m_path, sqlite::Access::write};
    SweepSession m_session{[this]() -> Engine& { return engine; }};
    Plan m_plan;
};

TEST_F(SweepSessionTest, SweepFailsIfTheLabCannotStoreAllEvents) {
    m_other.run("CREATE TRIGGER full BEFORE INSERT ON step WHEN NEW.iteration > 20 BEGIN SELECT RAISE(ABORT, ''); END");
    const auto [how, message] = train();
    EXPECT_EQ(how, RunState::failed);
    EXPECT_THAT(message.toStdString(),
                ::testing::HasSubstr("Some results of this training are missing from the lab file, because"));
    EXPECT_EQ(m_lab->run(1).iteration, 20);
}

TEST_F(SweepSessionTest, DoesNotStartRunsThatAnotherProgramTrains) {
    m_other.run("UPDATE run SET writer = 'node7 12 34' WHERE id = 2");
    EXPECT_THROW(m_session.start(m_plan, m_path), BadInput);
    EXPECT_FALSE(m_session.isActive());
    EXPECT_FALSE(m_session.isTraining(1));
    m_lab->recover(true);
    EXPECT_EQ(train().first, RunState::finished) << "the session can still start the plan";
}

TEST_F(SweepSessionTest, DoesNotAppendRunsThatAnotherProgramTrains) {
    const Plan more = plan_new_runs(*m_lab, smallSweep(40));
    m_other.run("UPDATE run SET writer = 'node7 12 34' WHERE id = 3");
    engine.step_microseconds = 20000;
    m_session.start(m_plan, m_path);
    EXPECT_THROW(m_session.append(more.runs), BadInput);
    EXPECT_FALSE(m_session.isTraining(3));
    m_session.stop();
    EXPECT_TRUE(waitUntil([&] { return !m_session.isActive(); }));
}

}  // namespace
}  // namespace ropelab::ui
