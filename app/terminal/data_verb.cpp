#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "app/terminal/output.h"
#include "app/terminal/progress.h"
#include "app/terminal/verbs.h"
#include "core/data/clean.h"
#include "core/data/corpus.h"
#include "core/data/fetch.h"
#include "core/data/generated/language.h"
#include "core/data/info.h"
#include "core/data/known_sets.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    std::string name;
    std::string data_dir;
    std::string symbols = "auto";
    std::string output = "-";
    std::int64_t seed = 1;
    std::int64_t characters = 1000000;
    bool json = false;
};

void write_text(const std::string& file, const std::string& text) {
    if (file == "-") return print_text(text);
    std::ofstream stream(file, std::ios::binary);
    stream << text;
    if (!stream.flush()) throw BadInput("The file " + file + " cannot be written; name one in a folder that can.");
}

void list(const Flags& flags) {
    nlohmann::json sets = nlohmann::json::array();
    sets.push_back(
        {{"name", "generated"}, {"about", "A made-up language in which position matters."}, {"file", nullptr}});
    sets.push_back({{"name", "generated-local"},
                    {"about", "The control: each character depends on the one before."},
                    {"file", nullptr}});
    for (const KnownSet& set : known_sets()) {
        const auto found = find_on_disk(set, flags.data_dir);
        sets.push_back({{"name", set.name},
                        {"about", set.about},
                        {"file", found ? nlohmann::json(found->file.string()) : nullptr}});
        if (found) sets.back()["found"] = found->description;
    }
    if (flags.json) return print_json({{"data", sets}});
    std::ostringstream text;
    for (const auto& set : sets) {
        const std::string name = set.at("name");
        const bool generated = find_language(name).has_value();
        text << std::left << std::setw(17) << name << set.at("about").get<std::string>() << '\n' << std::setw(17) << "";
        if (generated) {
            text << "built in\n";
        } else if (set.contains("found")) {
            text << "here: " << set.at("found").get<std::string>() << '\n';
        } else {
            text << "not here yet: ropelab-cli data fetch " << name << '\n';
        }
    }
    print_text(text.str());
}

void fetch_set(const Flags& flags) {
    const KnownSet& set = known_set(flags.name);
    ProgressLine line;
    FetchOptions options;
    if (!flags.data_dir.empty()) options.folder = flags.data_dir;
    options.progress = [&](const FetchProgress& progress) {
        static constexpr const char* steps[] = {"downloading", "checking", "unpacking"};
        std::string text =
            std::string(steps[static_cast<int>(progress.step)]) + " " + set.name + " " + grouped(progress.done);
        if (progress.total > 0) text += " of " + grouped(progress.total);
        line.show(text + " bytes");
    };
    options.cancelled = [] { return interrupted(); };
    const auto fetched = fetch(set, options);
    line.end();
    if (!fetched) throw std::runtime_error("Stopped; the next fetch goes on from here.");
    if (flags.json) return print_json({{"file", fetched->file.string()}, {"already_there", fetched->already_there}});
    print_text((fetched->already_there ? "Already there: " : "Fetched: ") + fetched->file.string() + "\n");
}

nlohmann::json json_of(const SplitSizes& sizes) {
    return {{"training", sizes.training}, {"validation", sizes.validation}, {"test", sizes.test}};
}

void info(const Flags& flags) {
    RunSpec spec;
    key("symbols").set(spec, Value(flags.symbols));
    const TextInfo result = info_of(flags.name, spec.symbols, flags.data_dir, flags.seed);
    if (flags.json) {
        return print_json(
            {{"name", result.name},
             {"bytes", result.bytes},
             {"characters", result.characters ? nlohmann::json(*result.characters) : nullptr},
             {"symbols", result.symbols},
             {"symbol", result.as_bytes ? "byte" : "character"},
             {"distinct", result.distinct},
             {"alphabet", result.alphabet},
             {"order0_entropy_bits", result.order0_entropy},
             {"order1_entropy_bits", result.order1_entropy},
             {"splits", {{"90/10", json_of(result.ninety_ten)}, {"90/5/5", json_of(result.ninety_five_five)}}}});
    }
    std::ostringstream text;
    const char* symbol = result.as_bytes ? "bytes" : "characters";
    text << result.name << "\n"
         << grouped(result.bytes) << " bytes, " << grouped(result.symbols) << " " << symbol << ", " << result.distinct
         << " distinct\n";
    text << "entropy " << number_text(std::round(result.order0_entropy * 1e4) / 1e4) << " bits per symbol alone, "
         << number_text(std::round(result.order1_entropy * 1e4) / 1e4) << " given the symbol before\n";
    text << "90/10: " << grouped(result.ninety_ten.training) << " training, " << grouped(result.ninety_ten.validation)
         << " validation\n90/5/5: " << grouped(result.ninety_five_five.training) << " training, "
         << grouped(result.ninety_five_five.validation) << " validation, " << grouped(result.ninety_five_five.test)
         << " test\n";
    text << "alphabet:";
    for (const std::string& entry : result.alphabet) text << ' ' << entry;
    text << '\n';
    print_text(text.str());
}

void generate(const Flags& flags) {
    if (flags.characters < 1)
        throw BadInput("The number of characters is " + std::to_string(flags.characters) +
                       ", but it must be 1 or more.");
    const std::string name = flags.name.empty() ? "generated" : flags.name;
    if (name != "generated" && name != "generated-local") {
        throw BadInput("There is no generated language \"" + name + "\"; there are generated and generated-local.");
    }
    const Language language = name == "generated" ? Language::positional : Language::local;
    write_text(flags.output, generate_text(language, flags.seed, static_cast<std::size_t>(flags.characters)));
}

}  // namespace

void add_data(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand("data", "Texts to train on: list, fetch, info, generate, clean");
    verb->require_subcommand(1);
    const auto add = [&](const char* name, const char* what, void (*action)(const Flags&)) {
        CLI::App* part = verb->add_subcommand(name, what);
        part->add_flag("--json", flags->json, "Write JSON");
        part->callback([flags, action] { action(*flags); });
        return part;
    };
    add("list", "What there is, and what of it is on this machine", list)
        ->add_option("--data-dir", flags->data_dir, "A folder to look in first");
    CLI::App* fetch_verb = add("fetch", "Download a known set into the cache, check it, unpack it", fetch_set);
    fetch_verb->add_option("name", flags->name, "tinyshakespeare, enwik8 or text8")->required();
    fetch_verb->add_option("--data-dir", flags->data_dir, "A folder to put it in instead of the cache");
    CLI::App* info_verb = add("info", "Size, alphabet and entropies of a text", info);
    info_verb->add_option("file", flags->name, "A file, or a name that the key data takes")->required();
    info_verb->add_option("--symbols", flags->symbols, "auto, characters or bytes")->capture_default_str();
    info_verb->add_option("--data-dir", flags->data_dir, "A folder to look in first");
    info_verb->add_option("--seed", flags->seed, "Seed of a generated text")->capture_default_str();
    CLI::App* generate_verb = add("generate", "Write a text of the built-in language", generate);
    generate_verb->add_option("name", flags->name, "generated or generated-local");
    generate_verb->add_option("--seed", flags->seed, "Its seed")->capture_default_str();
    generate_verb->add_option("--characters", flags->characters, "Its length")->capture_default_str();
    generate_verb->add_option("--output", flags->output, "A file; - for standard output")->capture_default_str();
    CLI::App* clean_verb = add("clean", "Reduce a text to a–z and single spaces, as text8 was made",
                               [](const Flags& f) { write_text(f.output, clean_text(read_all(f.name))); });
    clean_verb->add_option("file", flags->name, "The file to clean; - for standard input")->required();
    clean_verb->add_option("--output", flags->output, "A file; - for standard output")->capture_default_str();
}

}  // namespace ropelab::terminal
