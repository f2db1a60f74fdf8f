#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/rope/context.h"
#include "core/rope/rotary_setup.h"
#include "core/store/lab_file.h"
#include "core/study/learned_encoding.h"
#include "ui/figure/figure.h"
#include "ui/session/rotary_model.h"

namespace ropelab::ui {

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
