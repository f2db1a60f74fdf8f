#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/lecture/control_check.h"
#include "core/lecture/recorded_lab.h"
#include "tests/core/lecture/lecture_text.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

const char* const whole_lecture = R"(---
title: Clocks
minutes: 45
author: A. Teacher
---
Text of the title page.

## Four clocks
```yaml
id: clocks
show: rotation/aim
setup: theta=10k head_dim=8 fraction=100% context=64 | B: theta=500k
controls: [theta, m, n]
question: Which hand is slowest?
find: B.wavelength(3)
notes: |
  Say **little**.
steps:
  - say: The query stands at position 10.
    set: {m: 10, n: 3, theta: 20k over 2.5 s}
    point: pair 3
    check: {quantity: wavelength(0), expected: 6.283, tolerance: 0.001}
  - ask: {text: How many, choices: [one, two, three], right: 2, hide: true, hint: Count., answer: Two.}
  - ask: {text: "How long?", quantity: wavelength(1), tolerance: 5}
  - ask: {text: Draw it., draw: true, answer: Look.}
  - set: {m: 63 over 8 s}
    loop: true
    check:
      - {quantity: first_negative, expected: none}
      - {quantity: feasible_bases(8), expected: [[100, 1e6]], tolerance: 1}
```
Text with $\theta$.

```
## not a heading
```

## Text only
More text.
)";

TEST(ParseLecture, ReadsEveryKey) {
    const Lecture lecture = parse_lecture(whole_lecture, "clocks.md");
    EXPECT_EQ(lecture.title, "Clocks");
    EXPECT_EQ(lecture.minutes, 45);
    EXPECT_EQ(lecture.author, "A. Teacher");
    EXPECT_EQ(lecture.text, "Text of the title page.\n");
    ASSERT_EQ(lecture.scenes.size(), 2U);
    const LectureScene& scene = lecture.scenes[0];
    EXPECT_EQ(scene.id, "clocks");
    EXPECT_EQ(scene.title, "Four clocks");
    EXPECT_EQ(scene.line, 8);
    EXPECT_EQ(scene.room, "rotation");
    EXPECT_EQ(scene.part, "aim");
    EXPECT_EQ(scene.setup.a.head_dim, 8);
    ASSERT_TRUE(scene.setup.b);
    EXPECT_EQ(scene.setup.b->theta, 500000);
    EXPECT_THAT(scene.controls, ::testing::ElementsAre("theta", "m", "n"));
    EXPECT_EQ(scene.question, "Which hand is slowest?");
    EXPECT_EQ(scene.find, "B.wavelength(3)");
    EXPECT_EQ(scene.notes, "Say **little**.\n");
    EXPECT_EQ(scene.text, "Text with $\\theta$.\n\n```\n## not a heading\n```\n");
    EXPECT_EQ(lecture.scenes[1].id, "text-only");
    EXPECT_EQ(lecture.scenes[1].room, "");
}

TEST(ParseLecture, ReadsStepsInOrder) {
    const LectureScene scene = parse_lecture(whole_lecture, "clocks.md").scenes[0];
    ASSERT_EQ(scene.steps.size(), 5U);
    const LectureStep& first = scene.steps[0];
    EXPECT_EQ(first.say, "The query stands at position 10.");
    EXPECT_EQ(first.line, 19);
    EXPECT_EQ(first.point, "pair 3");
    ASSERT_EQ(first.set.size(), 3U);
    EXPECT_EQ(first.set[0].key, "m");
    EXPECT_EQ(first.set[0].value, "10");
    EXPECT_EQ(first.set[0].glide, 0);
    EXPECT_EQ(first.set[2].key, "theta");
    EXPECT_EQ(first.set[2].value, "20k");
    EXPECT_EQ(first.set[2].glide, 2.5);
    ASSERT_EQ(first.checks.size(), 1U);
    EXPECT_EQ(first.checks[0].line, 22);
    EXPECT_EQ(first.checks[0].expected, 6.283);
    const LectureStep& last = scene.steps[4];
    EXPECT_TRUE(last.loop);
    ASSERT_EQ(last.checks.size(), 2U);
    EXPECT_TRUE(last.checks[0].expected.is_null());
    EXPECT_EQ(last.checks[1].expected, nlohmann::json::parse("[[100, 1000000]]"));
}

TEST(ParseLecture, ReadsTheThreeKindsOfQuestions) {
    const LectureScene scene = parse_lecture(whole_lecture, "clocks.md").scenes[0];
    const LectureQuestion& choice = *scene.steps[1].ask;
    EXPECT_EQ(choice.kind, LectureQuestion::Kind::choice);
    EXPECT_THAT(choice.choices, ::testing::ElementsAre("one", "two", "three"));
    EXPECT_EQ(choice.right, 1);  // from 0
    EXPECT_EQ(choice.hint, "Count.");
    EXPECT_TRUE(choice.hides);
    EXPECT_EQ(choice.answer, "Two.");
    const LectureQuestion& number = *scene.steps[2].ask;
    EXPECT_EQ(number.kind, LectureQuestion::Kind::number);
    EXPECT_EQ(number.quantity, "wavelength(1)");
    EXPECT_EQ(number.tolerance, 5);
    EXPECT_EQ(scene.steps[3].ask->kind, LectureQuestion::Kind::curve);
}

TEST(ParseLecture, ReadsTextsWithWindowsLineEndsAndByteOrderMark) {
    std::string text = "\xEF\xBB\xBF";
    for (const char c : std::string(whole_lecture)) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
    const Lecture lecture = parse_lecture(text, "clocks.md");
    EXPECT_EQ(lecture.scenes[0].steps[0].line, 19);
    EXPECT_EQ(lecture.scenes[1].text, "More text.\n");
}

TEST(ParseLecture, ResolvesLabsAgainstTheFolderOfTheFile) {
    const ScratchFolder folder;
    folder.write("runs.ropelab", "content is not read");
    const LectureScene scene = scene_of_block("show: results\nlab: runs.ropelab", folder / "test.md");
    EXPECT_EQ(scene.lab, folder / "runs.ropelab");
}

TEST(ParseLecture, BuildsTheExperimentOfAScene) {
    const LectureScene scene = scene_of_block(
        "live:\n  preset: lecture-minute\n  set: {theta: [500, 10k], runs: []}\n  check: {iterations: 30}");
    ASSERT_TRUE(scene.live);
    const Experiment whole = experiment_of(*scene.live, false);
    EXPECT_EQ(whole.expand().size(), 2 * preset("lecture-minute").experiment.values("seed").size());
    EXPECT_EQ(whole.values("iterations"), preset("lecture-minute").experiment.values("iterations"));
    const Experiment small = experiment_of(*scene.live, true);
    EXPECT_EQ(small.expand().size(), whole.expand().size());
    EXPECT_EQ(small.expand().front().iterations, 30);
    EXPECT_EQ(small.expand().front().device, Device::cpu);
    EXPECT_EQ(small.expand().front().precision, Precision::float32) << "the same numbers on a busy machine";
}

TEST(ParseLecture, ChecksAreSmallWithoutAStatedScale) {
    const LectureScene scene = scene_of_block("live: {preset: lecture-minute}");
    EXPECT_EQ(experiment_of(*scene.live, true).expand().front().iterations, 20);
    EXPECT_EQ(scene.live->seconds, 60);
    EXPECT_EQ(scene_of_block("live: {preset: lecture-minute, seconds: 90}").live->seconds, 90);
}

TEST(ParseLecture, EarlierNamesOfControlsAreReadAndNotKept) {
    const LectureScene scene = scene_of_block(
        "show: rotation/reading\ncontrols: [accuracy]\nsteps:\n  - say: Words.\n    set: {accuracy: 10}\n"
        "    point: control accuracy");
    EXPECT_EQ(scene.controls, std::vector<std::string>{"error"});
    EXPECT_EQ(scene.steps.front().set.front().key, "error");
    EXPECT_EQ(scene.steps.front().point, "control error");
}

TEST(ParseLecture, ControlsOfARoomPrecedeSettingsOfTheSetup) {
    ComparedSetups setups;
    EXPECT_FALSE(apply_to_setups({"heads", "4", 0}, "memory", setups));  // the model's heads
    EXPECT_TRUE(apply_to_setups({"heads", "4", 0}, "spectrum", setups));
    EXPECT_EQ(setups.a.heads, 4);
    EXPECT_TRUE(apply_to_setups({"setup", "theta=5k | B: theta=6k", 0}, "spectrum", setups));
    EXPECT_EQ(setups.a.theta, 5000);
    EXPECT_EQ(setups.b->theta, 6000);
}

TEST(LoadLecture, AFolderDoesNotHideALectureOfTheProgram) {
    const ScratchFolder folder;
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::create_directory(folder.path() / "clocks");
    std::filesystem::current_path(folder.path());
    EXPECT_NO_THROW(EXPECT_EQ(load_lecture("clocks").title, "Clocks"));
    std::filesystem::current_path(before);
}

TEST(ParseLecture, ABlockThatIsNotReadIsRefused) {
    for (const char* text : {"```\nshow: rotation\n```\n", "A sentence.\n```yaml\nshow: rotation\n```\n"}) {
        EXPECT_MESSAGE(parse_lecture(std::string("---\ntitle: x\n---\n## A\n") + text, "test.md"), BadInput,
                       "begins with ```yaml directly below the heading");
    }
    EXPECT_NO_THROW(parse_lecture("---\ntitle: x\n---\n## A\n```\nropelab-cli figure\n```\n", "test.md"));
}

TEST(LoadLecture, NamesAMissingFileAndAFolder) {
    const ScratchFolder folder;
    EXPECT_MESSAGE(load_lecture(folder / "none.md"), BadInput, "There is no file");
    EXPECT_MESSAGE(load_lecture(folder.path()), BadInput, "not a file");
    EXPECT_MESSAGE(load_lecture("/dev/null"), BadInput, "not a file");
    EXPECT_MESSAGE(load_lecture("clokcs-of-nobody"), BadInput, "There is no lecture \"clokcs-of-nobody\"");
}

TEST(LoadLecture, LiveScenesTrainWhatTheirRecordingsHave) {
    for (const ShippedLecture& each : shipped_lectures()) {
        for (const LectureScene& scene : load_lecture(each.file).scenes) {
            if (!scene.live || scene.lab.empty()) continue;
            const std::vector<SceneRun> recorded = runs_of(scene);
            const std::vector<RunSpec> trained = experiment_of(*scene.live, false).expand();
            ASSERT_EQ(recorded.size(), trained.size()) << scene.id;
            if (const auto& plan = scene.live->extrapolation) {
                const auto stored = stored_extrapolations(RecordedLab(scene.lab).lab(), recorded[0].id);
                ASSERT_EQ(stored.size(), plan->methods.size()) << scene.id;
                for (std::size_t i = 0; i < stored.size(); ++i) {
                    EXPECT_EQ(stored[i].evaluations[1].fine_tuning, plan->tuning(plan->methods[i])) << scene.id;
                    EXPECT_EQ(std::ssize(stored[i].evaluations[0].result->loss_by_position),
                              plan->factor * recorded[0].spec.context);
                }
            }
            for (const RunSpec& spec : trained) {
                EXPECT_EQ(spec.iterations, recorded[0].spec.iterations) << scene.id;
                EXPECT_EQ(spec.warmup, recorded[0].spec.warmup) << scene.id;
                EXPECT_EQ(spec.evaluate_every, recorded[0].spec.evaluate_every) << scene.id;
                EXPECT_EQ(spec.learning_rate, recorded[0].spec.learning_rate) << scene.id;
            }
        }
    }
}

TEST(LoadLecture, EveryLectureOfTheProgramIsValid) {
    for (const ShippedLecture& each : shipped_lectures()) {
        EXPECT_NO_THROW(load_lecture(each.file)) << each.name;
        EXPECT_EQ(load_lecture(each.name).file, each.file);
    }
}

}  // namespace
}  // namespace ropelab
