#pragma once

#include <QFrame>
#include <QPointer>
#include <optional>
#include <vector>

#include "core/report/anatomy_report.h"
#include "core/settings/keys.h"
#include "ui/controls/form.h"
#include "ui/controls/table_view.h"

class QComboBox;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace ropelab::ui {

class FieldNote;

/// The settings that change the stages of a model.
const std::vector<const Key*>& anatomySettings();

/// The source of the model, the totals with their differences to the original, and the fields of a copy of its
/// settings: the twelve that matter most, and the others on demand.
class AnatomyPanel : public QFrame {
    Q_OBJECT

 public:
    explicit AnatomyPanel(QWidget* parent = nullptr);

    /// nullopt disables the fields, for a model without settings.
    void showSettings(const std::optional<RunSpec>& spec);
    void showTotals(const AnatomyModel& model, const AnatomyModel& original);
    /// "" clears the problem of the copy. Hides the reason of a refused value.
    void showProblem(const QString& sentence);
    /// The setting must have a field.
    void showRefusal(const QString& key, const QString& sentence);
    void offer(bool isEdited, bool isUsable);

    QComboBox* source() const { return m_source; }
    QPushButton* openButton() const { return m_open; }
    QPushButton* useButton() const { return m_use; }
    QPushButton* resetButton() const { return m_reset; }
    TableOutput& output() { return *m_output; }
    /// The setting must have a field.
    QWidget* field(std::string_view key) const { return m_form.field<QWidget>(key); }
    /// The total and its difference: "parameters", "active", "operations", "step", "cache" or "memory".
    QString total(const QString& name) const;
    QString difference(const QString& name) const;
    QString problem() const;

 signals:
    void edited(const QString& key, const QString& value);

 private:
    struct Total {
        QString name;
        QLabel* title;
        QLabel* value;
        QLabel* difference;
    };
    void addFields(QWidget* content, QVBoxLayout* column);
    void addTotals(QWidget* content, QVBoxLayout* column);
    void showMore(bool isShown);

    QComboBox* m_source = nullptr;
    QPushButton* m_open = nullptr;
    Form m_form;  // a field per setting
    QPushButton* m_moreButton = nullptr;
    QWidget* m_more = nullptr;
    QLabel* m_problem = nullptr;
    QPointer<FieldNote> m_refusal;  // null if no value was refused
    std::vector<Total> m_totals;
    QPushButton* m_use = nullptr;
    QPushButton* m_reset = nullptr;
    TableOutput* m_output = nullptr;
};

}  // namespace ropelab::ui
