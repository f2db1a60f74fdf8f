#pragma once

#include <QString>
#include <string_view>

namespace ropelab::ui {

/// Returns the display name of `choice`, one of the values of the setting `key`: "ALiBi" for "alibi". Most choices are
/// displayed as they are spelled in the configuration.
QString choiceTitle(std::string_view key, std::string_view choice);
/// Returns a sentence that explains `choice`, one of the values of the setting `key`, or "" if the description of the
/// setting already explains it.
QString choiceMeaning(std::string_view key, std::string_view choice);

}  // namespace ropelab::ui
