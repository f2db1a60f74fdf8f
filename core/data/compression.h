#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

// Arithmetic coding (formula 59): a message is a subinterval of [0, 1) whose length is the product of its tokens'
// probabilities, so that its code has −Σ log₂ p bits, rounded up to whole bytes. Probabilities are integer frequencies
// out of 2³¹. The interval is a 64-bit number that stays above 2⁵⁶, so a frequency is used with a relative error below
// 2⁻²⁵. The method is the range coder of Martin 1979.

/// Bits of the sum of a token's frequencies.
inline constexpr int frequency_bits = 31;
inline constexpr std::uint64_t frequency_total = std::uint64_t{1} << frequency_bits;
inline constexpr std::size_t largest_coded_vocabulary = std::size_t{1} << 20;

/// 1 + ⌊p·(2³¹ − V)⌋ of p = softmax(logits) for V tokens; the most probable token gets what is left of the sum 2³¹.
/// Every token can be coded, and none costs more than log₂(2³¹/(2³¹ − V)) bits above −log₂ p. Throws BadInput if a
/// logit is not finite, without a logit, and for more than `largest_coded_vocabulary`.
std::vector<std::uint32_t> coder_frequencies(std::span<const float> logits);

class ArithmeticEncoder {
 public:
    /// The frequencies sum to `frequency_total`; that of `token` must not be 0.
    void encode(std::span<const std::uint32_t> frequencies, std::int32_t token);
    /// Must be the last call.
    std::string finish();

 private:
    /// A carry goes into the bytes that are written already.
    void add(std::uint64_t number);

    std::uint64_t low_ = 0;
    std::uint64_t range_ = ~std::uint64_t{0};
    std::string bytes_;
};

class ArithmeticDecoder {
 public:
    /// A view of the code. Bytes after its end count as 0.
    explicit ArithmeticDecoder(std::string_view bytes);

    /// A damaged code gives wrong tokens, and never an error.
    std::int32_t decode(std::span<const std::uint32_t> frequencies);

 private:
    std::uint64_t next_byte();

    std::string_view bytes_;
    std::size_t at_ = 0;
    std::uint64_t range_ = ~std::uint64_t{0};
    std::uint64_t code_ = 0;  // number of the code minus the lower end of the interval
};

struct ArchiveSize {
    std::string_view method;  // "gzip" or "xz"
    std::int64_t bytes = 0;   // of the compressed file, its header included
};

/// gzip and xz at their highest level (9); methods that the installed libarchive does not have are omitted.
std::vector<ArchiveSize> archive_sizes(std::string_view text);

}  // namespace ropelab
