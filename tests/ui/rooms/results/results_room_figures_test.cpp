// Tests of the figures in the Results room.
#include <QComboBox>
#include <QJsonDocument>
#include <QJsonObject>
#include <memory>

#include "core/base/error.h"
#include "tests/ui/rooms/results/results_fixture.h"
#include "ui/figure/export/export.h"
#include "ui/rooms/results/figure_pane.h"
#include "ui/window/batch/batch_modes.h"

namespace ropelab::ui {
namespace {

/// Returns the message of the BadInput that `work` throws; "" if it throws nothing.
QString refusal(const std::function<void()>& work) {
    try {
        work();
    } catch (const BadInput& error) {
        return error.what();
    }
    return {};
}

TEST_F(ResultsRoomTest, FigureShowsIntervalsAndSeeds) {
    openUsual();
    const Figure figure = room->figure();
    EXPECT_EQ(figure.x.categories, QStringList({"500", "2k", "10k"}));
    EXPECT_EQ(figure.y.title(), "best validation loss (nats)");
    // Each group has seven curves: a bar, two caps, the mean and three seeds.
    ASSERT_EQ(figure.curves.size(), 21u);
    const Description& first = room->results().table.groups[0].described[0];
    EXPECT_EQ(figure.curves[0].y, QList<double>({first.confidence_low, first.confidence_high}));
    EXPECT_EQ(figure.curves[3].y, QList<double>({first.mean}));
    EXPECT_EQ(figure.curves[0].ink, Ink::data(1));  // the second setting that the lab trained
    ASSERT_EQ(figure.horizontalLines.size(), 1u);
    EXPECT_DOUBLE_EQ(figure.horizontalLines[0].at, 1.51);
    const QByteArray csv = figureCsv(figure);
    EXPECT_TRUE(csv.contains("95 % interval, low"));
    EXPECT_TRUE(csv.contains("1.31"));
}

TEST_F(ResultsRoomTest, ChooserOffersEveryFigure) {
    openUsual();
    FigurePane& pane = room->figures();
    for (const ResultsFigure& figure : resultsFigures()) {
        room->showPart(figure.name);
        ASSERT_TRUE(waitUntil([&] { return !room->isBusy(); })) << figure.name;
        EXPECT_EQ(room->figure().name, QLatin1String(figure.name));
        EXPECT_EQ(pane.chooser()->currentText(), figure.title);
    }
    pane.step(1);
    EXPECT_EQ(room->figure().name, "group-means");
    pane.step(-1);
    EXPECT_EQ(room->figure().name, "mutual-information");
    EXPECT_TRUE(refusal([&] {
                    room->showPart("heat");
                }).startsWith("There is no part “heat” on this page (room); its parts are group-means, "));
}

TEST_F(ResultsRoomTest, MutualInformationIsComputedInTheBackground) {
    workspace->experiment().replace(smallSweep(40));
    room->show();
    workspace->start();
    ASSERT_TRUE(waitForEnd(*workspace));
    room->showPart("mutual-information");
    ASSERT_TRUE(waitUntil([&] { return !room->isBusy() && !isEmpty(room->figure()); }));
    const Figure figure = room->figure();
    EXPECT_EQ(figure.curves.front().label, "text.txt");
    EXPECT_EQ(figure.table.names.size(), 3);
    EXPECT_GT(figure.curves.front().y.first(), 1);  // the text repeats one sentence
}

TEST_F(ResultsRoomTest, StepsAreLoadedInTheBackground) {
    engine.step_microseconds = 100;
    workspace->experiment().replace(smallSweep(40));
    room->show();
    workspace->start();
    ASSERT_TRUE(waitForEnd(*workspace));
    room->showPart("learning-curves");
    EXPECT_EQ(room->figure().curves.front().x, QList<double>({0, 20, 40}));
    workspace->runs().apply({Event(event::Evaluated{1, 60, 1.0, 1.1})});
    EXPECT_EQ(room->figure().curves.front().x, QList<double>({0, 20, 40, 60}))
        << "the window shows events before the file has them";

    room->showPart("spikes");
    EXPECT_TRUE(room->isBusy());
    EXPECT_TRUE(isEmpty(room->figure()));
    EXPECT_TRUE(room->figure().emptyText.startsWith("Loading"));
    ASSERT_TRUE(waitUntil([&] { return !room->isBusy(); }));
    const Figure figure = room->figure();
    ASSERT_EQ(figure.curves.size(), 4u);  // loss and gradient norm of two runs
    EXPECT_EQ(figure.curves.front().x.size(), 40);
    EXPECT_FALSE(room->isBusy()) << "there are no new steps to load";
}

TEST_F(ResultsRoomTest, StepsAreReloadedForAnotherLab) {
    const auto trained = [this](int steps, const char* name) {
        workspace->experiment().replace(smallSweep(steps));
        workspace->start();
        ASSERT_TRUE(waitForEnd(*workspace));
        workspace->lab().saveAs(file(name));
        workspace->lab().startEmptyLab();
    };
    engine.step_microseconds = 100;
    trained(40, "short");
    trained(60, "long");
    room->show();
    room->showPart("spikes");
    for (const auto& [name, steps] : {std::pair{"short.ropelab", 40}, {"long.ropelab", 60}}) {
        workspace->lab().open(file(name));
        EXPECT_TRUE(waitUntil([&] {
            const Figure figure = room->figure();
            return !figure.curves.empty() && figure.curves.front().x.size() == steps;
        })) << name;
    }
}

TEST_F(ResultsRoomTest, ClickInTheFigureSelectsAGroup) {
    openUsual();
    emit room->figures().view().clicked({2.1, 1.5});
    EXPECT_EQ(room->pickedGroup(), 2);
    room->showPart("loss-by-theta");
    emit room->figures().view().clicked({500, 1.31});
    EXPECT_EQ(room->pickedGroup(), 0);
    EXPECT_EQ(room->figure().curves.front().x, QList<double>({500, 2000, 10000}));
}

TEST_F(ResultsRoomTest, FigureOfManyGroupsIsMadeWhileTheResultsChange) {
    openUsual();
    FigurePane& figures = room->figures();
    ASSERT_FALSE(figures.picture().spots.empty());
    const auto results = std::make_shared<Results>(room->results());
    const std::size_t few = results->table.groups.size();
    while (results->table.groups.size() <= 200) results->table.groups.push_back(results->table.groups[few - 1]);
    results->verdicts.resize(results->table.groups.size(), results->verdicts.back());
    const auto points = [&] {
        qsizetype sum = 0;
        for (const FigureCurve& curve : figures.view().figure().curves) sum += curve.x.size();
        return sum;
    };
    const qsizetype before = points();
    figures.show(results, 0, false);
    EXPECT_TRUE(figures.isBusy());
    EXPECT_TRUE(figures.picture().spots.empty()) << "a click would pick a group of the results before";
    EXPECT_EQ(points(), before) << "the same lab";
    ASSERT_TRUE(waitUntil([&] {
        figures.show(results, 0, false);
        return points() != before;
    }));
    ASSERT_TRUE(waitUntil([&] { return !figures.isBusy(); }));
    EXPECT_FALSE(figures.picture().spots.empty());
    workspace->lab().startEmptyLab();
    figures.show(results, 0, false);
    EXPECT_TRUE(isEmpty(figures.view().figure())) << "the figure of the lab before";
}

TEST_F(ResultsRoomTest, TerminalWritesResultsFigures) {
    openUsual();
    LaunchOptions launch;
    launch.mode = LaunchOptions::Mode::figure;
    launch.lab = workspace->lab().path();
    launch.output = file("figure.csv");
    launch.figureOptions.format = FigureFormat::csv;
    launch.figures = {"loss-by-theta"};
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(writeFigure(launch), 0);
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "Written: " + launch.output.toStdString() + '\n');
    launch.asJson = true;
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(writeFigure(launch), 0);
    const QJsonObject said =
        QJsonDocument::fromJson(QByteArray::fromStdString(::testing::internal::GetCapturedStdout())).object();
    EXPECT_EQ(said["file"], launch.output);
    EXPECT_TRUE(
        QJsonDocument(said["settings"].toObject()).toJson(QJsonDocument::Compact).contains("\"test\":\"paired\""));
    EXPECT_FALSE(said["summary"].toString().isEmpty());
    launch.asJson = false;
    QFile csv(launch.output);
    ASSERT_TRUE(csv.open(QIODevice::ReadOnly));
    const QByteArray text = csv.readAll();
    EXPECT_TRUE(text.contains("best validation loss (nats)")) << text.toStdString();
    EXPECT_TRUE(text.contains("1.31"));
    EXPECT_TRUE(text.contains("\"test\":\"paired\""));
    csv.close();
    launch.figureFlags = {{"unit", "bits"}, {"compare", "final_training_loss"}};
    EXPECT_TRUE(refusal([&] { writeFigure(launch); }).startsWith("--unit and --compare both choose"));
    launch.figureFlags = {};
    launch.figures = {"improvement"};
    launch.figureFlags["test"] = "paired";
    EXPECT_EQ(writeFigure(launch), 0);
    ASSERT_TRUE(csv.open(QIODevice::ReadOnly));
    EXPECT_TRUE(csv.readAll().contains("\"test\":\"paired\""));
    launch.figures = {"loss-by-fraction"};
    EXPECT_TRUE(refusal([&] { writeFigure(launch); }).contains("needs at least two rotated fractions"));
    launch.figures = {"loss-fit"};
    EXPECT_TRUE(refusal([&] { writeFigure(launch); }).contains("also differ in theta (500, 2000, 10000)"));
    launch.figureFlags["baseline"] =
        "theta=500";  // chooses runs of one theta, which do not differ in a variable of the fit
    EXPECT_TRUE(refusal([&] { writeFigure(launch); }).contains("needs runs that differ in the rotated fraction"));
}

}  // namespace
}  // namespace ropelab::ui
