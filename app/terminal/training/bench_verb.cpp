#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/base/error.h"
#include "core/bench/benchmarks.h"
#include "core/bench/machine.h"
#include "core/bench/roofline.h"
#include "core/data/json_text.h"
#include "core/experiment/experiment.h"
#include "core/forecast/time_model.h"
#include "core/machine/engine_loader.h"
#include "core/plan/kernels.h"
#include "core/plan/step_cost.h"
#include "core/results/results_cells.h"
#include "core/run/device_choice.h"
#include "core/store/output_file.h"
#include "core/table/table.h"

namespace ropelab::terminal {

namespace {

using namespace bench;

constexpr std::array<std::string_view, 7> part_names = {"train", "variants", "generate", "rotate",
                                                        "start", "window",   "estimates"};

struct Flags {
    std::vector<std::string> parts;
    std::string preset;
    std::vector<std::string> settings;
    double seconds = 10;
    bool json = false;
};

// `least` to `most` rounds, within about --seconds.
MeasurementLimits patience(const Flags& flags, int least, int most) {
    return {least, most, flags.seconds, std::min(0.15, flags.seconds / 60)};
}

struct Part {
    nlohmann::json json = nlohmann::json::object();
    Table table{{{"", 'l', 2}, {"", 'l', 34}, {"", 'l'}}, {}};

    // The median as `key`; quartiles, extremes and the number of repetitions as `key`_spread.
    void add(const std::string& key, const Spread& spread) {
        json[key] = spread.median;
        json[key + "_spread"] = {{"lower", spread.lower},
                                 {"upper", spread.upper},
                                 {"minimum", spread.minimum},
                                 {"maximum", spread.maximum},
                                 {"repetitions", spread.repetitions}};
    }
    void add(const std::string& key, const std::optional<Spread>& spread) {
        if (spread) return add(key, *spread);
        json[key] = nullptr;
    }
    void line(const std::string& what, const std::string& value) { table.rows.push_back({"", what, value}); }
};

// "12.34 (12.01 to 12.80) ms": median and quartiles.
std::string spread_text(const Spread& spread, const std::string& unit, double scale = 1, int digits = 2) {
    return fixed_text(scale * spread.median, digits) + " (" + fixed_text(scale * spread.lower, digits) + " to " +
           fixed_text(scale * spread.upper, digits) + ")" + (unit.empty() ? "" : " ") + unit;
}

// Preset (`default_preset` without --preset), changed by --set.
RunSpec first_run(const Flags& flags, const std::string& default_preset) {
    Experiment experiment = preset(flags.preset.empty() ? default_preset : flags.preset).experiment;
    experiment.set_assignments(flags.settings);
    return experiment.expand().front();
}

nlohmann::json shape_json(const RunSpec& spec) {
    return {{"layers", spec.layers},   {"heads", spec.heads}, {"width", spec.width},
            {"context", spec.context}, {"batch", spec.batch}, {"dropout", spec.dropout}};
}

std::string shape_text(const RunSpec& spec) {
    return std::to_string(spec.layers) + " layers, width " + std::to_string(spec.width) + ", context " +
           std::to_string(spec.context) + ", batch size " + std::to_string(spec.batch) +
           (spec.dropout > 0 ? ", dropout " + short_number(spec.dropout) : "");
}

// Small shape of the comparisons, with precision, device and threads of `spec`.
RunSpec small_shape_like(const RunSpec& spec) {
    RunSpec small = small_shape();
    small.precision = spec.precision;
    small.device = spec.device;
    small.threads = spec.threads;
    small.operations = spec.operations;
    return small;
}

// On the CPU; with the peak of bfloat16 products if `rounded`.
MachineSpeed peaks(Engine& engine, const RunConditions& conditions, bool rounded) {
    MachineSpeed speed = measure_machine(static_cast<int>(conditions.threads));
    if (rounded) speed.rounded = measure_products(engine, Precision::bfloat16, interrupted);
    return speed;
}

// Adds operations per second and their fraction of the peak of matrix products, which it returns in words.
std::string add_operations(nlohmann::json& json, double operations_per_second, const MachineSpeed& machine,
                           bool rounded) {
    const double peak = machine.peak(rounded);
    json.update({{"operations_per_second", operations_per_second},
                 {"machine_operations_per_second", peak},
                 {"fraction_of_peak", operations_per_second / peak}});
    return fixed_text(100 * operations_per_second / peak, 0) + " % of the peak of " +
           (rounded && machine.rounded > 0 ? "bfloat16" : "float32") + " products, " + fixed_text(peak / 1e9, 0) +
           " GFLOP/s";
}

// Time per step and fraction of the peak of both precisions, or of the one that is set.
void add_precisions(Part& part, Engine& engine, const Flags& flags, const RunSpec& spec, MachineSpeed& machine) {
    for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
        const bool rounded = precision == Precision::bfloat16;
        if (spec.precision == Precision::automatic ? rounded && !engine.info().bfloat16 : spec.precision != precision)
            continue;
        if (rounded) machine.rounded = measure_products(engine, precision, interrupted);
        RunSpec run = spec;
        run.precision = precision;
        const TrainingSpeed speed = measure_training(engine, run, patience(flags, 5, 15), interrupted);
        const RooflinePoint point = roofline_point(run, speed.vocabulary, speed.tokens_per_second.median, rounded);
        Part of_precision;
        of_precision.add("milliseconds_per_step", speed.milliseconds_per_step);
        const std::string of_steps = add_operations(of_precision.json, point.reached(), machine, rounded);
        Part evaluation;
        evaluation.add("tokens_per_second", speed.evaluated_per_second);
        const std::string of_evaluation = add_operations(
            evaluation.json, speed.evaluated_per_second.median * forward_operations(run, speed.vocabulary), machine,
            rounded);
        of_precision.json["evaluation"] = evaluation.json;
        part.json["precisions"][speed.conditions.precision] = of_precision.json;
        part.line(speed.conditions.precision, spread_text(speed.milliseconds_per_step, "ms per step, ") + of_steps);
        part.line(speed.conditions.precision + ", evaluation",
                  spread_text(speed.evaluated_per_second, "tokens/s, ", 1, 0) + of_evaluation);
    }
}

Part bench_train(const Flags& flags) {
    const RunSpec spec = first_run(flags, "nanogpt-cpu");
    Engine& engine = open_engine();
    choose_device_trust(engine, spec, std::nullopt, {.cancelled = interrupted});
    const TrainingSpeed alone = measure_training(engine, spec, patience(flags, 5, 15), interrupted);
    const RunSpec small = small_shape_like(spec);
    const CohortSpeed cohort = measure_cohort(engine, small, patience(flags, 7, 15), interrupted);
    const SettingsSpeed settings = measure_settings(engine, small, patience(flags, 7, 21), interrupted);

    Part part;
    part.json["shape"] = shape_json(spec);
    part.json["precision"] = alone.conditions.precision;
    part.json["device"] = alone.conditions.device;
    part.json["threads"] = alone.conditions.threads;
    part.add("milliseconds_per_step", alone.milliseconds_per_step);
    part.add("tokens_per_second", alone.tokens_per_second);
    part.add("cohort_speedup", cohort.speedup);
    part.json["cohort"] = {{"shape", shape_json(small)},
                           {"precision", cohort.conditions.precision},
                           {"milliseconds_as_cohort", cohort.milliseconds_as_cohort.median},
                           {"milliseconds_sequentially", cohort.milliseconds_sequential.median}};
    part.json["slowest_theta_over_fastest"] = settings.slowest_over_fastest;
    for (const SettingSpeed& setting : settings.settings) {
        part.json["settings"].push_back({{"theta", setting.theta},
                                         {"fraction", setting.fraction},
                                         {"milliseconds_per_step", setting.milliseconds_per_step.median}});
    }
    part.line("shape", shape_text(spec));
    part.line("trained on", alone.conditions.device + ", " + std::to_string(alone.conditions.threads) + " threads, " +
                                alone.conditions.reason);
    part.line("time per step", spread_text(alone.milliseconds_per_step, "ms"));
    part.line("throughput", spread_text(alone.tokens_per_second, "tokens/s", 1, 0));
    part.line("six small runs as a cohort", spread_text(cohort.speedup, "× as fast as sequentially"));
    part.line("slowest theta or fraction",
              fixed_text(settings.slowest_over_fastest, 3) + " × the step time of the fastest");

    if (alone.conditions.device == "cpu") {
        MachineSpeed machine = measure_machine(static_cast<int>(alone.conditions.threads));
        const RooflinePoint point = roofline_point(spec, alone.vocabulary, alone.tokens_per_second.median,
                                                   precision_of(alone.conditions) == Precision::bfloat16);
        add_precisions(part, engine, flags, spec, machine);
        part.json["roofline"] = {{"operations_per_step", point.work.operations},
                                 {"bytes_per_step", point.work.bytes()},
                                 {"operations_per_byte", point.work.intensity()},
                                 {"operations_per_second", point.reached()},
                                 {"machine_operations_per_second", machine.peak(point.rounded)},
                                 {"machine_float32_operations_per_second", machine.multiply},
                                 {"machine_bytes_per_second", machine.copy},
                                 {"verdict", verdict(machine, point)}};
        part.line("arithmetic", fixed_text(point.reached() / 1e9, 0) + " GFLOP/s; " + alone.conditions.precision +
                                    " matrix products on this machine reach " +
                                    fixed_text(machine.peak(point.rounded) / 1e9, 0) + " GFLOP/s");
        part.line("limit", verdict(machine, point));
    }
    return part;
}

Part bench_variants(const Flags& flags) {
    const RunSpec shape = small_shape_like(first_run(flags, "nanogpt-cpu"));
    Engine& engine = open_engine();
    choose_device_trust(engine, shape, std::nullopt, {.cancelled = interrupted});
    const VariantsSpeed speed = measure_variants(engine, shape, patience(flags, 5, 7), interrupted);
    Part part;
    part.json = {{"shape", shape_json(shape)},
                 {"precision", speed.conditions.precision},
                 {"device", speed.conditions.device},
                 {"threads", speed.conditions.threads},
                 {"rows", nlohmann::json::array()}};
    part.line("shape", shape_text(shape) + ", " + speed.conditions.device + ", " + speed.conditions.precision);
    part.line("variant",
              "training speed divided by the speed of the default; fused kernels or LibTorch's operations; on the CPU "
              "operations per second of the peak");
    const bool rounded = precision_of(speed.conditions) == Precision::bfloat16;
    std::optional<MachineSpeed> machine;
    if (speed.conditions.device == "cpu") machine = peaks(engine, speed.conditions, rounded);
    for (const VariantSpeed& row : speed.variants) {
        Part of_row;
        of_row.json["settings"] = row.variant.settings;
        of_row.add("steps_per_second", row.steps_per_second);
        of_row.add("ratio", row.ratio);
        const std::vector<std::string> parts = unfused_parts(row.variant.spec, speed.conditions.device != "cpu");
        of_row.json["operations"] = parts.empty() ? "fused" : "LibTorch's operations";
        of_row.json["parts_with_libtorch"] = parts;
        std::string words =
            spread_text(row.ratio, "×") + (parts.empty() ? ", fused" : ", LibTorch's operations: " + joined(parts));
        if (machine) {
            const double operations = training_operations(row.variant.spec, speed.vocabulary);
            words += ", " + add_operations(of_row.json, row.steps_per_second.median * operations, *machine, rounded);
        }
        part.json["rows"].push_back(of_row.json);
        part.line(row.variant.settings, words);
    }
    return part;
}

Part bench_generate(const Flags& flags) {
    RunSpec spec = first_run(flags, "theta-paper");
    if (spec.position == Position::learned_rope)
        spec.position = Position::rope;  // rolling generation requires RoPE without learned positions
    choose_device_trust(open_engine(), spec, std::nullopt, {.cancelled = interrupted});
    const GenerationSpeed speed = measure_generation(open_engine(), spec, 500, patience(flags, 3, 7), interrupted);
    Part part;
    part.json = {{"shape", shape_json(spec)}, {"length", speed.length}, {"precision", speed.conditions.precision}};
    part.add("rolling_tokens_per_second", speed.rolling);
    part.add("recompute_tokens_per_second", speed.recompute);
    part.add("rolling_over_recompute", speed.rolling_over_recompute);
    part.json["streams"] = speed.together;
    part.add("streams_tokens_per_second", speed.streams);
    part.add("rolling_int8_tokens_per_second", speed.rolling_int8);
    part.add("streams_int8_tokens_per_second", speed.streams_int8);
    part.json["kv_cache_bytes_measured"] = speed.cache_bytes;
    part.json["kv_cache_bytes"] = cache_bytes(spec).kv;
    spec.batch = 1;
    part.line("shape",
              shape_text(spec) + ", " + std::to_string(speed.length) + " tokens, " + speed.conditions.precision);
    const std::string streams = "rolling, " + std::to_string(speed.together) + " streams";
    if (speed.rolling) part.line("rolling", spread_text(*speed.rolling, "tokens/s", 1, 1));
    if (speed.rolling_int8) part.line("rolling, weights in int8", spread_text(*speed.rolling_int8, "tokens/s", 1, 1));
    if (speed.streams) part.line(streams, spread_text(*speed.streams, "tokens/s of all streams", 1, 0));
    if (speed.streams_int8)
        part.line(streams + ", int8", spread_text(*speed.streams_int8, "tokens/s of all streams", 1, 0));
    if (speed.rolling && speed.conditions.device == "cpu") {
        const bool rounded = precision_of(speed.conditions) == Precision::bfloat16;
        // Products with int8 weights have no peak of their own here; they replace those in bfloat16.
        const MachineSpeed machine = peaks(open_engine(), speed.conditions, rounded || open_engine().info().bfloat16);
        const auto add_peak = [&](const std::string& name, const std::string& title,
                                  const std::optional<Spread>& tokens_per_second, bool of_rounded) {
            if (!tokens_per_second) return;
            part.line(title,
                      add_operations(part.json["arithmetic"][name],
                                     tokens_per_second->median * speed.operations_per_token, machine, of_rounded));
        };
        add_peak("rolling", "arithmetic, rolling", speed.rolling, rounded);
        add_peak("rolling_int8", "arithmetic, rolling, int8", speed.rolling_int8, true);
        add_peak("streams", "arithmetic, " + streams, speed.streams, rounded);
        add_peak("streams_int8", "arithmetic, " + streams + ", int8", speed.streams_int8, true);
        part.json["operations_per_token"] = speed.operations_per_token;
        const double limit = machine.copy;
        const double fraction = speed.rolling->median * speed.bytes_per_token / limit;
        part.json.update({{"bytes_per_token", speed.bytes_per_token},
                          {"machine_bytes_per_second", limit},
                          {"fraction_of_bandwidth", fraction}});
        part.line("memory traffic, one stream", bytes_text(std::llround(speed.bytes_per_token)) +
                                                    " per token: " + fixed_text(100 * fraction, 0) +
                                                    " % of the bandwidth of copies, " + fixed_text(limit / 1e9, 1) +
                                                    " GB/s (weights in a cache of the processor can exceed it)");
    }
    part.line("recompute", spread_text(speed.recompute, "tokens/s", 1, 1));
    if (speed.rolling_over_recompute)
        part.line("speed ratio rolling / recompute", spread_text(*speed.rolling_over_recompute, "×"));
    part.line("KV cache, measured", std::to_string(speed.cache_bytes) + " bytes");
    part.line("KV cache by formulas 32, 44, 46", std::to_string(cache_bytes(spec).kv) + " bytes in float32");
    return part;
}

Part bench_rotate(const Flags& flags) {
    const RunSpec spec = first_run(flags, "theta-paper");
    if (spec.head_dim() % 2 != 0)
        throw BadInput("The head dimension is " + std::to_string(spec.head_dim()) +
                       ", but rotation requires an even one; change heads or width.");
    const double fraction = spec.fraction > 0 ? spec.fraction : 1.0;
    const auto rows = static_cast<std::size_t>(2 * spec.batch * spec.heads);
    const RotationSpeed speed = measure_rotation(rows, static_cast<std::size_t>(spec.context), spec.head_dim(),
                                                 fraction, patience(flags, 9, 31), interrupted);
    Part part;
    part.json = {{"rows", rows},         {"time", spec.context}, {"head_dim", spec.head_dim()},
                 {"fraction", fraction}, {"bytes", speed.bytes}, {"threads", 1}};
    constexpr double giga = 1e-9;
    const auto add = [&](const char* name, const char* title, Spread spread) {
        for (double* value : {&spread.median, &spread.lower, &spread.upper, &spread.minimum, &spread.maximum}) {
            *value *= giga;
        }
        part.add(std::string(name) + "_gigabytes_per_second", spread);
        part.line(title, spread_text(spread, "GB/s"));
    };
    add("half", "pairing half (i with i + d/2)", speed.half);
    add("interleaved", "pairing interleaved (2i, 2i + 1)", speed.interleaved);
    add("copy", "memory copy of equal size", speed.copy);
    part.add("half_over_copy", speed.half_over_copy);
    part.add("interleaved_over_copy", speed.interleaved_over_copy);
    part.line("speed ratio half / copy", spread_text(speed.half_over_copy, "×"));
    part.line("speed ratio interleaved / copy", spread_text(speed.interleaved_over_copy, "×"));
    return part;
}

Part bench_start(const Flags& flags) {
    const TemporaryFolder folder;  // replaces the user's settings and labs, which must not change
    const std::string home = folder.path().string();
    const auto program = [&](const std::string& name, const std::string& argument) {
        return Command{beside(name),
                       {argument},
                       {{"QT_QPA_PLATFORM", "offscreen"},
                        {"XDG_CONFIG_HOME", home},
                        {"XDG_DATA_HOME", home},
                        {"XDG_CACHE_HOME", home}}};
    };
    const Command terminal = program("ropelab-cli", "--version");
    const Command window = program("ropelab", "--exit-after-startup");
    std::vector<std::function<void()>> alternatives = {[&] { output_of(terminal); }};
    if (!window.program.empty()) alternatives.emplace_back([&] { output_of(window); });
    auto seconds = measure_alternately(alternatives, patience(flags, 5, 15), interrupted);
    for (auto& values : seconds) {
        for (double& value : values) value *= 1000;
    }
    Part part;
    part.add("terminal_milliseconds", spread_of(seconds[0]));
    part.line("ropelab-cli --version", spread_text(spread_of(seconds[0]), "ms", 1, 1));
    if (window.program.empty()) {
        part.json["window_milliseconds"] = nullptr;
        part.line("ropelab --exit-after-startup",
                  "not measured, because the program ropelab is not in the folder of ropelab-cli");
    } else {
        part.add("window_milliseconds", spread_of(seconds[1]));
        part.line("ropelab --exit-after-startup", spread_text(spread_of(seconds[1]), "ms", 1, 0));
    }
    return part;
}

Part bench_window(const Flags&) {
    const Command command{beside("ropelab_drag_bench"), {"--json"}, {{"QT_QPA_PLATFORM", "offscreen"}}};
    if (command.program.empty()) {
        throw std::runtime_error(
            "The benchmark part \"window\" requires the program ropelab_drag_bench in the folder of ropelab-cli; build "
            "folders contain it, installations do not.");
    }
    Part part;
    part.json = parse_bounded(output_of(command));
    for (const auto& room : part.json.at("rooms")) {
        part.line(room.at("room").get<std::string>(),
                  fixed_text(room.at("median_milliseconds").get<double>(), 2) + " ms per drag step (median), " +
                      fixed_text(room.at("longest_milliseconds").get<double>(), 1) + " ms at most");
    }
    return part;
}

// Forecasts of the last sweeps; measures nothing.
Part bench_estimates() {
    const std::vector<Forecast> sweeps = read_times(times_file()).sweeps;
    const std::string words = forecast_words(sweeps);
    Part part;
    part.json = {{"errors", forecast_errors(sweeps)}, {"words", words}};
    part.table.rows.push_back({"", words.empty() ? "No sweep whose training time was estimated has finished on this "
                                                   "machine yet, so there are no estimates to compare."
                                                 : words});
    return part;
}

Part measure(std::string_view name, const Flags& flags) {
    if (name == "train") return bench_train(flags);
    if (name == "variants") return bench_variants(flags);
    if (name == "generate") return bench_generate(flags);
    if (name == "rotate") return bench_rotate(flags);
    if (name == "start") return bench_start(flags);
    if (name == "estimates") return bench_estimates();
    return bench_window(flags);
}

nlohmann::json machine_json() {
    const Machine machine = this_machine();
    nlohmann::json json = {
        {"processor", machine.processor}, {"cores", machine.cores}, {"memory_bytes", machine.memory_bytes}};
    try {
        const EngineInfo engine = open_engine().info();
        json.update({{"libtorch", engine.version},
                     {"instructions", engine.processor},
                     {"bfloat16", engine.bfloat16},
                     {"threads", engine.threads},
                     {"device", engine.cuda ? "cuda" : "cpu"},
                     {"cuda_detail", engine.cuda_detail}});
    } catch (const std::exception&) {
        json["libtorch"] = nullptr;  // the parts that require LibTorch report the error
    }
    return json;
}

void run(const Flags& flags) {
    for (const std::string& part : flags.parts) {
        if (std::find(part_names.begin(), part_names.end(), part) == part_names.end()) {
            throw BadInput("There is no benchmark part \"" + part + "\"; did you mean " + nearest(part, part_names) +
                           "?");
        }
    }
    if (!(flags.seconds > 0))
        throw BadInput("--seconds is " + number_text(flags.seconds) + ", but it must be above 0.");
    first_run(flags, "nanogpt-cpu");  // throws BadInput for invalid settings before anything is measured
    watch_interrupts();
    const bool all = flags.parts.empty();
    nlohmann::json report = {{"date", today()}, {"version", ROPELAB_VERSION}, {"machine", machine_json()}};
    nlohmann::json missing = nlohmann::json::array();
    const auto& machine = report["machine"];
    std::ostringstream text;
    text << "RoPE Lab " << ROPELAB_VERSION << ", " << report["date"].get<std::string>() << ", "
         << machine["processor"].get<std::string>() << ", " << machine["cores"] << " cores"
         << (machine["libtorch"].is_null() ? "" : ", LibTorch " + machine["libtorch"].get<std::string>()) << '\n';
    ProgressLine progress;
    for (const std::string_view name : part_names) {
        if (!all && std::find(flags.parts.begin(), flags.parts.end(), name) == flags.parts.end()) continue;
        progress.show("measuring " + std::string(name));
        try {
            const Part part = measure(name, flags);
            report[std::string(name)] = part.json;
            text << '\n' << name << '\n' << part.table.text();
        } catch (const BadInput&) {
            throw;
        } catch (const std::exception& error) {
            if (!all || interrupted()) throw;  // failure of a part that was named ends the program
            missing.push_back(error.what());
        }
    }
    progress.end();
    report["missing"] = missing;
    if (flags.json) return print_json(report);
    for (const auto& sentence : missing) text << "\nNot measured: " << sentence.get<std::string>() << '\n';
    text << "\nValues are medians with the quartiles in parentheses; alternatives are measured in alternation.\n";
    print_text(text.str());
}

}  // namespace

void add_bench(CLI::App& program) {
    CLI::App* verb =
        program.add_subcommand("bench", "Benchmark training, generation, rotation and program start on this machine");
    auto& flags = with_flags<Flags>(*verb, run);
    add_repeated(*verb, "--part", flags.parts,
                 "Benchmark to run: train, variants, generate, rotate, start, window or estimates (default: every one "
                 "that this machine can run)");
    verb->add_option("--preset", flags.preset,
                     "Built-in experiment (preset) whose first run is measured (default: nanogpt-cpu for train, "
                     "theta-paper for the others)");
    add_repeated(*verb, "--set", flags.settings,
                 "key=value replaces a setting of the preset (ropelab-cli --help keys lists all settings)");
    verb->add_option("--seconds", flags.seconds,
                     "Approximate time limit in seconds per comparison of alternatives; a minimum number of rounds is "
                     "always measured")
        ->capture_default_str();
    add_json(*verb, flags.json);
    verb->footer(
        "The models train on random tokens, because speed does not depend on the text; the setting \"data\" only "
        "determines the size of the vocabulary. The part variants trains a small shape with each position encoding, "
        "attention, feed-forward network, norm and optimizer, and names the parts that LibTorch's operations compute "
        "instead of RoPE Lab's fused kernels. Alternatives are measured in alternation (A B A B …).");
}

}  // namespace ropelab::terminal
