#include "ui/rooms/inspect/probe_work.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/data/utf8.h"
#include "core/run/checkpoint.h"
#include "ui/common/format.h"
#include "ui/common/text.h"
#include "ui/figures/job_fields.h"
#include "ui/session/engine_work.h"
#include "ui/session/lab_origin.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kLargestNumber = 1e15;
constexpr std::array kRows = {"layers", "heads", "all-heads", "sorted"};
constexpr std::array kAlong = {"pair", "wavelength"};

/// An object with the members "how" and "pairs".
void visitAblation(JobFields& fields, Ablation& ablation) {
    const char* const key = "ablation";
    if (fields.isWriting())
        return fields.put(key, {{"how", std::string(word_of(ablation.kind))}, {"pairs", ablation.pairs}});
    const nlohmann::json* found = fields.find(key);
    if (!found) return;
    if (!found->is_object()) fields.refuse(key, "an object with the members \"how\" and \"pairs\"");
    JobFields inner(found->dump(), "A replay's ablation");
    QString how = u"freeze"_s;
    inner.text("how", how);
    ablation.kind = parse_ablation_kind(how.toStdString(), "A replay's how");
    std::vector<double> pairs;
    inner.numbers("pairs", pairs);
    for (const double pair : pairs) {
        if (!(pair >= 0 && pair < 1e6 && pair == std::floor(pair))) inner.refuse("pairs", "a list of whole numbers");
        ablation.pairs.push_back(static_cast<std::int64_t>(pair));
    }
    inner.end();
}

constexpr std::int64_t kLeastBlock = 16;  // tokens per block of the interval, if the context is shorter

std::vector<std::int32_t> firstTokens(const TokenText& text, std::int64_t most) {
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(std::min<std::int64_t>(most, std::ssize(text))));
    text.copy(0, std::ssize(tokens), tokens.data());
    return tokens;
}

}  // namespace

TextStatistics textStatistics(const InsideRun& run, const std::filesystem::path& dataDir, const Cancelled& cancelled) {
    const auto corpus = run.isOpened() ? run.checkpoint.external->corpus : open_corpus(run.spec, dataDir);
    const TokenText training = corpus->training_text();
    const std::vector<std::int32_t> tokens = firstTokens(training, kMaxCountedTokens);
    const int vocabulary = corpus->vocabulary.size();
    TextStatistics result;
    result.name = QString::fromStdString(corpus->name);
    result.vocabulary = corpus->vocabulary.to_text();
    result.tokens = std::ssize(tokens);
    result.isWhole = tokens.size() == training.size();
    result.counts = token_counts(tokens, vocabulary);
    result.rankedTokens = ranked_counts(result.counts);
    result.rankedWords = word_counts(corpus->vocabulary.decode(tokens));
    result.tokenFit = fit_zipf(result.rankedTokens);
    result.wordFit = fit_zipf(result.rankedWords);
    // At a tenth of the length, the longest distance still has most of its token pairs.
    const auto distances = spaced_distances(std::min(kMaxInformationDistance, result.tokens / 10));
    result.information = mutual_information(tokens, vocabulary, distances, cancelled);
    result.shuffled = shuffled_information(tokens, vocabulary, distances, 1, cancelled);
    result.excerpt = firstTokens(corpus->validation, kExcerptTokens);
    return result;
}

PaintedText paintedText(Engine& engine, const InsideRun& run, const QString& text, const std::filesystem::path& dataDir,
                        const Cancelled& cancelled) {
    const Checkpoint checkpoint = checkpointOf(run);
    const Vocabulary vocabulary = Vocabulary::from_text(checkpoint.vocabulary);
    PaintedText result;
    result.iteration = checkpoint.iteration;
    result.vocabulary = checkpoint.vocabulary;
    if (text.isEmpty()) {
        result.tokens = firstTokens(corpus_of(checkpoint, dataDir)->validation, kExcerptTokens);
        result.source = u"first %1 of the validation split"_s.arg(countText(std::ssize(result.tokens), u"token"_s));
    } else {
        result.tokens = vocabulary.encode(text.toStdString());
        if (std::ssize(result.tokens) > kExcerptTokens) result.tokens.resize(kExcerptTokens);
        result.source = u"typed text"_s;
    }
    const auto model = model_of(engine, checkpoint);
    result.bits = text_bits(*model, evaluated_length(checkpoint), vocabulary.size(), result.tokens,
                            [&cancelled](std::int64_t) { return !cancelled(); });
    if (result.bits.bits.size() < result.tokens.size()) return result;  // cancelled
    std::vector<std::int64_t> bytes;
    std::vector<std::int64_t> characters;
    for (const std::int32_t token : result.tokens) {
        const std::string own = vocabulary.bytes_of(token);
        bytes.push_back(std::ssize(own));
        // The first byte of each character in UTF-8.
        characters.push_back(std::count_if(own.begin(), own.end(),
                                           [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
    }
    const std::int64_t block = std::max(evaluated_length(checkpoint), kLeastBlock);
    result.perByte = bits_per_unit(result.bits.bits, bytes, block);
    if (!first_invalid_utf8(vocabulary.decode(result.tokens))) {
        result.perCharacter = bits_per_unit(result.bits.bits, characters, block);
    }
    result.totalBits = std::accumulate(result.bits.bits.begin(), result.bits.bits.end(), 0.0);
    result.bytes = std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
    return result;
}

Checkpoint checkpointOf(const InsideRun& run) {
    return readCheckpoint(run.checkpoint);
}

ProbeRequest textRequest(const InsideRun& run, const QString& text, std::optional<int> pair) {
    if (run.vocabulary.empty())
        throw BadInput(
            "This run has not started, so it has no vocabulary yet. Choose a run "
            "that has started.");
    std::vector<std::int32_t> tokens = Vocabulary::from_text(run.vocabulary).encode(text.toStdString());
    const bool ends = run.plan.embedding.positions == Embedding::Positions::learned;
    const std::int64_t most = ends ? std::min(kMaxTextTokens, run.spec.context) : kMaxTextTokens;
    if (std::ssize(tokens) > most) tokens.resize(static_cast<std::size_t>(most));
    if (tokens.size() < 2)
        throw BadInput(
            "The text has fewer than two tokens; type more text, so that a token can attend to an earlier one.");
    ProbeRequest request;
    request.sequences = sequence_of(tokens);
    request.map_size = request.sequences.length;
    if (pair && *pair < run.pairs()) request.map_pair = *pair;
    return request;
}

QString whyNoFineTuning(const InsideRun& run, const FineTuning& how) {
    if (run.isOpened())
        return u"A model that was opened from files cannot be fine-tuned here; choose a run of a lab."_s;
    if (const QString why = problemOf([&] { check_fine_tuning(run.spec, how); }); !why.isEmpty()) return why;
    std::error_code unreadable;
    return std::filesystem::exists(run.checkpoint.path, unreadable) ? QString() : text(whyNoCheckpoint(run.checkpoint));
}

bool isStored(const InspectNeed& need, const InspectData& data) {
    return (&need == &need::beyond && data.beyond) || (&need == &need::fineTuning && !data.fineTunings.empty());
}

void computeNeed(InspectData& data, const InspectNeed* need, const ModelInputs& inputs,
                 const Runner::EngineSource& engine, const std::filesystem::path& dataDir, const Cancelled& cancelled) {
    if (data.run->isOpened() && data.run->snapshots.empty())
        need::opened.compute({&engine(), dataDir, cancelled}, *data.run, inputs)(data);
    if (!need || !need->isAsked(inputs) || isStored(*need, data)) return;
    if (need->asked) need->asked(data, inputs);
    const InspectWork work{need->usesEngine ? &engine() : nullptr, dataDir, cancelled};
    need->compute(work, *data.run, inputs)(data);
}

void visitFields(JobFields& fields, InspectRequest& request) {
    fields.whole("run", request.run, 0, kLargestNumber);
    fields.whole("beside", request.beside, 0, kLargestNumber);
    fields.text("model", request.model);
    fields.text("model_text", request.modelText);
    InspectChoices& choices = request.choices;
    fields.whole("layer", choices.layer, -1, kLargestNumber);
    fields.whole("head", choices.head, kAutomaticHead, kLargestNumber);
    fields.choice("rows", choices.rows, kRows);
    fields.flag("difference", choices.difference);
    fields.choice("along", choices.byWavelength, kAlong);
    fields.flag("lollipops", choices.lollipops);
    fields.index("pair", choices.pair, 1e6);
    fields.whole("query", choices.query, -1, 1e6);
    fields.whole("lag", choices.lag, 0, 1e6);
    ModelInputs& inputs = request.modelInputs;
    fields.text("text", inputs.text);
    visitAblation(fields, inputs.ablation);
    fields.texts("options", request.flags);
    fields.whole("factor", inputs.factor, 1, 64);
}

void checkExists(const std::string& what, const char* choice, std::int64_t chosen, std::int64_t count) {
    if (chosen < count) return;
    throw BadInput(what + choice + " is " + std::to_string(chosen) + ", but this run's " + choice + "s are 0 to " +
                   std::to_string(count - 1) + ".");
}

void fillStored(InspectData& data) {
    if (!data.run) return;
    for (const ExtrapolationResult& stored : data.run->extrapolations) {
        data.fineTunings.push_back(stored);
        if (stored.factor != data.fineTuning.factor) continue;
        if (!data.beyond) data.beyond = ExtrapolationResult{stored.factor, stored.iteration, {}};
        data.beyond->evaluations.push_back(stored.evaluations.front());
    }
}

InspectData dataOf(const LabFile* lab, const InspectRequest& request, const std::filesystem::path& dataDir,
                   const std::string& what) {
    InspectData data;
    if (!lab && request.model.isEmpty()) throw BadInput("The lab contains no runs to inspect.");
    data.run = std::make_shared<const InsideRun>(request.model.isEmpty()
                                                     ? readInsideRunOrFirst(*lab, request.run)
                                                     : openModel(request.model, request.modelText, dataDir));
    if (request.beside != 0 && lab) data.ghost = std::make_shared<const InsideRun>(readInsideRun(*lab, request.beside));
    data.choices = request.choices;
    data.flags = request.flags;
    data.fineTuning.factor = request.modelInputs.factor;
    fillStored(data);
    checkExists(what, "layer", data.choices.layer, data.run->spec.layers);
    checkExists(what, "head", data.choices.head, data.run->spec.heads);
    return data;
}

FigureOrigin inspectOrigin(const LabFile* lab, const InspectData& data) {
    if (data.run->isOpened()) {
        QJsonObject flags{{u"model"_s, QString::fromStdString(data.run->checkpoint.path.string())}};
        if (!data.run->spec.data.empty()) flags[u"text-file"_s] = QString::fromStdString(data.run->spec.data);
        return {.flags = flags};
    }
    if (!lab) return {};
    QJsonObject flags{{u"run"_s, QString::number(data.run->id)}};
    std::vector<RunId> runs = {data.run->id};
    if (data.ghost) {
        flags[u"beside"_s] = QString::number(data.ghost->id);
        runs.push_back(data.ghost->id);
    }
    return {.flags = flags, .lab = labOrigin(*lab, runs)};
}

Figure inspectFigureOf(const LabFile* lab, const Runner::EngineSource& engine, const std::filesystem::path& dataDir,
                       const InspectFigure& figure, const InspectRequest& request) {
    InspectData data = dataOf(lab, request, dataDir, "--");
    data.iteration = request.iteration < 0 ? std::numeric_limits<std::int64_t>::max() : request.iteration;
    ModelInputs inputs = request.modelInputs;
    inputs.pair = data.choices.pair;
    computeNeed(data, figure.need, inputs, engine, dataDir, [] { return false; });
    Figure result = inspectPicture(figure, data).figure;
    if (isEmpty(result)) throw BadInput(result.emptyText.toStdString());
    result.origin = inspectOrigin(lab, data);
    return result;
}

namespace need {
namespace {

QString keyOfAblation(const InsideRun&, const ModelInputs& inputs) {
    QString key = QString::number(static_cast<int>(inputs.ablation.kind));
    for (const std::int64_t pair : inputs.ablation.pairs) key += u" %1"_s.arg(pair);
    return key;
}

InspectFill fillText(const InsideRun&, const ModelInputs& inputs, ProbeResult result, std::int64_t iteration,
                     bool whileTraining) {
    const auto shared = std::make_shared<const ProbeResult>(std::move(result));
    return [shared, pair = inputs.pair, iteration, whileTraining](InspectData& data) {
        data.text = shared;
        data.textIteration = iteration;
        data.textPair = pair;
        data.textWhileTraining = whileTraining;
    };
}

InspectFill fillRun(std::shared_ptr<const InsideRun> run) {
    return [run = std::move(run)](InspectData& data) { data.run = run; };
}

/// The last one, then every n-th one before it for ever smaller n, so that curves are first coarse and then fine.
std::vector<const ModelStep*> coarseFirst(const std::vector<ModelStep>& steps) {
    std::vector<const ModelStep*> order;
    for (std::size_t stride = std::bit_ceil(steps.size()); stride > 0; stride /= 2) {
        for (std::size_t back = 0; back < steps.size(); back += stride) {
            const ModelStep* step = &steps[steps.size() - 1 - back];
            if (std::ranges::find(order, step) == order.end()) order.push_back(step);
        }
    }
    return order;
}

/// Stores `value` in the member of InspectData.
template <typename Value, typename Member>
InspectFill fill(Value value, Member InspectData::*member) {
    return [value = std::move(value), member](InspectData& data) { data.*member = value; };
}

}  // namespace

const InspectNeed opened{.compute = [](const InspectWork& work, const InsideRun& run, const ModelInputs&) {
    const Checkpoint checkpoint = checkpointOf(run);
    ProbeRequest request = external_snapshot_request(checkpoint);
    request.cancelled = work.cancelled;
    if (!run.training) {
        const auto measured = std::make_shared<InsideRun>(run);
        measured->addSnapshot(
            {0, std::make_shared<const ProbeResult>(model_of(*work.engine, checkpoint)->probe(request))});
        return fillRun(measured);
    }
    const auto measure = [&](const ModelStep& step) {
        if (step.step == checkpoint.iteration) return model_of(*work.engine, checkpoint)->probe(request);
        const OpenedModel model = open_step(step, run.plan);
        return model.load(*work.engine, model.plan(evaluated_length(checkpoint)))->probe(request);
    };
    const auto measured = [&run] {
        auto copy = std::make_shared<InsideRun>(run);
        copy->snapshots = run.training->measured();
        return copy;
    };
    for (const ModelStep* step : coarseFirst(run.training->steps())) {
        if (measured()->hasSnapshot(step->step)) continue;
        auto result = std::make_shared<const ProbeResult>(compacted(measure(*step)));
        if (work.cancelled()) break;
        run.training->add({step->step, std::move(result)});
        if (work.report) work.report(fillRun(measured()));
    }
    return fillRun(measured());
}};

const InspectNeed text{
    .fields = InspectNeed::textField,
    .wants = [](const ModelInputs& inputs) { return !inputs.text.isEmpty(); },
    .key =
        [](const InsideRun& run, const ModelInputs& inputs) {
            return u"%1|%2|%3"_s.arg(run.lastKnownStep()).arg(inputs.pair.value_or(-1)).arg(inputs.text);
        },
    .compute =
        [](const InspectWork& work, const InsideRun& run, const ModelInputs& inputs) {
            ProbeRequest request = textRequest(run, inputs.text, inputs.pair);
            request.cancelled = work.cancelled;
            const Checkpoint checkpoint = checkpointOf(run);
            return fillText(run, inputs, model_of(*work.engine, checkpoint)->probe(request), checkpoint.iteration,
                            false);
        },
    .asked =
        [](InspectData& data, const ModelInputs& inputs) {
            data.textRequested = true;
            data.requestedPair = inputs.pair;
        },
    .probe = [](const InsideRun& run, const ModelInputs& inputs) { return textRequest(run, inputs.text, inputs.pair); },
    .fillProbe = [](const InsideRun& run, const ModelInputs& inputs, ProbeResult result,
                    std::int64_t iteration) { return fillText(run, inputs, std::move(result), iteration, true); }};

const InspectNeed ablation{
    .fields = InspectNeed::ablationField | InspectNeed::pairsField,
    .key = keyOfAblation,
    .compute = [](const InspectWork& work, const InsideRun& run, const ModelInputs& inputs) {
        return fill(measure_ablation(*work.engine, checkpointOf(run), inputs.ablation, work.dataDir, work.cancelled),
                    &InspectData::ablation);
    }};

const InspectNeed ablationCurve{
    .fields = InspectNeed::ablationField,
    .key = [](const InsideRun&,
              const ModelInputs& inputs) { return QString::number(static_cast<int>(inputs.ablation.kind)); },
    .compute =
        [](const InspectWork& work, const InsideRun& run, const ModelInputs& inputs) {
            return fill(measure_ablation_curve(*work.engine, checkpointOf(run), inputs.ablation.kind, work.dataDir,
                                               work.cancelled),
                        &InspectData::ablationCurve);
        }};

const InspectNeed beyond{
    .fields = InspectNeed::lengthField,
    .key = [](const InsideRun&, const ModelInputs& inputs) { return QString::number(inputs.factor); },
    .compute =
        [](const InspectWork& work, const InsideRun& run, const ModelInputs& inputs) {
            return fill(evaluate_extrapolation(*work.engine, checkpointOf(run), inputs.factor,
                                               extrapolation_methods_of(run.plan), work.dataDir, work.cancelled),
                        &InspectData::beyond);
        }};

const InspectNeed fineTuning{.fields = InspectNeed::lengthField | InspectNeed::fineTuningField,
                             .isOfTraining = false,
                             .compute = [](const InspectWork& work, const InsideRun& run, const ModelInputs& inputs) {
                                 const auto goesOn = [&work](std::int64_t) { return !work.cancelled(); };
                                 return fill(
                                     std::vector{fine_tune_extrapolation(*work.engine, checkpointOf(run),
                                                                         inputs.fineTuning, work.dataDir, goesOn)},
                                     &InspectData::fineTunings);
                             }};

const InspectNeed statistics{
    .usesEngine = false, .compute = [](const InspectWork& work, const InsideRun& run, const ModelInputs&) {
        return fill(std::make_shared<const TextStatistics>(textStatistics(run, work.dataDir, work.cancelled)),
                    &InspectData::statistics);
    }};

const InspectNeed bits{
    .fields = InspectNeed::textField,
    .key = [](const InsideRun& run,
              const ModelInputs& inputs) { return u"%1|%2"_s.arg(run.lastKnownStep()).arg(inputs.text); },
    .compute =
        [](const InspectWork& work, const InsideRun& run, const ModelInputs& inputs) {
            return fill(std::make_shared<const PaintedText>(
                            paintedText(*work.engine, run, inputs.text, work.dataDir, work.cancelled)),
                        &InspectData::painted);
        }};

}  // namespace need
}  // namespace ropelab::ui
