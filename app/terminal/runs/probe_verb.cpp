#include <algorithm>
#include <memory>
#include <optional>

#include "app/terminal/runs/ablation_output.h"
#include "app/terminal/output.h"
#include "app/terminal/runs/probe_evaluations.h"
#include "app/terminal/runs/probe_output.h"
#include "app/terminal/progress.h"
#include "app/terminal/rotary/rotary_flags.h"
#include "app/terminal/verbs.h"
#include "core/data/corpus.h"
#include "core/study/ablation.h"
#include "core/machine/engine_loader.h"
#include "core/experiment/experiment.h"
#include "core/run/probing.h"
#include "core/sweep/stored_run.h"
#include "core/rope/frequencies.h"
#include "core/rope/scaling.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/store/lab_file.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    std::string lab;
    RunId run = 0;
    std::optional<std::int64_t> step;
    std::string text;
    std::string frozen;
    std::string ablated;
    std::string mean_ablated;
    std::string ablations;
    std::optional<std::string> scaling;
    std::optional<double> factor;
    std::string short_factors;
    std::string long_factors;
    std::optional<std::int64_t> context;
    std::optional<std::int64_t> sequences;
    std::optional<std::int64_t> map;
    std::optional<std::int64_t> beyond;
    std::optional<std::int64_t> fine_tune;
    std::optional<double> learning_rate;
    std::optional<std::int64_t> controls;
    std::string data_dir;
    bool json = false;

    bool needs_model() const {
        return !text.empty() || ablates() || scaling || context || sequences || map || !short_factors.empty() ||
               !long_factors.empty();
    }
    bool ablates() const { return !frozen.empty() || !ablated.empty() || !mean_ablated.empty(); }
    /// Returns the ablation that the request contains; nullopt if it contains several kinds, or none.
    std::optional<Ablation> ablation(const ProbeRequest& request) const {
        if (!mean_ablated.empty() && frozen.empty() && ablated.empty())
            return Ablation{Ablation::Kind::mean, request.mean_ablated_pairs};
        if (frozen.empty() == ablated.empty() || !mean_ablated.empty()) return std::nullopt;
        return frozen.empty() ? Ablation{Ablation::Kind::remove, request.ablated_pairs}
                              : Ablation{Ablation::Kind::stop, request.frozen_pairs};
    }
};

RunRecord run_of(const LabFile& lab, const Flags& flags) {
    const auto runs = lab.runs();
    if (runs.empty()) throw BadInput("The lab " + flags.lab + " has no runs.");
    return flags.run == 0 ? runs.front() : lab.run(flags.run);
}

std::string list_of(const std::vector<std::int64_t>& numbers) {
    std::string text;
    for (const std::int64_t number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
}

/// Returns the scaling of the flags for a run and sequences of `length` tokens. Throws BadInput if the flags do not fit
/// together.
Scaling scaling_of(const Flags& flags, const RunSpec& spec, std::int64_t length) {
    Scaling scaling;
    scaling.method = parse_scaling(flags.scaling.value_or("none"));
    scaling.factor =
        flags.factor.value_or(std::max(1.0, static_cast<double>(length) / static_cast<double>(spec.context)));
    const bool has_factors = !flags.short_factors.empty() || !flags.long_factors.empty();
    if (scaling.method != ScalingMethod::longrope) {
        if (has_factors) throw BadInput("--short-factors and --long-factors need --scaling longrope.");
        return scaling;
    }
    if (flags.short_factors.empty() || flags.long_factors.empty()) {
        const int pairs = rotary_dim(spec.rotary_head_dim(), spec.fraction) / 2;
        throw BadInput(
            "--scaling longrope needs --short-factors and --long-factors, each with one divisor per rotated "
            "pair, which is " +
            std::to_string(pairs) + " numbers for this run, such as 1,1.5,2.");
    }
    scaling.short_factors = parse_list(flags.short_factors);
    scaling.long_factors = parse_list(flags.long_factors);
    return scaling;
}

ProbeRequest request_of(const Flags& flags, const Checkpoint& checkpoint) {
    const RunSpec& spec = checkpoint.spec;
    const Vocabulary vocabulary = Vocabulary::from_text(checkpoint.vocabulary);
    ProbeRequest request;
    const std::int64_t length = flags.context.value_or(spec.context);
    if (length < 2) throw BadInput("--context is " + std::to_string(length) + ", but it must be 2 or more.");
    if (!flags.text.empty()) {
        request.sequences = sequence_of(vocabulary.encode(flags.text));
        if (request.sequences.length < 2) throw BadInput("--text has one token, but attention requires at least two.");
        request.map_size = request.sequences.length;
    } else {
        const auto corpus = corpus_of(checkpoint, flags.data_dir);
        constexpr std::int64_t default_windows = 32;
        request.sequences = spaced_sequences(corpus->validation, length, flags.sequences.value_or(default_windows));
        request.map_size = snapshot_request(spec, corpus->validation).map_size;
        request.retrieval = retrieval_test(corpus->validation, length, 4, retrieval_grid(length));
    }
    if (flags.map) request.map_size = *flags.map;
    const std::int64_t pairs = spec.query_dim() / 2;
    if (!flags.frozen.empty()) request.frozen_pairs = parse_pairs(flags.frozen, pairs, "freeze-pairs");
    if (!flags.ablated.empty()) request.ablated_pairs = parse_pairs(flags.ablated, pairs, "ablate-pairs");
    if (!flags.mean_ablated.empty())
        request.mean_ablated_pairs = parse_pairs(flags.mean_ablated, pairs, "mean-ablate-pairs");
    request.sequence_losses = flags.ablates();
    request.scaling = scaling_of(flags, spec, request.sequences.length);
    request.cancelled = interrupted;
    return request;
}

/// Returns the measurements of a snapshot stored in the lab, or nullopt if there is none for the requested step.
std::optional<Probed> from_snapshot(const LabFile& lab, const RunRecord& record, const Flags& flags) {
    const auto iterations = lab.snapshots(record.id);
    if (iterations.empty()) return std::nullopt;
    const std::int64_t iteration = flags.step.value_or(iterations.back());
    auto result = lab.snapshot(record.id, iteration);
    if (!result) return std::nullopt;
    Probed probed{record, stored_spec(record), iteration, "snapshot", {}, {}, {}, {}};
    probed.request.sequences.length = result->length;
    probed.result = std::move(*result);
    return probed;
}

Checkpoint checkpoint_of(const LabFile& lab, const RunRecord& record, const Flags& flags) {
    const auto path = lab.checkpoint_path(record.id);
    auto checkpoint = read_checkpoint(path);
    const auto iterations = lab.snapshots(record.id);
    const std::string known =
        iterations.empty() ? ""
                           : " The lab has snapshots of these steps, which --step shows without further flags: " +
                                 list_of(iterations) + ".";
    if (!checkpoint) throw BadInput("There is no checkpoint " + path.string() + " to evaluate." + known);
    if (flags.step && *flags.step != checkpoint->iteration) {
        throw BadInput("Run " + std::to_string(record.id) + " has a checkpoint of step " +
                       std::to_string(checkpoint->iteration) + ", not of step " + std::to_string(*flags.step) + "." +
                       known);
    }
    return std::move(*checkpoint);
}

Probed from_checkpoint(const LabFile& lab, const RunRecord& record, const Flags& flags) {
    const Checkpoint checkpoint = checkpoint_of(lab, record, flags);
    Probed probed{record, checkpoint.spec, checkpoint.iteration, "checkpoint", request_of(flags, checkpoint), {}, {},
                  {}};
    const auto model = model_of(open_engine(), checkpoint);
    watch_interrupts();
    probed.result = model->probe(probed.request);
    if (flags.ablates()) {
        ProbeRequest whole = probed.request;
        apply_ablation(whole, {});
        // `vectors` stays true, so that attention runs the same code as above and the results have equal bits.
        whole.attention = false;
        whole.map_size = 0;
        probed.whole = model->probe(whole);
        constexpr std::int64_t default_controls = 5;
        const auto ablation = flags.ablation(probed.request);
        const std::int64_t controls = flags.controls.value_or(default_controls);
        if (ablation && controls > 0)
            probed.controls = measure_controls(*model, probed.spec, whole, *ablation, controls);
    }
    if (interrupted()) throw std::runtime_error("Interrupted before the evaluation was complete.");
    return probed;
}

/// Handles --ablation-curve and --extrapolate. Throws BadInput for flags that cannot be combined with them.
void show_evaluations(const LabFile& lab, const RunRecord& record, const Flags& flags) {
    const bool curve = !flags.ablations.empty();
    const std::string flag = curve ? "--ablation-curve" : "--extrapolate";
    if (!flags.text.empty() || flags.ablates() || flags.factor || flags.context || flags.map ||
        !flags.short_factors.empty() ||
        (curve && (flags.beyond || flags.scaling || flags.sequences || !flags.long_factors.empty())) ||
        (!curve && flags.controls)) {
        throw BadInput(
            flag + " can only be combined with " +
            (curve ? "--controls, " : "--scaling, --long-factors, --sequences, --fine-tune, --learning-rate, ") +
            "--run, --step, --data-dir and --json; leave the others out.");
    }
    const ProbedRun probed_run{record.id, checkpoint_of(lab, record, flags), flags.data_dir, flags.json};
    if (curve) {
        constexpr std::int64_t default_controls = 3;
        return show_ablations(probed_run, parse_ablation_kind(flags.ablations, "--ablation-curve"),
                              flags.controls.value_or(default_controls));
    }
    ExtrapolationFlags beyond{*flags.beyond, {}, flags.sequences, flags.fine_tune, flags.learning_rate.value_or(0), {}};
    if (flags.scaling) beyond.method = parse_scaling(*flags.scaling);
    if (!flags.long_factors.empty()) {
        if (beyond.method != ScalingMethod::longrope) throw BadInput("--long-factors needs --scaling longrope.");
        beyond.long_factors = parse_list(flags.long_factors);
    }
    show_extrapolation(probed_run, beyond);
}

void run(const Flags& flags) {
    if (flags.factor && !flags.scaling) throw BadInput("--factor requires --scaling, the method that uses the factor.");
    if (!flags.text.empty() && (flags.context || flags.sequences))
        throw BadInput("--text is evaluated as the only sequence; leave out --context and --sequences.");
    if (flags.sequences && *flags.sequences < 0)
        throw BadInput("--sequences is " + std::to_string(*flags.sequences) + ", but it must be 0 (all) or more.");
    if (flags.fine_tune && !flags.beyond)
        throw BadInput(
            "--fine-tune needs --extrapolate, which sets the context of fine-tuning as a multiple of the run's "
            "context.");
    if (flags.learning_rate && !flags.fine_tune)
        throw BadInput("--learning-rate needs --fine-tune, the number of fine-tuning steps.");
    if (flags.learning_rate && !(*flags.learning_rate > 0)) {
        throw BadInput("--learning-rate is " + number_text(*flags.learning_rate) + ", but it must be above 0.");
    }
    if (flags.controls && *flags.controls < 0)
        throw BadInput("--controls is " + std::to_string(*flags.controls) + ", but it must be 0 (none) or more.");
    if (flags.controls && !flags.ablates() && flags.ablations.empty())
        throw BadInput(
            "--controls needs an ablation: --freeze-pairs, --ablate-pairs, --mean-ablate-pairs or "
            "--ablation-curve.");
    const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
    const RunRecord record = run_of(*lab, flags);
    if (flags.beyond || !flags.ablations.empty()) return show_evaluations(*lab, record, flags);
    std::optional<Probed> probed;
    if (!flags.needs_model()) probed = from_snapshot(*lab, record, flags);
    if (!probed) probed = from_checkpoint(*lab, record, flags);
    if (flags.json) {
        print_json(json_of(*probed));
    } else {
        print_text(text_of(*probed));
    }
}

}  // namespace

void add_probe(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand(
        "probe", "Analyse a run: query and key norms, logit contributions, attention weights, retrieval accuracy");
    verb->add_option("--lab", flags->lab, "Lab file")->required();
    verb->add_option("--run", flags->run, "Number of the run in the lab (default: the first run)");
    verb->add_option("--step", flags->step, "Training step of the snapshot or checkpoint (default: the newest)");
    verb->add_option("--text", flags->text, "Evaluate the model on this text instead of the validation split");
    verb->add_option(
        "--freeze-pairs", flags->frozen,
        "Freeze pairs (set their frequencies to 0): all, a list such as 0-3+7, or fast4 or slow4 for the four fastest "
        "or slowest pairs");
    verb->add_option(
        "--ablate-pairs", flags->ablated,
        "Ablate pairs (remove their terms from the logit); the same values as for --freeze-pairs are accepted");
    verb->add_option("--mean-ablate-pairs", flags->mean_ablated,
                     "Replace the queries and keys of pairs by their means over the evaluated sequences, per layer and "
                     "head; the same values as for --freeze-pairs are accepted");
    verb->add_option(
        "--ablation-curve", flags->ablations,
        "freeze, ablate or mean: print loss and retrieval accuracy against the number of pairs that are frozen, "
        "ablated or mean-ablated, starting with the fastest and with the slowest pair");
    verb->add_option("--controls", flags->controls,
                     "Number of controls per ablation: random other pairs with nearly the same logit contribution, "
                     "ablated in the same way; 0: none (default: 5, with --ablation-curve 3)");
    verb->add_option("--scaling", flags->scaling,
                     "Scaling method for context extension, listed by frequencies --help (default: none)");
    verb->add_option("--factor", flags->factor,
                     "Factor of --scaling (default: --context divided by the run's context)");
    verb->add_option("--short-factors", flags->short_factors,
                     "longrope: divisors of the frequencies up to the run's context, one per rotated pair: a,b,…");
    verb->add_option("--long-factors", flags->long_factors,
                     "longrope: divisors of the frequencies beyond the run's context, one per rotated pair: a,b,… "
                     "(default with --extrapolate: searched for on the training split)");
    verb->add_option("--context", flags->context, "Length of each sequence in tokens (default: the run's context)");
    verb->add_option(
        "--sequences", flags->sequences,
        "Number of evenly spaced sequences of the validation split; 0: all (default: 32; with --extrapolate as many as "
        "hold 16384 tokens, but 4 to 32)");
    verb->add_option("--map", flags->map,
                     "Size of the attention maps: the first so many tokens of the first sequence; 0: no maps");
    verb->add_option(
        "--extrapolate", flags->beyond,
        "Evaluate at this multiple of the run's context, with plain RoPE and every scaling method, or only with that "
        "of --scaling; a run without RoPE is evaluated with its own position encoding");
    verb->add_option(
        "--fine-tune", flags->fine_tune,
        "With --extrapolate: also fine-tune a copy of the run at that length for so many steps, and evaluate "
        "before and after");
    verb->add_option("--learning-rate", flags->learning_rate,
                     "Learning rate of --fine-tune (default: a tenth of the run's)");
    verb->add_option("--data-dir", flags->data_dir, "Folder that is searched first for known data sets");
    verb->add_flag("--json", flags->json, "Print the result as JSON");
    verb->footer(
        std::string(
            "Without further flags, probe prints a snapshot that training stored in the lab; the other flags evaluate "
            "the run's\ncheckpoint. Neither the snapshot nor the checkpoint is modified.\n"
            "Names that end in _error are standard errors over the sequences; they are empty or null with fewer than 2 "
            "sequences\nand for snapshots of earlier versions.\n"
            "With --freeze-pairs, --ablate-pairs or --mean-ablate-pairs, the JSON also has loss_without_ablation,\n"
            "accuracy_without_ablation, loss_by_position_without_ablation, loss_rise (mean, low and high of the 95 % "
            "interval,\nsequences) and, for one kind of ablation, controls.\n") +
        evaluation_keys);
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
