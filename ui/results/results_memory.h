#pragma once

#include <QJsonObject>
#include <QString>

namespace ropelab::ui {

class Settings;

/// What the Results room remembers of one lab: "baseline" (an object of swept keys and values as texts), "experiment"
/// (its id), "order" (the column's title) and "descending". Empty for a lab it has not met.
QJsonObject labChoices(const Settings& settings, const QString& lab);
/// Keeps that; the lab goes to the head of the last twenty.
void keepLabChoices(Settings& settings, const QString& lab, const QJsonObject& choices);

}  // namespace ropelab::ui
