#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>

#include "core/base/error.h"
#include "tests/ui/rooms/reproduce/reproduce_fixture.h"
#include "tests/ui/support/answered_dialogs.h"
#include "ui/common/results_words.h"
#include "ui/rooms/reproduce/claims_page.h"
#include "ui/rooms/reproduce/letters_view.h"
#include "ui/shell/actions.h"
#include "ui/window/main_window.h"

namespace ropelab::ui {
namespace {

TEST_F(ReproduceTest, ShowsClaimsRunsAndRulesBeforeTheStart) {
    choose("theta-table-3");
    EXPECT_EQ(room->page(), ReproduceRoom::Page::effects);
    EXPECT_TRUE(room->words().startsWith("This reproduction has not started.")) << room->words().toStdString();
    EXPECT_EQ(button().text(), "Start without a verdict");
    EXPECT_TRUE(button().isEnabled());
    EXPECT_TRUE(room->choices().startAgainButton()->isHidden());
    EXPECT_TRUE(room->choices().costText().startsWith("14 runs, trained sequentially; estimate: about "))
        << room->choices().costText().toStdString();
    const QString page = room->claims().text();
    for (const char* part :
         {"Claim 1", "– not testable", "Not testable: none of the claim's ", "Needed for a verdict: Runs of the scale",
          "Rule of claim 1: ", "Scale \"smoke\"", "θ 500", "2 runs", "Two-sided t test paired by seed"}) {
        EXPECT_TRUE(page.contains(QString::fromUtf8(part))) << part;
    }
    for (const Claim& claim : sheet("theta-table-3").plan({SheetScale::smoke, {}, {}}).claims) {
        EXPECT_TRUE(page.contains(withUnbreakablePercent(QString::fromStdString(claim.words)))) << claim.words << "\n"
                                                                                                << page.toStdString();
        EXPECT_FALSE(page.contains(QString::fromStdString(claim.id))) << "an identifier, which is no word";
    }
    EXPECT_TRUE(room->predictions().words().contains(" not scored.")) << room->predictions().words().toStdString();
    EXPECT_EQ(room->comparison().rowCount(), 6);
    EXPECT_EQ(cell(room->comparison(), 0, "this lab"), "–");
    room->measureBox()->setCurrentIndex(room->measureBox()->findData(QString()));
    EXPECT_EQ(room->comparison().rowCount(), 30);
    EXPECT_EQ(cell(room->comparison(), 29, "measure"), "generation speed (tokens/s)");
    room->choices().form().setValue("seeds", "3");
    EXPECT_TRUE(room->choices().costText().startsWith("21 runs"));
    room->choices().form().setValue("seeds", "1");
    EXPECT_TRUE(room->choices().problem().contains("1 seeds per setting"));
    EXPECT_FALSE(button().isEnabled());
    EXPECT_EQ(room->comparison().rowCount(), 0);
    QStringList titles;
    for (const QLabel* label : room->findChildren<QLabel*>()) {
        if (label->accessibleName() == "Sheet") titles << label->text();
    }
    EXPECT_EQ(titles, QStringList{QString::fromStdString(sheet("theta-table-3").title)}) << "also without a plan";
}

TEST_F(ReproduceTest, StartTrainsMeasuresAndSetsVerdicts) {
    choose("theta-table-3");
    button().click();
    EXPECT_EQ(button().text(), "Stop");
    ASSERT_TRUE(waitUntilComplete()) << room->words().toStdString();
    EXPECT_EQ(engine.cohorts, 14);  // sequentially, because their times are compared
    EXPECT_TRUE(room->words().startsWith("All 14 runs of this reproduction have ended."))
        << room->words().toStdString();
    EXPECT_EQ(button().text(), "Finished");
    EXPECT_FALSE(button().isEnabled());
    EXPECT_FALSE(room->choices().startAgainButton()->isHidden());
    const auto stored = stored_sheet(*workspace->lab().file());
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->plan.sheet, "theta-table-3");
    EXPECT_TRUE(QString::fromStdString(workspace->runs().runs().front().record.name).contains("seed 1337"));

    EXPECT_EQ(room->page(), ReproduceRoom::Page::effects);
    const TextTable& table = room->comparison();
    ASSERT_EQ(table.rowCount(), 6);
    EXPECT_TRUE(cell(table, 0, "this lab").contains(" ± ")) << cell(table, 0, "this lab").toStdString();
    EXPECT_EQ(cell(table, 0, "verdict"), "not testable");
    const QModelIndex verdict = table.index(0, table.columnOf("verdict"));
    EXPECT_TRUE(verdict.data(Qt::ToolTipRole).toString().contains("data fetch tinyshakespeare"));
    EXPECT_TRUE(verdict.data(Qt::ToolTipRole).toString().contains("Two-sided t test"));
    room->selectRow(1);
    EXPECT_EQ(room->seeds().rowCount(), 2);
    EXPECT_EQ(cell(room->seeds(), 0, "seed"), "1337");
    EXPECT_NE(cell(room->seeds(), 0, "baseline"), "–");
    EXPECT_FALSE(room->rowText().contains("Two-sided t test")) << "the rule would take the place of the table";

    room->measureBox()->setCurrentIndex(room->measureBox()->findData("generated_tokens_per_second"));
    EXPECT_EQ(room->comparison().rowCount(), 6);
    EXPECT_NE(cell(room->comparison(), 0, "this lab"), "–");
    EXPECT_EQ(room->comparison().columnOf("measure"), -1);
}

// The example of another publication stood under the title of the sheet.
TEST_F(ReproduceTest, LettersHaveTheTitleOfTheirPublication) {
    choose("theta-table-2");
    const auto title = [this] {
        for (const QLabel* label : room->findChildren<QLabel*>()) {
            if (label->accessibleName() == "Sheet" && label->property("roomTitle").toBool()) return label->text();
        }
        return QString();
    };
    EXPECT_TRUE(title().startsWith("Huang et al. 2025, table 2")) << title().toStdString();
    room->showPart(QStringLiteral("letters"));
    EXPECT_TRUE(title().startsWith("Brahmachary 2025")) << title().toStdString();
    room->showPart(QStringLiteral("claims"));
    EXPECT_TRUE(title().startsWith("Huang et al. 2025, table 2")) << title().toStdString();
}

TEST_F(ReproduceTest, UpdatesWhileRunsFinish) {
    engine.step_microseconds = 10000;
    choose("theta-table-3");
    button().click();
    ASSERT_TRUE(waitUntil([&] {
        const auto& progress = room->trainer().progress();
        return progress && progress->ended > 0 && progress->ended < progress->runs;
    }));
    EXPECT_TRUE(room->words().startsWith("The runs are training. ")) << room->words().toStdString();
    EXPECT_TRUE(room->words().contains(" of 14 runs have ended.")) << room->words().toStdString();
    int trained = 0;  // the order of the settings is sampled from the seed
    for (int row = 0; row < 6; ++row) trained += cell(room->comparison(), row, "this lab") != "–";
    EXPECT_GT(trained, 0);
    EXPECT_LT(trained, 6);
    button().click();
    ASSERT_TRUE(waitUntilIdle());
    EXPECT_EQ(button().text(), "Continue");
}

TEST_F(ReproduceTest, StoppedSheetContinuesInItsLab) {
    engine.step_microseconds = 20000;
    choose("bpc");
    button().click();
    ASSERT_TRUE(waitUntil([&] { return workspace->session().isActive(); }));
    button().click();
    ASSERT_TRUE(waitUntilIdle());
    EXPECT_EQ(button().text(), "Continue");
    EXPECT_TRUE(room->words().contains("Continue the reproduction to train the remaining runs."))
        << room->words().toStdString();
    const QString lab = workspace->lab().path();

    workspace->newLab();
    EXPECT_EQ(button().text(), "Open lab and continue");
    EXPECT_TRUE(room->words().startsWith("This reproduction was started in the lab file"))
        << room->words().toStdString();
    engine.step_microseconds = 100;
    {  // A large lab is read on another thread; meanwhile the shown one can change.
        const auto large = LabFile::open(lab.toStdString());
        large->annotate_run(large->runs().front().id, std::string(9'000'000, 'x'));
    }
    button().click();
    EXPECT_EQ(workspace->openingLab(), lab);
    emit workspace->lab().runsChanged();
    ASSERT_TRUE(waitUntil([&] { return workspace->lab().path() == lab; }));
    ASSERT_TRUE(waitUntilComplete()) << room->words().toStdString();
    EXPECT_EQ(room->trainer().progress()->runs, 8);

    // "Start in a new lab" keeps the first lab.
    room->choices().startAgainButton()->click();
    ASSERT_TRUE(waitUntil([&] { return workspace->lab().path() != lab; }));
    ASSERT_TRUE(waitUntilComplete()) << room->words().toStdString();
    EXPECT_TRUE(QFile::exists(lab));
}

TEST_F(ReproduceTest, ExportsTheTableInEachFormat) {
    choose("bpc");
    TableOutput& output = room->choices().output();
    const std::pair<const char*, const char*> parts[] = {{"txt", "Rules (preregistered)"},
                                                         {"csv", "claim,measure,"},
                                                         {"tex", "\\begin{tabular}"},
                                                         {"json", "\"paper_checks\""}};
    AnsweredDialogs answers;
    for (const auto& [suffix, part] : parts) {
        output.choose(suffix);
        output.copyButton()->click();
        EXPECT_TRUE(QApplication::clipboard()->text().contains(part)) << suffix;
        const QString target = file("table.") + suffix;
        answers.path = target;
        output.saveButton()->click();
        EXPECT_EQ(answers.questions.last().path, QString("bpc-smoke.") + suffix);
        QFile saved(target);
        ASSERT_TRUE(saved.open(QIODevice::ReadOnly));
        EXPECT_EQ(QString::fromUtf8(saved.readAll()), room->table());
    }
    QSignalSpy problems(workspace.get(), &Workspace::problem);
    answers.path = file("no folder/table.txt");
    output.saveButton()->click();
    ASSERT_EQ(problems.count(), 1);
    EXPECT_TRUE(problems.front().back().toString().contains("cannot be written"));
}

TEST_F(ReproduceTest, ShowsSourceChecksAndPredictions) {
    choose("theta-table-2");
    const TextTable& checks = room->checks().table();
    ASSERT_GT(checks.rowCount(), 20);
    EXPECT_EQ(cell(checks, 0, "agreement"), "disagrees");
    EXPECT_EQ(cell(checks, checks.rowCount() - 1, "agreement"), "agrees");
    const TextTable& predictions = room->predictions().table();
    ASSERT_GT(predictions.rowCount(), 1);
    EXPECT_EQ(cell(predictions, 0, "outcome"), "not scored");
    // A no-break space is before the percent sign.
    EXPECT_TRUE(cell(predictions, 1, "chance level").contains(QStringLiteral("\u202F%")));
    for (const char* part : {"effects", "claims", "comparison", "checks", "predictions", "letters"}) {
        room->showPart(QLatin1String(part));
        EXPECT_EQ(room->hasFigure(),
                  QLatin1String(part) == QLatin1String("letters") || QLatin1String(part) == QLatin1String("effects"));
    }
    EXPECT_THROW(room->showPart("kitchen"), BadInput);
}

TEST_F(ReproduceTest, WindowShowsTheRoomAsTheEighth) {
    room.reset();
    workspace.reset();
    MainWindow window(options());
    window.showRoom("reproduce", "letters");
    EXPECT_EQ(window.actions().action("room.reproduce")->shortcut(), QKeySequence(Qt::Key_8));
    window.resize(1024, 640);
    window.show();
    auto& shown = static_cast<ReproduceRoom&>(window.room());
    EXPECT_EQ(shown.page(), ReproduceRoom::Page::letters);
    EXPECT_TRUE(window.actions().action("figure.export")->isEnabled());
    window.actions().action("reproduce.checks")->trigger();
    EXPECT_EQ(shown.page(), ReproduceRoom::Page::checks);
    EXPECT_FALSE(window.actions().action("figure.export")->isEnabled());
    EXPECT_TRUE(window.actions().action("reproduce.start")->isEnabled());
}

}  // namespace
}  // namespace ropelab::ui
