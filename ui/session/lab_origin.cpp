#include "ui/session/lab_origin.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QMap>
#include <QObject>
#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "ui/common/paths.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

QString withoutHome(const QString& path) {
    const QString home = QDir::homePath();
    return path.startsWith(home + QLatin1Char('/')) ? QLatin1Char('~') + path.mid(home.size()) : path;
}

QString withHome(const QString& path) {
    return path.startsWith("~/"_L1) ? QDir::homePath() + path.mid(1) : path;
}

}  // namespace

QJsonObject labOrigin(const LabFile& lab, const std::vector<RunId>& runs) {
    std::set<std::int64_t> wanted;
    QMap<QString, int> precisions;
    QJsonArray ids;
    for (const RunId id : runs) {
        const RunRecord run = lab.run(id);
        ids.append(static_cast<qint64>(id));
        wanted.insert(run.experiment);
        if (run.conditions) ++precisions[QString::fromStdString(run.conditions->precision)];
    }
    QJsonObject precision;
    for (const auto& [name, count] : precisions.asKeyValueRange()) precision[name] = count;
    QJsonArray experiments;
    for (const ExperimentRecord& experiment : lab.experiments()) {
        if (!wanted.contains(experiment.id)) continue;
        experiments.append(QJsonObject{{u"id"_s, static_cast<qint64>(experiment.id)},
                                       {u"name"_s, QString::fromStdString(experiment.name)},
                                       {u"created"_s, QString::fromStdString(experiment.created)}});
    }
    const QString path = QFileInfo(QString::fromStdString(lab.path().string())).absoluteFilePath();
    return {
        {u"path"_s, withoutHome(path)}, {u"experiments"_s, experiments}, {u"runs"_s, ids}, {u"precision"_s, precision}};
}

QString findLab(const QJsonObject& origin, const QString& folder) {
    const QString path = withHome(origin[u"path"_s].toString());
    for (const QString& each : {path, QDir(folder).filePath(QFileInfo(path).fileName())}) {
        if (QFileInfo(each).isFile() && whyAnotherLab(origin, each).isEmpty()) return each;
    }
    return {};
}

QString whyAnotherLab(const QJsonObject& origin, const QString& path) {
    const QString name = QFileInfo(path).fileName();
    try {
        const auto lab = LabFile::open(toPath(path), LabFile::Mode::read);
        const auto experiments = lab->experiments();
        const QJsonArray wanted = origin[u"experiments"_s].toArray();
        for (const auto& value : wanted) {
            const QJsonObject experiment = value.toObject();
            const std::string created = experiment[u"created"_s].toString().toStdString();
            const bool isThere = std::any_of(experiments.begin(), experiments.end(), [&](const auto& each) {
                return each.id == experiment[u"id"_s].toInteger() && each.created == created;
            });
            if (!isThere) {
                return u"The figure was not made from the lab file %1, which has no experiment “%2” that was created "
                       "on %3."_s.arg(name, experiment[u"name"_s].toString(), QString::fromStdString(created));
            }
        }
        const QJsonArray runs = origin[u"runs"_s].toArray();
        for (const auto& run : runs) lab->run(run.toInteger());
    } catch (const BadInput& error) {
        return QString::fromStdString(error.what());
    }
    return {};
}

}  // namespace ropelab::ui
