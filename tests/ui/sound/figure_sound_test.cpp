#include "ui/sound/figure_sound.h"

#include <gtest/gtest.h>

#include <QtEndian>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/rope/rotary_setup.h"
#include "core/stats/spectrum.h"
#include "tests/support/expect_message.h"
#include "ui/sound/figure_player.h"

namespace ropelab::ui {
namespace {

Figure figureOf(QList<double> x, QList<double> y) {
    Figure figure;
    figure.name = QStringLiteral("test");
    figure.x.minimum = x.first();
    figure.x.maximum = x.last();
    figure.y.minimum = 0;
    figure.y.maximum = 1;
    FigureCurve curve;
    curve.quantity = QStringLiteral("value");
    curve.x = std::move(x);
    curve.y = std::move(y);
    figure.curves = {curve};
    return figure;
}

/// Samples of both channels between two fractions of a sound.
std::vector<double> part(const FigureSound& sound, double from, double to) {
    const auto size = static_cast<double>(sound.left.size());
    std::vector<double> result;
    for (auto i = static_cast<std::size_t>(from * size); i < static_cast<std::size_t>(to * size); ++i)
        result.push_back(static_cast<double>(sound.left[i]) + static_cast<double>(sound.right[i]));
    return result;
}

/// Returns the pitch with the largest amplitude, by the discrete Fourier transform.
double pitchOf(const std::vector<double>& samples) {
    const std::vector<double> bins = kernel_spectrum(samples);
    const auto largest = std::max_element(bins.begin() + 1, bins.end()) - bins.begin();
    return static_cast<double>(largest) * FigureSound::kRate / static_cast<double>(samples.size());
}

double energy(const std::vector<float>& channel, double from, double to) {
    const auto size = static_cast<double>(channel.size());
    double sum = 0;
    for (auto i = static_cast<std::size_t>(from * size); i < static_cast<std::size_t>(to * size); ++i)
        sum += static_cast<double>(channel[i]) * static_cast<double>(channel[i]);
    return sum;
}

TEST(FigureSound, PitchIsY) {
    const FigureSound sound = soundOf(figureOf({0, 1, 2, 3}, {0, 0, 1, 1}));
    EXPECT_NEAR(pitchOf(part(sound, 0.02, 0.3)), kLowestPitch, 2);
    EXPECT_NEAR(pitchOf(part(sound, 0.7, 0.98)), kHighestPitch, 2);
    // Half way, the pitch is the geometric mean: one octave above the lowest.
    EXPECT_NEAR(pitchOf(part(soundOf(figureOf({0, 1}, {0.5, 0.5})), 0.02, 0.98)), 440, 1);
}

TEST(FigureSound, PanIsX) {
    const FigureSound sound = soundOf(figureOf({0, 1}, {0.5, 0.5}));
    EXPECT_GT(energy(sound.left, 0, 0.2), 10 * energy(sound.right, 0, 0.2));
    EXPECT_GT(energy(sound.right, 0.8, 1), 10 * energy(sound.left, 0.8, 1));
    EXPECT_NEAR(energy(sound.left, 0.45, 0.55) / energy(sound.right, 0.45, 0.55), 1, 0.05);
    // The energy of both channels together stays the same.
    const auto both = [&](double from, double to) {
        return energy(sound.left, from, to) + energy(sound.right, from, to);
    };
    EXPECT_NEAR(both(0.1, 0.2) / both(0.8, 0.9), 1, 0.02);
}

TEST(FigureSound, LogarithmicAxesAreHeardAsTheyAreShown) {
    Figure figure = figureOf({1, 10, 100}, {1, 10, 100});
    figure.x.logarithmic = figure.y.logarithmic = true;
    figure.y.minimum = 1;
    figure.y.maximum = 100;
    EXPECT_NEAR(pitchOf(part(soundOf(figure), 0.49, 0.51)), 440, 25) << "10 is in the middle of both axes";
}

TEST(FigureSound, GapsAreSilent) {
    const double gap = std::numeric_limits<double>::quiet_NaN();
    const FigureSound sound = soundOf(figureOf({0, 1, 2, 3, 4, 5}, {0.5, 0.5, gap, gap, 0.5, 0.5}));
    EXPECT_LT(energy(sound.left, 0.3, 0.7), 1e-6 * energy(sound.left, 0, 0.15));
    EXPECT_GT(energy(sound.right, 0.85, 0.95), 0.01);
}

TEST(FigureSound, CurvesAreHeardOneAfterTheOther) {
    Figure figure = figureOf({0, 1}, {0, 0});
    FigureCurve second = figure.curves.front();
    second.y = {1, 1};
    second.label = QStringLiteral("second");
    FigureCurve secondary = second;
    secondary.companion = true;
    figure.curves = {figure.curves.front(), second, secondary};
    const FigureSound sound = soundOf(figure);
    EXPECT_NEAR(sound.seconds(), 6.4, 0.1);
    EXPECT_NEAR(pitchOf(part(sound, 0.05, 0.4)), kLowestPitch, 2);
    EXPECT_NEAR(pitchOf(part(sound, 0.6, 0.95)), kHighestPitch, 2);
    EXPECT_TRUE(sound.words.contains("value, second")) << sound.words.toStdString();
}

TEST(FigureSound, PairsOfASpectrumAreTones) {
    Figure figure = figureOf({0, 1}, {0, 1});
    figure.name = QStringLiteral("spectrum");
    const RotarySetup setup = parse_setup("theta=10k head_dim=8");
    figure.settings[QStringLiteral("setup")] = QString::fromStdString(text_of(setup));
    const FigureSound sound = soundOf(figure);
    const std::vector<double> frequencies = ropelab::frequencies(frequency_settings(setup)).inverse_frequencies;
    const double whole = sound.seconds();
    for (std::size_t pair = 0; pair < 4; ++pair) {
        const double begin = 0.12 * static_cast<double>(pair) / whole;
        const std::vector<double> tone = part(sound, begin, begin + 0.12 / whole);
        EXPECT_NEAR(pitchOf(tone), 1760 * std::pow(frequencies[pair], 0.2), 10) << pair;
    }
    EXPECT_GT(energy(sound.left, 0, 0.1 / whole), 100 * energy(sound.right, 0, 0.1 / whole)) << "pair 0 is at the left";
    for (const float sample : sound.left) ASSERT_LE(std::abs(sample), 1);
}

TEST(FigureSound, FiguresWithoutCurvesAreRefused) {
    Figure figure;
    figure.name = QStringLiteral("dials");
    EXPECT_MESSAGE(soundOf(figure), BadInput, "dials has no curve to listen to");
}

TEST(FigureSound, WavFileHasItsSamples) {
    const FigureSound sound = soundOf(figureOf({0, 1}, {0.2, 0.8}));
    const QByteArray bytes = wavBytes(sound);
    EXPECT_TRUE(bytes.startsWith("RIFF"));
    EXPECT_EQ(bytes.mid(8, 8), "WAVEfmt ");
    EXPECT_EQ(qFromLittleEndian<quint32>(bytes.constData() + 4), static_cast<quint32>(bytes.size() - 8));
    EXPECT_EQ(qFromLittleEndian<quint16>(bytes.constData() + 22), 2) << "channels";
    EXPECT_EQ(qFromLittleEndian<quint32>(bytes.constData() + 24), 44100U);
    EXPECT_EQ(qFromLittleEndian<quint32>(bytes.constData() + 40), 4 * sound.left.size());
    ASSERT_EQ(bytes.size(), 44 + 4 * static_cast<qsizetype>(sound.left.size()));
    const std::size_t at = sound.left.size() / 2;
    const char* sample = bytes.constData() + 44 + 4 * at;
    EXPECT_NEAR(qFromLittleEndian<qint16>(sample), sound.left[at] * 32767, 1);
    EXPECT_NEAR(qFromLittleEndian<qint16>(sample + 2), sound.right[at] * 32767, 1);
    EXPECT_EQ(samplesOf(sound).size(), bytes.size() - 44);
}

TEST(FigurePlayer, PlaysOrSaysWhyNot) {
    FigurePlayer player;
    EXPECT_FALSE(player.isPlaying());
    try {
        player.play(soundOf(figureOf({0, 1}, {0, 1})));
        EXPECT_TRUE(player.isPlaying());
        player.stop();
    } catch (const BadInput& error) {
        // A machine without an audio output, or a build without Qt Multimedia.
        EXPECT_THAT(error.what(),
                    ::testing::AnyOf(::testing::HasSubstr("audio output"), ::testing::HasSubstr("Qt Multimedia")));
    }
    EXPECT_FALSE(player.isPlaying());
}

}  // namespace
}  // namespace ropelab::ui
