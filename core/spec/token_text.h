#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ropelab {

/// The tokens of a text in order: either 32-bit tokens in memory, or the bytes of files that are mapped into memory,
/// where each byte is the token of its value. The object is a view, so the tokens and pieces must stay valid.
class TokenText {
 public:
    /// Consecutive bytes of a text, which begin at byte number `first` of the text.
    struct Piece {
        std::int64_t first = 0;
        std::span<const unsigned char> bytes;
    };

    TokenText() = default;
    /// Views tokens in memory.
    TokenText(std::span<const std::int32_t> tokens) : tokens_(tokens), size_(std::ssize(tokens)) {}
    TokenText(const std::vector<std::int32_t>& tokens) : TokenText(std::span<const std::int32_t>(tokens)) {}
    TokenText(const std::int32_t* tokens, std::size_t count)
        : TokenText(std::span<const std::int32_t>(tokens, count)) {}
    /// Views the first `size` bytes of consecutive pieces, of which the first one begins at 0.
    TokenText(std::span<const Piece> pieces, std::int64_t size) : pieces_(pieces), size_(size) {}

    /// Returns the number of tokens.
    std::size_t size() const { return static_cast<std::size_t>(size_); }
    /// Returns the tokens if they are in memory as 32-bit numbers; empty for mapped files.
    std::span<const std::int32_t> in_memory() const { return tokens_; }
    /// Returns whether the text consists of mapped files.
    bool mapped() const { return !pieces_.empty(); }

    /// Copies the tokens first … first + count − 1, which must exist, to `to`. Returns the end of the copy.
    template <typename T>
    T* copy(std::int64_t first, std::int64_t count, T* to) const {
        if (!mapped()) return std::copy_n(tokens_.data() + first, count, to);
        // The last piece that begins at or before `first`.
        auto piece = std::ranges::upper_bound(pieces_, first, {}, &Piece::first) - 1;
        while (count > 0) {
            const std::int64_t skipped = first - piece->first;
            const std::int64_t copied = std::min(count, std::ssize(piece->bytes) - skipped);
            to = std::copy_n(piece->bytes.data() + skipped, copied, to);
            first += copied;
            count -= copied;
            ++piece;
        }
        return to;
    }

 private:
    std::span<const std::int32_t> tokens_;
    std::span<const Piece> pieces_;
    std::int64_t size_ = 0;
};

}  // namespace ropelab
