#pragma once

#include <torch/torch.h>

#include "core/model/decoder.h"
#include "core/spec/probe.h"

namespace ropelab {

/// A model to look into: one run's settings and weights, (1, …), which belong to the caller. `decoder` is of its shape.
struct ProbedModel {
    const RunSpec& spec;
    const Decoder& decoder;
    const Parameters& weights;
    Precision precision = Precision::float32;
};

/// Reads the request's texts without gradients and measures. Throws BadInput where the request does not fit the model.
ProbeResult probe(const ProbedModel& model, const ProbeRequest& request);

}  // namespace ropelab
