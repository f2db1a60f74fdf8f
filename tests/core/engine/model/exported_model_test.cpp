// A run that is exported and opened again computes the same logits. tests/core/interop/compare_exports.py compares the
// exported files with transformers and gguf-py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/data/read_file.h"
#include "core/data/tokenizer/vocabulary.h"
#include "core/engine/torch_engine.h"
#include "core/interop/external_model.h"
#include "core/interop/model_export.h"
#include "core/interop/model_steps.h"
#include "core/interop/opened_model.h"
#include "core/plan/layout.h"
#include "core/run/probing.h"
#include "tests/core/plan/anatomy_variants.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

namespace fs = std::filesystem;

// With larger weights than at the start of training, so that each part decides on the logits.
ExportedRun run_of(const std::string& settings, const Vocabulary& vocabulary) {
    ExportedRun run = {.checkpoint = {}, .name = "a run", .lab = "x.ropelab", .version = "1"};
    Checkpoint& checkpoint = run.checkpoint;
    checkpoint.spec = anatomy_spec(settings);
    checkpoint.vocabulary = vocabulary.to_text();
    checkpoint.conditions = {.precision = "float32", .device = "cpu", .threads = 1, .reason = ""};
    checkpoint.text = TextMark{"a text", 1000, std::string(64, 'a')};
    std::mt19937 generator(7);
    std::normal_distribution<float> normal;
    for (const Parameter& parameter : layout_of(plan_of(checkpoint.spec, vocabulary.size())).parameters) {
        NamedTensor& tensor =
            checkpoint.state.emplace_back(NamedTensor{"model." + parameter.name, parameter.shape, {}});
        const bool is_vector = parameter.shape.size() == 1;
        const double size = is_vector ? 0.3 : 1.0 / std::sqrt(static_cast<double>(parameter.shape.back()));
        for (std::int64_t i = 0; i < parameter.size; ++i) {
            const double mean = is_vector ? parameter.deviation : 0;
            tensor.values.push_back(static_cast<float>(mean + size * normal(generator)));
        }
    }
    return run;
}

Vocabulary letters() {
    return Vocabulary::of_characters("abcdefghijklmnopq \n");
}

std::vector<std::int32_t> some_tokens(std::int64_t count) {
    std::vector<std::int32_t> tokens;
    for (std::int64_t i = 0; i < count; ++i) tokens.push_back(static_cast<std::int32_t>(i * i * 5 % 19));
    return tokens;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
    double largest = a.size() == b.size() ? 0 : 1e30;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        largest = std::max(largest, static_cast<double>(std::abs(a[i] - b[i])));
    }
    return largest;
}

class ExportedModels : public testing::Test {
 protected:
    std::vector<float> logits_of(const ExportedRun& run) {
        return model_of(engine_, run.checkpoint)->logits(some_tokens(run.checkpoint.spec.context));
    }
    std::vector<float> logits_of(const fs::path& path) {
        const OpenedModel opened(path);
        return opened.load(engine_, opened.plan())->logits(some_tokens(opened.context()));
    }

    TorchEngine engine_;
    ScratchFolder folder_;
};

struct Exported {
    const char* layout;
    const char* settings;
    double tolerance = 0;   // of logits of a folder
    const char* lost = "";  // what GGUF does not have; "": nothing
};

TEST_F(ExportedModels, ComputeTheLogitsOfTheRun) {
    const std::vector<Exported> runs = {
        {"GPT-2", "position=learned"},
        {"GPT-2", "position=learned bias=true tied_head=false feed_forward=gelu-tanh"},
        {"GPT-2", "position=learned feed_forward=relu mlp_width=40", 0, "Activation: ReLU"},
        {"GPT-2", "position=none bias=true"},
        {"GPT-2", "fraction=0"},
        {"GPT-NeoX", "block=pythia fraction=0.5 bias=true tied_head=false theta=500"},
        {"GPT-NeoX", "block=pythia fraction=0.25 heads=2"},
        {"GPT-NeoX", "block=gpt2 fraction=0.3"},
        {"GPT-NeoX", "block=pythia feed_forward=mish", 0, "Activation: Mish"},
        {"Llama", "block=llama key_value_heads=2 tied_head=false theta=1234.5"},
        {"Llama", "block=llama bias=true feed_forward=swiglu mlp_width=40"},
        {"Llama", "block=llama norm=zero-centered-rmsnorm"},
        {"Llama", "block=llama partial=truncate fraction=0.5", 0, "Rotation of queries and keys: RoPE, 50 %"},
        {"Llama", "block=llama feed_forward=geglu", 0, "Activation: GEGLU"},
        {"Qwen 3", "block=llama qk_norm=head key_value_heads=1"},
        {"Qwen 3", "block=llama qk_norm=head attention_layers=window+full attention_window=7", 0, "sliding window"},
        {"Gemma 2", "block=llama norm=zero-centered-rmsnorm norm_position=sandwich feed_forward=geglu-tanh", 1e-5},
        {"Gemma 2", "block=llama norm_position=sandwich feed_forward=geglu-tanh tied_head=false width=64", 1e-5,
         "Output head"},
        {"Gemma 2",
         "block=llama norm_position=sandwich feed_forward=geglu-tanh attention_layers=window+full attention_window=7",
         1e-5}};
    for (const Exported& each : runs) {
        SCOPED_TRACE(each.settings);
        const ExportedRun run = run_of(each.settings, letters());
        const std::vector<float> wanted = logits_of(run);
        const fs::path folder = folder_ / ("model" + std::to_string(&each - runs.data()));
        const auto written = export_hugging_face(run, folder);
        ASSERT_TRUE(written);
        EXPECT_EQ(written->layout, each.layout);
        EXPECT_LE(largest_difference(logits_of(folder), wanted), each.tolerance);
        const fs::path file = folder.string() + ".gguf";
        if (*each.lost != '\0') {
            EXPECT_MESSAGE(export_gguf(run, file, false), BadInput, each.lost);
            EXPECT_FALSE(fs::exists(file));
            continue;
        }
        ASSERT_TRUE(export_gguf(run, file, false));
        const double rounding = largest_difference(logits_of(file), wanted);
        EXPECT_LT(rounding, 0.02);
        EXPECT_GT(rounding, 0);
    }
}

// Of all settings of models, those are exported whose logits are the same.
TEST_F(ExportedModels, NoRunIsExportedAsAnotherModel) {
    int exported = 0;
    for (const std::string& settings : anatomy_variants()) {
        SCOPED_TRACE(settings);
        const ExportedRun run = run_of(settings, letters());
        const fs::path folder = folder_ / ("model" + std::to_string(exported));
        try {
            (void)export_hugging_face(run, folder);
        } catch (const BadInput& error) {
            EXPECT_NE(std::string(error.what()).find("does not have: "), std::string::npos) << error.what();
            continue;
        }
        EXPECT_LE(largest_difference(logits_of(folder), logits_of(run)), 1e-5);
        ++exported;
    }
    EXPECT_GE(exported, 5);
}

TEST_F(ExportedModels, PartsWithoutACounterpartAreNamed) {
    const std::map<std::string, std::string> parts = {
        {"block=llama norm=dyt", "Llama, does not have: Norm before attention: Dynamic Tanh; "},
        {"block=llama attention_sinks=true", "Llama, does not have: Attention weights: with a sink."},
        {"block=llama head_bias=true", "Llama, does not have: Output head"},
        {"block=llama position=alibi", "ALiBi"},
        {"block=llama position=none", "no Rotation of queries and keys: RoPE"},
        {"block=llama attention=mla", "Latent"},
        {"block=llama attention=gated", "Gate: sigmoid"},
        {"block=llama experts=4", "Router"},
        {"block=llama theta_training=one", "RoPE frequencies: trained"},
        {"block=llama frequencies=1+0.5+0.1+0.02+0.01+0.001", "Rotation of queries and keys: RoPE, listed frequencies"},
        {"block=llama deepnorm=true norm_position=post", "DeepNet"},
        {"block=llama qk_norm=projection", "Norm of queries and keys: all heads together"},
        {"block=llama rotated_layers=0+1", "no Rotation of queries and keys"},
        {"block=llama key_offset=all fraction=0.5", "Key offset: channels that do not rotate"},
        {"block=llama token_smear=true", "Token smear"},
        {"block=llama theta_schedule=drop", "RoPE frequencies: scheduled"},
        {"block=gpt2 position=sinusoidal", "Position embedding: sinusoidal"}};
    for (const auto& [settings, part] : parts) {
        SCOPED_TRACE(settings);
        EXPECT_MESSAGE(export_hugging_face(run_of(settings, letters()), folder_ / "none"), BadInput, part);
        EXPECT_FALSE(fs::exists(folder_ / "none"));
    }
}

TEST_F(ExportedModels, TokenizersGiveTheSameTokens) {
    std::string text;
    for (int i = 0; i < 60; ++i)
        text += "The naïve crow\t" + std::to_string(i) + " didn't go: “é—à” \xC3\x9Cnder  2 trees.\r\n";
    std::string ascii;
    std::ranges::copy_if(text, std::back_inserter(ascii), [](char c) { return static_cast<unsigned char>(c) < 128; });
    const std::string json =
        R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "Ġ": 2, "ab": 3}, "merges": ["a b"]},
            "added_tokens": [{"id": 4, "content": "<end>", "special": true}, {"id": 6, "content": "ba"}],
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}})";
    struct Kind {
        Vocabulary vocabulary;
        std::string text;
        bool is_in_gguf;
    };
    const std::vector<Kind> kinds = {
        {Vocabulary::of_characters(ascii), ascii, true},
        {Vocabulary::of_characters(text), text, false},
        {Vocabulary::of_bytes(text), text, true},
        {Vocabulary::of_all_bytes(), text, true},
        {Vocabulary::of_subwords(trained_subwords(Tokenizer::bpe, 400, text)), text, false},
        {Vocabulary::of_subwords(trained_subwords(Tokenizer::unigram, 400, text)), text, false},
        {Vocabulary::of_subwords(trained_subwords(Tokenizer::words, 300, text)), text, false},
        {Vocabulary::of_subwords(subwords_of_file(folder_.write("tokenizer.json", json))), "ab ba<end>bab aab", true}};
    int count = 0;
    for (const auto& [vocabulary, its_text, is_in_gguf] : kinds) {
        SCOPED_TRACE(vocabulary.to_text().substr(0, 20));
        const ExportedRun run = run_of("block=llama", vocabulary);
        const fs::path folder = folder_ / ("model" + std::to_string(count++));
        ASSERT_TRUE(export_hugging_face(run, folder));
        const std::vector<std::int32_t> wanted = vocabulary.encode(its_text);
        EXPECT_EQ(OpenedModel(folder).vocabulary().encode(its_text), wanted);
        if (!is_in_gguf) continue;
        const fs::path file = folder.string() + ".gguf";
        ASSERT_TRUE(export_gguf(run, file, false));
        EXPECT_EQ(OpenedModel(file).vocabulary().encode(its_text), wanted);
    }
    EXPECT_MESSAGE(export_gguf(run_of("block=llama", kinds[1].vocabulary), folder_ / "x.gguf", false), BadInput,
                   "neither words nor characters beyond ASCII");
}

TEST_F(ExportedModels, NothingIsReplacedOrLeftHalfWritten) {
    const ExportedRun run = run_of("block=llama", letters());
    const auto entries = [&] { return std::distance(fs::directory_iterator(folder_.path()), {}); };
    folder_.write("full/note.txt", "kept");
    EXPECT_MESSAGE(export_hugging_face(run, folder_ / "full"), BadInput, "name a new folder or an empty one");
    EXPECT_MESSAGE(export_hugging_face(run, folder_ / "full/note.txt"), BadInput, "name a new folder");
    EXPECT_MESSAGE(export_hugging_face(run, folder_ / "full/note.txt/model"), BadInput, "cannot be written");
    EXPECT_MESSAGE(export_gguf(run, folder_ / "full/note.txt", false), BadInput, "exists already");
    EXPECT_MESSAGE(export_gguf(run, folder_ / "full", true), BadInput, "exists already");
    EXPECT_FALSE(export_hugging_face(run, folder_ / "model", [] { return true; }));
    EXPECT_FALSE(export_gguf(run, folder_ / "model", false, [] { return true; }));
    EXPECT_EQ(entries(), 1) << "a cancelled export leaves nothing";
    EXPECT_EQ(read_regular_file(folder_ / "full/note.txt", 100), "kept");

    fs::create_directory(folder_ / "empty");
    ASSERT_TRUE(export_hugging_face(run, folder_ / "empty/"));
    EXPECT_EQ(entries(), 2);
    EXPECT_TRUE(export_hugging_face(run, folder_ / "full/new/model")) << "missing folders are made";
    ASSERT_TRUE(export_gguf(run, folder_ / "full/note.txt", true));
    const std::string card = read_regular_file(folder_ / "empty/README.md", 10000);
    for (const char* part : {"| block | llama |", "| SHA-256 of the data | aaaa", "in the layout of Llama",
                             "| tokens of the vocabulary | "})
        EXPECT_NE(card.find(part), std::string::npos) << part;

    ExportedRun damaged = run;
    damaged.checkpoint.state.pop_back();
    EXPECT_MESSAGE(export_hugging_face(damaged, folder_ / "model"), BadInput, "has no weights");
    ExportedRun huge = run;
    for (NamedTensor& tensor : huge.checkpoint.state) tensor.values.front() = 1e6F;
    EXPECT_MESSAGE(export_gguf(huge, folder_ / "model", false), BadInput, "beyond the range of float16");
    EXPECT_EQ(entries(), 2);
}

// Folders as a trainer and as published revisions name them, with other weights at each step.
void export_steps(const fs::path& folder, const std::vector<std::pair<std::string, float>>& names) {
    fs::create_directory(folder);
    for (const auto& [name, factor] : names) {
        ExportedRun run = run_of("block=llama key_value_heads=2", letters());
        for (NamedTensor& tensor : run.checkpoint.state) {
            for (float& number : tensor.values) number *= factor;
        }
        ASSERT_TRUE(export_hugging_face(run, folder / name));
    }
}

TEST_F(ExportedModels, FolderOfCheckpointsIsItsLastStep) {
    const fs::path folder = folder_.path() / "training";
    export_steps(folder, {{"checkpoint-1000", 0.9F}, {"checkpoint-50", 0.5F}, {"step0-tokens2B", 0.1F}});
    fs::create_directory(folder / "checkpoint-2000");  // without a model
    fs::copy(folder / "checkpoint-50", folder / "main");
    const std::vector<ModelStep> steps = model_steps(folder);
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_EQ(steps[0].step, 0);
    EXPECT_EQ(steps[1].step, 50);
    EXPECT_EQ(steps[2].step, 1000);
    EXPECT_EQ(steps[2].path, folder / "checkpoint-1000");
    EXPECT_EQ(last_model(folder), folder / "checkpoint-1000");
    EXPECT_EQ(last_model(folder / "checkpoint-50"), folder / "checkpoint-50");
    EXPECT_TRUE(model_steps(folder / "checkpoint-1000").empty());
    EXPECT_TRUE(model_steps(folder / "checkpoint-1000/config.json").empty());

    const std::string text = folder_.write("text.txt", "abcd efgh ijkl mnop\n").string();
    const RunCheckpoint run = external_run(folder, text);
    EXPECT_EQ(run.name, "training");
    const Checkpoint checkpoint = *read_checkpoint(run);
    EXPECT_EQ(checkpoint.iteration, 1000);
    EXPECT_EQ(checkpoint.spec.iterations, 1000);
    EXPECT_EQ(
        model_of(engine_, checkpoint)->logits(some_tokens(8)),
        model_of(engine_, *read_checkpoint(external_run(folder / "checkpoint-1000", text)))->logits(some_tokens(8)));

    const ModelMark mark = mark_of_path(folder);
    EXPECT_EQ(mark.name, "training");
    EXPECT_EQ(mark.bytes, 3 * mark_of_path(folder / "checkpoint-50").bytes);
    EXPECT_NO_THROW(require_same_model(mark));
    fs::rename(folder / "checkpoint-50", folder / "checkpoint-60");
    EXPECT_MESSAGE(require_same_model(mark), BadInput, "have changed since this lab named it");
    fs::rename(folder / "main", folder / "step-60");
    EXPECT_MESSAGE(model_steps(folder), BadInput,
                   "checkpoint-60 and step-60 of " + folder.string() + " are both of step 60");
    fs::remove_all(folder / "step-60");
    ASSERT_TRUE(export_hugging_face(run_of("block=llama", letters()), folder / "step9"));
    EXPECT_MESSAGE(mark_of_path(folder), BadInput, "step9 describes another model");
    EXPECT_MESSAGE(OpenedModel{folder}, BadInput, "has no weights, but folders of models; name one of them");
}

TEST_F(ExportedModels, LossesOfACheckpointFolderAreThoseOfItsTrainer) {
    const fs::path folder = folder_.path() / "training";
    export_steps(folder, {{"checkpoint-10", 1}, {"checkpoint-20", 1}});
    EXPECT_TRUE(logged_losses(folder, model_steps(folder)).steps.iteration.empty());
    const auto write = [&](const std::string& name, const std::string& log) {
        std::ofstream(folder / name / "trainer_state.json") << R"({"global_step": 20, "log_history": [)" << log << "]}";
    };
    write("checkpoint-10", R"({"step": 5, "loss": 3.5})");
    write("checkpoint-20", R"({"step": 5, "loss": 3.5}, {"step": 10, "eval_loss": 3.25}, {"step": 15, "loss": 3})");
    const RunMetrics metrics = logged_losses(folder, model_steps(folder));
    EXPECT_EQ(metrics.steps.iteration, (std::vector<std::int64_t>{5, 15}));
    EXPECT_EQ(metrics.steps.training_loss, (std::vector<double>{3.5, 3}));
    EXPECT_EQ(metrics.evaluations.iteration, std::vector<std::int64_t>{10});
    EXPECT_EQ(metrics.evaluations.validation_loss, std::vector<double>{3.25});
    write("checkpoint-20", "");  // nothing was logged
    EXPECT_TRUE(logged_losses(folder, model_steps(folder)).steps.iteration.empty());
}

}  // namespace
}  // namespace ropelab
