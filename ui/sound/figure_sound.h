#pragma once

#include <QByteArray>
#include <QString>
#include <vector>

#include "ui/figure/figure.h"

namespace ropelab::ui {

/// Stereo, samples from −1 to 1.
struct FigureSound {
    static constexpr int kRate = 44100;  // samples per second

    std::vector<float> left;
    std::vector<float> right;
    /// What is heard, in one or two sentences.
    QString words;

    double seconds() const { return static_cast<double>(left.size()) / kRate; }
};

// Pitches, in Hz. The lowest and the highest value of the y axis are two octaves apart.
inline constexpr double kLowestPitch = 220;
inline constexpr double kHighestPitch = 880;
/// Pitch of a pair of 1 rad/token; that of other pairs is this times ω^0.2, so that five decades of frequency are one
/// decade of pitch.
inline constexpr double kFastestPitch = 1760;

/// `frequency` is in radians per token.
double pitchOfPair(double frequency);

/// At most four curves are heard one after the other: the time and the pan, from left to right, are x, and the pitch is
/// y, from kLowestPitch at the lower end of the axis to kHighestPitch at the upper one; a gap is silent. The figure
/// "spectrum" is heard as tones, one per rotated pair from pair 0 on, and then as their chord. Two figures side by side
/// are heard one after the other. Throws BadInput, with one sentence, if the figure has no curve.
FigureSound soundOf(const Figure& figure);

/// A WAV file: 16-bit PCM, stereo.
QByteArray wavBytes(const FigureSound& sound);

/// 16-bit numbers, left and right in turn, in the byte order of this machine.
QByteArray samplesOf(const FigureSound& sound);

}  // namespace ropelab::ui
