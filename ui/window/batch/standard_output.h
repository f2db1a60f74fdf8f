#pragma once

#include <QString>

#include "core/store/output_file.h"

namespace ropelab::ui {

/// Throws WriteError if the text cannot be written completely (a full disk, a closed pipe).
inline void print(const QString& text) {
    write_output("-", text.toStdString());
}

}  // namespace ropelab::ui
