#pragma once

#include <string>

namespace ropelab {

/// Returns the path of a file of the repository; `name` is relative to its root. The folder is compiled into one source
/// only, so that ccache's objects of the others serve clones in every folder.
std::string source_file(const std::string& name);

}  // namespace ropelab
