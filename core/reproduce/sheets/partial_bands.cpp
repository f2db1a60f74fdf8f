// The sheet partial-bands tests RQ1 to RQ5 of the partial-RoPE paper, Khan et al. Each model shape changes one factor
// of a base setting and compares seven rotated fractions.
#include "core/reproduce/sheets/building.h"
#include "core/reproduce/sheets/corpus_check.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/rules/predictions.h"
#include "core/reproduce/sheets/published.h"

namespace ropelab {

namespace {

using nlohmann::json;

// Margins, as fractions of the loss, follow from the paper's printed perplexities on LAMBADA (table 4, OpenAI's
// version), whose logarithms are losses in nats per word. The smallest gap between its two bands is 3.2 % (Llama-8B:
// ln 6.80 − ln 6.42 = 0.0575, of ln 6.11 = 1.810 with full rotation). A fraction belongs to a band if it is nearer to
// that band than to the other: half of the gap.
constexpr double band_gap = 0.032;
constexpr double band_margin = band_gap / 2;
// At the longest context the loss with 10 % is 1.0 % above the mean of 25 % to 100 % (ln 14.39 against the mean of
// ln 14.64, ln 14.15, ln 13.76 and ln 13.55). The rule compares the same quantities, seed by seed. "Slightly higher" is
// from half of that to the gap between the bands, because the paper says that this separation is smaller.
constexpr double slightly_low = 1.005, slightly_high = 1 + band_gap;
constexpr const char* measure = "final_validation_loss";  // the paper compares losses at the end of the training

// Model shape of the experiment: the base setting with one changed factor, which can be the context or the data set.
struct ModelShape {
    std::string name;
    GroupKeys keys;  // keys whose values differ from the base setting
};

const std::vector<std::string>& fractions() {
    static const std::vector<std::string> all = {"0", "2 ch", "10 %", "25 %", "50 %", "75 %", "1"};
    return all;
}
// Returns whether the paper finds a fraction in the band of higher loss.
bool is_low(const std::string& fraction) {
    return fraction == "0" || fraction == "2 ch";
}

// Returns `keys` with the values of `more` added or replaced.
GroupKeys joined(GroupKeys keys, const GroupKeys& more) {
    for (const auto& [key, value] : more) keys[key] = value;
    return keys;
}

// Returns the keys of the base setting that model shapes change. Each group names all of them, so that no run belongs
// to two shapes. Llama-3.2-1B has no biases and a tied output matrix.
GroupKeys base_keys(const SheetRequest& request, const std::string& data) {
    if (request.scale == SheetScale::paper) {
        return {{"data", data},        {"block", "llama"},       {"layers", "16"},      {"heads", "32"},
                {"width", "2048"},     {"context", "2048"},      {"batch", "4096"},     {"micro_batch", "64"},
                {"mlp_width", "8192"}, {"key_value_heads", "8"}, {"tied_head", "true"}, {"bias", "false"}};
    }
    const bool smoke = request.scale == SheetScale::smoke;
    return {{"data", data},        {"block", "llama"},       {"layers", smoke ? "1" : "2"},
            {"heads", "2"},        {"width", "128"},         {"context", smoke ? "32" : "128"},
            {"batch", "4"},        {"micro_batch", "0"},     {"mlp_width", "0"},
            {"tied_head", "true"}, {"key_value_heads", "1"}, {"bias", "false"}};
}

std::vector<ModelShape> shapes_of(const SheetRequest& request, const GroupKeys& base,
                                  const std::vector<SheetData>& sets) {
    const auto longer = [&](double times) {
        // The batch size is divided, so that the number of tokens per step stays.
        const auto divided = [&](const char* key) { return number_text(parse_number(base.at(key)) / times); };
        return GroupKeys{{"context", number_text(times * parse_number(base.at("context")))},
                         {"batch", divided("batch")},
                         {"micro_batch", divided("micro_batch")}};
    };
    const bool paper = request.scale == SheetScale::paper;
    std::vector<ModelShape> shapes = {{"base", {}},
                                      {"context 0.5x", longer(0.5)},
                                      {"context 2x", longer(2)},
                                      {"context 4x", longer(4)},
                                      {"parallel block",
                                       {{"block", "pythia"},
                                        {"mlp_width", "0"},
                                        {"key_value_heads", "0"},
                                        {"tied_head", "false"},
                                        {"bias", "true"}}}};
    if (paper) {
        // Pythia-1B has heads of 256 channels, and the paper trains it on FineWeb-Edu.
        shapes.back().keys["heads"] = "8";
        shapes.back().keys["data"] = sets.back().data;
        shapes.push_back({"larger model",
                          {{"layers", "36"},
                           {"heads", "32"},
                           {"width", "4096"},
                           {"mlp_width", "14336"},
                           {"tied_head", "false"},
                           {"micro_batch", "4"}}});
    } else {
        shapes.push_back({"larger model", {{"layers", request.scale == SheetScale::smoke ? "2" : "4"}}});
    }
    if (sets.size() > 1) shapes.push_back({"cleaner text", {{"data", sets[1].data}}});
    return shapes;
}

json keys_of(const ModelShape& shape, const GroupKeys& all, const std::string& fraction) {
    const auto head_dim = static_cast<int>(parse_number(all.at("width")) / parse_number(all.at("heads")));
    return {{"model_shape", shape.name},
            {"fraction", parse_fraction(fraction, head_dim)},
            {"channels", rotary_dim(head_dim, parse_fraction(fraction, head_dim))},
            {"head_dim", head_dim},
            {"block", all.at("block")},
            {"data", all.at("data")},
            {"context", parse_number(all.at("context"))},
            {"layers", parse_number(all.at("layers"))}};
}

void add_shape_rows(SheetPlan& plan, const ModelShape& shape, const GroupKeys& all) {
    const auto group = [&](const char* fraction) { return joined(all, {{"fraction", fraction}}); };
    for (const std::string& fraction : fractions()) {
        const json keys = keys_of(shape, all, fraction);
        if (fraction == "1") {
            plan.rows.push_back(shown_row(keys, measure, group("1")));
        } else if (is_low(fraction)) {
            plan.rows.push_back(
                compared_row("two-bands", keys, measure, group(fraction.c_str()), group("1"),
                             rule_of(VerdictRule::Kind::difference, +1, band_margin, "bands, " + shape.name)));
            plan.rows.back().control = group("0");
        } else {
            plan.rows.push_back(
                compared_row("ten-percent", keys, measure, group(fraction.c_str()), group("1"),
                             rule_of(VerdictRule::Kind::equivalence, 0, band_margin, "equivalence, " + shape.name)));
            plan.rows.back().control = group("0");  // if NoPE does not differ from full RoPE, no fraction can
        }
    }
    // The gap between the bands: both fractions of the higher band against the lowest fraction of the other.
    for (const char* fraction : {"0", "2 ch"}) {
        json keys = keys_of(shape, all, fraction);
        keys["against"] = "10 %";
        plan.rows.push_back(
            compared_row("two-bands", keys, measure, group(fraction), group("10 %"),
                         rule_of(VerdictRule::Kind::difference, +1, band_margin, "gap, all model shapes")));
        plan.rows.back().control = group("0");
    }
    if (shape.name != "context 4x") return;
    json keys = keys_of(shape, all, "10 %");
    keys["against"] = "mean of 25 % to 100 %";
    plan.rows.push_back(compared_row("parting", keys, measure, group("10 %"), group("25 %"),
                                     size_rule(slightly_low, slightly_high, "parting")));
    plan.rows.back().baseline_others = {group("50 %"), group("75 %"), group("1")};
    plan.rows.back().rule->margin = band_margin;  // of the control
    plan.rows.back().control = group("0");
}

// Adds the predictions. `is_claimed`: the claims of the paper concern the data set, which is no substitute.
void predict(SheetPlan& plan, const GroupKeys& base, bool is_claimed) {
    const auto head_dim = static_cast<int>(parse_number(base.at("width")) / parse_number(base.at("heads")));
    const auto context = static_cast<std::int64_t>(parse_number(base.at("context")));
    predict_for_fractions(plan, base, fractions(), head_dim, context, extension_rise, "");
    if (!is_claimed) return;
    std::vector<GroupKeys> high, low;
    for (const std::string& fraction : fractions()) {
        (is_low(fraction) ? high : low).push_back(joined(base, {{"fraction", fraction}}));
    }
    plan.predictions.push_back(prediction_of_order("claims of Khan et al.",
                                                   "The losses form two bands: NoPE and two rotated channels have a "
                                                   "higher loss than every fraction from 10 % (base model).",
                                                   measure, low, high));
}

// Adds the published perplexities of each setting. They show the paper's bands, but no run is compared with them.
void add_published(SheetPlan& plan) {
    const json& table = partial_rope_paper().at("lambada_perplexity");
    const auto perplexity = [](const json& row) { return published_sample(row.at("openai").at("mean"), 1); };
    for (const json& row : table) {
        PlannedRow shown =
            shown_row({{"published", row.at("config")}, {"rotated", row.at("rope")}}, "lambada_perplexity", {});
        shown.paper = perplexity(row);
        for (const json& full : table) {
            const bool is_full = full.at("config") == row.at("config") && full.at("rope") == "100% RoPE";
            if (!is_full || full == row) continue;
            shown.paper_baseline = perplexity(full);
            shown.baseline = GroupKeys{{"fraction", "1"}};
        }
        plan.rows.push_back(std::move(shown));
    }
    plan.notes.push_back(
        "The last table shows the published perplexities on LAMBADA (OpenAI's version; one run per setting) relative "
        "to full rotation. They belong to the paper's models and are per word; no run of this sheet is compared "
        "with them.");
}

}  // namespace

SheetPlan plan_partial_bands(const SheetRequest& request) {
    SheetPlan plan = begin_plan("partial-bands", request, partial_rope_paper(), 10);
    plan.claims = {
        {"ten-percent",
         "Partial RoPE with 10 % of the channels or more reaches the same loss as full RoPE: within 1.6 %, half of the "
         "gap between the bands."},
        {"two-bands",
         "The losses form two bands: NoPE and RoPE with two rotated channels reach a higher loss than RoPE on 10 % of "
         "the channels and than full RoPE."},
        {"parting",
         "At the longest context the loss with 10 % of the channels is slightly higher than the mean of the losses "
         "with 25, 50, 75 and 100 %: by 0.5 to 3.2 %."}};
    const bool paper = request.scale == SheetScale::paper;
    const auto sets = paper ? corpora_for({"fineweb", "fineweb-edu"}, 4096.0 * 2048 * 11920, request, plan.notes)
                            : data_for({"enwik8", "text8"}, request, plan.notes);
    plan.notes.push_back(
        "The margins follow from the paper's perplexities on LAMBADA, whose logarithms are losses: the smallest gap "
        "between its two bands is 3.2 % of the loss (Llama-8B: perplexity 6.80 with NoPE, 6.42 with 10 %), and at the "
        "longest context the loss with 10 % is 1.0 % above the mean of the larger fractions. The control of every row "
        "is NoPE. The claims concern training losses; of the printed perplexities with 10 % to 75 %, 20 of 28 lie "
        "within 1.6 % of full rotation (by their logarithms). At the longest context the logarithm with 10 % lies 1.0 "
        "% above the mean of the larger fractions in OpenAI's version, 3.1 % below it in the standard version, and in "
        "OpenAI's version 0.6 % below that with 25 % alone.");
    plan.notes.push_back(std::string(paper
                                         ? "Bytes replace"
                                         : "enwik8 (with markup) and text8 (cleaned) replace FineWeb and FineWeb-Edu, "
                                           "and bytes replace") +
                         " the tokens of the Pythia tokenizer. The published losses belong to other " +
                         (paper ? "tokens." : "data sets."));
    if (paper) {
        set_all(plan.experiment, {{"iterations", {"11920"}},
                                  {"warmup", {"596"}},
                                  {"learning_rate", {"3e-4"}},
                                  {"final_learning_rate", {"3e-5"}},
                                  {"beta2", {"0.95"}},
                                  {"evaluate_every", {"500"}},
                                  {"evaluation", {"sampled"}},
                                  {"evaluation_batches", {"2"}}});
        plan.notes.push_back(
            "Each run trains on 100 billion tokens. The paper does not give the learning rate 3e-4 and AdamW's second "
            "beta 0.95; they are this program's choice. The base shape is that of Llama-3.2-1B (tied output matrix, no "
            "biases), the parallel block that of Pythia-1B (biases, an output matrix of its own), " +
            std::string(sets.size() > 1 ? "trained on FineWeb-Edu as in the paper"
                                        : "which the paper trains on FineWeb-Edu and this sheet on FineWeb") +
            ", and the larger model that of Llama-3.1-8B with 36 layers (an output matrix of its own, no biases).");
        plan.notes.push_back(micro_batch_note);
    } else {
        set_all(plan.experiment, request.scale == SheetScale::smoke ? smoke_shape() : laptop_shape());
        if (request.scale == SheetScale::laptop) plan.experiment.set("iterations", {"600"});
    }
    for (const char* key : {"layers", "heads", "width", "context", "batch"}) plan.experiment.set(key, {});
    plan.experiment.set("tokenizer", {"bytes"});
    plan.experiment.set("fraction", fractions());

    const GroupKeys base = base_keys(request, sets.front().data);
    std::vector<std::map<std::string, std::string>> runs;
    for (const ModelShape& shape : shapes_of(request, base, sets)) {
        const GroupKeys all = joined(base, shape.keys);
        runs.push_back(all);
        const std::size_t first = plan.rows.size();
        add_shape_rows(plan, shape, all);
        mark_untestable(plan, all.at("data") == sets.front().data ? sets.front() : sets.back(), first);
    }
    plan.experiment.set_explicit_runs(std::move(runs));
    add_published(plan);
    plan.extensions = {1, 2, 4};
    predict(plan, base, sets.front().missing.empty());
    return plan;
}

}  // namespace ropelab
