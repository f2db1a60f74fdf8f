#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

#include "ui/common/latest_job.h"

namespace ropelab::ui {

/// In a new lab, in a background thread (pool_class() of core/lecture/class_work.h).
class ClassPooler : public QObject {
    Q_OBJECT

 public:
    explicit ClassPooler(QObject* parent = nullptr);

    /// Creates a lab in `folder`; finished() or failed() follows. Does nothing while other files are pooled.
    void start(const QStringList& files, const QString& folder);
    bool isRunning() const { return m_job.isRunning(); }

 signals:
    /// `sentence` says how many results `lab` has, and which files are not among them.
    void finished(const QString& lab, const QString& sentence);
    void failed(const QString& sentence);

 private:
    LatestJob m_job;
};

}  // namespace ropelab::ui
