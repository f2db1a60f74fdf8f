#pragma once

#include <string>
#include <vector>

#include "core/settings/run_spec.h"

namespace ropelab {

/// In the order of `runs`: label_of, followed by every other setting in which the runs differ, such as ", seed 2". Only
/// runs that are equal in every setting have equal names.
std::vector<std::string> run_names(const std::vector<RunSpec>& runs);

}  // namespace ropelab
