#pragma once

#include <QString>
#include <filesystem>

namespace ropelab::ui {

inline std::filesystem::path toPath(const QString& path) {
    return std::filesystem::path(path.toStdU16String());
}

inline QString fromPath(const std::filesystem::path& path) {
    return QString::fromStdU16String(path.u16string());
}

}  // namespace ropelab::ui
