#pragma once

#include <QList>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/rope/context.h"
#include "core/rope/rotary_setup.h"
#include "core/store/lab_file.h"
#include "core/study/learned_encoding.h"
#include "ui/figure/figure.h"
#include "ui/rotary/rotary_room.h"
#include "ui/session/rotary_model.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

struct SpectrumOptions {
    /// Shows radians per token instead of wavelengths in tokens.
    bool asFrequency = false;
    /// Adds the frequencies of the other method of partial rotation (slice or truncate) at the same base and with the
    /// same scaling.
    bool otherPartial = false;
    /// Methods whose inputs the setup lacks are omitted.
    std::vector<ScalingMethod> compared = {};
    std::optional<int> highlighted = {};
    /// Shows each frequency divided by the one without scaling, from 0 to 1, which a lecture asks for.
    bool asRatio = false;
    /// Fixed ends of the y axis, as while a line is dragged.
    std::optional<Range> ends = {};
};

// Handles of the draggable lines.
inline const QString kContextHandle = u"context"_s;
inline const QString kThetaHandle = u"theta"_s;

/// The figure is named "scalings" if scalings are compared. It has lines at the context and at the longest wavelength.
Figure spectrumFigure(const RotarySetup& setup, const SpectrumOptions& options = {});
/// Both setups have the same axes. The other partial method and the compared scalings are those of `options` for the
/// edited setup only, so that the figure remains readable.
Figure comparedSpectrumFigure(const ShapedSetup& a, const ShapedSetup& b, const SpectrumOptions& options = {},
                              bool editsB = false);
/// "46 of 64 rotated pairs complete a period in 4,096 tokens".
QString completeSentence(const RotarySetup& setup);

/// Named spectrum, scalings, kernel, kernel-spectrum.
std::span<const RotaryFigure> spectrumFigures();

/// In tokens.
constexpr std::int64_t kMaxKernelLength = std::int64_t{1} << 20;
/// Longer kernels are computed in a background thread, and their curves are reduced to extremes.
constexpr std::int64_t kLongKernel = 16384;

/// The kernel K(Δ) = Σ cos(Δωᵢ) at distances 0 … kernelLength − 1, and its discrete Fourier spectrum.
struct KernelCurves {
    std::int64_t kernelLength = 0;  // length of the kernel in tokens
    /// Periods within the kernel length for each rotated pair, highest frequency first.
    std::vector<double> periods = {};
    int complete = 0;  // number of pairs with at least one period
    QList<double> distance = {};
    QList<double> kernel = {};
    /// Frequency of each bin, in periods per kernel length, from 0.
    QList<double> bins = {};
    QList<double> magnitude = {};
    /// True if the curves contain only the extremes of neighbouring values.
    bool isThinned = false;
};

/// The context, limited to 2 … kMaxKernelLength tokens.
std::int64_t contextKernelLength(const RotarySetup& setup);
/// Includes the scaling of the setup. Thread-safe; takes about 1 ms up to kLongKernel tokens.
KernelCurves kernelCurves(const RotarySetup& setup, std::int64_t kernelLength);

Figure kernelFigure(const RotarySetup& setup, const KernelCurves& curves);
/// Each pair is marked at its number of periods, at magnitude 1, which it would have alone.
Figure kernelSpectrumFigure(const RotarySetup& setup, const KernelCurves& curves, std::optional<int> highlighted = {});
/// The nearest pair on a logarithmic axis, or nullopt if none is within a factor of e^0.2.
std::optional<int> pairAtPeriods(const KernelCurves& curves, double periods);

// Figures of position encodings other than RoPE and of the attention mask. A setup determines their number of heads,
// model width, context and attention window.

constexpr int kMostMaskPositions = 64;
/// Columns are distances or positions, rows are heads or channels.
constexpr int kMostEncodingColumns = 256;
constexpr int kMostEncodingRows = 128;
/// Lower end of the colour scale of ALiBi's bias, in nats. A bias of −16 multiplies an attention weight by e^−16.
constexpr double kLeastBias = -16;
/// Values of the cells of the mask; cells of future keys are NaN.
constexpr float kVisible = 1;
constexpr float kOutsideWindow = 0;

/// In channels: heads · head_dim.
std::int64_t widthOf(const RotarySetup& setup);
/// The largest number of tokens that a token attends to, including itself.
std::int64_t visibleTokens(const RotarySetup& setup);

/// The bias −slope_h·Δ by distance and head (formula 25). Distances beyond the attention window are NaN.
Figure alibiFigure(const RotarySetup& setup);
/// The keys that each query attends to, with query 0 at the top.
Figure maskFigure(const RotarySetup& setup);
/// The fixed embeddings by position and channel (formula 30).
Figure sinusoidalFigure(const RotarySetup& setup);

/// The formula with the values of the setup, and its source.
QString alibiToolTip(const RotarySetup& setup);
QString maskToolTip(const RotarySetup& setup);
QString sinusoidalToolTip(const RotarySetup& setup);

/// Named alibi-bias, attention-mask, sinusoidal-embeddings, window-reach, encodings.
std::span<const RotaryFigure> encodingFigures();

// The figure "encodings": one panel per position encoding, all for the same head and the same distances. It also
// contains the figure "window-reach".

/// Choices that are not part of a setup.
struct EncodingChoices {
    int head = 1;                // head of the figure "encodings", from 1; a head that the setup lacks is its last one
    std::int64_t distances = 0;  // number of distances of that figure; 0: the context of the setup
    std::int64_t layer = 0;      // of what runs have learned, from 0; a layer that a run lacks is its last one
    std::int64_t layers = 12;    // number of layers of the figure "window-reach"
    /// As the setting of this name: "auto" or a pattern such as "3 window + 1 full".
    std::string attention_layers = "auto";

    bool operator==(const EncodingChoices&) const = default;
};

inline constexpr int kMostChosenHeads = 65536;
inline constexpr std::int64_t kMostReachLayers = 128;
inline constexpr std::int64_t kMostEncodingDistances = 1 << 30;
/// Lower end of the axis of the panels with logits, in nats; as kLeastBias.
inline constexpr double kLeastChange = -16;

/// The position encoding that a trained run has learned, with the name of the run.
struct LearnedPanel {
    std::int64_t id = 0;  // of the run
    QString run;
    LearnedEncoding encoding;
    int head = 1;            // of the run, from 1
    std::int64_t layer = 0;  // of the run, from 0
};
/// By the value of the setting `position`: "t5".
using LearnedPanels = std::map<std::string, LearnedPanel>;
std::vector<std::int64_t> runsOf(const LearnedPanels& learned);

/// 0, step, 2·step …, at most 256 distances.
std::vector<std::int64_t> encodingDistances(const RotarySetup& setup, const EncodingChoices& choices);

/// For each encoding the change of a logit with the distance, or for encodings that are added to the tokens the
/// similarity of their embeddings (formula 60). Learned encodings have the curve of the run in `learned`; those without
/// a run show what is fixed before training, which distances share a learned number or vector, and say so.
Figure encodingsFigure(const RotarySetup& setup, const EncodingChoices& choices, const LearnedPanels& learned = {});
/// The curves of both setups are in each panel.
Figure comparedEncodings(const ShapedSetup& a, const ShapedSetup& b, const EncodingChoices& choices,
                         const LearnedPanels& learned = {}, bool editsB = false);

/// The choices of "encodings" as flags of the command line, whose layers and heads count from 0.
QJsonObject encodingFlags(const EncodingChoices& choices);

/// The tokens that can change the output of the last token, by layer (formula 61).
Figure reachFigure(const RotarySetup& setup, const EncodingChoices& choices);

QString encodingsToolTip(const RotarySetup& setup, const EncodingChoices& choices);
QString reachToolTip(const RotarySetup& setup, const EncodingChoices& choices);

/// Loads what the newest run of each learned encoding has learned, in the layer and the head of `choices`. Runs without
/// a checkpoint file, and files that cannot be read, are left out. Calls `cancelled` before each run; if it returns
/// true, the result has only the runs so far.
LearnedPanels learnedPanels(const LabFile& lab, const EncodingChoices& choices, std::span<const std::int64_t> distances,
                            const Cancelled& cancelled = {});

}  // namespace ropelab::ui
