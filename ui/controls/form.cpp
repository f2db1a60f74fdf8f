#include "ui/controls/form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <string>

#include "ui/common/scaled.h"
#include "ui/controls/fields.h"

namespace ropelab::ui {

namespace {

/// The grid at the end of the column; a new one after anything else.
QGridLayout* gridIn(QVBoxLayout* column, int labelWidth) {
    QLayoutItem* last = column->itemAt(column->count() - 1);
    if (auto* grid = last ? qobject_cast<QGridLayout*>(last->layout()) : nullptr) return grid;
    QGridLayout* grid = makeFieldGrid(labelWidth);
    column->addLayout(grid);
    return grid;
}

QWidget* makeField(const FormRow& /*row*/, const ChoiceRow& kind, QWidget* parent) {
    QComboBox* choice = makeChoice({}, parent, kind.letters);
    for (const ChoiceRow::Entry& entry : kind.entries) {
        choice->addItem(entry.title, entry.data);
        if (!entry.why.isEmpty()) choice->setItemData(choice->count() - 1, entry.why, Qt::ToolTipRole);
    }
    if (kind.standard.isValid()) chooseData(choice, kind.standard);
    return choice;
}

QWidget* makeField(const FormRow& /*row*/, const WholeRow& kind, QWidget* parent) {
    auto* spin = new QSpinBox(parent);
    spin->setRange(kind.least, kind.most);
    spin->setSuffix(kind.suffix);
    return spin;
}

QWidget* makeField(const FormRow& /*row*/, const NumberRow& kind, QWidget* parent) {
    auto* spin = new QDoubleSpinBox(parent);
    spin->setDecimals(kind.decimals);
    spin->setRange(kind.least, kind.most);
    spin->setSuffix(kind.suffix);
    return spin;
}

QWidget* makeField(const FormRow& /*row*/, const TextRow& kind, QWidget* parent) {
    auto* line = new QLineEdit(parent);
    line->setPlaceholderText(kind.placeholder);
    line->setClearButtonEnabled(!kind.placeholder.isEmpty());
    return line;
}

QWidget* makeField(const FormRow& row, const CheckRow& /*kind*/, QWidget* parent) {
    return new QCheckBox(row.label, parent);
}

QWidget* makeField(const FormRow& row, SliderRow kind, QWidget* parent) {
    kind.label = row.label;
    kind.why = row.why;
    return new NumberSlider(kind, parent);
}

}  // namespace

Form::Form(QObject* parent, int labelWidth) : QObject(parent), m_labelWidth(labelWidth) {}

void Form::connectField(QWidget* field, std::string_view id) {
    const auto notify = [this, id] { emit changed(id); };
    const auto end = [this, id] { emit finished(id); };
    if (auto* choice = qobject_cast<QComboBox*>(field)) {
        connect(choice, &QComboBox::currentIndexChanged, this, notify);
        connect(choice, &QComboBox::activated, this, end);
    } else if (auto* line = qobject_cast<QLineEdit*>(field)) {
        connect(line, &QLineEdit::textChanged, this, notify);
        connect(line, &QLineEdit::editingFinished, this, [line, end] {
            if (line->isModified()) end();
        });
    } else if (auto* slider = qobject_cast<NumberSlider*>(field)) {
        connect(slider, &NumberSlider::changed, this, notify);
        connect(slider, &NumberSlider::finished, this, end);
    } else if (auto* whole = qobject_cast<QSpinBox*>(field)) {
        connect(whole, &QSpinBox::valueChanged, this, notify);
    } else if (auto* number = qobject_cast<QDoubleSpinBox*>(field)) {
        connect(number, &QDoubleSpinBox::valueChanged, this, notify);
    } else {
        connect(static_cast<QCheckBox*>(field), &QCheckBox::toggled, this, notify);
    }
}

void Form::add(QVBoxLayout* column, const QList<FormRow>& rows) {
    for (const FormRow& row : rows) {
        QWidget* field =
            std::visit([&](const auto& kind) { return makeField(row, kind, column->parentWidget()); }, row.kind);
        QLabel* label = nullptr;
        const auto* check = std::get_if<CheckRow>(&row.kind);
        const bool isSlider = std::holds_alternative<SliderRow>(row.kind);
        if (isSlider || (check ? check->isWide : row.label.isEmpty())) {
            column->addWidget(field);
        } else if (check) {
            QGridLayout* grid = gridIn(column, m_labelWidth);
            grid->addWidget(field, grid->rowCount(), 1);
        } else {
            label = addField(gridIn(column, m_labelWidth), row.label, field, row.why);
        }
        if (!isSlider) field->setToolTip(row.why);
        if (!isSlider && !check) field->setAccessibleName(row.name.isEmpty() ? row.label : row.name);
        connectField(field, row.id);
        m_parts.push_back({row.id, row.setting, field, label});
    }
}

QWidget* Form::addSection(QVBoxLayout* column, const QString& title, const QList<FormRow>& rows) {
    auto* box = new QWidget(column->parentWidget());
    auto* inner = scaledColumn(box, 8);
    inner->addWidget(makeHeading(title, box));
    add(inner, rows);
    column->addWidget(box);
    return box;
}

const Form::Parts& Form::partsOf(std::string_view id) const {
    const auto found = std::find_if(m_parts.begin(), m_parts.end(), [id](const Parts& each) { return each.id == id; });
    if (found == m_parts.end()) qFatal("There is no field \"%s\".", std::string(id).c_str());
    return *found;
}

QVariant Form::value(std::string_view id) const {
    return fieldValue(partsOf(id).field);
}

void Form::setValue(std::string_view id, const QVariant& value) {
    setFieldValue(partsOf(id).field, value);
}

void Form::showValue(std::string_view id, const QVariant& value) {
    const QSignalBlocker quiet(partsOf(id).field);
    setValue(id, value);
}

void Form::setEnabled(std::string_view id, bool enabled) {
    partsOf(id).field->setEnabled(enabled);
}

void Form::setShown(std::string_view id, bool shown) {
    const Parts& parts = partsOf(id);
    parts.field->setVisible(shown);
    if (parts.label) parts.label->setVisible(shown);
}

}  // namespace ropelab::ui

#include "moc_form.cpp"
