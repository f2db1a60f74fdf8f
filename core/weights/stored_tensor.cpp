#include "core/weights/stored_tensor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/utf8.h"

namespace ropelab {

static_assert(std::endian::native == std::endian::little,
              "files of weights are little-endian, and this code requires a little-endian machine");

namespace {

template <typename Number>
Number number_at(const std::byte* at) {
    Number number;
    std::memcpy(&number, at, sizeof number);
    return number;
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

float half_at(const std::byte* at) {
    return from_float16(number_at<std::uint16_t>(at));
}

int low(std::byte byte) {
    return std::to_integer<int>(byte) & 15;
}

int high(std::byte byte) {
    return std::to_integer<int>(byte) >> 4;
}

void decode_f32(const std::byte* at, float* to) {
    *to = number_at<float>(at);
}

void decode_f16(const std::byte* at, float* to) {
    *to = half_at(at);
}

void decode_bf16(const std::byte* at, float* to) {
    *to = from_bfloat16(number_at<std::uint16_t>(at));
}

void decode_q8_0(const std::byte* at, float* to) {
    const float d = half_at(at);
    for (int i = 0; i < 32; ++i) to[i] = d * static_cast<float>(number_at<std::int8_t>(at + 2 + i));
}

// 32 numbers d·q + m: of byte i the low bits are those of number i, the high bits those of number i + 16. `fifth` has
// the fifth bits.
void decode_halves(const std::byte* quants, std::uint32_t fifth, float d, float m, float* to) {
    for (int i = 0; i < 16; ++i) {
        const int first = low(quants[i]) | static_cast<int>((fifth >> i) & 1U) << 4;
        const int second = high(quants[i]) | static_cast<int>((fifth >> (i + 16)) & 1U) << 4;
        to[i] = d * static_cast<float>(first) + m;
        to[i + 16] = d * static_cast<float>(second) + m;
    }
}

void decode_q4_0(const std::byte* at, float* to) {
    const float d = half_at(at);
    decode_halves(at + 2, 0, d, -8 * d, to);
}

void decode_q4_1(const std::byte* at, float* to) {
    decode_halves(at + 4, 0, half_at(at), half_at(at + 2), to);
}

void decode_q5_0(const std::byte* at, float* to) {
    const float d = half_at(at);
    decode_halves(at + 6, number_at<std::uint32_t>(at + 2), d, -16 * d, to);
}

void decode_q5_1(const std::byte* at, float* to) {
    decode_halves(at + 8, number_at<std::uint32_t>(at + 4), half_at(at), half_at(at + 2), to);
}

// Scale and minimum of the eight groups of a block of Q4_K and Q5_K, six bits each in twelve bytes.
struct GroupScale {
    float scale;
    float minimum;
};

GroupScale group_scale(const std::byte* packed, int group) {
    const auto byte = [&](int i) { return std::to_integer<int>(packed[i]); };
    if (group < 4) return {static_cast<float>(byte(group) & 63), static_cast<float>(byte(group + 4) & 63)};
    return {static_cast<float>((byte(group + 4) & 15) | (byte(group - 4) >> 6) << 4),
            static_cast<float>((byte(group + 4) >> 4) | (byte(group) >> 6) << 4)};
}

// 256 numbers: groups 2i and 2i + 1 of 32 numbers are the low and the high bits of 32 bytes. Without `fifth` (32 bytes,
// of which bit g is the fifth bit of group g), numbers have four bits.
void decode_groups(const std::byte* at, const std::byte* fifth, const std::byte* quants, float* to) {
    const float d = half_at(at);
    const float minimum = half_at(at + 2);
    for (int group = 0; group < 8; ++group) {
        const auto [scale, least] = group_scale(at + 4, group);
        for (int i = 0; i < 32; ++i) {
            const std::byte byte = quants[group / 2 * 32 + i];
            int number = group % 2 == 0 ? low(byte) : high(byte);
            if (fifth) number |= (std::to_integer<int>(fifth[i]) >> group & 1) << 4;
            to[group * 32 + i] = d * scale * static_cast<float>(number) - minimum * least;
        }
    }
}

void decode_q4_k(const std::byte* at, float* to) {
    decode_groups(at, nullptr, at + 16, to);
}

void decode_q5_k(const std::byte* at, float* to) {
    decode_groups(at, at + 16, at + 48, to);
}

// 256 numbers: the low four bits in 128 bytes, the high two bits in 64, a scale of each 16 numbers, and the factor.
void decode_q6_k(const std::byte* at, float* to) {
    const float d = half_at(at + 208);
    for (int half = 0; half < 2; ++half) {
        const std::byte* lows = at + half * 64;
        const std::byte* highs = at + 128 + half * 32;
        const std::byte* scales = at + 192 + half * 8;
        for (int quarter = 0; quarter < 4; ++quarter) {
            for (int i = 0; i < 32; ++i) {
                const std::byte byte = lows[quarter % 2 * 32 + i];
                const int four = quarter < 2 ? low(byte) : high(byte);
                const int two = std::to_integer<int>(highs[i]) >> (2 * quarter) & 3;
                const float scale = d * static_cast<float>(number_at<std::int8_t>(scales + 2 * quarter + i / 16));
                to[half * 128 + quarter * 32 + i] = scale * static_cast<float>((four | two << 4) - 32);
            }
        }
    }
}

constexpr std::array<NumberTypeFacts, 11> all_types = {{{NumberType::f32, "F32", 0, 1, 4, decode_f32},
                                                        {NumberType::f16, "F16", 1, 1, 2, decode_f16},
                                                        {NumberType::bf16, "BF16", 30, 1, 2, decode_bf16},
                                                        {NumberType::q4_0, "Q4_0", 2, 32, 18, decode_q4_0},
                                                        {NumberType::q4_1, "Q4_1", 3, 32, 20, decode_q4_1},
                                                        {NumberType::q5_0, "Q5_0", 6, 32, 22, decode_q5_0},
                                                        {NumberType::q5_1, "Q5_1", 7, 32, 24, decode_q5_1},
                                                        {NumberType::q8_0, "Q8_0", 8, 32, 34, decode_q8_0},
                                                        {NumberType::q4_k, "Q4_K", 12, 256, 144, decode_q4_k},
                                                        {NumberType::q5_k, "Q5_K", 13, 256, 176, decode_q5_k},
                                                        {NumberType::q6_k, "Q6_K", 14, 256, 210, decode_q6_k}}};

template <typename Value>
const NumberTypeFacts* type_with(Value NumberTypeFacts::*member, Value value) {
    const auto found = std::ranges::find(all_types, value, member);
    return found == all_types.end() ? nullptr : &*found;
}

}  // namespace

const NumberTypeFacts& facts_of(NumberType type) {
    return *type_with(&NumberTypeFacts::type, type);
}

const NumberTypeFacts* number_type(std::string_view name) {
    return type_with(&NumberTypeFacts::name, name);
}

const NumberTypeFacts* number_type(std::uint32_t gguf_id) {
    return type_with(&NumberTypeFacts::id, gguf_id);
}

std::optional<std::uint16_t> to_float16(float number) {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    const std::uint32_t sign = bits >> 16 & 0x8000U;
    const std::uint32_t size = bits & 0x7FFFFFFFU;
    constexpr std::uint32_t smallest_normal = 0x38800000;  // 2^-14
    constexpr std::uint32_t infinity = 0x7C00;
    const std::uint32_t half = size < smallest_normal
                                   ? static_cast<std::uint32_t>(std::nearbyint(std::abs(number) * 0x1p24F))
                                   : (size + 0xFFFU + (size >> 13 & 1U) - 0x38000000U) >> 13;
    if (half >= infinity) return std::nullopt;
    return static_cast<std::uint16_t>(sign | half);
}

std::optional<std::int64_t> product_of_shape(std::span<const std::int64_t> shape) {
    std::int64_t result = 1;
    for (const std::int64_t extent : shape) {
        if (extent < 0) return std::nullopt;
        constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max();
        if (extent != 0 && result > limit / extent) return std::nullopt;
        result *= extent;
    }
    return result;
}

std::string shape_text(std::span<const std::int64_t> shape) {
    if (shape.empty()) return "a single number";
    return joined(shape, " × ", [](std::int64_t extent) { return std::to_string(extent); });
}

std::string quoted_name(std::string_view name) {
    std::string text = message_text(name);
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return '"' + text + '"';
}

WeightFile::WeightFile(const std::filesystem::path& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {  // a pipe would wait
    struct stat facts {};
    std::string trouble;
    if (descriptor_ < 0 && errno == ENOENT) throw BadInput("There is no file " + path.string() + ".");
    if (descriptor_ < 0 || ::fstat(descriptor_, &facts) != 0) {
        trouble = "the file cannot be opened: " + std::string(std::strerror(errno));
    } else if (!S_ISREG(facts.st_mode)) {
        trouble = "it is not a file";
    }
    if (!trouble.empty()) {
        if (descriptor_ >= 0) ::close(descriptor_);
        throw BadInput(path.string() + " cannot be read as a file of weights, because " + trouble + ".");
    }
    size_ = static_cast<std::uint64_t>(facts.st_size);
}

WeightFile::~WeightFile() {
    ::close(descriptor_);
}

void WeightFile::read(std::uint64_t begin, std::span<std::byte> to) const {
    while (!to.empty()) {
        const ssize_t count = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(begin));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            throw BadInput(path_.string() + " cannot be read beyond its byte " + std::to_string(begin) + ": " +
                           (count == 0 ? "the file ends there" : std::strerror(errno)) + ".");
        }
        begin += static_cast<std::uint64_t>(count);
        to = to.subspan(static_cast<std::size_t>(count));
    }
}

void WeightFile::read(const StoredTensor& tensor, std::int64_t first, std::span<float> to) const {
    const NumberTypeFacts& type = facts_of(tensor.type);
    std::uint64_t begin = tensor.begin + static_cast<std::uint64_t>(first / type.block * type.block_bytes);
    if (tensor.type == NumberType::f32) return read(begin, std::as_writable_bytes(to));
    constexpr std::int64_t most_blocks = 1 << 14;
    std::vector<std::byte> blocks;
    for (std::int64_t done = 0; done < std::ssize(to);) {
        const std::int64_t count = std::min(most_blocks, (std::ssize(to) - done) / type.block);
        blocks.resize(static_cast<std::size_t>(count * type.block_bytes));
        read(begin, blocks);
        for (std::int64_t i = 0; i < count; ++i)
            type.decode(blocks.data() + i * type.block_bytes, to.data() + done + i * type.block);
        begin += blocks.size();
        done += count * type.block;
    }
}

}  // namespace ropelab
