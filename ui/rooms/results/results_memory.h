#pragma once

#include <QJsonObject>
#include <QString>

namespace ropelab::ui {

class Settings;

/// The saved choices of a lab: "baseline" (an object of swept keys and values as texts), "experiment" (its id), "order"
/// (title of the sorted column) and "descending". Empty if nothing is saved.
QJsonObject labChoices(const Settings& settings, const QString& lab);
/// Only the last 20 labs are stored, so the oldest entry is dropped.
void saveLabChoices(Settings& settings, const QString& lab, const QJsonObject& choices);

}  // namespace ropelab::ui
