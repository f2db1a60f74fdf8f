// The verdict on each claim of a sheet over the claim's rows.
#include <algorithm>

#include "core/reproduce/evaluate.h"

namespace ropelab {

namespace {

SheetVerdict overall_verdict(const ClaimVerdict& claim) {
    if (claim.rows == 0) return SheetVerdict::shown;
    if (claim.unfinished > 0) return SheetVerdict::unfinished;
    if (claim.not_testable == claim.rows) return SheetVerdict::not_testable;
    if (claim.not_reproduced > 0) return SheetVerdict::not_reproduced;
    return claim.reproduced == claim.rows ? SheetVerdict::reproduced : SheetVerdict::undecided;
}

std::string rows_text(int count) {
    return std::to_string(count) + (count == 1 ? " row" : " rows");
}

std::string claim_words(const ClaimVerdict& claim) {
    if (claim.rows == 0) return "";
    std::string words = to_string(claim.verdict);
    words.front() = static_cast<char>(words.front() - 'a' + 'A');
    if (claim.verdict == SheetVerdict::unfinished) {
        return words + ": " + std::to_string(claim.unfinished) + " of " + rows_text(claim.rows) +
               " have no verdict yet.";
    }
    if (claim.verdict == SheetVerdict::not_testable) {
        return words + ": " + (claim.rows == 1 ? "its row is" : "none of its " + rows_text(claim.rows) + " is") +
               (claim.rows == 1 ? " not testable." : " testable.");
    }
    if (claim.reproduced == claim.rows) {
        return words + ": holds for " + (claim.rows == 1 ? "its one row." : "all " + rows_text(claim.rows) + ".");
    }
    words += ": holds for " + std::to_string(claim.reproduced) + " of " + rows_text(claim.rows);
    std::string others;
    const std::pair<int, SheetVerdict> counts[] = {{claim.not_reproduced, SheetVerdict::not_reproduced},
                                                   {claim.undecided, SheetVerdict::undecided},
                                                   {claim.not_testable, SheetVerdict::not_testable}};
    for (const auto& [count, verdict] : counts) {
        if (count > 0) others += (others.empty() ? "; " : ", ") + std::to_string(count) + " " + to_string(verdict);
    }
    return words + others + ".";
}

}  // namespace

std::vector<ClaimVerdict> claim_verdicts(const SheetPlan& plan, std::span<const SheetRow> rows) {
    std::vector<ClaimVerdict> result;
    for (const Claim& each : plan.claims) {
        ClaimVerdict& claim = result.emplace_back();
        claim.claim = each.id;
        const auto count = [&](SheetVerdict verdict) {
            return static_cast<int>(std::count_if(rows.begin(), rows.end(), [&](const SheetRow& row) {
                return row.plan.claim == each.id && row.plan.rule && row.verdict == verdict;
            }));
        };
        claim.reproduced = count(SheetVerdict::reproduced);
        claim.not_reproduced = count(SheetVerdict::not_reproduced);
        claim.undecided = count(SheetVerdict::undecided);
        claim.not_testable = count(SheetVerdict::not_testable);
        claim.unfinished = count(SheetVerdict::unfinished);
        claim.rows = claim.reproduced + claim.not_reproduced + claim.undecided + claim.not_testable + claim.unfinished;
        claim.verdict = overall_verdict(claim);
        claim.words = claim_words(claim);
    }
    return result;
}

}  // namespace ropelab
