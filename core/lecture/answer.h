#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

/// y at ascending x; a y that is not finite is a gap.
struct AnswerCurve {
    std::vector<double> x;
    std::vector<double> y;
};

struct AnswerAxes {
    double low = 0;  // ends of the x axis
    double high = 1;
    bool x_logarithmic = false;
    bool y_logarithmic = false;
};

/// In the unit of y, or in decades on a logarithmic axis.
struct CurveDistance {
    /// Mean absolute difference where both curves have values, with equal weights along x; NaN without any.
    double distance = 0;
    /// Distance of a horizontal line at the right curve's mean, as of a curve drawn without knowledge of the shape.
    double null_distance = 0;
    /// From 0 to 1: part of the x axis where the right curve has values and one was drawn.
    double covered = 0;
};
/// Between two points a curve is a straight line on the axes.
CurveDistance curve_distance(const AnswerCurve& drawn, const AnswerCurve& truth, const AnswerAxes& axes);

/// As parse_number, also a product or quotient of numbers and π ("2π", "-100/256"), a decimal comma, commas or spaces
/// between groups of three digits, and a unit. `unit` is the unit of the question: radians are converted to degrees,
/// MiB and MB to bytes, and "%" divides by 100 unless the unit is %. "none" becomes null. Throws BadInput if the text
/// is not a number, if its unit is another one, and for a comma that can be a decimal comma or grouping.
nlohmann::json parse_answer(std::string_view text, std::string_view unit = "");
/// Null for "none".
bool is_right_number(const nlohmann::json& given, const nlohmann::json& truth, double tolerance);

struct LectureQuestion;

/// What a wrong answer, as AnswerRecord::given stores it, shows to be misunderstood: the sentence that the question has
/// for this choice or for the nearest number, which may differ by 2 % or the tolerance; "" if it has none.
std::string misunderstood(const LectureQuestion& question, const std::string& given);

struct SecretAnswer {
    /// Also what a count leaves of larger numbers of the question ("How many of the 32 pairs": 18 says 14).
    std::vector<double> numbers;
    double tolerance = 0;
    /// Of a number that gives it away.
    int least_digits = 0;
    /// Clauses that only the right choice has: four words or more, or all if each choice begins with a number ("3
    /// bits").
    std::vector<std::string> clauses;
};
/// Of the shortest decimal notation: 3 for 154 and 6.28, 1 for 1,000.
int significant_digits(double number);
/// `truth` is the right number of a question for a number.
SecretAnswer secret_of(const LectureQuestion& question, const nlohmann::json& truth);
/// The first number or clause that gives the answer away, or "". A number with fewer decimals agrees if it is the
/// rounded answer; a whole number only if the answer is whole or at least 100. Numbers that are an index or an exponent
/// of a formula, or a part of a word, do not count.
std::string given_away(const SecretAnswer& secret, std::string_view text);

}  // namespace ropelab
