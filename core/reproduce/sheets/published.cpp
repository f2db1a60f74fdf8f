#include "core/reproduce/sheets/published.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/data/json_text.h"
#include "core/reproduce/sheets/embedded_published.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

const nlohmann::json& theta_paper() {
    static const nlohmann::json json = parse_bounded(embedded::theta_paper);
    return json;
}

const nlohmann::json& partial_rope_paper() {
    static const nlohmann::json json = parse_bounded(embedded::partial_rope_paper);
    return json;
}

const nlohmann::json& post() {
    static const nlohmann::json json = parse_bounded(embedded::post);
    return json;
}

const nlohmann::json& pre_post_norm_paper() {
    static const nlohmann::json json = parse_bounded(embedded::pre_post_norm);
    return json;
}

const nlohmann::json& glu_variants() {
    static const nlohmann::json json = parse_bounded(embedded::glu_variants);
    return json;
}

const nlohmann::json& row_of_theta(const nlohmann::json& table, double theta) {
    for (const nlohmann::json& row : table) {
        if (row.at("theta").get<double>() == theta) return row;
    }
    throw std::out_of_range("The theta paper's tables do not contain this theta.");
}

Sample published_sample(const nlohmann::json& value, std::int64_t n) {
    if (value.is_number()) return {n, value.get<double>(), std::numeric_limits<double>::quiet_NaN()};
    return {n, value.at("mean").get<double>(), value.at("std").get<double>()};
}

LetterBits letter_bits(double p_a) {
    if (!(p_a > 0 && p_a < 1)) {
        throw BadInput("A letter of probability " + number_text(p_a) +
                       " needs no code; the probability must be between 0 and 1.");
    }
    LetterBits bits{-std::log2(p_a), -std::log2(1 - p_a)};
    bits.average = p_a * bits.a + (1 - p_a) * bits.b;
    return bits;
}

PrintedLetterBits printed_letter_bits() {
    const nlohmann::json& example = post().at("example");
    const auto number = [&](const char* key) { return example.at(key).get<double>(); };
    return {number("p_a"), {number("bits_a"), number("bits_b"), number("bits_on_average")}};
}

}  // namespace ropelab
