#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/rope/attention/key_share.h"
#include "ui/figure/figure.h"
#include "ui/figure/polyline.h"
#include "ui/rooms/context/context_data.h"
#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

/// The draggable vertical line at the context.
inline const QString kContextLine = u"context"_s;

Axis distanceAxis(std::int64_t end, bool logarithmic = true);
FigureLine contextLine(const RotarySetup& setup, Ink ink = {Ink::Kind::accent});
/// The distribution of q and k can be set for this figure.
inline const QString kRandomFigure = u"random-logits"_s;
/// Of figures with values at the ends of curves (Figure::valuesNote).
inline const QString kEndNote = u"numbers at the right: values at the largest distance shown"_s;

/// The values are over x = 0, 1, 2 …; a logarithmic axis omits x = 0. More than 4,096 values are thinned to the minimum
/// and maximum of each of 2,048 columns, which looks the same on screen and on paper.
Polyline polylineOf(std::span<const double> values, bool logarithmic);

/// The context bound B(Δ) over the distance Δ (F12, F13).
Figure boundFigure(const BoundData& data, bool logarithmic);
QString boundSentence(const BoundData& data);

/// Su's bound (F11) over the distance. `end` is the end of the axis, as `distanceAxisEnd` returns it. A figure that is
/// compared with another one has fewer and larger points.
/// On a linear axis the bound is computed close enough for a line.
Figure decayFigure(const RotarySetup& setup, std::int64_t end, bool isCompared = false, bool logarithmic = true);
QString decaySentence();

/// 100 to 100 million, extended so that it contains theta; with `near`, one decade around theta.
BaseProfile::Range baseRange(const RotarySetup& setup, bool near);
/// The supported context length over the base, with the setup's scaling at every base, and the feasible intervals for
/// the setup's context (F12). `data` is the context bound of the setup; the supported context of its θ comes from
/// there.
Figure basesFigure(const BaseProfile& profile, const BoundData& data);
QString basesSentence(const BaseProfile& profile, const BoundData& data);
/// The scanned bases, and the setup's θ with the context that `data` says it supports (at most the scan's limit), in
/// ascending order. Figure, table, sentence and crosshair use these bases, so that they agree with the context bound
/// about θ, which the scan may miss.
std::vector<BaseProfile::Point> basesWithTheta(const BaseProfile& profile, const BoundData& data);
/// "Scan: 129 bases from 100 to 100M in steps of 11 %; B(Δ) is computed for 131,072 tokens."
QString scanText(const BaseProfile& profile);

/// The mean logit over the distance, for the chosen distribution and for k = q (F16). `end` is the end of the axis in
/// tokens. `bound` is B(Δ) of the samples' setup for Δ = 0, 1, 2 …; the curves of the expected values end where it
/// ends.
Figure randomFigure(const LogitSamples& samples, std::span<const double> bound, std::int64_t end);
/// Takes 4,096 samples; the figure has the name kRandomFigure.
Figure randomFigure(const RotarySetup& setup, const RandomVectors& vectors);
/// The correlation of the key can be set for this figure.
inline const QString kShareFigure = u"key-share"_s;
/// Random keys beside the one whose weight is shown.
inline constexpr std::int64_t kOtherKeys = 199;
/// Samples for k = q and for the chosen correlation, which do not depend on the frequencies.
struct KeyShareData {
    std::shared_ptr<const KeySamples> equal;
    std::shared_ptr<const KeySamples> chosen;

    /// Samples what the setup's head dimension and the correlation need, which takes 0.1 s.
    void adopt(const RotarySetup& setup, double correlation);
};
/// The mean attention weight, over the distance, of a key that equals a random query, and of one with the chosen
/// correlation, among kOtherKeys random keys. `end` is the end of the axis in tokens. Without samples, only the axes.
Figure shareFigure(const RotarySetup& setup, const KeyShareData& data, std::int64_t end, bool logarithmic);
Figure shareFigure(const RotarySetup& setup, double correlation);
QString shareSentence(const Figure& figure);
/// Says how q and k are related: "independent" or "ρ = 0.5".
QString vectorsLabel(const RandomVectors& vectors);
QString randomSentence(const LogitSamples& samples);

/// A base and a context, of a known model or of a setting of a lab's runs.
struct ContextPlace {
    QString name;
    double theta = 0;
    double context = 0;        // tokens
    bool isSupported = false;  // B(Δ) ≥ 0 in the whole context, with its own head and scaling (F12)
    bool isComplete = false;   // every pair completes a period in the context (F9)
    bool isRun = false;
    std::optional<bool> retrieves = {};  // of runs: at the longest measured distance; nullopt if it is not measured
};
/// Computed at the first call, which takes about a second.
const std::vector<ContextPlace>& knownPlaces();
/// Of the finished runs with a fixed θ, one per setting; `used` gets the runs.
std::vector<ContextPlace> runPlaces(const LabFile& lab, std::vector<RunId>& used);
/// All bounds of the context over θ (F9, F12, F15), with models and runs.
Figure mapFigure(const BaseProfile& profile, const BoundData& data, const std::vector<ContextPlace>& places);
Figure requestedMap(const FigureRequest& request);

/// Named context-bound, feasible-bases, context-map, decay-bound, random-logits, key-share.
std::span<const RotaryFigure> contextFigures();

}  // namespace ropelab::ui
