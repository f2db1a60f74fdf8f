#include "core/weights/safetensors.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/store/output_file.h"

namespace ropelab {

namespace {

using nlohmann::json;

// In bytes, for about 60,000 tensors in one file, more than the largest models have. The reference implementation reads
// up to 100 MB, which need several GB of memory.
constexpr std::uint64_t largest_header = 8'000'000;

/// Throws BadInput with a precise reason.
class Reader {
 public:
    explicit Reader(const WeightFile& file) : file_(file) {}

    SafetensorsHeader read() {
        const json header = read_header();
        SafetensorsHeader result;
        for (const auto& [name, value] : header.items()) {
            if (name == "__metadata__") {
                result.metadata = metadata_of(value);
            } else {
                result.tensors.push_back(tensor_of(name, value));
            }
        }
        check_layout(result.tensors);
        return result;
    }

 private:
    [[noreturn]] void fail(const std::string& what) const {
        throw BadInput(file_.path().string() + " cannot be read as safetensors: " + what + ".");
    }

    json read_header() {
        if (file_.size() < 8) fail("it is shorter than the 8 bytes that state the header's size");
        std::uint64_t size = 0;
        file_.read(0, std::as_writable_bytes(std::span(&size, 1)));
        if (size > file_.size() - 8) {
            fail("its header should have " + std::to_string(size) + " bytes, but only " +
                 std::to_string(file_.size() - 8) + " follow");
        }
        if (size > largest_header) fail("its header of " + std::to_string(size) + " bytes is too large");
        data_start_ = 8 + size;
        data_size_ = file_.size() - data_start_;
        std::string text(size, '\0');
        file_.read(8, std::as_writable_bytes(std::span(text)));
        if (text.empty() || text.front() != '{') fail("its header does not start with '{'");
        return parse(text);
    }

    // Small lists need many times their size in memory, and a tensor needs at least 48 bytes for three of them.
    void check_lists(const std::string& text) const {
        std::size_t lists = 0;
        bool in_string = false;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (in_string && text[i] == '\\') {
                ++i;
            } else if (text[i] == '"') {
                in_string = !in_string;
            } else if (!in_string && (text[i] == '[' || text[i] == '{')) {
                ++lists;
            }
        }
        constexpr std::size_t bytes_per_list = 12;
        if (lists > 3 + text.size() / bytes_per_list)
            fail("its header is not valid JSON of tensors, because it has more lists than its tensors could have");
    }

    json parse(const std::string& text) const {
        check_lists(text);
        std::optional<std::string> twice;
        json header = parse_bounded(
            text, [&](const std::string& key) { twice = key; }, false);
        if (header.is_discarded() || !header.is_object()) fail("its header is not valid JSON");
        if (twice) fail("its header names " + quoted_name(*twice) + " twice");
        return header;
    }

    std::map<std::string, std::string> metadata_of(const json& value) const {
        std::map<std::string, std::string> result;
        if (!value.is_object()) fail("its metadata is not an object of strings");
        for (const auto& [key, text] : value.items()) {
            if (!text.is_string()) fail("its metadata " + quoted_name(key) + " is not a string");
            result[key] = text.get<std::string>();
        }
        return result;
    }

    StoredTensor tensor_of(const std::string& name, const json& value) const {
        const std::string tensor = "the tensor " + quoted_name(name);
        if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
            !value.contains("data_offsets")) {
            fail(tensor + " must have exactly the keys dtype, shape and data_offsets");
        }
        const json& type = value["dtype"];
        const NumberTypeFacts* known = type.is_string() ? number_type(type.get<std::string>()) : nullptr;
        if (!known || known->block > 1) {
            fail(tensor + " has the type " +
                 (type.is_string() ? quoted_name(type.get<std::string>()) : "(not a string)") +
                 ", but only F32, F16 and BF16 are supported");
        }
        const auto numbers = [&](const char* key) {
            std::vector<std::int64_t> result;
            if (!value[key].is_array()) fail(tensor + " has a " + key + " that is not a list");
            for (const json& number : value[key]) {
                if (!number.is_number_unsigned() || number.get<std::uint64_t>() > largest_number) {
                    fail(tensor + " has a " + key + " with elements other than integers of 0 or more");
                }
                result.push_back(number.get<std::int64_t>());
            }
            return result;
        };
        const std::vector<std::int64_t> shape = numbers("shape");
        const std::vector<std::int64_t> offsets = numbers("data_offsets");
        if (offsets.size() != 2 || offsets[0] > offsets[1])
            fail(tensor + " has data_offsets that are not two ascending numbers");
        const auto end = static_cast<std::uint64_t>(offsets[1]);
        if (end > data_size_) {
            fail(tensor + " ends at byte " + std::to_string(end) + ", but the data has only " +
                 std::to_string(data_size_));
        }
        const std::optional<std::int64_t> count = product_of_shape(shape);
        const std::int64_t bytes = offsets[1] - offsets[0];
        if (!count || bytes % known->block_bytes != 0 || bytes / known->block_bytes != *count) {
            fail(tensor + " has " + std::to_string(bytes) + " bytes, which does not match its shape " +
                 shape_text(shape));
        }
        return {.name = name,
                .shape = shape,
                .type = known->type,
                .count = *count,
                .begin = data_start_ + static_cast<std::uint64_t>(offsets[0]),
                .bytes = static_cast<std::uint64_t>(bytes)};
    }

    void check_layout(std::vector<StoredTensor>& tensors) const {
        std::sort(tensors.begin(), tensors.end(), [](const StoredTensor& a, const StoredTensor& b) {
            return std::pair(a.begin, a.bytes) < std::pair(b.begin, b.bytes);
        });
        std::uint64_t filled = 0;
        for (const StoredTensor& tensor : tensors) {
            if (tensor.begin - data_start_ != filled) {
                fail("the tensor " + quoted_name(tensor.name) + " starts at byte " +
                     std::to_string(tensor.begin - data_start_) + " of the data, but the previous one ends at " +
                     std::to_string(filled));
            }
            filled += tensor.bytes;
        }
        if (filled != data_size_) {
            fail("its tensors fill " + std::to_string(filled) + " bytes, but the data has " +
                 std::to_string(data_size_));
        }
    }

    static constexpr std::uint64_t largest_number = std::numeric_limits<std::int64_t>::max();

    const WeightFile& file_;
    std::uint64_t data_start_ = 0;
    std::uint64_t data_size_ = 0;
};

}  // namespace

void write_safetensors(const std::filesystem::path& path, const TensorFile& file) {
    std::vector<const NamedTensor*> sorted;
    for (const NamedTensor& tensor : file.tensors) sorted.push_back(&tensor);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->name < b->name; });

    json header = json::object();
    if (!file.metadata.empty()) header["__metadata__"] = file.metadata;
    std::vector<std::span<const std::byte>> parts(2);
    std::uint64_t offset = 0;
    for (const NamedTensor* tensor : sorted) {
        const std::string name = "The tensor \"" + tensor->name + "\"";
        if (header.contains(tensor->name)) throw BadInput(name + " occurs twice; names in a file must be unique.");
        if (tensor->name == "__metadata__") throw BadInput(name + " has a name that the format reserves for metadata.");
        if (product_of_shape(tensor->shape) != std::ssize(tensor->values)) {
            throw BadInput(name + " has " + std::to_string(tensor->values.size()) + " values, but its shape is " +
                           shape_text(tensor->shape) + ".");
        }
        const std::span<const std::byte> bytes = std::as_bytes(std::span(tensor->values));
        header[tensor->name] = {
            {"dtype", "F32"}, {"shape", tensor->shape}, {"data_offsets", {offset, offset + bytes.size()}}};
        parts.push_back(bytes);
        offset += bytes.size();
    }
    std::string text;
    try {
        text = header.dump();
    } catch (const json::exception&) {
        throw BadInput("A tensor's name or the metadata for " + path.string() + " is not UTF-8.");
    }
    text.append((8 - text.size() % 8) % 8, ' ');  // the data starts at a multiple of 8
    const std::uint64_t length = text.size();
    parts[0] = std::as_bytes(std::span(&length, 1));
    parts[1] = std::as_bytes(std::span(text.data(), text.size()));
    write_output(path, parts);
}

SafetensorsHeader read_safetensors_header(const WeightFile& file) {
    return Reader(file).read();
}

TensorFile read_safetensors(const std::filesystem::path& path) {
    const WeightFile file(path);
    const SafetensorsHeader header = read_safetensors_header(file);
    TensorFile result{.tensors = {}, .metadata = header.metadata};
    for (const StoredTensor& stored : header.tensors) {
        NamedTensor& tensor = result.tensors.emplace_back(
            NamedTensor{stored.name, stored.shape, std::vector<float>(static_cast<std::size_t>(stored.count))});
        file.read(stored, 0, tensor.values);
    }
    std::ranges::sort(result.tensors, {}, &NamedTensor::name);
    return result;
}

std::map<std::string, std::string> read_safetensors_metadata(const std::filesystem::path& path) {
    return read_safetensors_header(WeightFile(path)).metadata;
}

}  // namespace ropelab
