#pragma once

#include <QDialog>
#include <filesystem>

#include "core/experiment/head_conversion.h"
#include "ui/common/latest_job.h"
#include "ui/session/run_access.h"
#include "ui/session/run_store.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QProgressBar;
class QPushButton;

namespace ropelab::ui {

/// Returns why the key and value heads of a run cannot be converted to fewer ones; "" if they can.
QString whyNoHeadConversion(const RunView& run, const RunAccess& access);

/// Dialog that converts a copy of a run to fewer key and value heads (formula 47), trains the copy for a part of the
/// run's steps and shows the losses before and after. The run and its checkpoint do not change. The window stays
/// usable; training has priority over the conversion.
class HeadConversionDialog : public QDialog {
    Q_OBJECT

 public:
    /// Creates the dialog for a run of which whyNoHeadConversion() is "".
    HeadConversionDialog(const RunView& run, RunAccess access, QWidget* parent = nullptr);

 signals:
    /// The conversion ended with a result, a problem, or because it was interrupted.
    void ended();

 private:
    void convert();
    void showResult(const HeadConversionResult& result);
    void showRunning(bool running);

    RunAccess m_access;
    RunSpec m_spec;
    std::filesystem::path m_checkpoint;
    QComboBox* m_heads;
    QDoubleSpinBox* m_percent;
    QPushButton* m_start;
    QPushButton* m_cancel;
    QProgressBar* m_progress;
    QLabel* m_result;
    LatestJob m_job;
};

}  // namespace ropelab::ui
