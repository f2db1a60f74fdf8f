#pragma once

#include <QString>

#include "ui/models/model_entry.h"

namespace ropelab::ui {

/// HTML in the theme's colours: values with origin, source, remarks, missing or unknown values. Texts are escaped.
QString modelDetails(const ModelEntry& entry, int layerType);

}  // namespace ropelab::ui
