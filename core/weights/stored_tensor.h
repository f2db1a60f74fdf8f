#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

/// Types of numbers in files of weights, as GGUF names them: floating-point numbers, and blocks of integers with common
/// factors.
enum class NumberType { f32, f16, bf16, q4_0, q4_1, q5_0, q5_1, q8_0, q4_k, q5_k, q6_k };

struct NumberTypeFacts {
    NumberType type;
    std::string_view name;     // "Q4_K"
    std::uint32_t id;          // in a GGUF file
    std::int64_t block = 1;    // numbers of a block, which are next to each other in a row
    std::int64_t block_bytes;  // bytes of a block
    void (*decode)(const std::byte* block, float* to);
};
const NumberTypeFacts& facts_of(NumberType type);
/// Null if there is none.
const NumberTypeFacts* number_type(std::string_view name);
const NumberTypeFacts* number_type(std::uint32_t gguf_id);

/// A tensor of a file of weights, row-major, in the file's own type.
struct StoredTensor {
    std::string name;
    std::vector<std::int64_t> shape;
    NumberType type = NumberType::f32;
    std::int64_t count = 0;   // numbers: product of the shape
    std::uint64_t begin = 0;  // byte of the file
    std::uint64_t bytes = 0;
};

/// The nearest number of float16, of two the even one; nullopt beyond its range and for NaN.
std::optional<std::uint16_t> to_float16(float number);

/// nullopt if it does not fit into 63 bits or an extent is negative.
std::optional<std::int64_t> product_of_shape(std::span<const std::int64_t> shape);
/// "64 × 128", or "a single number".
std::string shape_text(std::span<const std::int64_t> shape);
/// A name of a stranger's file for a message, in quotes and in one line.
std::string quoted_name(std::string_view name);

/// A regular file that is open for reading at any place. It is not mapped, because a mapped file that another program
/// shortens would end this program.
class WeightFile {
 public:
    /// Throws BadInput, naming the path, for what is no regular file, and if it cannot be opened.
    explicit WeightFile(const std::filesystem::path& path);
    ~WeightFile();
    WeightFile(const WeightFile&) = delete;
    WeightFile& operator=(const WeightFile&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::uint64_t size() const { return size_; }
    /// Throws BadInput if the file ends before.
    void read(std::uint64_t begin, std::span<std::byte> to) const;
    /// Numbers `first` … `first` + to.size() − 1 of the tensor. With blocks, both must be multiples of their length.
    void read(const StoredTensor& tensor, std::int64_t first, std::span<float> to) const;

 private:
    std::filesystem::path path_;
    int descriptor_;
    std::uint64_t size_ = 0;
};

}  // namespace ropelab
