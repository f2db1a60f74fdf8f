#pragma once

#include <string>
#include <vector>

#include "core/spec/run_spec.h"

namespace ropelab {

/// Returns a name for each run of an experiment, in the order of `runs`. A name is the label that label_of returns,
/// followed by every other setting in which the runs differ, such as ", seed 2". If labels are equal although theta,
/// fraction or another setting of the position encoding differs, the name has that setting too. Only runs that are
/// equal in every setting have equal names.
std::vector<std::string> run_names(const std::vector<RunSpec>& runs);

}  // namespace ropelab
