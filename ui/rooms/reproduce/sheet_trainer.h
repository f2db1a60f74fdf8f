#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <optional>
#include <vector>

#include "core/reproduce/rules/evaluate.h"
#include "core/reproduce/sheet_lab.h"
#include "ui/common/latest_job.h"
#include "ui/session/run_access.h"

namespace ropelab::ui {

class SessionActions;
class Settings;

struct SheetProgress {
    std::vector<SheetRow> rows;
    std::vector<ScoredPrediction> predictions;
    std::int64_t runs = 0;
    std::int64_t ended = 0;   // number of finished and failed runs
    std::int64_t failed = 0;  // number of failed runs
    // ended runs that still lack measurements
    std::int64_t unmeasured = 0;

    bool isComplete() const { return runs > 0 && ended == runs && unmeasured == 0; }
};
SheetProgress progressOf(const LabFile& lab, const StoredSheet& sheet);

/// Creates a lab for a sheet, stores rules and predictions there, trains the runs in the window's session, and measures
/// the trained models. Loading and measuring run on other threads.
class SheetTrainer : public QObject {
    Q_OBJECT

 public:
    enum class Step { idle, preparing, training, measuring };

    SheetTrainer(SessionActions& actions, RunAccess access, Settings& settings, QObject* parent = nullptr);
    ~SheetTrainer() override;

    /// nullopt if the open lab has no sheet.
    const std::optional<StoredSheet>& sheet() const { return m_sheet; }
    /// nullopt before the first load.
    const std::optional<SheetProgress>& progress() const { return m_progress; }
    Step step() const;
    /// "" if nothing failed.
    const QString& failure() const { return m_failure; }
    /// The lab in which a sheet was last started at a scale; "" if there is none or the file is gone.
    QString labOf(const std::string& sheet, SheetScale scale) const;

    /// Creates a lab for a sheet, opens it, and trains the runs. Loads the data sets first.
    void begin(const SheetPlan& plan);
    /// Opens a lab with a sheet and continues the sheet.
    void open(const QString& lab);
    /// Trains and measures the remaining runs of the open lab's sheet.
    void continueSheet();
    /// Stops after the current step; trained runs and measurements stay in the lab.
    void stop();

    /// Automatic loading of the progress is off while the room is hidden.
    void watch(bool on);
    /// Loads on this thread.
    void loadNow();
    bool isLoading() const { return m_loading.isRunning(); }

 signals:
    /// Step, progress or failure has changed.
    void changed();
    /// The open lab has another sheet, or none.
    void sheetChanged();

 private:
    void findSheet();
    void rememberLab();
    void next();
    void measure();
    void ended(RunState how, const QString& message);
    /// All runs of the sheet have ended and at least one has finished.
    bool hasResult() const;
    void handleDeliveries(const std::vector<Delivery>& deliveries);
    void fail(const QString& sentence);
    void load();
    void setProgress(SheetProgress progress);

    SessionActions& m_actions;
    RunAccess m_access;
    Settings& m_settings;
    std::optional<StoredSheet> m_sheet;
    QString m_lab;  // path of the lab that contains m_sheet
    std::optional<SheetProgress> m_progress;
    QString m_failure;
    QString m_labToContinue;  // path of the lab whose sheet continues when it is open
    bool m_isPreparing = false;
    bool m_isContinuing = false;
    bool m_isMeasuring = false;
    bool m_isWatched = false;
    bool m_isStale = true;
    QTimer m_timer;
    LatestJob m_loading;  // last members, because their threads must end before the others are destroyed
    LatestJob m_work;
};

}  // namespace ropelab::ui
