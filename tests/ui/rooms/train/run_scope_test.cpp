#include "ui/rooms/train/run_scope.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonArray>
#include <QLabel>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <algorithm>

#include "core/run/trained_run.h"
#include "core/study/head_conversion.h"
#include "tests/ui/rooms/train/train_room_bench.h"
#include "tests/ui/support/answered_dialogs.h"
#include "ui/plot/curve_plot.h"
#include "ui/rooms/train/head_conversion_dialog.h"
#include "ui/rooms/train/run_list.h"

namespace ropelab::ui {
namespace {

using namespace Qt::StringLiterals;

class RunScopeTest : public TrainRoomBench {
 protected:
    RunScope& scope() { return room->scope(); }
    std::vector<RunId> visible() const {
        std::vector<RunId> result;
        for (const RunView& run : workspace->runs().runs()) {
            if (run.visible) result.push_back(run.record.id);
        }
        return result;
    }
    void choose(const QString& text) {
        const int index = scope().choice()->findText(text);
        ASSERT_GE(index, 0) << text.toStdString();
        scope().choice()->setCurrentIndex(index);
        emit scope().choice()->activated(index);
    }
};

TEST_F(RunScopeTest, AHalvingThatBeginsAnewSaysWhy) {
    train();
    RunStore& runs = workspace->runs();
    const RunConditions conditions{"float32", "cpu", 1, std::string("float32 here. ") + halving_begins_anew};
    runs.apply({DiscardAfter{1, -1}, Event(event::CohortStarted{{1}, 0, 60, conditions})});
    EXPECT_EQ(verdictSoFar(runs, false).headline, halving_begins_anew);
    runs.apply({Event(event::Evaluated{1, 20, 2, 2})});
    EXPECT_NE(verdictSoFar(runs, false).headline, halving_begins_anew);
}

TEST_F(RunScopeTest, SaysHowManyEarlierRunsANewSweepHides) {
    train();
    EXPECT_EQ(scope().hiddenText(), "");
    EXPECT_TRUE(scope().showAllButton()->isHidden());
    EXPECT_EQ(scope().choice()->currentText(), "This sweep");
    train();
    EXPECT_EQ(visible(), (std::vector<RunId>{3, 4}));
    EXPECT_EQ(scope().hiddenText(), "2 runs of earlier sweeps hidden");
    const int before = room->plot().mapTo(room.get(), QPoint()).y();
    scope().showAllButton()->click();
    EXPECT_EQ(visible(), (std::vector<RunId>{1, 2, 3, 4}));
    EXPECT_EQ(scope().hiddenText(), "");
    EXPECT_EQ(scope().choice()->currentText(), "All sweeps");
    EXPECT_EQ(room->plot().mapTo(room.get(), QPoint()).y(), before);
    workspace->runs().setVisible(3, false);
    QCoreApplication::processEvents();  // many runs may follow
    EXPECT_EQ(scope().choice()->currentText(), "Ticked runs");
    EXPECT_EQ(scope().hiddenText(), "1 run hidden");
}

TEST_F(RunScopeTest, ShowsThePickedRunOrOneSetting) {
    train();
    train();
    room->runList().pick(2);
    choose("This run");
    EXPECT_EQ(visible(), (std::vector<RunId>{2}));
    room->runList().pick(3);
    EXPECT_EQ(visible(), (std::vector<RunId>{3})) << "the plot follows the picked run";
    const QString setting = scope().choice()->itemText(scope().choice()->count() - 1);
    EXPECT_TRUE(setting.startsWith("Setting: θ 10k")) << setting.toStdString();
    choose(setting);
    EXPECT_EQ(visible(), (std::vector<RunId>{2, 4})) << "the setting in both sweeps";
    EXPECT_EQ(scope().scope(), RunScope::Scope::setting);
    choose("This sweep");
    EXPECT_EQ(visible(), (std::vector<RunId>{3, 4}));
}

TEST_F(RunScopeTest, FiguresStateTheSettingsOfTheShownRuns) {
    const auto isStated = [this](const QString& key, const QJsonValue& value) {
        return waitUntil([&] { return room->exportedFigure().settings.value(key) == value; }, 5000);
    };
    train();
    workspace->experiment().edit("more steps", [](Experiment& experiment) { experiment.set("iterations", {"80"}); });
    train();
    EXPECT_TRUE(isStated("iterations", 80));
    EXPECT_TRUE(isStated("theta", QJsonArray{100, 10000}));
    choose("All sweeps");
    EXPECT_TRUE(isStated("iterations", QJsonArray{60, 80}));
    room->runList().pick(2);
    choose("This run");
    EXPECT_TRUE(isStated("iterations", 60)) << "the newest experiment has 80 steps";
    EXPECT_TRUE(isStated("theta", QJsonValue(QJsonValue::Undefined))) << "the default";
}

TEST_F(RunScopeTest, TheMenuOfARunTakesItsSettingsAndComparesIt) {
    train();
    workspace->experiment().edit("more steps", [](Experiment& experiment) { experiment.set("iterations", {"80"}); });
    room->runList().pick(2);
    const auto openMenu = [this] {
        RunList& list = room->runList();
        emit list.customContextMenuRequested(list.visualRect(list.currentIndex()).center());
        return list.findChild<QMenu*>("run-menu");
    };
    const auto action = [](const QMenu& menu, const QString& text) {
        for (QAction* each : menu.actions()) {
            if (each->text() == text) return each;
        }
        throw std::runtime_error("no such action");
    };
    QPointer<QMenu> menu = openMenu();
    ASSERT_NE(menu, nullptr);
    // Some versions of Qt close a menu when a dialog opens, and a closed menu is deleted.
    const auto opened = [&]() -> QMenu& {
        if (!menu) menu = openMenu();
        return *menu;
    };
    std::pair<RunId, RunId> asked;
    QObject::connect(workspace.get(), &SessionActions::inspectAsked, room.get(), [&](RunId run, RunId other) {
        asked = {run, other};
    });
    action(*menu, "Inspect run")->trigger();
    EXPECT_EQ(asked, (std::pair<RunId, RunId>{2, 0}));
    const QMenu* others = action(*menu, "Compare with")->menu();
    ASSERT_EQ(others->actions().size(), 1);
    others->actions().front()->trigger();
    EXPECT_EQ(asked, (std::pair<RunId, RunId>{2, 1}));

    RunId compared = 0;
    QObject::connect(workspace.get(), &SessionActions::setupComparisonAsked, room.get(),
                     [&](RunId run) { compared = run; });
    action(*menu, "Compare run's rotary setup")->trigger();
    EXPECT_EQ(compared, 2);

    EXPECT_TRUE(action(*menu, "Convert heads …")->isEnabled());
    action(*menu, "Convert heads …")->trigger();
    auto* conversion = room->runList().findChild<HeadConversionDialog*>();
    ASSERT_NE(conversion, nullptr);
    QSignalSpy ended(conversion, &HeadConversionDialog::ended);
    for (auto* button : conversion->findChildren<QPushButton*>()) {
        if (button->text() == "Convert heads") button->click();
    }
    ASSERT_TRUE(ended.wait(60000));
    const auto labels = conversion->findChildren<QLabel*>();
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](QLabel* label) {
        return label->text().contains("heads merged") && label->text().contains("Validation loss");
    }));
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](QLabel* label) {
        return label->text().startsWith("Conversions of heads that are stored in the lab file:") &&
               label->text().contains("key and value heads");
    }));
    EXPECT_EQ(stored_head_conversions(*workspace->lab().file()).size(), 1U);
    conversion->close();

    action(opened(), "Use run's settings")->trigger();
    const std::vector<RunSpec> taken = workspace->experiment().value().expand();
    ASSERT_EQ(taken.size(), 1u);
    EXPECT_EQ(taken.front(), workspace->runs().find(2)->spec);
    workspace->undo().undo();
    EXPECT_EQ(workspace->experiment().value().expand().size(), 2u);
    EXPECT_EQ(workspace->experiment().value().expand().front().iterations, 80);

    action(opened(), "Pin this setting")->trigger();
    EXPECT_TRUE(workspace->runs().find(2)->pinned);
    EXPECT_EQ(room->runList().picked(), 2) << "the picked run stays picked although its row changes";
    action(*action(opened(), "Colour of this setting")->menu(), "green")->trigger();
    EXPECT_EQ(workspace->runs().find(2)->ink.index, 2);
    EXPECT_EQ(room->figure().curves.back().ink.index, 2);
}

TEST_F(RunScopeTest, TheModelOfARunIsExported) {
    train();
    RunList& list = room->runList();
    list.pick(2);
    AnsweredDialogs answers;
    list.exportModel(2);
    EXPECT_EQ(answers.questions.size(), 1) << "a cancelled question exports nothing";
    EXPECT_FALSE(list.isExporting());
    // The checkpoints of the engine for tests have no weights, so nothing is written.
    QSignalSpy problem(workspace.get(), &SessionActions::problem);
    for (const QString& name : {u"model"_s, u"model.gguf"_s}) {
        answers.path = folder.filePath(name);
        list.exportModel(2);
        ASSERT_TRUE(problem.count() == 1 || problem.wait(30000));
        EXPECT_EQ(problem.takeFirst().front().toString(), "model.export");
        EXPECT_FALSE(QFileInfo::exists(answers.path));
    }
    QDir(folder.path()).mkpath("model/other");
    // A folder that is not empty.
    answers.path = folder.filePath("model");
    list.exportModel(2);
    ASSERT_TRUE(problem.wait(30000));
    EXPECT_TRUE(problem.front().back().toString().contains("name a new folder or an empty one"));
}

}  // namespace
}  // namespace ropelab::ui
