#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/interop/opened_model.h"
#include "core/run/checkpoint.h"
#include "core/store/lab_file.h"

namespace ropelab {

/// A model that others trained (OpenedModel) as the checkpoint of a run, so that it is studied like one: `text` is a
/// file or a known data set, all of whose tokens are its validation part; "": pages of the program's guide. With
/// `theta` instead of the model's own base, if one is given. Its weights are read when an engine loads them, and stay
/// in memory until the last copy is destroyed. Throws BadInput as OpenedModel does, if the model has no tokenizer, and
/// for a text with fewer than two tokens.
RunCheckpoint external_run(const std::filesystem::path& path, const std::string& text = {},
                           const std::filesystem::path& data_dir = {}, std::optional<double> theta = {});

inline constexpr const char* model_setting = "opened_model";  // of a run that stands for a measured model: its name

/// Stores what was measured of an external model as a snapshot of a new run, which counts as imported; its vocabulary
/// only if there are attention maps, whose tokens it names. Returns the id. Throws BadInput, naming what differs, if no
/// run has the model's sizes and frequencies, with which the figures of a run interpret its snapshots. The lab also
/// keeps the model's mark.
RunId store_measurement(LabFile& lab, const RunCheckpoint& model, const ProbeResult& result, std::int64_t step = 0);

/// What a lab keeps of a model that it names and does not contain.
struct ModelMark {
    std::string path;  // absolute, without links
    std::string name;
    std::string type;  // model_type of its config
    std::int64_t parameters = 0;
    std::uint64_t bytes = 0;  // of all its weights
    /// SHA-256 of the config, and of the names, sizes and first and last 4 KiB of its files: all bytes would take
    /// minutes.
    std::string sha256;

    bool operator==(const ModelMark&) const = default;
};
ModelMark mark_of(const OpenedModel& model);
/// Of a model, or of all checkpoints of a folder (core/interop/model_steps.h). Throws BadInput as open_step does.
ModelMark mark_of_path(const std::filesystem::path& path);
/// As LabFile::choice("models") keeps it: a JSON list.
std::string text_of_marks(std::span<const ModelMark> marks);
/// Adds the mark, or replaces that of the same path. Returns its index.
std::size_t keep_mark(std::vector<ModelMark>& marks, const ModelMark& mark);
/// Throws BadInput for another text; "" is an empty list.
std::vector<ModelMark> marks_of_text(const std::string& text);
/// Throws BadInput if the model has moved, or if its files have changed since.
void require_same_model(const ModelMark& then);
/// The mark of the model that store_measurement() measured for this run; nullopt for another run.
std::optional<ModelMark> mark_of_run(const LabFile& lab, const RunRecord& run);

}  // namespace ropelab
