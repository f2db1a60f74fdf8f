#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/store/lab_database.h"
#include "tests/core/store/lab_runs.h"

namespace ropelab {
namespace {

using testing::HasSubstr;
using Answers = std::vector<AnswerRecord>;

AnswerRecord sample_answer(const std::string& question = "How long is the wavelength of pair 31?") {
    AnswerRecord answer;
    answer.lecture = "Clocks";
    answer.scene = "four-clocks";
    answer.question = question;
    answer.kind = "number";
    answer.given = "50000.0";
    answer.truth = "47117.0";
    answer.details = R"({"unit":"tokens","tolerance":1.0})";
    answer.right = false;
    answer.distance = 2883;
    answer.people = 2;
    answer.group = "third year, 2026";
    return answer;
}

TEST(LabAnswers, AreStoredWithTimeAndName) {
    const ScratchFolder folder;
    const auto path = folder.path() / "class.ropelab";
    {
        const auto lab = LabFile::create(path);
        EXPECT_TRUE(lab->answers().empty());
        AnswerRecord choice = sample_answer("Which hand is slowest?");
        choice.kind = "choice";
        choice.given = "\"the last\"";
        choice.right = true;
        choice.distance = std::nan("");
        lab->add_answers(Answers{sample_answer(), choice});
    }
    const Answers stored = LabFile::open(path, LabFile::Mode::read)->answers();
    ASSERT_EQ(stored.size(), 2U);
    EXPECT_EQ(stored[0].lecture, "Clocks");
    EXPECT_EQ(stored[0].scene, "four-clocks");
    EXPECT_EQ(stored[0].question, "How long is the wavelength of pair 31?");
    EXPECT_EQ(stored[0].kind, "number");
    EXPECT_EQ(stored[0].given, "50000.0");
    EXPECT_EQ(stored[0].truth, "47117.0");
    EXPECT_EQ(stored[0].details, R"({"unit":"tokens","tolerance":1.0})");
    EXPECT_FALSE(stored[0].right);
    EXPECT_EQ(stored[0].distance, 2883);
    EXPECT_EQ(stored[0].people, 2);
    EXPECT_EQ(stored[0].group, "third year, 2026");
    EXPECT_EQ(stored[0].created.size(), std::string("2026-01-01T00:00:00Z").size());
    EXPECT_TRUE(stored[1].right);
    EXPECT_TRUE(std::isnan(stored[1].distance));
    EXPECT_FALSE(stored[0].id.empty());
    EXPECT_NE(stored[0].id, stored[1].id);
}

TEST(LabAnswers, MergingAddsEachAnswerOnce) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder.path() / "this.ropelab");
    lab->add_answers(Answers{sample_answer()});
    {
        const auto other = LabFile::create(folder.path() / "other.ropelab");
        other->add_answers(lab->answers());            // a copy, which has the same name
        other->add_answers(Answers{sample_answer()});  // another person gave the same answer
        other->add_answers(Answers{sample_answer("?")});
    }
    lab->merge(folder.path() / "other.ropelab");
    EXPECT_EQ(lab->answers().size(), 3U);
    lab->merge(folder.path() / "other.ropelab");
    EXPECT_EQ(lab->answers().size(), 3U);
}

TEST(LabAnswers, AreDeletedAndStoredAgain) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder.path() / "class.ropelab");
    lab->add_answers(Answers{sample_answer(), sample_answer("?")});
    const Answers before = lab->answers();
    lab->delete_answers(std::vector<std::string>{before[0].id, "unknown"});
    ASSERT_EQ(lab->answers().size(), 1U);
    EXPECT_EQ(lab->answers()[0].id, before[1].id);
    lab->add_answers(Answers{before[0]});
    const Answers after = lab->answers();
    ASSERT_EQ(after.size(), 2U);
    for (const AnswerRecord& answer : after) {
        const AnswerRecord& old = answer.id == before[0].id ? before[0] : before[1];
        EXPECT_EQ(answer.id, old.id);
        EXPECT_EQ(answer.question, old.question);
        EXPECT_EQ(answer.created, old.created);
    }
}

TEST(LabAnswers, AreSavedWithACopy) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder.path() / "this.ropelab");
    lab->add_answers(Answers{sample_answer()});
    lab->save_as(folder.path() / "copy.ropelab");
    const Answers copied = LabFile::open(folder.path() / "copy.ropelab")->answers();
    ASSERT_EQ(copied.size(), 1U);
    EXPECT_EQ(copied[0].id, lab->answers()[0].id);
}

TEST(LabAnswers, RefusesWhatIsNoAnswerAndStoresNothing) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder.path() / "this.ropelab");
    const auto refusal = [&](const AnswerRecord& answer) -> std::string {
        try {
            lab->add_answers(Answers{sample_answer(), answer});
        } catch (const BadInput& error) {
            return error.what();
        }
        return "";
    };
    AnswerRecord answer = sample_answer();
    answer.kind = "essay";
    EXPECT_THAT(refusal(answer), HasSubstr("essay"));
    answer = sample_answer();
    answer.given = "{";
    EXPECT_THAT(refusal(answer), HasSubstr("not valid JSON"));
    answer = sample_answer();
    answer.people = 0;
    EXPECT_THAT(refusal(answer), HasSubstr("number of people who gave an answer is"));
    EXPECT_TRUE(lab->answers().empty());
}

TEST(LabAnswers, LabsOfEarlierVersionsHaveNone) {
    const ScratchFolder folder;
    const auto path = folder.path() / "old.ropelab";
    {
        folder.write("old.ropelab", "");
        migrate(sqlite::Connection(path, sqlite::Access::write), lab_migrations().first(9));
    }
    const auto lab = LabFile::open(path);
    EXPECT_TRUE(lab->answers().empty());
    lab->add_answers(Answers{sample_answer()});
    EXPECT_EQ(lab->answers().size(), 1U);
}

}  // namespace
}  // namespace ropelab
