#include <memory>
#include <sstream>

#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/interop/hf_config.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    int head_dim = 64;
    std::string theta = "10000";
    std::string fraction = "1";
    std::string partial = "slice";
    std::string scaling = "none";
    double factor = 1;
    std::string hf_config;
    std::string layer_type;
    bool json = false;
};

Frequencies compute(const Flags& flags) {
    if (!flags.hf_config.empty()) return hf_frequencies(read_json(flags.hf_config), flags.layer_type);
    if (flags.scaling != "none" && flags.scaling != "linear") {
        throw BadInput("\"" + flags.scaling + "\" is no known scaling; it must be none or linear.");
    }
    return frequencies({.head_dim = flags.head_dim,
                        .theta = parse_number(flags.theta),
                        .fraction = parse_fraction(flags.fraction, flags.head_dim),
                        .partial = parse_partial(flags.partial),
                        .scaling = flags.scaling == "linear" ? Scaling::linear : Scaling::none,
                        .factor = flags.factor});
}

void run(const Flags& flags) {
    const Frequencies result = compute(flags);
    const std::vector<double> lengths = wavelengths(result);
    if (flags.json) {
        nlohmann::json wavelength_list = nlohmann::json::array();
        for (double length : lengths) wavelength_list.push_back(length);  // infinity becomes null
        print_json({{"rotary_dim", result.rotary_dim},
                    {"inverse_frequencies", result.inverse_frequencies},
                    {"wavelengths", wavelength_list},
                    {"attention_factor", result.attention_factor}});
        return;
    }
    std::ostringstream text;
    text << "rotary dimension " << result.rotary_dim << ", attention factor " << number_text(result.attention_factor)
         << "\n\npair  radians per token      wavelength (tokens)\n";
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        text << std::left << std::setw(6) << i << std::setw(23) << number_text(result.inverse_frequencies[i])
             << (result.inverse_frequencies[i] > 0 ? number_text(lengths[i]) : "does not turn") << '\n';
    }
    print_text(text.str());
}

}  // namespace

void add_frequencies(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand("frequencies", "Inverse frequencies and wavelengths of a head's pairs");
    verb->add_option("--head-dim", flags->head_dim, "Channels of a head")->capture_default_str();
    verb->add_option("--theta", flags->theta, "Rope theta, the base")->capture_default_str();
    verb->add_option("--fraction", flags->fraction, "Rotated share: 0.25, 25% or 6ch")->capture_default_str();
    verb->add_option("--partial", flags->partial, "slice or truncate")->capture_default_str();
    verb->add_option("--scaling", flags->scaling, "none or linear")->capture_default_str();
    verb->add_option("--factor", flags->factor, "Target context over training context")->capture_default_str();
    verb->add_option("--hf-config", flags->hf_config, "A Hugging Face model's config.json instead of the flags above");
    verb->add_option("--layer-type", flags->layer_type, "full_attention or sliding_attention, of such a model");
    verb->add_flag("--json", flags->json, "Write JSON");
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
