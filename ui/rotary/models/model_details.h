#pragma once

#include <QString>

#include "ui/rotary/models/model_entry.h"

namespace ropelab::ui {

/// What is known of a model's layer type, as HTML in the theme's colours: every value with who says it, its source,
/// what the lists cannot say, and what is not known. Whatever a file contains is escaped.
QString modelDetails(const ModelEntry& entry, int layerType);

}  // namespace ropelab::ui
