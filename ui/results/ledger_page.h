#pragma once

#include <QTimer>
#include <QWidget>
#include <vector>

#include "core/experiment/sheets/ledger.h"
#include "ui/inspect/engine_turn.h"
#include "ui/rotary/latest_job.h"

class QLabel;
class QPushButton;

namespace ropelab::ui {

class WordList;
class WordTable;
class Workspace;

/// What theories predicted of the lab's sweeps before they began, and how they are scored; what is not measured yet can
/// be measured here. It follows the lab while it is watched; reading and measuring run beside the window's thread.
class LedgerPage : public QWidget {
    Q_OBJECT

 public:
    explicit LedgerPage(Workspace& workspace, QWidget* parent = nullptr);

    /// Those of one sweep alone, or of all (ResultsChoices::allExperiments).
    void choose(std::int64_t experiment);
    /// Of the chosen sweeps.
    const std::vector<Ledger>& ledgers() const { return m_shown; }
    bool isEmpty() const { return m_shown.empty(); }

    /// Reads what may have changed now and from then on; `false`: nobody looks.
    void watch(bool on);
    /// Reads at once, on this thread.
    void readNow();
    bool isReading() const { return m_reading.isRunning(); }

    /// Measures what the chosen sweeps lack; again: stops.
    void measure();
    bool isMeasuring() const { return m_measures; }
    QPushButton& button() { return *m_button; }
    WordTable& table();
    /// How many are right, and what is left to do.
    QString words() const;

 signals:
    /// The ledgers, or what is said of them.
    void changed();

 private:
    void lookAgain();
    void read();
    void keep(std::vector<Ledger> ledgers);
    void renew();
    std::int64_t endedRuns() const;

    Workspace& m_workspace;
    std::int64_t m_experiment = 0;
    std::vector<Ledger> m_all;
    std::vector<Ledger> m_shown;
    QString m_failure;          // why measuring went no further
    std::int64_t m_known = -1;  // ended runs when they were read
    bool m_watched = false;
    bool m_stale = true;
    bool m_measures = false;
    QLabel* m_words;
    QPushButton* m_button;
    WordList* m_list;
    QTimer m_timer;
    LatestJob m_reading;  // last, so that they end first
    LatestJob m_work;
};

/// Measures what sheets ask for of their runs, with the engine alone: what is measured are speeds, too. Returns why it
/// went no further, "" where it did or was told to end.
QString measureAlone(EngineTurn& turn, const QString& lab, const std::vector<StoredSheet>& sheets,
                     const std::filesystem::path& dataDir, const Cancelled& cancelled);

}  // namespace ropelab::ui
