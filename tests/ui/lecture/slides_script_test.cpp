// resources/slides/slides.js: its formulas, numbers and answers are those of the program. Node.js runs it.
#include <gtest/gtest.h>

#include <QProcess>
#include <QStandardPaths>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/lecture/answer.h"
#include "core/lecture/lecture.h"
#include "core/lecture/quantities/quantity.h"
#include "core/rope/context.h"
#include "core/rope/logit.h"
#include "core/rope/rotary_setup.h"
#include "tests/support/source_file.h"
#include "ui/figure/ticks.h"
#include "ui/lecture/documents/live_figure.h"

namespace ropelab::ui {
namespace {

using nlohmann::json;

/// The values of JavaScript expressions in the script of the slides; {"error": message} for one that throws.
std::vector<json> valuesOf(const std::vector<std::string>& expressions) {
    constexpr const char* driver = R"js(
const vm = require("vm"), fs = require("fs");
vm.runInThisContext(fs.readFileSync(process.argv[1], "utf8"));
const value = text => { try { return vm.runInThisContext("(" + text + ")");
}
catch (e) {
    return {error : e.message};
}
};
console.log(JSON.stringify(JSON.parse(fs.readFileSync(0, "utf8")).map(value)));)js";
    QProcess node;
    node.start("node", {"-e", driver, QString::fromStdString(source_file("resources/slides/slides.js"))});
    node.write(QByteArray::fromStdString(json(expressions).dump()));
    node.closeWriteChannel();
    node.waitForFinished();
    EXPECT_EQ(node.exitCode(), 0) << node.readAllStandardError().toStdString();
    return json::parse(node.readAllStandardOutput().toStdString());
}

json setupOf(const RotarySetup& setup) {
    return {{"theta", setup.theta},
            {"headDim", setup.head_dim},
            {"fraction", setup.fraction},
            {"partial", setup.partial == Partial::slice ? "slice" : "truncate"},
            {"context", setup.context}};
}

std::string called(const char* function, std::initializer_list<json> arguments) {
    std::string text = std::string(function) + "(";
    for (const json& each : arguments) text += (text.back() == '(' ? "" : ", ") + each.dump();
    return text + ")";
}

void expectNear(const json& given, const std::vector<double>& truth, double tolerance, const std::string& what) {
    ASSERT_EQ(given.size(), truth.size()) << what;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        EXPECT_NEAR(given[i].get<double>(), truth[i], tolerance * std::max(1.0, std::abs(truth[i])))
            << what << " " << i;
    }
}

std::vector<RotarySetup> setups() {
    std::vector<RotarySetup> result;
    for (const int head_dim : {2, 8, 64, 128}) {
        for (const double theta : {10.0, 500.0, 10000.0, 5e5, 1e7}) {
            for (const double fraction : {0.0, 0.1, 0.25, 0.33, 0.5, 1.0}) {
                for (const Partial partial : {Partial::slice, Partial::truncate}) {
                    const Pairing pairing = theta < 1000 ? Pairing::interleaved : Pairing::half;
                    result.push_back({head_dim, theta, fraction, partial, pairing, 1024});
                }
            }
        }
    }
    return result;
}

class SlidesScript : public testing::Test {
 protected:
    void SetUp() override {
        if (QStandardPaths::findExecutable("node").isEmpty()) {
            GTEST_SKIP() << "Node.js (Debian package nodejs), which runs the script of slides, is not installed.";
        }
    }
};

TEST_F(SlidesScript, FrequenciesAreThoseOfTheProgram) {
    std::vector<std::string> asked;
    for (const RotarySetup& setup : setups()) asked.push_back(called("frequencies", {setupOf(setup)}));
    const auto given = valuesOf(asked);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const Frequencies truth = frequencies(frequency_settings(setups()[i]));
        ASSERT_EQ(given[i].size(), truth.inverse_frequencies.size()) << asked[i];
        for (std::size_t pair = 0; pair < given[i].size(); ++pair) {
            const double frequency = truth.inverse_frequencies[pair];
            EXPECT_NEAR(given[i][pair].get<double>(), frequency, 1e-12 * frequency) << asked[i] << " pair " << pair;
        }
    }
}

TEST_F(SlidesScript, LogitsAreThoseOfTheProgram) {
    std::vector<std::string> asked;
    std::vector<LogitSplit> truth;
    std::vector<std::vector<double>> aimed;
    for (const RotarySetup& setup : setups()) {
        const Frequencies now = frequencies(frequency_settings(setup));
        const auto query = random_query(3, setup.head_dim);
        const auto key = random_key(3, setup.head_dim);
        const auto channels = canonical_channels(setup.head_dim, now.rotary_dim, setup.partial, setup.pairing);
        const std::string parts = called("products", {setupOf(setup), query, key});
        for (const int distance : {-7, 0, 1, 100, 1000}) {
            asked.push_back("splitLogit(" + parts + ", " + std::to_string(distance) + ")");
            truth.push_back(split_logit(laid_out(query, channels), laid_out(key, channels), distance, 0, now,
                                        setup.partial, setup.pairing));
        }
        asked.push_back(called("aimedKey", {setupOf(setup), query, 40}));
        truth.emplace_back();
        const auto truthOfKey = aimed_key(laid_out(query, channels), 40, now, setup.partial, setup.pairing);
        aimed.emplace_back();
        for (const auto channel : channels) aimed.back().push_back(truthOfKey[static_cast<std::size_t>(channel)]);
    }
    const auto given = valuesOf(asked);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        if (given[i].is_array()) {
            expectNear(given[i], aimed[i / 6], 1e-12, "aimed key");
            continue;
        }
        expectNear(given[i].at("pairs"), truth[i].pairs, 1e-12, "terms");
        EXPECT_NEAR(given[i].at("unrotated").get<double>(), truth[i].unrotated, 1e-12);
        EXPECT_NEAR(given[i].at("total").get<double>(), truth[i].total, 1e-12);
    }
}

TEST_F(SlidesScript, RotationAnglesAreThoseOfTheProgram) {
    const RotarySetup setup{8, 10000, 1, Partial::slice, Pairing::half, 128};
    const auto query = random_query(1, 8);
    const auto key = random_key(1, 8);
    const json live{{"setup", setupOf(setup)}, {"query", query}, {"key", key}, {"aimed", false}, {"m", 63}, {"n", 7}};
    const json hands = valuesOf({called("handsOf", {live})})[0];
    const Frequencies now = frequencies(frequency_settings(setup));
    ASSERT_EQ(hands.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
        const PairTerm truth =
            pair_term({query[i], query[i + 4]}, {key[i], key[i + 4]}, 63, 7, now.inverse_frequencies[i], 1, 8);
        expectNear(hands[i].at("q"), {truth.rotated_query.real(), truth.rotated_query.imag()}, 1e-12, "q");
        expectNear(hands[i].at("k"), {truth.rotated_key.real(), truth.rotated_key.imag()}, 1e-12, "k");
        EXPECT_NEAR(hands[i].at("omega").get<double>(), truth.frequency, 1e-12);
    }
}

TEST_F(SlidesScript, BoundsAreThoseOfTheProgram) {
    std::vector<std::string> asked;
    std::vector<std::vector<double>> truth;
    const std::vector<double> distances = {0, 1, 2, 10, 100, 154, 725, 999};
    for (const RotarySetup& setup : setups()) {
        const Frequencies now = frequencies(frequency_settings(setup));
        const std::string all = called("frequencies", {setupOf(setup)});
        const auto rest = std::to_string(setup.head_dim / 2 - now.rotary_dim / 2);
        const std::string each = json(distances).dump() + ".map(each => ";
        asked.push_back(each + "contextBound(" + all + ".filter(w => w > 0), " + rest + ", each))");
        const auto bound = context_bound(now, setup.head_dim, 1000);
        truth.emplace_back();
        for (const double at : distances) truth.back().push_back(bound[static_cast<std::size_t>(at)]);
        asked.push_back(each + "decayBound(" + all + ", each))");
        truth.push_back(decay_bound(now.inverse_frequencies, distances));
    }
    const auto given = valuesOf(asked);
    for (std::size_t i = 0; i < asked.size(); ++i) expectNear(given[i], truth[i], 1e-12, asked[i]);
}

TEST_F(SlidesScript, SentencesOfFiguresHaveTheProgramsNumbers) {
    const RotarySetup setup{64, 500, 1, Partial::slice, Pairing::half, 256};
    const Frequencies now = frequencies(frequency_settings(setup));
    const json axis{{"min", 1}, {"max", 512}, {"log", true}, {"fixed", false}, {"label", ""}};
    const json live{{"setup", setupOf(setup)}, {"x", axis}, {"y", axis}, {"pair", 0}, {"sliders", json::array()}};
    const auto given =
        valuesOf({called("forms[\"context-bound\"]", {live}) + ".say", called("forms.spectrum", {live}) + ".say"});
    EXPECT_TRUE(
        given[0].get<std::string>().ends_with("supports " + std::to_string(*first_negative(now, 64, 512)) + " tokens"))
        << given[0];
    EXPECT_TRUE(given[1].get<std::string>().starts_with(std::to_string(complete_pairs(now, 256)) + " of 32 "))
        << given[1];
}

TEST_F(SlidesScript, DrawsTheFiguresThatTheProgramGivesIt) {
    std::vector<std::string> names;
    for (const QString& name : liveFigureNames()) names.push_back(name.toStdString());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(valuesOf({"Object.keys(forms).sort()"})[0], json(names));
}

TEST_F(SlidesScript, NumbersAreWrittenAsInTheProgram) {
    const std::vector<double> numbers = {0,    1,       -1.5,   6.2831853, 47117.24, 123456789, 1e7,  9.9999e6, 0.0094,
                                         1e-9, -2.5e-5, 99.995, 999.95,    1234.5,   -0.0001,   1e15, 3e20,     0.5};
    std::vector<std::string> asked;
    for (const double number : numbers) {
        asked.push_back(called("readableNumber", {number}));
        asked.push_back(called("readableCount", {number}));
    }
    const auto given = valuesOf(asked);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        EXPECT_EQ(given[2 * i].get<std::string>(), readableNumber(numbers[i]).toStdString());
        EXPECT_EQ(given[2 * i + 1].get<std::string>(), readableCount(numbers[i]).toStdString());
    }
}

TEST_F(SlidesScript, TypedAnswersAreReadAsInTheCourse) {
    const std::vector<std::pair<std::string, std::string>> typed = {{"47117", ""},
                                                                    {" 47117 tokens ", ""},
                                                                    {"1,234,567", ""},
                                                                    {"10k", ""},
                                                                    {"25 %", ""},
                                                                    {"−0.5", ""},
                                                                    {"none", ""},
                                                                    {" None ", ""},
                                                                    {"+6.28", ""},
                                                                    {"- 0.39", ""},
                                                                    {"6 283", ""},
                                                                    {"1 234 567.5", ""},
                                                                    {"6283tokens", "tokens"},
                                                                    {"10 k tokens", "tokens"},
                                                                    {"2π", "tokens"},
                                                                    {"2*pi", ""},
                                                                    {"2 pi", ""},
                                                                    {"2·π tokens", "tokens"},
                                                                    {"pi*2", ""},
                                                                    {"2*PI", ""},
                                                                    {"pi/2", ""},
                                                                    {"-100/256", ""},
                                                                    {"6,28", ""},
                                                                    {"1,0000", ""},
                                                                    {"0,667", ""},
                                                                    {"1,234.5", ""},
                                                                    {"-1,234,567", ""},
                                                                    {"3,667", ""},
                                                                    {"47,117 tokens", ""},
                                                                    {"3.7°", "degrees"},
                                                                    {"3.7 degrees", "degrees"},
                                                                    {"0.064 rad", "degrees"},
                                                                    {"2.02 %", "%"},
                                                                    {"2.02 percent", "%"},
                                                                    {"2 percent", ""},
                                                                    {"1 GiB", "bytes"},
                                                                    {"128MiB", "bytes"},
                                                                    {"512 KiB", "bytes"},
                                                                    {"1.5 MB", "bytes"},
                                                                    {"2 kB", "bytes"},
                                                                    {"1 token", "tokens"},
                                                                    {"0.1 radians per token", "radians per token"},
                                                                    {"3 seconds", "s"},
                                                                    {"3 rad", "tokens"},
                                                                    {"4 tokens", "degrees"},
                                                                    {"12 m", "tokens"},
                                                                    {"12 m", ""},
                                                                    {"5 GiB", "tokens"},
                                                                    {"5 %", "tokens"},
                                                                    {"", ""},
                                                                    {"many", ""},
                                                                    {"1,2,3", ""},
                                                                    {"12 13", ""},
                                                                    {"2,,5", ""},
                                                                    {"1/0", ""},
                                                                    {"3x", ""},
                                                                    {"2*", ""},
                                                                    {"--5", ""},
                                                                    {"tokens", ""},
                                                                    {"1e6", ""},
                                                                    {"2M", ""},
                                                                    {"3 turns", "periods"},
                                                                    {"1e400", ""},
                                                                    {"0x10", ""},
                                                                    {"12 tokens/s", "tokens/s"}};
    json units = json::array();
    for (const QuantityDescription& each : quantities()) units.push_back(std::string(each.unit));
    std::vector<std::string> asked;
    for (const auto& [text, unit] : typed) asked.push_back(called("parseAnswer", {text, unit, units}));
    const auto given = valuesOf(asked);
    for (std::size_t i = 0; i < typed.size(); ++i) {
        const auto& [text, unit] = typed[i];
        try {
            const json truth = parse_answer(text, unit);
            if (truth.is_null()) {
                EXPECT_TRUE(given[i].is_null()) << text;
            } else {
                ASSERT_TRUE(given[i].is_number()) << text << " " << given[i];
                EXPECT_NEAR(given[i].get<double>(), truth.get<double>(), 1e-12 * std::abs(truth.get<double>())) << text;
            }
        } catch (const BadInput& error) {
            ASSERT_TRUE(given[i].is_object()) << text << " " << given[i];
            EXPECT_EQ(given[i].at("error").get<std::string>(), error.what());
        }
    }
}

TEST_F(SlidesScript, AnswersAreJudgedAsInTheCourse) {
    LectureQuestion question;
    question.kind = LectureQuestion::Kind::number;
    question.tolerance = 0.05;
    question.wrong = {{6, "six"}, {7, "seven"}, {360, "degrees"}, {355, "nearly"}};
    json ask{{"kind", "number"}, {"truth", 6.283}, {"tolerance", 0.05}, {"wrong", json::array()}};
    for (const LectureMistake& each : question.wrong)
        ask["wrong"].push_back({{"answer", each.answer}, {"say", each.say}});
    const std::vector<json> answers = {6.3, 6.34, 6, 6.1, 7, 359, 356, 100, nullptr};
    std::vector<std::string> asked;
    for (const json& answer : answers) {
        asked.push_back(called("isRight", {ask, answer}));
        asked.push_back(called("misunderstood", {ask, answer}));
    }
    const json choice{{"kind", "choice"}, {"right", 2}, {"wrong", {{{"answer", 0}, {"say", "first"}}}}};
    for (const int chosen : {0, 1, 2}) {
        asked.push_back(called("isRight", {choice, chosen}));
        asked.push_back(called("misunderstood", {choice, chosen}));
    }
    const auto given = valuesOf(asked);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        EXPECT_EQ(given[2 * i].get<bool>(), is_right_number(answers[i], 6.283, 0.05)) << answers[i];
        EXPECT_EQ(given[2 * i + 1].get<std::string>(), misunderstood(question, answers[i].dump())) << answers[i];
    }
    const std::vector<json> choices(given.end() - 6, given.end());
    EXPECT_EQ(json(choices), json({false, "first", false, "", true, ""}));
}

}  // namespace
}  // namespace ropelab::ui
