#pragma once

#include <QString>

#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

/// style.qss with @names replaced by the theme's colours, and with scaled lengths.
QString styleSheet(const Theme& theme, const ThemeManager& manager);

}  // namespace ropelab::ui
