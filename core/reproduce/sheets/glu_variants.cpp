// The sheet glu-variants tests the lecture's table of feed-forward networks, Shazeer 2020: gated networks against
// networks of as many weights without a gate.
#include "core/reproduce/sheets/building.h"
#include "core/reproduce/sheets/published.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr const char* glu_measure = "final_validation_loss";
// The smallest published advantage of a gated network over ReLU is 0.75 % (GLU, 1.982 against 1.997), and the smallest
// of GEGLU or SwiGLU over another gated one 0.46 % (SwiGLU, 1.944 against 1.953). Half of the latter is relevant.
constexpr double glu_margin = 0.0025;

// `hidden`: hidden width; 0 is the default width, with which all networks have equally many weights.
GroupKeys glu_network(const std::string& feed_forward, const std::string& steps, const std::string& hidden = "0") {
    return {{"feed_forward", feed_forward}, {"mlp_width", hidden}, {"iterations", steps}};
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

// Adds the rows that compare the networks after one length of training. `quarter`: hidden width of the control.
void add_networks(SheetPlan& plan, const std::string& data, const std::string& steps, const std::string& quarter) {
    const auto keys = [&](const std::string& kind) {
        return json{{"data", data}, {"feed_forward", kind}, {"iterations", parse_number(steps)}};
    };
    const auto add = [&](const char* claim, const std::string& kind, const std::string& against) {
        json compared = keys(kind);
        compared["against"] = against;
        PlannedRow row = compared_row(
            claim, std::move(compared), glu_measure, glu_network(kind, steps), glu_network(against, steps),
            rule_of(VerdictRule::Kind::difference, -1, glu_margin, std::string(claim) + ", " + steps + " steps"));
        row.control = glu_network("relu", steps, quarter);
        row.control_reference = glu_network("relu", steps);
        row.control_shows = "the feed-forward network matters little to these models";
        row.paper = published_perplexity(kind);
        row.paper_baseline = published_perplexity(against);
        plan.rows.push_back(std::move(row));
    };
    for (const char* kind : {"relu", "gelu", "swish"}) {
        PlannedRow row = shown_row(keys(kind), glu_measure, glu_network(kind, steps));
        row.paper = published_perplexity(kind);
        plan.rows.push_back(std::move(row));
    }
    for (const char* kind : {"glu", "bilinear", "reglu", "geglu", "swiglu"}) add("gated-lower", kind, "relu");
    for (const char* kind : {"geglu", "swiglu"}) {
        for (const char* against : {"glu", "bilinear", "reglu"}) add("geglu-swiglu-lowest", kind, against);
    }
    json narrow = keys("relu");
    narrow["mlp_width"] = parse_number(quarter);
    plan.rows.push_back(shown_row(std::move(narrow), glu_measure, glu_network("relu", steps, quarter)));
}

}  // namespace

SheetPlan plan_glu_variants(const SheetRequest& request) {
    SheetPlan plan = begin_plan("glu-variants", request, glu_variants(), 10);
    const auto lengths = training_lengths(request.scale, 65536);
    plan.claims = {
        {"gated-lower",
         "A gated feed-forward network (GLU, bilinear, ReGLU, GEGLU or SwiGLU) has a lower loss than a network with "
         "ReLU and as many weights, " +
             lengths_words(lengths) + "."},
        {"geglu-swiglu-lowest",
         "GEGLU and SwiGLU have a lower loss than the other gated networks (GLU, bilinear, "
         "ReGLU), " +
             lengths_words(lengths) + "."}};
    const bool paper = request.scale == SheetScale::paper;
    const auto sets = data_for({paper ? "enwik8" : "tinyshakespeare"}, request, plan.notes);
    plan.notes.push_back(
        "The published numbers are log-perplexities of T5 base, an encoder and decoder, which fills in spans of text: "
        "nats per subword token. This sheet trains decoders that predict the next character. The sizes of the losses "
        "and of their differences are not comparable, and no rule compares them; only the signs of the differences "
        "and the order of the networks are.");
    plan.notes.push_back(lengths_note);
    plan.notes.push_back(
        "The control is a network with ReLU and a quarter of the hidden width. If it does not have a higher loss than "
        "the one with ReLU and the whole width, the feed-forward network matters too little in these models for equal "
        "losses to be evidence.");
    if (paper) {
        set_all(plan.experiment, {{"layers", {"12"}},
                                  {"heads", {"12"}},
                                  {"width", {"768"}},
                                  {"context", {"512"}},
                                  {"batch", {"128"}},
                                  {"micro_batch", {"16"}},
                                  {"warmup", {"2000"}},
                                  {"learning_rate", {"3e-4"}},
                                  {"final_learning_rate", {"3e-5"}},
                                  {"evaluate_every", {"4096"}},
                                  {"evaluation", {"sampled"}},
                                  {"evaluation_batches", {"50"}}});
        plan.notes.push_back(
            "The model has the width 768, 12 layers and hidden widths of 3,072 and 2,048 as T5 base has in its "
            "decoder. All training settings but the number of steps are this program's choice.");
    } else {
        set_all(plan.experiment, request.scale == SheetScale::smoke ? smoke_shape() : laptop_shape());
        // Hidden widths 384 and 256: all networks have equally many weights.
        set_all(plan.experiment, {{"heads", {"2"}}, {"width", {"96"}}});
        if (request.scale == SheetScale::laptop) {
            set_all(plan.experiment, {{"context", {"128"}}, {"batch", {"8"}}, {"evaluate_every", {"200"}}});
        }
    }
    set_all(plan.experiment, {{"data", {sets.front().data}}, {"iterations", {}}});
    // A hidden width of four times the width is the default of a network without a gate.
    const std::string quarter = plan.experiment.values("width").front();
    std::vector<std::map<std::string, std::string>> runs;
    for (const std::string& steps : lengths) {
        for (const json& row : glu_variants().at("log_perplexity")) {
            runs.push_back(glu_network(row.at("feed_forward").get<std::string>(), steps));
        }
        runs.push_back(glu_network("relu", steps, quarter));
    }
    plan.experiment.set_explicit_runs(std::move(runs));
    for (const std::string& steps : lengths) add_networks(plan, sets.front().data, steps, quarter);
    mark_untestable(plan, sets.front());
    add_power_note(plan);
    return plan;
}

}  // namespace ropelab
