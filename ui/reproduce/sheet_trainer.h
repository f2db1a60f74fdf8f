#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <optional>
#include <vector>

#include "core/experiment/sheets/evaluate.h"
#include "core/experiment/sheets/sheet_lab.h"
#include "ui/experiment/event_queue.h"
#include "ui/rotary/latest_job.h"

namespace ropelab::ui {

class Workspace;

/// What a sheet's runs gave so far.
struct SheetStanding {
    std::vector<SheetRow> rows;
    std::vector<ScoredPrediction> predictions;
    std::int64_t runs = 0;
    std::int64_t ended = 0;   // finished or failed
    std::int64_t failed = 0;  // of these
    std::int64_t unmeasured = 0;

    /// Whether nothing is left to train and to measure.
    bool isComplete() const { return runs > 0 && ended == runs && unmeasured == 0; }
};
/// Of a lab's sheet, as the file has it.
SheetStanding standingOf(const LabFile& lab, const StoredSheet& sheet);

/// Takes a sheet from its rules to its verdicts in the window: a lab of its own with rules and predictions fixed, the
/// runs through the window's session, then what is measured of them. What lasts is done beside the window's thread.
class SheetTrainer : public QObject {
    Q_OBJECT

 public:
    enum class Step { idle, preparing, training, measuring };

    explicit SheetTrainer(Workspace& workspace, QObject* parent = nullptr);
    ~SheetTrainer() override;

    /// The sheet of the lab on show; nullopt where it has none.
    const std::optional<StoredSheet>& sheet() const { return m_sheet; }
    /// What its runs gave, as read last; nullopt until it has been read.
    const std::optional<SheetStanding>& standing() const { return m_standing; }
    Step step() const;
    /// Why it went no further, one sentence; "" where nothing failed.
    const QString& failure() const { return m_failure; }
    /// Where a sheet was begun at a scale, if that lab is still there; "" otherwise.
    QString labOf(const std::string& sheet, SheetScale scale) const;

    /// Makes a lab of its own for a sheet, opens it and trains. Its texts are looked for first.
    void begin(const SheetPlan& plan);
    /// Opens a lab with a sheet and goes on.
    void open(const QString& lab);
    /// Trains and measures what is left of the sheet on show.
    void goOn();
    /// At the next step; what was trained and measured is kept.
    void stop();

    /// Reads the standing now and whenever something may have changed; `false`: nobody looks.
    void watch(bool on);
    /// Reads it at once, on this thread.
    void readNow();
    /// While the standing is being read.
    bool isReading() const { return m_reading.isRunning(); }

 signals:
    /// Step, standing or failure changed.
    void changed();
    /// Another sheet, or none, is on show.
    void sheetChanged();

 private:
    void lookForSheet();
    void remember();
    void next();
    void measure();
    void ended(RunState how, const QString& message);
    /// Whether every run of the sheet has ended, and not all by failing.
    bool isAnswered() const;
    void take(const std::vector<Delivery>& deliveries);
    void fail(const QString& sentence);
    void read();
    void keep(SheetStanding standing);

    Workspace& m_workspace;
    std::optional<StoredSheet> m_sheet;
    QString m_lab;  // path that m_sheet is of
    std::optional<SheetStanding> m_standing;
    QString m_failure;
    QString m_toGoOn;  // the lab that goes on as soon as it is open
    bool m_isPreparing = false;
    bool m_isGoingOn = false;
    bool m_isMeasuring = false;
    bool m_isWatched = false;
    bool m_isStale = true;
    QTimer m_timer;
    LatestJob m_reading;  // last, so that they end first
    LatestJob m_work;
};

}  // namespace ropelab::ui
