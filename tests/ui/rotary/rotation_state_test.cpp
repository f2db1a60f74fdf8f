#include "ui/rotary/rotation/rotation_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "ui/rotary/rotation/logit_curve.h"
#include "ui/rotary/rotation/logit_figure.h"
#include "ui/rotary/rotation/rotation_text.h"

namespace ropelab::ui {
namespace {

RotationScene sceneOf(const char* setup) {
    return standardScene(parse_setup(setup));
}

TEST(RotationState, PositionsStayInTheWindowUnlessTheyWereShifted) {
    RotationScene scene = sceneOf("context=64");
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

TEST(RotationState, ALongerHeadBeginsWithTheSameNumbers) {
    RotationScene scene = sceneOf("head_dim=8");
    const std::vector<double> query = scene.state.query;
    RotarySetup longer = scene.setup;
    longer.head_dim = 32;
    scene.take(longer, frequencies(frequency_settings(longer)));
    ASSERT_EQ(scene.state.query.size(), 32u);
    EXPECT_TRUE(std::equal(query.begin(), query.end(), scene.state.query.begin()));
    EXPECT_EQ(scene.state.query, standardScene(longer).state.query);
    EXPECT_NE(scene.state.query, scene.state.key);
    const std::vector<double> first = scene.state.query;
    ++scene.state.draw;
    scene.drawVectors();
    EXPECT_NE(scene.state.query, first);
}

TEST(RotationState, AHandSetArrowPointsWhereItWasPut) {
    for (const char* setup : {"pairing=half", "pairing=interleaved", "fraction=25%", "fraction=25% partial=truncate"}) {
        RotationScene scene = sceneOf(setup);
        scene.setTurnedQuery(5, {0.6, -0.8});
        scene.setTurnedKey(5, {-1.5, 0.25});
        EXPECT_EQ(scene.state.source, VectorSource::handSet);
        EXPECT_NEAR(std::abs(scene.turnedQuery(5) - std::complex<double>(0.6, -0.8)), 0, 1e-12) << setup;
        EXPECT_NEAR(std::abs(scene.turnedKey(5) - std::complex<double>(-1.5, 0.25)), 0, 1e-12) << setup;
        // F7: the pair's part is the product of both arrows over √d.
        EXPECT_NEAR(scene.split().pairs[5], (0.6 * -1.5 + -0.8 * 0.25) / 8, 1e-12) << setup;
    }
}

TEST(RotationState, TheLargePairIsTheLitOneOrAMiddleOneThatTurns) {
    RotationScene scene = sceneOf("fraction=50% partial=truncate");
    EXPECT_EQ(scene.largePair(), 8);
    scene.state.lit = 30;
    EXPECT_EQ(scene.largePair(), 30);
    scene.state.lit = 32;
    EXPECT_EQ(scene.largePair(), 8);
    EXPECT_EQ(sceneOf("fraction=0").largePair(), std::nullopt);
    EXPECT_EQ(sceneOf("fraction=0 partial=truncate").largePair(), 0);
}

TEST(LogitCurve, AgreesWithTheSplitAtEveryDistance) {
    for (const char* setup :
         {"context=300", "context=300 fraction=30% pairing=interleaved",
          "context=300 fraction=50% partial=truncate scaling=yarn factor=4", "context=300 fraction=0"}) {
        const RotationScene scene = sceneOf(setup);
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

TEST(LogitCurve, ThinningKeepsTheExtremes) {
    const RotationScene scene = sceneOf("context=20000 head_dim=32");
    const LogitCurve whole = logitCurve(scene, 1, 1 << 20);
    const LogitCurve thin = logitCurve(scene, 1, 100);
    EXPECT_LT(thin.distances.size(), 220u);
    EXPECT_TRUE(std::is_sorted(thin.distances.begin(), thin.distances.end()));
    EXPECT_EQ(*std::max_element(thin.logits.begin(), thin.logits.end()),
              *std::max_element(whole.logits.begin(), whole.logits.end()));
    EXPECT_EQ(*std::min_element(thin.logits.begin(), thin.logits.end()),
              *std::min_element(whole.logits.begin(), whole.logits.end()));
    EXPECT_EQ(thin.bestDistance, whole.bestDistance);
    // 2,048 steps on, the angle is taken afresh: no drift up to the end.
    EXPECT_NEAR(whole.logits.back(), logitAt(scene, 19999), 1e-9);

    const std::int64_t stride = strideWithin(scene, 16 * 1000);
    EXPECT_EQ(stride, 20);
    const LogitCurve coarse = logitCurve(scene, stride, 1 << 20);
    EXPECT_EQ(coarse.distances.size(), 1000u);
    EXPECT_NEAR(coarse.logits[7], whole.logits[140], 1e-12);
    EXPECT_FALSE(logitCurve(scene, 1, 100, [] { return true; }).complete);
}

TEST(LogitCurve, AnAimedKeyIsFoundAtItsDistance) {
    for (const char* setup : {"context=2000", "context=2000 fraction=25%", "context=2000 fraction=75% partial=truncate",
                              "context=2000 pairing=interleaved theta=500"}) {
        for (const std::int64_t distance : {0, 1, 333, 1999}) {
            RotationScene scene = sceneOf(setup);
            scene.state.source = VectorSource::aimed;
            scene.state.distance = distance;
            scene.refit();
            const LogitCurve curve = logitCurve(scene, 1, 500);
            EXPECT_EQ(curve.bestDistance, static_cast<double>(distance)) << setup;
            // F17: every pair gives ‖q⁽ⁱ⁾‖², and the unrotated channels are q's own.
            double norm = 0;
            for (const double number : scene.state.query) norm += number * number;
            EXPECT_NEAR(curve.best, norm / 8, 1e-9) << setup;
        }
    }
}

TEST(Shift, StaysInFloat32AndChangesInBfloat16) {
    RotationScene scene = sceneOf("");
    const QList<ShiftRow> rows = shiftRows(scene, {100, 60}, {1100, 1060});
    ASSERT_EQ(rows.size(), 3);
    EXPECT_EQ(rows[0].before, rows[0].after);
    EXPECT_NEAR(rows[0].before, scene.split().total, 1e-12);
    EXPECT_TRUE(rows[0].stays);
    EXPECT_NE(rows[1].before, rows[1].after);
    EXPECT_NEAR(rows[1].before, rows[1].after, 1e-3);
    EXPECT_TRUE(rows[1].stays);
    // 100 and 60 are exact in bfloat16; 1,100 is read as 1,104 and 1,060 as 1,056, so that 40 tokens become 48.
    EXPECT_NEAR(rows[2].before, rows[0].before, 1e-12);
    EXPECT_NEAR(rows[2].after, logitAt(scene, 48), 1e-12);
    EXPECT_FALSE(rows[2].stays);
    // Up to 256 it counts well.
    EXPECT_TRUE(shiftRows(scene, {100, 60}, {256, 216})[2].stays);
    EXPECT_FALSE(shiftRows(scene, {100, 60}, {257, 217})[2].stays);
}

TEST(RotationText, AnglesAndNumbers) {
    const double degree = std::numbers::pi / 180;
    EXPECT_EQ(angleText(57.3 * degree), "57.3°");
    EXPECT_EQ(angleText((3 * 360 + 10) * degree), "3 × 360° + 10.0°");
    EXPECT_EQ(angleText(-20 * degree), "−20.0°");
    EXPECT_EQ(angleText(-(2 * 360 + 5) * degree), "−(2 × 360° + 5.0°)");
    EXPECT_EQ(shortAngleText((3 * 360 + 10) * degree), "≡ 10.0°");
    EXPECT_EQ(shortAngleText(-20 * degree), "−20.0°");
    EXPECT_EQ(frequencyText(0.0133352), "0.01334");
    EXPECT_EQ(frequencyText(1.5e-6), "1.50×10⁻⁶");
    EXPECT_EQ(wavelengthText(2 * std::numbers::pi / 628), "628.0 tokens");
    EXPECT_EQ(wavelengthText(0), "∞");
    EXPECT_EQ(signedText(0.5), "+0.500");
    EXPECT_EQ(signedText(-0.5), "−0.500");
    RotationState state;
    EXPECT_EQ(vectorsText(state), "random, draw 1");
    state.source = VectorSource::aimed;
    EXPECT_EQ(vectorsText(state), "aimed at r = 40, draw 1");
    const QJsonObject settings = rotationSettings(sceneOf("theta=500 head_dim=16"));
    EXPECT_EQ(parse_setup(settings["setup"].toString().toStdString()), parse_setup("theta=500 head_dim=16"));
    EXPECT_EQ(settings["m"].toInt(), 100);
}

}  // namespace
}  // namespace ropelab::ui
