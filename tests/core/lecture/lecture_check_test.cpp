#include "core/lecture/lecture_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/lecture/quantities/quantity.h"
#include "core/store/lab_file.h"
#include "tests/core/lecture/lecture_text.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

std::vector<CheckedQuantity> checks_of(const std::string& yaml, const std::filesystem::path& file = "test.md") {
    return check_lecture(parse_lecture(lecture_with_block(yaml), file));
}

TEST(CheckLecture, ComputesEachCheckAfterTheChangesOfItsStep) {
    const auto checks = checks_of(R"(show: rotation
setup: theta=10k head_dim=64 fraction=100% context=1024
steps:
  - check: {quantity: wavelength(31), expected: 47117, tolerance: 1}
  - set: {theta: 500k over 3 s, m: 30}
    check: {quantity: wavelength(31), expected: 2084765, tolerance: 1}
  - set: {head_dim: 32}
    check:
      - {quantity: pairs, expected: 16}
      - {quantity: wavelength(0), expected: 6, tolerance: 0.1}
  - set: {setup: "theta=10k | B: theta=500k"}
    check: {quantity: B.wavelength(31), expected: 2084765, tolerance: 1})");
    ASSERT_EQ(checks.size(), 5U);
    EXPECT_TRUE(checks[0].ok);
    EXPECT_TRUE(checks[1].ok);
    EXPECT_TRUE(checks[2].ok);
    EXPECT_FALSE(checks[3].ok);
    EXPECT_TRUE(checks[4].ok);
    EXPECT_EQ(checks[3].scene, "a-scene");
    EXPECT_EQ(checks[3].line, 15);
    EXPECT_NEAR(checks[3].value.get<double>(), 6.283185307179586, 1e-12);
    EXPECT_EQ(checks[3].problem, "");
}

TEST(CheckLecture, GivesAControlToTheRoomThatAnEarlierStepHasOpened) {
    const auto checks = checks_of(R"(show: rotation
setup: theta=10k head_dim=64 fraction=100% context=128 heads=8
steps:
  - set: {room: memory/kv-cache}
  - set: {heads: 32}
    check: {quantity: alibi_slope(0), expected: 0.5})");
    ASSERT_EQ(checks.size(), 1U);
    EXPECT_TRUE(checks[0].ok) << checks[0].value;  // the heads of the setup are still 8
}

TEST(CheckLecture, ReportsQuantitiesThatCannotBeComputed) {
    const auto checks = checks_of(R"(show: rotation
find: wavelength(40)
steps:
  - ask: {text: "How long?", quantity: first_negative(10)}
    check: {quantity: wavelength(32), expected: 5}
  - ask: {text: "How long?", quantity: first_negative})");
    ASSERT_EQ(checks.size(), 5U) << "both questions also keep their answers";
    EXPECT_EQ(checks[0].quantity, "wavelength(40)");
    EXPECT_THAT(checks[0].problem, ::testing::HasSubstr("no pair 40"));
    EXPECT_EQ(checks[1].quantity, "wavelength(32)");
    EXPECT_THAT(checks[1].problem, ::testing::HasSubstr("no pair 32"));
    EXPECT_EQ(checks[2].quantity, "first_negative(10)");
    EXPECT_THAT(checks[2].problem, ::testing::HasSubstr("no value"));
    EXPECT_EQ(checks[3].quantity, "answer");
    EXPECT_EQ(checks[4].quantity, "answer");
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(checks[static_cast<std::size_t>(i)].ok);
}

TEST(CheckLecture, ReadsTheRecordedLab) {
    const ScratchFolder folder;
    LabFile::create(folder / "runs.ropelab");
    const std::string yaml = "show: results\nlab: runs.ropelab\nsteps:\n  - check: {quantity: runs, expected: 0}";
    const auto checks = checks_of(yaml, folder / "test.md");
    ASSERT_EQ(checks.size(), 1U);
    EXPECT_TRUE(checks[0].ok);
    folder.write("runs.ropelab", "no lab");
    const auto broken = checks_of(yaml, folder / "test.md");
    ASSERT_EQ(broken.size(), 2U);
    EXPECT_EQ(broken[0].quantity, "lab");
    EXPECT_FALSE(broken[0].ok);
    EXPECT_FALSE(broken[1].ok);
}

TEST(CheckLecture, LeavesTheRecordedLabAsItIs) {
    const ScratchFolder folder;
    const std::filesystem::path file = folder / "runs.ropelab";
    LabFile::create(file);
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    std::filesystem::permissions(folder.path(),
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    const auto time = std::filesystem::last_write_time(file);
    const auto checks = checks_of("show: results\nlab: runs.ropelab\nsteps:\n  - check: {quantity: runs, expected: 0}",
                                  folder / "test.md");
    EXPECT_TRUE(checks.at(0).ok) << checks.at(0).problem;
    EXPECT_EQ(std::filesystem::last_write_time(file), time);
    const std::filesystem::directory_iterator entries(folder.path());
    EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);  // no files of the database beside it
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

TEST(CheckLecture, FindsTextsThatGiveAnAnswerAway) {
    const auto checks = checks_of(R"(show: rotation
setup: theta=10k head_dim=64 fraction=100% context=1024
question: Do 18 pairs complete a period?
steps:
  - say: The period of pair 31 is about 47,117 tokens.
  - ask: {text: "How long is the period of pair 31?", quantity: wavelength(31), tolerance: 1}
  - ask: {text: "How many of the 32 pairs do not complete a period?", quantity: pairs_beyond(1024)}
  - ask: {text: "How many channels complete one?", quantity: critical_dimension(1024)}
  - ask: {text: "What happens?", choices: [The period is 50 times as long., Nothing.], right: 1}
  - say: The period is 50 times as long.)");
    ASSERT_EQ(checks.size(), 4U);
    EXPECT_FALSE(checks[0].ok);
    EXPECT_THAT(checks[0].problem, ::testing::HasSubstr("\"47,117\""));
    EXPECT_FALSE(checks[1].ok) << "the scene's question says the complement, 32 - 14";
    EXPECT_THAT(checks[1].problem, ::testing::HasSubstr("\"18\""));
    EXPECT_TRUE(checks[2].ok) << checks[2].problem;
    EXPECT_TRUE(checks[3].ok) << "the sentence comes after the question: " << checks[3].problem;
}

TEST(CheckLecture, FindsAnswersInWordsAndInThousands) {
    const auto checks = checks_of(R"(show: rotation
setup: theta=10k head_dim=64 fraction=100% context=1024
question: Do fourteen pairs rotate through about 47k tokens?
steps:
  - ask: {text: "How long is the period of pair 31?", quantity: wavelength(31), tolerance: 1}
  - ask: {text: "How many pairs do not complete a period?", quantity: pairs_beyond(1024)})");
    ASSERT_EQ(checks.size(), 2U);
    EXPECT_THAT(checks[0].problem, ::testing::HasSubstr("\"47k\""));
    EXPECT_THAT(checks[1].problem, ::testing::HasSubstr("\"fourteen\""));
}

TEST(CheckLecture, FindsTolerancesThatDoNotSuitTheAnswer) {
    const auto checks = checks_of(R"(show: rotation
setup: theta=10k head_dim=64 fraction=100% context=1024
steps:
  - ask: {text: "How long?", quantity: wavelength(0)}
  - ask: {text: "How long?", quantity: wavelength(0), tolerance: 7}
  - ask: {text: "How long?", quantity: wavelength(0), tolerance: 0.1})");
    ASSERT_EQ(checks.size(), 5U);
    EXPECT_EQ(checks[0].quantity, "tolerance");
    EXPECT_THAT(checks[0].problem, ::testing::HasSubstr("nobody can type it"));
    EXPECT_THAT(checks[2].problem, ::testing::HasSubstr("so 0 would be right"));
    EXPECT_TRUE(checks[4].ok);
}

TEST(CheckLecture, FillsNumbersIntoSentences) {
    QuantitySource source;
    source.setups = {parse_setup("theta=10k head_dim=64"), std::nullopt};
    EXPECT_EQ(with_quantities("{{wavelength(0)|900000000}}", source), "…");
    EXPECT_EQ(with_quantities("It needs {{wavelength(31) | 1}} tokens, not {{wavelength(0)|2}}.", source),
              "It needs 47117.2 tokens, not 6.28.");
    EXPECT_EQ(with_quantities("{{alibi_bias(0, 10)}} and {{runs}}, {{open", source), "\u22125 and \u2026, {{open");
    EXPECT_EQ(with_quantities("p is {{runs | 2}}. It is open.", source), "p is \u2026 It is open.");
    EXPECT_THROW(checks_of("show: rotation\nsteps:\n  - say: \"{{wavelenth(3)}}\""), BadInput);
}

TEST(CheckLecture, ComparesNumbersListsAndNone) {
    const auto json = [](const char* text) { return nlohmann::json::parse(text); };
    EXPECT_TRUE(agrees_with(5.5, 5, 0.5));
    EXPECT_FALSE(agrees_with(5.5, 5, 0.4));
    EXPECT_TRUE(agrees_with(nullptr, nullptr, 0));
    EXPECT_FALSE(agrees_with(nullptr, 0, 1));
    EXPECT_FALSE(agrees_with(0, nullptr, 1));
    EXPECT_TRUE(agrees_with(json("[[1, 2], [3, 4]]"), json("[[1, 2.5], [3, 4]]"), 0.5));
    EXPECT_FALSE(agrees_with(json("[[1, 2]]"), json("[[1, 2], [3, 4]]"), 0.5));
    EXPECT_FALSE(agrees_with(json("[1]"), json("1"), 0.5));
}

TEST(CheckLecture, PassesForTheLecturesOfTheProgram) {
    for (const ShippedLecture& each : shipped_lectures()) {
        Lecture lecture = load_lecture(each.file);
        for (LectureScene& scene : lecture.scenes) {
            if (!scene.lab.empty()) scene.live.reset();  // training is tested through the command
        }
        std::erase_if(lecture.scenes, [](const LectureScene& scene) { return scene.live.has_value(); });
        for (const CheckedQuantity& check : check_lecture(lecture)) {
            EXPECT_TRUE(check.ok) << each.name << ", line " << check.line << ": " << check.quantity << " is "
                                  << check.value << ", expected " << check.expected << " " << check.problem;
        }
    }
}

}  // namespace
}  // namespace ropelab
