#pragma once

#include <QDialog>
#include <filesystem>

#include "core/study/head_conversion.h"
#include "ui/common/latest_job.h"
#include "ui/session/run_access.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QProgressBar;
class QPushButton;

namespace ropelab::ui {

/// Tells why the run cannot be converted to fewer key and value heads; "" if it can.
QString whyNoHeadConversion(const RunView& run, const RunAccess& access);

/// Converts a copy of a run to fewer key and value heads (formula 47), trains the copy for a part of the run's steps,
/// shows the losses before and after, and stores them in the lab. It also lists earlier conversions of the run. The run
/// and its checkpoint do not change. The window stays usable; training has priority over the conversion.
class HeadConversionDialog : public QDialog {
    Q_OBJECT

 public:
    /// Requires that whyNoHeadConversion() is "".
    HeadConversionDialog(const RunView& run, RunAccess access, QWidget* parent = nullptr);

 signals:
    /// The conversion ended with a result, a problem, or because it was interrupted.
    void ended();

 private:
    void convert();
    void showResult(const HeadConversionResult& result);
    void showRunning(bool running);
    void store(const HeadConversionResult& result);
    void listStored(const LabFile& lab);

    RunAccess m_access;
    RunSpec m_spec;
    RunId m_run;
    std::filesystem::path m_lab;  // the lab of the run
    bool m_isLabShown = true;     // the window still shows this lab
    RunCheckpoint m_checkpoint;
    QComboBox* m_heads;
    QDoubleSpinBox* m_percent;
    QPushButton* m_start;
    QPushButton* m_cancel;
    QProgressBar* m_progress;
    QLabel* m_result;
    QLabel* m_stored;
    LatestJob m_job;
};

}  // namespace ropelab::ui
