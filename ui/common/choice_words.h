#pragma once

#include <QString>
#include <string_view>

#include "core/base/setting_key.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

/// "ALiBi" for "alibi". Most choices are displayed as they are spelled in the configuration.
QString choiceTitle(const ChoiceText& choice);
/// Of a choice or another value of a setting.
QString choiceTitle(std::string_view key, std::string_view value);

/// Begins with the field's label instead of the setting's name: "Rotated fraction: \"x\" is not a fraction; …".
QString fieldError(const QString& label, const QString& sentence);

/// Shown and accepted instead of 0 where 0 lets the program choose.
inline const QString kAutomatic = u"auto"_s;
/// "auto" if 0 lets the program choose the value, else the value.
QString fieldText(std::string_view key, const QString& value);
/// "0" for "auto" where that is possible, else the typed text.
QString fieldValue(std::string_view key, const QString& typed);

}  // namespace ropelab::ui
