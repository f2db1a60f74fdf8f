#include <algorithm>
#include <cmath>

#include "core/rope/attention/sentence.h"
#include "ui/common/format.h"
#include "ui/rooms/rotation/figures/scene_figures.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kMostTokens = 12;

double largestSize(std::initializer_list<std::span<const double>> lists) {
    double largest = 0;
    for (const std::span<const double> list : lists) {
        for (const double value : list) largest = std::max(largest, std::abs(value));
    }
    return largest;
}

struct SentenceMap {
    QString title;
    QString note;
    QString label;
    std::span<const double> values;
    FigureMap::Scale scale = FigureMap::Scale::diverging;
    double largest = 1;   // end of the colour scale
    bool hasKeys = true;  // the columns are keys, in the order of the queries; else channels
};

Figure panelOf(const SentenceMap& shown, const QStringList& tokens, const QStringList& positions) {
    const auto rows = static_cast<int>(tokens.size());
    const auto columns = static_cast<int>(shown.values.size()) / rows;
    Figure panel;
    panel.panelTitle = shown.title;
    panel.note = shown.note;
    panel.x = shown.hasKeys ? Axis::cells(u"key position"_s, columns, positions) : Axis::cells(u"channel"_s, columns);
    panel.x.whole = true;
    // The names of the tokens would leave the square maps little space.
    panel.y = shown.hasKeys ? Axis::cells(u"query position"_s, rows, positions) : Axis::cells(u"token"_s, rows, tokens);
    panel.y.downwards = true;
    FigureMap map;
    map.label = shown.label;
    map.columns = columns;
    map.rows = rows;
    map.scale = shown.scale;
    map.maximum = shown.largest;
    map.minimum = shown.scale == FigureMap::Scale::diverging ? -shown.largest : 0;
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            const double value = shown.values[static_cast<std::size_t>(row * columns + column)];
            map.values.append(shown.hasKeys && column > row ? std::nanf("") : static_cast<float>(value));
        }
    }
    if (shown.hasKeys) map.blankLabel = u"later keys"_s;
    panel.map = std::move(map);
    return panel;
}

/// "rounding only", or "120 %" of a change.
QString changeText(double change) {
    constexpr double visible = 1e-6;
    return change < visible ? u"rounding only"_s : u"%1 %"_s.arg(std::llround(100 * change));
}

/// The largest norm of a pair of channels in the outputs: rotated values change it with the position by rounding only,
/// so that the colour scale stays.
double largestPair(const RotationScene& scene, const std::vector<double>& outputs) {
    const auto width = static_cast<std::size_t>(scene.setup.head_dim);
    double largest = largestSize({outputs});
    for (std::size_t first = 0; first < outputs.size(); first += width) {
        for (const ChannelPair& pair : scene.pairs)
            largest = std::max(largest, std::hypot(outputs[first + pair.first], outputs[first + pair.second]));
    }
    return largest;
}

}  // namespace

Figure sentenceFigure(const RotationScene& scene) {
    Figure figure = rotation::figure(u"sentence-attention"_s, scene);
    const RotationState& state = scene.state;
    figure.settings.insert(u"text"_s, QString::fromStdString(state.text));
    figure.settings.insert(u"rotate_values"_s, state.rotatesValues);
    const QStringList tokens = tokensOf(state.text, kMostTokens);
    if (tokens.isEmpty()) {
        figure.emptyText = u"Type a text to see the attention of its tokens."_s;
        figure.summary = figure.emptyText;
        return figure;
    }
    std::vector<std::string> words;
    QStringList positions;
    for (const QString& token : tokens) {
        positions << groupedText(state.m + positions.size());
        words.push_back(token.toStdString());
    }
    const auto at = [&](std::int64_t first, bool rotatesValues) {
        return sentence_attention(words, first, state.seed, scene.setup, rotatesValues);
    };
    const SentenceAttention before = at(0, state.rotatesValues);
    const SentenceAttention now = at(state.m, state.rotatesValues);
    const QString logits = changeText(relative_change(before.logits, now.logits));
    const QString weights = changeText(largest_change(before.weights, now.weights));
    const QString outputs = changeText(relative_change(before.outputs, now.outputs));
    const double logit = largestSize({before.logits, now.logits});
    const double output =
        std::max(largestPair(scene, before.outputs), largestPair(scene, at(0, !state.rotatesValues).outputs));
    const auto changed = [&](const QString& change) {
        return state.m == 0 ? u"at position 0"_s : u"change from position 0: %1"_s.arg(change);
    };
    const QString outputTitle = state.rotatesValues ? u"output, values rotated"_s : u"output"_s;
    const SentenceMap maps[] = {
        {u"q·k/√d"_s, changed(logits), u"logit"_s, now.logits, FigureMap::Scale::diverging, logit},
        {u"softmax"_s, changed(weights), u"weight"_s, now.weights, FigureMap::Scale::magnitude, 1},
        {outputTitle, changed(outputs), u"output"_s, now.outputs, FigureMap::Scale::diverging, output, false}};
    for (const SentenceMap& each : maps) figure.panels.push_back(panelOf(each, tokens, positions));
    figure.panelColumns = 3;
    figure.note = u"first token at position %1"_s.arg(groupedText(state.m));
    figure.summary =
        u"Logits, attention weights and outputs of %1 tokens from position %2 on%3. From position 0, the weights have "
        "changed by %4, and the outputs, relative to their norm, by %5."_s.arg(tokens.size())
            .arg(groupedText(state.m))
            .arg(state.rotatesValues ? u", with values that are rotated as well"_s : QString())
            .arg(weights, outputs);
    return figure;
}

Figure sentencePanels(Figure figure) {
    if (figure.panels.empty()) figure.panels = {figure};
    if (figure.panels.front().panels.empty()) return figure;
    std::vector<Figure> all;
    const QString letters[] = {u"A"_s, u"B"_s};
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
        Figure& first = figure.panels[i].panels.front();  // its note says what the letter stands for
        first.note += (first.note.isEmpty() ? QString() : u"; "_s) + figure.panels[i].panelTitle;
        for (Figure& panel : figure.panels[i].panels) {
            panel.panelTitle = u"%1: %2"_s.arg(letters[i], panel.panelTitle);
            all.push_back(std::move(panel));
        }
    }
    figure.panelColumns = figure.panels.front().panelColumns;
    figure.panels = std::move(all);
    return figure;
}

}  // namespace ropelab::ui
