// The verdict on each claim of a sheet over the claim's rows.
#include <algorithm>
#include <map>
#include <set>

#include "core/data/known_sets.h"
#include "core/reproduce/rules/evaluate.h"

namespace ropelab {

namespace {

bool is_tested(const SheetRow& row) {
    return row.verdict == SheetVerdict::reproduced || row.verdict == SheetVerdict::not_reproduced ||
           row.verdict == SheetVerdict::undecided;
}

// Returns the p, corrected within its family, of the test that refuted a row.
double refuting_p(const SheetRow& row) {
    const VerdictRule& rule = *row.plan.rule;
    const double p = row.p_refutation.value_or(1);
    const bool is_opposite =
        rule.kind == VerdictRule::Kind::difference && row.difference.value_or(0) * rule.direction < 0;
    return is_opposite ? std::min(p, row.p_holm.value_or(1)) : p;
}

// Returns whether a row refutes the claim. Each family of rows is tested at the level α, so that several families would
// refute a true claim more often; Bonferroni's correction over the families keeps the level.
bool refutes_claim(const std::vector<const SheetRow*>& rows) {
    std::set<std::string> families;
    for (const SheetRow* row : rows) {
        if (is_tested(*row)) families.insert(row->plan.rule->family);
    }
    const auto count = static_cast<double>(families.size());
    return std::any_of(rows.begin(), rows.end(), [&](const SheetRow* row) {
        return row->verdict == SheetVerdict::not_reproduced &&
               (families.size() == 1 || count * refuting_p(*row) < row->plan.rule->alpha);
    });
}

SheetVerdict overall_verdict(const ClaimVerdict& claim, const std::vector<const SheetRow*>& rows) {
    if (claim.rows == 0) return SheetVerdict::shown;
    if (claim.unfinished > 0) return SheetVerdict::unfinished;
    if (claim.not_testable == claim.rows) return SheetVerdict::not_testable;
    if (refutes_claim(rows)) return SheetVerdict::not_reproduced;
    return claim.reproduced == claim.rows ? SheetVerdict::reproduced : SheetVerdict::undecided;
}

std::string rows_text(int count) {
    return std::to_string(count) + (count == 1 ? " row" : " rows");
}

std::string capitalized(std::string words) {
    words.front() = static_cast<char>(words.front() - 'a' + 'A');
    return words;
}

std::string claim_words(const ClaimVerdict& claim) {
    if (claim.rows == 0) return "";
    std::string words = capitalized(to_string(claim.verdict));
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
    words += others + ".";
    if (claim.verdict == SheetVerdict::undecided && claim.not_reproduced > 0) {
        words +=
            " The refutation is not significant after Bonferroni's correction over the families of the claim's rows.";
    }
    return words;
}

// Returns the verdict over these rows, which are those of the claim `id` or a part of them.
ClaimVerdict verdict_over(const std::string& id, const std::vector<const SheetRow*>& rows) {
    ClaimVerdict claim;
    claim.claim = id;
    const auto count = [&](SheetVerdict verdict) {
        return static_cast<int>(
            std::count_if(rows.begin(), rows.end(), [&](const SheetRow* row) { return row->verdict == verdict; }));
    };
    claim.reproduced = count(SheetVerdict::reproduced);
    claim.not_reproduced = count(SheetVerdict::not_reproduced);
    claim.undecided = count(SheetVerdict::undecided);
    claim.not_testable = count(SheetVerdict::not_testable);
    claim.unfinished = count(SheetVerdict::unfinished);
    claim.rows = claim.reproduced + claim.not_reproduced + claim.undecided + claim.not_testable + claim.unfinished;
    claim.verdict = overall_verdict(claim, rows);
    claim.words = claim_words(claim);
    return claim;
}

// Sets the verdict of a claim whose rows have several lengths of training: the one at which all of them agree.
void agree(ClaimVerdict& claim, const std::map<std::int64_t, std::vector<const SheetRow*>>& by_steps) {
    if (by_steps.size() < 2 || claim.verdict == SheetVerdict::unfinished) return;
    std::set<SheetVerdict> verdicts;
    std::string words;
    for (const auto& [steps, rows] : by_steps) {
        const ClaimVerdict part = verdict_over(claim.claim, rows);
        verdicts.insert(part.verdict);
        words += " After " + grouped(steps) + " steps: " + part.words;
    }
    const bool is_agreed = verdicts.size() == 1;
    claim.verdict = is_agreed ? *verdicts.begin() : SheetVerdict::undecided;
    claim.words =
        capitalized(to_string(claim.verdict)) +
        (is_agreed ? " at all lengths of training." : ": the verdict depends on the length of the training.") + words;
}

}  // namespace

std::vector<ClaimVerdict> claim_verdicts(const SheetPlan& plan, std::span<const SheetRow> rows) {
    std::vector<ClaimVerdict> result;
    for (const Claim& each : plan.claims) {
        std::vector<const SheetRow*> own;
        std::map<std::int64_t, std::vector<const SheetRow*>> by_steps;
        for (const SheetRow& row : rows) {
            if (row.plan.claim != each.id || !row.plan.rule) continue;
            own.push_back(&row);
            by_steps[row.plan.keys.value("iterations", std::int64_t{0})].push_back(&row);
        }
        agree(result.emplace_back(verdict_over(each.id, own)), by_steps);
    }
    return result;
}

}  // namespace ropelab
