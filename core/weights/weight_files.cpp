#include "core/weights/weight_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/data/read_file.h"
#include "core/weights/safetensors.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t largest_index = 16'000'000;
constexpr std::size_t most_shards = 1000;
constexpr const char* weights_name = "model.safetensors";
constexpr const char* index_name = "model.safetensors.index.json";

bool is_pickle(const fs::path& file) {
    const std::string end = file.extension().string();
    return end == ".bin" || end == ".pt" || end == ".pth" || end == ".ckpt" || end == ".pkl";
}

[[noreturn]] void refuse_pickle(const fs::path& file) {
    const std::string how =
        file.filename() == "ckpt.pt"
            ? "load them with checkpoint = torch.load(FILE, weights_only=True), and write checkpoint[\"model_args\"] "
              "as config.json and {name: tensor.clone() for name, tensor in checkpoint[\"model\"].items()} with "
              "safetensors.torch.save_file as model.safetensors into a new folder."
            : "convert them to safetensors with transformers, for example by "
              "AutoModelForCausalLM.from_pretrained(FOLDER).save_pretrained(NEW_FOLDER).";
    throw BadInput(file.string() + " contains pickled weights, which can run any program when they are read; " + how);
}

// The cache of the Hugging Face hub has links from a snapshot to blobs two folders above it.
void require_inside(const fs::path& file, const fs::path& folder) {
    std::error_code error;
    const fs::path home = fs::canonical(folder, error);
    const fs::path real = fs::canonical(file, error);
    if (error) return;  // opening the file says why
    const auto is_in = [&](const fs::path& outer) {
        return std::mismatch(outer.begin(), outer.end(), real.begin(), real.end()).first == outer.end();
    };
    if (is_in(home) || is_in(home.parent_path().parent_path() / "blobs")) return;
    throw BadInput(file.string() + " is a link to a file outside of the folder of the model; copy the file there.");
}

}  // namespace

WeightFiles::WeightFiles(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
        open_folder(path);
    } else if (path.filename().string().ends_with(".index.json")) {
        open_shards(path);
    } else {
        open_file(path);
    }
}

void WeightFiles::open_file(const fs::path& path) {
    if (is_pickle(path)) refuse_pickle(path);
    const WeightFile& file = open(path);
    if (is_gguf(file)) gguf_ = read_gguf_header(file);
    add(file, gguf_ ? gguf_->tensors : read_safetensors_header(file).tensors);
}

const WeightFile& WeightFiles::open(const fs::path& path) {
    files_.push_back(std::make_unique<WeightFile>(path));
    return *files_.back();
}

void WeightFiles::add(const WeightFile& file, const std::vector<StoredTensor>& tensors) {
    for (const StoredTensor& tensor : tensors) {
        const auto [found, is_new] = tensors_.try_emplace(tensor.name, Entry{tensor, &file});
        if (!is_new) {
            throw BadInput("The tensor " + quoted_name(tensor.name) + " is both in " +
                           found->second.file->path().string() + " and in " + file.path().string() +
                           "; each tensor must be in one file.");
        }
    }
}

void WeightFiles::open_folder(const fs::path& folder) {
    std::error_code error;
    for (const char* name : {index_name, "consolidated.safetensors.index.json"}) {
        if (fs::exists(folder / name, error)) return open_shards(folder / name);
    }
    for (const char* name : {weights_name, "consolidated.safetensors", "consolidated.00.safetensors"}) {
        if (!fs::exists(folder / name, error) && !fs::is_symlink(folder / name, error)) continue;
        if (fs::exists(folder / "consolidated.01.safetensors", error) && name != std::string(weights_name))
            throw BadInput(folder.string() +
                           " has parts of each tensor in consolidated.00.safetensors, consolidated.01.safetensors and "
                           "so on, which are not put together; use the model's folder of Hugging Face.");
        require_inside(folder / name, folder);
        return open_file(folder / name);
    }
    std::vector<fs::path> others;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".gguf" || is_pickle(entry.path())) others.push_back(entry.path());
    }
    std::sort(others.begin(), others.end());
    const auto gguf = std::ranges::find_if(others, [](const fs::path& file) { return file.extension() == ".gguf"; });
    if (gguf != others.end()) {
        throw BadInput(folder.string() + " has no " + weights_name + ", but GGUF files; name one of them, such as " +
                       gguf->string() + ".");
    }
    if (!others.empty()) refuse_pickle(others.front());
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (!fs::exists(entry.path() / "config.json", error)) continue;
        throw BadInput(folder.string() + " has no weights, but folders of models; name one of them, such as " +
                       entry.path().string() + ".");
    }
    throw BadInput(folder.string() + " has no weights; a model's folder has a file " + weights_name + " or " +
                   index_name + ".");
}

void WeightFiles::open_shards(const fs::path& index) {
    const fs::path folder = index.parent_path();
    const auto refuse = [&](const std::string& why) { throw BadInput(index.string() + " " + why); };
    require_inside(index, folder);
    const std::string text = read_regular_file(index, largest_index);
    const nlohmann::json read = parse_bounded(text, nullptr, false);
    if (!read.is_object() || !read.contains("weight_map") || !read["weight_map"].is_object())
        refuse("is no index of files of weights, which is JSON with a weight_map.");
    std::set<std::string> names;
    for (const auto& [tensor, file] : read["weight_map"].items()) {
        const std::string name = file.is_string() ? file.get<std::string>() : "";
        if (!name.ends_with(".safetensors") || fs::path(name).filename() != name) {
            refuse("says that the tensor " + quoted_name(tensor) + " is in " + quoted_name(name) +
                   ", but it may only name safetensors files of its own folder.");
        }
        if (names.insert(name).second && names.size() > most_shards)
            refuse("names more than " + std::to_string(most_shards) + " files.");
    }
    for (const std::string& name : names) {
        require_inside(folder / name, folder);
        const WeightFile& file = open(folder / name);
        add(file, read_safetensors_header(file).tensors);
    }
    for (const auto& [tensor, file] : read["weight_map"].items()) {
        const Entry* entry = find(tensor);
        if (!entry || entry->file->path().filename() != file.get<std::string>())
            refuse("says that the tensor " + quoted_name(tensor) + " is in " + quoted_name(file.get<std::string>()) +
                   ", but that file does not contain it.");
    }
}

const WeightFiles::Entry* WeightFiles::find(const std::string& name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : &found->second;
}

std::uint64_t WeightFiles::bytes() const {
    std::uint64_t total = 0;
    for (const auto& file : files_) total += file->size();
    return total;
}

}  // namespace ropelab
