#include <algorithm>
#include <cmath>
#include <iomanip>
#include <memory>
#include <optional>
#include <sstream>

#include "app/terminal/output.h"
#include "app/terminal/progress.h"
#include "app/terminal/verbs.h"
#include "core/data/corpus.h"
#include "core/experiment/experiment.h"
#include "core/experiment/probing.h"
#include "core/experiment/runner.h"
#include "core/rope/scaling.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/spec/selection.h"
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
    std::string scaling = "none";
    std::optional<double> factor;
    std::optional<std::int64_t> context;
    std::optional<std::int64_t> windows;
    std::optional<std::int64_t> map;
    std::string data_dir;
    bool json = false;

    bool needs_model() const {
        return !text.empty() || !stopped.empty() || !removed.empty() || scaling != "none" || context || windows || map;
    }
};

/// What is shown, and of which moment.
struct Seen {
    RunRecord record;
    RunSpec spec;
    std::int64_t iteration = 0;
    std::string source;
    ProbeRequest request;
    ProbeResult result;
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

std::vector<std::int64_t> pairs_of(const std::string& text, const RunSpec& spec, const char* flag) {
    std::vector<std::int64_t> pairs;
    if (text.empty()) return pairs;
    const auto chosen = selection(text, spec.head_dim() / 2, flag);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i]) pairs.push_back(static_cast<std::int64_t>(i));
    }
    return pairs;
}

ProbeRequest request_of(const Flags& flags, const RunSpec& spec, const Vocabulary& vocabulary) {
    ProbeRequest request;
    const std::int64_t length = flags.context.value_or(spec.context);
    if (length < 2) throw BadInput("--context is " + std::to_string(length) + ", but it must be 2 or more.");
    if (!flags.text.empty()) {
        request.windows = window_of(vocabulary.encode(flags.text));
        if (request.windows.length < 2) throw BadInput("--text has one symbol, but there must be two to look back.");
        request.map_size = request.windows.length;
    } else {
        const auto corpus = open_corpus(spec, flags.data_dir);
        if (corpus->vocabulary.to_text() != vocabulary.to_text()) {
            throw BadInput("The data \"" + spec.data + "\" has other symbols than when this run was trained.");
        }
        constexpr std::int64_t enough_windows = 32;
        request.windows = spaced_windows(corpus->validation, length, flags.windows.value_or(enough_windows));
        request.map_size = snapshot_request(spec, corpus->validation).map_size;
        request.retrieval = retrieval_text(corpus->validation, length, 4);
    }
    if (flags.map) request.map_size = *flags.map;
    request.stopped_pairs = pairs_of(flags.stopped, spec, "stop-pairs");
    request.removed_pairs = pairs_of(flags.removed, spec, "remove-pairs");
    request.scaling.method = parse_scaling(flags.scaling);
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
    Seen seen{record, run_spec_from_json(nlohmann::json::parse(record.settings)), iteration, "snapshot", {}, {}};
    seen.request.windows.length = result->length;
    seen.result = std::move(*result);
    return seen;
}

Seen measured(const LabFile& lab, const RunRecord& record, const Flags& flags) {
    const auto path = lab.checkpoint_path(record.id);
    const auto checkpoint = read_checkpoint(path);
    const auto iterations = lab.snapshots(record.id);
    const std::string known =
        iterations.empty() ? "" : " Without other flags these steps can be shown: " + list_of(iterations) + ".";
    if (!checkpoint) throw BadInput("There is no checkpoint " + path.string() + " to look into." + known);
    if (flags.step && *flags.step != checkpoint->iteration) {
        throw BadInput("Run " + std::to_string(record.id) + " has a checkpoint of step " +
                       std::to_string(checkpoint->iteration) + ", not of step " + std::to_string(*flags.step) + "." +
                       known);
    }
    const Vocabulary vocabulary = Vocabulary::from_text(checkpoint->vocabulary);
    Seen seen{record, checkpoint->spec, checkpoint->iteration, "checkpoint", {}, {}};
    seen.request = request_of(flags, seen.spec, vocabulary);
    const auto model = model_of(open_engine(), *checkpoint);
    watch_interrupts();
    seen.result = model->probe(seen.request);
    if (seen.result.windows == 0) throw std::runtime_error("Interrupted before it was done.");
    return seen;
}

/// Nested arrays; null where nothing was measured.
nlohmann::json nested(const ProbeArray& array) {
    if (array.empty()) return nullptr;
    std::size_t next = 0;
    const auto level = [&](const auto& self, std::size_t axis) -> nlohmann::json {
        nlohmann::json list = nlohmann::json::array();
        for (std::int64_t i = 0; i < array.shape[axis]; ++i) {
            if (axis + 1 == array.shape.size()) {
                list.push_back(array.values[next++]);
            } else {
                list.push_back(self(self, axis + 1));
            }
        }
        return list;
    };
    return level(level, 0);
}

nlohmann::json spectra(const ProbeResult& result) {
    if (attention_spectrum(result, 0, 0).empty()) return nullptr;
    nlohmann::json layers = nlohmann::json::array();
    for (std::int64_t layer = 0; layer < result.attention_by_distance.shape[0]; ++layer) {
        nlohmann::json heads = nlohmann::json::array();
        for (std::int64_t head = 0; head < result.attention_by_distance.shape[1]; ++head)
            heads.push_back(attention_spectrum(result, layer, head));
        layers.push_back(std::move(heads));
    }
    return layers;
}

nlohmann::json json_of(const Seen& seen) {
    const ProbeResult& result = seen.result;
    nlohmann::json retrieval = nlohmann::json::array();
    for (const RetrievalPoint& point : result.retrieval) {
        retrieval.push_back({{"lag", point.lag},
                             {"symbols", point.symbols},
                             {"accuracy", point.accuracy},
                             {"loss", point.loss},
                             {"first_accuracy", point.first_accuracy},
                             {"first_loss", point.first_loss}});
    }
    std::string map_text;
    if (!seen.record.vocabulary.empty())
        map_text = Vocabulary::from_text(seen.record.vocabulary).decode(result.map_tokens);
    return {
        {"run", seen.record.id},
        {"iteration", seen.iteration},
        {"source", seen.source},
        {"context", result.length},
        {"windows", result.windows},
        {"inverse_frequencies", probed_frequencies(seen.spec, seen.request)},
        {"frequencies", nested(result.frequencies)},  // where theta moves
        {"usage",
         {{"query", nested(result.query_usage)},
          {"key", nested(result.key_usage)},
          {"value", nested(result.value_usage)}}},
        {"massive", {{"query", nested(result.query_massive)}, {"key", nested(result.key_massive)}}},
        {"logit_share", nested(result.logit_share)},
        {"distances", result.distances},
        {"logit_by_distance", nested(result.logit_by_distance)},
        {"attention", nested(result.attention)},
        {"attention_text", map_text},
        {"attention_by_distance", nested(result.attention_by_distance)},
        {"attention_spectrum", spectra(result)},
        {"entropy", nested(result.entropy)},
        {"sink", nested(result.sink)},
        {"loss_by_position", result.loss_by_position},
        {"loss", result.loss},
        {"retrieval", retrieval},
    };
}

std::string text_of(const Seen& seen) {
    const ProbeResult& result = seen.result;
    std::ostringstream text;
    text << std::fixed << std::setprecision(4) << seen.record.name << ", step " << seen.iteration << ", from the run's "
         << seen.source << ": " << result.windows << (result.windows == 1 ? " window" : " windows") << " of "
         << result.length << " symbols, loss ";
    if (std::isfinite(result.loss)) {
        text << result.loss << "\n\n";
    } else {
        text << "unknown\n\n";
    }
    text << "layer  head  entropy    sink  largest logit shares (pair: share)\n";
    const auto& shape = result.logit_share.shape;
    for (std::int64_t layer = 0; !shape.empty() && layer < shape[0]; ++layer) {
        for (std::int64_t head = 0; head < shape[1]; ++head) {
            const auto shares = result.logit_share.row(layer, head);
            std::vector<std::size_t> order(shares.size());
            for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
            std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return shares[a] > shares[b]; });
            order.resize(std::min<std::size_t>(order.size(), 4));
            text << std::setw(5) << layer << std::setw(6) << head << std::setprecision(3) << std::setw(9)
                 << result.entropy.row(layer, head)[0] << std::setw(8) << result.sink.row(layer, head)[0] << ' ';
            for (const std::size_t i : order) {
                const bool unrotated = i + 1 == shares.size();
                text << ' ' << (unrotated ? std::string("unrotated") : std::to_string(i)) << ": "
                     << std::setprecision(1) << 100.0 * static_cast<double>(shares[i]) << " %";
            }
            text << '\n';
        }
    }
    if (!result.retrieval.empty()) text << "\n  lag  accuracy    loss  loss at the first stand\n";
    for (const RetrievalPoint& point : result.retrieval) {
        text << std::setw(5) << point.lag << std::setprecision(3) << std::setw(10) << point.accuracy << std::setw(8)
             << point.loss << std::setw(25) << point.first_loss << '\n';
    }
    return text.str();
}

void run(const Flags& flags) {
    if (flags.factor && flags.scaling == "none") throw BadInput("--factor needs --scaling, the method that reads it.");
    if (!flags.text.empty() && (flags.context || flags.windows))
        throw BadInput("--text is the one window to look into; leave out --context and --windows.");
    if (flags.windows && *flags.windows < 0)
        throw BadInput("--windows is " + std::to_string(*flags.windows) + ", but it must be 0 (all) or more.");
    const auto lab = LabFile::open(flags.lab, LabFile::Mode::read);
    const RunRecord record = run_of(*lab, flags);
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
    verb->add_option("--stop-pairs", flags->stopped, "Pairs that get frequency 0: all, or a list like 0-3+7");
    verb->add_option("--remove-pairs", flags->removed, "Pairs whose term leaves the logit");
    verb->add_option("--scaling", flags->scaling, "How the context is extended, as in frequencies --help")
        ->capture_default_str();
    verb->add_option("--factor", flags->factor, "The scaling's factor (--context over the run's context)");
    verb->add_option("--context", flags->context, "Symbols of a window (the run's context)");
    verb->add_option("--windows", flags->windows, "Windows of the validation split, evenly spaced; 0: all (32)");
    verb->add_option("--map", flags->map, "Symbols of the first window in the attention maps; 0: none");
    verb->add_option("--data-dir", flags->data_dir, "A folder in which known sets are looked for first");
    verb->add_flag("--json", flags->json, "Write JSON");
    verb->footer("What a run's snapshots hold is read from the lab; the other flags read its checkpoint.");
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
