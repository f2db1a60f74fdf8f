#pragma once

#include <QPointer>
#include <QWidget>
#include <string>
#include <vector>

#include "core/spec/keys.h"

class QComboBox;
class QLineEdit;

namespace ropelab::ui {

class ExperimentModel;
class FieldError;

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
    QString text() const;

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
    QPointer<FieldError> m_error;
};

}  // namespace ropelab::ui
