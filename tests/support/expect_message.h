#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// Expects a statement to throw an exception of the given type whose message contains `part`.
#define EXPECT_MESSAGE(statement, type, part)                                 \
    try {                                                                     \
        (void)(statement);                                                    \
        ADD_FAILURE() << #statement " threw nothing";                         \
    } catch (const type& expect_message_error) {                              \
        EXPECT_THAT(expect_message_error.what(), ::testing::HasSubstr(part)); \
    }
