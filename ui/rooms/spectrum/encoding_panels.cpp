#include "ui/rooms/spectrum/spectrum_figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/rope/encodings.h"
#include "core/rope/logit.h"
#include "core/settings/keys.h"
#include "core/settings/run_spec.h"
#include "core/sweep/stored_run.h"
#include "ui/common/format.h"
#include "ui/figure/ticks.h"
#include "ui/rotary/comparison.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kPanelColumns = 4;
constexpr double kPanelHeightMm = 45;
// Panels whose last values the summary names.
const QString kRopeTitle = u"RoPE: rotation"_s;
const QString kXposTitle = u"xPos: rotation and decay"_s;
const QString kAlibiTitle = u"ALiBi: bias"_s;
constexpr std::int64_t kMostWidth = 32768;  // of the sinusoidal embeddings that are compared
const QString kChange = u"change of the logit"_s;
constexpr double kMargin = 0.05;  // above the largest value, as a part of the axis

struct PanelInput {
    RotarySetup setup;
    int head = 1;
    std::vector<std::int64_t> distances;
    Frequencies frequencies;
};

Axis distanceAxis(const PanelInput& input) {
    return {.label = u"distance"_s,
            .unit = u"tokens"_s,
            .minimum = 0,
            .maximum = static_cast<double>(std::max<std::int64_t>(1, input.distances.back()))};
}

Figure emptyPanel(const PanelInput& input, const QString& title) {
    Figure panel;
    panel.name = u"encodings"_s;
    panel.panelTitle = title;
    panel.x = distanceAxis(input);
    panel.settings = {{u"setup"_s, QString::fromStdString(text_of(input.setup))}};
    return panel;
}

FigureCurve curveOf(const PanelInput& input, const QString& quantity, const std::function<double(std::int64_t)>& at) {
    FigureCurve curve;
    curve.quantity = quantity;
    curve.ink = {Ink::Kind::rotated};
    curve.dots = false;
    for (const std::int64_t distance : input.distances) {
        curve.x.append(static_cast<double>(distance));
        curve.y.append(at(distance));
    }
    return curve;
}

/// The change of the logit; encodingsFigure() sets the axis.
Figure changePanel(const PanelInput& input, const QString& title, const std::function<double(std::int64_t)>& at) {
    Figure panel = emptyPanel(input, title);
    panel.y = {.label = kChange, .unit = u"nats"_s};
    panel.curves.push_back(curveOf(input, panel.y.label, at));
    panel.summary = u"%1: the logit changes by %2 nats from distance 0 to %3."_s.arg(
        title, readableNumber(panel.curves.front().y.last()), countText(input.distances.back(), u"token"_s));
    return panel;
}

Figure similarityPanel(const PanelInput& input, const QString& title, const std::function<double(std::int64_t)>& at) {
    Figure panel = emptyPanel(input, title);
    panel.y = {.label = u"cosine similarity"_s, .unit = {}, .minimum = -1, .maximum = 1.05};
    panel.curves.push_back(curveOf(input, panel.y.label, at));
    panel.summary =
        u"%1: cosine similarity of two position embeddings by the distance of their positions."_s.arg(title);
    return panel;
}

/// Shows what is fixed before training: which learned number or vector each distance uses. All distances beyond the
/// last index have that index.
Figure structurePanel(const PanelInput& input, const QString& title, const QString& what,
                      const std::vector<int>& indices, const QString& note) {
    Figure panel = emptyPanel(input, title);
    panel.y = {.label = what, .unit = {}, .minimum = 0, .whole = true};
    panel.curves.push_back(curveOf(input, what, [&](std::int64_t distance) {
        return static_cast<double>(indices[std::min(static_cast<std::size_t>(distance), indices.size() - 1)]);
    }));
    panel.curves.front().ink = {Ink::Kind::quiet};
    panel.note = u"before training: %1"_s.arg(note);
    panel.summary = u"%1, before training: %2."_s.arg(title, note);
    return panel;
}

Figure textPanel(const PanelInput& input, const QString& title, const QString& text) {
    Figure panel = emptyPanel(input, title);
    panel.y = {.label = kChange, .unit = u"nats"_s};
    panel.emptyText = text;
    panel.summary = u"%1: %2"_s.arg(title, text);
    return panel;
}

/// `part` names the layer and the head that have the run's weights. Values beyond the run's distances are gaps.
Figure learnedPanel(const PanelInput& input, const QString& title, const LearnedPanel& learned, const QString& part) {
    const std::vector<double>& values = learned.encoding.values;
    std::size_t next = 0;
    const auto value = [&](std::int64_t) {
        return next < values.size() ? values[next++] : std::numeric_limits<double>::quiet_NaN();
    };
    using Kind = LearnedEncoding::Kind;
    Figure panel = learned.encoding.kind == Kind::similarity ? similarityPanel(input, title, value)
                                                             : changePanel(input, title, value);
    if (learned.encoding.kind == Kind::deviation) {
        panel.y.label = u"standard deviation"_s;
        panel.y.minimum = 0;
        panel.curves.front().quantity = panel.y.label;
    }
    panel.note = u"trained: %1%2"_s.arg(learned.run, part);
    panel.summary = u"%1: values that the run %2 has learned."_s.arg(title, learned.run);
    return panel;
}

bool isChange(const Figure& panel) {
    return panel.y.label == kChange;
}

void equalizeChanges(std::vector<Figure>& panels) {
    double low = 0;
    double high = 0;
    for (const Figure& panel : panels) {
        if (!isChange(panel)) continue;
        for (const FigureCurve& curve : panel.curves) {
            for (const double y : curve.y) {
                if (!std::isfinite(y)) continue;
                low = std::min(low, y);
                high = std::max(high, y);
            }
        }
    }
    const bool isCut = low < kLeastChange;
    low = std::max(low, kLeastChange);
    const double margin = std::max(kMargin * (high - low), kMargin);
    for (Figure& panel : panels) {
        if (!isChange(panel)) continue;
        panel.y.minimum = isCut ? low : low - margin;
        panel.y.maximum = high + margin;
    }
}

QString headText(const PanelInput& input) {
    return u"head %1 of %2"_s.arg(input.head).arg(groupedText(input.setup.heads));
}

PanelInput inputOf(const RotarySetup& setup, const EncodingChoices& choices) {
    return {setup, static_cast<int>(std::clamp<std::int64_t>(choices.head, 1, setup.heads)),
            encodingDistances(setup, choices), frequencies(frequency_settings(setup))};
}

/// The sums would take minutes for the largest widths of a setup.
Figure sinusoidalPanel(const PanelInput& input, const QString& title) {
    const std::int64_t width = std::min(widthOf(input.setup), kMostWidth);
    Figure panel = similarityPanel(input, title, [width](std::int64_t distance) {
        return sinusoidal_similarity(width, static_cast<double>(distance));
    });
    if (width < widthOf(input.setup)) panel.note = u"for %1 embedding channels"_s.arg(groupedText(width));
    return panel;
}

Figure alibiPanel(const PanelInput& input, const QString& title, double slope) {
    Figure panel =
        changePanel(input, title, [slope](std::int64_t distance) { return 0 - slope * static_cast<double>(distance); });
    panel.note = headText(input);
    if (panel.curves.front().y.last() < kLeastChange) {
        panel.note += u"; the axis ends at %1 nats"_s.arg(readableCount(kLeastChange));
    }
    return panel;
}

std::vector<Figure> panelsOf(const PanelInput& input, const LearnedPanels& learned) {
    const RunSpec usual;  // the settings of the learned encodings have their defaults
    const auto countTo = [&](std::int64_t last) {
        return static_cast<std::size_t>(std::min(input.distances.back(), last)) + 1;
    };
    const double slope =
        alibi_slopes(static_cast<std::size_t>(input.setup.heads))[static_cast<std::size_t>(input.head - 1)];
    // Biases belong to a head of all layers, vectors to all heads of a layer, and embeddings to the model.
    const QString ofHead = u", head %1"_s;
    const QString ofLayer = u", layer %2"_s;
    const auto trained = [&](const char* position, const QString& title, const QString& part,
                             const std::function<Figure()>& before) {
        const auto found = learned.find(position);
        if (found == learned.end()) return before();
        QString shown = part;
        shown.replace("%1"_L1, QString::number(found->second.head));
        shown.replace("%2"_L1, QString::number(found->second.layer));
        return learnedPanel(input, title, found->second, shown);
    };
    const auto rotated = [&](std::int64_t distance) {
        return rotation_change(input.frequencies, input.setup.head_dim, static_cast<double>(distance));
    };
    const auto bucketPanel = [&](const QString& title) {
        return structurePanel(input, title, u"bucket"_s,
                              t5_buckets(countTo(usual.largest_distance), static_cast<int>(usual.distance_buckets),
                                         static_cast<int>(usual.largest_distance)),
                              u"distances of one bucket share a learned bias per head"_s);
    };
    const QString none = u"No encoding"_s;
    const QString embedded = u"Learned: embeddings"_s;
    const QString sinusoidal = u"Sinusoidal: embeddings"_s;
    const QString t5 = u"T5: learned bias"_s;
    const QString biased = u"RoPE + bias: learned bias"_s;
    const QString shaw = u"Shaw: clipped vectors"_s;
    const QString xl = u"Transformer-XL: projection"_s;
    const QString cope = u"CoPE: counted gates"_s;
    const QString kerple = u"KERPLE: learned logarithm"_s;
    return {
        changePanel(input, none, [](std::int64_t) { return 0.0; }),
        trained("learned", embedded, {},
                [&] { return textPanel(input, embedded, u"Before training, the embeddings are random vectors."_s); }),
        sinusoidalPanel(input, sinusoidal),
        changePanel(input, kRopeTitle, rotated),
        changePanel(input, kXposTitle,
                    [&](std::int64_t distance) {
                        return xpos_change(input.frequencies, input.setup.head_dim, static_cast<double>(distance),
                                           usual.xpos_scale_base);
                    }),
        alibiPanel(input, kAlibiTitle, slope),
        trained("t5", t5, ofHead, [&] { return bucketPanel(t5); }),
        trained("rope+bias", biased, ofHead, [&] { return bucketPanel(biased); }),
        trained("shaw", shaw, ofLayer,
                [&] {
                    return structurePanel(
                        input, shaw, u"vector"_s,
                        shaw_indices(countTo(usual.relative_clip), static_cast<int>(usual.relative_clip)),
                        u"all longer distances share one learned vector"_s);
                }),
        trained("transformer-xl", xl, ofLayer + ofHead,
                [&] { return textPanel(input, xl, u"Before training, the projection of the distance is random."_s); }),
        trained("cope", cope, ofLayer,
                [&] { return textPanel(input, cope, u"Before training, all position embeddings are 0."_s); }),
        trained("kerple", kerple, ofHead,
                [&] {
                    const KerpleKernel kernel = initial_kernels(
                        static_cast<std::size_t>(input.setup.heads))[static_cast<std::size_t>(input.head - 1)];
                    Figure panel = changePanel(input, kerple, [&](std::int64_t distance) {
                        return kernel.bias(static_cast<double>(distance));
                    });
                    panel.note = u"before training: %1"_s.arg(headText(input));
                    return panel;
                }),
    };
}

QJsonObject settingsOfChoices(const RotarySetup& setup, const EncodingChoices& choices) {
    return {{u"setup"_s, QString::fromStdString(text_of(setup))},
            {u"head"_s, choices.head},
            {u"distances"_s, static_cast<double>(choices.distances)}};
}

/// The caller adds the panels.
Figure figureOf(const PanelInput& input, const EncodingChoices& choices, const std::vector<Figure>& panels) {
    const auto last = [&](const QString& title) {
        const auto panel = std::ranges::find(panels, title, &Figure::panelTitle);
        return readableNumber(panel->curves.front().y.last());
    };
    Figure figure;
    figure.name = u"encodings"_s;
    figure.settings = settingsOfChoices(input.setup, choices);
    figure.panelColumns = kPanelColumns;
    QStringList untrained;
    for (const Figure& panel : panels) {
        if (isEmpty(panel) || isPlaceholder(panel)) untrained << panel.panelTitle.section(QLatin1Char(':'), 0, 0);
    }
    const auto drawn = std::ssize(panels) - untrained.size();
    figure.heightMm = kPanelHeightMm * std::ceil(static_cast<double>(drawn) / kPanelColumns);
    figure.x = distanceAxis(input);
    figure.y = {.label = kChange, .unit = u"nats"_s};
    figure.note = headText(input) + u", counted from 1"_s;
    if (!untrained.isEmpty())
        figure.note += u"; not shown, because they are learned and no run of the lab has learned them: %1"_s.arg(
            untrained.join(u", "_s));
    figure.summary =
        u"Position encodings side by side for %1. Over a distance of %2, RoPE changes the logit of equal vectors by %3 "
        u"nats, "
        "xPos by %4 and ALiBi by %5."_s.arg(headText(input), countText(input.distances.back(), u"token"_s),
                                            last(kRopeTitle), last(kXposTitle), last(kAlibiTitle));
    return figure;
}

/// "12 layers: 9 with a sliding window of 64 tokens, 3 with the whole context".
QString layersText(const std::vector<std::int64_t>& windows, std::int64_t window) {
    const auto full = std::ranges::count(windows, 0);
    const auto windowed = std::ssize(windows) - full;
    const QString all = countText(std::ssize(windows), u"layer"_s);
    if (windowed == 0) return u"%1 with the whole context"_s.arg(all);
    const QString sliding = u"with a sliding window of %1"_s.arg(countText(window, u"token"_s));
    return full == 0
               ? u"%1 %2"_s.arg(all, sliding)
               : u"%1: %2 %3, %4 with the whole context"_s.arg(all, groupedText(windowed), sliding, groupedText(full));
}

}  // namespace

std::vector<std::int64_t> runsOf(const LearnedPanels& learned) {
    std::vector<std::int64_t> ids;
    for (const auto& [position, panel] : learned) ids.push_back(panel.id);
    return ids;
}

std::vector<std::int64_t> encodingDistances(const RotarySetup& setup, const EncodingChoices& choices) {
    const std::int64_t count = choices.distances > 0 ? choices.distances : setup.context;
    const std::int64_t step = (count + kMostEncodingColumns - 1) / kMostEncodingColumns;
    std::vector<std::int64_t> distances;
    for (std::int64_t distance = 0; distance < count; distance += step) distances.push_back(distance);
    return distances;
}

Figure encodingsFigure(const RotarySetup& setup, const EncodingChoices& choices, const LearnedPanels& learned) {
    const PanelInput input = inputOf(setup, choices);
    std::vector<Figure> panels = panelsOf(input, learned);
    equalizeChanges(panels);
    Figure figure = figureOf(input, choices, panels);
    figure.panels = std::move(panels);
    figure.origin.flags = encodingFlags(choices);
    return figure;
}

/// The note of the first panel says what A and B are.
static void shortenNames(Figure& panel, const ComparedNames& names, bool isFirst) {
    for (FigureCurve& curve : panel.curves) {
        if (curve.label == names.titleA() || curve.label == names.titleB()) curve.label.truncate(1);
    }
    if (!isFirst) panel.note = panel.note.section(u"; "_s, 1);
}

Figure comparedEncodings(const ShapedSetup& a, const ShapedSetup& b, const EncodingChoices& choices,
                         const LearnedPanels& learned, bool editsB) {
    Figure figureA = encodingsFigure(a.setup, choices, learned);
    Figure figureB = encodingsFigure(b.setup, choices, learned);
    const std::vector<Figure> panelsA = std::exchange(figureA.panels, {});
    const std::vector<Figure> panelsB = std::exchange(figureB.panels, {});
    Figure both = comparedFigure(figureA, figureB, a, b, editsB);
    for (std::size_t i = 0; i < panelsA.size(); ++i) {
        both.panels.push_back(comparedFigure(panelsA[i], panelsB[i], a, b, editsB));
        both.panels.back().panelTitle = panelsA[i].panelTitle;
        shortenNames(both.panels.back(), comparedNames(a, b, editsB), i == 0);
        if (!isPlaceholder(panelsA[i])) continue;
        for (FigureCurve& curve : both.panels.back().curves) curve.ink = {Ink::Kind::quiet};  // of both
    }
    both.panelColumns = kPanelColumns;
    both.origin.flags = encodingFlags(choices);
    return both;
}

Figure reachFigure(const RotarySetup& setup, const EncodingChoices& choices) {
    const std::vector<std::int64_t> windows =
        windows_of_layers(choices.attention_layers, choices.layers, setup.attention_window);
    std::vector<std::int64_t> fields = receptive_fields(windows, setup.context);
    fields.push_back(1);  // the output of the last layer
    const std::int64_t reach = fields.front();
    Figure figure;
    figure.name = u"window-reach"_s;
    figure.settings = {{u"setup"_s, QString::fromStdString(text_of(setup))},
                       {u"layers"_s, static_cast<double>(choices.layers)},
                       {u"attention_layers"_s, QString::fromStdString(choices.attention_layers)}};
    figure.x = {u"distance from the last token"_s, u"tokens"_s};
    figure.y.label = u"layer"_s;
    // The whole context, so that more layers reach further on the same axis, unless it makes the reach a thin line.
    constexpr std::int64_t widest = 16;
    const std::int64_t end =
        setup.context <= widest * reach ? setup.context : std::min(setup.context, reach + reach / 4 + 1);
    const std::int64_t step = (end + kMostEncodingColumns - 1) / kMostEncodingColumns;
    FigureMap map;
    map.label = u"1: can change the output, 0: cannot change it"_s;
    map.classes = {u"cannot change the output"_s, u"can change the output"_s};
    map.columns = static_cast<int>((end - 1) / step + 1);
    map.rows = static_cast<int>(fields.size());
    map.xStep = static_cast<double>(step);
    map.minimum = kOutsideWindow;
    map.maximum = kVisible;
    QList<double> layers;
    QList<double> tokens;
    for (int row = 0; row < map.rows; ++row) {
        const std::int64_t field = fields[static_cast<std::size_t>(row)];
        for (int column = 0; column < map.columns; ++column) {
            map.values.append(column * step < field ? kVisible : kOutsideWindow);
        }
        figure.y.categories << (row == 0 ? u"embeddings"_s : QString::number(row));
        layers.append(row);
        tokens.append(static_cast<double>(field));
    }
    figure.map = std::move(map);
    figure.table.names = {u"layer"_s, u"receptive field (tokens)"_s};
    figure.table.columns = {layers, tokens};
    const bool isPattern = choices.attention_layers != "auto" && setup.attention_window > 0;
    const QString pattern =
        isPattern ? u", pattern %1"_s.arg(QString::fromStdString(choices.attention_layers)) : QString();
    const QString layersOf = layersText(windows, setup.attention_window) + pattern;
    figure.note = layersOf;
    figure.summary = u"Model of %1. The output of the last token can depend on %2 of the %3 of the context."_s.arg(
        layersOf, groupedText(reach), countText(setup.context, u"token"_s));
    return figure;
}

QString encodingsToolTip(const RotarySetup& setup, const EncodingChoices& choices) {
    return u"Each panel shows one position encoding: the change of the attention logit from distance 0 to Δ, for k = "
           "q with ‖q‖² = d = %1.\nRoPE: (2/√d)·Σ (cos Δωᵢ − 1); xPos: (2/√d)·Σ (ζᵢ^(Δ/s) cos Δωᵢ − 1); ALiBi: "
           "−slope_h·Δ\nA learned encoding is shown as in the newest run of the lab file that uses it. Without such "
           "a run, the panel shows what is fixed before training: the distances that share a bucket or a vector. "
           "Position embeddings show their cosine similarity.\nHead %2 of %3, counted from 1; formula 60"_s
               .arg(groupedText(setup.head_dim))
               .arg(std::clamp<std::int64_t>(choices.head, 1, setup.heads))
               .arg(groupedText(setup.heads));
}

QString reachToolTip(const RotarySetup& setup, const EncodingChoices& choices) {
    const std::vector<std::int64_t> windows =
        windows_of_layers(choices.attention_layers, choices.layers, setup.attention_window);
    const std::vector<std::int64_t> fields = receptive_fields(windows, setup.context);
    return u"Information moves by at most W − 1 tokens per layer, so after k layers of window W a token depends "
           "on\nR = min(L, k·(W − 1) + 1) tokens. A layer that attends to the whole context and the state of a "
           "gated DeltaNet reach all L tokens.\nk = %1, L = %2: R = %3 tokens\nBeltagy et al. 2020, Jiang et al. "
           "2023; formula 61"_s.arg(groupedText(choices.layers), groupedText(setup.context),
                                    groupedText(fields.front()));
}

LearnedPanels learnedPanels(const LabFile& lab, const EncodingChoices& choices, std::span<const std::int64_t> distances,
                            const Cancelled& cancelled) {
    LearnedPanels panels;
    const std::vector<RunRecord> runs = lab.runs();
    for (auto run = runs.rbegin(); run != runs.rend() && !(cancelled && cancelled()); ++run) {
        try {
            const RunSpec spec = stored_spec(*run);
            const std::string position(spec.encoding().choice.word);
            if (panels.contains(position)) continue;
            const auto checkpoint =
                spec.encoding().is_learned() ? read_checkpoint(run_checkpoint(lab, *run)) : std::nullopt;
            if (!checkpoint) continue;
            const std::int64_t ofRun = std::clamp<std::int64_t>(choices.head, 1, spec.heads) - 1;
            const std::int64_t layer = std::clamp<std::int64_t>(choices.layer, 0, spec.layers - 1);
            auto learned = learned_encoding(*checkpoint, layer, ofRun, distances);
            if (!learned) continue;
            panels[position] = {run->id, QString::fromStdString(run->name), std::move(*learned),
                                static_cast<int>(ofRun) + 1, layer};
        } catch (const BadInput&) {  // a damaged run has no panel
        }
    }
    return panels;
}

}  // namespace ropelab::ui
