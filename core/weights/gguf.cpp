#include "core/weights/gguf.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <set>

#include "core/base/error.h"
#include "core/store/output_file.h"

namespace ropelab {

namespace {

constexpr std::uint32_t gguf_magic = 0x46554747;  // "GGUF"
// Metadata and descriptions of tensors; 256,000 tokens with their merges have about 12 MB.
constexpr std::uint64_t largest_gguf_header = 32'000'000;
constexpr std::uint64_t most_entries = 100'000;  // of metadata, and of tensors
constexpr std::uint64_t longest_name = 1000;

constexpr std::uint64_t usual_alignment = 32;

enum ValueType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64 };

/// Throws BadInput with a precise reason.
class GgufReader {
 public:
    explicit GgufReader(const WeightFile& file) : file_(file) {}

    GgufHeader read() {
        if (number<std::uint32_t>() != gguf_magic) fail("it does not begin with \"GGUF\"");
        const auto version = number<std::uint32_t>();
        if (version != 2 && version != 3) {
            fail("its version is " + std::to_string(version) + ", but only the versions 2 and 3 are supported");
        }
        const std::uint64_t tensors = entries("tensors");
        const std::uint64_t values = entries("values of metadata");
        GgufHeader result;
        for (std::uint64_t i = 0; i < values; ++i) {
            const std::string key = name();
            const auto type = number<std::uint32_t>();
            if (!result.metadata.emplace(key, value(key, type)).second)
                fail("its metadata has " + quoted_name(key) + " twice");
        }
        std::set<std::string> names;
        for (std::uint64_t i = 0; i < tensors; ++i) {
            result.tensors.push_back(tensor());
            if (!names.insert(result.tensors.back().name).second)
                fail("it has the tensor " + quoted_name(result.tensors.back().name) + " twice");
        }
        place(result);
        return result;
    }

 private:
    [[noreturn]] void fail(const std::string& what) const {
        throw BadInput(file_.path().string() + " cannot be read as GGUF: " + what + ".");
    }

    void bytes(std::span<std::byte> to) {
        const std::uint64_t limit = std::min(file_.size(), largest_gguf_header);
        if (to.size() > limit - std::min(limit, at_)) {
            fail(limit == file_.size() ? "the file ends inside its header"
                                       : "its header has more than " + std::to_string(largest_gguf_header) + " bytes");
        }
        while (!to.empty()) {
            if (at_ < buffer_begin_ || at_ >= buffer_begin_ + buffer_.size()) {
                constexpr std::uint64_t piece = 1 << 20;
                buffer_begin_ = at_;
                buffer_.resize(static_cast<std::size_t>(std::min(piece, file_.size() - at_)));
                file_.read(at_, buffer_);
            }
            const auto offset = static_cast<std::size_t>(at_ - buffer_begin_);
            const std::size_t count = std::min(to.size(), buffer_.size() - offset);
            std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(offset), count, to.begin());
            at_ += count;
            to = to.subspan(count);
        }
    }

    template <typename Number>
    Number number() {
        Number result{};
        bytes(std::as_writable_bytes(std::span(&result, 1)));
        return result;
    }

    std::uint64_t entries(const char* what) {
        const auto count = number<std::uint64_t>();
        if (count > most_entries)
            fail("it claims " + std::to_string(count) + " " + what + ", but at most " + std::to_string(most_entries) +
                 " are read");
        return count;
    }

    // Before memory is allocated for it.
    void require(std::uint64_t count, std::uint64_t each) const {
        const std::uint64_t left = std::min(file_.size(), largest_gguf_header) - std::min(file_.size(), at_);
        if (count > left / each)
            fail("it claims a list or text of " + std::to_string(count) +
                 " elements, which is longer than the rest of its header");
    }

    std::string string() {
        const auto length = number<std::uint64_t>();
        require(length, 1);
        std::string result(static_cast<std::size_t>(length), '\0');
        bytes(std::as_writable_bytes(std::span(result)));
        return result;
    }

    std::string name() {
        std::string result = string();
        if (result.empty() || result.size() > longest_name) fail("it has a name that is empty or very long");
        return result;
    }

    double number_of(std::uint32_t type, const std::string& key) {
        switch (type) {
            case u8:
                return number<std::uint8_t>();
            case i8:
                return number<std::int8_t>();
            case u16:
                return number<std::uint16_t>();
            case i16:
                return number<std::int16_t>();
            case u32:
                return number<std::uint32_t>();
            case i32:
                return number<std::int32_t>();
            case f32:
                return number<float>();
            case u64:
                return static_cast<double>(number<std::uint64_t>());
            case i64:
                return static_cast<double>(number<std::int64_t>());
            case f64:
                return number<double>();
            case boolean:
                return number<std::uint8_t>() != 0 ? 1 : 0;
            default:
                fail("the metadata " + quoted_name(key) + " has the unknown type " + std::to_string(type));
        }
    }

    GgufValue value(const std::string& key, std::uint32_t type) {
        if (type == text) return string();
        if (type == boolean) return number_of(type, key) != 0;
        if (type != array) return number_of(type, key);
        const auto element = number<std::uint32_t>();
        const auto count = number<std::uint64_t>();
        if (element == array) fail("the metadata " + quoted_name(key) + " is a list of lists, which no model needs");
        if (element == text) {
            require(count, sizeof(std::uint64_t));
            std::vector<std::string> texts;
            for (std::uint64_t i = 0; i < count; ++i) texts.push_back(string());
            return texts;
        }
        require(count, element == u8 || element == i8 || element == boolean ? 1 : 2);
        std::vector<double> numbers;
        for (std::uint64_t i = 0; i < count; ++i) numbers.push_back(number_of(element, key));
        return numbers;
    }

    StoredTensor tensor() {
        StoredTensor result;
        result.name = name();
        const std::string words = "the tensor " + quoted_name(result.name);
        const auto dimensions = number<std::uint32_t>();
        constexpr std::uint32_t most_dimensions = 4;
        if (dimensions == 0 || dimensions > most_dimensions)
            fail(words + " has " + std::to_string(dimensions) + " dimensions, but it must have 1 to 4");
        for (std::uint32_t i = 0; i < dimensions; ++i) {
            const auto extent = number<std::uint64_t>();
            if (extent > std::numeric_limits<std::int64_t>::max()) fail(words + " has an extent beyond 63 bits");
            result.shape.insert(result.shape.begin(), static_cast<std::int64_t>(extent));  // the fastest one first
        }
        const auto id = number<std::uint32_t>();
        const NumberTypeFacts* type = number_type(id);
        if (!type) {
            fail(words + " has numbers of the type " + std::to_string(id) +
                 ", but only F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K and Q6_K are supported");
        }
        result.type = type->type;
        const auto count = product_of_shape(result.shape);
        if (!count || result.shape.back() % type->block != 0 ||
            *count / type->block > std::numeric_limits<std::int64_t>::max() / type->block_bytes) {
            fail(words + " has the shape " + shape_text(result.shape) +
                 ", which is impossible for numbers of the type " + std::string(type->name));
        }
        result.count = *count;
        result.bytes = static_cast<std::uint64_t>(*count / type->block * type->block_bytes);
        result.begin = number<std::uint64_t>();  // from the begin of the data
        return result;
    }

    void place(GgufHeader& header) const {
        const double alignment = header.get<double>("general.alignment").value_or(usual_alignment);
        constexpr double largest = 1 << 20;
        if (!(alignment >= 1 && alignment <= largest) || !std::has_single_bit(static_cast<std::uint64_t>(alignment)))
            fail("its general.alignment must be a power of two");
        const auto step = static_cast<std::uint64_t>(alignment);
        const std::uint64_t data = (at_ + step - 1) / step * step;
        std::ranges::stable_sort(header.tensors, {}, &StoredTensor::begin);
        std::uint64_t filled = 0;
        for (StoredTensor& tensor : header.tensors) {
            const std::string words = "the tensor " + quoted_name(tensor.name);
            if (tensor.begin % step != 0 || tensor.begin < filled)
                fail(words + " begins inside another tensor or at a byte that is not a multiple of " +
                     std::to_string(step));
            if (data > file_.size() || tensor.begin > file_.size() - data ||
                tensor.bytes > file_.size() - data - tensor.begin) {
                fail(words + " should have " + std::to_string(tensor.bytes) +
                     " bytes, but the file ends before; it was not copied completely");
            }
            filled = tensor.begin + tensor.bytes;
            tensor.begin += data;
        }
    }

    const WeightFile& file_;
    std::uint64_t at_ = 0;
    std::vector<std::byte> buffer_;
    std::uint64_t buffer_begin_ = 0;
};

class GgufBytes {
 public:
    template <typename Number>
    void add(Number number) {
        bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
    void add(const std::string& string) {
        add(static_cast<std::uint64_t>(string.size()));
        bytes_ += string;
    }
    void add(bool flag) { add(static_cast<std::uint8_t>(flag)); }

    template <typename Value>
    void add_value(const Value& value) {
        add(static_cast<std::uint32_t>(type_of(value)));
        add(value);
    }
    template <typename Element>
    void add_value(const std::vector<Element>& list) {
        add(static_cast<std::uint32_t>(array));
        add(static_cast<std::uint32_t>(type_of(Element())));
        add(static_cast<std::uint64_t>(list.size()));
        for (const Element& element : list) add(element);
    }

    void align() { bytes_.append(static_cast<std::size_t>(-bytes_.size() % usual_alignment), '\0'); }
    std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }

 private:
    static ValueType type_of(std::uint32_t) { return u32; }
    static ValueType type_of(std::int32_t) { return i32; }
    static ValueType type_of(float) { return f32; }
    static ValueType type_of(bool) { return boolean; }
    static ValueType type_of(const std::string&) { return text; }

    std::string bytes_;
};

}  // namespace

const GgufValue* GgufHeader::find(const std::string& key) const {
    const auto found = metadata.find(key);
    return found == metadata.end() ? nullptr : &found->second;
}

template <typename Value>
std::optional<Value> GgufHeader::get(const std::string& key) const {
    const GgufValue* value = find(key);
    if (!value) return std::nullopt;
    if (const Value* own = std::get_if<Value>(value)) return *own;
    throw BadInput("The metadata \"" + key + "\" of the GGUF file has another kind of value than it must have.");
}

template std::optional<double> GgufHeader::get(const std::string&) const;
template std::optional<bool> GgufHeader::get(const std::string&) const;
template std::optional<std::string> GgufHeader::get(const std::string&) const;
template std::optional<std::vector<double>> GgufHeader::get(const std::string&) const;
template std::optional<std::vector<std::string>> GgufHeader::get(const std::string&) const;

bool is_gguf(const WeightFile& file) {
    std::uint32_t first = 0;
    if (file.size() < sizeof first) return false;
    file.read(0, std::as_writable_bytes(std::span(&first, 1)));
    return first == gguf_magic;
}

GgufHeader read_gguf_header(const WeightFile& file) {
    return GgufReader(file).read();
}

void write_gguf(const std::filesystem::path& path, const GgufContent& content) {
    GgufBytes head;
    head.add(gguf_magic);
    head.add(std::uint32_t{3});
    head.add(static_cast<std::uint64_t>(content.tensors.size()));
    head.add(static_cast<std::uint64_t>(content.metadata.size()));
    for (const auto& [key, value] : content.metadata) {
        head.add(key);
        std::visit([&](const auto& own) { head.add_value(own); }, value);
    }
    std::uint64_t offset = 0;
    for (const NamedTensor& tensor : content.tensors) {
        const bool is_half = content.halves.contains(tensor.name);
        head.add(tensor.name);
        head.add(static_cast<std::uint32_t>(tensor.shape.size()));
        for (auto extent = tensor.shape.rbegin(); extent != tensor.shape.rend(); ++extent)
            head.add(static_cast<std::uint64_t>(*extent));
        head.add(facts_of(is_half ? NumberType::f16 : NumberType::f32).id);
        head.add(offset);
        offset += tensor.values.size() * (is_half ? sizeof(std::uint16_t) : sizeof(float));
        offset += -offset % usual_alignment;
    }
    head.align();
    OutputFile output(path);
    output.write(head.bytes());
    for (const NamedTensor& tensor : content.tensors) {
        GgufBytes data;
        for (const float number : tensor.values) {
            if (!content.halves.contains(tensor.name)) {
                data.add(number);
            } else if (const auto half = to_float16(number)) {
                data.add(*half);
            } else {
                throw BadInput("The tensor " + quoted_name(tensor.name) +
                               " has a number beyond the range of float16, so it cannot be written in F16.");
            }
        }
        data.align();
        output.write(data.bytes());
    }
    output.commit();
}

}  // namespace ropelab
