#pragma once

#include <QString>

#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

/// The application's style sheet: style.qss with the theme's colours in place of @names and its pixels scaled.
QString styleSheet(const Theme& theme, const ThemeManager& manager);

}  // namespace ropelab::ui
