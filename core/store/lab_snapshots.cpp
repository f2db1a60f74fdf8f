// Snapshots: results of probing a run's model during training.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <system_error>

#include "core/spec/aliases.h"
#include "core/spec/error.h"
#include "core/spec/probe.h"
#include "core/store/lab_database.h"

namespace ropelab {

namespace {

static_assert(std::endian::native == std::endian::little, "blobs are little-endian");

constexpr const char* float32 = "float32";
constexpr const char* share16 = "share16";
constexpr float share16_scale = 65535.0F;  // stored value of an attention weight of 1

std::string text_of(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t size : shape) text += (text.empty() ? "" : ",") + std::to_string(size);
    return text;
}

/// Returns the shape that text_of() wrote, or an empty one if the text is not a shape of `count` numbers.
std::vector<std::int64_t> shape_of(const std::string& text, std::int64_t count) {
    if (count == 0) return text == "0" ? std::vector<std::int64_t>{0} : std::vector<std::int64_t>();
    std::vector<std::int64_t> shape;
    std::int64_t product = 1;
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at < end;) {
        std::int64_t length = 0;
        const auto [after, error] = std::from_chars(at, end, length);
        const bool is_length = error == std::errc{} && length > 0 && length <= count / product;
        if (!is_length || (after != end && *after != ',')) return {};
        product *= length;
        shape.push_back(length);
        at = after == end ? end : after + 1;
    }
    if (product != count) return {};
    return shape;
}

/// Returns true if a part is stored in 16 bits per number. That is the attention weights, which are by far the largest
/// part and lie between 0 and 1.
bool is_stored_in_16_bits(const NamedTensor& part) {
    return part.name == "attention";
}

std::vector<std::byte> bytes_of(const NamedTensor& part) {
    const auto copied = [](const auto& numbers) {
        std::vector<std::byte> bytes(numbers.size() * sizeof(numbers[0]));
        if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
        return bytes;
    };
    if (!is_stored_in_16_bits(part)) return copied(part.values);
    std::vector<std::uint16_t> weights;
    for (const float weight : part.values) {
        // Values that are not finite, in a run that diverged, are stored as 0.
        weights.push_back(static_cast<std::uint16_t>(
            std::lround(std::isfinite(weight) ? std::clamp(weight, 0.0F, 1.0F) * share16_scale : 0)));
    }
    return copied(weights);
}

/// Reads a part from a row whose columns part, shape, type and numbers begin at `column`.
NamedTensor part_of(const sqlite::Query& row, int column) {
    NamedTensor part{row.text(column), {}, {}};
    const std::vector<std::byte> bytes = row.bytes(column + 3);
    if (row.text(column + 2) == share16) {
        std::vector<std::uint16_t> weights(bytes.size() / sizeof(std::uint16_t));
        if (!weights.empty()) std::memcpy(weights.data(), bytes.data(), weights.size() * sizeof(std::uint16_t));
        for (const std::uint16_t weight : weights) part.values.push_back(static_cast<float>(weight) / share16_scale);
    } else {
        part.values.resize(bytes.size() / sizeof(float));
        if (!part.values.empty()) std::memcpy(part.values.data(), bytes.data(), part.values.size() * sizeof(float));
    }
    part.shape = shape_of(row.text(column + 1), std::ssize(part.values));
    if (part.shape.empty()) {
        throw BadInput("The snapshot's part \"" + part.name + "\" has " + std::to_string(part.values.size()) +
                       " numbers, which do not fill its shape \"" + row.text(column + 1) + "\"; the lab is damaged.");
    }
    return part;
}

}  // namespace

void write_snapshot(const sqlite::Connection& database, const event::Probed& probed) {
    // A run that resumes at a step with a snapshot probes it again, but cannot measure the training step before it: the
    // three measurements of that step stay.
    database
        .query(
            "DELETE FROM snapshot WHERE run = ? AND iteration = ? AND "
            "part NOT IN ('gradient_norm', 'update_ratio', 'accumulated_update')")
        .with(probed.run, probed.iteration)
        .run();
    for (const NamedTensor& part : parts_of(*probed.result)) {
        const std::vector<std::byte> bytes = bytes_of(part);
        database
            .query(
                "INSERT OR REPLACE INTO snapshot (run, iteration, part, shape, type, numbers) VALUES (?, ?, ?, ?, ?, "
                "?)")
            .with(probed.run, probed.iteration, part.name, text_of(part.shape),
                  is_stored_in_16_bits(part) ? share16 : float32, std::span(bytes))
            .run();
    }
}

std::vector<std::int64_t> LabFile::snapshots(RunId id) const {
    std::vector<std::int64_t> result;
    sqlite::Query row = database_->connection.query(
        "SELECT iteration FROM snapshot WHERE run = ? AND part IN (?, ?) ORDER BY iteration");
    row.with(id, std::string("sequences"), std::string(earlier_name(Alias::Kind::snapshot, "sequences")));
    while (row.next()) result.push_back(row.integer(0));
    return result;
}

std::optional<ProbeResult> LabFile::snapshot(RunId id, std::int64_t iteration) const {
    std::vector<NamedTensor> parts;
    sqlite::Query row =
        database_->connection.query("SELECT part, shape, type, numbers FROM snapshot WHERE run = ? AND iteration = ?");
    row.with(id, iteration);
    while (row.next()) parts.push_back(part_of(row, 0));
    if (parts.empty()) return std::nullopt;
    return probe_result_of(parts);
}

}  // namespace ropelab
