#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/store/lab_file.h"
#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

constexpr const char* class_lecture = R"(---
title: Training at home
minutes: 10
---

## A page

Text.

## Two thetas

```yaml
id: two-thetas
show: train
live: {set: {theta: [500, 10000], iterations: 20, evaluate_every: 10, context: 32, batch: 4, width: 32, evaluation: sampled, evaluation_batches: 2, precision: float32, sample_length: 0, seed: 5}, check: {iterations: 20}}
```
)";

class LectureClassTest : public testing::Test {
 protected:
    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    ScratchFolder folder_;
    std::string lecture_ = folder_.write("home.md", class_lecture).string();
};

TEST_F(LectureClassTest, WritesExperimentsAndPoolsTheirResults) {
    const auto written = ropelab_cli({"lecture", "class", lecture_, "--students", "3", "--set", "learning_rate=2e-3",
                                      "--output", path("class"), "--json"});
    ASSERT_EQ(written.status, 0) << written.err;
    ASSERT_EQ(written.json().at("students").size(), 3U);
    EXPECT_EQ(written.json()["students"][2]["seed"], 7);
    EXPECT_TRUE(std::filesystem::exists(path("class/sheet.md")));
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "class", lecture_, "--students", "3", "--output", path("class")}),
                     "add --force");

    // The first two students hand in labs, the third one what the sweep printed.
    std::vector<std::string> pool = {"lecture", "class", lecture_, "--pool"};
    for (const char* name : {"student-01", "student-02"}) {
        const std::string lab = path(std::string(name) + ".ropelab");
        const auto trained =
            ropelab_cli({"sweep", "--experiment", path(std::string("class/") + name + ".json"), "--lab", lab});
        ASSERT_EQ(trained.status, 0) << trained.err;
        pool.push_back(lab);
    }
    const auto printed = ropelab_cli({"sweep", "--experiment", path("class/student-03.json"), "--json"});
    ASSERT_EQ(printed.status, 0) << printed.err;
    pool.push_back(folder_.write("student-03-result.json", printed.out).string());
    pool.push_back(folder_.write("notes.json", "hello").string());
    pool.insert(pool.end(), {"--lab", path("all.ropelab"), "--json"});
    const auto pooled = ropelab_cli(pool);
    ASSERT_EQ(pooled.status, 0) << pooled.err;
    EXPECT_THAT(pooled.err, HasSubstr("notes.json was not added"));
    const auto result = pooled.json();
    EXPECT_EQ(result.at("files"), 3);
    EXPECT_EQ(result.at("added_runs"), 6);
    ASSERT_EQ(result.at("groups").size(), 2U);
    for (const auto& group : result["groups"]) {
        EXPECT_EQ(group["students"], 3);
        EXPECT_LT(group["low"].get<double>(), group["mean"].get<double>());
    }
    // A second call adds nothing, and the pooled lab itself may be among the files.
    pool.insert(pool.begin() + 4, path("all.ropelab"));
    EXPECT_EQ(ropelab_cli(pool).json().at("added_runs"), 0);
    // The picture of the class.
    const auto figure = ropelab_cli(
        {"figure", "group-means", "--lab", path("all.ropelab"), "--output", path("class.csv"), "--format", "csv"});
    EXPECT_EQ(figure.status, 0) << figure.err;
}

TEST_F(LectureClassTest, SaysWhatIsMissing) {
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "class", lecture_}), "--students");
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "class", lecture_, "--students", "3"}), "--output");
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "class", lecture_, "--students", "0", "--output", path("a")}),
                     "1 to 999 students");
    EXPECT_BAD_INPUT(
        ropelab_cli({"lecture", "class", lecture_, "--students", "2", "--scene", "x", "--output", path("a")}),
        "two-thetas");
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "class", lecture_, "--pool", path("none.ropelab")}), "--lab");
    EXPECT_BAD_INPUT(
        ropelab_cli({"lecture", "class", lecture_, "--pool", path("none.ropelab"), "--lab", path("new.ropelab")}),
        "No results could be added");
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "class", lecture_, "--pool", path("none.ropelab"), "--lab",
                                  path("new.ropelab"), "--measure", "beauty"}),
                     "beauty");
    EXPECT_FALSE(std::filesystem::exists(path("new.ropelab")));
    const std::string page = folder_.write("page.md", "---\ntitle: A page\n---\n\n## Page\n\nText.\n").string();
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "class", page, "--students", "2", "--output", path("a")}), "trains");
}

TEST_F(LectureClassTest, PrintsTheAnswersOfALab) {
    AnswerRecord answer;
    answer.lecture = "Clocks";
    answer.scene = "hands";
    answer.question = "Which hand is slowest?";
    answer.kind = "choice";
    answer.given = "\"the first\"";
    answer.truth = "\"the last\"";
    answer.details = R"({"choices":["the first","the last"]})";
    answer.people = 4;
    answer.group = "2026";
    LabFile::create(path("answers.ropelab"))->add_answers(std::vector<AnswerRecord>{answer});
    const auto text = ropelab_cli({"lecture", "answers", "--lab", path("answers.ropelab")});
    ASSERT_EQ(text.status, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("2026: 0 of 4 right"));
    const auto csv = ropelab_cli({"lecture", "answers", "--lab", path("answers.ropelab"), "--format", "csv"});
    EXPECT_THAT(csv.out, HasSubstr("lecture,scene,question,kind,group"));
    const auto json = ropelab_cli({"lecture", "answers", "--lab", path("answers.ropelab"), "--json"});
    EXPECT_EQ(json.json()["questions"][0]["groups"][0]["people"], 4);
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "answers", "--lab", path("answers.ropelab"), "--format", "xml"}),
                     "txt or csv");
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "answers", "--lab", path("answers.ropelab"), "--lecture", "Other"}),
                     "Other");
    // The same answers as a figure, from a lab that has no runs.
    const auto figure = ropelab_cli(
        {"figure", "answers", "--lab", path("answers.ropelab"), "--question", "1", "--output", path("answers.csv")});
    EXPECT_EQ(figure.status, 0) << figure.err;
    // Qt's warning about a missing desktop session is not printed beside the sentence.
    EXPECT_BAD_INPUT(ropelab_cli({"figure", "answers", "--lab", path("answers.ropelab"), "--question", "2", "--output",
                                  path("answers2.csv")},
                                 "", "XDG_RUNTIME_DIR="),
                     "no question 2");
}

}  // namespace
}  // namespace ropelab
