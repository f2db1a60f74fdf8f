#pragma once

#include <torch/torch.h>

#include <memory>

#include "core/contract/probe.h"
#include "core/engine/model/decoder.h"

namespace ropelab {

struct KnownMeans;

/// Plan and weights of one run, (1, …), which the caller owns. `decoder` must have the model's shape.
struct ProbedModel {
    const ModelPlan& plan;
    const Decoder& decoder;
    const Parameters& weights;
    Precision precision = Precision::float32;
    std::shared_ptr<const KnownMeans>* known_means = nullptr;  // from one probe to the next; null: they are not kept
};

/// Without gradients. Throws BadInput if the request does not fit the model.
ProbeResult probe(const ProbedModel& model, const ProbeRequest& request);

}  // namespace ropelab
