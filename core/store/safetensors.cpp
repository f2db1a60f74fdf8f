#include "core/store/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/store/output_file.h"

namespace ropelab {

namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little,
              "the safetensors format is little-endian, and this code requires a little-endian machine");

// In bytes, for about 100,000 tensors, as of the largest models. The reference implementation reads up to 100 MB, which
// need several GB of memory.
constexpr std::uint64_t largest_header = 16'000'000;

enum class Type { float32, float16, bfloat16 };

std::size_t size_of(Type type) {
    return type == Type::float32 ? 4 : 2;
}

// nullopt if it does not fit into 63 bits or an extent is negative.
std::optional<std::uint64_t> product(const std::vector<std::int64_t>& shape) {
    std::uint64_t result = 1;
    for (const std::int64_t extent : shape) {
        if (extent < 0) return std::nullopt;
        const std::uint64_t factor = static_cast<std::uint64_t>(extent);
        constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
        if (factor != 0 && result > limit / factor) return std::nullopt;
        result *= factor;
    }
    return result;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    if (shape.empty()) return "a single number";
    return joined(shape, " × ", [](std::int64_t extent) { return std::to_string(extent); });
}

float from_bfloat16(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float from_float16(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000U) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1FU;
    const std::uint32_t mantissa = bits & 0x3FFU;
    if (exponent == 0) {  // zero or subnormal: mantissa · 2^-24
        const float size = static_cast<float>(mantissa) * 0x1p-24F;
        return sign ? -size : size;
    }
    const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
    return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

struct Entry {
    std::string name;
    std::vector<std::int64_t> shape;
    Type type = Type::float32;
    std::uint64_t count = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Throws BadInput with a precise reason.
class Reader {
 public:
    explicit Reader(const std::filesystem::path& path) : path_(path) {}

    TensorFile read(bool with_tensors) {
        open();
        const json header = read_header();
        TensorFile result;
        std::vector<Entry> entries;
        for (const auto& [name, value] : header.items()) {
            if (name == "__metadata__") {
                result.metadata = metadata_of(value);
            } else {
                entries.push_back(entry_of(name, value));
            }
        }
        check_layout(entries);
        if (!with_tensors) return result;
        for (const Entry& entry : entries) result.tensors.push_back(tensor_of(entry));
        std::sort(result.tensors.begin(), result.tensors.end(),
                  [](const NamedTensor& a, const NamedTensor& b) { return a.name < b.name; });
        return result;
    }

 private:
    [[noreturn]] void fail(const std::string& what) const {
        throw BadInput(path_.string() + " cannot be read as safetensors: " + what + ".");
    }

    void open() {
        std::error_code error;
        const auto status = std::filesystem::status(path_, error);
        if (!std::filesystem::exists(status)) throw BadInput("There is no file " + path_.string() + ".");
        if (!std::filesystem::is_regular_file(status)) fail("it is not a file");
        file_size_ = std::filesystem::file_size(path_, error);
        stream_.open(path_, std::ios::binary);
        if (error || !stream_) fail("the file cannot be opened");
    }

    void read_bytes(char* to, std::uint64_t size) {
        stream_.read(to, static_cast<std::streamsize>(size));
        if (static_cast<std::uint64_t>(stream_.gcount()) != size) fail("the file ends too early");
    }

    json read_header() {
        if (file_size_ < 8) fail("it is shorter than the 8 bytes that state the header's size");
        std::uint64_t size = 0;
        std::array<char, 8> length{};
        read_bytes(length.data(), length.size());
        std::memcpy(&size, length.data(), length.size());
        if (size > file_size_ - 8) {
            fail("its header should have " + std::to_string(size) + " bytes, but only " +
                 std::to_string(file_size_ - 8) + " follow");
        }
        if (size > largest_header) fail("its header of " + std::to_string(size) + " bytes is too large");
        data_start_ = 8 + size;
        data_size_ = file_size_ - data_start_;
        std::string text(size, '\0');
        read_bytes(text.data(), size);
        if (text.empty() || text.front() != '{') fail("its header does not start with '{'");
        return parse(text);
    }

    json parse(const std::string& text) const {
        std::optional<std::string> twice;
        json header = parse_bounded(
            text, [&](const std::string& key) { twice = key; }, false);
        if (header.is_discarded() || !header.is_object()) fail("its header is not valid JSON");
        if (twice) fail("its header names \"" + *twice + "\" twice");
        return header;
    }

    std::map<std::string, std::string> metadata_of(const json& value) const {
        std::map<std::string, std::string> result;
        if (!value.is_object()) fail("its metadata is not an object of strings");
        for (const auto& [key, text] : value.items()) {
            if (!text.is_string()) fail("its metadata \"" + key + "\" is not a string");
            result[key] = text.get<std::string>();
        }
        return result;
    }

    Entry entry_of(const std::string& name, const json& value) const {
        const std::string tensor = "the tensor \"" + name + "\"";
        if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
            !value.contains("data_offsets")) {
            fail(tensor + " must have exactly the keys dtype, shape and data_offsets");
        }
        Entry entry;
        entry.name = name;
        const json& type = value["dtype"];
        if (type == "F32") {
            entry.type = Type::float32;
        } else if (type == "F16") {
            entry.type = Type::float16;
        } else if (type == "BF16") {
            entry.type = Type::bfloat16;
        } else {
            fail(tensor + " has the type " + (type.is_string() ? type.get<std::string>() : "(not a string)") +
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
        entry.shape = numbers("shape");
        const std::vector<std::int64_t> offsets = numbers("data_offsets");
        if (offsets.size() != 2 || offsets[0] > offsets[1])
            fail(tensor + " has data_offsets that are not two ascending numbers");
        entry.begin = static_cast<std::uint64_t>(offsets[0]);
        entry.end = static_cast<std::uint64_t>(offsets[1]);
        if (entry.end > data_size_) {
            fail(tensor + " ends at byte " + std::to_string(entry.end) + ", but the data has only " +
                 std::to_string(data_size_));
        }
        const std::optional<std::uint64_t> count = product(entry.shape);
        const std::uint64_t bytes = entry.end - entry.begin;
        if (!count || bytes % size_of(entry.type) != 0 || bytes / size_of(entry.type) != *count) {
            fail(tensor + " has " + std::to_string(bytes) + " bytes, which does not match its shape " +
                 shape_text(entry.shape));
        }
        entry.count = *count;
        return entry;
    }

    void check_layout(std::vector<Entry>& entries) const {
        std::sort(entries.begin(), entries.end(),
                  [](const Entry& a, const Entry& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
        std::uint64_t filled = 0;
        for (const Entry& entry : entries) {
            if (entry.begin != filled) {
                fail("the tensor \"" + entry.name + "\" starts at byte " + std::to_string(entry.begin) +
                     " of the data, but the previous one ends at " + std::to_string(filled));
            }
            filled = entry.end;
        }
        if (filled != data_size_) {
            fail("its tensors fill " + std::to_string(filled) + " bytes, but the data has " +
                 std::to_string(data_size_));
        }
    }

    NamedTensor tensor_of(const Entry& entry) {
        NamedTensor tensor{entry.name, entry.shape, std::vector<float>(entry.count)};
        stream_.seekg(static_cast<std::streamoff>(data_start_ + entry.begin));
        if (entry.type == Type::float32) {
            read_bytes(reinterpret_cast<char*>(tensor.values.data()), entry.end - entry.begin);
            return tensor;
        }
        std::vector<std::uint16_t> halves(entry.count);
        read_bytes(reinterpret_cast<char*>(halves.data()), entry.end - entry.begin);
        std::transform(halves.begin(), halves.end(), tensor.values.begin(),
                       entry.type == Type::float16 ? from_float16 : from_bfloat16);
        return tensor;
    }

    static constexpr std::uint64_t largest_number = std::numeric_limits<std::int64_t>::max();

    std::filesystem::path path_;
    std::ifstream stream_;
    std::uint64_t file_size_ = 0;
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
        if (product(tensor->shape) != tensor->values.size()) {
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

TensorFile read_safetensors(const std::filesystem::path& path) {
    return Reader(path).read(true);
}

std::map<std::string, std::string> read_safetensors_metadata(const std::filesystem::path& path) {
    return Reader(path).read(false).metadata;
}

}  // namespace ropelab
