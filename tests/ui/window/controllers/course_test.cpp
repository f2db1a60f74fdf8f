#include <gtest/gtest.h>

#include <QComboBox>
#include <QDropEvent>
#include <QFileInfo>
#include <QLabel>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QUrl>

#include "core/lecture/class/class_work.h"
#include "core/sweep/lab_plan.h"
#include "tests/ui/support/window_fixture.h"
#include "ui/common/paths.h"
#include "ui/lecture/course/course.h"
#include "ui/lecture/questions/answers_dialog.h"
#include "ui/lecture/questions/answers_figure.h"
#include "ui/lecture/questions/question_panel.h"
#include "ui/lecture/stage.h"
#include "ui/plot/figure_view.h"
#include "ui/shell/room.h"
#include "ui/window/batch/batch_modes.h"
#include "ui/window/controllers/class_controller.h"
#include "ui/window/controllers/window_stage.h"

namespace ropelab::ui {
namespace {

class CourseTest : public WindowFixture {
 protected:
    /// Goes to the first scene of the wrong statements, which is the last lecture of the course.
    void goToStatements() {
        Course& course = window->classes().course();
        const auto* scenes = course.bar().findChild<QComboBox*>();
        int lecture = 0;
        for (int row = 0; row < scenes->count(); ++row)
            lecture = std::max(lecture, scenes->itemData(row).toPoint().x());
        course.goTo(lecture, 0);
    }
    /// Stores a lab that a student hands in.
    QString studentLab(const char* name, std::int64_t seed) {
        const QString path = file(name);
        const auto lab = LabFile::create(toPath(path));
        Experiment experiment = smallSweep(20);
        experiment.set("seed", {std::to_string(seed)});
        for (const PlannedRun& run : plan_new_runs(*lab, experiment).runs) {
            RunSummary summary;
            summary.iterations = 20;
            summary.best_validation_loss = summary.final_validation_loss = 2 + 0.1 * static_cast<double>(seed);
            lab->record(std::vector<Event>{event::CohortStarted{{run.id}, 0, 20, {"float32", "cpu", 1, "only one", ""}},
                                           event::Evaluated{run.id, 20, 2, 2},
                                           event::RunEnded{run.id, RunState::finished, "", summary}});
        }
        return path;
    }
    void drop(const QStringList& files) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& each : files) urls << QUrl::fromLocalFile(each);
        data.setUrls(urls);
        // Qt delivers a drop only to the widget that accepted the drag before.
        QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window.get(), &enter);
        ASSERT_TRUE(enter.isAccepted());
        QDropEvent event(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window.get(), &event);
    }
};

TEST_F(CourseTest, ShowsTheScenesInTheWindowAndGivesTheUsersSetupBack) {
    RotarySetup own;
    own.theta = 123456;
    window->workspace().rotary().change("own", own);
    window->workspace().rotary().endDrag();
    window->actions().action("help.course")->trigger();
    ASSERT_TRUE(window->classes().course().hasBegun());
    goToStatements();
    EXPECT_EQ(window->windowStage().setups().a.theta, 10000);
    window->classes().course().end();
    EXPECT_TRUE(waitUntil([&] { return window->workspace().rotary().setup().theta == 123456; }));
}

TEST_F(CourseTest, AStatementIsAnsweredWithTheNumberThatTheWindowComputes) {
    window->classes().showCourse();
    goToStatements();
    Course& course = window->classes().course();
    course.next();  // the scene begins at its first step
    ASSERT_TRUE(QTest::qWaitFor([&] { return course.questions().hasQuestion(); }));
    ASSERT_EQ(course.questions().question()->kind, LectureQuestion::Kind::number);
    ASSERT_TRUE(QTest::qWaitFor([&] { return course.questions().field()->focusTarget()->hasFocus(); }));
    QTest::keyClicks(QApplication::focusWidget(), "0");
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    ASSERT_TRUE(QTest::qWaitFor([&] { return course.questions().isRevealed(); }));
    EXPECT_TRUE(course.questions().answers().at(0).right);
    // Answers of a student alone stay in the settings.
    EXPECT_FALSE(window->workspace().lab().hasFile());
    EXPECT_FALSE(window->workspace().settings().value("course/progress").toString().isEmpty());
}

TEST_F(CourseTest, AnswersOfAClassAreStoredWithTheirGroupAndShown) {
    window->workspace().settings().setValue("lecture/group", QStringLiteral("third year"));
    AnswerRecord answer;
    answer.lecture = "Clocks";
    answer.scene = "hands";
    answer.question = "Which hand is slowest?";
    answer.kind = "choice";
    answer.given = answer.truth = "\"the last\"";
    answer.details = R"({"choices":["the first","the last"]})";
    answer.right = true;
    window->classes().storeAnswer(answer);
    ASSERT_TRUE(window->workspace().lab().hasFile());
    window->actions().action("lecture.answers")->trigger();
    ASSERT_TRUE(window->classes().answers() && window->classes().answers()->isVisible());
    EXPECT_TRUE(window->classes().answers()->words()->text().contains(QStringLiteral("third year: 1 of 1 right")));

    // The command line makes the same figure, although the lab has no runs.
    LaunchOptions options;
    options.lab = window->workspace().lab().path();
    options.figures = {QLatin1String(kAnswersFigure)};
    const std::vector<Figure> figures = makeFigures(options);
    ASSERT_EQ(figures.size(), 1U);
    EXPECT_EQ(figures[0].summary, window->classes().answers()->view()->figure().summary);
    EXPECT_EQ(figures[0].origin.flags["question"].toString(), "1");
}

TEST_F(CourseTest, ADeletedAnswerOfAClassCanBeRestoredOnce) {
    AnswerRecord answer;
    answer.lecture = "Clocks";
    answer.question = "Which hand is slowest?";
    answer.kind = "number";
    answer.given = answer.truth = "1";
    window->classes().storeAnswer(answer);
    window->actions().action("lecture.answers")->trigger();
    const AnswersDialog& dialog = *window->classes().answers();
    ASSERT_EQ(dialog.answers()->count(), 1);
    EXPECT_FALSE(dialog.undoButton()->isEnabled());
    dialog.answers()->selectAll();
    dialog.deleteButton()->click();
    EXPECT_TRUE(window->workspace().lab().file()->answers().empty());
    ASSERT_TRUE(dialog.undoButton()->isEnabled());
    dialog.undoButton()->click();
    EXPECT_EQ(window->workspace().lab().file()->answers().size(), 1U);
    EXPECT_FALSE(dialog.undoButton()->isEnabled());
}

TEST_F(CourseTest, ResultsOfAClassThatAreDroppedTogetherArePooled) {
    drop({studentLab("a.ropelab", 1), studentLab("b.ropelab", 2), studentLab("c.ropelab", 3)});
    ASSERT_TRUE(waitUntil([&] { return window->workspace().runs().runs().size() == 6; }));
    const ResultsTable table = class_table(*window->workspace().lab().file());
    ASSERT_EQ(table.groups.size(), 2U);
    EXPECT_EQ(table.groups[0].described[table.compared].n, 3);
    EXPECT_TRUE(QFileInfo(window->workspace().lab().path()).fileName().startsWith(QStringLiteral("class")));
    EXPECT_EQ(window->room().figure().name, QStringLiteral("group-means"));
}

TEST_F(CourseTest, FilesThatAreNoResultsAreExplained) {
    QFile notes(file("notes.json"));
    ASSERT_TRUE(notes.open(QIODevice::WriteOnly));
    notes.write("{}");
    notes.close();
    drop({file("notes.json"), file("missing.ropelab")});
    ASSERT_TRUE(waitUntil([&] {
        for (const QLabel* label : window->banners().findChildren<QLabel*>()) {
            if (label->text().contains(QStringLiteral("notes.json"))) return true;
        }
        return false;
    }));
    EXPECT_TRUE(QDir(file("labs")).entryList({"class*.ropelab"}).isEmpty());
    EXPECT_FALSE(window->workspace().lab().hasFile());
}

}  // namespace
}  // namespace ropelab::ui
