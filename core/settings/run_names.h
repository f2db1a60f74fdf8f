#pragma once

#include <string>
#include <vector>

#include "core/settings/run_spec.h"

namespace ropelab {

/// In the order of `runs`: label_of, followed by every other setting in which the runs differ, such as ", seed 2". Only
/// runs that are equal in every setting have equal names.
std::vector<std::string> run_names(const std::vector<RunSpec>& runs);

/// A number of a setting, such as θ, in names: "10k" and "1.5M" if that is shorter and has at most three digits,
/// otherwise "4,580", "209,758".
std::string number_in_names(double number);

}  // namespace ropelab
