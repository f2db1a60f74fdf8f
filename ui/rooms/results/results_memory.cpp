#include "ui/rooms/results/results_memory.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <map>
#include <string>

#include "core/spec/aliases.h"
#include "ui/session/settings.h"

namespace ropelab::ui {

namespace {

constexpr const char* kSettingsKey = "results/labs";
constexpr int kMaxLabs = 20;
const QString kLabField = QStringLiteral("lab");
const QString kBaselineField = QStringLiteral("baseline");

QJsonArray storedLabs(const Settings& settings) {
    return QJsonDocument::fromJson(settings.value(kSettingsKey).toString().toUtf8()).array();
}

QJsonObject currentBaseline(const QJsonObject& saved) {
    std::map<std::string, std::string> settings;
    for (const QString& key : saved.keys()) settings[key.toStdString()] = saved[key].toString().toStdString();
    QJsonObject result;
    for (const auto& [key, value] : current_settings(settings)) {
        result[QString::fromStdString(key)] = QString::fromStdString(value);
    }
    return result;
}

}  // namespace

QJsonObject labChoices(const Settings& settings, const QString& lab) {
    for (const QJsonValue& entry : storedLabs(settings)) {
        if (entry[kLabField].toString() != lab) continue;
        QJsonObject choices = entry.toObject();
        if (choices.contains(kBaselineField))
            choices[kBaselineField] = currentBaseline(choices[kBaselineField].toObject());
        return choices;
    }
    return {};
}

void saveLabChoices(Settings& settings, const QString& lab, const QJsonObject& choices) {
    if (lab.isEmpty()) return;
    QJsonObject newest = choices;
    newest[kLabField] = lab;
    QJsonArray labs = {newest};
    for (const QJsonValue& entry : storedLabs(settings)) {
        if (entry[kLabField].toString() != lab && labs.size() < kMaxLabs) labs.append(entry);
    }
    settings.setValue(kSettingsKey, QString::fromUtf8(QJsonDocument(labs).toJson(QJsonDocument::Compact)));
}

}  // namespace ropelab::ui
