#pragma once

#include <QFrame>
#include <QJsonObject>
#include <QList>
#include <QPair>
#include <QString>
#include <QToolButton>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/reproduce/sheet_lab.h"
#include "core/results/decision_aid.h"
#include "ui/controls/form.h"
#include "ui/controls/table_view.h"
#include "ui/rooms/results/results_picture.h"

class QAction;
class QComboBox;
class QPushButton;
class QVBoxLayout;

namespace ropelab::ui {

using namespace Qt::StringLiterals;

class LabDocument;
class Settings;

/// The saved choices of a lab: "baseline" (an object of swept keys and values as texts), "experiment" (its id), "order"
/// (title of the sorted column) and "descending". Empty if nothing is saved.
QJsonObject labChoices(const Settings& settings, const QString& lab);
/// Only the last 20 labs are stored, so the oldest entry is dropped.
void saveLabChoices(Settings& settings, const QString& lab, const QJsonObject& choices);

/// A button with a menu that chooses the columns of the results table: a preset, or single columns. The table's header
/// changes their order (setShown).
class ColumnChoice : public QToolButton {
    Q_OBJECT

 public:
    explicit ColumnChoice(QWidget* parent = nullptr);

    /// Names (TableStyle::columns) and titles, in the order of the table.
    void setColumns(const QList<QPair<QString, QString>>& columns, const ResultsTable& table);
    /// As in TableStyle::columns: a preset or names of columns. {"short"}, the default, has one p value.
    std::vector<std::string> columns() const;
    QString words() const { return m_chosen.join(QLatin1Char(',')); }
    /// "" selects the preset `short`.
    void choose(const QString& words);
    QStringList shown() const;
    void setShown(const QStringList& names);
    QAction* actionOf(const QString& name) const;

 signals:
    void changed();

 private:
    void refill();
    void renewChecks();
    void toggleColumn(const QString& name, bool on);
    void choosePreset(const QString& name);

    QList<QPair<QString, QString>> m_columns;
    std::map<QString, QStringList> m_presets;  // the columns of each
    QStringList m_chosen = {u"short"_s};
};

/// Selects the runs, the compared measure, the baseline and the test, and exports the table as text. The choices are
/// saved in the settings; experiment and baseline are saved per lab. The lab itself also stores which runs are included
/// (RunSelection), for the terminal.
class ResultsPanel : public QFrame {
    Q_OBJECT

 public:
    using Format = TableFormat;

    ResultsPanel(LabDocument& lab, Settings& settings, QWidget* parent = nullptr);

    /// A target loss that is not a positive number is ignored.
    ResultsChoices choices() const;
    /// The columns of exports; without a choice, those of the terminal.
    TableStyle style() const;
    DecisionChoice decision() const;
    void addWidget(QWidget* widget);
    Format format() const;
    /// Refills the lists of experiments and baselines and preserves the selection. The first call with results after a
    /// lab was opened selects what was saved for this lab, so choices() can differ afterwards from the choices that
    /// `results` was computed with.
    void renew(const Results& results);

    Form& form() { return m_form; }
    bool excludes(RunId run) const { return m_excluded.contains(run); }
    void setExcluded(RunId run, bool excluded);
    ColumnChoice* columns() const { return m_columns; }
    QComboBox* formats() const { return m_output->formats(); }
    QPushButton* copyButton() const { return m_output->copyButton(); }
    QPushButton* saveButton() const { return m_output->saveButton(); }

 signals:
    void changed();
    void copyRequested();
    void saveRequested();

 private:
    void renewExperiments(const QVariant& chosen);
    void loadLabChoices();
    void saveChoices();
    void applySelection(const RunSelection& selection);

    /// Choices that were saved for this lab; they are applied when its results are first available.
    struct SavedChoices {
        std::int64_t experiment = ResultsChoices::kLatestExperiment;
        QVariantMap baseline;
    };
    LabDocument& m_lab;
    Settings& m_settings;
    std::optional<SavedChoices> m_saved;
    Form m_form;
    std::set<RunId> m_excluded;
    std::string m_storedSelection;  // as the lab stores it; "" if it stores none
    ColumnChoice* m_columns;
    TableOutput* m_output;
    QVBoxLayout* m_fields;
};

/// Formats as the terminal's command `results` does. Text and JSON also contain the decision aid, and all formats but
/// CSV the predictions on the sweeps of the table.
QString formatted(const Results& results, std::span<const SweepPredictions> sweeps, ResultsPanel::Format format,
                  const TableStyle& style = {}, const DecisionChoice& decision = {});

}  // namespace ropelab::ui
