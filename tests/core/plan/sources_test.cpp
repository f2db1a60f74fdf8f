#include "core/plan/sources.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

// Queries of 2 heads with 2 rows each; keys and values of 2 heads, one with rows in another order.
const Tensor qkv = {.name = "attention.qkv.weight",
                    .shape = {12, 5},
                    .parts = {{"query", 4, 2}, {"key", 4, 2, {1, 0}}, {"value", 4, 2}}};

TensorNames names_of(const SourceNames& names) {
    return {.family = "toy", .layer = "model.layers.{}.", .names = {{"attention.qkv", names}, {"head", names}}};
}

// "name:row name:row …" of each row of the plan's tensor.
std::string rows_text(const TensorSource& source) {
    std::string text;
    for (const SourceRows& part : source.parts) {
        for (std::int64_t row = 0; row < part.rows; ++row)
            text += part.name.substr(part.name.find_last_of('.', part.name.size() - 8) + 1, 1) +
                    std::to_string(part.row_in_file(row)) + " ";
    }
    return text;
}

TEST(Sources, RowsComeFromTheirTensors) {
    const TensorSource apart = source_of(qkv, names_of({{"q", "k", "v"}}), 3);
    ASSERT_EQ(apart.parts.size(), 3U);
    EXPECT_EQ(apart.parts[1].name, "model.layers.3.k.weight");
    EXPECT_EQ(apart.parts[1].file_rows, 4);
    EXPECT_EQ(rows_text(apart), "q0 q1 q2 q3 k1 k0 k3 k2 v0 v1 v2 v3 ");

    const TensorSource one = source_of(qkv, names_of({{"all"}}), 0);
    EXPECT_EQ(one.parts[2].file_rows, 12);
    EXPECT_EQ(rows_text(one), "a0 a1 a2 a3 a5 a4 a7 a6 a8 a9 a10 a11 ");

    // Query, key and value of the first head, then those of the second one (GPT-NeoX).
    const TensorSource by_head = source_of(qkv, names_of({{"all"}, true}), 0);
    EXPECT_EQ(rows_text(by_head), "a0 a1 a6 a7 a3 a2 a9 a8 a4 a5 a10 a11 ");
    EXPECT_EQ(by_head.parts[0].file_rows, 12);

    const TensorSource whole = source_of({.name = "head.weight", .shape = {3, 5}}, names_of({{"lm"}}), -1);
    ASSERT_EQ(whole.parts.size(), 1U);
    EXPECT_EQ(whole.parts[0].name, "lm.weight");
    EXPECT_EQ(rows_text(whole), "l0 l1 l2 ");
}

// GPT-2 stores the matrices of its layers with a row per input.
TEST(Sources, OnlyMatricesOfLayersAreTransposed) {
    TensorNames names = names_of({{"all"}});
    EXPECT_FALSE(source_of(qkv, names, 0).is_transposed);
    names.are_transposed = true;
    EXPECT_TRUE(source_of(qkv, names, 0).is_transposed);
    EXPECT_FALSE(source_of({.name = "attention.qkv.bias", .shape = {12}, .parts = qkv.parts}, names, 0).is_transposed);
    EXPECT_FALSE(source_of({.name = "head.weight", .shape = {3, 5}}, names, -1).is_transposed);
}

TEST(Sources, WhatTheNamesDoNotIncludeIsRefused) {
    const TensorNames names = names_of({{"q", "k"}});
    EXPECT_MESSAGE(source_of(qkv, names, 0), BadInput, "\"toy\" models have a layer's attention.qkv.weight");
    EXPECT_MESSAGE(source_of({.name = "smear.gate", .shape = {12}}, names, -1), BadInput, "models have smear.gate.");
    EXPECT_MESSAGE(source_of({.name = "head.weight", .shape = {2, 3, 5}}, names_of({{"lm"}}), 0), BadInput,
                   "models have a layer's head.weight");
}

}  // namespace
}  // namespace ropelab
