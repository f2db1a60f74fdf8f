#include "ui/rooms/inspect/replay_job.h"

#include "tests/ui/rooms/inspect/inspect_fixture.h"

namespace ropelab::ui {
namespace {

/// Returns a job in which no value equals its default.
ReplayJob everything() {
    ReplayJob job;
    job.lab = QStringLiteral("/labs/a “b”.ropelab");
    job.output = QStringLiteral("out.gif");
    job.figures = QStringList{QStringLiteral("logit-contribution"), QLatin1String(ReplayJob::kSecondRun)};
    job.run = 3;
    job.beside = 2;
    job.choices = {
        .layer = 1, .head = 2, .rows = InspectRows::headsOfLayer, .difference = true, .byWavelength = true, .pair = 5};
    job.choices.query = 7;
    job.choices.lag = 40;
    job.modelInputs.text = QStringLiteral("the \"quick\"\nfox");
    job.modelInputs.ablation = {Ablation::Kind::remove, {1, 2, 4}};
    job.modelInputs.factor = 8;
    job.width = 1280;
    job.framesPerSecond = 12.5;
    job.most = 60;
    job.appearance = Appearance::dark;
    return job;
}

TEST(ReplayJobTest, RoundTripsThroughJson) {
    const ReplayJob job = everything();
    const ReplayJob read = parseReplayJob(jobText(job));
    EXPECT_EQ(read.lab, job.lab);
    EXPECT_EQ(read.output, job.output);
    EXPECT_EQ(read.figures, job.figures);
    EXPECT_EQ(read.run, 3);
    EXPECT_EQ(read.beside, 2);
    EXPECT_EQ(read.choices.layer, 1);
    EXPECT_EQ(read.choices.head, 2);
    EXPECT_EQ(read.choices.rows, InspectRows::headsOfLayer);
    EXPECT_TRUE(read.choices.difference);
    EXPECT_TRUE(read.choices.byWavelength);
    EXPECT_EQ(read.choices.pair, 5);
    EXPECT_EQ(read.choices.query, 7);
    EXPECT_EQ(read.choices.lag, 40);
    EXPECT_EQ(read.modelInputs.text, job.modelInputs.text);
    EXPECT_EQ(read.modelInputs.ablation, job.modelInputs.ablation);
    EXPECT_EQ(read.modelInputs.factor, 8);
    EXPECT_EQ(read.width, 1280);
    EXPECT_EQ(read.framesPerSecond, 12.5);
    EXPECT_EQ(read.most, 60);
    EXPECT_EQ(read.appearance, Appearance::dark);
    EXPECT_EQ(jobText(read), jobText(job));
}

TEST(ReplayJobTest, HeadIsTheMeanUnlessAJobNamesIt) {
    ReplayJob job = everything();
    job.choices.head = kAutomaticHead;
    EXPECT_EQ(parseReplayJob(jobText(job)).choices.head, kAutomaticHead);
    nlohmann::json without = nlohmann::json::parse(jobText(job));
    without.erase("head");
    EXPECT_EQ(parseReplayJob(without.dump()).choices.head, -1);
}

TEST(ReplayJobTest, RejectsInvalidValuesWithOneSentence) {
    const auto refused = [](const char* key, const nlohmann::json& value) {
        nlohmann::json json = nlohmann::json::parse(jobText(everything()));
        json[key] = value;
        return refusal([&] { (void)parseReplayJob(json.dump()); });
    };
    EXPECT_EQ(refused("width", 100), "A replay's width is 100, but it must be a whole number from 320 to 3840.");
    EXPECT_EQ(refused("frames_per_second", 0),
              "A replay's frames_per_second is 0, but it must be a number from 0.1 to 50.");
    EXPECT_EQ(refused("layer", "first"),
              "A replay's layer is \"first\", but it must be a whole number from -1 to 1e+15.");
    EXPECT_EQ(refused("rows", "pairs"),
              "A replay's rows is \"pairs\", but it must be layers, heads, all-heads or sorted.");
    EXPECT_EQ(refused("difference", 1), "A replay's difference is 1, but it must be true or false.");
    EXPECT_EQ(refused("run", 1.7), "A replay's run is 1.7, but it must be a whole number from 0 to 1e+15.");
    EXPECT_TRUE(
        refused("speed", 1)
            .startsWith("A replay has no key \"speed\"; the keys are ablation, along, beside, difference, factor"));
    EXPECT_TRUE(refused("figures", {"fine-tuned-loss"}).contains("cannot be replayed"));
    EXPECT_EQ(refused("figures", {"pair-logits"}), "");  // text and pair are present
    EXPECT_TRUE(refusal([] {
                    ReplayJob silent = everything();
                    silent.figures = QStringList{QStringLiteral("pair-logits")};
                    silent.modelInputs.text.clear();
                    (void)parseReplayJob(jobText(silent));
                }).contains("needs a text and a selected rotary pair"));
    EXPECT_EQ(
        refused("output", "a.mp4"),
        "The output of a replay must end with .gif, .png or .svg, or be - for an animation on standard output, but "
        "it is \"a.mp4\".");
    EXPECT_EQ(refused("lab", ""),
              "A replay (animation of a run's training) shows the snapshots of a run, so it "
              "needs a lab file, but no lab file is given.");
    EXPECT_EQ(refused("figures", nlohmann::json::array()),
              "A replay (animation of a run's training) shows one or two figures: give a list of one or two figure "
              "names.");
    EXPECT_TRUE(refused("figures", {"nonsense"})
                    .contains("no figure \"nonsense\" to replay; the figures are logit-contribution"));
    // second-run is invalid as the first figure.
    EXPECT_TRUE(refused("figures", {ReplayJob::kSecondRun}).contains("no figure \"second-run\""));
    EXPECT_TRUE(refused("ablation", {{"how", "freeze"}, {"until", 3}}).contains("no key \"until\""));
    EXPECT_TRUE(refused("ablation", {{"how", "halve"}}).contains("it must be freeze, ablate or mean"));
    EXPECT_EQ(refused("ablation", {{"how", "mean"}, {"pairs", {1}}}), "");
    EXPECT_TRUE(refused("ablation", {{"pairs", {-1}}}).contains("pairs is [-1], but it must be a list of whole"));
    EXPECT_TRUE(refusal([] { (void)parseReplayJob("nonsense"); }).contains("JSON object"));
}

TEST(ReplayJobTest, FrameNumberPrecedesTheSuffix) {
    EXPECT_EQ(framePath("/a.b/replay.png", 1), "/a.b/replay-0001.png");
    EXPECT_EQ(framePath("replay.SVG", 12345), "replay-12345.SVG");
}

TEST(ReplayJobTest, KnowsWhichFiguresNeedTheModel) {
    ReplayJob job;
    job.figures = QStringList{QStringLiteral("attention-map"), QLatin1String(ReplayJob::kSecondRun)};
    EXPECT_FALSE(needsModel(job));
    job.modelInputs.text = QStringLiteral("ab");
    EXPECT_TRUE(needsModel(job));
    job.figures = QStringList{QStringLiteral("logit-contribution")};
    EXPECT_FALSE(needsModel(job));
    job.figures << QStringLiteral("extrapolation-loss");
    EXPECT_TRUE(needsModel(job));
}

}  // namespace
}  // namespace ropelab::ui
