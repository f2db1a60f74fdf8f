#pragma once

#include <QString>
#include <string_view>

namespace ropelab::ui {

/// Words of core, in UTF-8, as the window takes them.
inline QString text(std::string_view words) {
    return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

}  // namespace ropelab::ui
