#include "ui/results/results_memory.h"

#include <QJsonArray>
#include <QJsonDocument>

#include "ui/window/settings.h"

namespace ropelab::ui {

namespace {

constexpr const char* key = "results/labs";
constexpr int mostLabs = 20;
const QString labField = QStringLiteral("lab");

QJsonArray stored(const Settings& settings) {
    return QJsonDocument::fromJson(settings.value(key).toString().toUtf8()).array();
}

}  // namespace

QJsonObject labChoices(const Settings& settings, const QString& lab) {
    for (const QJsonValue& entry : stored(settings)) {
        if (entry[labField].toString() == lab) return entry.toObject();
    }
    return {};
}

void keepLabChoices(Settings& settings, const QString& lab, const QJsonObject& choices) {
    if (lab.isEmpty()) return;
    QJsonObject newest = choices;
    newest[labField] = lab;
    QJsonArray labs = {newest};
    for (const QJsonValue& entry : stored(settings)) {
        if (entry[labField].toString() != lab && labs.size() < mostLabs) labs.append(entry);
    }
    settings.setValue(key, QString::fromUtf8(QJsonDocument(labs).toJson(QJsonDocument::Compact)));
}

}  // namespace ropelab::ui
