// Faulty lectures: the message names file, line and what would be right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/lecture/control_check.h"
#include "core/lecture/lecture_text.h"
#include "core/lecture/tex.h"
#include "core/store/output_file.h"
#include "tests/core/lecture/lecture_text.h"
#include "tests/support/expect_message.h"
#include "tests/support/source_file.h"

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
        {"show: train/layers", "it must be \"train/plan\""},
        {"show: memory/cache", "did you mean \"memory/kv-cache\""},
        {"show: rotation\ncontrols: [theta, tetha]", "line 7: The page \"rotation\" has no control \"tetha\""},
        {"controls: [theta]", "such as \"show: rotation\""},
        {"show: rotation\nsetup: thta=3", "did you mean \"theta\"?"},
        {"show: results\nlab: labs/none.ropelab", "line 7: There is no lab file \"labs/none.ropelab\""},
        {"find: wavelenght(3)", "did you mean wavelength?"},
        {"find: wavelength", "write wavelength(pair)"},
        {"find: wavelength(x)", "The argument pair of wavelength is not valid"},
        {"find: wavelength(1.5)", "must be a whole number"},
        {"find: B.pairs", "the scene has only setup A"},
        {"find: runs", "give the scene a lab"},
        {"live: {preset: lecture-minut}", "did you mean lecture-minute?"},
        {"live: {set: {thetta: 5}}", "did you mean theta?"},
        {"live: {preset: lecture-minute, seconds: 0}", "must be above 0"},
        {"live: {preset: lecture-minute, extrapolate: {steps: 5}}", "such as scaling: [none, ntk, yarn]"},
        {"live: {preset: lecture-minute, extrapolate: {scaling: [yran]}}", "yarn"},
        {"live: {preset: lecture-minute, extrapolate: {scaling: [ntk], factor: 1.5}}", "whole number from 1"},
        {"live: {preset: lecture-minute, set: {position: [alibi], runs: []}, extrapolate: {scaling: [ntk]}}",
         "no RoPE"},
        {"live: {set: {width: 65, heads: 2}}", "line 6"},
        {"steps: 5", "\"steps\" must be a list"},
        {"steps:\n  - sya: x", "line 7: The step has no key \"sya\"; did you mean \"say\"?"},
        {"steps:\n  - set: {m: 3}", "such as \"show: rotation\""},
        {"show: rotation\nsteps:\n  - set: {mm: 3}", "line 8: The page \"rotation\" has no control \"mm\""},
        {"show: rotation\nsteps:\n  - set: {m: 3, m: 4}", "set twice"},
        {"show: rotation\nsteps:\n  - set: {theta: 0.5}", "must be 1.0001 or more"},
        {"show: rotation\nsteps:\n  - set: {m: 3 over 2}", "needs its unit"},
        {"show: rotation\nsteps:\n  - set: {vectors: equal over 2 s}", "\"equal\" is not a number"},
        {"show: rotation\nsteps:\n  - loop: true", "it changes nothing"},
        {"show: rotation\nsteps:\n  - point: pear 3", "did you mean \"pair\"?"},
        {"show: rotation\nsteps:\n  - point: pair", "does not name the pair, control or figure"},
        {"show: spectrum\ncontrols: [context]\nsteps:\n  - point: control theta",
         "line 9: The scene hides the control \"theta\"; add it to"},
        {"show: rotation\nsteps:\n  - set: {m: 3.5}", "it must be a position of the context"},
        {"show: spectrum/encodings\nsetup: heads=8\nsteps:\n  - set: {head: 9}", "a head of the setup, from 1 to 8"},
        {"steps:\n  - ask: {text: x, choices: [a, a], right: 1}", "The choice \"a\" is given twice"},
        {"steps:\n  - ask: {text: x, choices: [a, \"\"], right: 1}", "A choice is empty"},
        {"steps:\n  - ask:\n      text: x\n      choices: [1,707 tokens, 725 tokens]\n      right: 1",
         "line 9: A comma inside brackets begins another choice"},
        {"steps:\n  - say: Pair #3 is slow.", "line 7: YAML ignores what follows \" #\""},
        {"steps:\n  - say: The angle $\\theta is small.", "line 7: The formula \"$\\theta is small.\" has no end"},
        {"steps:\n  - say: The base $\\frac{1}{2$.", "are not balanced"},
        {"steps:\n  - say: \"The base $\\theta$.\"", "a backslash is written twice"},
        {"show: rotation\nsteps:\n  - say: It is {{wavelength(3).", "has no end; write {{wavelength(3) | 2}}"},
        {"show: rotation\nsteps:\n  - ask: {text: \"Is it {{pairs}}?\", choices: [a, b], right: 1}",
         "into \"say\" and \"answer\" only"},
        {"steps:\n\t- say: x", "line 7: The line begins with a tab"},
        {"show: rotation\nsteps:\n  - point: control tetha",
         "no control \"tetha\" to point at; did you mean \"theta\"?"},
        {"steps:\n  - point: pair 3",
         "no pair, control or figure to point at; add a page to the scene, such as \"show: rotation\""},
        {"show: rotation\nsteps:\n  - set: {vectors: odd}",
         "line 8: The control (setting of the page) \"vectors\" is \"odd\", but it must be random, equal, aimed or "
         "head."},
        {"show: rotation\nsteps:\n  - set: {play: 3}", "it must be on or off"},
        {"show: rotation\nsetup: context=64\nsteps:\n  - set: {m: 64}",
         "line 9: The control (setting of the page) \"m\" is \"64\", but it must be a position of the context, from 0 "
         "to 63."},
        {"show: rotation\nsteps:\n  - set: {context: 64, n: -1 over 2 s}", "from 0 to 63"},
        {"show: rotation\nsteps:\n  - set: {seed: -1}", "it must be a number from 0 to 1000000000"},
        {"show: rotation\nsetup: head_dim=8\nsteps:\n  - set: {pair: 4}",
         "line 9: There is no pair 4; the setup has the pairs 0 to 3."},
        {"show: spectrum\nsetup: head_dim=8 fraction=50%\nsteps:\n  - point: pair 2",
         "line 9: There is no pair 2; the setup has the pairs 0 to 1."},
        {"show: spectrum\nsetup: fraction=0\nsteps:\n  - point: pair 0", "the setup rotates no pairs"},
        {"show: results\nsteps:\n  - point: pair 0",
         "The page \"results\" shows no pairs to point at; point at a control or a figure."},
        {"show: spectrum\nsteps:\n  - set: {pair: last}", "it must be the number of a pair, or \"none\""},
        {"show: spectrum\nsteps:\n  - set: {part: bands}", "has no part \"bands\"; did you mean"},
        {"show: spectrum\nsteps:\n  - set: {head: 0}",
         "line 8: The control (setting of the page) \"head\" is \"0\", but it must be a number from 1 to 65536."},
        {"show: spectrum\nsteps:\n  - set: {attention_layers: some}", "attention_layers"},
        {"show: context\nsteps:\n  - set: {target: 3}", "a number from 16 to 16777216, or none"},
        {"show: context\nsteps:\n  - point: figure bound",
         "line 8: The page \"context\" has no figure \"bound\"; did you mean"},
        {"show: memory\nsteps:\n  - set: {layers: 1001}", "a number from 1 to 1000"},
        {"show: memory\nsteps:\n  - set: {model: Lama 3 8B}", "did you mean Llama 3 8B?"},
        {"show: results\nsteps:\n  - set: {quantity: loss}", "did you mean"},
        {"show: reproduce\nsteps:\n  - set: {sheet: theta-table-9}", "did you mean"},
        {"show: train\nsteps:\n  - set: {quantity: loss}", "it must be validation_loss, training_loss"},
        {"show: inspect\nlive: {preset: lecture-minute}\nsteps:\n  - set: {head: 99}", "line 9: There is no head 99"},
        {"show: rotation\nsteps:\n  - say: \"{{wavelenght(3)}}\"", "did you mean wavelength?"},
        {"steps:\n  - say: The angle is $\\thta$.",
         "line 7: The formula \"\\thta\" has the command \\thta, which a lecture cannot show; did you mean \\theta?"},
        {"notes: Show $\\begin{matrix}$.", "line 6: The formula"},
        {"question: \"Is $x \\\\lessgtr y$?\"", "the command \\lessgtr"},
        {"steps:\n  - ask: {text: x, choices: [\"$\\\\foo$\", b], right: 1}", "line 7: The formula \"\\foo\""},
        {"steps:\n  - ask: {text: x, hint: $\\foo$, choices: [a, b], right: 1}", "\\foo"},
        {"show: rotation\nsteps:\n  - ask: {text: x}", "does not say how it is answered"},
        {"show: rotation\nsteps:\n  - ask: {text: x, choices: [a, b]}", "such as \"right: 1\""},
        {"show: rotation\nsteps:\n  - ask: {text: x, choices: [a, b], right: 3}", "from 1 to 2"},
        {"show: rotation\nsteps:\n  - ask: {text: x, quantity: pairs, right: 1}", "does not belong"},
        {"show: rotation\nsteps:\n  - check: {quantity: pairs}", "no expected value"},
        {"show: rotation\nsteps:\n  - check: {expected: 3}", "no quantity"},
        {"show: rotation\nsteps:\n  - check: {quantity: pairs, expected: many}", "\"many\" is not a number"},
        {"show: rotation\nsteps:\n  - check: {quantity: pairs, expected: 3, tolerance: -1}", "not be negative"},
        {"a: [1, 2", "The YAML is not valid"},
        {"question: Which: this?", "into quotes"},
        {"notes: &a x", "anchors"},
        {"id: a\n---\nid: b", "several documents"},
        {"notes: !!binary abc", "tags"},
        {"? [a]\n: b", "A key must be a word"},
        {"hello", "must be a mapping"},
    };
    for (const Refusal& each : refusals) {
        EXPECT_MESSAGE(scene_of_block(each.yaml), BadInput, each.message);
        EXPECT_MESSAGE(scene_of_block(each.yaml), BadInput, "test.md, line ");
    }
}

// A recorded lab of the lectures of the program: runs 1 to 9 with 4 layers and 6 heads.
TEST(LectureRefusals, OfWhatTheRunsDoNotHave) {
    const auto scene = [](const std::string& changes) {
        return scene_of_block("show: inspect\nlab: labs/three-thetas.ropelab\nsteps:\n  - set: {" + changes + "}",
                              source_file("resources/lectures/test.md"));
    };
    const std::vector<SceneRun> runs = runs_of(scene("head: mean"));
    ASSERT_FALSE(runs.empty());
    const auto last = [](std::int64_t count) { return std::to_string(count - 1); };
    const RunSpec& spec = runs.front().spec;
    const std::string id = std::to_string(runs.front().id);
    EXPECT_MESSAGE(scene("head: 99"), BadInput,
                   "line 9: There is no head 99; the runs have the heads 0 to " + last(spec.heads) + ".");
    EXPECT_MESSAGE(scene("run: " + id + ", layer: 99"), BadInput,
                   "There is no layer 99; run " + id + " has the layers 0 to " + last(spec.layers) + ".");
    EXPECT_MESSAGE(scene("run: 999"), BadInput, "There is no run 999; the scene has the runs 1, 2");
    EXPECT_MESSAGE(scene("iteration: 1M"), BadInput, "There is no step 1000000; the runs have the steps 0 to");
    EXPECT_MESSAGE(scene("pair: 999"), BadInput, "There is no pair 999; the runs have the pairs 0 to");
    EXPECT_MESSAGE(scene("layer: top"), BadInput, "it must be the number of a layer, or all");
    EXPECT_MESSAGE(scene("head: -3"), BadInput, "There is no head -3");
    EXPECT_NO_THROW(scene("run: " + id + ", layer: all, head: Mean, iteration: newest, pair: none"));
    EXPECT_NO_THROW(scene("layer: -1, head: -2")) << "as the window writes them";
    EXPECT_NO_THROW(scene("head: " + last(spec.heads) + ", layer: " + last(spec.layers) +
                          ", iteration: " + std::to_string(spec.iterations)));
}

TEST(LectureFormulas, AreReadAndChecked) {
    EXPECT_THAT(formulas_in("$a$ and $b$, $5\nand $$c$$"), testing::ElementsAre("a", "b", "c"));
    EXPECT_EQ(unknown_tex_command("\\theta^{-2i/d} \\cdot \\frac{a}{b}, \\|q\\| \\, \\% \\mathrm{max}"), "");
    EXPECT_EQ(unknown_tex_command("a \\\\ b"), "\\\\");
    EXPECT_EQ(unknown_tex_command("\\theta\\bar{x}"), "\\bar");
    EXPECT_EQ(unknown_tex_command("x\\"), "\\");
    const std::string page = "---\ntitle: x\n---\nWords\nand $\\foo$.\n## A\n";
    EXPECT_MESSAGE(parse_lecture(page, "test.md"), BadInput, "test.md, line 5: The formula");
    EXPECT_MESSAGE(parse_lecture("---\ntitle: x\n---\n## A\n\nWords\n\nand $\\foo$.\n", "test.md"), BadInput,
                   "test.md, line 8: The formula");
    // Rendered formulas may have any commands.
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder.path() / "formulas");
    write_output(folder.path() / "formulas" / "formulas.json", R"({"\\foo": {"file": "a.svg", "text": "foo"}})");
    EXPECT_NO_THROW(parse_lecture(page, folder.path() / "test.md"));
    write_output(folder.path() / "formulas" / "formulas.json", "[[[");
    EXPECT_MESSAGE(parse_lecture(page, folder.path() / "test.md"), BadInput, "line 5");
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
    EXPECT_MESSAGE(scene_of_block(bomb), BadInput, "anchors");
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
