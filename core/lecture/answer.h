#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

// Comparison of an answer to a question of a lecture with the right one.

/// A curve: y at ascending x. A y that is not finite is a gap.
struct AnswerCurve {
    std::vector<double> x;
    std::vector<double> y;
};

/// Axes over which a curve is drawn.
struct AnswerAxes {
    double low = 0;  // ends of the x axis
    double high = 1;
    bool x_logarithmic = false;
    bool y_logarithmic = false;
};

/// Distance between a drawn curve and the right one, in the unit of y, or in decades if the y axis is logarithmic.
struct CurveDistance {
    /// Mean absolute difference over the part of the x axis where both curves have values; positions on the axis have
    /// equal weights. NaN if there is no such part.
    double distance = 0;
    /// The same distance for a horizontal line at the mean of the right curve over that part (on a logarithmic y axis,
    /// at its geometric mean). A curve that was drawn without any knowledge of the shape is about as far.
    double null_distance = 0;
    /// The part of the x axis, between 0 and 1, over which a curve was drawn of where the right curve has values.
    double covered = 0;
};
/// Compares two curves. Between two points a curve is a straight line on the axes.
CurveDistance curve_distance(const AnswerCurve& drawn, const AnswerCurve& truth, const AnswerAxes& axes);

/// Parses a typed number as parse_number does, also a product or quotient of numbers and π ("2π", "-100/256"), a
/// decimal comma, commas between groups of three digits, and a unit. `unit` is the unit of the question: radians are
/// converted to degrees, and a percent sign divides by 100 unless the unit is %. "none" becomes null. Throws BadInput
/// if the text is not a number, if an angle is given for another unit, and for a comma that can be a decimal comma or
/// grouping.
nlohmann::json parse_answer(std::string_view text, std::string_view unit = "");
/// Returns whether a given number (or null for "none") differs from the right one by at most `tolerance`.
bool is_right_number(const nlohmann::json& given, const nlohmann::json& truth, double tolerance);

struct LectureQuestion;

/// What a text must not say before a question is answered.
struct SecretAnswer {
    /// The right number; for a count, also what it leaves of each larger number of the question ("How many of the 32
    /// pairs": 18 says that it is 14).
    std::vector<double> numbers;
    double tolerance = 0;
    /// Clauses of the right choice that no other choice has: those of four words or more, and all if each choice begins
    /// with a number ("3 bits").
    std::vector<std::string> clauses;
};
/// Returns the secret of a question. `truth` is the right number of a question for a number.
SecretAnswer secret_of(const LectureQuestion& question, const nlohmann::json& truth);
/// Returns the first number or clause in `text` that gives the answer away; "" if none does. A number with fewer
/// decimals agrees if it is the rounded answer; a whole number only if the answer is whole or at least 100. Numbers
/// that are an index or an exponent of a formula, or a part of a word, do not count.
std::string given_away(const SecretAnswer& secret, std::string_view text);

}  // namespace ropelab
