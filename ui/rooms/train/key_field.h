#pragma once

#include <QWidget>

#include "core/spec/keys.h"

class QComboBox;
class QLabel;
class QLineEdit;

namespace ropelab::ui {

class ExperimentModel;

/// Editor for one setting of the experiment: a drop-down list of choices, or a text field for one value or for several
/// values separated by commas, which sweep the setting. An error appears below the editor.
class KeyField : public QWidget {
    Q_OBJECT

 public:
    /// Creates an editor for the setting `key` of the experiment in `model`.
    KeyField(const Key& key, ExperimentModel& model, QWidget* parent = nullptr);

    /// Returns the display name of a setting: "learning rate" for learning_rate.
    static QString title(const Key& key);
    const Key& key() const { return m_key; }
    /// Sets the value, or the comma-separated values, like typing `typed` and pressing Enter. Shows an error if they
    /// are invalid.
    void commit(const QString& typed);
    /// Returns the error that the editor shows, or "" if there is none.
    QString error() const;
    /// Returns the value of the setting, or its comma-separated values, as the editor shows them.
    QString text() const;

 private:
    void renew();
    void showError(const QString& sentence);

    const Key& m_key;
    ExperimentModel& m_model;
    QComboBox* m_choice = nullptr;
    QLineEdit* m_field = nullptr;
    QLabel* m_error;
};

}  // namespace ropelab::ui
