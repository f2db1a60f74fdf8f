#pragma once

#include <QString>
#include <string_view>

namespace ropelab::ui {

/// "ALiBi" for "alibi". Most choices are displayed as they are spelled in the configuration.
QString choiceTitle(std::string_view key, std::string_view choice);
/// "" if the description of the setting already explains the choice.
QString choiceMeaning(std::string_view key, std::string_view choice);

}  // namespace ropelab::ui
