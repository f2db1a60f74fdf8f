#include "core/data/compression.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <optional>

#include "core/base/error.h"

namespace ropelab {

namespace {

constexpr int byte_bits = 8;
constexpr int top_shift = 56;  // position of the highest byte of a 64-bit number
constexpr std::uint64_t least_range = std::uint64_t{1} << top_shift;

/// In units of frequencies.
struct Slot {
    std::uint64_t start = 0;
    std::uint64_t size = 0;
};

Slot slot_of(std::span<const std::uint32_t> frequencies, std::int32_t token) {
    std::uint64_t start = 0;
    for (std::int32_t i = 0; i < token; ++i) start += frequencies[static_cast<std::size_t>(i)];
    return {start, frequencies[static_cast<std::size_t>(token)]};
}

void check_vocabulary(std::size_t vocabulary) {
    if (vocabulary == 0 || vocabulary > largest_coded_vocabulary) {
        throw BadInput("A vocabulary of " + std::to_string(vocabulary) +
                       " tokens is too large or empty for the arithmetic coder; it must have between 1 and " +
                       std::to_string(largest_coded_vocabulary) + " tokens.");
    }
}

}  // namespace

std::vector<std::uint32_t> coder_frequencies(std::span<const float> logits) {
    check_vocabulary(logits.size());
    const bool finite = std::all_of(logits.begin(), logits.end(), [](float logit) { return std::isfinite(logit); });
    if (!finite)
        throw BadInput(
            "The output logits of the model are not finite, because the run has diverged, so the model cannot compress "
            "a text; choose another run.");
    const auto most = std::max_element(logits.begin(), logits.end());
    std::vector<double> weights(logits.size());
    double sum = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        weights[i] = std::exp(static_cast<double>(logits[i]) - static_cast<double>(*most));
        sum += weights[i];
    }
    const auto shared = static_cast<double>(frequency_total - logits.size());
    std::vector<std::uint32_t> result(logits.size());
    std::uint64_t used = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        result[i] = 1 + static_cast<std::uint32_t>(weights[i] / sum * shared);
        used += result[i];
    }
    // Rounding of the quotients can make the sum larger than the total by less than one per token, and the frequency of
    // the most probable token is at least 2³¹/V − 1, so it stays positive.
    const auto place = static_cast<std::size_t>(most - logits.begin());
    result[place] = static_cast<std::uint32_t>(result[place] + frequency_total - used);
    return result;
}

void ArithmeticEncoder::add(std::uint64_t number) {
    low_ += number;
    if (low_ >= number) return;
    for (std::size_t i = bytes_.size(); i-- > 0;) {
        bytes_[i] = static_cast<char>(bytes_[i] + 1);
        if (bytes_[i] != 0) return;
    }
}

void ArithmeticEncoder::encode(std::span<const std::uint32_t> frequencies, std::int32_t token) {
    const Slot slot = slot_of(frequencies, token);
    const std::uint64_t unit = range_ >> frequency_bits;
    add(unit * slot.start);
    range_ = unit * slot.size;
    while (range_ < least_range) {
        bytes_ += static_cast<char>(low_ >> top_shift);
        low_ <<= byte_bits;
        range_ <<= byte_bits;
    }
}

std::string ArithmeticEncoder::finish() {
    // The interval is at least 2⁵⁶ long, so it contains a number whose other bytes are 0, which need not be written.
    add(least_range - 1);
    bytes_ += static_cast<char>(low_ >> top_shift);
    while (!bytes_.empty() && bytes_.back() == 0) bytes_.pop_back();
    return std::move(bytes_);
}

ArithmeticDecoder::ArithmeticDecoder(std::string_view bytes) : bytes_(bytes) {
    for (int i = 0; i <= top_shift / byte_bits; ++i) code_ = code_ << byte_bits | next_byte();
}

std::uint64_t ArithmeticDecoder::next_byte() {
    return at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_++]) : 0;
}

std::int32_t ArithmeticDecoder::decode(std::span<const std::uint32_t> frequencies) {
    const std::uint64_t unit = range_ >> frequency_bits;
    const std::uint64_t wanted = std::min(code_ / unit, frequency_total - 1);
    std::uint64_t start = 0;
    std::size_t token = 0;
    while (token + 1 < frequencies.size() && start + frequencies[token] <= wanted) start += frequencies[token++];
    code_ -= unit * start;
    range_ = unit * frequencies[token];
    while (range_ < least_range) {
        code_ = code_ << byte_bits | next_byte();
        range_ <<= byte_bits;
    }
    return static_cast<std::int32_t>(token);
}

namespace {

la_ssize_t count_bytes(archive*, void* count, const void*, std::size_t length) {
    *static_cast<std::int64_t*>(count) += static_cast<std::int64_t>(length);
    return static_cast<la_ssize_t>(length);
}

std::optional<std::int64_t> size_with(int (*add_filter)(archive*), std::string_view text) {
    std::int64_t count = 0;
    const std::unique_ptr<archive, decltype(&archive_write_free)> writer(archive_write_new(), &archive_write_free);
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(), &archive_entry_free);
    if (writer == nullptr || entry == nullptr) throw std::bad_alloc();
    archive_entry_set_pathname(entry.get(), "text");
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(text.size()));
    const bool written =
        add_filter(writer.get()) == ARCHIVE_OK && archive_write_set_format_raw(writer.get()) == ARCHIVE_OK &&
        archive_write_set_filter_option(writer.get(), nullptr, "compression-level", "9") == ARCHIVE_OK &&
        archive_write_set_bytes_per_block(writer.get(), 0) == ARCHIVE_OK &&
        archive_write_open(writer.get(), &count, nullptr, count_bytes, nullptr) == ARCHIVE_OK &&
        archive_write_header(writer.get(), entry.get()) == ARCHIVE_OK &&
        archive_write_data(writer.get(), text.data(), text.size()) == static_cast<la_ssize_t>(text.size()) &&
        archive_write_close(writer.get()) == ARCHIVE_OK;
    return written ? std::optional(count) : std::nullopt;
}

}  // namespace

std::vector<ArchiveSize> archive_sizes(std::string_view text) {
    std::vector<ArchiveSize> result;
    if (const auto bytes = size_with(archive_write_add_filter_gzip, text)) result.push_back({"gzip", *bytes});
    if (const auto bytes = size_with(archive_write_add_filter_xz, text)) result.push_back({"xz", *bytes});
    return result;
}

}  // namespace ropelab
