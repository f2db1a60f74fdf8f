// What single sheets train: their texts, encodings, bases, bands and blocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/base/error.h"
#include "core/reproduce/rules/evaluate.h"
#include "core/reproduce/rules/sheet.h"
#include "core/reproduce/sheets/building.h"
#include "tests/core/reproduce/rules/sheet_fixture.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

using testing::Contains;
using testing::HasSubstr;

// The texts of their sources are not known, so a plan says so instead of naming a size.
TEST_F(SheetTest, SheetsOfUnknownTextsHaveNoPaperScale) {
    for (const char* name : {"key-offset", "token-smear", "drope", "bands", "frequency-width"}) {
        EXPECT_MESSAGE(sheet(name).plan({SheetScale::paper, {}, {}}), BadInput, "has no scale \"paper\"");
    }
}

// A plan that trains nothing needs no data; training still does.
TEST_F(SheetTest, PlansNeedNoData) {
    for (const char* name : {"bpc", "partial-bands", "theta-table-2"}) {
        SCOPED_TRACE(name);
        SheetRequest request{SheetScale::paper, {}, {}};
        EXPECT_THROW(sheet(name).plan(request), BadInput);
        request.only_plans = true;
        const SheetPlan plan = sheet(name).plan(request);
        EXPECT_FALSE(plan.experiment.expand().empty());
        EXPECT_THAT(plan.notes, Contains(testing::AnyOf(HasSubstr("is not on disk, and training requires it."),
                                                        HasSubstr("There is no folder \"fineweb\" with text"))));
    }
}

// The paper's table has no losses: the sheet trains its encodings, shows its words and compares no published number.
TEST_F(SheetTest, EncodingsAreThoseOfTheTableWithoutPublishedNumbers) {
    write_texts();
    const SheetPlan plan = plan_encodings({SheetScale::laptop, {}, folder_.path()});
    std::set<std::string> table;
    for (const PlannedRow* row : rows_of(plan, "positions-help")) {
        table.insert(row->group.at("position"));
        EXPECT_EQ(row->baseline->at("position"), "none");
        EXPECT_FALSE(row->keys.at("hyperparameter").get<std::string>().empty());
        EXPECT_TRUE(row->keys.at("type") == "Absolute" || row->keys.at("type") == "Relative") << row->keys;
    }
    EXPECT_EQ(table, (std::set<std::string>{"learned", "rope", "shaw", "sinusoidal", "transformer-xl", "xpos"}));
    for (const PlannedRow* row : rows_of(plan, "relative-extends")) {
        EXPECT_EQ(row->keys.at("type"), "Relative") << row->keys;
        EXPECT_EQ(row->baseline->at("position"), "sinusoidal");
    }
    for (const PlannedRow& row : plan.rows) {
        EXPECT_FALSE(row.paper || row.paper_baseline || row.paper_printed) << row.keys;
        EXPECT_TRUE(row.measure != "extension_rise" || row.group.at("position") != "learned") << row.keys;
    }
    EXPECT_THAT(plan.notes, Contains(HasSubstr("no claim of the paper is tested")));
    EXPECT_EQ(plan.experiment.expand().size(), 180U);  // nine encodings, two lengths of training, ten seeds
    for (const Claim& claim : plan.claims) {
        EXPECT_THAT(claim.words, HasSubstr("after 800 and after 2,400 steps"));
    }
}

TEST_F(SheetTest, EveryBaseButTheBaselineIsTimedAgainstIt) {
    const SheetPlan plan = plan_theta_speed({SheetScale::laptop, {}, folder_.path()});
    std::multiset<std::string> bases;
    for (const PlannedRow* row : rows_of(plan, "longer-training")) {
        EXPECT_EQ(row->baseline->at("theta"), "10000");
        bases.insert(row->group.at("theta"));
    }
    EXPECT_EQ(bases, (std::multiset<std::string>{"1000", "20000", "500", "5000", "50000"}));
}

TEST_F(SheetTest, BandsAreOfBytes) {
    for (const RunSpec& spec : plan_partial_bands({SheetScale::laptop, {}, folder_.path()}).experiment.expand()) {
        EXPECT_EQ(spec.tokenizer, Tokenizer::bytes);
    }
}

// Parallel blocks are also compared at ten times the learning rate, where small models spike.
TEST_F(SheetTest, SpikesOfParallelBlocksAreTestedAtTwoLearningRates) {
    const SheetPlan plan = plan_nope_spikes({SheetScale::laptop, {}, folder_.path()});
    for (const char* claim : {"qk-norm-removes", "little-prevents"}) {
        std::map<std::string, std::set<std::string>> rates;  // by block
        for (const PlannedRow* row : rows_of(plan, claim)) {
            rates[row->group.at("block")].insert(row->group.at("learning_rate"));
        }
        EXPECT_EQ(rates["pythia"].size(), 2U) << claim;
        for (const auto& [block, values] : rates) {
            if (block != "pythia") {
                EXPECT_EQ(values.size(), 1U) << claim;
            }
        }
    }
}

}  // namespace
}  // namespace ropelab
