#include <iomanip>
#include <memory>
#include <sstream>

#include "app/terminal/output.h"
#include "app/terminal/rotary/rotary_flags.h"
#include "app/terminal/verbs.h"
#include "core/spec/numbers.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    RotaryFlags rotary;
    bool json = false;
};

void run(Flags& flags) {
    flags.rotary.parse();
    const auto& model = flags.rotary.model;
    if (model) warn_of_unknown_keys(*model);
    const Frequencies& result = flags.rotary.frequencies;
    const std::vector<double> lengths = wavelengths(result);
    if (flags.json) {
        nlohmann::json wavelength_list = nlohmann::json::array();
        for (double length : lengths) wavelength_list.push_back(length);  // infinity becomes null
        const RotarySetup& setup = flags.rotary.setup;
        if (model) warn_of_remarks(*model);
        print_json({{"rotary_dim", result.rotary_dim},
                    {"theta", setup.theta},
                    {"pairing", setup.pairing == Pairing::half ? "half" : "interleaved"},
                    {"inverse_frequencies", result.inverse_frequencies},
                    {"wavelengths", wavelength_list},
                    {"attention_factor", result.attention_factor},
                    {"remarks", model ? model->remarks : std::vector<std::string>()},
                    {"unknown_keys", model ? model->unknown_keys : std::vector<std::string>()}});
        return;
    }
    std::ostringstream text;
    const ScalingMethod method = flags.rotary.setup.scaling.method;
    text << "rotary dimension " << result.rotary_dim << ", attention factor " << number_text(result.attention_factor)
         << (method == ScalingMethod::none ? "" : ", frequencies with the scaling " + std::string(word_of(method)))
         << "\n\npair  frequency [rad/token]  wavelength [tokens]\n";
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        text << std::left << std::setw(6) << i << std::setw(23) << number_text(result.inverse_frequencies[i])
             << (result.inverse_frequencies[i] > 0 ? number_text(lengths[i]) : "infinite (not rotated)") << '\n';
    }
    if (model) text << '\n' << values_text(*model);
    print_text(text.str());
}

}  // namespace

void add_frequencies(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb =
        program.add_subcommand("frequencies", "Print the frequencies and wavelengths of the rotary pairs of a head");
    flags->rotary.add_size(*verb, "Current sequence length in tokens, for scaling methods that depend on it");
    flags->rotary.add_spectrum(*verb);
    flags->rotary.add_scaling(*verb);
    verb->add_flag("--json", flags->json, "Print the result as JSON");
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
