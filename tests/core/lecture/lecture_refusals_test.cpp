// Faulty lectures: the message names file, line and what would be right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/lecture/lecture_text.h"
#include "tests/core/lecture/lecture_text.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

struct Refusal {
    const char* yaml;
    const char* message;
};

TEST(LectureRefusals, NameFileLineAndWhatWouldBeRight) {
    const std::vector<Refusal> refusals = {
        {"shwo: rotation", "test.md, line 6: The scene has no key \"shwo\"; did you mean \"show\"?"},
        {"id: a\nid: b", "line 7: The scene has the key \"id\" twice"},
        {"id: A b", "lower-case letters"},
        {"show: rotaton", "did you mean rotation?"},
        {"show: rotation\nseconds: 90", "\"seconds\" belongs to live training; write \"live: {seconds: …}\"."},
        {"show: rotation\nsteps:\n  - check: {quantity: angle(0, 1), expected: 57}",
         "\"1)\" follows a comma; put the value of \"quantity\" into quotes"},
        {"show: rotation/dialz", "did you mean \"rotation/dials\"?"},
        {"show: train/layers", "did you mean"},
        {"show: memory/cache", "did you mean \"memory/kv-cache\""},
        {"show: rotation\ncontrols: [theta, tetha]", "line 7: The room \"rotation\" has no control \"tetha\""},
        {"controls: [theta]", "add \"show: ROOM\""},
        {"show: rotation\nsetup: thta=3", "did you mean \"theta\"?"},
        {"show: results\nlab: labs/none.ropelab", "line 7: There is no lab \"labs/none.ropelab\""},
        {"find: wavelenght(3)", "did you mean wavelength?"},
        {"find: wavelength", "write wavelength(pair)"},
        {"find: wavelength(x)", "The argument pair of wavelength is not valid"},
        {"find: wavelength(1.5)", "must be a whole number"},
        {"find: B.pairs", "the scene has only one setup"},
        {"find: runs", "give the scene a lab"},
        {"live: {preset: lecture-minut}", "did you mean lecture-minute?"},
        {"live: {set: {thetta: 5}}", "did you mean theta?"},
        {"live: {preset: lecture-minute, seconds: 0}", "must be above 0"},
        {"live: {set: {width: 65, heads: 2}}", "line 6"},
        {"steps: 5", "\"steps\" must be a list"},
        {"steps:\n  - sya: x", "line 7: The step has no key \"sya\"; did you mean \"say\"?"},
        {"steps:\n  - set: {m: 3}", "add \"show: ROOM\""},
        {"show: rotation\nsteps:\n  - set: {mm: 3}", "line 8: The room \"rotation\" has no control \"mm\""},
        {"show: rotation\nsteps:\n  - set: {m: 3, m: 4}", "set twice"},
        {"show: rotation\nsteps:\n  - set: {theta: 0.5}", "must be 1.0001 or more"},
        {"show: rotation\nsteps:\n  - set: {m: 3 over 2}", "needs its unit"},
        {"show: rotation\nsteps:\n  - set: {vectors: equal over 2 s}", "\"equal\" is not a number"},
        {"show: rotation\nsteps:\n  - loop: true", "it changes nothing"},
        {"show: rotation\nsteps:\n  - point: pear 3", "did you mean \"pair …\"?"},
        {"show: rotation\nsteps:\n  - point: pair", "which one"},
        {"show: rotation\nsteps:\n  - point: control tetha", "no control \"tetha\" to point at; did you mean \"theta\"?"},
        {"steps:\n  - point: pair 3", "nothing to point at; add \"show: ROOM\""},
        {"show: rotation\nsteps:\n  - say: \"{{wavelenght(3)}}\"", "did you mean wavelength?"},
        {"show: rotation\nsteps:\n  - ask: {text: x}", "no kind of answer"},
        {"show: rotation\nsteps:\n  - ask: {text: x, choices: [a, b]}", "add \"right: 1\""},
        {"show: rotation\nsteps:\n  - ask: {text: x, choices: [a, b], right: 3}", "from 1 to 2"},
        {"show: rotation\nsteps:\n  - ask: {text: x, quantity: pairs, right: 1}", "does not belong"},
        {"show: rotation\nsteps:\n  - check: {quantity: pairs}", "no expected value"},
        {"show: rotation\nsteps:\n  - check: {expected: 3}", "no quantity"},
        {"show: rotation\nsteps:\n  - check: {quantity: pairs, expected: many}", "\"many\" is not a number"},
        {"show: rotation\nsteps:\n  - check: {quantity: pairs, expected: 3, tolerance: -1}", "not be negative"},
        {"a: [1, 2", "The YAML is not valid"},
        {"question: Which: this?", "into quotes"},
        {"notes: &a x", "Anchors"},
        {"id: a\n---\nid: b", "several documents"},
        {"notes: !!binary abc", "Tags"},
        {"? [a]\n: b", "A key must be a word"},
        {"hello", "must be a mapping"},
    };
    for (const Refusal& each : refusals) {
        EXPECT_MESSAGE(scene_of_block(each.yaml), BadInput, each.message);
        EXPECT_MESSAGE(scene_of_block(each.yaml), BadInput, "test.md, line ");
    }
}

TEST(LectureRefusals, OfTheWholeFile) {
    const auto parsed = [](const std::string& text) { return parse_lecture(text, "test.md"); };
    EXPECT_MESSAGE(parsed(""), BadInput, "line 1: A lecture begins with a line \"---\"");
    EXPECT_MESSAGE(parsed("---\ntitle: x\n"), BadInput, "no end");
    EXPECT_MESSAGE(parsed("---\nauthor: x\n---\n## A\n"), BadInput, "no title");
    EXPECT_MESSAGE(parsed("---\ntitle: x\n---\ntext\n"), BadInput, "no scene");
    EXPECT_MESSAGE(parsed("---\ntitle: x\nminutes: many\n---\n## A\n"), BadInput, "line 3");
    EXPECT_MESSAGE(parsed("---\ntitle: x\n---\n## A\n\n## A\n"), BadInput, "line 6: Two scenes have the id \"a\"");
    EXPECT_MESSAGE(parsed("---\ntitle: x\n---\n## A\n```yaml\nid: b\n"), BadInput,
                   "line 5: The block of YAML has no end");
    EXPECT_MESSAGE(parsed("---\ntitle: x\n---\n##\n"), BadInput, "line 4: The heading of a scene has no text");
    EXPECT_MESSAGE(parsed(std::string("---\ntitle: x\n---\n## A\0\n", 23)), BadInput,
                   "line 4: The text contains a control");
    EXPECT_MESSAGE(parsed("---\ntitle: x\n---\n## A\n\xFF\n"), BadInput, "line 5: The text is not valid UTF-8");
}

TEST(LectureRefusals, OfHugeFiles) {
    const std::string front = "---\ntitle: x\n---\n";
    EXPECT_MESSAGE(parse_lecture(front + "## A\n" + std::string(5'000'000, 'x'), "test.md"), BadInput, "5 MB");
    std::string scenes = front;
    for (int i = 0; i < 10'000; ++i) scenes += "## Scene " + std::to_string(i) + "\n";
    EXPECT_MESSAGE(parse_lecture(scenes, "test.md"), BadInput, "more than 2,000 scenes");
    EXPECT_MESSAGE(scene_of_block("notes: " + std::string(100'000, 'x')), BadInput, "at most 64 kB");
    EXPECT_MESSAGE(scene_of_block("notes: " + std::string(3000, '[')), BadInput, "20 levels");
    std::string bomb = "a: &a [x, x]\n";
    for (char c = 'b'; c < 'z'; ++c) bomb += std::string(1, c) + ": &" + c + " [*" + static_cast<char>(c - 1) + "]\n";
    EXPECT_MESSAGE(scene_of_block(bomb), BadInput, "Anchors");
    std::string values;
    for (int i = 0; i < 100; ++i) values += (i ? "," : "") + std::to_string(i + 2);
    EXPECT_MESSAGE(scene_of_block("live: {set: {theta: [" + values + "], seed: [" + values + "]}}"), BadInput,
                   "more than 100 runs");
}

TEST(LectureRefusals, ShortenLongTexts) {
    try {
        scene_of_block("show: " + std::string(50'000, 'x'));
        ADD_FAILURE();
    } catch (const BadInput& error) {
        EXPECT_LT(std::string(error.what()).size(), 400U);
    }
}

}  // namespace
}  // namespace ropelab
