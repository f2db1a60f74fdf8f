#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/reproduce/rules/evaluate.h"
#include "tests/core/reproduce/sheet_runs.h"

namespace ropelab {
namespace {

// Returns the verdict on a claim whose rows have these verdicts.
ClaimVerdict claimed(const std::vector<SheetVerdict>& verdicts) {
    SheetPlan plan = plan_of({});
    plan.claims = {{"claim", "It is lower."}};
    std::vector<SheetRow> rows;
    for (const SheetVerdict verdict : verdicts) {
        rows.emplace_back().plan = row_500({});
        rows.back().verdict = verdict;
    }
    SheetRow& of_another_claim = rows.emplace_back();
    of_another_claim.plan = row_500({});
    of_another_claim.plan.claim = "another";
    of_another_claim.verdict = SheetVerdict::not_reproduced;
    return claim_verdicts(plan, rows).front();
}

TEST(ClaimVerdicts, FollowFromTheCountsOfTheRows) {
    using enum SheetVerdict;
    EXPECT_EQ(claimed({reproduced, reproduced}).verdict, reproduced);
    EXPECT_EQ(claimed({reproduced, reproduced}).words, "Reproduced: holds for all 2 rows.");
    EXPECT_EQ(claimed({reproduced}).words, "Reproduced: holds for its one row.");
    const ClaimVerdict mixed = claimed({reproduced, reproduced, reproduced, reproduced, not_reproduced, undecided});
    EXPECT_EQ(mixed.verdict, not_reproduced);
    EXPECT_EQ(mixed.rows, 6);
    EXPECT_EQ(mixed.reproduced, 4);
    EXPECT_EQ(mixed.words, "Not reproduced: holds for 4 of 6 rows; 1 not reproduced, 1 undecided.");
    EXPECT_EQ(claimed({undecided, reproduced}).verdict, undecided);
    EXPECT_EQ(claimed({undecided}).words, "Undecided: holds for 0 of 1 row; 1 undecided.");
}

// Rows that cannot be tested leave a claim about all of them open.
TEST(ClaimVerdicts, UntestableRowsDecideNothing) {
    using enum SheetVerdict;
    EXPECT_EQ(claimed({not_testable, not_testable}).verdict, not_testable);
    EXPECT_EQ(claimed({not_testable, not_testable}).words, "Not testable: none of the claim's 2 rows is testable.");
    const ClaimVerdict some = claimed({reproduced, not_testable});
    EXPECT_EQ(some.verdict, undecided);
    EXPECT_EQ(some.words, "Undecided: holds for 1 of 2 rows; 1 not testable.");
}

// Each family is tested at the level 0.05; with three families a refutation must have p < 0.05/3 = 0.0167.
TEST(ClaimVerdicts, SeveralFamiliesDoNotRefuteAClaimByChance) {
    using enum SheetVerdict;
    const auto refuted = [](double p_refutation, double p_opposite) {
        SheetPlan plan = plan_of({});
        plan.claims = {{"claim", "It is lower."}};
        std::vector<SheetRow> rows;
        for (const char* family : {"first", "second", "third"}) {
            rows.emplace_back().plan = row_500({});
            rows.back().plan.rule->family = family;
            rows.back().verdict = reproduced;
        }
        rows.back().verdict = not_reproduced;
        rows.back().p_refutation = p_refutation;
        rows.back().p_holm = p_opposite;
        rows.back().difference = 0.1;  // higher, against the claim
        return claim_verdicts(plan, rows).front();
    };
    EXPECT_EQ(refuted(0.016, 1).verdict, not_reproduced);
    EXPECT_EQ(refuted(1, 0.016).verdict, not_reproduced);
    const ClaimVerdict open = refuted(0.017, 0.04);
    EXPECT_EQ(open.verdict, undecided);
    EXPECT_EQ(open.words,
              "Undecided: holds for 2 of 3 rows; 1 not reproduced. The refutation is not significant after "
              "Bonferroni's correction over the families of the claim's rows.");
}

// Undecided rows are tests of their families, too: with p = 0.03 one of three families does not refute the claim, one
// of one family would.
TEST(ClaimVerdicts, UndecidedRowsCountAsFamilies) {
    using enum SheetVerdict;
    const auto verdict_with = [](SheetVerdict others) {
        SheetPlan plan = plan_of({});
        plan.claims = {{"claim", "It is lower."}};
        std::vector<SheetRow> rows;
        for (const char* family : {"first", "second", "third"}) {
            rows.emplace_back().plan = row_500({});
            rows.back().plan.rule->family = family;
            rows.back().verdict = others;
        }
        rows.back().verdict = not_reproduced;
        rows.back().p_refutation = 0.03;
        return claim_verdicts(plan, rows).front().verdict;
    };
    EXPECT_EQ(verdict_with(undecided), undecided);
    EXPECT_EQ(verdict_with(reproduced), undecided);
    EXPECT_EQ(verdict_with(not_testable), not_reproduced);  // untestable rows are no tests
}

// A claim about losses is decided only if its verdicts at all lengths of training agree.
TEST(ClaimVerdicts, LengthsOfTrainingMustAgree) {
    using enum SheetVerdict;
    const auto claim_of = [](const std::vector<SheetVerdict>& after_800, const std::vector<SheetVerdict>& after_2400) {
        SheetPlan plan = plan_of({});
        plan.claims = {{"claim", "It is lower."}};
        std::vector<SheetRow> rows;
        const auto add = [&](int steps, const std::vector<SheetVerdict>& verdicts) {
            for (const SheetVerdict verdict : verdicts) {
                rows.emplace_back().plan = row_500({});
                rows.back().plan.keys["iterations"] = steps;
                rows.back().plan.rule->family = std::to_string(steps);
                rows.back().verdict = verdict;
                rows.back().p_refutation = 0.001;
            }
        };
        add(800, after_800);
        add(2400, after_2400);
        return claim_verdicts(plan, rows).front();
    };
    const ClaimVerdict agreed = claim_of({reproduced, reproduced}, {reproduced});
    EXPECT_EQ(agreed.verdict, reproduced);
    EXPECT_EQ(agreed.words,
              "Reproduced at all lengths of training. After 800 steps: Reproduced: holds for all 2 rows. After 2,400 "
              "steps: Reproduced: holds for its one row.");
    EXPECT_EQ(claim_of({not_reproduced}, {not_reproduced}).verdict, not_reproduced);
    const ClaimVerdict differing = claim_of({not_reproduced}, {reproduced});
    EXPECT_EQ(differing.verdict, undecided);
    EXPECT_THAT(
        differing.words,
        testing::StartsWith("Undecided: the verdict depends on the length of the training. After 800 steps: Not "
                            "reproduced"));
    EXPECT_EQ(claim_of({undecided}, {reproduced}).verdict, undecided);
    EXPECT_EQ(claim_of({not_testable}, {not_testable}).verdict, not_testable);
    const ClaimVerdict waiting = claim_of({reproduced}, {unfinished});
    EXPECT_EQ(waiting.verdict, unfinished);
    EXPECT_EQ(waiting.words, "Unfinished: 1 of 2 rows have no verdict yet.");
}

TEST(ClaimVerdicts, WaitForAllRows) {
    using enum SheetVerdict;
    const ClaimVerdict waiting = claimed({reproduced, unfinished});
    EXPECT_EQ(waiting.verdict, unfinished);
    EXPECT_EQ(waiting.words, "Unfinished: 1 of 2 rows have no verdict yet.");
    EXPECT_EQ(claimed({}).verdict, shown);
    EXPECT_EQ(claimed({}).words, "");
}

}  // namespace
}  // namespace ropelab
