#include "ui/session/lab_document.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>
#include <set>

#include "core/base/error.h"
#include "core/results/run_selection.h"
#include "core/store/imported.h"
#include "core/sweep/lab_plan.h"
#include "tests/ui/support/workbench.h"
#include "ui/common/paths.h"
#include "ui/session/lab_origin.h"

namespace ropelab::ui {
namespace {

using LabDocumentTest = Workbench;

TEST_F(LabDocumentTest, FirstSweepCreatesTheFile) {
    LabDocument document(file("labs"));
    EXPECT_FALSE(document.hasFile());
    EXPECT_EQ(document.name(), "unnamed");
    const Plan plan = document.addSweep(smallSweep());
    ASSERT_EQ(plan.runs.size(), 2u);
    EXPECT_TRUE(document.isUnsaved());
    EXPECT_TRUE(QFileInfo::exists(document.path()));
    EXPECT_EQ(QFileInfo(document.path()).absolutePath(), file("labs"));
    ASSERT_TRUE(document.latestExperiment());
    EXPECT_EQ(document.latestExperiment()->to_json(), smallSweep().to_json());
    document.addSweep(Experiment(imported_experiment));
    EXPECT_EQ(document.latestExperiment()->to_json(), smallSweep().to_json())
        << "imported runs have no settings to train";
}

TEST_F(LabDocumentTest, SavingMovesAnUnsavedLab) {
    LabDocument document(file("labs"));
    document.addSweep(smallSweep());
    const QString before = document.path();
    document.saveAs(file("mine"));
    EXPECT_EQ(document.name(), "mine");
    EXPECT_FALSE(document.isUnsaved());
    EXPECT_EQ(document.runs().size(), 2u);
    EXPECT_FALSE(QFileInfo::exists(before));
    EXPECT_TRUE(QFileInfo::exists(file("mine.ropelab")));
}

TEST_F(LabDocumentTest, SavesOnABackgroundThread) {
    LabDocument document(file("labs"));
    document.addSweep(smallSweep());
    const QString before = document.path();
    QDir().mkpath(before + ".checkpoints");
    QFile checkpoint(before + ".checkpoints/run-1.safetensors");
    ASSERT_TRUE(checkpoint.open(QIODevice::WriteOnly));
    checkpoint.write("weights");
    checkpoint.close();
    std::optional<QString> answer;
    document.saveInBackground(file("mine"), [&](const QString& error) { answer = error; });
    EXPECT_FALSE(answer) << "the answer arrives through the event loop";
    EXPECT_TRUE(document.isSaving());
    EXPECT_EQ(document.path(), before);
    EXPECT_THROW(document.renameRun(1, "x"), BadInput);
    ASSERT_TRUE(waitUntil([&] { return answer.has_value(); }));
    EXPECT_EQ(*answer, QString());
    EXPECT_FALSE(document.isSaving());
    EXPECT_EQ(document.path(), file("mine.ropelab"));
    EXPECT_FALSE(document.isReadOnly());
    EXPECT_FALSE(QFileInfo::exists(before));
    EXPECT_TRUE(QFileInfo::exists(file("mine.ropelab.checkpoints/run-1.safetensors")));
    document.renameRun(1, "x");
    EXPECT_EQ(document.runs().front().name, "x");
}

TEST_F(LabDocumentTest, FailedSaveKeepsTheLabUnchanged) {
    LabDocument document(file("labs"));
    document.addSweep(smallSweep());
    const QString before = document.path();
    const auto answerTo = [&](const QString& target) {
        std::optional<QString> answer;
        document.saveInBackground(target, [&](const QString& error) { answer = error; });
        EXPECT_TRUE(waitUntil([&] { return answer.has_value(); }));
        return answer.value_or(QStringLiteral("none"));
    };
    QFile other(file("other.ropelab"));
    ASSERT_TRUE(other.open(QIODevice::WriteOnly));
    other.write("something that is not a lab");
    other.close();
    EXPECT_FALSE(answerTo(file("other")).isEmpty());
    EXPECT_FALSE(answerTo(file("no such folder/lab")).isEmpty());
    EXPECT_EQ(document.path(), before);
    document.renameRun(1, "still mine");
    EXPECT_EQ(answerTo(before), QString()) << "saving to the current path succeeds";
    LabDocument empty(file("labs"));
    std::optional<QString> answer;
    empty.saveInBackground(file("empty"), [&](const QString& error) { answer = error; });
    EXPECT_EQ(answer, QString());
    EXPECT_EQ(empty.name(), "empty");
}

TEST_F(LabDocumentTest, ChoicesAndLooksWaitUntilASweepIsAdded) {
    LabDocument document(file("labs"));
    const Plan first = document.addSweep(smallSweep(40), {.stopping = SequentialDesign{.cap = 12}});
    std::vector<Event> events;
    for (std::size_t i = 0; i < first.runs.size(); ++i) {
        RunSummary summary;
        summary.iterations = 40;
        summary.best_validation_loss = summary.final_validation_loss = 2 + 0.1 * static_cast<double>((i * i) % 5);
        events.emplace_back(event::RunEnded{first.runs[i].id, RunState::finished, "", summary});
    }
    LabFile::open(document.file()->path())->record(events);
    document.annotateRun(1, QString(9'000'000, u'x'));
    document.saveAs(file("large"));
    const auto stored = [&] { return LabFile::open(toPath(document.path()))->choice("table"); };
    std::size_t added = 0;
    QObject::connect(&document, &LabDocument::runsChanged,
                     [&] { document.waitForSweep(); });  // does not wait for itself
    document.addSweepInBackground(smallSweep(40), {}, {},
                                  [&](const Plan& plan, const QString&) { added = plan.runs.size(); });
    ASSERT_TRUE(document.isAdding());
    EXPECT_TRUE(document.storeChoice("table", "new"));
    EXPECT_EQ(document.choice("table"), "new");
    EXPECT_EQ(stored(), "");
    EXPECT_TRUE(document.addNextLooks().empty());
    ASSERT_TRUE(waitUntil([&] { return added > 0; }));
    EXPECT_EQ(stored(), "new");
    const std::vector<RunId> looks = document.addNextLooks();
    ASSERT_FALSE(looks.empty());
    EXPECT_EQ(looks.front(), static_cast<RunId>(first.runs.size() + added + 1));
    std::optional<QString> saved;
    document.saveInBackground(file("copy"), [&](const QString& error) { saved = error; });
    EXPECT_TRUE(document.storeChoice("table", "of the copy"));
    ASSERT_TRUE(waitUntil([&] { return saved.has_value(); }));
    EXPECT_EQ(document.path(), file("copy.ropelab"));
    EXPECT_EQ(stored(), "of the copy");
}

TEST_F(LabDocumentTest, ALabThatIsReplacedOnceItsSweepWasAddedTrainsNothing) {
    LabDocument other(file("labs"));
    other.addSweep(smallSweep());
    other.saveAs(file("other"));
    other.startEmptyLab();
    LabDocument document(file("labs"));
    document.addSweep(smallSweep());
    document.annotateRun(1, QString(9'000'000, u'x'));
    document.saveAs(file("large"));
    for (const bool inTheSameTurn : {true, false}) {
        document.open(file("large.ropelab"));
        const auto runs = document.runs().size();
        bool isCalled = false;
        bool isAdded = false;
        const auto added = QObject::connect(&document, &LabDocument::runsChanged, &document, [&] {
            isAdded = true;
            if (inTheSameTurn) document.open(file("other.ropelab"));
        });
        document.addSweepInBackground(smallSweep(40), {}, {}, [&](const Plan&, const QString&) { isCalled = true; });
        ASSERT_TRUE(waitUntil([&] { return isAdded; }));
        QObject::disconnect(added);
        if (!inTheSameTurn) document.open(file("other.ropelab"));
        EXPECT_FALSE(document.isAdding());
        waitUntil([&] { return isCalled; }, 50);
        EXPECT_FALSE(isCalled);
        document.open(file("large.ropelab"));
        EXPECT_GT(document.runs().size(), runs) << "the runs are in their lab";
    }
}

TEST_F(LabDocumentTest, AThrowWhileAddedRunsAreShownLeavesTheLabWritable) {
    LabDocument document(file("labs"));
    document.addSweep(smallSweep());
    document.annotateRun(1, QString(9'000'000, u'x'));
    document.saveAs(file("large"));
    const auto runs = document.runs().size();
    const auto throws =
        QObject::connect(&document, &LabDocument::runsChanged, [] { throw BadInput("The settings are damaged."); });
    bool isCalled = false;
    document.addSweepInBackground(smallSweep(40), {}, {}, [&](const Plan&, const QString&) { isCalled = true; });
    EXPECT_THROW(document.waitForSweep(), BadInput);
    QObject::disconnect(throws);
    EXPECT_FALSE(isCalled) << "nothing trains";
    EXPECT_FALSE(document.isAdding());
    EXPECT_GT(document.runs().size(), runs);
    EXPECT_NO_THROW(document.annotateRun(1, "writable"));
}

TEST_F(LabDocumentTest, SavingASavedLabKeepsTheOldFile) {
    LabDocument document(file("labs"));
    document.addSweep(smallSweep());
    document.saveAs(file("one"));
    document.saveAs(file("two"));
    EXPECT_TRUE(QFileInfo::exists(file("one.ropelab")));
    EXPECT_EQ(document.name(), "two");
}

TEST_F(LabDocumentTest, SavingToALinkReplacesTheFileThatItNames) {
    LabDocument document(file("labs"));
    document.addSweep(smallSweep());
    ASSERT_TRUE(QDir(folder.path()).mkpath("disk"));
    const QString real = file("disk/real.ropelab");
    const QString link = file("link.ropelab");
    ASSERT_TRUE(QFile::link(real, link));
    document.saveAs(link);
    EXPECT_TRUE(QFileInfo(link).isSymLink());
    EXPECT_EQ(document.path(), real);
    LabDocument second(file("labs"));
    second.open(link);
    EXPECT_TRUE(second.isReadOnly()) << "both names have the same lock";
    EXPECT_EQ(second.runs().size(), document.runs().size());
}

TEST_F(LabDocumentTest, SweepsKeepTheirSearch) {
    LabDocument document(file("labs"));
    Experiment experiment = smallSweep();
    experiment.set("theta", {});
    SweepOptions options;
    options.search = Search{Search::Method::random, {{"learning_rate", 1e-4, 1e-2, true}}, 3, 5, 0};
    const Plan plan = document.addSweep(experiment, options);
    ASSERT_EQ(plan.runs.size(), 3U);
    EXPECT_NE(plan.runs[0].spec.learning_rate, plan.runs[1].spec.learning_rate);
    SweepOptions stored;
    const auto latest = document.latestExperiment(&stored);
    EXPECT_EQ(stored, options);
    EXPECT_TRUE(latest->explicit_runs().empty()) << "the samples follow from the search";
    EXPECT_EQ(sampledExperiment(*latest, stored).expand(), sampledExperiment(experiment, options).expand());
}

TEST_F(LabDocumentTest, HalvingIsPartOfThePlan) {
    LabDocument document(file("labs"));
    Experiment experiment;
    experiment.set("theta", {"100", "1000", "10000", "100000"});
    SweepOptions options;
    options.search.emplace().method = Search::Method::halving;
    const Plan plan = document.addSweep(experiment, options);
    ASSERT_EQ(plan.runs.size(), 4U);
    ASSERT_TRUE(halving_in(plan.runs[3].stopping));
    EXPECT_EQ(halving_in(plan.runs[3].stopping)->settings, 4);
    EXPECT_EQ(plan.runs[3].stopping, plan_continued_runs(*document.file(), {plan.runs[3].id}).runs[0].stopping);
}

TEST_F(LabDocumentTest, ExtendingAddsOnlyTheMissingRuns) {
    LabDocument document(file("labs"));
    Experiment experiment = smallSweep();
    const std::size_t before = document.addSweep(experiment).runs.size();
    SweepOptions options;
    options.extends = true;
    EXPECT_THROW(document.addSweep(experiment, options), BadInput) << "the lab has all of them";
    experiment.set("seed", {"1337", "1338"});
    EXPECT_EQ(runsToTrain(experiment, options, document.file()).size(), before);
    const Plan plan = document.addSweep(experiment, options);
    EXPECT_EQ(plan.runs.size(), before);
    for (const PlannedRun& run : plan.runs) EXPECT_EQ(run.spec.seed, 1338);
    EXPECT_EQ(document.runs().size(), 2 * before);
    EXPECT_EQ(run_selection(document.choice(selection_choice)).experiment, RunSelection::all_experiments);
    options.search.emplace().method = Search::Method::halving;
    experiment.set("seed", {"1", "2"});
    EXPECT_THROW(document.addSweep(experiment, options), BadInput);
}

TEST_F(LabDocumentTest, SecondWindowOpensTheLabReadOnly) {
    LabDocument first(file("labs"));
    first.addSweep(smallSweep());
    first.saveAs(file("shared"));
    LabDocument second(file("labs"));
    second.open(file("shared.ropelab"));
    EXPECT_TRUE(second.isReadOnly());
    EXPECT_EQ(second.runs().size(), 2u);
    EXPECT_THROW(second.renameRun(1, "x"), BadInput);
    first.startEmptyLab();
    LabDocument third(file("labs"));
    third.open(file("shared.ropelab"));
    EXPECT_FALSE(third.isReadOnly());
}

TEST_F(LabDocumentTest, OpeningAnInvalidFileKeepsTheCurrentLab) {
    LabDocument document(file("labs"));
    document.addSweep(smallSweep());
    const QString before = document.path();
    EXPECT_THROW(document.open(textFile()), BadInput);
    EXPECT_THROW(document.open(file("missing.ropelab")), BadInput);
    EXPECT_EQ(document.path(), before);
    EXPECT_EQ(document.runs().size(), 2u);
}

TEST_F(LabDocumentTest, AddingASweepGivesDistinctNamesAndRejectsInvalidOnes) {
    LabDocument document(file("labs"));
    Experiment experiment = smallSweep();
    experiment.set("seed", {"1", "2"});
    document.addSweep(experiment);
    std::set<std::string> names;
    for (const RunRecord& run : document.runs()) names.insert(run.name);
    EXPECT_EQ(names.size(), 4u);
    EXPECT_TRUE(names.begin()->ends_with(", seed 1")) << *names.begin();

    LabDocument other(file("other"));
    experiment.add_exclusion("theta=7");
    EXPECT_THROW(other.addSweep(experiment), BadInput);
    EXPECT_FALSE(other.hasFile());
}

TEST_F(LabDocumentTest, TheOwnLabStaysOpenBehindAShownOne) {
    LabDocument recorded(file("labs"));
    recorded.addSweep(smallSweep());
    recorded.saveAs(file("recorded"));
    LabDocument document(file("labs"));
    document.addSweep(smallSweep());
    document.saveAs(file("mine"));
    for (const QString& shown : {file("recorded.ropelab"), QString()}) {
        document.showInstead(shown);
        EXPECT_FALSE(document.isOwn());
        EXPECT_EQ(document.path(), shown);
        EXPECT_EQ(document.ownPath(), file("mine.ropelab"));
        EXPECT_EQ(document.isReadOnly(), !shown.isEmpty());
        EXPECT_FALSE(document.storeLooks({{"{}", 3, false}})) << "neither in a recorded lab nor without a file";
        AnswerRecord answer;
        answer.kind = "choice";
        answer.given = answer.truth = R"("a")";
        document.addAnswers({answer});
    }
    LabDocument second(file("labs"));
    second.open(file("mine.ropelab"));
    EXPECT_TRUE(second.isReadOnly()) << "the lock of the own lab is kept";
    document.returnToOwn();
    EXPECT_TRUE(document.isOwn());
    EXPECT_FALSE(document.isReadOnly());
    EXPECT_EQ(document.path(), file("mine.ropelab"));
    EXPECT_EQ(document.file()->answers().size(), 2U) << "answers of a class are stored in the own lab";
}

TEST_F(LabDocumentTest, OriginOfAFigureNamesItsRunsAndTheirExperiments) {
    LabDocument document(file("labs"));
    document.addSweep(smallSweep());
    document.addSweep(smallSweep(40));  // runs 3 and 4
    const QJsonObject origin = labOrigin(*document.file(), {4, 3});
    EXPECT_EQ(origin["runs"].toArray(), (QJsonArray{4, 3}));
    const QJsonArray experiments = origin["experiments"].toArray();
    ASSERT_EQ(experiments.size(), 1);
    EXPECT_EQ(experiments[0].toObject()["id"].toInteger(), 2);
    EXPECT_EQ(experiments[0].toObject()["name"].toString(), "small");
    EXPECT_EQ(labOrigin(*document.file(), {1, 3})["experiments"].toArray().size(), 2);
    EXPECT_EQ(findLab(origin, folder.path()), document.path());
}

}  // namespace
}  // namespace ropelab::ui
