#include "ui/rooms/rotation/rotation_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "ui/rooms/rotation/figures/scene_figures.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {
namespace {

RotationScene stateScene(const char* setup) {
    return standardScene(parse_setup(setup));
}

TEST(RotationState, PositionsStayInTheContextUnlessShifted) {
    RotationScene scene = stateScene("context=64");
    EXPECT_EQ(scene.state.m, 63);
    EXPECT_EQ(scene.state.n, 60);
    scene.state.shiftedFrom = RotationState::Place{63, 60};
    scene.state.m = 1063;
    scene.state.n = 1060;
    scene.refit();
    EXPECT_EQ(scene.state.m, 1063);
    scene.state.shiftedFrom.reset();
    scene.refit();
    EXPECT_EQ(scene.state.m, 63);
}

TEST(RotationState, LongerVectorBeginsWithTheSameNumbers) {
    RotationScene scene = stateScene("head_dim=8");
    const std::vector<double> query = scene.state.query;
    RotarySetup longer = scene.setup;
    longer.head_dim = 32;
    scene.setSetup(longer, frequencies(frequency_settings(longer)));
    ASSERT_EQ(scene.state.query.size(), 32u);
    EXPECT_TRUE(std::equal(query.begin(), query.end(), scene.state.query.begin()));
    EXPECT_EQ(scene.state.query, standardScene(longer).state.query);
    EXPECT_NE(scene.state.query, scene.state.key);
    const std::vector<double> first = scene.state.query;
    ++scene.state.seed;
    scene.sampleVectors();
    EXPECT_NE(scene.state.query, first);
}

TEST(RotationState, PairsKeepTheirNumbersWhereTheirChannelsChange) {
    RotationScene scene = stateScene("");
    scene.setRotatedQuery(3, {0.6, -0.8});
    const RotationScene before = scene;
    for (const char* setup :
         {"fraction=25%", "fraction=25% pairing=interleaved", "fraction=0", "partial=truncate", ""}) {
        const RotarySetup other = parse_setup(setup);
        scene.setSetup(other, frequencies(frequency_settings(other)));
        for (int pair = 0; pair < static_cast<int>(scene.pairs.size()); ++pair) {
            EXPECT_EQ(scene.query(pair), before.query(pair)) << setup << " " << pair;
            EXPECT_EQ(scene.key(pair), before.key(pair)) << setup << " " << pair;
        }
    }
    EXPECT_EQ(scene.state.query, before.state.query);
    // What a file of an animation stores has the layout of its setup.
    scene.state.channels.clear();
    scene.refit();
    EXPECT_EQ(scene.state.query, before.state.query);
}

TEST(RotationState, EditedArrowEqualsItsTip) {
    for (const char* setup : {"pairing=half", "pairing=interleaved", "fraction=25%", "fraction=25% partial=truncate"}) {
        RotationScene scene = stateScene(setup);
        scene.setRotatedQuery(5, {0.6, -0.8});
        scene.setRotatedKey(5, {-1.5, 0.25});
        EXPECT_EQ(scene.state.source, VectorSource::handEdited);
        EXPECT_NEAR(std::abs(scene.rotatedQuery(5) - std::complex<double>(0.6, -0.8)), 0, 1e-12) << setup;
        EXPECT_NEAR(std::abs(scene.rotatedKey(5) - std::complex<double>(-1.5, 0.25)), 0, 1e-12) << setup;
        // Formula 7: the contribution of a pair is the dot product of both arrows divided by √d.
        EXPECT_NEAR(scene.split().pairs[5], (0.6 * -1.5 + -0.8 * 0.25) / 8, 1e-12) << setup;
    }
}

TEST(RotationState, EnlargedPairIsTheHighlightedOrTheMiddleRotatedOne) {
    RotationScene scene = stateScene("fraction=50% partial=truncate");
    EXPECT_EQ(scene.enlargedPair(), 8);
    scene.state.highlighted = 30;
    EXPECT_EQ(scene.enlargedPair(), 30);
    scene.state.highlighted = 32;
    EXPECT_EQ(scene.enlargedPair(), 8);
    EXPECT_EQ(stateScene("fraction=0").enlargedPair(), std::nullopt);
    EXPECT_EQ(stateScene("fraction=0 partial=truncate").enlargedPair(), 0);
}

TEST(LogitCurve, AgreesWithSplitLogitAtEveryDistance) {
    for (const char* setup :
         {"context=300", "context=300 fraction=30% pairing=interleaved",
          "context=300 fraction=50% partial=truncate scaling=yarn factor=4", "context=300 fraction=0"}) {
        const RotationScene scene = stateScene(setup);
        const LogitCurve curve = logitCurve(scene, 1, 1000);
        ASSERT_EQ(curve.distances.size(), 300u) << setup;
        double best = -1e9;
        for (std::size_t i = 0; i < curve.distances.size(); ++i) {
            EXPECT_EQ(curve.distances[i], static_cast<double>(i));
            const double exact = split_logit(scene.state.query, scene.state.key, static_cast<std::int64_t>(i), 0,
                                             scene.frequencies, scene.setup.partial, scene.setup.pairing)
                                     .total;
            EXPECT_NEAR(curve.logits[i], exact, 1e-11) << setup << " at " << i;
            EXPECT_NEAR(logitAt(scene, static_cast<double>(i)), exact, 1e-11);
            best = std::max(best, exact);
        }
        EXPECT_NEAR(curve.best, best, 1e-11);
    }
}

TEST(LogitCurve, ReductionPreservesTheExtremes) {
    const RotationScene scene = stateScene("context=20000 head_dim=32");
    const LogitCurve whole = logitCurve(scene, 1, 1 << 20);
    const LogitCurve thin = logitCurve(scene, 1, 100);
    EXPECT_LT(thin.distances.size(), 220u);
    EXPECT_TRUE(std::is_sorted(thin.distances.begin(), thin.distances.end()));
    EXPECT_EQ(*std::max_element(thin.logits.begin(), thin.logits.end()),
              *std::max_element(whole.logits.begin(), whole.logits.end()));
    EXPECT_EQ(*std::min_element(thin.logits.begin(), thin.logits.end()),
              *std::min_element(whole.logits.begin(), whole.logits.end()));
    EXPECT_EQ(thin.bestDistance, whole.bestDistance);
    // The angle is recomputed every 2,048 steps, so that rounding errors do not accumulate up to the end.
    EXPECT_NEAR(whole.logits.back(), logitAt(scene, 19999), 1e-9);

    const std::int64_t stride = strideWithin(scene, 16 * 1000);
    EXPECT_EQ(stride, 20);
    const LogitCurve coarse = logitCurve(scene, stride, 1 << 20);
    EXPECT_EQ(coarse.distances.size(), 1000u);
    EXPECT_NEAR(coarse.logits[7], whole.logits[140], 1e-12);
    EXPECT_FALSE(logitCurve(scene, 1, 100, [] { return true; }).complete);
}

TEST(LogitCurve, AimedKeyHasItsLargestLogitAtItsDistance) {
    for (const char* setup : {"context=2000", "context=2000 fraction=25%", "context=2000 fraction=75% partial=truncate",
                              "context=2000 pairing=interleaved theta=500"}) {
        for (const std::int64_t distance : {0, 1, 333, 1999}) {
            RotationScene scene = stateScene(setup);
            scene.state.source = VectorSource::aimed;
            scene.state.distance = distance;
            scene.refit();
            const LogitCurve curve = logitCurve(scene, 1, 500);
            EXPECT_EQ(curve.bestDistance, static_cast<double>(distance)) << setup;
            // Formula 17: every pair contributes ‖q⁽ⁱ⁾‖², and the unrotated channels of k equal those of q.
            double squaredNorm = 0;
            for (const double number : scene.state.query) squaredNorm += number * number;
            EXPECT_NEAR(curve.best, squaredNorm / 8, 1e-9) << setup;
        }
    }
}

TEST(Shift, PreservesTheLogitInFloat32ButNotInBfloat16) {
    RotationScene scene = stateScene("");
    const QList<ShiftRow> rows = shiftRows(scene, {100, 60}, {1100, 1060});
    ASSERT_EQ(rows.size(), 3);
    EXPECT_EQ(rows[0].before, rows[0].after);
    EXPECT_NEAR(rows[0].before, scene.split().total, 1e-12);
    EXPECT_TRUE(rows[0].stays);
    EXPECT_NE(rows[1].before, rows[1].after);
    EXPECT_NEAR(rows[1].before, rows[1].after, 1e-3);
    EXPECT_TRUE(rows[1].stays);
    // 100 and 60 are exact in bfloat16; 1,100 is rounded to 1,104 and 1,060 to 1,056, so that 40 tokens become 48.
    EXPECT_NEAR(rows[2].before, rows[0].before, 1e-12);
    EXPECT_NEAR(rows[2].after, logitAt(scene, 48), 1e-12);
    EXPECT_FALSE(rows[2].stays);
    // bfloat16 represents every integer up to 256.
    EXPECT_TRUE(shiftRows(scene, {100, 60}, {256, 216})[2].stays);
    EXPECT_FALSE(shiftRows(scene, {100, 60}, {257, 217})[2].stays);
}

TEST(RotationText, FormatsAnglesAndNumbers) {
    const double degree = std::numbers::pi / 180;
    EXPECT_EQ(angleText(57.3 * degree), "57.3°");
    EXPECT_EQ(angleText((12 * 360 + 22.9) * degree), "4,342.9° = 12 periods + 22.9°");
    EXPECT_EQ(angleText((360 + 10) * degree), "370.0° = 1 period + 10.0°");
    EXPECT_EQ(angleText(359.96 * degree), "360.0° = 1 period + 0.0°");
    EXPECT_EQ(angleText(-20 * degree), "−20.0°");
    EXPECT_EQ(angleText(-(2 * 360 + 5) * degree), "−725.0° = −2 periods − 5.0°");
    EXPECT_EQ(degreesText(-(2 * 360 + 5) * degree), "−725.0°");
    EXPECT_EQ(betweenText(-175 * degree), "−175.0°");
    EXPECT_EQ(betweenText(350 * degree), "350.0° = 1 period − 10.0°");
    EXPECT_EQ(betweenText(-(720 + 170) * degree), "−890.0° = −2 periods − 170.0°");
    EXPECT_EQ(shortAngleText((3 * 360 + 10) * degree), "≡ 10.0°");
    EXPECT_EQ(shortAngleText(-20 * degree), "−20.0°");
    EXPECT_EQ(frequencyText(0.0133352), "0.01334");
    EXPECT_EQ(frequencyText(1.5e-6), "1.50×10⁻⁶");
    EXPECT_EQ(wavelengthText(2 * std::numbers::pi / 628), "628.0 tokens");
    EXPECT_EQ(wavelengthText(0), "∞");
    EXPECT_EQ(signedText(0.5), "+0.500");
    EXPECT_EQ(signedText(-0.5), "−0.500");
    RotationState state;
    EXPECT_EQ(vectorsText(state), "random, seed 1");
    state.source = VectorSource::aimed;
    EXPECT_EQ(vectorsText(state), "aimed at r = 40, seed 1");
    const QJsonObject settings = rotationSettings(stateScene("theta=500 head_dim=16"));
    EXPECT_EQ(parse_setup(settings["setup"].toString().toStdString()), parse_setup("theta=500 head_dim=16"));
    EXPECT_EQ(settings["m"].toInt(), 100);
}

}  // namespace
}  // namespace ropelab::ui
