#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <QVariant>
#include <string_view>
#include <variant>
#include <vector>

#include "ui/controls/fields.h"
#include "ui/controls/number_slider.h"

class QLabel;
class QVBoxLayout;
class QWidget;

namespace ropelab::ui {

// The kinds of fields.
struct ChoiceRow {
    struct Entry {
        QString title;
        QVariant data;
        QString why = {};
    };
    QList<Entry> entries = {};
    QVariant standard = {};  // the first value: the data of an entry
    int letters = 8;         // that it shows in a narrow panel, at least
};
struct WholeRow {
    int least = 0;
    int most = 0;
    QString suffix = {};
};
struct NumberRow {
    double least = 0;
    double most = 0;
    int decimals = 2;
    QString suffix = {};
};
/// A field with a placeholder also has a button that clears it.
struct TextRow {
    QString placeholder = {};
};
struct CheckRow {
    bool isWide = false;  // over the whole width; else below the fields
};

/// Over the whole width; its label and tooltip are those of the row.
using SliderRow = NumberSlider::Options;

/// One field of a panel as data: what does not change while the program runs.
struct FormRow {
    std::string_view id;  // the field's name in its form
    QString label;        // beside the field, which has the whole width without one; of a check box its own text
    QString name;         // accessible name; "": the label
    QString why;          // tooltip of the field and its label
    std::variant<ChoiceRow, WholeRow, NumberRow, TextRow, CheckRow, SliderRow> kind = ChoiceRow();
    const char* setting = nullptr;  // key of Settings that keeps the value between sessions
};

/// The fields of a panel, made from rows in their order and found by their ids, which must exist. The widgets belong to
/// the panel.
class Form : public QObject {
    Q_OBJECT

 public:
    /// `labelWidth` in pixels at 100 %.
    explicit Form(QObject* parent, int labelWidth = kLabelWidth);

    /// Rows that follow others in the column continue their grid.
    void add(QVBoxLayout* column, const QList<FormRow>& rows);
    /// The rows below a heading, in a box that the panel can hide.
    QWidget* addSection(QVBoxLayout* column, const QString& title, const QList<FormRow>& rows);

    /// QComboBox, QSpinBox, QDoubleSpinBox, QLineEdit, QCheckBox or NumberSlider, as the row says.
    template <typename Field>
    Field* field(std::string_view id) const {
        return static_cast<Field*>(partsOf(id).field);
    }
    QLabel* label(std::string_view id) const { return partsOf(id).label; }

    /// The data of a choice, a number, a text, or whether a box is checked.
    QVariant value(std::string_view id) const;
    /// Emits changed() if the value differs, except for a slider.
    void setValue(std::string_view id, const QVariant& value);
    /// Emits no signal.
    void showValue(std::string_view id, const QVariant& value);
    /// A label is dimmed with its field.
    void setEnabled(std::string_view id, bool enabled);
    /// With its label.
    void setShown(std::string_view id, bool shown);

    /// Of the rows that have a setting; `settings` is a Settings of ui/session.
    template <typename Settings>
    void restore(const Settings& settings) {
        for (const Parts& each : m_parts) {
            if (each.setting) setValue(each.id, settings.value(each.setting));
        }
    }
    /// If the row has a setting.
    template <typename Settings>
    void save(Settings& settings, std::string_view id) const {
        if (const char* setting = partsOf(id).setting) settings.setValue(setting, value(id));
    }

 signals:
    /// By the user or the program.
    void changed(std::string_view id);
    /// The user ended a change: chose an entry, entered a text, or released a slider.
    void finished(std::string_view id);

 private:
    struct Parts {
        std::string_view id;
        const char* setting;
        QWidget* field;
        QLabel* label;  // null if the row has none
    };
    const Parts& partsOf(std::string_view id) const;
    /// The field says when it changed.
    void connectField(QWidget* field, std::string_view id);

    int m_labelWidth;
    std::vector<Parts> m_parts;
};

}  // namespace ropelab::ui
