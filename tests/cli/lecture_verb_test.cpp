// Tests of the commands quantity and lecture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/lecture/quantities/quantity.h"
#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

using nlohmann::json;

const std::string one_check =
    "---\ntitle: T\n---\n## A scene\n```yaml\nshow: rotation\nsteps:\n  - check: {quantity: pairs, expected: ";

TEST(QuantityVerb, PrintsAValue) {
    EXPECT_EQ(ropelab_cli({"quantity", "wavelength(31)"}).out, "47117.2427801674\n");
    EXPECT_EQ(ropelab_cli({"quantity", "wavelength", "31"}).out, "47117.2427801674\n");
    EXPECT_EQ(ropelab_cli({"quantity", "first_negative(10)"}).out, "none\n");
    EXPECT_EQ(ropelab_cli({"quantity", "pairs", "--setup", "fraction=25%"}).out, "8\n");
    EXPECT_THAT(ropelab_cli({"quantity", "feasible_bases(8, 100, 200, 10)"}).out, ::testing::StartsWith("100–"));
    const json result = ropelab_cli({"quantity", "B.pairs", "--setup", "theta=10k | B: head_dim=32", "--json"}).json();
    EXPECT_EQ(result.at("value"), 16);
    EXPECT_EQ(result.at("quantity"), "B.pairs");
}

TEST(QuantityVerb, ListsAllQuantities) {
    const json list = ropelab_cli({"quantity", "--list", "--json"}).json();
    EXPECT_EQ(list.size(), quantities().size());
    const std::string text = ropelab_cli({"quantity", "--list"}).out;
    for (const QuantityDescription& each : quantities()) {
        EXPECT_THAT(text, ::testing::HasSubstr(each.name + each.arguments)) << each.name;
    }
}

TEST(QuantityVerb, RefusesWrongNamesAndArguments) {
    EXPECT_BAD_INPUT(ropelab_cli({"quantity"}), "--list lists all");
    EXPECT_BAD_INPUT(ropelab_cli({"quantity", "wavelenght", "31"}), "did you mean wavelength?");
    EXPECT_BAD_INPUT(ropelab_cli({"quantity", "wavelength(32)"}), "0 to 31");
    EXPECT_BAD_INPUT(ropelab_cli({"quantity", "wavelength(3)", "1"}), "not both");
    EXPECT_BAD_INPUT(ropelab_cli({"quantity", "runs"}), "name the lab file of the runs");
    EXPECT_BAD_INPUT(ropelab_cli({"quantity", "pairs", "--setup", "thta=3"}), "did you mean \"theta\"?");
}

TEST(LectureVerb, ChecksAFile) {
    const ScratchFolder folder;
    const std::string good = folder.write("good.md", one_check + "32}\n```\n");
    const Finished passed = ropelab_cli({"lecture", "check", good});
    EXPECT_EQ(passed.status, 0) << passed.err;
    EXPECT_THAT(passed.out, ::testing::HasSubstr("ok      a-scene, line 8: pairs is 32"));
    EXPECT_THAT(passed.out, ::testing::HasSubstr("1 check passed, 0 failed."));

    const std::string bad = folder.write("bad.md", one_check + "31}\n```\n");
    const Finished failed = ropelab_cli({"lecture", "check", bad, "--json"});
    EXPECT_EQ(failed.status, 1);
    EXPECT_THAT(failed.err, ::testing::HasSubstr("1 of 1 check"));
    EXPECT_EQ(failed.json().at("passed"), 0);
    EXPECT_EQ(failed.json().at("failed"), 1);
    const json check = failed.json().at("checks").at(0);
    EXPECT_EQ(check.at("scene"), "a-scene");
    EXPECT_EQ(check.at("quantity"), "pairs");
    EXPECT_EQ(check.at("expected"), 31);
    EXPECT_EQ(check.at("value"), 32);
    EXPECT_EQ(check.at("ok"), false);
}

TEST(LectureVerb, RefusesAFaultyFile) {
    const ScratchFolder folder;
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "check", folder.write("a.md", one_check + "many}\n```\n")}), "line 8");
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "check", (folder / "none.md").string()}), "There is no file");
    const std::string scene = "---\ntitle: x\n---\n## A scene\n```yaml\nshow: spectrum\nsteps:\n";
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "check", folder.write("c.md", scene + "  - point: pair 99\n```\n")}),
                     "line 8: There is no pair 99; the setup has the pairs 0 to 31.");
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "check", folder.write("d.md", scene + "  - say: $\\foo$\n```\n")}),
                     "line 8: The formula");
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "check", folder.write("b.md", std::string(5'000'000, 'x'))}), "5 MB");
}

TEST(LectureVerb, LooksForTheCurvesThatTheClassDraws) {
    const ScratchFolder folder;
    const auto lecture = [](const std::string& curve) {
        return "---\ntitle: x\n---\n## A scene\n```yaml\nshow: context/decay\nsteps:\n"
               "  - ask: {text: Draw it., draw: true, curve: " +
               curve + "}\n```\n";
    };
    const Finished passed = ropelab_cli({"lecture", "check", folder.write("a.md", lecture("S_j"))});
    EXPECT_EQ(passed.status, 0) << passed.err;
    EXPECT_THAT(passed.out, ::testing::HasSubstr("ok      a-scene, line 8: curve is in the figure"));
    const Finished failed = ropelab_cli({"lecture", "check", folder.write("b.md", lecture("tangent"))});
    EXPECT_EQ(failed.status, 1);
    EXPECT_THAT(failed.out,
                ::testing::HasSubstr("FAILED  a-scene, line 8: curve: The figure has no curve “tangent”; its "
                                     "curves are: (2/d) Σ|S_j|."));
}

TEST(LectureVerb, WritesAnExampleWhoseChecksPass) {
    const ScratchFolder folder;
    const std::string file = (folder / "example.md").string();
    const Finished written = ropelab_cli({"lecture", "new", "My lecture", "--output", file});
    EXPECT_EQ(written.status, 0) << written.err;
    EXPECT_EQ(ropelab_cli({"lecture", "check", file}).status, 0);
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "new", "My lecture", "--output", file}), "exists already");
    EXPECT_EQ(ropelab_cli({"lecture", "new", "My lecture", "--output", file, "--force"}).status, 0);
    EXPECT_THAT(ropelab_cli({"lecture", "new", "My lecture", "--output", "-"}).out,
                ::testing::HasSubstr("title: \"My lecture\""));
}

TEST(LectureVerb, ListsTheLecturesOfTheProgram) {
    const json list = ropelab_cli({"lecture", "list", "--json"}).json();
    for (const json& each : list) {
        EXPECT_TRUE(std::filesystem::exists(each.at("file").get<std::string>()));
        EXPECT_GT(each.at("scenes"), 0);
    }
}

// The pages are tested with the window program, which draws them.
TEST(LectureVerb, WritesHandoutsAndSlides) {
    const ScratchFolder folder;
    const std::string file = folder.write("a.md", one_check + "32}\n    say: A sentence.\n```\nWords.\n");
    const Finished handout = ropelab_cli({"lecture", "handout", file, "--output", "-"});
    EXPECT_EQ(handout.status, 0) << handout.err;
    EXPECT_THAT(handout.out, ::testing::StartsWith("%PDF-"));
    const std::string page = (folder / "a.html").string();
    const Finished slides = ropelab_cli({"lecture", "slides", file, "--output", page, "--json"});
    ASSERT_EQ(slides.status, 0) << slides.err;
    EXPECT_EQ(slides.json().at("pages"), 3);  // title page, step, text
    EXPECT_EQ(slides.json().at("files").at(0), page);
    EXPECT_TRUE(std::filesystem::exists(page));
    const std::string pictures = (folder / "pictures").string();
    EXPECT_EQ(ropelab_cli({"lecture", "slides", file, "--output", pictures, "--width-px", "320"}).status, 0);
    EXPECT_TRUE(std::filesystem::exists(pictures + "/slide-003.png"));
    EXPECT_EQ(ropelab_cli({"lecture", "slides", file, "--output", "/dev/full", "--format", "pdf"}).status, 1);
}

TEST(LectureVerb, RefusesBadHandoutsAndSlides) {
    const ScratchFolder folder;
    const std::string file = folder.write("a.md", one_check + "32}\n```\n");
    const auto output = [&](const char* name) { return (folder / name).string(); };
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "handout", file, "--output", output("a.doc")}), "must end in .pdf");
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "handout", file, "--output", output("a.pdf"), "--paper", "a5"}),
                     "a4 or letter");
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "handout", output("none.md"), "--output", output("a.pdf")}), "none.md");
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "slides", file, "--output", output("a.pdf"), "--format", "html"}),
                     "change the suffix");
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "slides", file, "--output", "-"}), "add --format");
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "slides", file, "--output", output("a"), "--width-px", "5"}), "320");
    EXPECT_BAD_INPUT(ropelab_cli({"lecture", "slides", file, "--output", "-", "--format", "html", "--json"}),
                     "leave out one of them");
}

TEST(LectureVerb, TrainsTheExperimentOfAScene) {
    const ScratchFolder folder;
    const std::string file = folder.write("live.md", R"(---
title: Live
---
## Train
```yaml
show: train
live:
  set: {theta: [500, 10k], layers: 1, width: 32, context: 32, data_length: 20000}
  check: {iterations: 6, evaluate_every: 3}
steps:
  - check:
      - {quantity: runs, expected: 2}
      - {quantity: steps(theta=500), expected: 6}
      - {quantity: final_validation_loss(theta=500), expected: 3, tolerance: 1}
```
)");
    const Finished finished = ropelab_cli({"lecture", "check", file, "--json"});
    EXPECT_EQ(finished.status, 0) << finished.out << finished.err;
    EXPECT_EQ(finished.json().at("checks").at(0).at("quantity"), "live");
    EXPECT_EQ(finished.json().at("passed"), 4);
}

TEST(LectureVerb, ReportsTrainingThatCannotStart) {
    const ScratchFolder folder;
    const std::string file = folder.write("live.md", "---\ntitle: T\n---\n## A\n```yaml\nlive: {set: {data: " +
                                                         (folder / "none.txt").string() + "}}\n```\n");
    const Finished finished = ropelab_cli({"lecture", "check", file, "--json"});
    EXPECT_EQ(finished.status, 1) << finished.err;
    EXPECT_THAT(finished.json().at("checks").at(0).at("problem").get<std::string>(), ::testing::HasSubstr("none.txt"));
}

}  // namespace
}  // namespace ropelab
