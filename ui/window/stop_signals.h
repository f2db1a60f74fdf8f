#pragma once

#include <QObject>
#include <functional>

namespace ropelab::ui {

/// SIGINT, SIGTERM and SIGHUP, as at the end of a desktop session: the first one calls `stop` on the thread of
/// `context`, the second one ends the program. Call it once.
void onStopSignal(QObject* context, std::function<void()> stop);

}  // namespace ropelab::ui
