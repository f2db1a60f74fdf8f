// The commands that evaluate a model of a file: perplexity and logits.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "app/terminal/rotary/rotary_flags.h"
#include "app/terminal/verbs.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/data/tokenizer/subword_kinds.h"
#include "core/interop/opened_model.h"
#include "core/machine/engine_loader.h"
#include "core/results/results_cells.h"
#include "core/rope/scaling.h"
#include "core/study/ablation.h"
#include "core/study/perplexity.h"
#include "core/table/table.h"
#include "core/weights/safetensors.h"

namespace ropelab::terminal {

namespace {

struct ModelTextFlags {
    std::string model;
    std::string text_file;
    std::string tokens_file;
    std::string prompt;
    std::string precision = "float32";

    void add_to(CLI::App& verb) {
        verb.add_option("--model", model,
                        "Folder with config.json and weights (safetensors), or a file of weights (safetensors, GGUF)")
            ->required();
        verb.add_option("--text", text_file, "File with the text; \"-\" is standard input");
        verb.add_option("--tokens", tokens_file,
                        "Token ids instead of a text, such as 1,2,3, or a file with a JSON list of them");
        add_model_precision(verb, precision);
    }
};

struct ModelText {
    std::string text;  // "" if only token ids were given
    std::vector<std::int32_t> tokens;
    std::optional<Vocabulary> vocabulary = {};  // nullopt if only token ids were given
    std::int64_t left_out = 0;                  // bytes of the text without a token
};

std::vector<std::int32_t> tokens_of_json(const nlohmann::json& list, const std::string& file) {
    const auto is_id = [](const nlohmann::json& id) {
        return id.is_number_integer() && id >= 0 && id <= std::numeric_limits<std::int32_t>::max();
    };
    if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_id))
        throw BadInput("The token ids " + file + " must be a JSON list of whole numbers of 0 or more, such as 1,2,3.");
    return list.get<std::vector<std::int32_t>>();
}

ModelText text_of(const ModelTextFlags& flags, const OpenedModel& model) {
    const int sources = static_cast<int>(!flags.text_file.empty()) + static_cast<int>(!flags.tokens_file.empty()) +
                        static_cast<int>(!flags.prompt.empty());
    if (sources != 1) throw BadInput("Give one text: a file with --text or token ids with --tokens.");
    if (const std::string& given = flags.tokens_file; !given.empty()) {
        const bool is_list = given.find_first_not_of("0123456789, ") == std::string::npos;
        return {"",
                tokens_of_json(is_list ? parse_bounded("[" + given + "]", nullptr, false) : read_json(given), given)};
    }
    const std::string text = flags.prompt.empty() ? read_all(flags.text_file) : flags.prompt;
    try {
        const Vocabulary vocabulary = model.vocabulary();
        const std::vector<std::int32_t> tokens = vocabulary.encode(text);
        const std::int64_t left_out = bytes_without_token(vocabulary, text, tokens);
        if (left_out > 0) std::cerr << "ropelab-cli: " << left_out_words(left_out) << '\n';
        return {text, tokens, vocabulary, left_out};
    } catch (const BadInput& error) {  // a tokenizer that is missing or refused
        throw BadInput(std::string(error.what()) + " Token ids with --tokens need no tokenizer.");
    }
}

struct PerplexityFlags {
    ModelTextFlags input;
    std::string last_words;
    std::optional<std::int64_t> context;
    std::optional<std::int64_t> stride;
    std::string theta;
    std::string scaling;
    std::optional<double> factor;
    std::string frozen;
    std::string ablated;
    bool json = false;
};

// What the probe of each window changes.
ProbeRequest changes_of(const PerplexityFlags& flags, const ModelPlan& plan) {
    ProbeRequest result;
    if (flags.scaling.empty() == flags.factor.has_value())
        throw BadInput("--scaling needs --factor, and --factor --scaling.");
    if (!flags.scaling.empty()) {
        result.scaling.method = parse_scaling(flags.scaling);
        result.scaling.factor = *flags.factor;
        if (result.scaling.method == ScalingMethod::longrope)
            throw BadInput("The scaling longrope has a factor for each pair; use another scaling.");
    }
    const Rotary* rotary = plan.rotary();
    const bool is_changed =
        !flags.theta.empty() || !flags.scaling.empty() || !flags.frozen.empty() || !flags.ablated.empty();
    if (is_changed && !rotary) {
        throw BadInput(
            "The model has no rotary embedding, so --theta, --scaling and pairs cannot be changed; leave them out.");
    }
    if (!flags.frozen.empty()) result.frozen_pairs = parse_frozen_pairs(flags.frozen, plan);
    if (!flags.ablated.empty())
        result.ablated_pairs = parse_pairs(flags.ablated, std::ssize(rotary->pairs), "ablate-pairs");
    return result;
}

struct Unit {
    const char* name;
    std::int64_t count;  // 0: unknown
};

// In ranges that double: 1, 2, 3–4, 5–8, …
std::string table_of_positions(const TextLoss& loss) {
    Table table{{{"tokens before", 'r', 13}, {"loss [nats]", 'r', 13}, {"number", 'r', 8}}, {}};
    const auto& [losses, means, numbers, windows] = loss;
    for (std::size_t first = 0; first < means.size(); first = std::max<std::size_t>(2 * first, first + 1)) {
        const std::size_t end = std::min(means.size(), std::max<std::size_t>(2 * first, first + 1));
        double sum = 0;
        std::int64_t count = 0;
        for (std::size_t i = first; i < end; ++i) {
            sum += means[i] * static_cast<double>(numbers[i]);
            count += numbers[i];
        }
        const std::string range = std::to_string(first + 1) + (end > first + 1 ? "–" + std::to_string(end) : "");
        table.rows.push_back(
            {range, count == 0 ? "" : fixed_text(sum / static_cast<double>(count), 4), grouped(count)});
    }
    return table.text();
}

std::unique_ptr<Model> load(const PerplexityFlags& flags, const OpenedModel& opened, const ModelPlan& plan) {
    return opened.load(open_engine(), plan, parse_model_precision(flags.input.precision));
}

nlohmann::json amounts(double nats, std::int64_t number) {
    return {{"number", number}, {"loss", nats}, {"bits", nats / std::numbers::ln2}, {"perplexity", std::exp(nats)}};
}

void run_last_words(const PerplexityFlags& flags) {
    if (!flags.input.text_file.empty() || !flags.input.tokens_file.empty() || flags.stride)
        throw BadInput("--last-words names the texts, so --text, --tokens and --stride are left out.");
    const OpenedModel opened(flags.input.model);
    const auto texts = last_words_of(read_all(flags.last_words), flags.last_words, opened.vocabulary());
    std::int64_t window = 0;
    for (const LastWord& text : texts) window = std::max(window, std::ssize(text.tokens) - 1);
    window = std::min(window, flags.context.value_or(opened.context()));
    watch_interrupts();
    const ModelPlan plan = opened.plan(window, parse_theta(flags.theta));
    const ProbeRequest changes = changes_of(flags, plan);
    const auto model = load(flags, opened, plan);
    ProgressLine line;
    const auto show = [&](std::int64_t done) {
        line.show("text " + grouped(done + 1) + " of " + grouped(std::ssize(texts)));
        return interrupted();
    };
    const LastWordLoss loss = last_word_loss(*model, texts, window, show, changes);
    line.end();
    if (loss.losses.empty()) throw std::runtime_error("Interrupted before all texts were evaluated.");
    if (flags.json) {
        return print_json({{"model", opened.name()},
                           {"precision", flags.input.precision},
                           {"accuracy", loss.accuracy()},
                           {"per_last_word", amounts(loss.mean(), std::ssize(loss.losses))},
                           {"losses", loss.losses},
                           {"is_correct", loss.is_correct}});
    }
    Table table{{{"last words", 'r', 10}, {"accuracy [%]", 'r', 13}, {"loss [nats]", 'r', 13}, {"perplexity", 'r', 11}},
                {{grouped(std::ssize(loss.losses)), fixed_text(100 * loss.accuracy(), 2), fixed_text(loss.mean(), 5),
                  decimals_text(std::exp(loss.mean()), 4)}}};
    print_text(opened.name() + ", " + flags.input.precision +
               ": the last word of each text; it is correct if each of its tokens is the most probable one.\n\n" +
               table.text());
}

void run_perplexity(const PerplexityFlags& flags) {
    if (!flags.last_words.empty()) return run_last_words(flags);
    const OpenedModel opened(flags.input.model);
    const ModelText input = text_of(flags.input, opened);
    constexpr std::int64_t usual_window = 1024;
    PerplexityWindows how{.window = flags.context.value_or(std::min(usual_window, opened.context()))};
    how.stride = flags.stride.value_or(how.window);
    watch_interrupts();
    const std::int64_t tokens = std::min(how.window, std::max<std::int64_t>(std::ssize(input.tokens) - 1, 1));
    const ModelPlan plan = opened.plan(tokens, parse_theta(flags.theta));
    const ProbeRequest changes = changes_of(flags, plan);
    auto model = load(flags, opened, plan);
    ProgressLine line;
    const auto show = [&](std::int64_t done) {
        line.show("window " + grouped(done + 1));
        return interrupted();
    };
    const TextLoss loss = text_loss(*model, input.tokens, how, show, changes);
    line.end();
    if (loss.losses.empty()) throw std::runtime_error("Interrupted before the text was evaluated.");
    std::optional<TextLoss> full;  // of float32, beside int8 weights
    if (parse_model_precision(flags.input.precision) == Precision::int8) {
        model.reset();
        model = opened.load(open_engine(), plan);
        full = text_loss(*model, input.tokens, how, show, changes);
        line.end();
        if (full->losses.empty()) throw std::runtime_error("Interrupted before the text was evaluated.");
    }
    std::vector<Unit> units = {{"token", std::ssize(loss.losses)}};
    if (input.vocabulary) {
        const std::string first = input.vocabulary->bytes_of(input.tokens.front());
        // A tokenizer may add a space before the text.
        const auto begin = first.starts_with(' ') && !input.text.starts_with(' ') ? 1 : 0;
        units.push_back({"byte", std::ssize(input.text) - input.left_out - std::ssize(first) + begin});
        units.push_back({"word", words_of_text(input.text)});
    }
    const double nats = loss.nats();
    const auto per = [&](const Unit& unit) { return nats / static_cast<double>(unit.count); };
    if (flags.json) {
        nlohmann::json result = {{"model", opened.name()},
                                 {"precision", flags.input.precision},
                                 {"window", how.window},
                                 {"stride", how.stride},
                                 {"windows", loss.windows},
                                 {"losses", loss.losses},
                                 {"loss_by_position", loss.loss_by_position},
                                 {"tokens_at_position", loss.at_position}};
        for (const Unit& unit : units) result["per_" + std::string(unit.name)] = amounts(per(unit), unit.count);
        if (full) result["float32_loss_per_token"] = full->per_token();
        if (input.left_out > 0) result["bytes_left_out"] = input.left_out;
        return print_json(result);
    }
    Table table{
        {{"per", 'l', 6}, {"number", 'r', 10}, {"loss [nats]", 'r', 13}, {"bits", 'r', 9}, {"perplexity", 'r', 11}},
        {}};
    for (const Unit& unit : units) {
        table.rows.push_back({unit.name, grouped(unit.count), fixed_text(per(unit), 5),
                              fixed_text(per(unit) / std::numbers::ln2, 5), decimals_text(std::exp(per(unit)), 4)});
    }
    print_text(opened.name() + ", " + flags.input.precision + ": windows of " + grouped(how.window) +
               " tokens, one every " + grouped(how.stride) +
               " tokens; the first token of the text is not predicted.\n\n" + table.text() +
               (full ? "\n" + int8_loss_words(loss, *full) + "\n" : "") +
               "\nLoss by the number of tokens before the predicted one in its context window:\n\n" +
               table_of_positions(loss));
}

struct LogitsFlags {
    ModelTextFlags input;
    std::optional<std::int64_t> at;
    std::int64_t top = 20;
    std::string output;
    bool json = false;
};

void run_logits(const LogitsFlags& flags) {
    if (!flags.output.empty()) check_one_output(flags.output, flags.json);
    if (flags.top < 1) throw BadInput("--top is " + std::to_string(flags.top) + ", but it must be 1 or more.");
    const OpenedModel opened(flags.input.model);
    const ModelText input = text_of(flags.input, opened);
    const auto count = std::ssize(input.tokens);
    if (count == 0) throw BadInput("The text has no tokens; give at least one.");
    const std::int64_t at = flags.at.value_or(count - 1);
    if (at < 0 || at >= count) {
        throw BadInput("--at is " + std::to_string(at) + ", but the tokens of the text have the numbers 0 to " +
                       std::to_string(count - 1) + ".");
    }
    const Precision precision = parse_model_precision(flags.input.precision);
    std::vector<float> logits = opened.load(open_engine(), opened.plan(count), precision)->logits(input.tokens);
    const std::int64_t vocabulary = std::ssize(logits) / count;
    const float* row = logits.data() + at * vocabulary;
    std::vector<std::int32_t> order(static_cast<std::size_t>(vocabulary));
    std::iota(order.begin(), order.end(), 0);
    const auto shown = order.begin() + std::min(flags.top, vocabulary);
    std::partial_sort(order.begin(), shown, order.end(),
                      [&](std::int32_t a, std::int32_t b) { return row[a] != row[b] ? row[a] > row[b] : a < b; });
    order.erase(shown, order.end());
    std::vector<std::string> texts;
    if (input.vocabulary) {
        for (const std::int32_t id : order)
            texts.push_back(id < input.vocabulary->size() ? input.vocabulary->bytes_of(id) : "");
    }
    if (flags.json) {
        nlohmann::json result = {{"model", opened.name()},
                                 {"precision", flags.input.precision},
                                 {"tokens", input.tokens},
                                 {"at", at},
                                 {"ids", order}};
        result["logits"] = json_list(order, [&](std::int32_t id) { return row[id]; });
        if (!texts.empty()) result["texts"] = texts;
        print_json(result);
    } else if (flags.output != "-") {
        Table table{{{"token", 'r', 7}, {"logit", 'r', 10}, {"text", 'l'}}, {}};
        for (std::size_t i = 0; i < order.size(); ++i)
            table.rows.push_back({std::to_string(order[i]), fixed_text(row[order[i]], 5),
                                  texts.empty() ? ""
                                                : nlohmann::json(texts[i]).dump(
                                                      -1, ' ', false, nlohmann::json::error_handler_t::replace)});
        print_text(table.text());
    }
    if (!flags.output.empty())
        write_safetensors(flags.output,
                          {.tensors = {{"logits", {count, vocabulary}, std::move(logits)}}, .metadata = {}});
}

}  // namespace

void add_perplexity(CLI::App& program) {
    CLI::App* verb = program.add_subcommand(
        "perplexity",
        "Measure how well a model loaded from a file predicts a text: loss per token, byte and word, and by position");
    auto& flags = with_flags<PerplexityFlags>(*verb, run_perplexity);
    flags.input.add_to(*verb);
    verb->add_option(
        "--last-words", flags.last_words,
        "File with texts as LAMBADA has them (JSON Lines with \"text\"): measure how well the model predicts "
        "the last word of each");
    verb->add_option("--context", flags.context,
                     "Length of a context window in tokens (default: the context of the model, at most 1024); it may "
                     "exceed the context of the model unless positions are learned");
    verb->add_option("--stride", flags.stride,
                     "Tokens from the beginning of a context window to the beginning of the next one (default: "
                     "--context)");
    verb->add_option("--theta", flags.theta, "Evaluate the model with this θ instead of its own")
        ->type_name(number_type);
    verb->add_option("--scaling", flags.scaling,
                     "Evaluate the model with this scaling instead of its own: linear, ntk, …");
    verb->add_option("--factor", flags.factor, "Factor of --scaling");
    verb->add_option("--freeze-pairs", flags.frozen,
                     "Pairs whose frequency is set to 0 in all layers, such as 16-31; 0 has the highest frequency");
    verb->add_option("--ablate-pairs", flags.ablated, "Pairs whose term is removed from the attention logits");
    add_json(*verb, flags.json, "Print JSON, with the loss of each token and of each position");
}

void add_logits(CLI::App& program) {
    CLI::App* verb = program.add_subcommand(
        "logits", "Compute the output logits of a model loaded from a file for a text or token ids");
    auto& flags = with_flags<LogitsFlags>(*verb, run_logits);
    flags.input.add_to(*verb);
    verb->add_option("--prompt", flags.input.prompt, "The text itself, instead of a file");
    verb->add_option(
        "--at", flags.at,
        "Index of a token, counted from 0: the logits predict the token after it (default: the last token)");
    verb->add_option("--top", flags.top, "Number of tokens with the largest logits that are listed")
        ->capture_default_str();
    verb->add_option("--output", flags.output,
                     "Safetensors file for all logits: the tensor \"logits\", tokens × vocabulary");
    add_json(*verb, flags.json, "Print the result as JSON");
}

}  // namespace ropelab::terminal
