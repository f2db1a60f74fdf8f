#pragma once

#include <string_view>

/// Contents of the files in resources/models. They are compiled into the programs, so no files need to be installed.
namespace ropelab::embedded {

extern const std::string_view models;            // models.json
extern const std::string_view library_defaults;  // library_defaults.json

}  // namespace ropelab::embedded
