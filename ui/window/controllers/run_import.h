#pragma once

#include <QObject>
#include <QStringList>
#include <memory>

#include "ui/common/latest_job.h"

class QDialog;
class QWidget;

namespace ropelab {
struct ImportPlan;
}

namespace ropelab::ui {

class ActionRegistry;
class BannerArea;
class Workspace;

/// Imports runs of other programs into the lab, after a dialog has shown what was recognized.
class RunImport : public QObject {
    Q_OBJECT

 public:
    RunImport(Workspace& workspace, BannerArea& banners, QWidget* window);

    void addActions(ActionRegistry& actions);
    /// A folder, or a file of a known format, that no other part of the window opens.
    static bool accepts(const QString& path);
    /// Files and folders, which are searched on another thread.
    void import(const QStringList& paths);
    /// The dialog that asks; nullptr if none is open.
    QDialog* question() const { return m_question; }

 private:
    void ask(const std::shared_ptr<const ImportPlan>& plan);
    void store(const std::shared_ptr<const ImportPlan>& plan);
    void refuse(const QString& sentence);

    Workspace& m_workspace;
    BannerArea& m_banners;
    QWidget* m_window;
    QDialog* m_question = nullptr;
    LatestJob m_job;  // declared last so that it is destroyed first
};

}  // namespace ropelab::ui
