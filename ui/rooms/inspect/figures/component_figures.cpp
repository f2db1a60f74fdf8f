#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/selection.h"
#include "core/data/corpus.h"
#include "core/run/probing.h"
#include "ui/common/format.h"
#include "ui/probes/principal_components.h"
#include "ui/rooms/inspect/figures/figures.h"
#include "ui/rooms/inspect/inspect_figures.h"
#include "ui/rooms/inspect/probe_work.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace option {

constexpr FigureOption vectors{.name = "vectors",
                               .kind = FigureOption::Kind::choice,
                               .help =
                                   "Shows the queries and keys before or after RoPE rotates them: before-rotation or "
                                   "after-rotation.",
                               .valueName = "name",
                               .standard = "before-rotation",
                               .words = "before-rotation|after-rotation"};

}  // namespace option

namespace {

constexpr const char* kHeadComponents = "head-components";
/// As ε of Gu et al. 2024 (arXiv 2410.10781): a key with a larger mean attention weight is an attention sink.
constexpr double kSinkWeight = 0.3;
/// The mean is over the later queries; the last keys have too few of them.
constexpr int kLeastQueries = 8;

/// The vectors of all layers and heads on a text, as attention compares them, but before rotation.
struct HeadVectorsOfText {
    std::int64_t iteration = 0;
    bool isTyped = false;
    std::vector<std::int32_t> tokens;
    ProbeArray attention;                // layers × heads × tokens × tokens
    ProbeArray frequencies;              // as ProbeResult; empty if theta does not vary
    std::vector<ProbeArray> query, key;  // per token: layers × (heads or key heads) × head_dim
};

extern const InspectNeed headVectorsNeed;

/// The start of the validation split, of as many tokens as Gu et al. measure.
QString firstText(const Checkpoint& checkpoint, const std::filesystem::path& dataDir) {
    constexpr std::size_t length = 64;
    const auto corpus = corpus_of(checkpoint, dataDir);
    const std::span<const std::int32_t> tokens(corpus->validation);
    return QString::fromStdString(corpus->vocabulary.decode(tokens.first(std::min(length, tokens.size()))));
}

InspectFill computeVectors(const InspectWork& work, const InsideRun& run, const ModelInputs& inputs) {
    const Checkpoint checkpoint = checkpointOf(run);
    const bool isTyped = !inputs.text.isEmpty();
    const QString text = isTyped ? inputs.text : firstText(checkpoint, work.dataDir);
    ProbeRequest request = textRequest(run, text, {});
    const auto model = model_of(*work.engine, checkpoint);
    request.cancelled = work.cancelled;
    auto result = std::make_shared<HeadVectorsOfText>();
    result->iteration = checkpoint.iteration;
    result->isTyped = isTyped;
    result->tokens = request.sequences.tokens;
    ProbeResult probed = model->probe(request);
    result->attention = std::move(probed.attention);
    result->frequencies = std::move(probed.frequencies);
    // A probe returns the vectors of one position.
    request.map_size = 0;
    request.vectors = request.attention = false;
    for (request.vectors_at = 0; request.vectors_at < request.sequences.length && !work.cancelled();
         ++request.vectors_at) {
        ProbeResult at = model->probe(request);
        result->query.push_back(std::move(at.query_vectors));
        result->key.push_back(std::move(at.key_vectors));
    }
    return [result = std::shared_ptr<const HeadVectorsOfText>(result)](InspectData& data) {
        data.results[&headVectorsNeed] = result;
    };
}

const InspectNeed headVectorsNeed{
    .fields = InspectNeed::textField,
    .key = [](const InsideRun& run,
              const ModelInputs& inputs) { return u"%1|%2"_s.arg(run.lastKnownStep()).arg(inputs.text); },
    .compute = computeVectors};

/// Radians per token, one per pair; 0 for a pair that is not rotated in this layer.
std::vector<double> frequenciesOf(const InsideRun& run, const HeadVectorsOfText& vectors, std::int64_t layer,
                                  std::int64_t head) {
    if (!vectors.frequencies.empty()) return meanRow(vectors.frequencies, layer, head, run.spec.heads);
    ProbeRequest request;
    request.sequences.length = run.spec.context;
    ModelPlan plan = run.plan;
    plan.layers = {plan.layers.at(static_cast<std::size_t>(layer))};
    std::vector<double> frequencies = probed_frequencies(plan, request);
    if (const Rotary* rotary = plan.rotary(); rotary && !rotary->is_applied)
        std::fill(frequencies.begin(), frequencies.end(), 0.0);
    return frequencies;
}

/// The vector of one token, rotated by its position (formula 1) unless there are no frequencies.
std::vector<double> vectorOf(const ProbeArray& array, std::int64_t layer, std::int64_t head, std::size_t position,
                             std::span<const double> frequencies) {
    const auto row = array.row(layer, head);
    std::vector<double> vector(row.begin(), row.end());
    const std::size_t half = vector.size() / 2;
    for (std::size_t pair = 0; pair < frequencies.size() && pair < half; ++pair) {
        const double angle = static_cast<double>(position) * frequencies[pair];
        const double first = vector[pair];
        const double second = vector[pair + half];
        vector[pair] = std::cos(angle) * first - std::sin(angle) * second;
        vector[pair + half] = std::sin(angle) * first + std::cos(angle) * second;
    }
    return vector;
}

/// The mean attention weight that later queries give to each key; NaN for the last keys.
QList<double> receivedWeights(const HeadVectorsOfText& vectors, std::int64_t layer, std::int64_t head) {
    const int count = static_cast<int>(vectors.tokens.size());
    if (vectors.attention.empty()) return QList<double>(count, std::nan(""));
    const auto map = vectors.attention.row(layer, head);
    QList<double> received;
    for (int key = 0; key < count; ++key) {
        double sum = 0;
        for (int query = key + 1; query < count; ++query) {
            sum += static_cast<double>(map[static_cast<std::size_t>(query * count + key)]);
        }
        const int queries = count - 1 - key;
        received.append(queries < kLeastQueries ? std::nan("") : sum / queries);
    }
    return received;
}

/// Points in ascending order of the first component.
FigureCurve cloud(const QString& label, Ink ink, double pointPt, const QList<double>& x, const QList<double>& y) {
    QList<qsizetype> order(x.size());
    std::iota(order.begin(), order.end(), qsizetype{0});
    std::sort(order.begin(), order.end(), [&](qsizetype a, qsizetype b) { return x[a] < x[b]; });
    FigureCurve curve = inspectCurve({}, label, ink, {}, {});
    curve.shape = FigureCurve::Shape::points;
    curve.pointPt = pointPt;
    for (const qsizetype i : order) {
        curve.x.append(x[i]);
        curve.y.append(y[i]);
    }
    return curve;
}

Axis componentAxis(const PrincipalComponents& components, std::size_t i) {
    return {u"principal component %1, %2 % of the variance"_s.arg(i + 1).arg(100 * components.shares[i], 0, 'f', 1),
            {}};
}

QString whyNotRotated(const ModelPlan& plan) {
    if (!plan.rotary()) {
        return u"This run does not rotate queries and keys; show the vectors before rotation."_s;
    }
    if (plan.rotary()->kind != Rotary::Kind::plain) {
        return u"This figure can only rotate queries and keys, but the position encoding of this run also changes them "
               "in another way; show the vectors before rotation."_s;
    }
    return {};
}

InspectPicture headComponents(const InspectData& given) {
    InspectData data = withOneHead(given);
    const auto found = data.results.find(&headVectorsNeed);
    if (!data.run || found == data.results.end()) {
        return withoutAnswer(data, kHeadComponents, u"Computing the queries and keys of a text …"_s);
    }
    const auto vectors = std::any_cast<std::shared_ptr<const HeadVectorsOfText>>(found->second);
    const std::int64_t layer = data.choices.layer = std::max<std::int64_t>(0, layerOf(data));
    const std::int64_t head = data.choices.head = std::max<std::int64_t>(0, headOf(data));
    if (!data.run->hasWeights(layer)) {
        return withoutNumbers(data, kHeadComponents);
    }
    const QString chosen = data.flags[QLatin1String(option::vectors.name)].toString(option::vectors.standard);
    const bool isRotated = chosen == "after-rotation"_L1;
    if (const QString why = whyNotRotated(data.run->plan); isRotated && !why.isEmpty()) {
        return withoutNumbers(data, kHeadComponents, why);
    }
    const std::int64_t keyHead = head * vectors->key.front().shape[1] / data.run->spec.heads;
    const std::vector<double> frequencies =
        isRotated ? frequenciesOf(*data.run, *vectors, layer, head) : std::vector<double>();
    std::vector<double> all;
    std::size_t dimension = 0;
    const std::size_t count = vectors->tokens.size();
    for (const bool isKey : {false, true}) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::vector<double> vector =
                vectorOf(isKey ? vectors->key[i] : vectors->query[i], layer, isKey ? keyHead : head, i, frequencies);
            dimension = vector.size();
            all.insert(all.end(), vector.begin(), vector.end());
        }
    }
    const PrincipalComponents components = principal_components(all, dimension, 2);
    QList<double> places[2][2];  // of queries and keys, along both components
    for (std::size_t i = 0; i < 2 * count; ++i) {
        const std::span<const double> vector(all.data() + i * dimension, dimension);
        for (const std::size_t axis : {0U, 1U}) places[i / count][axis].append(components.place(vector, axis));
    }

    InspectPicture picture{inspectFigure(data, kHeadComponents)};
    Figure& figure = picture.figure;
    figure.settings[u"vectors"_s] = chosen;
    figure.x = componentAxis(components, 0);
    figure.y = componentAxis(components, 1);
    // Points at the ends are not cut off.
    for (const std::size_t axis : {0U, 1U}) {
        const QList<double> both = places[0][axis] + places[1][axis];
        const auto [low, high] = std::minmax_element(both.begin(), both.end());
        const double margin = std::max(0.05 * (*high - *low), 1e-9);
        Axis& shown = axis == 0 ? figure.x : figure.y;
        shown.minimum = *low - margin;
        shown.maximum = *high + margin;
    }
    const QStringList tokens = data.run->tokenTexts(vectors->tokens);
    const QList<double> received = receivedWeights(*vectors, layer, head);
    figure.curves = {cloud(u"queries"_s, {Ink::Kind::query}, 2.6, places[0][0], places[0][1]),
                     cloud(u"keys"_s, {Ink::Kind::key}, 4.4, places[1][0], places[1][1])};
    QStringList sinks;
    for (qsizetype i = 0; i < received.size(); ++i) {
        if (!(received[i] > kSinkWeight)) continue;
        sinks << u"“%1” at %2"_s.arg(tokens[i]).arg(i);
        FigureCurve sink = cloud(u"attention sink"_s, {Ink::Kind::accent}, 8, {places[1][0][i]}, {places[1][1][i]});
        sink.label = u"sink %1"_s.arg(sinks.last());
        figure.curves.push_back(std::move(sink));
    }
    QList<double> positions(received.size());
    std::iota(positions.begin(), positions.end(), 0.0);
    figure.table.words = {{u"token"_s, tokens}};
    figure.table.names = {u"position"_s,           u"query, component 1"_s,
                          u"query, component 2"_s, u"key, component 1"_s,
                          u"key, component 2"_s,   u"mean attention weight from later queries"_s};
    figure.table.columns = {positions, places[0][0], places[0][1], places[1][0], places[1][1], received};
    const QString when = isRotated ? u"after rotation"_s : u"before rotation"_s;
    figure.note = u"%1; %2, %3; small points: queries, large points: keys"_s.arg(data.run->at(vectors->iteration),
                                                                                 whereText(data.choices), when);
    const QString sinkText =
        sinks.isEmpty() ? u"no attention sink"_s : u"attention sinks: %1"_s.arg(sinks.join(u", "_s));
    figure.summary = u"Queries and keys of %1 %2 on %3 of %4: two components have %5 % of the variance; %6."_s
                         .arg(whereText(data.choices), when, countText(static_cast<std::int64_t>(count), u"token"_s),
                              vectors->isTyped ? u"the text that you typed"_s : u"the validation split"_s)
                         .arg(100 * (components.shares[0] + components.shares[1]), 0, 'f', 1)
                         .arg(sinkText);
    return picture;
}

}  // namespace

InspectFigures componentFigures() {
    return {{"head-components",
             InspectGroup::attention,
             u"principal components of queries and keys"_s,
             u"Shows the queries and keys of one head on a text along their first two principal components (of "
             "queries and keys together). Marks show attention sinks: keys to which the later queries give a mean "
             "attention weight above 0.3 (Gu et al. 2024). The axis labels give each component's share of the "
             "variance."_s,
             &headVectorsNeed,
             InspectFigure::Controls::oneHead,
             headComponents,
             {&option::vectors}}};
}

}  // namespace ropelab::ui
