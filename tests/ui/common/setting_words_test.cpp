#include "ui/common/choice_words.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/settings/keys.h"

namespace ropelab::ui {
namespace {

/// Returns the sentence with which core rejects a value of a setting.
QString rejected(std::string_view name, std::string_view typed) {
    RunSpec spec;
    try {
        key(name).set(spec, parse_value(key(name), typed, spec));
    } catch (const BadInput& error) {
        return QString::fromStdString(error.what());
    }
    return {};
}

TEST(FieldError, NamesTheLabelInsteadOfTheSetting) {
    for (const char* typed : {"x", "x %", "x ch"}) {
        EXPECT_EQ(fieldError("rotated fraction", rejected("fraction", typed)),
                  QStringLiteral("Rotated fraction: \"%1\" is not a fraction; enter 25 %, 0.25 or 6 ch.").arg(typed));
    }
    EXPECT_EQ(fieldError("rotated fraction", rejected("fraction", "2")),
              "Rotated fraction: The fraction 2 is larger than 1; enter 2 % for a percentage, or 0.02.");
    EXPECT_TRUE(
        fieldError("mlp width", rejected("mlp_width", "wide")).startsWith("Mlp width: \"wide\" is not a number"));
    EXPECT_EQ(fieldError("mlp width", rejected("mlp_width", "0.5")),
              "Mlp width is 0.5, but it must be a whole number.");
    EXPECT_EQ(fieldError("context", "context is 3, but it must be between 16 and 32."),
              "context is 3, but it must be between 16 and 32.");
}

TEST(FieldText, ShowsAutoWhereTheProgramChooses) {
    for (const char* name : {"key_value_heads", "mlp_width", "threads", "decay_iterations", "theta_learning_rate"}) {
        EXPECT_EQ(fieldText(name, "0"), "auto") << name;
        EXPECT_EQ(fieldText(name, "8"), "8") << name;
        EXPECT_EQ(fieldValue(name, "Auto"), "0") << name;
    }
    EXPECT_EQ(fieldText("dropout", "0"), "0");
    EXPECT_EQ(fieldValue("dropout", "auto"), "auto");
}

TEST(ChoiceTitle, IsTheTitleOfTheRowOrTheValue) {
    EXPECT_EQ(choiceTitle("position", "alibi"), "ALiBi");
    EXPECT_EQ(choiceTitle("position", "learned+rope"), "learned+RoPE");
    EXPECT_EQ(choiceTitle("norm", "dyt"), "Dynamic Tanh");
    EXPECT_EQ(choiceTitle("feed_forward", "relu2"), "squared ReLU");
    EXPECT_EQ(choiceTitle("tokenizer", "bpe"), "bpe");
    EXPECT_EQ(choiceTitle("no_setting", "word"), "word");
}

}  // namespace
}  // namespace ropelab::ui
