// The sheet glu-variants tests the lecture's table of feed-forward networks, Shazeer 2020: gated networks against
// networks of as many weights without a gate.
#include "core/reproduce/building.h"
#include "core/reproduce/published.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr const char* glu_measure = "final_validation_loss";
// The smallest published advantage of a gated network over ReLU is 0.75 % (GLU, 1.982 against 1.997), and the smallest
// of GEGLU or SwiGLU over another gated one 0.46 % (SwiGLU, 1.944 against 1.953). Half of the latter is relevant.
constexpr double glu_margin = 0.0025;

GroupKeys glu_network(const std::string& feed_forward) {
    return {{"feed_forward", feed_forward}, {"position", "rope"}};
}

// Returns the published log-perplexity after 65,536 steps. The number of runs is not printed, so that its deviation
// cannot be used.
Sample published_perplexity(const std::string& feed_forward) {
    for (const json& row : glu_variants().at("log_perplexity")) {
        if (row.at("feed_forward") == feed_forward) {
            return published_sample(row.at("steps_65536").at("mean"), 1);
        }
    }
    throw std::out_of_range("The table of feed-forward networks does not contain " + feed_forward + ".");
}

}  // namespace

SheetPlan plan_glu_variants(const SheetRequest& request) {
    SheetPlan plan = begin_plan("glu-variants", request, glu_variants(), 10);
    plan.claims = {
        {"gated-lower",
         "A gated feed-forward network (GLU, bilinear, ReGLU, GEGLU or SwiGLU) has a lower loss than a network with "
         "ReLU and as many weights."},
        {"geglu-swiglu-lowest",
         "GEGLU and SwiGLU have a lower loss than the other gated networks (GLU, bilinear, ReGLU)."}};
    const bool paper = request.scale == SheetScale::paper;
    const auto sets = data_for({paper ? "enwik8" : "tinyshakespeare"}, request, plan.notes);
    plan.notes.push_back(
        "The published numbers are log-perplexities of T5 base, an encoder and decoder, which fills in spans of text: "
        "nats per subword token. This sheet trains decoders that predict the next character. The sizes of the losses "
        "and of their differences are not comparable, and no rule compares them; only the signs of the differences "
        "and the order of the networks are.");
    if (paper) {
        set_all(plan.experiment, {{"layers", {"12"}},
                                  {"heads", {"12"}},
                                  {"width", {"768"}},
                                  {"context", {"512"}},
                                  {"batch", {"128"}},
                                  {"micro_batch", {"16"}},
                                  {"iterations", {"65536"}},
                                  {"warmup", {"2000"}},
                                  {"learning_rate", {"3e-4"}},
                                  {"final_learning_rate", {"3e-5"}},
                                  {"evaluate_every", {"4096"}},
                                  {"evaluation", {"sampled"}},
                                  {"evaluation_batches", {"50"}}});
        plan.notes.push_back(
            "The model has the width 768, 12 layers and hidden widths of 3,072 and 2,048 as T5 base has in its "
            "decoder. "
            "All training settings but the number of steps are this program's choice.");
    } else {
        set_all(plan.experiment, request.scale == SheetScale::smoke ? smoke_shape() : laptop_shape());
        // Hidden widths 384 and 256: all networks have equally many weights.
        set_all(plan.experiment, {{"heads", {"2"}}, {"width", {"96"}}});
        if (request.scale == SheetScale::laptop) {
            set_all(plan.experiment, {{"context", {"128"}}, {"batch", {"8"}}});
        }
    }
    plan.experiment.set("data", {sets.front().data});
    std::vector<std::map<std::string, std::string>> runs;
    for (const json& row : glu_variants().at("log_perplexity")) {
        runs.push_back(glu_network(row.at("feed_forward").get<std::string>()));
    }
    const GroupKeys control = {{"feed_forward", "relu"}, {"position", "none"}};
    runs.push_back(control);
    plan.experiment.set_explicit_runs(std::move(runs));

    const auto add = [&](const char* claim, const std::string& kind, const std::string& against) {
        PlannedRow row = compared_row(
            claim, {{"data", sets.front().data}, {"feed_forward", kind}, {"against", against}}, glu_measure,
            glu_network(kind), glu_network(against), rule_of(VerdictRule::Kind::difference, -1, glu_margin, claim));
        row.control = control;
        row.paper = published_perplexity(kind);
        row.paper_baseline = published_perplexity(against);
        plan.rows.push_back(std::move(row));
    };
    for (const char* kind : {"relu", "gelu", "swish"}) {
        PlannedRow row =
            shown_row({{"data", sets.front().data}, {"feed_forward", kind}}, glu_measure, glu_network(kind));
        row.paper = published_perplexity(kind);
        plan.rows.push_back(std::move(row));
    }
    for (const char* kind : {"glu", "bilinear", "reglu", "geglu", "swiglu"}) add("gated-lower", kind, "relu");
    for (const char* kind : {"geglu", "swiglu"}) {
        for (const char* against : {"glu", "bilinear", "reglu"}) add("geglu-swiglu-lowest", kind, against);
    }
    plan.rows.push_back(
        shown_row({{"data", sets.front().data}, {"feed_forward", "relu"}, {"position", "none"}}, glu_measure, control));
    mark_untestable(plan, sets.front());
    add_power_note(plan);
    return plan;
}

}  // namespace ropelab
