#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace ropelab {

/// A view of 32-bit tokens in memory, or of files whose bytes are the tokens; both must stay valid.
class TokenText {
 public:
    /// Consecutive bytes of a text, which begin at byte number `first` of the text.
    struct Piece {
        std::int64_t first = 0;
        std::int64_t bytes = 0;
        std::filesystem::path file = {};
    };

    TokenText() = default;
    TokenText(std::span<const std::int32_t> tokens) : tokens_(tokens), size_(std::ssize(tokens)) {}
    TokenText(const std::vector<std::int32_t>& tokens) : TokenText(std::span<const std::int32_t>(tokens)) {}
    TokenText(const std::int32_t* tokens, std::size_t count)
        : TokenText(std::span<const std::int32_t>(tokens, count)) {}
    /// The first `size` bytes of consecutive pieces, of which the first one begins at 0.
    TokenText(std::span<const Piece> pieces, std::int64_t size) : pieces_(pieces), size_(size) {}

    std::size_t size() const { return static_cast<std::size_t>(size_); }
    bool in_files() const { return !pieces_.empty(); }

    /// The tokens must exist. Returns the end of the copy. Throws BadInput like read_piece().
    template <typename T>
    T* copy(std::int64_t first, std::int64_t count, T* to) const {
        if (!in_files()) return std::copy_n(tokens_.data() + first, count, to);
        auto piece = std::ranges::upper_bound(pieces_, first, {}, &Piece::first) - 1;
        std::array<unsigned char, 4096> buffer;
        while (count > 0) {
            const std::int64_t skipped = first - piece->first;
            const std::int64_t copied = std::min({count, piece->bytes - skipped, std::ssize(buffer)});
            read_piece(*piece, skipped, std::span(buffer).first(static_cast<std::size_t>(copied)));
            to = std::copy_n(buffer.data(), copied, to);
            first += copied;
            count -= copied;
            if (skipped + copied == piece->bytes) ++piece;
        }
        return to;
    }

    /// Copies tokens first … first + context − 1 to `inputs` and the one that follows each to `targets`; moves both to
    /// the ends of the copies. Each token of a file is read once.
    template <typename T>
    void copy_sequence(std::int64_t first, std::int64_t context, T*& inputs, T*& targets) const {
        std::vector<T> read(static_cast<std::size_t>(in_files() ? context + 1 : 0));
        if (in_files()) copy(first, context + 1, read.data());
        inputs = in_files() ? std::copy_n(read.data(), context, inputs) : copy(first, context, inputs);
        targets = in_files() ? std::copy_n(read.data() + 1, context, targets) : copy(first + 1, context, targets);
    }

    /// From byte `from` on. Throws BadInput if the file cannot be read or has become shorter.
    static void read_piece(const Piece& piece, std::int64_t from, std::span<unsigned char> bytes);

 private:
    std::span<const std::int32_t> tokens_;
    std::span<const Piece> pieces_;
    std::int64_t size_ = 0;
};

}  // namespace ropelab
