#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <vector>

#include "ui/session/sweep_session.h"

class QMenu;

namespace ropelab::ui {

class ActionRegistry;
class BannerArea;
class Workspace;

/// Opens and saves labs, writes their reports, and shows banners about the lab and its runs.
class LabController : public QObject {
    Q_OBJECT

 public:
    /// `doors` is for what is read for long and has its own space; `banners` covers a part of the room.
    LabController(Workspace& workspace, BannerArea& banners, BannerArea& doors, ActionRegistry& actions,
                  QWidget* window);
    /// Ends the process of a report and waits for it.
    ~LabController() override;

    void addActions();
    void addReportAction();
    /// Into the menu File, which must exist.
    void addRecentLabs();
    /// At the start of the program: the unsaved lab of the previous session, about which a banner tells, else the lab
    /// that was open last. Whoever has no lab yet sees a finished one that comes with the program.
    void restore();
    /// Replaces ropelab-cli in the folder of this program, for tests.
    void setReportProgram(const QString& path) { m_program = path; }

 private:
    bool reopenUnsaved();
    /// With four ways to go on.
    void showExample();
    /// After a start in the example.
    void tellOwnLab();
    void save();
    /// A process of its own, `ropelab-cli report`, so that the window stays responsive.
    void writeReport();
    void endReport(int code, QProcess::ExitStatus status);
    void refuseReport(const QString& sentence);
    bool isReporting() const { return m_process.state() != QProcess::NotRunning; }
    void listRecent(QMenu* menu);
    void showState();
    void showProblem(const QString& id, const QString& sentence);
    void reportFailedRuns(const std::vector<Delivery>& deliveries);

    Workspace& m_workspace;
    BannerArea& m_banners;
    BannerArea& m_doors;
    ActionRegistry& m_actions;
    QWidget* m_window;
    QString m_program;
    QProcess m_process;
    QString m_folder;      // of the report
    int m_failedRuns = 0;  // of the current or last sweep
    bool m_leavesExample = false;
};

}  // namespace ropelab::ui
