#include "ui/window/class_pooler.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <utility>
#include <vector>

#include "core/lecture/class_work.h"
#include "core/spec/error.h"
#include "ui/common/format.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"

namespace ropelab::ui {

namespace {

QString newClassLab(const QString& folder) {
    QDir().mkpath(folder);
    const QString stem = folder + QDateTime::currentDateTime().toString(QStringLiteral("/'class' yyyy-MM-dd HH.mm.ss"));
    QString path = stem + QStringLiteral(".ropelab");
    for (int i = 2; QFileInfo::exists(path); ++i) path = QStringLiteral("%1 (%2).ropelab").arg(stem).arg(i);
    return path;
}

QString wordsOf(const ClassPool& pool) {
    QString words = pool.files == 0 ? QObject::tr("No file could be pooled.")
                                    : QObject::tr("Pooled %1 with %2.")
                                          .arg(countText(pool.files, QObject::tr("file")),
                                               countText(pool.runs, QObject::tr("run")));
    for (const ClassPool::Refused& refused : pool.refused) {
        words +=
            QObject::tr(" Not pooled: %1 (%2)").arg(QFileInfo(fromPath(refused.file)).fileName(), text(refused.reason));
    }
    return words;
}

}  // namespace

ClassPooler::ClassPooler(QObject* parent) : QObject(parent) {}

void ClassPooler::start(const QStringList& files, const QString& folder) {
    if (isRunning()) return;
    m_job.start([this, files, path = newClassLab(folder)](const Cancelled&) -> std::function<void()> {
        try {
            std::vector<std::filesystem::path> paths;
            for (const QString& file : files) paths.push_back(toPath(file));
            ClassPool pool;
            {
                const auto lab = LabFile::create(toPath(path));
                pool = pool_class(*lab, paths);
            }
            const QString words = wordsOf(pool);
            if (pool.files > 0) return [this, path, words] { emit finished(path, words); };
            QFile::remove(path);
            return [this, words] { emit failed(words); };
        } catch (const std::exception& error) {
            return [this, reason = text(error.what())] { emit failed(reason); };
        }
    });
}

}  // namespace ropelab::ui
