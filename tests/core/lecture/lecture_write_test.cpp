#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/lecture/lecture_check.h"
#include "tests/core/lecture/lecture_text.h"

namespace ropelab {
namespace {

void expect_equal(const LectureQuestion& a, const LectureQuestion& b) {
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.text, b.text);
    EXPECT_EQ(a.choices, b.choices);
    EXPECT_EQ(a.right, b.right);
    EXPECT_EQ(a.quantity, b.quantity);
    EXPECT_EQ(a.tolerance, b.tolerance);
    EXPECT_EQ(a.curve, b.curve);
    EXPECT_EQ(a.hides, b.hides);
    EXPECT_EQ(a.hint, b.hint);
    EXPECT_EQ(a.answer, b.answer);
}

void expect_equal(const LectureStep& a, const LectureStep& b) {
    EXPECT_EQ(a.say, b.say);
    EXPECT_EQ(a.point, b.point);
    EXPECT_EQ(a.loop, b.loop);
    ASSERT_EQ(a.set.size(), b.set.size());
    for (std::size_t i = 0; i < a.set.size(); ++i) {
        EXPECT_EQ(a.set[i].key, b.set[i].key);
        EXPECT_EQ(a.set[i].value, b.set[i].value);
        EXPECT_EQ(a.set[i].glide, b.set[i].glide);
    }
    ASSERT_EQ(a.checks.size(), b.checks.size());
    for (std::size_t i = 0; i < a.checks.size(); ++i) {
        EXPECT_EQ(a.checks[i].quantity, b.checks[i].quantity);
        EXPECT_EQ(a.checks[i].expected, b.checks[i].expected);
        EXPECT_EQ(a.checks[i].tolerance, b.checks[i].tolerance);
    }
    ASSERT_EQ(a.ask.has_value(), b.ask.has_value());
    if (a.ask) expect_equal(*a.ask, *b.ask);
}

void expect_equal(const LectureScene& a, const LectureScene& b) {
    EXPECT_EQ(a.title, b.title);
    EXPECT_EQ(a.text, b.text);
    EXPECT_EQ(a.room, b.room);
    EXPECT_EQ(a.part, b.part);
    EXPECT_EQ(a.setup, b.setup);
    EXPECT_EQ(a.controls, b.controls);
    EXPECT_EQ(a.question, b.question);
    EXPECT_EQ(a.notes, b.notes);
    EXPECT_EQ(a.find, b.find);
    ASSERT_EQ(a.live.has_value(), b.live.has_value());
    if (a.live) {
        EXPECT_EQ(a.live->preset, b.live->preset);
        EXPECT_EQ(a.live->experiment, b.live->experiment);
        EXPECT_EQ(a.live->check_settings, b.live->check_settings);
        EXPECT_EQ(a.live->seconds, b.live->seconds);
        ASSERT_EQ(a.live->extrapolation.has_value(), b.live->extrapolation.has_value());
        if (a.live->extrapolation) {
            EXPECT_EQ(a.live->extrapolation->methods, b.live->extrapolation->methods);
            EXPECT_EQ(a.live->extrapolation->steps, b.live->extrapolation->steps);
        }
    }
    ASSERT_EQ(a.steps.size(), b.steps.size());
    for (std::size_t i = 0; i < a.steps.size(); ++i) expect_equal(a.steps[i], b.steps[i]);
}

TEST(WriteLecture, TemplateIsAValidLectureWhoseChecksPass) {
    for (const std::string title : {"My lecture", "", "Quotes \" and: colons #", "Zwei\nZeilen"}) {
        const Lecture lecture = parse_lecture(lecture_template(title), "new.md");
        EXPECT_EQ(lecture.scenes.size(), 2U);
        const auto checks = check_lecture(lecture);
        EXPECT_GE(checks.size(), 3U);
        for (const CheckedQuantity& check : checks) EXPECT_TRUE(check.ok) << check.quantity;
    }
    EXPECT_EQ(parse_lecture(lecture_template("Quotes \" and: colons #"), "new.md").title, "Quotes \" and: colons #");
}

TEST(WriteLecture, NamesTheFileAfterTheTitle) {
    EXPECT_EQ(lecture_file_name("My lecture: part 2"), "my-lecture-part-2.md");
    EXPECT_EQ(lecture_file_name("slides/a.md"), "slides/a.md");
    EXPECT_EQ(lecture_file_name("講義"), "lecture.md");
}

TEST(WriteLecture, AnAddedSceneIsReadBack) {
    LectureScene scene = scene_of_block(R"(id: here
show: rotation/helix
setup: theta=20k head_dim=32 fraction=50% context=512 | B: theta=500k
live: {preset: theta-minute, set: {theta: [500, 10000]}, check: {iterations: 20}, extrapolate: {scaling: [none, ntk-by-parts], steps: 7}, seconds: 90}
controls: [theta, m]
question: "Which: this # one?"
find: wavelength(3)
summary: true
notes: |
  Two lines,
  with **Markdown** and "quotes".
steps:
  - say: 'One: two # three'
    set: {m: 10, theta: 30k over 2.5 s}
    point: pair 3
    check: [{quantity: pairs, expected: 8}, {quantity: first_negative, expected: none, tolerance: 2}]
  - ask: {text: "a?", choices: ["1", "2, 3"], right: 2, hide: true, hint: h, answer: "yes: 2"}
  - ask: {text: b, quantity: pairs, tolerance: 0.5}
  - ask: {text: c, draw: true, curve: "expected"}
  - set: {m: 64 over 8 s}
    loop: true)");
    const std::string text = with_scene(lecture_template("Example"), scene);
    const Lecture lecture = parse_lecture(text, "test.md");
    ASSERT_EQ(lecture.scenes.size(), 3U);
    expect_equal(lecture.scenes.back(), scene);
    EXPECT_EQ(lecture.scenes.back().id, "here");
    EXPECT_TRUE(lecture.scenes.back().summary);
}

TEST(WriteLecture, AnAddedSceneHasAnIdOfItsOwn) {
    LectureScene scene;
    scene.title = "The slowest hand";
    scene.room = "spectrum";
    std::string text = lecture_template("Example");
    for (int i = 0; i < 3; ++i) text = with_scene(text, scene);
    const Lecture lecture = parse_lecture(text, "test.md");
    ASSERT_EQ(lecture.scenes.size(), 5U);
    EXPECT_EQ(lecture.scenes[2].id, "the-slowest-hand");
    EXPECT_EQ(lecture.scenes[3].id, "the-slowest-hand-2");
    EXPECT_EQ(lecture.scenes[4].id, "the-slowest-hand-3");
}

TEST(WriteLecture, ASceneIsAddedToAFileWithErrors) {
    LectureScene scene;
    scene.title = "New";
    const std::string text = with_scene("---\ntitle: x\n---\n## New\n```yaml\nshow: [\n```\n", scene);
    EXPECT_THAT(text, ::testing::HasSubstr("show: ["));
    EXPECT_THAT(text, ::testing::HasSubstr("id: \"new-2\""));
}

TEST(WriteLecture, ASceneIsAddedAfterCodeWithoutEnd) {
    LectureScene scene;
    scene.title = "New";
    const Lecture lecture = parse_lecture(with_scene("---\ntitle: x\n---\n## A\ntext\n~~~~\ncode\n", scene), "test.md");
    ASSERT_EQ(lecture.scenes.size(), 2U);
    EXPECT_EQ(lecture.scenes[0].text, "text\n~~~~\ncode\n~~~~\n");
}

}  // namespace
}  // namespace ropelab
