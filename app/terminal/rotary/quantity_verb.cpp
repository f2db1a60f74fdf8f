#include <memory>
#include <sstream>

#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/lecture/quantity.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/store/lab_file.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    std::string name;
    std::vector<std::string> arguments;
    std::string setup;
    std::string lab;
    bool list = false;
    bool json = false;
};

void print_list(bool as_json) {
    if (as_json) {
        nlohmann::json list = nlohmann::json::array();
        for (const QuantityDescription& each : quantities()) {
            list.push_back({{"name", each.name},
                            {"arguments", each.arguments},
                            {"unit", each.unit},
                            {"description", each.description},
                            {"needs_lab", each.needs_lab}});
        }
        return print_json(list);
    }
    std::ostringstream text;
    for (const QuantityDescription& each : quantities()) {
        text << each.name << each.arguments << (each.unit.empty() ? "" : "  [" + each.unit + "]")
             << (each.needs_lab ? "  --lab" : "") << "\n    " << each.description << '\n';
    }
    print_text(text.str());
}

// Returns "wavelength(31)" for `wavelength 31`; an expression with brackets stays as it is.
std::string expression_of(const Flags& flags) {
    if (flags.arguments.empty()) return flags.name;
    if (flags.name.find('(') != std::string::npos) {
        throw BadInput("Give the arguments of " + flags.name.substr(0, flags.name.find('(')) +
                       " in brackets or after its name, not both; quote an expression with spaces.");
    }
    std::string arguments;
    for (const std::string& each : flags.arguments) arguments += (arguments.empty() ? "" : ", ") + each;
    return flags.name + "(" + arguments + ")";
}

std::string value_text(const nlohmann::json& value) {
    if (value.is_null()) return "none";
    if (value.is_number()) return number_text(value.get<double>());
    if (!value.is_array()) return value.dump();
    std::string text;
    for (const nlohmann::json& each : value) {
        const bool interval = each.is_array() && each.size() == 2;
        text += (text.empty() ? "" : ", ") +
                (interval ? value_text(each[0]) + "–" + value_text(each[1]) : value_text(each));
    }
    return text.empty() ? "none" : text;
}

void run(const Flags& flags) {
    if (flags.list) {
        if (!flags.name.empty()) throw BadInput("--list lists all quantities; leave out \"" + flags.name + "\".");
        return print_list(flags.json);
    }
    if (flags.name.empty()) throw BadInput("Name a quantity, such as \"wavelength(31)\"; --list lists all.");
    QuantitySource source;
    if (!flags.setup.empty()) source.setups = parse_setups(flags.setup);
    std::unique_ptr<LabFile> lab;
    if (!flags.lab.empty()) {
        lab = LabFile::open(flags.lab, LabFile::Mode::read);
        source.lab = lab.get();
    }
    const std::string expression = expression_of(flags);
    const nlohmann::json value = evaluate_quantity(expression, source);
    if (flags.json) {
        nlohmann::json result = {{"quantity", expression}, {"value", value}, {"setup", setups_text(source.setups)}};
        if (!flags.lab.empty()) result["lab"] = flags.lab;
        return print_json(result);
    }
    print_text(value_text(value) + '\n');
}

}  // namespace

void add_quantity(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand(
        "quantity", "Compute a named quantity of a rotary setup or of the runs of a lab, as lectures do");
    verb->add_option("name", flags->name, "Name of the quantity, or an expression such as \"wavelength(31)\"");
    verb->add_option("arguments", flags->arguments, "Arguments, if the name has no brackets");
    verb->add_option("--setup", flags->setup,
                     "Rotary setup as \"Copy setup\" gives it (default: theta=10k head_dim=64 fraction=100% "
                     "context=1024); \"A | B\" for two setups, and B.NAME for a quantity of the second");
    verb->add_option("--lab", flags->lab, "Lab file, for quantities of runs");
    verb->add_flag("--list", flags->list, "List all quantities");
    verb->add_flag("--json", flags->json, "Print the result as JSON");
    verb->callback([flags] { run(*flags); });
}

}  // namespace ropelab::terminal
