#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ropelab {

/// What a one-sided test at level α has spent of it at the fraction f of the planned pairs (Lan & DeMets 1983):
/// `obrien_fleming` 2 − 2Φ(z_{α/2}/√f), which spends almost nothing early; `pocock` α·ln(1 + (e − 1)f). A two-sided
/// test spends α/2 on each side.
enum class Spending { obrien_fleming, pocock };
std::string to_string(Spending spending);
/// Throws BadInput for any other word.
Spending spending(const std::string& word);

/// Normal critical values, one per look (formula 65), computed by the recursive integration of Armitage, McPherson and
/// Rowe (1969); infinite if a look spends nothing. `fractions`: ascending, the last one 1.
std::vector<double> spending_boundaries(std::span<const double> fractions, Spending spending, double alpha,
                                        bool one_sided);

/// Sequential p values of tests at looks that are fixed beforehand (Jennison & Turnbull 2000, chapter 9): the smallest
/// level whose boundary the statistic reaches. At level α it is at most α exactly if the group-sequential test at level
/// α stops there, for all α at once, because both spending functions are well ordered (Maurer & Bretz 2013).
class SequentialP {
 public:
    /// `looks`: ascending numbers of pairs. Throws BadInput unless there are 1 to 20, the first at least 2.
    SequentialP(std::vector<std::int64_t> looks, Spending spending, bool one_sided);
    /// Of a t test with p value `nominal` (two-sided or one-sided, as the object) at a look (index). The t statistic
    /// stands for the normal one with equal p (significance-level approach). Not computed below 1e-9; 1 above 0.5.
    double operator()(std::size_t look, double nominal) const;
    /// Nominal p of the t test that reaches the boundary of level alpha at a look.
    double nominal(std::size_t look, double alpha) const;

 private:
    bool one_sided_;
    std::vector<double> levels_;  // descending
    /// Logarithm of the normal tail beyond the boundary, for each of levels_ one value per look. It is almost linear in
    /// the logarithm of the level, so that values between are interpolated.
    std::vector<std::vector<double>> tails_;
};

}  // namespace ropelab
