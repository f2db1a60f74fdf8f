#include "core/interop/model_layouts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/interop/config/hf_anatomy.h"
#include "core/interop/embedded_tables.h"
#include "core/interop/gguf_model.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr double formula_tolerance = 1e-12;  // relative, of frequencies that two formulas compute in double precision
constexpr double no_cap = 0x1p20;            // from here on, c·tanh(x/c) is x in float32 for logits below 300

bool is_near(double a, double b, double tolerance) {
    return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

// By their names in the table of layouts, from the first layer of a run: the comparison sees layers that differ.
json facts_of_run(const ModelPlan& plan) {
    const LayerPlan& first = plan.layers.front();
    const auto* softmax = std::get_if<Softmax>(&first.attention);
    const auto* experts = std::get_if<Experts>(&first.feed_forward);
    const Mlp& mlp = experts ? experts->expert : std::get<Mlp>(first.feed_forward);
    const std::int64_t head = first.query_channels();
    const Rotary* rotary = plan.rotary();
    const FrequencySettings settings = rotary ? rotary->settings : FrequencySettings();
    const std::int64_t rotated = rotary ? rotary_dim(static_cast<int>(head), settings.fraction) : 0;
    const double fraction = fraction_of_channels(rotated, head);
    json rope = {{"rope_type", "default"}, {"rope_theta", settings.theta}, {"partial_rotary_factor", fraction}};
    if (rotated < head && settings.partial == Partial::truncate) rope["rope_type"] = "proportional";
    json facts = {{"width", plan.sizes.C.value()},
                  {"layers", plan.layers.size()},
                  {"heads", first.heads()},
                  {"key_value_heads", softmax ? softmax->heads.kv.value() : first.heads()},
                  {"head_dim", head},
                  {"hidden_width", mlp.width.value()},
                  {"context", plan.sizes.T},
                  {"vocabulary", plan.sizes.V.value()},
                  {"activation", hf_activation(mlp.activation.kind)},
                  {"epsilon", plan.head.norm.value_or(NormPart()).epsilon_used()},
                  {"bias", softmax && softmax->has_bias},
                  {"mlp_bias", mlp.has_bias},
                  {"tied", plan.head.is_tied},
                  {"parallel", first.is_parallel},
                  {"theta", settings.theta},
                  {"fraction", fraction},
                  {"rotated_channels", rotated},
                  {"rope_parameters", std::move(rope)},
                  {"window", plan.sizes.T},
                  {"has_window", false}};
    for (const LayerPlan& layer : plan.layers) {
        const Count window = layer.scores() ? layer.scores()->window : std::nullopt;
        facts["layer_types"].push_back(window ? "sliding_attention" : "full_attention");
        if (window) facts["window"] = *window;
        if (window) facts["has_window"] = true;
    }
    return facts;
}

const json& table_of_layouts() {
    static const json table = parse_bounded(embedded::published_layouts);
    return table;
}

// Its `part` ("config" or "gguf"), with those of the layouts that it is like.
json filled(const json& row, const char* part, const json& facts) {
    const json& layouts = table_of_layouts().at("layouts");
    const auto base =
        std::ranges::find_if(layouts, [&](const json& each) { return each["title"] == row.value("like", ""); });
    json result = base == layouts.end() ? table_of_layouts().at("all").at(part) : filled(*base, part, facts);
    result.update(row.at(part));
    for (json& value : result) {
        const std::string text = value.is_string() ? value.get<std::string>() : "";
        if (text.starts_with('$')) value = facts.at(text.substr(1));
    }
    return result;
}

void compare(NormPart& run, NormPart& file) {
    for (NormPart* norm : {&run, &file}) {
        norm->epsilon = norm->epsilon_used();
        if (norm->kind == NormPart::Kind::zero_centred_rms) norm->kind = NormPart::Kind::rms;
    }
    if (!run.has_bias) file.has_bias = false;
}

void compare(std::optional<NormPart>& run, std::optional<NormPart>& file) {
    if (run && file) compare(*run, *file);
}

void compare(Mlp& run, Mlp& file) {
    if (!run.has_bias) file.has_bias = false;
    for (Mlp* mlp : {&run, &file}) mlp->activation = activation_of(mlp->activation.kind);
}

bool rotates(const Rotary* rotary) {
    const auto moves = [](const RotaryPair& pair) { return pair.rotates && pair.frequency != 0; };
    return rotary && rotary->is_applied && std::ranges::any_of(rotary->pairs, moves);
}

void compare(std::optional<Rotary>& run, std::optional<Rotary>& file, double tolerance) {
    for (std::optional<Rotary>* rotary : {&run, &file}) {
        if (!*rotary) continue;
        for (RotaryPair& pair : (*rotary)->pairs) pair.rotates = pair.rotates && pair.frequency != 0;
        if (!rotates(&**rotary)) rotary->reset();
    }
    if (!run || !file) return;
    for (Rotary* rotary : {&*run, &*file}) {
        rotary->channels.clear();
        rotary->pairing = Pairing::half;  // an order of rows
        rotary->settings = {};
        rotary->stores_tables = true;
    }
    for (std::size_t i = 0; i < std::min(run->pairs.size(), file->pairs.size()); ++i) {
        if (is_near(run->pairs[i].frequency, file->pairs[i].frequency, tolerance))
            file->pairs[i].frequency = run->pairs[i].frequency;
    }
}

void compare(Scores& scores, std::int64_t tokens, double tolerance) {
    scores.keys = 0;
    scores.caches.reset();
    if (scores.window && *scores.window >= tokens) scores.window.reset();
    if (scores.soft_cap >= no_cap) scores.soft_cap = 0;
    if (is_near(scores.factor, 1, tolerance)) scores.factor = 1;
}

void compare(LayerPlan& run, LayerPlan& file, std::int64_t tokens, double tolerance) {
    for (LayerPlan* layer : {&run, &file}) {
        layer->words.clear();
        layer->visible_tokens = 0;
        if (Scores* scores = layer->scores()) compare(*scores, tokens, tolerance);
    }
    for (BranchNorms LayerPlan::*norms : {&LayerPlan::attention_norms, &LayerPlan::feed_forward_norms}) {
        compare((run.*norms).before, (file.*norms).before);
        compare((run.*norms).output, (file.*norms).output);
        compare((run.*norms).after, (file.*norms).after);
    }
    auto* own = std::get_if<Softmax>(&run.attention);
    auto* its = std::get_if<Softmax>(&file.attention);
    if (own && its) {
        if (!own->has_bias) its->has_bias = false;
        if (!own->has_output_bias) its->has_output_bias = false;
        for (Softmax* softmax : {own, its}) {
            if (softmax->qk_norm == Softmax::QkNorm::none) softmax->head_norm = {};
        }
        compare(own->head_norm, its->head_norm);
        compare(own->rotary, its->rotary, tolerance);
    }
    auto* own_mlp = std::get_if<Mlp>(&run.feed_forward);
    auto* its_mlp = std::get_if<Mlp>(&file.feed_forward);
    if (own_mlp && its_mlp) compare(*own_mlp, *its_mlp);
}

}  // namespace

std::vector<std::string> different_stages(const ModelPlan& original, const ModelPlan& its, double tolerance) {
    ModelPlan run = original;
    ModelPlan file = its;
    if (run.embedding.positions == Embedding::Positions::none) {
        run.embedding.factor = file.embedding.factor;
        const auto is_rotated = [](const LayerPlan& layer) { return rotates(layer.rotary()); };
        if (std::ranges::none_of(run.layers, is_rotated)) file.embedding.positions = Embedding::Positions::none;
        file.embedding.position_rows = run.embedding.position_rows;
    }
    compare(run.head.norm, file.head.norm);
    if (file.head.soft_cap >= no_cap) file.head.soft_cap = 0;
    std::vector<std::string> result;
    const auto add = [&](std::string title) {
        if (std::ranges::find(result, title) == result.end()) result.push_back(std::move(title));
    };
    const auto find = [](const Stages& stages, const std::string& id) -> const AnatomyStage* {
        const auto found = std::ranges::find(stages, id, &AnatomyStage::id);
        return found == stages.end() ? nullptr : &*found;
    };
    const auto differs = [](const AnatomyStage& a, const AnatomyStage& b) {
        const auto shapes = [](const AnatomyStage& stage) {
            std::vector<std::vector<Count>> result;
            for (const Tensor& tensor : stage.tensors) result.push_back(tensor.shape);
            return result;
        };
        return a.kind != b.kind || a.formula != b.formula || shapes(a) != shapes(b);
    };
    // `named`: the stages of the run as the program shows them.
    const auto add_stages = [&](const Stages& own, const Stages& other, const Stages& named) {
        for (const AnatomyStage& stage : own) {
            const AnatomyStage* counterpart = find(other, stage.id);
            if (!counterpart || differs(stage, *counterpart)) add(find(named, stage.id)->title());
        }
        for (const AnatomyStage& stage : other) {
            if (!find(own, stage.id)) add("no " + stage.title());
        }
    };
    add_stages(run.front(), file.front(), original.front());
    if (run.layers.size() != file.layers.size()) add("the number of layers");
    for (std::size_t i = 0; i < std::min(run.layers.size(), file.layers.size()); ++i) {
        LayerPlan& own = run.layers[i];
        LayerPlan& other = file.layers[i];
        compare(own, other, run.sizes.T, tolerance);
        const Stages named = original.layers[i].stages(original.sizes);
        const std::size_t before = result.size();
        add_stages(own.stages(run.sizes), other.stages(file.sizes), named);
        if (own == other || result.size() > before) continue;
        const AnatomyStage* rotation = find(named, "attention.rotation");
        const bool is_rotary = rotation && own.rotary() && other.rotary() && !(*own.rotary() == *other.rotary());
        if (is_rotary || result.empty()) add(is_rotary ? rotation->title() : "its norms, sums or factors");
    }
    add_stages(run.back(), file.back(), original.back());
    return result;
}

PublishedLayout published_layout(const ModelPlan& run) {
    const json facts = facts_of_run(run);
    const json& layouts = table_of_layouts().at("layouts");
    std::vector<std::string> fewest;
    std::string nearest;
    for (const json& row : layouts) {
        PublishedLayout layout = {.title = row.at("title"),
                                  .config = filled(row, "config", facts),
                                  .gguf = filled(row, "gguf", facts),
                                  .plan = {}};
        std::vector<std::string> differences;
        try {
            layout.plan = hf_plan(layout.config);
            differences = different_stages(run, layout.plan, formula_tolerance);
        } catch (const BadInput&) {  // this layout requires other sizes, such as an even number of channels
            continue;
        }
        if (differences.empty()) return layout;
        if (!nearest.empty() && differences.size() >= fewest.size()) continue;
        nearest = layout.title;
        fewest = std::move(differences);
    }
    if (nearest.empty()) throw BadInput("No layout of Hugging Face has heads of the sizes of this run.");
    const auto title = [](const json& row) { return row.at("title").get<std::string>(); };
    throw BadInput("This run has no counterpart among the layouts " + joined(layouts, ", ", title) +
                   "; the nearest one, " + nearest + ", does not have: " + joined(fewest, "; ") + ".");
}

}  // namespace ropelab
