#pragma once

#include <QString>
#include <filesystem>

namespace ropelab::ui {

/// Converts a path from QString to std::filesystem::path.
inline std::filesystem::path toPath(const QString& path) {
    return std::filesystem::path(path.toStdU16String());
}

/// Converts a path from std::filesystem::path to QString.
inline QString fromPath(const std::filesystem::path& path) {
    return QString::fromStdU16String(path.u16string());
}

}  // namespace ropelab::ui
