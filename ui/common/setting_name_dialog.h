#pragma once

#include <QString>
#include <functional>

class QInputDialog;
class QWidget;

namespace ropelab::ui {

/// Opens a dialog that asks for the name of a setting, without blocking the window. `automatic` is the name that the
/// program gives it, `current` the user's name or "". `rename` receives the entered name; "" removes the user's name.
QInputDialog* openSettingName(const QString& automatic, const QString& current,
                              const std::function<void(const QString&)>& rename, QWidget* parent);

}  // namespace ropelab::ui
