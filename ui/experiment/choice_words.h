#pragma once

#include <QString>
#include <string_view>

namespace ropelab::ui {

/// What a choice of a setting is called: "ALiBi" for alibi; most are called as they are written.
QString choiceTitle(std::string_view key, std::string_view choice);
/// One sentence that explains the choice; "" where the meaning of the setting does.
QString choiceMeaning(std::string_view key, std::string_view choice);

}  // namespace ropelab::ui
