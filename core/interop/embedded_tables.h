#pragma once

#include <string_view>

/// Files of resources/models and pages of the guide, compiled into the programs, so that none need to be installed.
namespace ropelab::embedded {

extern const std::string_view decoders;           // decoders.json
extern const std::string_view models;             // models.json
extern const std::string_view library_defaults;   // library_defaults.json
extern const std::string_view published_layouts;  // published_layouts.json
extern const std::string_view tensor_names;       // tensor_names.json
extern const std::string_view guide_train;        // docs/train.md
extern const std::string_view guide_results;
extern const std::string_view guide_rotary_rooms;

}  // namespace ropelab::embedded
