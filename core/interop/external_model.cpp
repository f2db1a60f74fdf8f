#include "core/interop/external_model.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/checksum.h"
#include "core/data/json_text.h"
#include "core/data/tokenizer/subword_kinds.h"
#include "core/experiment/experiment.h"
#include "core/interop/config/hf_reader.h"
#include "core/interop/embedded_tables.h"
#include "core/interop/model_steps.h"
#include "core/rope/rotary_setup.h"
#include "core/store/imported.h"
#include "core/study/head_vectors.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;

constexpr const char* models_choice = "models";  // of LabFile::choice
constexpr const char* other_theta = ", θ = ";    // follows the model's name

// The weights that were loaded last.
class LoadedModel {
 public:
    LoadedModel(std::shared_ptr<const OpenedModel> opened, std::optional<double> theta)
        : opened_(std::move(opened)), theta_(theta) {}

    std::shared_ptr<Model> load(Engine& engine, std::int64_t tokens) {
        const std::lock_guard lock(mutex_);
        const ModelPlan plan = opened_->plan(tokens, theta_);
        const bool fits = model_ && engine_ == &engine && plan.layers == layers_ && tokens <= tokens_;
        if (fits) return model_;
        model_ = nullptr;  // its memory is free before the next one needs it
        model_ = opened_->load(engine, plan);
        engine_ = &engine;
        layers_ = plan.layers;
        tokens_ = tokens;
        return model_;
    }

 private:
    std::shared_ptr<const OpenedModel> opened_;
    std::optional<double> theta_;
    std::mutex mutex_;
    const Engine* engine_ = nullptr;
    std::vector<LayerPlan> layers_;
    std::int64_t tokens_ = 0;
    std::shared_ptr<Model> model_;
};

std::shared_ptr<const Corpus> corpus_of_model(const Vocabulary& vocabulary, const std::string& text,
                                              const fs::path& data_dir) {
    constexpr std::size_t most_bytes = std::size_t{1} << 20;  // tokenized within a second
    auto corpus = std::make_shared<Corpus>();
    corpus->vocabulary = vocabulary;
    std::string content;
    if (text.empty()) {
        corpus->name = "the program's guide";
        for (const std::string_view page :
             {embedded::guide_train, embedded::guide_results, embedded::guide_rotary_rooms})
            content += page;
    } else {
        const TextSource source = locate(text, data_dir);
        if (source.is_folder)
            throw BadInput("The text " + text + " is a folder, but a model is evaluated on one file; give a file.");
        corpus->name = source.name;
        content = read_text(source, 1, static_cast<std::int64_t>(most_bytes));
        if (!source.language) require_text(source.file, content);
        if (content.size() > most_bytes) {
            const std::size_t line = content.rfind('\n', most_bytes - 1);
            content.resize(line == std::string::npos ? most_bytes : line + 1);
        }
    }
    corpus->validation = vocabulary.encode(content);
    if (corpus->validation.size() < 2)
        throw BadInput("The text " + corpus->name + " has fewer than two tokens; give a longer one.");
    corpus->training = corpus->validation;
    corpus->validation_bytes = std::ssize(content) - bytes_without_token(vocabulary, content, corpus->validation);
    return corpus;
}

}  // namespace

RunCheckpoint external_run(const fs::path& path, const std::string& text, const fs::path& data_dir,
                           std::optional<double> theta) {
    const std::vector<ModelStep> steps = model_steps(path);
    const auto opened = std::make_shared<const OpenedModel>(steps.empty() ? path : steps.back().path);
    auto external = std::make_shared<ExternalModel>();
    external->plan = opened->plan(0, theta);
    if (theta && !external->plan.rotary())
        throw BadInput("The model " + opened->name() + " has no rotary embedding, so it has no theta to change.");
    const Vocabulary vocabulary = opened->vocabulary();
    external->corpus = corpus_of_model(vocabulary, text, data_dir);
    external->load = [loaded = std::make_shared<LoadedModel>(opened, theta)](Engine& engine, std::int64_t tokens) {
        return loaded->load(engine, tokens);
    };
    RunCheckpoint result;
    result.path = path;
    result.name = steps.empty() ? opened->name() : fs::canonical(path).filename().string();
    if (theta) result.name += other_theta + number_text(*theta);
    result.vocabulary = vocabulary.to_text();
    result.is_written = true;
    result.spec.context = external->plan.sizes.T;
    result.spec.layers = std::ssize(external->plan.layers);
    result.spec.heads = external->plan.layers.front().heads();
    result.spec.data = text;
    if (!steps.empty()) result.finished = result.spec.iterations = steps.back().step;
    result.external = std::move(external);
    return result;
}

RunId store_measurement(LabFile& lab, const RunCheckpoint& model, const ProbeResult& result, std::int64_t step) {
    const ModelPlan& plan = model.external->plan;
    const RotarySetup setup = setup_of_layer(plan, 0);
    const auto refuse = [&](const std::string& what) {
        throw BadInput("The measurement of " + model.name + " cannot be stored in a lab, because " + what +
                       ", and no run can have this; print it with --json.");
    };
    if (plan.sizes.C != setup.heads * setup.head_dim) refuse("its heads have another width than its residual stream");
    if (setup.scaling.method != ScalingMethod::none) refuse("its frequencies are scaled");
    for (std::int64_t layer = 1; layer < std::ssize(plan.layers); ++layer) {
        if (setup_of_layer(plan, layer) != setup) refuse("its layers have different rotations, windows or heads");
    }
    // Numbers that equal no seed of a run, so that nothing is paired with it.
    const std::int64_t seed = 1'000'000'000 + std::ssize(lab.runs());
    const nlohmann::json settings = {
        {imported_setting, "opened model"},
        {model_setting, model.name},
        {"data", model.external->corpus->name},
        {"layers", std::ssize(plan.layers)},
        {"heads", setup.heads},
        {"key_value_heads", std::get<Softmax>(plan.layers.front().attention).heads.kv.value_or(0)},
        {"width", setup.heads * setup.head_dim},
        {"context", std::max(setup.context, result.length)},
        {"attention_window", setup.attention_window},
        {"theta", setup.theta},
        {"fraction", setup.fraction},
        {"partial", setup.partial == Partial::slice ? "slice" : "truncate"},
        {"seed", seed}};
    RunSummary summary;
    summary.iterations = step;
    summary.best_validation_loss = summary.final_validation_loss = result.loss;
    summary.best_iteration = step;
    summary.seconds = summary.tokens_per_second = RunSummary::unknown;
    std::vector<ModelMark> marks = marks_of_text(lab.choice(models_choice));
    keep_mark(marks, mark_of_path(model.path));
    RunId id = 0;
    lab.in_one_transaction([&] {
        lab.set_choice(models_choice, text_of_marks(marks));
        // Measurements that follow each other are of one experiment, so that results and lectures have them together.
        const Experiment described(imported_experiment);
        const std::vector<ExperimentRecord> before = lab.experiments();
        const bool goes_on = !before.empty() && before.back().name == described.name();
        const std::int64_t experiment =
            goes_on ? before.back().id : lab.add_experiment(described.name(), described.to_json().dump());
        id = lab.add_run(experiment, model.name,
                         settings.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
        lab.annotate_run(id, "Measured by RoPE Lab on " + model.external->corpus->name + ".");
        if (!result.map_tokens.empty()) lab.set_vocabulary(id, model.vocabulary);
        const std::vector<Event> events = {
            event::Evaluated{id, step, RunSummary::unknown, result.loss},
            event::Probed{id, step, std::make_shared<const ProbeResult>(compacted(result))},
            event::RunEnded{id, RunState::finished, "", summary}};
        lab.record(events);
    });
    return id;
}

ModelMark mark_of(const OpenedModel& model) {
    std::map<fs::path, const WeightFile*> files;
    for (const auto& [name, entry] : model.files().tensors()) files[entry.file->path()] = entry.file;
    std::string all = model.config().dump();
    for (const auto& [path, file] : files) {
        constexpr std::uint64_t end_bytes = 4096;
        std::vector<std::byte> end(static_cast<std::size_t>(std::min(end_bytes, file->size())));
        all += '\n' + path.filename().string() + '\n' + std::to_string(file->size()) + '\n';
        for (const std::uint64_t from : {std::uint64_t{0}, file->size() - end.size()}) {
            file->read(from, end);
            all.append(reinterpret_cast<const char*>(end.data()), end.size());
        }
    }
    return {.path = fs::canonical(model.path()).string(),
            .name = model.name(),
            .type = text_model(model.config()).value("model_type", ""),
            .parameters = model.parameters(),
            .bytes = model.files().bytes(),
            .sha256 = checksum_of(all, Checksum::Algorithm::sha256).hex};
}

ModelMark mark_of_path(const fs::path& path) {
    const std::vector<ModelStep> steps = model_steps(path);
    if (steps.empty()) return mark_of(OpenedModel(path));
    const OpenedModel last(steps.back().path);
    ModelMark result = mark_of(last);
    result.path = fs::canonical(path).string();
    result.name = fs::path(result.path).filename().string();
    result.bytes = 0;
    std::string all;
    for (const ModelStep& step : steps) {
        const ModelMark own = mark_of(open_step(step, last.plan()));
        result.bytes += own.bytes;
        all += std::to_string(step.step) + '\n' + own.sha256 + '\n';
    }
    result.sha256 = checksum_of(all, Checksum::Algorithm::sha256).hex;
    return result;
}

std::string text_of_marks(std::span<const ModelMark> marks) {
    nlohmann::json list = nlohmann::json::array();
    for (const ModelMark& mark : marks) {
        list.push_back({{"path", mark.path},
                        {"name", mark.name},
                        {"type", mark.type},
                        {"parameters", mark.parameters},
                        {"bytes", mark.bytes},
                        {"sha256", mark.sha256}});
    }
    return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::size_t keep_mark(std::vector<ModelMark>& marks, const ModelMark& mark) {
    auto place = std::ranges::find(marks, mark.path, &ModelMark::path);
    if (place == marks.end()) place = marks.insert(marks.end(), mark);
    *place = mark;
    return static_cast<std::size_t>(place - marks.begin());
}

std::vector<ModelMark> marks_of_text(const std::string& text) {
    std::vector<ModelMark> marks;
    if (text.empty()) return marks;
    try {
        for (const nlohmann::json& each : parse_bounded(text)) {
            marks.push_back({each.at("path"), each.at("name"), each.at("type"), each.at("parameters"), each.at("bytes"),
                             each.at("sha256")});
        }
    } catch (const nlohmann::json::exception&) {
        throw BadInput("The list of models of this lab is damaged; open the models again.");
    }
    return marks;
}

void require_same_model(const ModelMark& then) {
    std::error_code error;
    if (!fs::exists(then.path, error)) {
        throw BadInput("The model " + then.name + " is no longer at " + then.path +
                       "; move it back, or open it where it is now.");
    }
    if (mark_of_path(then.path) != then) {
        throw BadInput("The files of the model " + then.name + " at " + then.path +
                       " have changed since this lab named it; open the model again to use the new files.");
    }
}

std::optional<ModelMark> mark_of_run(const LabFile& lab, const RunRecord& run) {
    const nlohmann::json settings = stored_settings(run);
    const auto stored = settings.find(model_setting);
    if (stored == settings.end() || !stored->is_string()) return std::nullopt;
    const std::string name = *stored;
    const auto is_own = [&](const ModelMark& mark) {
        return name == mark.name || name.starts_with(mark.name + other_theta);
    };
    const std::vector<ModelMark> marks = marks_of_text(lab.choice(models_choice));
    const auto found = std::ranges::find_if(marks, is_own);
    return found == marks.end() ? std::nullopt : std::optional(*found);
}

}  // namespace ropelab
