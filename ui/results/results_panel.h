#pragma once

#include <QFrame>

#include "ui/results/results_source.h"

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace ropelab::ui {

class Workspace;

/// The right panel of the Results room: which runs, what is compared with what and by which test, and the table as
/// text.
class ResultsPanel : public QFrame {
    Q_OBJECT

 public:
    enum class Format { text, csv, latex, json };

    explicit ResultsPanel(Workspace& workspace, QWidget* parent = nullptr);

    /// As the fields say; a target loss that cannot be read counts as none.
    ResultsChoices choices() const;
    Format format() const;
    /// Fills the lists from the lab and from these results, keeping what is chosen.
    void renew(const Results& results);

    QComboBox* experiment() const { return m_experiment; }
    QComboBox* measure() const { return m_measure; }
    QComboBox* baseline() const { return m_baseline; }
    QComboBox* test() const { return m_test; }
    QLineEdit* target() const { return m_target; }
    QCheckBox* unfinished() const { return m_unfinished; }
    QComboBox* formats() const { return m_format; }
    QPushButton* copyButton() const { return m_copy; }
    QPushButton* saveButton() const { return m_save; }

 signals:
    void changed();
    void copyAsked();
    void saveAsked();

 private:
    void addRow(QGridLayout* grid, const QString& title, QWidget* field, const QString& why);
    QComboBox* makeCombo(const QString& name);
    QWidget* makeOutput();
    void renewExperiments();

    Workspace& m_workspace;
    QComboBox* m_experiment;
    QComboBox* m_measure;
    QComboBox* m_baseline;
    QComboBox* m_test;
    QLineEdit* m_target;
    QCheckBox* m_unfinished;
    QComboBox* m_format;
    QPushButton* m_copy;
    QPushButton* m_save;
};

/// The table in a format, and the ending of its files: "txt", "csv", "tex", "json".
QString formatted(const ResultsTable& table, ResultsPanel::Format format);
QString suffixOf(ResultsPanel::Format format);

}  // namespace ropelab::ui
