#include <algorithm>
#include <memory>
#include <optional>

#include "app/terminal/output.h"
#include "app/terminal/probe_output.h"
#include "app/terminal/probe_readings.h"
#include "app/terminal/progress.h"
#include "app/terminal/verbs.h"
#include "core/data/corpus.h"
#include "core/experiment/engine_loader.h"
#include "core/experiment/experiment.h"
#include "core/experiment/knock_out.h"
#include "core/experiment/probing.h"
#include "core/experiment/stored_run.h"
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
    std::string stopped;
    std::string removed;
    std::string knock_outs;
    std::optional<std::string> scaling;
    std::optional<double> factor;
    std::optional<std::int64_t> context;
    std::optional<std::int64_t> windows;
    std::optional<std::int64_t> map;
    std::optional<std::int64_t> beyond;
    std::optional<std::int64_t> fine_tune;
    std::optional<double> learning_rate;
    std::string data_dir;
    bool json = false;

    bool needs_model() const { return !text.empty() || knocks_out() || scaling || context || windows || map; }
    bool knocks_out() const { return !stopped.empty() || !removed.empty(); }
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

ProbeRequest request_of(const Flags& flags, const Checkpoint& checkpoint) {
    const RunSpec& spec = checkpoint.spec;
    const Vocabulary vocabulary = Vocabulary::from_text(checkpoint.vocabulary);
    ProbeRequest request;
    const std::int64_t length = flags.context.value_or(spec.context);
    if (length < 2) throw BadInput("--context is " + std::to_string(length) + ", but it must be 2 or more.");
    if (!flags.text.empty()) {
        request.windows = window_of(vocabulary.encode(flags.text));
        if (request.windows.length < 2) throw BadInput("--text has one symbol, but there must be two to look back.");
        request.map_size = request.windows.length;
    } else {
        const auto corpus = corpus_of(checkpoint, flags.data_dir);
        constexpr std::int64_t enough_windows = 32;
        request.windows = spaced_windows(corpus->validation, length, flags.windows.value_or(enough_windows));
        request.map_size = snapshot_request(spec, corpus->validation).map_size;
        request.retrieval = retrieval_text(corpus->validation, length, 4);
    }
    if (flags.map) request.map_size = *flags.map;
    const std::int64_t pairs = spec.head_dim() / 2;
    if (!flags.stopped.empty()) request.stopped_pairs = parse_pairs(flags.stopped, pairs, "stop-pairs");
    if (!flags.removed.empty()) request.removed_pairs = parse_pairs(flags.removed, pairs, "remove-pairs");
    request.scaling.method = parse_scaling(flags.scaling.value_or("none"));
    request.scaling.factor = flags.factor.value_or(
        std::max(1.0, static_cast<double>(request.windows.length) / static_cast<double>(spec.context)));
    request.cancelled = interrupted;
    return request;
}

/// From the lab's snapshots; nullopt where there is none.
std::optional<Seen> stored(const LabFile& lab, const RunRecord& record, const Flags& flags) {
    const auto iterations = lab.snapshots(record.id);
    if (iterations.empty()) return std::nullopt;
    const std::int64_t iteration = flags.step.value_or(iterations.back());
    auto result = lab.snapshot(record.id, iteration);
    if (!result) return std::nullopt;
    Seen seen{record, stored_spec(record), iteration, "snapshot", {}, {}, {}};
    seen.request.windows.length = result->length;
    seen.result = std::move(*result);
    return seen;
}

Checkpoint checkpoint_of(const LabFile& lab, const RunRecord& record, const Flags& flags) {
    const auto path = lab.checkpoint_path(record.id);
    auto checkpoint = read_checkpoint(path);
    const auto iterations = lab.snapshots(record.id);
    const std::string known =
        iterations.empty() ? "" : " Without other flags these steps can be shown: " + list_of(iterations) + ".";
    if (!checkpoint) throw BadInput("There is no checkpoint " + path.string() + " to look into." + known);
    if (flags.step && *flags.step != checkpoint->iteration) {
        throw BadInput("Run " + std::to_string(record.id) + " has a checkpoint of step " +
                       std::to_string(checkpoint->iteration) + ", not of step " + std::to_string(*flags.step) + "." +
                       known);
    }
    return std::move(*checkpoint);
}

Seen measured(const LabFile& lab, const RunRecord& record, const Flags& flags) {
    const Checkpoint checkpoint = checkpoint_of(lab, record, flags);
    Seen seen{record, checkpoint.spec, checkpoint.iteration, "checkpoint", request_of(flags, checkpoint), {}, {}};
    const auto model = model_of(open_engine(), checkpoint);
    watch_interrupts();
    seen.result = model->probe(seen.request);
    if (flags.knocks_out()) {
        ProbeRequest whole = seen.request;
        knock_out(whole, {});
        whole.attention = false;  // but vectors, so that attention goes the same way to the last bit
        whole.map_size = 0;
        seen.whole = model->probe(whole);
    }
    if (interrupted()) throw std::runtime_error("Interrupted before it was done.");
    return seen;
}

/// --knock-outs and --beyond.
void show_readings(const LabFile& lab, const RunRecord& record, const Flags& flags) {
    const bool curve = !flags.knock_outs.empty();
    const std::string flag = curve ? "--knock-outs" : "--beyond";
    if (!flags.text.empty() || flags.knocks_out() || flags.factor || flags.context || flags.map ||
        (curve && (flags.beyond || flags.scaling || flags.windows))) {
        throw BadInput(flag + " goes with " + (curve ? "" : "--scaling, --windows, --fine-tune, --learning-rate, ") +
                       "--run, --step, --data-dir and --json only; leave the others out.");
    }
    const AskedRun asked{record.id, checkpoint_of(lab, record, flags), flags.data_dir, flags.json};
    if (curve) {
        constexpr std::string_view kinds[] = {"stop", "remove"};
        if (flags.knock_outs != kinds[0] && flags.knock_outs != kinds[1]) {
            throw BadInput("--knock-outs is \"" + flags.knock_outs +
                           "\", but it must be stop or remove; did you mean \"" + nearest(flags.knock_outs, kinds) +
                           "\"?");
        }
        return show_knock_outs(asked, flags.knock_outs == kinds[0] ? KnockOut::Kind::stop : KnockOut::Kind::remove);
    }
    AskedBeyond how{*flags.beyond, {}, flags.windows, flags.fine_tune, flags.learning_rate.value_or(0)};
    if (flags.scaling) how.method = parse_scaling(*flags.scaling);
    show_beyond(asked, how);
}

void run(const Flags& flags) {
    if (flags.factor && !flags.scaling) throw BadInput("--factor needs --scaling, the method that reads it.");
    if (!flags.text.empty() && (flags.context || flags.windows))
        throw BadInput("--text is the one window to look into; leave out --context and --windows.");
    if (flags.windows && *flags.windows < 0)
        throw BadInput("--windows is " + std::to_string(*flags.windows) + ", but it must be 0 (all) or more.");
    if (flags.fine_tune && !flags.beyond)
        throw BadInput("--fine-tune needs --beyond, how many times the context the run is trained on at.");
    if (flags.learning_rate && !flags.fine_tune)
        throw BadInput("--learning-rate needs --fine-tune, the steps that it is for.");
    if (flags.learning_rate && !(*flags.learning_rate > 0)) {
        throw BadInput("--learning-rate is " + number_text(*flags.learning_rate) + ", but it must be above 0.");
    }
    const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
    const RunRecord record = run_of(*lab, flags);
    if (flags.beyond || !flags.knock_outs.empty()) return show_readings(*lab, record, flags);
    std::optional<Seen> seen;
    if (!flags.needs_model()) seen = stored(*lab, record, flags);
    if (!seen) seen = measured(*lab, record, flags);
    if (flags.json) {
        print_json(json_of(*seen));
    } else {
        print_text(text_of(*seen));
    }
}

}  // namespace

void add_probe(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand("probe", "Look inside a run: usage, logit shares, attention, retrieval");
    verb->add_option("--lab", flags->lab, "The lab file")->required();
    verb->add_option("--run", flags->run, "The run's number in the lab; the first one otherwise");
    verb->add_option("--step", flags->step, "After this step; the newest otherwise");
    verb->add_option("--text", flags->text, "Look at how this text is read");
    verb->add_option("--stop-pairs", flags->stopped,
                     "Pairs that get frequency 0: all, a list like 0-3+7, or fast4 or slow4, the four from that end");
    verb->add_option("--remove-pairs", flags->removed, "Pairs whose term leaves the logit, named likewise");
    verb->add_option("--knock-outs", flags->knock_outs,
                     "stop or remove: loss and retrieval as ever more pairs are, from both ends");
    verb->add_option("--scaling", flags->scaling, "How the context is extended, as in frequencies --help (none)");
    verb->add_option("--factor", flags->factor, "The scaling's factor (--context over the run's context)");
    verb->add_option("--context", flags->context, "Symbols of a window (the run's context)");
    verb->add_option("--windows", flags->windows,
                     "Windows of the validation split, evenly spaced; 0: all (32; for --beyond enough for 16384 "
                     "symbols, 4 to 32)");
    verb->add_option("--map", flags->map, "Symbols of the first window in the attention maps; 0: none");
    verb->add_option("--beyond", flags->beyond,
                     "Read at so many times the run's context, by plain RoPE and every scaling, or that of --scaling");
    verb->add_option(
        "--fine-tune", flags->fine_tune,
        "With --beyond: also train a copy of the run on there for so many steps, and read before and after");
    verb->add_option("--learning-rate", flags->learning_rate, "Of --fine-tune (a tenth of the run's)");
    verb->add_option("--data-dir", flags->data_dir, "A folder in which known sets are looked for first");
    verb->add_flag("--json", flags->json, "Write JSON");
    verb->footer(std::string("What a run's snapshots hold is read from the lab; the other flags read its checkpoint. "
                             "Neither ever changes.\n"
                             "With --stop-pairs or --remove-pairs, JSON has whole_loss, whole_accuracy and "
                             "whole_loss_by_position\nwithout them beside loss, accuracy and loss_by_position.\n") +
                 reading_keys);
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
