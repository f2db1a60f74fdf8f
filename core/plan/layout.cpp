#include "core/plan/layout.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace ropelab {

const Parameter& Layout::at(const std::string& name) const {
    const auto found =
        std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == name; });
    if (found == parameters.end()) throw std::out_of_range("There is no parameter " + name + ".");
    return *found;
}

bool Layout::contains(const std::string& name) const {
    return std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == name; });
}

Layout layout_of(const ModelPlan& plan) {
    // Matrices, vectors with weight decay, other vectors, the shift of the rotary frequencies; in each of these, the
    // tables of tokens, then section by section.
    enum Group { matrices, decayed, vectors, shift };
    struct Placed {
        Group group;
        std::int64_t section;
        int place;
        Tensor tensor;
        TensorSource source;
    };
    std::vector<Placed> placed;
    std::int64_t section = 0;
    const auto add = [&](const Stages& stages, const std::string& prefix, std::int64_t layer = -1) {
        for (const AnatomyStage& stage : stages) {
            for (const Tensor& tensor : stage.tensors) {
                const Group group = tensor.place == storage::shift    ? shift
                                    : tensor.decays                   ? decayed
                                    : tensor.place < storage::vectors ? matrices
                                                                      : vectors;
                if (group == matrices && tensor.shape.size() == 1)
                    throw std::logic_error("The vector " + tensor.name +
                                           " needs a place that weight decay leaves out.");
                const bool first = tensor.place == storage::token_table;
                placed.push_back({group, first ? -1 : section, tensor.place, tensor,
                                  plan.tensor_names ? source_of(tensor, *plan.tensor_names, layer) : TensorSource()});
                placed.back().tensor.name = prefix + tensor.name;
            }
        }
        ++section;
    };
    add(plan.front(), "");
    Stages stages;
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
        if (i == 0 || plan.layers[i] != plan.layers[i - 1]) stages = plan.layers[i].stages(plan.sizes);
        add(stages, "layers." + std::to_string(i) + ".", static_cast<std::int64_t>(i));
    }
    add(plan.back(), "");
    std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
        return std::tie(a.group, a.section, a.place) < std::tie(b.group, b.section, b.place);
    });

    Layout layout;
    for (auto& [group, its_section, place, tensor, source] : placed) {
        Parameter parameter = {.name = tensor.name,
                               .shape = {},
                               .offset = layout.total,
                               .size = tensor.size().value(),
                               .deviation = tensor.deviation,
                               .last_rows = tensor.last_rows,
                               .last_factor = tensor.last_factor,
                               .initial = tensor.initial,
                               .embeds = tensor.embeds,
                               .source = std::move(source)};
        for (const Count& extent : tensor.shape) parameter.shape.push_back(*extent);
        layout.total += parameter.size;
        if (group == matrices || group == decayed) layout.matrices += parameter.size;
        if (group == vectors) layout.vectors += parameter.size;
        layout.parameters.push_back(std::move(parameter));
    }
    return layout;
}

Layout layout_of(const RunSpec& spec, int vocabulary) {
    return layout_of(plan_of(spec, vocabulary));
}

bool trains_with_muon(const Layout& layout, const Parameter& parameter) {
    return parameter.name.starts_with("layers.") && parameter.shape.size() > 1 && parameter.offset < layout.matrices &&
           !parameter.embeds;
}

std::int64_t non_embedding_parameters(const RunSpec& spec) {
    std::int64_t count = 0;
    for (const Parameter& parameter : layout_of(spec, 1).parameters) {
        if (!parameter.embeds) count += parameter.size;
    }
    return count;
}

}  // namespace ropelab
