#pragma once

#include <QFrame>
#include <span>

#include "core/experiment/sheets/ledger.h"
#include "ui/results/results_source.h"
#include "ui/results/table_output.h"

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace ropelab::ui {

class Workspace;

/// The right panel of the Results room: which runs, what is compared with what and by which test, and the table as
/// text. What was chosen is remembered, the experiment and the baseline for each lab.
class ResultsPanel : public QFrame {
    Q_OBJECT

 public:
    using Format = TableFormat;

    explicit ResultsPanel(Workspace& workspace, QWidget* parent = nullptr);

    /// As the fields say; a target loss that cannot be read counts as none.
    ResultsChoices choices() const;
    Format format() const;
    /// Fills the lists from the lab and from these results, keeping what is chosen; the first time with results, what
    /// was chosen when the lab was open last: then choices() may differ from those that the results were made with.
    void renew(const Results& results);

    QComboBox* experiment() const { return m_experiment; }
    QComboBox* measure() const { return m_measure; }
    QComboBox* baseline() const { return m_baseline; }
    QComboBox* test() const { return m_test; }
    QLineEdit* target() const { return m_target; }
    QCheckBox* unfinished() const { return m_unfinished; }
    QCheckBox* published() const { return m_published; }
    QComboBox* formats() const { return m_output->formats(); }
    QPushButton* copyButton() const { return m_output->copyButton(); }
    QPushButton* saveButton() const { return m_output->saveButton(); }

 signals:
    void changed();
    void copyAsked();
    void saveAsked();

 private:
    void renewExperiments(const QVariant& chosen);
    void recall();
    void recallLab();
    void keep();

    /// What was chosen for this lab when it was open last, until its results are there.
    struct Wanted {
        std::int64_t experiment = ResultsChoices::latestExperiment;
        QVariantMap baseline;
    };
    Workspace& m_workspace;
    std::optional<Wanted> m_wanted;
    QComboBox* m_experiment;
    QComboBox* m_measure;
    QComboBox* m_baseline;
    QComboBox* m_test;
    QLineEdit* m_target;
    QCheckBox* m_unfinished;
    QCheckBox* m_published;
    TableOutput* m_output;
};

/// The table in a format; text and JSON with the predictions on its sweeps, as `results` writes them.
QString formatted(const ResultsTable& table, std::span<const Ledger> ledgers, ResultsPanel::Format format);

}  // namespace ropelab::ui
