#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <QPointer>
#include <QWidget>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/settings/keys.h"
#include "ui/controls/form.h"

class QPushButton;

namespace ropelab::ui {

class ChipListEdit;
class ExperimentModel;
class FieldNote;
struct SweepOptions;

/// Editor for one setting of the experiment: a drop-down list of choices, or a text field for one value or for several
/// values separated by commas, which sweep the setting. An error appears below the editor, over the next field.
class KeyField : public QWidget {
    Q_OBJECT

 public:
    KeyField(const Key& key, ExperimentModel& model, QWidget* parent = nullptr);

    /// "learning rate" for learning_rate.
    static QString title(const Key& key);
    const Key& key() const { return m_key; }
    /// Does what typing `typed`, one or more comma-separated values, and pressing Enter does.
    void commit(const QString& typed);
    QString error() const;
    QString text() const { return m_choice ? m_choice->currentText() : m_field->text(); }

 signals:
    /// The values are typed but not entered, or the entry of the list under the pointer. Empty when the user considers
    /// no change any more.
    void considered(const std::vector<std::string>& values);

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void renew();
    void showError(const QString& sentence);

    const Key& m_key;
    ExperimentModel& m_model;
    QComboBox* m_choice = nullptr;
    QLineEdit* m_field = nullptr;
    QPointer<FieldNote> m_error;
};

/// Offers the synthetic languages, the known data sets that are found on this machine, and a text file or a folder of
/// files that the user chooses.
class DataChoice : public QComboBox {
    Q_OBJECT

 public:
    /// `dataDir` is searched first for known data sets.
    DataChoice(ExperimentModel& model, std::filesystem::path dataDir, QWidget* parent = nullptr);

 signals:
    void refused(const QString& sentence);

 private:
    void renew();
    void pick(int index);

    ExperimentModel& m_model;
    std::filesystem::path m_dataDir;
};

/// Each entry sets the number of layers, heads, the width and the context together.
class ModelChoice : public QComboBox {
    Q_OBJECT

 public:
    explicit ModelChoice(ExperimentModel& model, QWidget* parent = nullptr);

 private:
    void renew();
    void pick(int index);
    ExperimentModel& m_model;
};

/// The method that samples ranges of settings, and whether the sweep adds only the runs that the lab lacks. The group
/// is folded unless it is used.
class SearchGroup : public QWidget {
    Q_OBJECT

 public:
    explicit SearchGroup(ExperimentModel& experiment, QWidget* parent = nullptr);

    void setShown(bool shown);

    /// "method", "samples", "seed", "rung" (the first one), "extends" and "anew".
    Form& form() { return m_form; }
    ChipListEdit* ranges() const { return m_ranges; }

 private:
    void makeFields();
    void adopt(std::string_view id);
    void renew();
    /// An undoable step. Throws BadInput if the options are invalid in themselves.
    void change(const QString& text, const std::function<void(SweepOptions&)>& edit);

    ExperimentModel& m_experiment;
    bool m_wasUsed = false;
    QPushButton* m_button;
    QWidget* m_body;
    Form m_form;
    ChipListEdit* m_ranges = nullptr;
};

}  // namespace ropelab::ui
