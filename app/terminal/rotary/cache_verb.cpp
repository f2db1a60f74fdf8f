#include <algorithm>
#include <cmath>
#include <iomanip>
#include <memory>
#include <sstream>

#include "app/terminal/output.h"
#include "app/terminal/rotary/rotary_flags.h"
#include "app/terminal/verbs.h"
#include "core/rope/memory.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab::terminal {

namespace {

struct Flags {
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

struct Shape {
    CacheShape cache;
    KvCache kind = KvCache::grouped;
    bool known = true;  // false: the config.json does not define it
};

NumberFormat parse_precision(const std::string& text) {
    const NumberFormat format = parse_number_format(text);
    if (format == NumberFormat::float64)
        throw BadInput("float64 is not a precision of a cache; it must be float32, float16 or bfloat16.");
    return format;
}

TableLayout parse_layout(const std::string& word) {
    if (word == "duplicated") return TableLayout::duplicated;
    if (word == "single") return TableLayout::single;
    throw BadInput("\"" + word + "\" is not a layout of the cos/sin table; it must be duplicated or single.");
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

Shape shape_of_flags(const Flags& flags, int head_dim) {
    Shape shape;
    CacheShape& cache = shape.cache;
    const auto count = [](const std::string& text, const char* flag, std::int64_t usual, std::int64_t low = 1) {
        return text.empty() ? usual : parse_count(text, flag, low, 1 << 24);
    };
    cache.head_dim = head_dim;
    cache.layers = count(flags.layers, "--layers", cache.layers);
    cache.heads = count(flags.heads, "--heads", cache.heads);
    cache.kv_heads = count(flags.kv_heads, "--kv-heads", flags.heads.empty() ? cache.kv_heads : cache.heads);
    if (cache.kv_heads > cache.heads || cache.heads % cache.kv_heads != 0) {
        throw BadInput("--kv-heads is " + std::to_string(cache.kv_heads) + ", but it must divide the " +
                       std::to_string(cache.heads) + " heads.");
    }
    if (!flags.latent_dim.empty() && !flags.window.empty())
        throw BadInput("--latent-dim and --sliding-window cannot be combined; give one of them.");
    if (flags.latent_dim.empty() && !flags.rope_dim.empty())
        throw BadInput("--rope-dim is the rotary part of a latent KV cache; it requires --latent-dim.");
    if (flags.window.empty() && !flags.global_layers.empty())
        throw BadInput("--global-layers counts the layers without a sliding window; it requires --sliding-window.");
    cache.latent_dim = count(flags.latent_dim, "--latent-dim", cache.latent_dim);
    cache.latent_rope_dim = count(flags.rope_dim, "--rope-dim", cache.latent_rope_dim, 0);
    cache.window = count(flags.window, "--sliding-window", cache.window);
    cache.global_layers = count(flags.global_layers, "--global-layers", 0, 0);
    if (cache.global_layers > cache.layers) {
        throw BadInput("--global-layers is " + std::to_string(cache.global_layers) + ", but there are " +
                       std::to_string(cache.layers) + " layers.");
    }
    shape.kind = !flags.latent_dim.empty()       ? KvCache::latent
                 : !flags.window.empty()         ? KvCache::sliding
                 : cache.kv_heads == cache.heads ? KvCache::multi_head
                 : cache.kv_heads == 1           ? KvCache::multi_query
                                                 : KvCache::grouped;
    return shape;
}

// Returns a size with a binary unit, such as "16 GiB" for 17179869184.
std::string size_text(std::int64_t bytes) {
    static constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double size = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; size >= 1024 && unit + 1 < std::size(units); ++unit) size /= 1024;
    return number_text(std::round(size * 100) / 100) + " " + units[unit];
}

// Returns a bar of '#' characters; `largest` has 40 of them.
std::string bar(std::int64_t bytes, std::int64_t largest) {
    const double fraction = largest == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(largest);
    const auto whole = static_cast<std::size_t>(std::lround(40 * fraction));
    if (bytes > 0 && whole == 0) return "|";
    return std::string(whole, '#');
}

void run(Flags& flags) {
    flags.rotary.parse();
    const RotarySetup& setup = flags.rotary.setup;
    const auto& model = flags.rotary.model;
    const NumberFormat precision = parse_precision(flags.precision);
    const NumberFormat kv_precision = parse_precision(flags.kv_precision);
    const TableLayout layout = parse_layout(flags.layout);

    Shape shape;
    std::vector<int> rotary_dims;  // one per table
    std::int64_t tables = 1;
    if (model) {
        warn_of_unknown_keys(*model);
        shape.known = model->cache.has_value();
        if (model->cache) shape.cache = *model->cache;
        shape.kind = model->kind;
        for (const HfRotary& rotary : model->rotary) rotary_dims.push_back(rotary.rotary_dim);
        if (flags.per_layer && !model->cache)
            throw BadInput(
                "--per-layer requires the number of layers that have a cache, but the config does not define it.");
    } else {
        shape = shape_of_flags(flags, setup.head_dim);
        const bool latent = shape.kind == KvCache::latent;
        if (latent && setup.fraction != 1)
            throw BadInput("A latent KV cache rotates the channels of --rope-dim; leave out --fraction.");
        rotary_dims = {latent ? static_cast<int>(shape.cache.latent_rope_dim) : rotary_dim(setup)};
    }
    std::int64_t rope_bytes = 0;
    for (std::size_t i = 0; i < rotary_dims.size(); ++i) {
        if (flags.per_layer) {
            const bool several = rotary_dims.size() > 1;
            tables = several ? model->rotary[i].layers : shape.cache.layers;
        }
        rope_bytes += rope_cache_bytes(rotary_dims[i], setup.context, bytes_of(precision), layout, tables);
    }
    const std::int64_t kv_bytes =
        shape.known ? kv_cache_bytes(shape.cache, shape.kind, setup.context, bytes_of(kv_precision)) : 0;

    if (flags.json) {
        nlohmann::json result = {{"rope_cache_bytes", rope_bytes},
                                 {"kv_cache_bytes", shape.known ? nlohmann::json(kv_bytes) : nlohmann::json(nullptr)},
                                 {"rotary_dim", rotary_dims.front()},
                                 {"rotary_dims", rotary_dims},
                                 {"context", setup.context},
                                 {"precision", ropelab::word_of(precision)},
                                 {"kv_precision", ropelab::word_of(kv_precision)},
                                 {"layout", flags.layout},
                                 {"per_layer", flags.per_layer}};
        if (shape.known) {
            const CacheShape& cache = shape.cache;
            result["kv_cache"] = word_of(shape.kind);
            result["layers"] = cache.layers;
            if (shape.kind == KvCache::latent) {
                result["latent_dim"] = cache.latent_dim;
                result["rope_dim"] = cache.latent_rope_dim;
            } else {
                result["heads"] = cache.heads;
                result["kv_heads"] = cache.kv_heads;
                result["head_dim"] = cache.head_dim;
            }
            if (shape.kind == KvCache::sliding) {
                result["window"] = cache.window;
                result["global_layers"] = cache.global_layers;
            }
        }
        return print_json(result);
    }
    std::ostringstream text;
    const std::int64_t largest = std::max(rope_bytes, kv_bytes);
    text << "context " << setup.context << " tokens, rotary dimension " << rotary_dims.front() << "\n\n"
         << std::left << std::setw(12) << "RoPE cache" << std::right << std::setw(12) << size_text(rope_bytes) << "  "
         << bar(rope_bytes, largest) << '\n';
    if (shape.known) {
        text << std::left << std::setw(12) << "KV cache" << std::right << std::setw(12) << size_text(kv_bytes) << "  "
             << bar(kv_bytes, largest) << '\n';
    }
    text << "\nRoPE: " << ropelab::word_of(precision) << ", " << flags.layout << " layout, "
         << (flags.per_layer ? "one table per layer" : "one table for all layers") << '\n';
    if (shape.known) {
        text << "KV: " << ropelab::word_of(kv_precision) << ", " << word_of(shape.kind) << ", " << shape.cache.layers
             << " layers, one sequence\n";
    } else {
        text << "KV: unknown, because the config does not define the shape or the model has no KV cache.\n";
    }
    text << "1 KiB is 1,024 bytes, 1 MiB is 1,024 KiB, 1 GiB is 1,024 MiB.\n";
    if (model) text << '\n' << values_text(*model);
    print_text(text.str());
}

}  // namespace

void add_cache(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand(
        "cache", "Compare the memory of the cos/sin table (RoPE cache) with that of the KV cache");
    RotaryFlags& rotary = flags->rotary;
    rotary.add_size(*verb, "Context in tokens (default: 1024, or the model's own)");
    verb->add_option("--precision", flags->precision,
                     "Number format of the cos/sin table: float32, float16 or bfloat16")
        ->capture_default_str();
    verb->add_option(
            "--layout", flags->layout,
            "Layout of the cos/sin table: duplicated (each angle twice, as in Hugging Face transformers) or single")
        ->capture_default_str();
    verb->add_flag("--per-layer", flags->per_layer,
                   "Assume one cos/sin table per layer (default: one table for all layers)");
    verb->add_option("--kv-precision", flags->kv_precision,
                     "Number format of keys and values: float32, float16 or bfloat16")
        ->capture_default_str();
    rotary.add_shape(*verb, "--layers", flags->layers, "Number of layers (default: 32)");
    rotary.add_shape(*verb, "--heads", flags->heads, "Number of query heads (default: 32)");
    rotary.add_shape(*verb, "--kv-heads", flags->kv_heads,
                     "Number of key/value heads (default: 8, or --heads if that is given)");
    rotary.add_shape(*verb, "--latent-dim", flags->latent_dim,
                     "Latent dimension d_latent of multi-head latent attention");
    rotary.add_shape(*verb, "--rope-dim", flags->rope_dim,
                     "Rotary dimension d_rope of multi-head latent attention (default: 64)");
    rotary.add_shape(*verb, "--sliding-window", flags->window, "Size of the sliding attention window in tokens");
    rotary.add_shape(*verb, "--global-layers", flags->global_layers,
                     "Number of layers without a sliding window (default: 0)");
    verb->add_flag("--json", flags->json, "Print the result as JSON");
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
