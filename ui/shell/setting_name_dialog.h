#pragma once

#include <QString>
#include <functional>

class QInputDialog;
class QWidget;

namespace ropelab::ui {

/// Not modal. `automatic` is the name that the program gives the setting, `current` the user's name or "". `rename`
/// receives the entered name; "" removes the user's name.
QInputDialog* openSettingName(const QString& automatic, const QString& current,
                              const std::function<void(const QString&)>& rename, QWidget* parent);

}  // namespace ropelab::ui
