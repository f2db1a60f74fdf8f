#include "core/study/extrapolation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/random_stream.h"
#include "core/data/json_text.h"
#include "core/rope/encodings.h"
#include "core/rope/frequencies.h"
#include "core/run/device_choice.h"
#include "core/run/probing.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

namespace {

constexpr std::uint64_t rounds = 6;
constexpr std::uint64_t mutations = 3;  // per round
constexpr std::uint64_t crossings = 1;  // per round
constexpr std::size_t parents = 3;
constexpr double mutation_probability = 0.3;  // of each divisor
constexpr std::int64_t search_tokens = 4096;  // about as many tokens are evaluated per list
constexpr std::int64_t most_search_sequences = 4;

// The search begins with their frequencies.
std::vector<ScalingMethod> first_methods(const ModelPlan& plan) {
    std::vector<ScalingMethod> methods = {ScalingMethod::linear, ScalingMethod::ntk, ScalingMethod::yarn};
    if (!plan.rotary()->settings.listed.empty()) std::erase_if(methods, changes_theta);
    return methods;
}

// They equal the scaling method without its attention factor.
std::vector<double> divisors_of(const ModelPlan& plan, ScalingMethod method, std::int64_t factor) {
    FrequencySettings settings = plan.rotary()->settings;
    settings.scaling = {};
    const std::vector<double> plain = frequencies(settings).inverse_frequencies;
    settings.scaling = {.method = method, .factor = static_cast<double>(factor)};
    const std::vector<double> scaled = frequencies(settings).inverse_frequencies;
    std::vector<double> divisors;
    for (std::size_t pair = 0; pair < plain.size(); ++pair) {
        if (plain[pair] <= 0) continue;
        const double least = divisors.empty() ? 1.0 : divisors.back();
        divisors.push_back(std::clamp(plain[pair] / scaled[pair], least, static_cast<double>(factor)));
    }
    return divisors;
}

ProbeRequest search_request(const TokenText& text, std::int64_t length) {
    const std::int64_t last_start = static_cast<std::int64_t>(text.size()) - length - 1;
    if (last_start < 0) {
        throw BadInput("The training split has " + std::to_string(text.size()) +
                       " tokens, but the search of LongRoPE's factors needs at least " + std::to_string(length + 1) +
                       "; leave out longrope, or give its factors.");
    }
    ProbeRequest request;
    request.vectors = false;
    request.attention = false;
    request.sequences.length = length;
    const std::int64_t count = std::clamp<std::int64_t>(search_tokens / length, 1, most_search_sequences);
    for (std::int64_t sequence = 0; sequence < count; ++sequence) {
        std::vector<std::int32_t> tokens(static_cast<std::size_t>(length + 1));
        text.copy(count > 1 ? last_start * sequence / (count - 1) : 0, length + 1, tokens.data());
        request.sequences.tokens.insert(request.sequences.tokens.end(), tokens.begin(), tokens.end() - 1);
        request.sequences.targets.insert(request.sequences.targets.end(), tokens.begin() + 1, tokens.end());
    }
    return request;
}

// With a probability, a divisor becomes a random number between its neighbours.
std::vector<double> mutated(std::vector<double> divisors, double largest, const RandomStream& stream,
                            std::uint64_t number) {
    const std::size_t count = divisors.size();
    bool is_changed = false;
    for (std::size_t i = 0; i < count; ++i) {
        // If no other divisor changes, the last one does.
        const bool is_last_chance = !is_changed && i + 1 == count;
        if (stream.uniform(number, 2 * i) > mutation_probability && !is_last_chance) continue;
        const double least = i == 0 ? 1.0 : divisors[i - 1];
        const double most = i + 1 == count ? largest : divisors[i + 1];
        divisors[i] = least + (most - least) * stream.uniform(number, 2 * i + 1);
        is_changed = true;
    }
    return divisors;
}

// Each divisor comes from one of two parents, but is at least the divisor before it.
std::vector<double> crossed(const std::vector<double>& a, const std::vector<double>& b, const RandomStream& stream,
                            std::uint64_t number) {
    std::vector<double> divisors;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double chosen = stream.below(2, number, i) == 0 ? a[i] : b[i];
        divisors.push_back(divisors.empty() ? chosen : std::max(chosen, divisors.back()));
    }
    return divisors;
}

constexpr std::int64_t extrapolation_tokens = 16384;  // enough to average the loss at the end of long sequences

void check_length(const ModelPlan& plan, std::int64_t factor) {
    const std::int64_t context = plan.sizes.T;
    if (plan.embedding.positions == Embedding::Positions::learned) {
        throw BadInput("This model learned a position embedding for each of its " + std::to_string(context) +
                       " positions, so it cannot be evaluated beyond them; choose one without learned positions.");
    }
    if (factor < 1) {
        throw BadInput("The length is " + std::to_string(factor) +
                       " times the model's context, but it must be 1 time or more, such as 2, 4 or 8 times.");
    }
    if (const std::int64_t most = longest_extrapolation / context; factor > most) {
        throw BadInput("The length is " + std::to_string(factor) + " times the model's context of " +
                       std::to_string(context) + ", but it must be at most " + std::to_string(most) +
                       " times, so a sequence has at most " + std::to_string(longest_extrapolation) + " tokens.");
    }
    if (const std::int64_t length = factor * context; !is_defined_at(plan, length)) {
        throw BadInput("A sequence of " + std::to_string(length) +
                       " tokens is too long for xPos, the position encoding of this run, because the decay of xPos "
                       "would leave the range of float32; choose a smaller multiple of the context.");
    }
}

void check_scaling(const ModelPlan& plan, ScalingMethod method) {
    const std::vector<ScalingMethod> applicable = extrapolation_methods_of(plan);
    if (std::find(applicable.begin(), applicable.end(), method) != applicable.end()) return;
    const std::string scaling = "The scaling " + std::string(word_of(method));
    if (!plan.rotary())
        throw BadInput("This model has no RoPE, so its frequencies cannot be scaled; choose the scaling none.");
    if (plan.theta_varies()) {
        throw BadInput(scaling +
                       " requires a constant theta, but this run changed theta during training; choose the scaling "
                       "none.");
    }
    if (applicable.size() == 1)
        throw BadInput(scaling + " has no effect, because this model rotates no pair; choose the scaling none.");
    throw BadInput(
        scaling +
        " depends on theta, but the frequencies of this model are listed; choose none, linear, ntk-by-parts, "
        "llama3 or longrope.");
}

ProbeRequest request_of(const Corpus& corpus, std::int64_t length, std::optional<std::int64_t> sequences) {
    ProbeRequest request = loss_request(corpus.validation, length, extrapolation_tokens);
    if (sequences) request.sequences = spaced_sequences(corpus.validation, length, *sequences);
    return request;
}

bool needs_search(ScalingMethod method, std::span<const double> long_factors) {
    return method == ScalingMethod::longrope && long_factors.empty();
}

Scaling scaling_of(const ModelPlan& plan, ScalingMethod method, std::int64_t factor,
                   std::span<const double> long_factors) {
    Scaling scaling = {.method = method, .factor = static_cast<double>(factor)};
    if (method != ScalingMethod::longrope) return scaling;
    scaling.long_factors.assign(long_factors.begin(), long_factors.end());
    // Sequences within the context have the frequencies of the training.
    FrequencySettings settings = plan.rotary()->settings;
    settings.scaling = {};
    const std::vector<double> plain = frequencies(settings).inverse_frequencies;
    const auto pairs = std::ranges::count_if(plain, [](double frequency) { return frequency > 0; });
    scaling.short_factors.assign(static_cast<std::size_t>(pairs), 1.0);
    return scaling;
}

// With searched divisors of longrope if none are given; nullopt if the search was cancelled.
std::optional<Scaling> searched_scaling(Model& model, const Corpus& corpus, const ModelPlan& plan, ScalingMethod method,
                                        std::int64_t factor, std::span<const double> long_factors,
                                        const std::function<bool()>& cancelled) {
    if (!needs_search(method, long_factors)) return scaling_of(plan, method, factor, long_factors);
    const auto found = search_longrope(model, plan, corpus.training_text(), factor, cancelled);
    if (!found) return std::nullopt;
    return scaling_of(plan, method, factor, found->factors);
}

// nullopt if it was cancelled, because the result is then incomplete.
std::optional<ExtrapolationEvaluation> evaluate(Model& model, ProbeRequest& request, const Scaling& scaling) {
    request.scaling = scaling;
    ExtrapolationEvaluation evaluation{.method = scaling.method,
                                       .result = std::make_shared<const ProbeResult>(model.probe(request)),
                                       .long_factors = scaling.long_factors};
    if (request.cancelled && request.cancelled()) return std::nullopt;
    return evaluation;
}

}  // namespace

std::optional<LongRopeSearch> search_longrope(Model& model, const ModelPlan& plan, const TokenText& training,
                                              std::int64_t factor, const std::function<bool()>& cancelled) {
    ProbeRequest request = search_request(training, plan.sizes.T * factor);
    request.cancelled = cancelled;
    const auto is_cancelled = [&] { return cancelled && cancelled(); };
    std::vector<LongRopeSearch> lists;
    // Keeps all lists in the order of their losses. Returns false if cancelled.
    const auto add = [&](std::vector<double> divisors) {
        request.scaling = {.method = ScalingMethod::longrope, .factor = static_cast<double>(factor)};
        request.scaling.short_factors.assign(divisors.size(), 1.0);
        request.scaling.long_factors = divisors;
        const double measured = model.probe(request).loss;
        if (is_cancelled()) return false;
        const double loss = std::isfinite(measured) ? measured : std::numeric_limits<double>::infinity();
        const auto place = std::ranges::upper_bound(lists, loss, {}, &LongRopeSearch::loss);
        lists.insert(place, {std::move(divisors), loss});
        return true;
    };
    for (const ScalingMethod method : first_methods(plan)) {
        if (!add(divisors_of(plan, method, factor))) return std::nullopt;
    }
    const bool can_change = factor > 1 && !lists.front().factors.empty();
    const RandomStream choices(1, "longrope parents");
    const RandomStream changes(1, "longrope changes");
    std::uint64_t number = 0;
    for (std::uint64_t round = 0; can_change && round < rounds; ++round) {
        lists.resize(std::min(lists.size(), parents));
        const std::vector<LongRopeSearch> chosen = lists;
        for (std::uint64_t i = 0; i < mutations + crossings; ++i, ++number) {
            const std::vector<double>& first = chosen[choices.below(chosen.size(), number, 0)].factors;
            const std::vector<double>& second = chosen[choices.below(chosen.size(), number, 1)].factors;
            if (!add(i < mutations ? mutated(first, static_cast<double>(factor), changes, number)
                                   : crossed(first, second, changes, number))) {
                return std::nullopt;
            }
        }
    }
    return lists.front();
}

std::span<const ScalingMethod> extrapolation_methods() {
    static constexpr std::array methods = {ScalingMethod::none,    ScalingMethod::linear,       ScalingMethod::ntk,
                                           ScalingMethod::dynamic, ScalingMethod::ntk_by_parts, ScalingMethod::yarn,
                                           ScalingMethod::llama3,  ScalingMethod::longrope};
    return methods;
}

std::vector<ScalingMethod> extrapolation_methods_of(const ModelPlan& plan) {
    const Rotary* rotary = plan.rotary();
    const bool rotates =
        rotary && std::ranges::any_of(rotary->pairs, [](const RotaryPair& pair) { return pair.rotates; });
    if (!rotates || plan.theta_varies()) return {ScalingMethod::none};
    std::vector<ScalingMethod> methods(extrapolation_methods().begin(), extrapolation_methods().end());
    if (!rotary->settings.listed.empty()) std::erase_if(methods, changes_theta);
    return methods;
}

bool is_defined_at(const ModelPlan& plan, std::int64_t length) {
    if (plan.embedding.positions == Embedding::Positions::learned) return length <= plan.sizes.T;
    const Rotary* rotary = plan.rotary();
    return !rotary || rotary->kind != Rotary::Kind::decaying || fits_xpos(length, rotary->scale_base);
}

double learning_rate_of(const FineTuning& tuning, const RunSpec& spec) {
    return tuning.learning_rate == 0 ? spec.learning_rate / 10 : tuning.learning_rate;
}

// A batch has no more tokens than before.
static RunSpec tuned_spec(const RunSpec& run, const FineTuning& tuning) {
    RunSpec spec = run;
    spec.context *= tuning.factor;
    spec.batch = std::max<std::int64_t>(1, spec.batch / tuning.factor);
    if (spec.micro_batch > 0) {
        spec.micro_batch = std::gcd(spec.batch, std::max<std::int64_t>(1, spec.micro_batch / tuning.factor));
    }
    spec.learning_rate = spec.final_learning_rate = learning_rate_of(tuning, run);
    return spec;
}

static void require_run(const Checkpoint& checkpoint) {
    if (checkpoint.external)
        throw BadInput("A model that was opened from files cannot be fine-tuned here; choose a run of a lab.");
}

void check_fine_tuning(const RunSpec& spec, const FineTuning& tuning) {
    const ModelPlan plan = plan_of(spec, 1);
    check_length(plan, tuning.factor);
    if (spec.theta_varies()) {
        throw BadInput(
            "The theta of this run changed during training (it is trained or scheduled), but fine-tuning requires a "
            "fixed theta; choose a run with theta_training = fixed and theta_schedule = constant.");
    }
    check_scaling(plan, tuning.method);
    if (tuning.steps < 0) {
        throw BadInput("The number of fine-tuning steps is " + std::to_string(tuning.steps) +
                       ", but it must be 0 or more.");
    }
    const double learning_rate = learning_rate_of(tuning, spec);
    if (!(learning_rate > 0) || !std::isfinite(learning_rate)) {
        throw BadInput("The learning rate of fine-tuning is " + number_text(learning_rate) +
                       ", but it must be above 0 and finite.");
    }
}

ExtrapolationResult evaluate_extrapolation(Engine& engine, const Checkpoint& checkpoint, std::int64_t factor,
                                           std::span<const ScalingMethod> methods,
                                           const std::filesystem::path& data_dir,
                                           const std::function<bool()>& cancelled,
                                           std::optional<std::int64_t> sequences,
                                           std::span<const double> long_factors) {
    const ModelPlan plan = plan_of(checkpoint);
    check_length(plan, factor);
    for (const ScalingMethod method : methods) check_scaling(plan, method);
    const auto corpus = corpus_of(checkpoint, data_dir);
    const std::int64_t length = factor * plan.sizes.T;
    ProbeRequest request = request_of(*corpus, length, sequences);
    request.cancelled = cancelled;
    const auto model = model_for(engine, checkpoint, length);
    ExtrapolationResult result{factor, checkpoint.iteration, {}};
    for (const ScalingMethod method : methods) {
        const auto scaling = searched_scaling(*model, *corpus, plan, method, factor, long_factors, cancelled);
        if (!scaling) break;
        auto evaluation = evaluate(*model, request, *scaling);
        if (!evaluation) break;
        result.evaluations.push_back(std::move(*evaluation));
    }
    return result;
}

std::optional<Checkpoint> trained_further(Engine& engine, const Checkpoint& checkpoint, const RunSpec& settings,
                                          std::int64_t steps, const Scaling& scaling,
                                          const std::filesystem::path& data_dir,
                                          const std::function<bool(std::int64_t done)>& should_continue) {
    const auto corpus = corpus_of(checkpoint, data_dir);
    RunSpec spec = settings;
    spec.iterations = checkpoint.iteration + steps;
    spec.warmup = 0;
    spec.decay_iterations = 0;

    CohortStart start;
    start.runs = {spec};
    start.iteration = checkpoint.iteration;
    start.states = {checkpoint.state};
    start.conditions = checkpoint.conditions;
    const DeviceCheckSettings check{.cancelled = [&] { return !should_continue(0); }};
    if (!engine.info().cuda || choose_device_trust(engine, spec, start.conditions, check).leaves_device) {
        start.conditions->device = "cpu";
        start.conditions->graphs.clear();
    }
    start.plans = {plan_of(spec, corpus->token_data().vocabulary).changed(scaling, spec.context)};
    const auto cohort = engine.create_cohort(start, corpus->token_data());
    for (std::int64_t done = 0; done < steps; ++done) {
        if (!should_continue(done)) return std::nullopt;
        const StepResult step = cohort->step().front();
        if (std::isfinite(step.training_loss) && std::isfinite(step.gradient_norm)) continue;
        throw BadInput("The loss is no longer a finite number after " + std::to_string(done + 1) +
                       " steps of fine-tuning; a learning rate below " + number_text(step.learning_rate) +
                       " usually helps.");
    }
    if (!should_continue(steps)) return std::nullopt;
    Checkpoint result = checkpoint;
    result.iteration = cohort->iteration();
    result.state = cohort->state(0);
    return result;
}

std::optional<Checkpoint> fine_tuned(Engine& engine, const Checkpoint& checkpoint, const FineTuning& tuning,
                                     const std::filesystem::path& data_dir,
                                     const std::function<bool(std::int64_t done)>& should_continue) {
    require_run(checkpoint);
    check_fine_tuning(checkpoint.spec, tuning);
    const ModelPlan plan = plan_of(checkpoint);
    std::optional<Scaling> scaling = scaling_of(plan, tuning.method, tuning.factor, tuning.long_factors);
    if (needs_search(tuning.method, tuning.long_factors)) {
        scaling = searched_scaling(*model_of(engine, checkpoint), *corpus_of(checkpoint, data_dir), plan, tuning.method,
                                   tuning.factor, {}, [&] { return !should_continue(0); });
    }
    if (!scaling) return std::nullopt;
    scaling->original_context = static_cast<double>(checkpoint.spec.context);
    return trained_further(engine, checkpoint, tuned_spec(checkpoint.spec, tuning), tuning.steps, *scaling, data_dir,
                           should_continue);
}

ExtrapolationResult fine_tune_extrapolation(Engine& engine, const Checkpoint& checkpoint, const FineTuning& tuning,
                                            const std::filesystem::path& data_dir,
                                            const std::function<bool(std::int64_t done)>& should_continue,
                                            std::optional<std::int64_t> sequences) {
    require_run(checkpoint);
    check_fine_tuning(checkpoint.spec, tuning);
    ExtrapolationResult result{tuning.factor, checkpoint.iteration, {}};
    const auto corpus = corpus_of(checkpoint, data_dir);
    ProbeRequest request = request_of(*corpus, checkpoint.spec.context * tuning.factor, sequences);
    std::int64_t done = 0;
    request.cancelled = [&] { return !should_continue(done); };
    auto model = model_of(engine, checkpoint);
    const auto scaling = searched_scaling(*model, *corpus, plan_of(checkpoint), tuning.method, tuning.factor,
                                          tuning.long_factors, request.cancelled);
    if (!scaling) return result;
    auto before = evaluate(*model, request, *scaling);
    if (!before) return result;
    model.reset();
    result.evaluations.push_back(std::move(*before));
    FineTuning with_factors = tuning;
    with_factors.long_factors = scaling->long_factors;
    const auto tuned = fine_tuned(engine, checkpoint, with_factors, data_dir, [&](std::int64_t steps) {
        done = steps;
        return should_continue(steps);
    });
    if (!tuned) return result;
    auto after = evaluate(*model_of(engine, *tuned), request, *scaling);
    if (!after) return result;
    after->fine_tuning = tuning;
    result.evaluations.push_back(std::move(*after));
    return result;
}

std::vector<RunSpec> tuned_specs(const RunSpec& spec, const ExtrapolationPlan& plan) {
    std::vector<RunSpec> specs;
    for (const ScalingMethod method : plan.methods) {
        RunSpec& tuned = specs.emplace_back(tuned_spec(spec, plan.tuning(method)));
        tuned.iterations = tuned.evaluate_every = plan.steps;
        tuned.warmup = 0;
    }
    return specs;
}

static constexpr const char* extrapolation_kind = "extrapolation";

static void store_extrapolation(LabFile& lab, RunId run, const ExtrapolationResult& result, const RunSpec& spec) {
    const auto json_of = [&](const ExtrapolationEvaluation& each) -> nlohmann::json {
        const std::int64_t steps = each.fine_tuning ? each.fine_tuning->steps : 0;
        const SplitLoss split = split_loss(*each.result, spec.context);
        const std::string setting = std::string(word_of(each.method)) + "_" + std::to_string(steps);
        lab.set_measurement(run, "loss_inside_" + setting, split.inside);
        lab.set_measurement(run, "loss_beyond_" + setting, split.beyond);
        return {{"scaling", word_of(each.method)},
                {"steps", steps},
                {"sequences", each.result->sequences},
                {"loss", each.result->loss},
                {"loss_by_position", each.result->loss_by_position}};
    };
    lab.in_one_transaction([&] {
        const nlohmann::json json = {{"factor", result.factor},
                                     {"iteration", result.iteration},
                                     {"evaluations", json_list(result.evaluations, json_of)}};
        lab.add_later_result(run, extrapolation_kind, json.dump());
    });
}

bool extrapolate_runs(Engine& engine, const std::filesystem::path& lab, const ExtrapolationPlan& plan,
                      const std::filesystem::path& data_dir, const std::function<bool(double done)>& should_continue) {
    const auto file = LabFile::open(lab);
    const std::vector<RunRecord> runs = file->runs();
    const auto parts = static_cast<double>(runs.size() * plan.methods.size());
    double finished = 0;
    for (const RunRecord& run : runs) {
        const auto checkpoint = read_checkpoint(run_checkpoint(*file, run));
        if (!checkpoint) throw BadInput("The run " + run.name + " has no checkpoint, so it cannot be fine-tuned.");
        for (const ScalingMethod method : plan.methods) {
            const auto resume = [&](std::int64_t done) {
                return should_continue((finished + static_cast<double>(done) / static_cast<double>(plan.steps)) /
                                       parts);
            };
            const auto result = fine_tune_extrapolation(engine, *checkpoint, plan.tuning(method), data_dir, resume);
            if (result.evaluations.size() < 2) return false;
            store_extrapolation(*file, run.id, result, checkpoint->spec);
            ++finished;
        }
    }
    return true;
}

std::vector<ExtrapolationResult> stored_extrapolations(const LabFile& lab, RunId run) {
    std::vector<ExtrapolationResult> results;
    for (const LaterResult& stored : lab.later_results(extrapolation_kind)) {
        if (stored.run != run) continue;
        try {
            const nlohmann::json json = parse_bounded(stored.text);
            ExtrapolationResult& result = results.emplace_back();
            result.factor = json.at("factor").get<std::int64_t>();
            result.iteration = json.at("iteration").get<std::int64_t>();
            for (std::size_t i = 0; i < 2; ++i) {
                const nlohmann::json& each = json.at("evaluations").at(i);
                auto losses = std::make_shared<ProbeResult>();
                losses->sequences = each.at("sequences").get<std::int64_t>();
                losses->loss = number_or_nan(each.at("loss"));
                for (const nlohmann::json& loss : each.at("loss_by_position")) {
                    losses->loss_by_position.push_back(number_or_nan(loss));
                }
                losses->length = std::ssize(losses->loss_by_position);
                const ScalingMethod method = parse_scaling(each.at("scaling").get<std::string>());
                ExtrapolationEvaluation& evaluation = result.evaluations.emplace_back(method, std::move(losses));
                const auto steps = each.at("steps").get<std::int64_t>();
                if (i == 1) evaluation.fine_tuning = {.method = method, .factor = result.factor, .steps = steps};
            }
        } catch (const nlohmann::json::exception&) {
            throw BadInput("The losses beyond the context that the lab file " + lab.path().string() +
                           " stores for run " + std::to_string(run) + " are damaged.");
        }
    }
    return results;
}

SplitLoss split_loss(const ProbeResult& result, std::int64_t context) {
    const auto mean = [&](std::size_t first, std::size_t last) {
        double sum = 0;
        double count = 0;
        for (std::size_t i = first; i < last; ++i) {
            if (!std::isfinite(result.loss_by_position[i])) continue;
            sum += result.loss_by_position[i];
            ++count;
        }
        return sum / count;  // NaN if count is 0
    };
    const std::size_t end = result.loss_by_position.size();
    const std::size_t edge = std::min(end, static_cast<std::size_t>(context));
    return {mean(0, edge), mean(edge, end)};
}

}  // namespace ropelab
