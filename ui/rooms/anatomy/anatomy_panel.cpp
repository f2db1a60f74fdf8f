#include "ui/rooms/anatomy/anatomy_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/plan/step_cost.h"
#include "ui/common/choice_words.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/field_note.h"
#include "ui/controls/fields.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kWideLabel = 112;  // pixels at 100 %

// Settings of a model that change neither shapes nor counts.
constexpr std::array<std::string_view, 9> kWithoutStages = {"dropout",        "theta",          "fraction",
                                                            "partial",        "pairs",          "rotated_layers",
                                                            "rope_precision", "theta_schedule", "theta_end"};

/// Settings that are always visible; the others are below "More settings".
constexpr std::array<std::string_view, 12> kMainSettings = {
    "layers",           "heads",           "width",        "context", "block", "position", "attention",
    "attention_layers", "key_value_heads", "feed_forward", "experts", "norm"};

bool isMain(std::string_view key) {
    return std::find(kMainSettings.begin(), kMainSettings.end(), key) != kMainSettings.end();
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct TotalRow {
    const char* name;
    const char* title;
    const char* why;
    double (*of)(const AnatomyModel& model);  // NaN if it is unknown
    QString (*text)(double value);
};

template <auto member>
double totalOf(const AnatomyModel& model) {
    const auto total = model.anatomy.totals().*member;
    return total ? static_cast<double>(*total) : kUnknown;
}

QString wholeNumber(double value) {
    return groupedText(std::llround(value));
}

constexpr std::array<TotalRow, 6> kTotals = {{
    {"parameters", "parameters", "Number of trainable parameters, including those of all experts.",
     totalOf<&AnatomyTotals::parameters>, wholeNumber},
    {"active", "active parameters",
     "Number of parameters that process each token. In a mixture of experts, these are the parameters outside the "
     "experts and those of the experts to which the token is routed.",
     totalOf<&AnatomyTotals::active_parameters>, wholeNumber},
    {"operations", "FLOPs/token",
     "Floating-point operations of a forward pass per token, in linear layers and attention. A multiplication and an "
     "addition count as two operations.",
     totalOf<&AnatomyTotals::operations>, wholeNumber},
    {"step", "training FLOPs/step",
     "Floating-point operations of a training step of the whole batch: a forward pass, and twice as many for the "
     "backward pass.",
     [](const AnatomyModel& model) {
         return model.spec ? training_operations(*model.spec, model.vocabulary) : kUnknown;
     },
     [](double value) { return roundText(value); }},
    {"cache", "KV cache/token",
     "Bytes of the KV cache per token, over all layers (formulas 32 and 44): a run of this program stores a number in "
     "the "
     "4 bytes of float32, a known model in the 2 bytes of bfloat16. They do not include the states of gated "
     "DeltaNets, whose size does not depend on the number of tokens.",
     totalOf<&AnatomyTotals::cache_bytes_per_token>, [](double value) { return u"%1 B"_s.arg(wholeNumber(value)); }},
    {"memory", "training memory", "Predicted memory of training one run on the CPU.",
     [](const AnatomyModel& model) {
         return model.spec ? static_cast<double>(memory_need(*model.spec, 1, model.vocabulary).total()) : kUnknown;
     },
     [](double value) { return bytesText(std::llround(value)); }},
}};

/// "+36.7 %", or the difference itself if `isAbsolute` or the original is 0.
QString differenceText(const TotalRow& row, double value, double original, bool isAbsolute) {
    if (!std::isfinite(value) || !std::isfinite(original) || value == original) return QString();
    const double size = std::abs(value - original);
    return QChar(value > original ? u'+' : u'\u2212') +
           (isAbsolute || original == 0 ? row.text(size)
                                        : u"%1 %"_s.arg(QString::number(100 * size / original, 'f', 1)));
}

FormRow rowOf(const Key& key) {
    QList<ChoiceRow::Entry> entries;
    if (std::holds_alternative<bool>(key.get(RunSpec{}))) entries = {{u"no"_s, u"false"_s}, {u"yes"_s, u"true"_s}};
    for (const ChoiceText& each : key.choices) entries.append({choiceTitle(each), text(each.word)});
    FormRow row{key.name, text(key.name).replace(QLatin1Char('_'), QLatin1Char(' ')), {}, text(key.meaning), TextRow()};
    if (!entries.isEmpty()) row.kind = ChoiceRow{.entries = entries, .letters = 6};
    return row;
}

}  // namespace

const std::vector<const Key*>& anatomySettings() {
    static const std::vector<const Key*> found = [] {
        std::vector<const Key*> result;
        for (const Key& key : keys()) {
            const bool isPart = key.group == "model" && std::find(kWithoutStages.begin(), kWithoutStages.end(),
                                                                  key.name) == kWithoutStages.end();
            if (isPart) result.push_back(&key);
        }
        return result;
    }();
    return found;
}

AnatomyPanel::AnatomyPanel(QWidget* parent) : QFrame(parent), m_form(this, kWideLabel) {
    const auto [area, content, column] = makePanel(this, u"Anatomy"_s);
    column->addWidget(makeHeading(u"Model"_s, content));
    m_source = makeChoice(u"Source of the model"_s, content, 12);
    m_source->setToolTip(
        u"The model whose stages are listed: the model of the sweep panel, the model of a run in the lab file, a known "
        "model, or an opened Hugging Face config.json."_s);
    column->addWidget(m_source);
    m_open =
        makeButton<QPushButton>(u"Open config.json …"_s, u"Opens the config.json of a Hugging Face model."_s, content);
    column->addWidget(m_open);
    addTotals(content, column);
    addFields(content, column);
    m_output = new TableOutput(content);
    m_output->setReady(true);
    column->addWidget(m_output);
    column->addStretch(1);
}

void AnatomyPanel::addTotals(QWidget* content, QVBoxLayout* column) {
    column->addWidget(makeHeading(u"Totals of the chosen model"_s, content));
    auto* grid = new QGridLayout;
    scaleLayout(grid, {0, 0, 0, 0}, 4);
    grid->setColumnStretch(1, 1);
    for (const TotalRow& row : kTotals) {
        const int at = static_cast<int>(m_totals.size());
        auto* title = new QLabel(QString::fromUtf8(row.title), content);
        auto* difference = new QLabel(content);
        auto* value = new QLabel(content);
        for (QLabel* label : {title, difference}) label->setProperty("quiet", true);
        value->setAccessibleName(title->text());
        difference->setAccessibleName(u"Difference of %1 from the original model"_s.arg(title->text()));
        for (QLabel* label : {title, difference, value}) label->setToolTip(QString::fromUtf8(row.why));
        grid->addWidget(title, at, 0);
        grid->addWidget(difference, at, 1, Qt::AlignRight);
        grid->addWidget(value, at, 2, Qt::AlignRight);
        m_totals.push_back({QLatin1String(row.name), title, value, difference});
    }
    column->addLayout(grid);
}

void AnatomyPanel::addFields(QWidget* content, QVBoxLayout* column) {
    column->addWidget(makeHeading(u"Modified copy of the model"_s, content));
    m_moreButton = makeButton<QPushButton>({},
                                           u"Shows or hides further settings that change the stages of the "
                                           "model."_s,
                                           content);
    m_moreButton->setCheckable(true);
    QList<FormRow> main;
    QList<FormRow> more;
    for (const Key* key : anatomySettings()) (isMain(key->name) ? main : more).append(rowOf(*key));
    m_form.add(column, main);
    column->addWidget(m_moreButton);
    m_more = new QWidget(content);
    m_form.add(scaledColumn(m_more, 0), more);
    column->addWidget(m_more);
    connect(&m_form, &Form::finished, this, [this](std::string_view id) {
        const QString value = m_form.value(id).toString().trimmed();
        emit edited(text(id), qobject_cast<QLineEdit*>(field(id)) ? fieldValue(id, value) : value);
    });
    connect(m_moreButton, &QPushButton::toggled, this, &AnatomyPanel::showMore);
    showMore(false);
    m_problem = makeText(u"Reason why a value was refused"_s, content);
    colorAsError(m_problem);
    m_problem->hide();
    column->addWidget(m_problem);
    auto* row = scaledRow(nullptr, 8);
    m_use = makeButton<QPushButton>(u"Use in the sweep"_s,
                                    u"Copies the settings of the modified model into the sweep panel; one Undo "
                                    "reverts the copying."_s,
                                    content);
    m_reset = makeButton<QPushButton>(u"Reset"_s, u"Restores the settings of the original model."_s, content);
    row->addWidget(m_use, 1);
    row->addWidget(m_reset, 1);
    column->addLayout(row);
}

void AnatomyPanel::showSettings(const std::optional<RunSpec>& spec) {
    for (const Key* key : anatomySettings()) {
        m_form.setEnabled(key->name, spec.has_value());
        const QString value = spec ? text(to_text(key->get(*spec))) : QString();
        auto* choice = qobject_cast<QComboBox*>(field(key->name));
        if (choice && !spec) {  // else the list would look like a fact about the model
            choice->setCurrentIndex(-1);
        } else {
            m_form.setValue(key->name, choice || !spec ? value : fieldText(key->name, value));
        }
    }
}

void AnatomyPanel::showTotals(const AnatomyModel& model, const AnatomyModel& original) {
    for (std::size_t i = 0; i < kTotals.size(); ++i) {
        const TotalRow& row = kTotals[i];
        const Total& total = m_totals[i];
        const double value = row.of(model);
        total.value->setText(std::isfinite(value) ? row.text(value) : u"–"_s);
        const double before = row.of(original);
        total.difference->setText(differenceText(row, value, before, false));
        const QString size = differenceText(row, value, before, true);
        total.difference->setToolTip(size.isEmpty() ? total.value->toolTip() : size);
        if (total.name != "active"_L1) continue;
        // All parameters are active in a model without experts.
        const bool isSparse = total.value->text() != m_totals.front().value->text();
        for (QLabel* label : {total.title, total.value, total.difference}) label->setVisible(isSparse);
    }
}

void AnatomyPanel::showMore(bool isShown) {
    m_more->setVisible(isShown);
    m_moreButton->setChecked(isShown);
    m_moreButton->setText(isShown ? u"Fewer settings ▲"_s : u"More settings ▼"_s);
}

void AnatomyPanel::showProblem(const QString& sentence) {
    delete m_refusal;
    m_problem->setText(sentence);
    m_problem->setVisible(!sentence.isEmpty());
}

void AnatomyPanel::showRefusal(const QString& key, const QString& sentence) {
    showProblem(QString());
    if (!isMain(key.toStdString())) showMore(true);  // the reason is beside the field
    m_refusal = new FieldNote(field(key.toStdString()));
    m_refusal->setAccessibleName(u"Why the value was refused"_s);
    m_refusal->say(sentence);
}

void AnatomyPanel::offer(bool isEdited, bool isUsable) {
    m_use->setEnabled(isUsable);
    m_reset->setEnabled(isEdited);
}

QString AnatomyPanel::total(const QString& name) const {
    for (const Total& total : m_totals) {
        if (total.name == name) return total.value->text();
    }
    return {};
}

QString AnatomyPanel::difference(const QString& name) const {
    for (const Total& total : m_totals) {
        if (total.name == name) return total.difference->text();
    }
    return {};
}

QString AnatomyPanel::problem() const {
    return m_refusal ? m_refusal->text() : m_problem->text();
}

}  // namespace ropelab::ui

#include "moc_anatomy_panel.cpp"
