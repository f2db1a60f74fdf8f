#include "ui/sound/figure_sound.h"

#include <QObject>
#include <QtEndian>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/error.h"
#include "core/rope/rotary_setup.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kCurveSeconds = 3;
constexpr double kPauseSeconds = 0.4;
constexpr double kToneSeconds = 0.12;
constexpr double kMostTonesSeconds = 6;  // of all tones of a setup
constexpr double kChordSeconds = 1.5;
constexpr double kFadeSeconds = 0.005;  // so that tones begin and end without a click
constexpr float kLoudness = 0.5F;
constexpr std::size_t kMostCurves = 4;

std::size_t countOf(double seconds) {
    return static_cast<std::size_t>(std::lround(seconds * FigureSound::kRate));
}

void addPause(FigureSound& sound) {
    const std::size_t size = sound.left.size() + countOf(kPauseSeconds);
    sound.left.resize(size);
    sound.right.resize(size);
}

/// `pan` is 0 (left) to 1 (right); the energy does not depend on it.
void addSample(FigureSound& sound, double value, double pan) {
    const double angle = pan * std::numbers::pi / 2;
    sound.left.push_back(kLoudness * static_cast<float>(value * std::cos(angle)));
    sound.right.push_back(kLoudness * static_cast<float>(value * std::sin(angle)));
}

/// As the axis shows it.
double shown(double value, const Axis& axis) {
    if (!axis.logarithmic) return value;
    return value > 0 ? std::log(value) : std::numeric_limits<double>::quiet_NaN();
}

/// The y of a curve at any x, in the units that the axes show: interpolated for a line, that of the nearest point for
/// points and bars. NaN in gaps and outside the curve.
class HeardCurve {
 public:
    HeardCurve(const FigureCurve& curve, const Figure& figure) : m_isLine(curve.shape == FigureCurve::Shape::line) {
        for (qsizetype i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
            const double x = shown(curve.x[i], figure.x);
            if (!std::isfinite(x)) continue;
            m_x.push_back(x);
            m_y.push_back(shown(curve.y[i], figure.y));
        }
    }
    double at(double x) const {
        if (m_x.empty()) return std::numeric_limits<double>::quiet_NaN();
        const auto above = static_cast<std::size_t>(std::lower_bound(m_x.begin(), m_x.end(), x) - m_x.begin());
        if (!m_isLine) return nearest(x, above);
        if (above == m_x.size() || (above == 0 && x < m_x.front())) return std::numeric_limits<double>::quiet_NaN();
        if (m_x[above] == x) return m_y[above];
        const double part = (x - m_x[above - 1]) / (m_x[above] - m_x[above - 1]);
        return m_y[above - 1] + part * (m_y[above] - m_y[above - 1]);
    }
    int values() const {
        return static_cast<int>(std::count_if(m_y.begin(), m_y.end(), [](double y) { return std::isfinite(y); }));
    }

 private:
    /// A point is heard as far as half the distance to its neighbours.
    double nearest(double x, std::size_t above) const {
        if (above == m_x.size()) return x - m_x.back() <= reach() ? m_y.back() : std::nan("");
        if (above == 0) return m_x.front() - x <= reach() ? m_y.front() : std::nan("");
        return x - m_x[above - 1] < m_x[above] - x ? m_y[above - 1] : m_y[above];
    }
    double reach() const {
        return m_x.size() < 2 ? 0 : (m_x.back() - m_x.front()) / (2 * static_cast<double>(m_x.size() - 1));
    }

    bool m_isLine;
    std::vector<double> m_x;
    std::vector<double> m_y;
};

void addCurve(FigureSound& sound, const HeardCurve& curve, const Figure& figure) {
    const Range xs = xRange(figure);
    const Range ys = yRange(figure);
    const double left = shown(xs.minimum, figure.x);
    const double right = shown(xs.maximum, figure.x);
    const double low = shown(ys.minimum, figure.y);
    const double high = shown(ys.maximum, figure.y);
    const std::size_t count = countOf(kCurveSeconds);
    const double fade = 1 / (kFadeSeconds * FigureSound::kRate);
    double phase = 0;
    double pitch = 0;
    double loudness = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double pan = static_cast<double>(i) / static_cast<double>(count - 1);
        const double height = (curve.at(left + pan * (right - left)) - low) / (high - low);
        const bool isHeard = std::isfinite(height) && i + countOf(kFadeSeconds) < count;
        if (std::isfinite(height))
            pitch = kLowestPitch * std::pow(kHighestPitch / kLowestPitch, std::clamp(height, 0.0, 1.0));
        loudness = std::clamp(loudness + (isHeard ? fade : -fade), 0.0, 1.0);
        phase = std::fmod(phase + 2 * std::numbers::pi * pitch / FigureSound::kRate, 2 * std::numbers::pi);
        addSample(sound, loudness * std::sin(phase), pan);
    }
}

void addTones(FigureSound& sound, const std::vector<double>& pitches, const std::vector<double>& pans, double seconds) {
    const std::size_t count = countOf(seconds);
    const double fade = static_cast<double>(std::min(countOf(kFadeSeconds), count / 2));
    const double share = 1 / std::sqrt(static_cast<double>(std::max<std::size_t>(1, pitches.size())));
    const std::size_t first = sound.left.size();
    sound.left.resize(first + count);
    sound.right.resize(first + count);
    for (std::size_t tone = 0; tone < pitches.size(); ++tone) {
        const double angle = pans[tone] * std::numbers::pi / 2;
        for (std::size_t i = 0; i < count; ++i) {
            const double ramp =
                std::min({1.0, static_cast<double>(i) / fade, static_cast<double>(count - 1 - i) / fade});
            const double time = static_cast<double>(i) / FigureSound::kRate;
            const double value = share * ramp * std::sin(2 * std::numbers::pi * pitches[tone] * time);
            sound.left[first + i] += kLoudness * static_cast<float>(value * std::cos(angle));
            sound.right[first + i] += kLoudness * static_cast<float>(value * std::sin(angle));
        }
    }
}

void addPairs(FigureSound& sound, const RotarySetup& setup) {
    std::vector<double> pitches;
    for (const double frequency : frequencies(frequency_settings(setup)).inverse_frequencies) {
        if (frequency > 0) pitches.push_back(pitchOfPair(frequency));
    }
    if (pitches.empty()) return;
    std::vector<double> pans;
    for (std::size_t i = 0; i < pitches.size(); ++i)
        pans.push_back(pitches.size() == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(pitches.size() - 1));
    const double seconds = std::min(kToneSeconds, kMostTonesSeconds / static_cast<double>(pitches.size()));
    for (std::size_t i = 0; i < pitches.size(); ++i) addTones(sound, {pitches[i]}, {pans[i]}, seconds);
    addPause(sound);
    addTones(sound, pitches, pans, kChordSeconds);
    // Tones whose phases agree add up.
    float peak = 1;
    for (const auto* channel : {&sound.left, &sound.right}) {
        for (const float value : *channel) peak = std::max(peak, std::abs(value));
    }
    for (auto* channel : {&sound.left, &sound.right}) {
        for (float& value : *channel) value /= peak;
    }
}

void addPairsOf(FigureSound& sound, const Figure& figure) {
    const ComparedSetups setups = parse_setups(figure.settings.value(u"setup"_s).toString().toStdString());
    addPairs(sound, setups.a);
    if (setups.b) {
        addPause(sound);
        addPairs(sound, *setups.b);
    }
    sound.words =
        u"The sound has one tone per rotated pair, from pair 0 at the left to the last pair at the right, then all "
        "tones together; the pitch is %1 Hz times ω^0.2, with the pair's frequency ω in radians per token."_s.arg(
            kFastestPitch);
}

void addCurvesOf(FigureSound& sound, const Figure& figure, QStringList& names) {
    std::vector<std::pair<const FigureCurve*, HeardCurve>> heard;
    int most = 0;
    for (const FigureCurve& curve : figure.curves) {
        if (curve.companion) continue;
        HeardCurve each(curve, figure);
        most = std::max(most, each.values());
        if (each.values() > 0) heard.emplace_back(&curve, std::move(each));
    }
    // A single point beside curves is a mark on one of them.
    std::erase_if(heard, [most](const auto& each) { return each.second.values() < std::min(2, most); });
    if (heard.size() > kMostCurves) heard.erase(heard.begin() + kMostCurves, heard.end());
    for (const auto& [curve, each] : heard) {
        if (!sound.left.empty()) addPause(sound);
        addCurve(sound, each, figure);
        names << (curve->label.isEmpty() ? curve->quantity : curve->label);
    }
}

QByteArray littleEndian(quint32 number, int bytes) {
    QByteArray result(bytes, '\0');
    for (int i = 0; i < bytes; ++i) result[i] = static_cast<char>((number >> (8 * i)) & 0xFF);
    return result;
}

qint16 sixteenBits(float sample) {
    return static_cast<qint16>(std::lround(std::clamp(sample, -1.0F, 1.0F) * 32767));
}

}  // namespace

double pitchOfPair(double frequency) {
    return kFastestPitch * std::pow(frequency, 0.2);
}

FigureSound soundOf(const Figure& figure) {
    FigureSound sound;
    if (figure.name == "spectrum"_L1) {
        addPairsOf(sound, figure);
    } else {
        QStringList names;
        if (figure.panels.empty()) {
            addCurvesOf(sound, figure, names);
        } else {
            for (const Figure& panel : figure.panels) addCurvesOf(sound, panel, names);
        }
        names.removeAll(QString());
        sound.words =
            u"The sound plays the figure's curves: the pitch is y, from %1 to %2 Hz; the position between left and "
            "right is x."_s.arg(kLowestPitch)
                .arg(kHighestPitch);
        if (names.size() > 1)
            sound.words += u" The curves are played one after the other: %1."_s.arg(names.join(u", "_s));
    }
    if (sound.left.empty()) {
        throw BadInput("The figure " + figure.name.toStdString() +
                       " has no curve to listen to; its table contains its numbers.");
    }
    return sound;
}

QByteArray samplesOf(const FigureSound& sound) {
    std::vector<qint16> numbers;
    numbers.reserve(2 * sound.left.size());
    for (std::size_t i = 0; i < sound.left.size(); ++i) {
        numbers.push_back(sixteenBits(sound.left[i]));
        numbers.push_back(sixteenBits(sound.right[i]));
    }
    return {reinterpret_cast<const char*>(numbers.data()), static_cast<qsizetype>(numbers.size() * sizeof(qint16))};
}

QByteArray wavBytes(const FigureSound& sound) {
    constexpr quint32 channels = 2;
    constexpr quint32 bytesPerSample = 2;
    constexpr quint32 rate = FigureSound::kRate;
    QByteArray data;
    data.reserve(static_cast<qsizetype>(sound.left.size()) * 4);
    for (std::size_t i = 0; i < sound.left.size(); ++i) {
        for (const float sample : {sound.left[i], sound.right[i]})
            data += littleEndian(static_cast<quint16>(sixteenBits(sample)), 2);
    }
    const auto size = static_cast<quint32>(data.size());
    return QByteArray("RIFF") + littleEndian(36 + size, 4) + "WAVEfmt " + littleEndian(16, 4) + littleEndian(1, 2) +
           littleEndian(channels, 2) + littleEndian(rate, 4) + littleEndian(rate * channels * bytesPerSample, 4) +
           littleEndian(channels * bytesPerSample, 2) + littleEndian(8 * bytesPerSample, 2) + "data" +
           littleEndian(size, 4) + data;
}

}  // namespace ropelab::ui
