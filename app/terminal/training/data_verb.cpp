#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <sstream>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/bench/machine.h"
#include "core/data/clean.h"
#include "core/data/corpus.h"
#include "core/data/download.h"
#include "core/data/info.h"
#include "core/data/json_text.h"
#include "core/data/known_sets.h"
#include "core/data/synthetic/language.h"
#include "core/results/results_cells.h"
#include "core/settings/keys.h"
#include "core/store/output_file.h"
#include "core/table/table.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    std::string name;
    std::string data_dir;
    std::string tokenizer = "auto";
    std::vector<std::string> tokenizers;
    std::string text;
    std::int64_t vocabulary_size = 0;
    std::string output = "-";
    std::int64_t seed = 1;
    std::int64_t characters = 1000000;
    bool json = false;
};

// Throws BadInput if the text does not fit into memory or on the disk of `output`.
void check_size(std::int64_t characters, const std::filesystem::path& output) {
    const std::string text = "A text of " + grouped(characters) + " characters";
    const std::int64_t memory = bench::this_machine().memory_bytes;
    if (characters > memory) {
        throw BadInput(text +
                       " does not fit into the memory of this machine; give fewer --characters. The memory has " +
                       bytes_text(memory) + ".");
    }
    std::error_code error;
    const bool is_file = output != "-" && (would_replace(output) || !std::filesystem::exists(output, error));
    const auto disk = std::filesystem::space(std::filesystem::absolute(output).parent_path(), error);
    if (is_file && !error && static_cast<std::uintmax_t>(characters) > disk.available) {
        throw BadInput(text + " does not fit on the disk of " + output.string() + ", which has " +
                       bytes_text(static_cast<std::int64_t>(disk.available)) + " left.");
    }
}

void list(const Flags& flags) {
    nlohmann::json sets = nlohmann::json::array();
    for (const LanguageFacts& language : languages())
        sets.push_back({{"name", language.name}, {"about", language.about}, {"file", nullptr}});
    for (const KnownSet& set : known_sets()) {
        const auto found = find_on_disk(set, flags.data_dir);
        sets.push_back({{"name", set.name},
                        {"about", set.about},
                        {"file", found ? nlohmann::json(found->file.string()) : nullptr}});
        if (found) sets.back()["found"] = found->description;
    }
    if (flags.json) return print_json({{"data", sets}});
    Table table{{{"", 'l'}, {"", 'l'}}, {}};
    for (const auto& set : sets) {
        const std::string name = set.at("name");
        table.rows.push_back({name, set.at("about").get<std::string>()});
        table.rows.push_back({"", find_language(name) ? "built in"
                                  : set.contains("found")
                                      ? "found: " + set.at("found").get<std::string>()
                                      : "not downloaded; get it with ropelab-cli data fetch " + name});
    }
    print_text(table.text());
}

void fetch_set(const Flags& flags) {
    const KnownSet& set = known_set(flags.name);
    ProgressLine line;
    FetchOptions options;
    if (!flags.data_dir.empty()) options.folder = flags.data_dir;
    options.progress = [&](const FetchProgress& progress) {
        std::string text = std::string(word_of(progress.step)) + " " + set.name + " " + grouped(progress.done);
        if (progress.total > 0) text += " of " + grouped(progress.total);
        line.show(text + " bytes");
    };
    options.cancelled = [] { return interrupted(); };
    const auto fetched = fetch(set, options);
    line.end();
    if (!fetched) throw std::runtime_error("Stopped. Run \"ropelab-cli data fetch\" again to resume the download.");
    if (flags.json) return print_json({{"file", fetched->file.string()}, {"already_there", fetched->already_there}});
    print_text((fetched->already_there ? "Already downloaded: " : "Downloaded: ") + fetched->file.string() + "\n");
}

nlohmann::json json_of(const SplitSizes& sizes) {
    return {{"training", sizes.training}, {"validation", sizes.validation}, {"test", sizes.test}};
}

RunSpec spec_of(const Flags& flags, const std::string& tokenizer) {
    RunSpec spec;
    key("data").set(spec, Value(flags.name));
    key("tokenizer").set(spec, Value(tokenizer));
    if (spec.trains_tokenizer()) key("vocabulary_size").set(spec, Value(flags.vocabulary_size));
    spec.data_seed = flags.seed;
    return spec;
}

// Throws BadInput if --vocabulary-size is set, but none of the tokenizers uses it.
void check_vocabulary_size(const Flags& flags, const std::vector<RunSpec>& specs) {
    if (flags.vocabulary_size == 0 || std::ranges::any_of(specs, &RunSpec::trains_tokenizer)) return;
    throw BadInput("--vocabulary-size applies to the tokenizers " +
                   words_with(tokenizers(), &TokenizerFacts::is_trained, " and ") + "; add one with --tokenizer.");
}

struct SplitText {
    std::vector<std::string> tokens;
    std::vector<std::int32_t> numbers;
};

SplitText split_text(const RunSpec& spec, const Flags& flags) {
    const std::shared_ptr<const Corpus> corpus = open_corpus(spec, flags.data_dir);
    SplitText result;
    result.numbers = corpus->vocabulary.encode(flags.text);
    for (const std::int32_t token : result.numbers) {
        result.tokens.push_back(printable_token(corpus->vocabulary, token));
    }
    return result;
}

// Compared by `data tokens` if none is named.
std::vector<std::string> usual_tokenizers(const Flags& flags) {
    if (find_language(flags.name)) return {"auto", "bytes"};
    return {"auto", "bytes", "words", "bpe", "unigram"};
}

void tokens(const Flags& flags) {
    std::vector<RunSpec> specs;
    for (const std::string& word : flags.tokenizers.empty() ? usual_tokenizers(flags) : flags.tokenizers) {
        specs.push_back(spec_of(flags, word));
        check(specs.back());
        specs.back().context = 2;  // a text may be shorter than the context of a run
    }
    check_vocabulary_size(flags, specs);
    std::vector<TokenizerRow> rows = compare_tokenizers(specs, flags.data_dir);
    // auto may be one of the others.
    for (std::size_t i = rows.size(); i-- > 1;) {
        if (std::any_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(i),
                        [&](const TokenizerRow& row) { return row.tokenizer == rows[i].tokenizer; })) {
            rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(i));
            specs.erase(specs.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    nlohmann::json list = nlohmann::json::array();
    std::size_t widest = std::string_view("tokenizer").size();
    for (const TokenizerRow& row : rows) widest = std::max(widest, row.tokenizer.size());
    Table table{{{"tokenizer", 'l', widest},
                 {"vocabulary", 'r', 12},
                 {"training tokens", 'r', 18},
                 {"validation tokens", 'r', 19},
                 {"tokens per byte", 'r', 17}},
                {}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const TokenizerRow& row = rows[i];
        list.push_back({{"tokenizer", row.tokenizer},
                        {"vocabulary_size", row.size},
                        {"training_tokens", row.training_tokens},
                        {"validation_tokens", row.tokens},
                        {"validation_bytes", row.bytes},
                        {"tokens_per_byte", row.tokens_per_byte()},
                        {"by_line", row.by_line}});
        table.rows.push_back({row.tokenizer, grouped(row.size), grouped(row.training_tokens), grouped(row.tokens),
                              fixed_text(row.tokens_per_byte(), 4)});
        if (flags.text.empty()) continue;
        const SplitText split = split_text(specs[i], flags);
        list.back()["tokens"] = split.tokens;
        list.back()["token_numbers"] = split.numbers;
        std::string line = "  " + std::to_string(split.tokens.size()) + " tokens:";
        for (const std::string& token : split.tokens) line += " | " + token;
        table.rows.push_back({line + " |"});
    }
    if (flags.json) return print_json({{"data", flags.name}, {"tokenizers", list}});
    std::string notes =
        "Tokens per byte of the validation split. The tokenizers bpe, unigram and words are trained on the training "
        "split.\n";
    for (const TokenizerRow& row : rows) {
        if (!row.by_line) continue;
        notes += "The tokenizer " + row.tokenizer +
                 " has no token for a line end: each line is tokenized separately, and the number of bytes does not "
                 "include line ends.\n";
    }
    print_text(table.text() + notes);
}

void info(const Flags& flags) {
    const RunSpec spec = spec_of(flags, flags.tokenizer);
    check_vocabulary_size(flags, {spec});
    const TextInfo result = info_of(spec, flags.data_dir);
    const char* token = result.subwords ? "token" : result.as_bytes ? "byte" : "character";
    if (flags.json) {
        return print_json(
            {{"name", result.name},
             {"bytes", result.bytes},
             {"characters", or_null(result.characters)},
             {"tokens", result.tokens},
             {"token_unit", token},
             {"distinct", result.distinct},
             {"alphabet", result.alphabet},
             {"order0_entropy_bits", result.order0_entropy},
             {"order1_entropy_bits", result.order1_entropy},
             {"splits", {{"90/10", json_of(result.ninety_ten)}, {"90/5/5", json_of(result.ninety_five_five)}}}});
    }
    std::ostringstream text;
    text << result.name << "\n"
         << grouped(result.bytes) << " bytes, " << grouped(result.tokens) << " " << token << "s, " << result.distinct
         << " distinct\n";
    text << "entropy " << number_text(std::round(result.order0_entropy * 1e4) / 1e4) << " bits per " << token
         << " (order 0), " << number_text(std::round(result.order1_entropy * 1e4) / 1e4) << " bits given the previous "
         << token << " (order 1)\n";
    text << "split 90/10: " << grouped(result.ninety_ten.training) << " training tokens, "
         << grouped(result.ninety_ten.validation)
         << " validation tokens\nsplit 90/5/5: " << grouped(result.ninety_five_five.training) << " training tokens, "
         << grouped(result.ninety_five_five.validation) << " validation tokens, "
         << grouped(result.ninety_five_five.test) << " test tokens\n";
    text << "alphabet:";
    for (const std::string& entry : result.alphabet) text << ' ' << entry;
    text << '\n';
    print_text(text.str());
}

void generate(const Flags& flags) {
    if (flags.characters < 1)
        throw BadInput("The number of characters is " + std::to_string(flags.characters) +
                       ", but it must be 1 or more.");
    const std::string name = flags.name.empty() ? "synthetic" : flags.name;
    const std::optional<Language> language = find_language(name);
    if (!language) {
        throw BadInput("There is no synthetic language \"" + name + "\"; the languages are " +
                       joined(languages(), ", ", &LanguageFacts::name) + ".");
    }
    check_size(flags.characters, flags.output);
    write_output(flags.output, generate_text(*language, flags.seed, static_cast<std::size_t>(flags.characters)));
}

}  // namespace

void add_data(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand("data", "Manage data sets: list, fetch, info, tokens, generate, clean");
    verb->require_subcommand(1);
    const auto add = [&](const char* name, const char* description, void (*action)(const Flags&)) {
        return add_part(*verb, flags, name, description, action);
    };
    add("list", "List the known data sets and those found on this machine", list)
        ->add_option("--data-dir", flags->data_dir, "Folder that is searched first for data sets");
    CLI::App* fetch_verb =
        add("fetch", "Download a known data set into the cache, verify its checksum and unpack it", fetch_set);
    fetch_verb->add_option("name", flags->name, "Data set: tinyshakespeare, enwik8 or text8")->required();
    fetch_verb->add_option("--data-dir", flags->data_dir, "Destination folder (default: the cache)");
    CLI::App* info_verb = add("info", "Print size, alphabet and character entropies of a data set", info);
    info_verb->add_option("file", flags->name, "A file, a folder of files, or a name that the setting \"data\" accepts")
        ->required();
    info_verb
        ->add_option(
            "--tokenizer", flags->tokenizer,
            "Tokenizer: auto, characters, bytes, bpe, unigram, words, or a tokenizer.json, .model or .tiktoken file")
        ->capture_default_str();
    const auto add_size = [&](CLI::App* part) {
        part->add_option("--vocabulary-size", flags->vocabulary_size,
                         "Maximum vocabulary size of the tokenizers bpe, unigram and words; 0 means 1,024")
            ->capture_default_str();
    };
    add_size(info_verb);
    info_verb->add_option("--data-dir", flags->data_dir, "Folder that is searched first for data sets");
    info_verb->add_option("--seed", flags->seed, "Random seed of a synthetic text")->capture_default_str();
    CLI::App* tokens_verb =
        add("tokens", "Compare tokenizers on a data set, or show how they split a text into tokens", tokens);
    tokens_verb->add_option("--data", flags->name, "A file, or a name that the setting \"data\" accepts")->required();
    tokens_verb
        ->add_option("--tokenizer", flags->tokenizers,
                     "Tokenizers, separated by commas, as the setting \"tokenizer\" accepts (default: all)")
        ->delimiter(',');
    tokens_verb->add_option("--text", flags->text, "Text whose tokens are printed");
    add_size(tokens_verb);
    tokens_verb->add_option("--data-dir", flags->data_dir, "Folder that is searched first for data sets");
    tokens_verb->add_option("--seed", flags->seed, "Random seed of a synthetic text")->capture_default_str();
    CLI::App* generate_verb = add("generate", "Generate a text in a built-in synthetic language", generate);
    generate_verb->add_option("name", flags->name, "Language: " + joined(languages(), ", ", &LanguageFacts::name));
    generate_verb->add_option("--seed", flags->seed, "Random seed of the text")->capture_default_str();
    generate_verb->add_option("--characters", flags->characters, "Length of the text in characters")
        ->capture_default_str();
    generate_verb->add_option("--output", flags->output, "Output file; - for standard output")->capture_default_str();
    CLI::App* clean_verb = add("clean", "Reduce a text to the letters a–z and single spaces, as in text8",
                               [](const Flags& f) { write_output(f.output, clean_text(read_all(f.name))); });
    clean_verb->add_option("file", flags->name, "Input file; - for standard input")->required();
    clean_verb->add_option("--output", flags->output, "Output file; - for standard output")->capture_default_str();
}

}  // namespace ropelab::terminal
