#include "ui/rooms/train/key_field.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QVBoxLayout>

#include "core/spec/error.h"
#include "ui/common/choice_words.h"
#include "ui/common/scaled.h"
#include "ui/common/setting_words.h"
#include "ui/common/text.h"
#include "ui/rooms/train/field_error.h"
#include "ui/session/experiment_model.h"

namespace ropelab::ui {

namespace {

std::vector<std::string> valuesIn(const Key& key, const QString& typed) {
    std::vector<std::string> values;
    for (const QString& part : typed.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        values.push_back(fieldValue(key.name, part.trimmed()).toStdString());
    }
    return values;
}

}  // namespace

KeyField::KeyField(const Key& key, ExperimentModel& model, QWidget* parent)
    : QWidget(parent), m_key(key), m_model(model), m_error(new FieldError(this)) {
    auto* layout = new QVBoxLayout(this);
    scaleLayout(layout, {0, 0, 0, 0}, 4);
    auto* row = new QHBoxLayout;
    scaleLayout(row, {0, 0, 0, 0}, 8);
    layout->addLayout(row);
    QWidget* editor = nullptr;
    if (!key.choices.empty()) {
        m_choice = new QComboBox(this);
        m_choice->setFocusPolicy(Qt::StrongFocus);
        m_choice->setMinimumContentsLength(6);
        m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        for (const std::string_view choice : key.choices) {
            m_choice->addItem(choiceTitle(key.name, choice), ropelab::ui::text(choice));
            const QString meaning = choiceMeaning(key.name, choice);
            if (!meaning.isEmpty()) m_choice->setItemData(m_choice->count() - 1, meaning, Qt::ToolTipRole);
        }
        connect(m_choice, &QComboBox::activated, this, [this] { commit(m_choice->currentData().toString()); });
        connect(m_choice, &QComboBox::highlighted, this,
                [this](int index) { emit considered(valuesIn(m_key, m_choice->itemData(index).toString())); });
        m_choice->view()->installEventFilter(this);
        editor = m_choice;
    } else {
        m_field = new QLineEdit(this);
        connect(m_field, &QLineEdit::editingFinished, this, [this] {
            emit considered({});
            if (m_field->isModified()) commit(m_field->text());
        });
        connect(m_field, &QLineEdit::textEdited, this,
                [this](const QString& typed) { emit considered(valuesIn(m_key, typed)); });
        editor = m_field;
    }
    editor->setAccessibleName(title(key));
    setFocusProxy(editor);
    editor->setAccessibleDescription(ropelab::ui::text(key.meaning));
    row->addWidget(editor, 1);
    if (!key.unit.empty()) {
        auto* unit = new QLabel(ropelab::ui::text(key.unit), this);
        unit->setProperty("quiet", true);
        row->addWidget(unit);
    }
    setToolTip(ropelab::ui::text(key.meaning));
    connect(&model, &ExperimentModel::changed, this, &KeyField::renew);
    renew();
}

QString KeyField::title(const Key& key) {
    return ropelab::ui::text(key.name).replace(QLatin1Char('_'), QLatin1Char(' '));
}

bool KeyField::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Hide) emit considered({});  // the open list of choices was closed
    return QWidget::eventFilter(watched, event);
}

void KeyField::commit(const QString& typed) {
    const std::vector<std::string> values = valuesIn(m_key, typed);
    try {
        m_model.edit(tr("change %1").arg(title(m_key)),
                     [&](Experiment& experiment) { experiment.set(m_key.name, values); });
        showError({});
        renew();
    } catch (const BadInput& error) {
        showError(fieldError(title(m_key), QString::fromStdString(error.what())));
    }
}

QString KeyField::error() const {
    return m_error ? m_error->sentence() : QString();
}

QString KeyField::text() const {
    return m_choice ? m_choice->currentText() : m_field->text();
}

void KeyField::renew() {
    const bool isSampled = m_model.options().samples(m_key.name);
    if (m_field) m_field->setEnabled(!isSampled);
    if (m_field && isSampled) return m_field->setText(tr("sampled"));
    QStringList values;
    for (const std::string& value : m_model.value().values(m_key.name)) {
        values << fieldText(m_key.name, QString::fromStdString(value));
    }
    const QString joined = values.join(QStringLiteral(", "));
    if (m_choice) {
        int index = m_choice->findData(joined);
        if (index < 0) {  // The setting is swept over several choices.
            m_choice->addItem(joined, joined);
            index = m_choice->count() - 1;
        }
        m_choice->setCurrentIndex(index);
    } else if (!m_field->isModified() || error().isEmpty()) {
        m_field->setText(joined);
    }
}

void KeyField::showError(const QString& sentence) {
    if (m_error) m_error->setSentence(sentence);
    if (m_field) {
        m_field->setProperty("wrong", !sentence.isEmpty());
        m_field->style()->polish(m_field);
        m_field->setModified(!sentence.isEmpty());
    }
}

}  // namespace ropelab::ui
