#include "core/experiment/stopping_rule.h"

#include "core/base/error.h"
#include "core/data/json_text.h"

namespace ropelab {

const Halving* halving_in(const std::optional<StoppingRule>& rule) {
    return rule ? std::get_if<Halving>(&*rule) : nullptr;
}

const SequentialDesign* sequential_in(const std::optional<StoppingRule>& rule) {
    return rule ? std::get_if<SequentialDesign>(&*rule) : nullptr;
}

nlohmann::json to_json(const SequentialDesign& design) {
    const bool is_anytime = design.kind == SequentialDesign::Kind::anytime;
    nlohmann::json json = {{"kind", is_anytime ? "anytime" : "group_sequential"},
                           {"max_seeds", design.cap},
                           {"first_seeds", design.first},
                           {"alpha", design.alpha},
                           {"futility", design.futility}};
    if (is_anytime) json["prior_variance"] = design.prior_variance;
    if (design.target) json.update({{"target_loss", *design.target}, {"tuning_seeds", design.tuning_seeds}});
    if (!is_anytime) json.update({{"looks", design.looks}, {"spending", to_string(design.spending)}});
    return json;
}

SequentialDesign sequential_design_from_json(const nlohmann::json& json) {
    SequentialDesign design;
    try {
        const auto kind = json.at("kind").get<std::string>();
        if (kind != "anytime" && kind != "group_sequential")
            throw BadInput("There is no stopping rule \"" + kind + "\"; there are anytime and group_sequential.");
        design.kind = kind == "anytime" ? SequentialDesign::Kind::anytime : SequentialDesign::Kind::group_sequential;
        design.cap = json.at("max_seeds").get<std::int64_t>();
        design.first = json.at("first_seeds").get<std::int64_t>();
        design.alpha = json.at("alpha").get<double>();
        design.futility = json.at("futility").get<double>();
        design.prior_variance = json.value("prior_variance", design.prior_variance);
        design.looks = json.value("looks", design.looks);
        if (json.contains("target_loss")) design.target = json.at("target_loss").get<double>();
        design.tuning_seeds = json.value("tuning_seeds", design.tuning_seeds);
        design.spending = spending(json.value("spending", to_string(design.spending)));
    } catch (const nlohmann::json::exception&) {
        throw BadInput("The stopping rule is damaged: it must name its kind, largest number of seeds and levels.");
    }
    check(design);
    return design;
}

}  // namespace ropelab
