#pragma once

#include <QString>
#include <filesystem>

namespace ropelab::ui {

/// A path of the window as core takes it.
inline std::filesystem::path toPath(const QString& path) {
    return std::filesystem::path(path.toStdU16String());
}

/// And back.
inline QString fromPath(const std::filesystem::path& path) {
    return QString::fromStdU16String(path.u16string());
}

}  // namespace ropelab::ui
