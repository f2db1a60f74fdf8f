// Nothing that a class sees in a scene answers a question of another scene.
#include "core/lecture/secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/lecture/lecture_check.h"
#include "core/lecture/quantities/quantity.h"

namespace ropelab {
namespace {

/// Two scenes: the first has this YAML and text, the second asks.
Lecture before_question(const std::string& yaml, const std::string& text, const std::string& ask) {
    return parse_lecture("---\ntitle: Test\n---\n## Before\n```yaml\n" + yaml + "\n```\n" + text +
                             "\n## Asks\n```yaml\nshow: context/bound\nsetup: theta=500 head_dim=64 fraction=100% "
                             "context=256\nsteps:\n  - ask: " +
                             ask + "\n```\n",
                         "test.md");
}

std::string problem_of(const Lecture& lecture) {
    for (const CheckedQuantity& each : check_lecture(lecture)) {
        if (each.quantity == "answer" && !each.ok) return each.problem;
    }
    return {};
}

constexpr const char* number = "{text: \"Where is it first negative?\", quantity: first_negative(2000), hide: true}";

TEST(Secrets, ATextOfAnEarlierSceneMustNotContainTheNumber) {
    EXPECT_THAT(problem_of(before_question("show: rotation", "It fails at distance 154.", number)),
                testing::HasSubstr("The text of the scene \"before\" says \"154\""));
    EXPECT_EQ(problem_of(before_question("show: rotation", "It fails at distance 155.", number)), "");
}

TEST(Secrets, AnEarlierSceneMustNotStateTheQuantity) {
    const std::string states =
        "show: spectrum\nsetup: theta=500 head_dim=64 fraction=100% context=256\nsteps:\n"
        "  - say: Here it is.\n    check: {quantity: first_negative(2000), expected: 154}";
    EXPECT_THAT(problem_of(before_question(states, "", number)), testing::HasSubstr("states first_negative(2000)"));
}

TEST(Secrets, AnEarlierSceneMustNotShowThePictureThatTheQuestionHides) {
    const std::string shows =
        "show: context/bound\nsetup: theta=500 head_dim=64 fraction=100% context=256\nsteps:\n  - say: Look.";
    EXPECT_THAT(problem_of(before_question(shows, "", number)), testing::HasSubstr("The picture of line"));
    const std::string other =
        "show: context/bound\nsetup: theta=600 head_dim=64 fraction=100% context=256\nsteps:\n  - say: Look.";
    EXPECT_EQ(problem_of(before_question(other, "", number)), "");
}

TEST(Secrets, AWrongAnswersSentenceMustNotContainTheRightOne) {
    EXPECT_NE(problem_of(before_question(
                  "show: rotation", "",
                  "{text: \"Where?\", quantity: first_negative(2000), hide: true, wrong: {60: It is 154.}}")),
              "");
}

TEST(Secrets, SentencesOnWrongAnswersAreFoundByChoiceAndByNumber) {
    const Lecture lecture = parse_lecture(
        "---\ntitle: T\n---\n## A\n```yaml\nshow: rotation\nsteps:\n"
        "  - ask: {text: \"Which?\", choices: [one, two], right: 2, wrong: {1: Not one.}}\n"
        "  - ask: {text: \"How long?\", quantity: wavelength(0), tolerance: 0.05, wrong: {6: Whole tokens., 360: "
        "Degrees.}}\n"
        "```\n",
        "test.md");
    const auto& steps = lecture.scenes[0].steps;
    EXPECT_EQ(misunderstood(*steps[0].ask, "\"one\""), "Not one.");
    EXPECT_EQ(misunderstood(*steps[0].ask, "\"two\""), "");
    EXPECT_EQ(misunderstood(*steps[1].ask, "6"), "Whole tokens.");
    EXPECT_EQ(misunderstood(*steps[1].ask, "359.5"), "Degrees.");
    EXPECT_EQ(misunderstood(*steps[1].ask, "20"), "");
    const LectureScene again =
        parse_lecture(with_scene("---\ntitle: T\n---\n", lecture.scenes[0]), "test.md").scenes[0];
    EXPECT_EQ(misunderstood(*again.steps[0].ask, "\"one\""), "Not one.");
}

TEST(Secrets, CountTheDigitsThatMatter) {
    EXPECT_EQ(significant_digits(154), 3);
    EXPECT_EQ(significant_digits(1000), 1);
    EXPECT_EQ(significant_digits(-0.39), 2);
    EXPECT_EQ(significant_digits(0), 0);
}

// Every wrong choice that the program's lectures offer names what it shows to be misunderstood.
TEST(Secrets, TheLecturesOfTheProgramNameTheMisconceptions) {
    for (const ShippedLecture& shipped : shipped_lectures()) {
        for (const LectureScene& scene : load_lecture(shipped.file).scenes) {
            for (const LectureStep& step : scene.steps) {
                if (!step.ask || step.ask->kind == LectureQuestion::Kind::curve) continue;
                const std::size_t wrong = step.ask->choices.empty() ? 1 : step.ask->choices.size() - 1;
                EXPECT_GE(step.ask->wrong.size(), wrong) << shipped.name << ", line " << step.ask->line;
            }
        }
    }
}

// The weights that looking at the lectures found (64 keys, product of norms 2, 4 and 8; the whole norm in 4 pairs).
TEST(HeadWeight, SlowPairsKeepFarKeysDown) {
    QuantitySource source;
    source.setups = parse_setups("theta=10k head_dim=64 fraction=100% context=64");
    const auto percent = [&](const std::string& arguments) {
        return 100 * evaluate_quantity("head_weight(1, 64, " + arguments + ")", source).get<double>();
    };
    EXPECT_NEAR(percent("32, 2"), 18.5, 0.05);
    EXPECT_NEAR(percent("4, 2"), 3.8, 0.05);
    EXPECT_NEAR(percent("32, 4"), 40, 0.05);
    EXPECT_NEAR(percent("4, 4"), 8.1, 0.05);
    EXPECT_NEAR(percent("32, 8"), 58.7, 0.05);
    EXPECT_NEAR(percent("4, 8"), 23, 0.05);
    EXPECT_NEAR(percent("4, 16"), 60.2, 0.05);
}

// The numbers of the scenes that read a position and slide a sentence (56, 6, 1 and 1 of 1,024; 120 %).
TEST(SceneNumbers, OfReadingAndSliding) {
    QuantitySource source;
    source.setups = parse_setups("theta=10k head_dim=8 context=1024");
    const auto value = [&](const std::string& expression) {
        return evaluate_quantity(expression, source).get<double>();
    };
    EXPECT_EQ(value("positions_left(374, 0, 10)"), 1024);
    EXPECT_EQ(value("positions_left(374, 1, 10)"), 56);
    EXPECT_EQ(value("positions_left(374, 2, 10)"), 6);
    EXPECT_EQ(value("positions_left(374, 3, 10)"), 1);
    EXPECT_EQ(value("positions_left(374, 1, 10, 512)"), 29);
    source.setups = parse_setups("theta=10k head_dim=64 context=2048");
    EXPECT_LT(value("weight_shift(1000)"), 1e-13);
    EXPECT_LT(value("output_shift(1000)"), 1e-13);
    EXPECT_NEAR(value("rotated_output_shift(1000)"), 1.2, 0.15);
    EXPECT_EQ(value("rotated_output_shift(0)"), 0);
    EXPECT_NEAR(value("key_share(0, 199)"), 0.8468, 0.008);
    EXPECT_NEAR(value("key_share(0, 199, 0)"), 0.005, 0.0006);
    EXPECT_THROW(value("head_weight(1, 64.5, 32, 2)"), BadInput);
    EXPECT_THROW(value("head_weight(1, 64, -1, 2)"), BadInput);
}

}  // namespace
}  // namespace ropelab
