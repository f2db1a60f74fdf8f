#pragma once

#include <QWidget>

#include "core/spec/keys.h"

class QComboBox;
class QLabel;
class QLineEdit;

namespace ropelab::ui {

class ExperimentModel;

/// Edits one key of the experiment: a list of choices, or a field that takes one value or several with commas
/// (which sweep the key). What is refused is explained beneath.
class KeyField : public QWidget {
    Q_OBJECT

 public:
    KeyField(const Key& key, ExperimentModel& model, QWidget* parent = nullptr);

    /// "learning rate".
    static QString title(const Key& key);
    const Key& key() const { return m_key; }
    /// As typing and Enter do.
    void commit(const QString& typed);
    QString error() const;
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
