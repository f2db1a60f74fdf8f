// Files of binary records: TensorBoard's event files, and the logs of wandb and SwanLab. Debian has no library for
// either (leveldb's log reader is not part of its interface), and the protobuf library must not be linked, because
// LibTorch contains one with the same symbols.

#include <algorithm>
#include <bit>
#include <boost/crc.hpp>
#include <cmath>
#include <cstring>
#include <iterator>
#include <set>

#include "core/base/error.h"
#include "core/data/read_file.h"
#include "core/interop/foreign/foreign_run.h"
#include "core/interop/tensorboard.h"

namespace ropelab {

namespace {

namespace fs = std::filesystem;

template <typename Number>
Number number_in(std::string_view bytes, std::size_t at) {
    static_assert(std::endian::native == std::endian::little);
    Number result{};
    std::memcpy(&result, bytes.data() + at, sizeof result);
    return result;
}

struct WireField {
    std::uint64_t number = 0;
    std::uint64_t whole = 0;  // of wire type 0
    double real = std::numeric_limits<double>::quiet_NaN();
    std::string_view bytes = {};  // of wire type 2
};

std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
        if (byte < 0x80) return value;
    }
    return std::nullopt;
}

// Fields of a protocol buffer until its end, or until it is damaged. A range, without copies.
class WireFields {
 public:
    explicit WireFields(std::string_view bytes) : rest_(bytes) { next(); }
    WireFields& begin() { return *this; }
    std::default_sentinel_t end() const { return {}; }
    bool operator==(std::default_sentinel_t) const { return ended_; }
    const WireField& operator*() const { return field_; }
    WireFields& operator++() {
        next();
        return *this;
    }

 private:
    void next() {
        ended_ = true;
        const auto tag = take_varint(rest_);
        if (!tag) return;
        field_ = {.number = *tag >> 3U};
        const unsigned type = *tag & 7U;
        const std::size_t fixed = type == 1 ? 8 : 4;
        if (type == 0 || type == 2) {
            const auto value = take_varint(rest_);
            if (!value || (type == 2 && *value > rest_.size())) return;
            field_.whole = *value;
            if (type == 2) {
                field_.bytes = rest_.substr(0, *value);
                rest_.remove_prefix(*value);
            }
        } else if ((type == 1 || type == 5) && rest_.size() >= fixed) {
            field_.real = type == 1 ? number_in<double>(rest_, 0) : static_cast<double>(number_in<float>(rest_, 0));
            rest_.remove_prefix(fixed);
        } else {
            return;
        }
        ended_ = false;
    }

    std::string_view rest_;
    WireField field_;
    bool ended_ = false;
};

// The last one, as protocol buffers define it.
WireField wire_field(std::string_view bytes, std::uint64_t number) {
    WireField result;
    for (const WireField& field : WireFields(bytes)) {
        if (field.number == number) result = field;
    }
    return result;
}

std::string cut_note(const fs::path& file, std::size_t at) {
    return file.filename().string() + " is cut off or damaged from byte " + std::to_string(at) +
           "; what precedes it was read.";
}

// TensorBoard: field numbers as in tensorboard.cpp.

constexpr std::size_t record_head = 12;  // length and its checksum
constexpr std::size_t record_frame = 16;

bool has_checksum(std::string_view bytes, std::uint32_t stored) {
    const std::uint32_t unmasked = stored - 0xA282EAD8U;
    return ((unmasked << 15U) | (unmasked >> 17U)) == crc32c(bytes);
}

bool is_event_file(const FileHead& head) {
    return head.text.size() > record_head &&
           has_checksum(std::string_view(head.text).substr(0, 8), number_in<std::uint32_t>(head.text, 8));
}

std::optional<double> scalar_of_tensor(std::string_view tensor) {
    constexpr std::uint64_t float_type = 1, double_type = 2;
    const std::uint64_t type = wire_field(tensor, 1).whole;
    if (type != float_type && type != double_type) return std::nullopt;
    const std::size_t size = type == float_type ? 4 : 8;
    for (const std::uint64_t place : {std::uint64_t{4}, type == float_type ? std::uint64_t{5} : std::uint64_t{6}}) {
        const WireField field = wire_field(tensor, place);
        if (field.bytes.size() == size) {
            return type == float_type ? static_cast<double>(number_in<float>(field.bytes, 0))
                                      : number_in<double>(field.bytes, 0);
        }
        if (field.number == place && field.bytes.empty()) return field.real;
    }
    return std::nullopt;
}

// google.protobuf.Value
nlohmann::json value_of_wire(std::string_view value) {
    for (const WireField& field : WireFields(value)) {
        if (field.number == 2) return field.real;
        if (field.number == 3) return std::string(field.bytes);
        if (field.number == 4) return field.whole != 0;
    }
    return {};
}

void add_hyperparameters(ForeignRun& run, std::string_view plugin_data) {
    nlohmann::json config = nlohmann::json::object();
    for (const WireField& entry : WireFields(wire_field(plugin_data, 3).bytes)) {
        if (entry.number == 1) {
            config[std::string(wire_field(entry.bytes, 1).bytes)] = value_of_wire(wire_field(entry.bytes, 2).bytes);
        }
    }
    run.add_config(config);
}

void add_summary(ForeignRun& run, std::string_view value, std::int64_t step, double time) {
    const std::string tag(wire_field(value, 1).bytes);
    const std::string_view plugin = wire_field(wire_field(value, 9).bytes, 1).bytes;
    const std::string_view tensor = wire_field(value, 8).bytes;
    const std::string_view plugin_name = wire_field(plugin, 1).bytes;
    if (plugin_name == "hparams") return add_hyperparameters(run, wire_field(plugin, 2).bytes);
    if (plugin_name == "text") {  // settings are often logged as a text of JSON
        const nlohmann::json text = python_json(wire_field(tensor, 8).bytes);
        if (text.is_object()) run.add_config(text);
        return;
    }
    const WireField simple = wire_field(value, 2);
    const auto number = simple.number == 2 ? std::optional(simple.real) : scalar_of_tensor(tensor);
    if (number) run.add(tag, {step, *number, time});
}

// TensorBoard discards what precedes the start of a session, from its step on. Without that event nothing is discarded.
void add_event(ForeignRun& run, std::string_view event) {
    constexpr std::uint64_t start = 1;
    const auto step = static_cast<std::int64_t>(wire_field(event, 2).whole);
    const WireField session = wire_field(event, 7);
    if (session.number == 7 && wire_field(session.bytes, 1).whole == start) {
        for (auto& [name, points] : run.metrics) {
            std::erase_if(points, [&](const ForeignPoint& point) { return point.step >= step; });
        }
    }
    for (const WireField& value : WireFields(wire_field(event, 5).bytes)) {
        if (value.number == 1) add_summary(run, value.bytes, step, wire_field(event, 1).real);
    }
}

void add_event_file(ForeignRun& run, const fs::path& file) {
    const std::string content = read_regular_file(file, largest_foreign_file);
    const std::string_view bytes = content;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::string_view rest = bytes.substr(at);
        const std::uint64_t size = rest.size() < record_frame ? rest.size() : number_in<std::uint64_t>(rest, 0);
        const bool is_whole =
            size <= rest.size() - std::min(rest.size(), record_frame) && rest.size() >= record_frame &&
            has_checksum(rest.substr(0, 8), number_in<std::uint32_t>(rest, 8)) &&
            has_checksum(rest.substr(record_head, size), number_in<std::uint32_t>(rest, record_head + size));
        if (!is_whole) {
            run.notes.push_back(cut_note(file, at));
            return;
        }
        add_event(run, rest.substr(record_head, size));
        at += record_frame + size;
    }
}

// SummaryWriter.add_scalars() writes "loss" with the keys train and val as the folders loss_train and loss_val, in
// tensorboardX loss/train and loss/val, each with the tag "loss"; add_hparams() writes settings and last values into a
// folder of their own. Both belong to the run above; `folder` is relative to it. Returns false for a run of its own.
bool join_to_parent(ForeignRun& parent, ForeignRun& child, const std::string& folder) {
    const bool has_settings_only =
        !child.config.empty() && folder.find('/') == folder.npos &&
        std::ranges::all_of(child.metrics, [](const auto& each) { return each.second.size() < 2; });
    const std::string tag = child.metrics.size() == 1 ? child.metrics.begin()->first : "";
    std::string prefix = tag;
    std::ranges::replace(prefix, '/', '_');
    const bool is_part = !tag.empty() && (folder.starts_with(prefix + "_") || folder.starts_with(tag + "/"));
    if (!has_settings_only && !is_part) return false;
    if (is_part) {
        auto part = child.metrics.extract(child.metrics.begin());
        part.key() += "/" + folder.substr(prefix.size() + 1);
        child.metrics.insert(std::move(part));
    }
    parent.config.update(child.config);
    parent.take(std::move(child));
    return true;
}

void read_event_files(std::span<const fs::path> files, const fs::path& root, const OnForeignRun& on_run) {
    std::map<fs::path, ForeignRun> runs;  // by folder; parents come first
    for (const fs::path& file : files) {
        const fs::path folder = file.parent_path();
        const auto [place, is_new] = runs.try_emplace(folder);
        if (is_new) {
            place->second = {"TensorBoard", foreign_name(root, file), folder, hparams_in(folder), {}, {}};
        }
        add_event_file(place->second, file);
    }
    std::set<fs::path> joined_folders;
    for (auto& [folder, run] : runs) {
        fs::path above = folder.parent_path();
        while (!runs.contains(above) && above.has_relative_path()) above = above.parent_path();
        const auto parent = runs.find(above);
        if (parent != runs.end() && join_to_parent(parent->second, run, folder.lexically_relative(above).string()))
            joined_folders.insert(folder);
    }
    for (auto& [folder, run] : runs) {
        if (!joined_folders.contains(folder)) on_run(std::move(run));
    }
}

// wandb and SwanLab: blocks of 32 KiB with records, or parts of them, as in a log of leveldb, but with the CRC-32 of
// zlib over type and data. The file begins with a mark, a number of two bytes and a version.

constexpr std::size_t log_block = 32768;
constexpr std::size_t log_head = 7;

// Calls `on_record` for each whole record; returns the byte from which the log is cut off or damaged.
std::optional<std::size_t> log_records(std::string_view bytes, const std::function<void(std::string_view)>& on_record) {
    enum Type : unsigned char { whole = 1, first, middle, last };
    std::string record;
    for (std::size_t at = log_head; at < bytes.size();) {
        const std::size_t left = log_block - at % log_block;
        if (left < log_head) {
            at += left;
            continue;
        }
        if (bytes.size() - at < log_head) return at;
        const std::size_t size = number_in<std::uint16_t>(bytes, at + 4);
        const auto type = static_cast<unsigned char>(bytes[at + 6]);
        if (type == 0 && size == 0) {  // the rest of the block was reserved and not written
            at += left;
            continue;
        }
        boost::crc_32_type crc;
        if (size > left - log_head || size > bytes.size() - at - log_head || type < whole || type > last) return at;
        crc.process_bytes(bytes.data() + at + 6, size + 1);
        if (crc.checksum() != number_in<std::uint32_t>(bytes, at)) return at;
        if (type == whole || type == first) record.clear();
        record.append(bytes.substr(at + log_head, size));
        if (type == whole || type == last) on_record(record);
        at += log_head + size;
    }
    return std::nullopt;
}

void read_log(const fs::path& file, const char* program, const fs::path& root, const OnForeignRun& on_run,
              void (*add)(ForeignRun&, std::string_view record)) {
    const std::string bytes = read_regular_file(file, largest_foreign_file);
    ForeignRun run{program, foreign_name(root, file), file, nlohmann::json::object(), {}, {}};
    const auto cut = log_records(bytes, [&](std::string_view record) { add(run, record); });
    if (cut) run.notes.push_back(cut_note(file, *cut));
    on_run(std::move(run));
}

// ConfigItem and HistoryItem: a key, or nested keys, and a value as JSON.
std::pair<std::string, nlohmann::json> wandb_item(std::string_view item) {
    std::pair<std::string, nlohmann::json> result;
    for (const WireField& field : WireFields(item)) {
        if (field.number == 1 || field.number == 2) {
            result.first += (result.first.empty() ? "" : ".") + std::string(field.bytes);
        }
        if (field.number == 16) result.second = python_json(field.bytes);
    }
    return result;
}

void add_wandb_record(ForeignRun& run, std::string_view record) {
    enum Part : std::uint64_t { history = 2, config = 5, run_record = 17 };  // wandb_internal.proto
    const auto add_config = [&](std::string_view items) {
        for (const WireField& item : WireFields(items)) {
            auto [key, value] = wandb_item(item.bytes);
            if (item.number == 1) run.add_config({{key, value}});
        }
    };
    for (const WireField& part : WireFields(record)) {
        if (part.number == history) {
            nlohmann::json row = nlohmann::json::object();
            for (const WireField& item : WireFields(part.bytes)) {
                auto [key, value] = wandb_item(item.bytes);
                if (item.number == 1) row[key] = std::move(value);
            }
            if (!row.contains("_step")) row["_step"] = wire_field(wire_field(part.bytes, 2).bytes, 1).whole;
            run.misplaced += run.add_row(row) ? 0 : 1;
        } else if (part.number == config) {
            add_config(part.bytes);
        } else if (part.number == run_record) {
            const std::string_view name = wire_field(part.bytes, 8).bytes;
            if (!name.empty()) run.name = name;
            add_config(wire_field(part.bytes, 4).bytes);
        }
    }
}

void add_swanlab_record(ForeignRun& run, std::string_view record) {
    enum Part : std::uint64_t { start = 10, scalar = 13 };
    for (const WireField& part : WireFields(record)) {
        if (part.number == start) {
            const std::string_view name = wire_field(part.bytes, 4).bytes;
            if (!name.empty()) run.name = name;
        }
        const WireField value = wire_field(wire_field(part.bytes, 5).bytes, 1);
        if (part.number != scalar || value.number != 1) continue;
        const std::string_view time = wire_field(part.bytes, 4).bytes;
        run.add(
            std::string(wire_field(part.bytes, 1).bytes),
            {static_cast<std::int64_t>(wire_field(part.bytes, 2).whole), value.real,
             static_cast<double>(wire_field(time, 1).whole) + 1e-9 * static_cast<double>(wire_field(time, 2).whole)});
    }
}

}  // namespace

const ForeignFormat tensorboard_format{"TensorBoard", "event files, in folders", is_event_file, read_event_files};
const ForeignFormat wandb_format{"wandb", "offline runs (.wandb)",
                                 [](const FileHead& head) { return head.text.starts_with(":W&B"); },
                                 [](std::span<const fs::path> files, const fs::path& root, const OnForeignRun& on_run) {
                                     read_log(files.front(), "wandb", root, on_run, add_wandb_record);
                                 }};
const ForeignFormat swanlab_format{
    "SwanLab", "offline runs (.swanlab)", [](const FileHead& head) { return head.text.starts_with(":SWL"); },
    [](std::span<const fs::path> files, const fs::path& root, const OnForeignRun& on_run) {
        read_log(files.front(), "SwanLab", root, on_run, add_swanlab_record);
    }};

}  // namespace ropelab
