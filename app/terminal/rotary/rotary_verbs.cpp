// The commands frequencies, context and cache, which describe a rotary embedding with the same flags, and rotate.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <sstream>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "app/terminal/rotary/rotary_flags.h"
#include "app/terminal/verbs.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/rope/context.h"
#include "core/rope/memory.h"
#include "core/rope/rotation.h"
#include "core/table/table.h"

namespace ropelab::terminal {

namespace {

struct FrequencyFlags {
    RotaryFlags rotary;
    bool json = false;
};

void run_frequencies(FrequencyFlags& flags) {
    flags.rotary.parse();
    const auto& model = flags.rotary.model;
    if (model) warn_of_unknown_keys(*model);
    const Frequencies& result = flags.rotary.frequencies;
    const std::vector<double> lengths = wavelengths(result);
    if (flags.json) {
        const RotarySetup& setup = flags.rotary.setup;
        if (model) warn_of_remarks(*model);
        print_json({{"rotary_dim", result.rotary_dim},
                    {"theta", setup.theta},
                    {"pairing", setup.pairing == Pairing::half ? "half" : "interleaved"},
                    {"inverse_frequencies", result.inverse_frequencies},
                    {"wavelengths", lengths},  // infinity becomes null
                    {"attention_factor", result.attention_factor},
                    {"remarks", model ? model->remarks : std::vector<std::string>()},
                    {"unknown_keys", model ? model->unknown_keys : std::vector<std::string>()}});
        return;
    }
    const ScalingMethod method = flags.rotary.setup.scaling.method;
    std::string text =
        "rotary dimension " + std::to_string(result.rotary_dim) + ", attention factor " +
        number_text(result.attention_factor) +
        (method == ScalingMethod::none ? "" : ", frequencies with the scaling " + std::string(word_of(method))) +
        "\n\n";
    Table table{{{"pair", 'l', 6}, {"frequency [rad/token]", 'l', 23}, {"wavelength [tokens]", 'l'}}, {}};
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const double frequency = result.inverse_frequencies[i];
        table.rows.push_back({std::to_string(i), number_text(frequency),
                              frequency > 0 ? number_text(lengths[i]) : "infinite (not rotated)"});
    }
    text += table.text();
    if (model) text += '\n' + values_text(*model);
    print_text(text);
}

}  // namespace

void add_frequencies(CLI::App& program) {
    CLI::App* verb =
        program.add_subcommand("frequencies", "Print the frequencies and wavelengths of the rotary pairs of a head");
    auto& flags = with_flags<FrequencyFlags>(*verb, run_frequencies);
    flags.rotary.add_size(*verb, "Current sequence length in tokens, for scaling methods that depend on it");
    flags.rotary.add_spectrum(*verb);
    flags.rotary.add_scaling(*verb);
    add_json(*verb, flags.json);
}

namespace {

struct ContextFlags {
    RotaryFlags rotary;
    std::string scan_from;
    std::string scan_to;
    std::string scan_step;
    bool json = false;
};

ScanChoice scan_choice_of(const ContextFlags& flags) {
    const auto number = [](const std::string& text, const char* flag) {
        constexpr double most = 1e15;
        return text.empty() ? std::nullopt : std::optional(parse_positive(text, flag, most));
    };
    return {number(flags.scan_from, "--scan-from"), number(flags.scan_to, "--scan-to"),
            number(flags.scan_step, "--scan-step")};
}

// 0, 1, 2, … and then about twelve per factor of two.
std::vector<double> distances_to(std::int64_t context) {
    std::vector<double> result = {0};
    for (double distance = 1; distance < static_cast<double>(context);
         distance = std::max(distance + 1, std::round(distance * 1.06))) {
        result.push_back(distance);
    }
    return result;
}

nlohmann::json json_of(const FeasibleBases& bases) {
    return json_list(bases.intervals, [](const BaseInterval& interval) -> nlohmann::json {
        return {interval.low, interval.high};
    });
}

std::string text_of(const FeasibleBases& bases, std::int64_t context, ScalingMethod scaling) {
    const BaseScan& scan = bases.scan;
    std::ostringstream text;
    text << "feasible bases θ, which support a context of " << context << " tokens"
         << (scaling == ScalingMethod::none ? "" : " with the same scaling") << ", scanned from "
         << number_text(scan.low) << " to " << number_text(scan.high) << " in steps of " << number_text(scan.step)
         << ":\n";
    if (bases.intervals.empty()) {
        text << "  none; --scan-to tests larger bases, and --scan-step finds narrower intervals\n";
    }
    constexpr std::size_t shown = 20;
    for (std::size_t i = 0; i < std::min(shown, bases.intervals.size()); ++i) {
        const auto& [low, high] = bases.intervals[i];
        text << "  " << number_text(low) << (high > low ? " – " + number_text(high) : "") << '\n';
    }
    if (bases.intervals.size() > shown)
        text << "  and " << bases.intervals.size() - shown << " more, the last from "
             << number_text(bases.intervals.back().low) << " – " << number_text(bases.intervals.back().high) << '\n';
    return text.str();
}

void run_context(ContextFlags& flags) {
    flags.rotary.parse();
    const RotarySetup& setup = flags.rotary.setup;
    Frequencies frequencies = flags.rotary.frequencies;
    if (const auto& model = flags.rotary.model) {
        warn_of_unknown_keys(*model);
        // Frequencies that depend on the length are those at the full context.
        frequencies = model->of(flags.rotary.layer_type).at(static_cast<double>(setup.context));
    }
    const ScanChoice choice = scan_choice_of(flags);

    watch_interrupts();
    ProgressLine line;
    const auto start = std::chrono::steady_clock::now();
    const auto bases = search_bases(flags.rotary.settings, setup.context, choice, interrupted, [&](double fraction) {
        if (std::chrono::steady_clock::now() - start < std::chrono::seconds(2)) return;
        line.show("scanning bases: " + std::to_string(std::lround(100 * fraction)) + " %");
    });
    const auto first = first_negative(frequencies, setup.head_dim, setup.context, interrupted);
    // Limited, because a lowest value cannot be found early as the first negative one can.
    const std::int64_t distances_searched = std::min<std::int64_t>(setup.context, std::int64_t{1} << 22);
    const LowestBound lowest = lowest_bound(frequencies, setup.head_dim, distances_searched, interrupted);
    line.end();
    if (interrupted()) throw std::runtime_error("Interrupted before all bases θ of the scan were tested.");
    const int dimension = setup.partial == Partial::slice ? frequencies.rotary_dim : setup.head_dim;
    // Counted with the scaled frequencies; without scaling this is the critical dimension of formula 14.
    const int critical = 2 * complete_pairs(frequencies, static_cast<double>(setup.context));
    const std::vector<double> distances = distances_to(setup.context);
    const std::vector<double> bound = decay_bound(frequencies.inverse_frequencies, distances);

    if (flags.json) {
        print_json({{"first_negative", or_null(first)},
                    {"lowest_bound",
                     {{"value", lowest.value},
                      {"of", setup.head_dim / 2},
                      {"distance", lowest.distance},
                      {"negative_distances", lowest.negative},
                      {"distances", distances_searched}}},
                    {"feasible_bases", json_of(bases)},
                    {"critical_dimension", critical},
                    {"decay", {{"distance", distances}, {"bound", bound}}},
                    {"scan", {{"low", bases.scan.low}, {"high", bases.scan.high}, {"step", bases.scan.step}}},
                    {"context", setup.context}});
        return;
    }
    std::ostringstream text;
    text << "context                 " << setup.context << " tokens\n"
         << "supported context       "
         << (first ? std::to_string(*first) + " tokens (Men et al.: first distance Δ with B(Δ) = Σ cos(Δω_i) < 0)"
                   : "at least the context (Men et al.: B(Δ) = Σ cos(Δω_i) ≥ 0 at every distance Δ below the context)")
         << '\n';
    if (first) {
        text << "lowest B(Δ)             " << number_text(std::round(lowest.value * 100) / 100) << " of "
             << setup.head_dim / 2 << " at Δ = " << lowest.distance << "; B(Δ) < 0 at " << lowest.negative << " of "
             << distances_searched << " distances\n";
    }
    text << "critical dimension      " << critical << " of " << dimension
         << " channels complete a period within the context (Liu et al."
         << (setup.scaling.method == ScalingMethod::none ? "" : ", applied to the scaled frequencies") << ")\n"
         << text_of(bases, setup.context, setup.scaling.method) << "upper bound (2/d) Σ|S_j| of "
         << (dimension < setup.head_dim ? "the rotated channels' part of the attention logit" : "the attention logit")
         << " (Su et al.; formula 11 of the guide) by distance [tokens]:\n";
    Table decay{{{"", 'l', 2}, {"", 'l', 10}, {"", 'l'}}, {}};
    for (std::size_t i = 0; i < distances.size(); i += std::max<std::size_t>(1, distances.size() / 12)) {
        decay.rows.push_back({"", number_text(distances[i]), number_text(std::round(bound[i] * 1e4) / 1e4)});
    }
    print_text(text.str() + decay.text());
}

}  // namespace

void add_context(CLI::App& program) {
    CLI::App* verb = program.add_subcommand("context",
                                            "Compute the context length that a rotary embedding supports, and the "
                                            "bases θ that support a given context length");
    auto& flags = with_flags<ContextFlags>(*verb, run_context);
    flags.rotary.add_size(*verb, "Context in tokens (default: 1024, or the model's own)");
    flags.rotary.add_spectrum(*verb);
    verb->add_option("--scan-from", flags.scan_from,
                     "Smallest base θ that is tested for the context (default: 100, or the step if that is larger)")
        ->type_name(number_type);
    verb->add_option(
            "--scan-to", flags.scan_to,
            "Largest base θ that is tested for the context (default: 1M, or twice theta if that is larger; without "
            "--scan-step, ten times as much until a base supports the context, up to about 1e15)")
        ->type_name(number_type);
    verb->add_option("--scan-step", flags.scan_step,
                     "Step between the tested bases θ (default: chosen so that testing takes about two seconds)")
        ->type_name(number_type);
    add_json(*verb, flags.json);
    verb->footer(
        "A base θ is feasible for a context if B(Δ) = Σ cos(Δω_i) ≥ 0 for every distance Δ below the context; the sum "
        "runs over all pairs of the head, and an unrotated pair counts 1 (Men et al. 2024). With a scaling, all "
        "results use the scaled frequencies. The test of bases can miss feasible and infeasible intervals that are "
        "narrower than its step.");
}

namespace {

struct CacheFlags {
    RotaryFlags rotary;
    std::string precision = "float32";
    std::string kv_precision = "bfloat16";
    std::string layout = "duplicated";
    std::string layers;
    std::string heads;
    std::string kv_heads;
    std::string latent_dim;
    std::string rope_dim;
    std::string window;
    std::string global_layers;
    bool per_layer = false;
    bool json = false;
};

NumberFormat parse_precision(const std::string& text) {
    const NumberFormat format = parse_number_format(text);
    if (format == NumberFormat::float64)
        throw BadInput("float64 is not a number format of a cache; the format must be float32, float16 or bfloat16.");
    return format;
}

std::string_view word_of(KvCache kind) {
    switch (kind) {
        case KvCache::multi_head:
            return "multi-head";
        case KvCache::grouped:
            return "grouped";
        case KvCache::multi_query:
            return "multi-query";
        case KvCache::latent:
            return "latent";
        case KvCache::sliding:
            return "sliding";
    }
    return "";
}

AttentionSizes sizes_of_flags(const CacheFlags& flags, int head_dim) {
    AttentionSizes sizes = {.head_dim = head_dim};
    const auto count = [](const std::string& text, const char* flag, std::int64_t usual, std::int64_t low = 1) {
        return text.empty() ? usual : parse_count(text, flag, low, 1 << 24);
    };
    sizes.layers = count(flags.layers, "--layers", sizes.layers);
    sizes.heads = count(flags.heads, "--heads", sizes.heads);
    sizes.kv_heads = count(flags.kv_heads, "--kv-heads", flags.heads.empty() ? sizes.kv_heads : sizes.heads);
    if (sizes.kv_heads > sizes.heads || sizes.heads % sizes.kv_heads != 0) {
        throw BadInput("--kv-heads is " + std::to_string(sizes.kv_heads) + ", but it must divide the " +
                       std::to_string(sizes.heads) + " heads.");
    }
    if (!flags.latent_dim.empty() && !flags.window.empty())
        throw BadInput("--latent-dim and --sliding-window cannot be combined; give one of them.");
    if (flags.latent_dim.empty() && !flags.rope_dim.empty())
        throw BadInput(
            "--rope-dim is the rotary dimension of a latent KV cache; add --latent-dim, the latent dimension of this "
            "cache.");
    if (flags.window.empty() && !flags.global_layers.empty())
        throw BadInput(
            "--global-layers counts the layers without a sliding window; add --sliding-window, the size of the window "
            "in the other layers.");
    sizes.latent_dim = count(flags.latent_dim, "--latent-dim", sizes.latent_dim);
    sizes.latent_rope_dim = count(flags.rope_dim, "--rope-dim", sizes.latent_rope_dim, 0);
    sizes.window = count(flags.window, "--sliding-window", sizes.window);
    sizes.global_layers = count(flags.global_layers, "--global-layers", 0, 0);
    if (sizes.global_layers > sizes.layers) {
        throw BadInput("--global-layers is " + std::to_string(sizes.global_layers) + ", but there are " +
                       std::to_string(sizes.layers) + " layers.");
    }
    sizes.kind = !flags.latent_dim.empty() ? KvCache::latent
                 : !flags.window.empty()   ? KvCache::sliding
                                           : kind_of_heads(sizes.heads, sizes.kv_heads);
    return sizes;
}

// "16 GiB" for 17179869184.
std::string size_text(std::int64_t bytes) {
    static constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double size = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; size >= 1024 && unit + 1 < std::size(units); ++unit) size /= 1024;
    return number_text(std::round(size * 100) / 100) + " " + units[unit];
}

// '#' characters; `largest` has 40 of them.
std::string bar(std::int64_t bytes, std::int64_t largest) {
    const double fraction = largest == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(largest);
    const auto whole = static_cast<std::size_t>(std::lround(40 * fraction));
    if (bytes > 0 && whole == 0) return "|";
    return std::string(whole, '#');
}

void run_cache(CacheFlags& flags) {
    flags.rotary.parse(true);
    const RotarySetup& setup = flags.rotary.setup;
    const auto& model = flags.rotary.model;
    const NumberFormat precision = parse_precision(flags.precision);
    const NumberFormat kv_precision = parse_precision(flags.kv_precision);
    const TableLayout layout = choice_of(flags.layout, "a layout of the cos/sin table", {"duplicated", "single"}) == 0
                                   ? TableLayout::duplicated
                                   : TableLayout::single;

    std::optional<AttentionSizes> sizes;  // nullopt: the config.json does not define them
    std::vector<CachedLayers> caches;
    std::vector<int> rotary_dims;  // one per table
    std::int64_t tables = 1;
    if (model) {
        warn_of_unknown_keys(*model);
        sizes = model->sizes;
        caches = model->caches();
        for (const HfRotary& rotary : model->rotary) rotary_dims.push_back(rotary.rotary_dim);
        if (flags.per_layer && !sizes)
            throw BadInput(
                "--per-layer requires the number of layers that have a cache, but the config.json does not define this "
                "number; leave out --per-layer.");
    } else {
        sizes = sizes_of_flags(flags, setup.head_dim);
        caches = caches_of(*sizes);
        const bool latent = sizes->kind == KvCache::latent;
        if (latent && setup.fraction != 1)
            throw BadInput(
                "With a latent KV cache, --rope-dim gives the number of rotated channels; leave out --fraction.");
        rotary_dims = {latent ? static_cast<int>(sizes->latent_rope_dim) : rotary_dim(setup)};
    }
    std::int64_t rope_bytes = 0;
    for (std::size_t i = 0; i < rotary_dims.size(); ++i) {
        if (flags.per_layer) {
            const bool several = rotary_dims.size() > 1;
            tables = several ? model->rotary[i].layers : sizes->layers;
        }
        rope_bytes += rope_cache_bytes(rotary_dims[i], setup.context, bytes_of(precision), layout, tables);
    }
    const int first_dim = rotary_dims.empty() ? 0 : rotary_dims.front();
    const std::int64_t kv_bytes = kv_cache_bytes(caches, setup.context, bytes_of(kv_precision));
    const std::int64_t index_bytes = index_cache_bytes(caches, setup.context, bytes_of(kv_precision));

    if (flags.json) {
        nlohmann::json result = {{"rope_cache_bytes", rope_bytes},
                                 {"kv_cache_bytes", sizes ? nlohmann::json(kv_bytes) : nlohmann::json(nullptr)},
                                 {"rotary_dim", first_dim},
                                 {"rotary_dims", rotary_dims},
                                 {"position", ropelab::word_of(model ? model->position : HfPosition::rotary)},
                                 {"context", setup.context},
                                 {"precision", ropelab::word_of(precision)},
                                 {"kv_precision", ropelab::word_of(kv_precision)},
                                 {"layout", flags.layout},
                                 {"per_layer", flags.per_layer}};
        if (sizes) {
            result["kv_cache"] = word_of(sizes->kind);
            result["layers"] = sizes->layers;
            if (index_bytes > 0) result["index_cache_bytes"] = index_bytes;
            if (sizes->kind == KvCache::latent) {
                result["latent_dim"] = sizes->latent_dim;
                result["rope_dim"] = sizes->latent_rope_dim;
            } else {
                result["heads"] = sizes->heads;
                result["kv_heads"] = sizes->kv_heads;
                result["head_dim"] = sizes->head_dim;
            }
            if (sizes->kind == KvCache::sliding) {
                result["window"] = sizes->window;
                result["global_layers"] = sizes->global_layers;
            }
        }
        return print_json(result);
    }
    std::ostringstream text;
    const std::int64_t largest = std::max({rope_bytes, kv_bytes, index_bytes});
    Table table{{{"", 'l', 12}, {"", 'r', 12}, {"", 'l'}}, {}};
    table.rows.push_back({"RoPE cache", size_text(rope_bytes), bar(rope_bytes, largest)});
    if (sizes) table.rows.push_back({"KV cache", size_text(kv_bytes), bar(kv_bytes, largest)});
    if (index_bytes > 0) table.rows.push_back({"Indexer keys", size_text(index_bytes), bar(index_bytes, largest)});
    text << "context " << setup.context << " tokens, rotary dimension " << first_dim << "\n\n" << table.text();
    if (rotary_dims.empty()) {
        text << "\nRoPE: no table, because the model has " << ropelab::word_of(model->position)
             << (model->position == HfPosition::none ? ".\n" : " instead of a rotary embedding.\n");
    } else {
        text << "\nRoPE: " << ropelab::word_of(precision) << ", " << flags.layout << " layout, "
             << (flags.per_layer ? "one table per layer" : "one table for all layers") << '\n';
    }
    if (sizes) {
        text << "KV: " << ropelab::word_of(kv_precision) << ", " << word_of(sizes->kind) << ", "
             << counted(sizes->layers, "layer") << ", one sequence\n";
    } else {
        text << "KV: size unknown, because the config.json does not define the shape of the KV cache or the model has "
                "no KV cache.\n";
    }
    text << "1 KiB is 1,024 bytes, 1 MiB is 1,024 KiB, 1 GiB is 1,024 MiB.\n";
    if (model) text << '\n' << values_text(*model);
    print_text(text.str());
}

}  // namespace

void add_cache(CLI::App& program) {
    CLI::App* verb = program.add_subcommand(
        "cache", "Compare the memory of the cos/sin table (RoPE cache) with that of the KV cache");
    auto& flags = with_flags<CacheFlags>(*verb, run_cache);
    RotaryFlags& rotary = flags.rotary;
    rotary.add_size(*verb, "Context in tokens (default: 1024, or the model's own)");
    verb->add_option("--precision", flags.precision, "Number format of the cos/sin table: float32, float16 or bfloat16")
        ->capture_default_str();
    verb->add_option(
            "--layout", flags.layout,
            "Layout of the cos/sin table: duplicated (each angle twice, as in Hugging Face transformers) or single")
        ->capture_default_str();
    verb->add_flag("--per-layer", flags.per_layer,
                   "Assume one cos/sin table per layer (default: one table for all layers)");
    verb->add_option("--kv-precision", flags.kv_precision,
                     "Number format of keys and values: float32, float16 or bfloat16")
        ->capture_default_str();
    rotary.add_shape(*verb, "--layers", flags.layers, "Number of layers (default: 32)");
    rotary.add_shape(*verb, "--heads", flags.heads, "Number of query heads (default: 32)");
    rotary.add_shape(*verb, "--kv-heads", flags.kv_heads,
                     "Number of key/value heads (default: 8, or --heads if that is given)");
    rotary.add_shape(*verb, "--latent-dim", flags.latent_dim,
                     "Latent dimension d_latent of multi-head latent attention");
    rotary.add_shape(*verb, "--rope-dim", flags.rope_dim,
                     "Rotary dimension d_rope of multi-head latent attention (default: 64)");
    rotary.add_shape(*verb, "--sliding-window", flags.window, "Size of the sliding attention window in tokens");
    rotary.add_shape(*verb, "--global-layers", flags.global_layers,
                     "Number of layers without a sliding window (default: 0)");
    add_json(*verb, flags.json);
}

namespace {

// Row-major. Throws BadInput if the array does not have shape.size() levels or if lists of one level differ in length.
void flatten(const nlohmann::json& value, std::size_t depth, std::vector<std::size_t>& shape,
             std::vector<float>& numbers) {
    if (depth == shape.size()) {
        if (!value.is_number())
            throw BadInput("The array x contains " + value.dump().substr(0, 40) +
                           " in place of a number; its shape must be batch × heads × time × head_dim.");
        numbers.push_back(value.get<float>());
        return;
    }
    if (!value.is_array() || value.empty())
        throw BadInput("The array x must have four levels of lists: batch × heads × time × head_dim.");
    if (shape[depth] == 0) shape[depth] = value.size();
    if (shape[depth] != value.size())
        throw BadInput(
            "The array x has lists of different lengths; its shape must be batch × heads × time × head_dim.");
    for (const auto& entry : value) flatten(entry, depth + 1, shape, numbers);
}

// Nested lists of this shape from row-major numbers, from the level `depth` on; advances `numbers`.
nlohmann::json nest(const std::vector<std::size_t>& shape, std::size_t depth, const float*& numbers) {
    if (depth == shape.size()) return *numbers++;
    nlohmann::json result = nlohmann::json::array();
    for (std::size_t i = 0; i < shape[depth]; ++i) result.push_back(nest(shape, depth + 1, numbers));
    return result;
}

void run_rotate() {
    const nlohmann::json input = read_json("-");
    for (const char* name : {"x", "positions"}) {
        if (!input.is_object() || !input.contains(name)) {
            throw BadInput(std::string("Standard input must be a JSON object with x and positions; ") + name +
                           " is missing.");
        }
    }
    std::vector<std::size_t> shape(4, 0);
    std::vector<float> numbers;
    flatten(input.at("x"), 0, shape, numbers);

    try {
        std::vector<std::int64_t> positions;
        for (const double position : input.at("positions").get<std::vector<double>>()) {
            if (position != std::trunc(position) || std::abs(position) > 0x1p53) {
                throw BadInput("A position is " + number_text(position) +
                               ", but it must be a whole number of at most 2^53.");
            }
            positions.push_back(static_cast<std::int64_t>(position));
        }
        if (positions.size() != shape[2]) {
            throw BadInput("There are " + std::to_string(positions.size()) + " positions for " +
                           std::to_string(shape[2]) + " time steps of x; give one position per time step.");
        }
        const auto head_dim = static_cast<int>(shape[3]);
        const Frequencies frequency = frequencies({.head_dim = head_dim,
                                                   .theta = input.value("theta", 10000.0),
                                                   .fraction = input.value("fraction", 1.0),
                                                   .partial = parse_partial(input.value("partial", "slice"))});
        rotate(numbers, shape[3], rotation_table(frequency, positions),
               choice_of(input.value("pairing", "half"), "a pairing of channels", {"half", "interleaved"}) == 0
                   ? Pairing::half
                   : Pairing::interleaved);
    } catch (const nlohmann::json::type_error&) {
        throw BadInput(
            "positions must be a list of whole numbers, theta and fraction must be numbers, and partial and pairing "
            "must be strings.");
    }
    const float* next = numbers.data();
    print_json({{"x", nest(shape, 0, next)}});
}

}  // namespace

void add_rotate(CLI::App& program) {
    CLI::App* verb = program.add_subcommand("rotate", "Apply RoPE to queries or keys given as JSON on standard input");
    verb->footer(
        "Standard input contains {\"x\": batch × heads × time × head_dim, \"positions\": […], \"theta\", "
        "\"fraction\",\n"
        "\"partial\": \"slice\"|\"truncate\", \"pairing\": \"half\"|\"interleaved\"} and the output is the rotated "
        "{\"x\": …}.");
    add_json(*verb, with_flags<bool>(*verb, [](bool) { run_rotate(); }),
             "This flag has no effect: the output is always JSON");
}

}  // namespace ropelab::terminal
