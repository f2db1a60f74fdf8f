#pragma once

#include <QString>

#include "ui/models/model_entry.h"

namespace ropelab::ui {

/// HTML in the theme's colours: every value with its origin, the source of the configuration, remarks, and missing or
/// unknown values. Texts from files are escaped.
QString modelDetails(const ModelEntry& entry, int layerType);

}  // namespace ropelab::ui
