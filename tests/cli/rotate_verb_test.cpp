#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cli/terminal.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

TEST(RotateVerb, RotatesByThePosition) {
    const auto result =
        ropelab_cli({"rotate"}, R"({"x": [[[[1, 0], [1, 0]]]], "positions": [0, 2], "theta": 100})").json();
    EXPECT_NEAR(result.at("x")[0][0][0][0].get<double>(), 1, 1e-7);
    EXPECT_NEAR(result.at("x")[0][0][1][0].get<double>(), std::cos(2), 1e-6);
    EXPECT_NEAR(result.at("x")[0][0][1][1].get<double>(), std::sin(2), 1e-6);
}

TEST(RotateVerb, AgreesWithTransformers) {
    SKIP_WITHOUT_SHARED_DATA("oracles/rotated_tensors.json");
    const auto reference = read_json_file(shared_data("oracles/rotated_tensors.json"));
    for (const auto& entry : reference.at("cases")) {
        const nlohmann::json input = {{"x", reference.at("q")},
                                      {"positions", {0, 1, 2, 3, 4, 5, 6, 7}},
                                      {"theta", entry.at("theta")},
                                      {"fraction", entry.at("fraction")},
                                      {"pairing", entry.at("style")}};
        const auto ours = ropelab_cli({"rotate"}, input.dump()).json().at("x").flatten();
        const auto theirs = entry.at("q_rot").flatten();
        ASSERT_EQ(ours.size(), theirs.size());
        for (const auto& [path, value] : theirs.items()) {
            EXPECT_NEAR(ours.at(path).get<double>(), value.get<double>(), 1e-6) << path;
        }
    }
}

TEST(RotateVerb, RejectsBadInputWithOneSentence) {
    EXPECT_BAD_INPUT(ropelab_cli({"rotate"}, "nonsense"), "not JSON");
    EXPECT_BAD_INPUT(ropelab_cli({"rotate"}, "[1e999]"), "a number beyond 1e308");
    EXPECT_BAD_INPUT(ropelab_cli({"rotate"}, "{}"), "x is missing");
    EXPECT_BAD_INPUT(ropelab_cli({"rotate"}, R"({"x": [1, 2], "positions": [0]})"), "four levels");
    EXPECT_BAD_INPUT(ropelab_cli({"rotate"}, R"({"x": [[[[1, 2], [1]]]], "positions": [0, 1]})"), "different lengths");
    EXPECT_BAD_INPUT(ropelab_cli({"rotate"}, R"({"x": [[[[1, 2]]]], "positions": [0, 1]})"), "2 positions for 1");
    EXPECT_BAD_INPUT(ropelab_cli({"rotate"}, R"({"x": [[[[1, 2]]]], "positions": [0.5]})"), "position is 0.5");
    EXPECT_BAD_INPUT(ropelab_cli({"rotate"}, R"({"x": [[[[1, 2]]]], "positions": [1e30]})"), "position is 1e+30");
    EXPECT_BAD_INPUT(ropelab_cli({"rotate"}, R"({"x": [[[[1, 2, 3]]]], "positions": [0]})"), "head dimension is 3");
    EXPECT_BAD_INPUT(ropelab_cli({"rotate"}, R"({"x": [[[["a", 2]]]], "positions": [0]})"), "in place of a number");
    EXPECT_BAD_INPUT(ropelab_cli({"rotate"}, R"({"x": [[[[1, 2]]]], "positions": [0], "pairing": "third"})"), "third");
    EXPECT_BAD_INPUT(ropelab_cli({"rotate"}, R"({"x": [[[[1, 2]]]], "positions": [0], "theta": "big"})"),
                     "theta and fraction must be numbers");
}

}  // namespace
}  // namespace ropelab
