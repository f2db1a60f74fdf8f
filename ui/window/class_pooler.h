#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

#include "ui/common/latest_job.h"

namespace ropelab::ui {

/// Pools the results of a class in a new lab, in a background thread (pool_class() of core/lecture/class_work.h).
class ClassPooler : public QObject {
    Q_OBJECT

 public:
    explicit ClassPooler(QObject* parent = nullptr);

    /// Creates a lab in `folder` and pools the files in it; finished() or failed() follows. Does nothing while other
    /// files are pooled.
    void start(const QStringList& files, const QString& folder);
    bool isRunning() const { return m_job.isRunning(); }

 signals:
    /// The lab at `lab` has the results of the files. `sentence` says how many there are, and which files are not
    /// among them.
    void finished(const QString& lab, const QString& sentence);
    /// No file could be pooled, for the reason in `sentence`.
    void failed(const QString& sentence);

 private:
    LatestJob m_job;
};

}  // namespace ropelab::ui
