#pragma once

#include <string>
#include <vector>

#include "core/spec/run_spec.h"

namespace ropelab {

/// Names that tell an experiment's runs apart, in their order: label_of, and every other key in which they differ, as
/// ", seed 2"; where the label is silent about a difference (two thetas that turn nothing), that too. Runs that are
/// equal in every key have equal names.
std::vector<std::string> run_names(const std::vector<RunSpec>& runs);

}  // namespace ropelab
