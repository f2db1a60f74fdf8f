#pragma once

#include <QFileInfo>
#include <QString>
#include <filesystem>

namespace ropelab::ui {

inline std::filesystem::path toPath(const QString& path) {
    return std::filesystem::path(path.toStdU16String());
}

inline QString fromPath(const std::filesystem::path& path) {
    return QString::fromStdU16String(path.u16string());
}

/// Also through symbolic links. A file that does not exist is the same as none.
inline bool isSameFile(const QString& path, const QString& other) {
    return QFileInfo::exists(path) && QFileInfo(path) == QFileInfo(other);
}

}  // namespace ropelab::ui
