#include "core/run/checkpoint.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/experiment/experiment.h"
#include "core/settings/keys.h"
#include "core/weights/safetensors.h"

namespace ropelab {

namespace {

std::optional<Checkpoint> read(const std::filesystem::path& path, bool with_state) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return std::nullopt;
    TensorFile file = with_state ? read_safetensors(path) : TensorFile{{}, read_safetensors_metadata(path)};
    try {
        if (file.metadata.at("format") != "ropelab-checkpoint-1") throw std::out_of_range("format");
        const auto progress = parse_bounded(file.metadata.at("progress"));
        Checkpoint result;
        result.spec = run_spec_from_json(parse_bounded(file.metadata.at("settings")));
        result.vocabulary = file.metadata.at("vocabulary");
        result.iteration = progress.at("iteration");
        result.evaluated = progress.at("evaluated");
        result.sample_is_cut = progress.value("sample_is_cut", false);
        result.conditions.precision = progress.at("precision");
        result.conditions.device = progress.at("device");
        result.conditions.threads = progress.at("threads");
        result.conditions.reason = progress.at("reason");
        result.conditions.graphs = progress.value("kernels", "");
        const auto number = [&](const char* name) { return number_or_nan(progress.at(name)); };
        constexpr std::int64_t most_steps = 1'000'000'000;  // of the setting iterations
        if (result.iteration < 0 || result.iteration > most_steps || result.evaluated > result.iteration) {
            throw std::out_of_range("iteration");
        }
        result.summary.iterations = result.iteration;
        result.summary.best_validation_loss = number("best_validation_loss");
        result.summary.best_iteration = progress.at("best_iteration");
        result.summary.final_validation_loss = number("final_validation_loss");
        result.summary.final_training_loss = number("final_training_loss");
        result.summary.seconds = number("seconds");
        if (const auto text = progress.find("text"); text != progress.end()) {
            result.text = TextMark{text->at("name"), text->at("bytes"), text->at("sha256")};
        }
        result.state = std::move(file.tensors);
        return result;
    } catch (const std::exception&) {
        throw BadInput(path.string() + " is a safetensors file, but not a checkpoint of RoPE Lab.");
    }
}

// "" if the checkpoint may be that of the run.
std::string difference(const Checkpoint& checkpoint, const RunCheckpoint& run) {
    const auto steps = [](std::int64_t step) { return std::to_string(step); };
    for (const Key& key : keys()) {
        const Value its = key.get(checkpoint.spec);
        const Value wanted = key.get(run.spec);
        if (its == wanted) continue;
        return "its " + std::string(key.name) + " is " + to_text(its) + ", but that of the run is " + to_text(wanted);
    }
    const auto& text = checkpoint.text;
    if (text && run.text && (text->bytes != run.text->bytes || text->sha256 != run.text->sha256)) {
        return "its text \"" + text->name + "\" has " + steps(text->bytes) + " bytes and the SHA-256 checksum " +
               text->sha256 + ", but that of the run has " + steps(run.text->bytes) + " bytes and " + run.text->sha256;
    }
    if (!run.vocabulary.empty() && checkpoint.vocabulary != run.vocabulary) {
        return "its vocabulary differs from that of the run";
    }
    if (run.finished >= 0 && checkpoint.iteration != run.finished) {
        return "it was written at step " + steps(checkpoint.iteration) + ", but the run finished at step " +
               steps(run.finished);
    }
    if (run.recorded >= 0 && checkpoint.iteration > run.recorded) {
        return "it was written at step " + steps(checkpoint.iteration) +
               ", but the lab file has the run's metrics only up to " + "step " + steps(run.recorded);
    }
    return "";
}

std::optional<Checkpoint> read(const RunCheckpoint& run, bool with_state) {
    auto checkpoint = read(run.path, with_state);
    const std::string why = checkpoint ? difference(*checkpoint, run) : "";
    if (why.empty()) return checkpoint;
    throw BadInput("The checkpoint " + run.path.string() + " does not belong to the run" +
                   (run.name.empty() ? "" : " \"" + run.name + "\"") + ": " + why +
                   ". Restore the lab file and its checkpoints together, or move this checkpoint away; an unfinished "
                   "run then trains from the beginning.");
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    // A link could name a file that is not a checkpoint.
    if (std::filesystem::is_symlink(path, error)) std::filesystem::remove(path, error);
    nlohmann::json progress = {
        {"iteration", checkpoint.iteration},
        {"evaluated", checkpoint.evaluated},
        {"sample_is_cut", checkpoint.sample_is_cut},
        {"precision", checkpoint.conditions.precision},
        {"device", checkpoint.conditions.device},
        {"threads", checkpoint.conditions.threads},
        {"reason", checkpoint.conditions.reason},
        {"kernels", checkpoint.conditions.graphs},
        {"best_validation_loss", checkpoint.summary.best_validation_loss},
        {"best_iteration", checkpoint.summary.best_iteration},
        {"final_validation_loss", checkpoint.summary.final_validation_loss},
        {"final_training_loss", checkpoint.summary.final_training_loss},
        {"seconds", checkpoint.summary.seconds},
    };
    if (const auto& text = checkpoint.text) {
        progress["text"] = {{"name", text->name}, {"bytes", text->bytes}, {"sha256", text->sha256}};
    }
    write_safetensors(path, {checkpoint.state,
                             {{"format", "ropelab-checkpoint-1"},
                              {"settings", to_json(checkpoint.spec).dump()},
                              {"vocabulary", checkpoint.vocabulary},
                              {"progress", progress.dump()}}});
}

namespace {

Checkpoint of_external(const RunCheckpoint& run) {
    Checkpoint result;
    result.spec = run.spec;
    result.vocabulary = run.vocabulary;
    result.iteration = std::max<std::int64_t>(0, run.finished);
    result.external = run.external;
    return result;
}

}  // namespace

std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& path) {
    return read(path, true);
}

std::optional<Checkpoint> read_checkpoint(const RunCheckpoint& run) {
    return run.external ? of_external(run) : read(run, true);
}

std::optional<Checkpoint> read_checkpoint_head(const RunCheckpoint& run) {
    return run.external ? of_external(run) : read(run, false);
}

}  // namespace ropelab
