#include "ui/rooms/train/sweep_fields.h"

#include <QAbstractItemView>
#include <QEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/data/known_sets.h"
#include "core/experiment/experiment.h"
#include "core/sweep/search.h"
#include "ui/common/choice_words.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/field_note.h"
#include "ui/controls/fields.h"
#include "ui/rooms/train/chip_list_edit.h"
#include "ui/session/experiment_model.h"
#include "ui/shell/findables.h"
#include "ui/theme/dialogs.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

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
    : QWidget(parent), m_key(key), m_model(model), m_error(new FieldNote(this, FieldNote::Look::framed)) {
    auto* layout = scaledColumn(this, 4);
    auto* row = scaledRow(nullptr, 8);
    layout->addLayout(row);
    QWidget* editor = nullptr;
    if (!key.choices.empty()) {
        m_choice = new QComboBox(this);
        m_choice->setFocusPolicy(Qt::StrongFocus);
        m_choice->setMinimumContentsLength(6);
        m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        for (const ChoiceText& choice : key.choices) {
            m_choice->addItem(choiceTitle(choice), ropelab::ui::text(choice.word));
            const QString meaning = ropelab::ui::text(choice.meaning);
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
    if (m_field) setUnit(m_field, ropelab::ui::text(key.unit));
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
        m_model.edit(u"change %1"_s.arg(title(m_key)),
                     [&](Experiment& experiment) { experiment.set(m_key.name, values); });
        showError({});
        renew();
    } catch (const BadInput& error) {
        showError(fieldError(title(m_key), QString::fromStdString(error.what())));
    }
}

QString KeyField::error() const {
    return m_error ? m_error->text() : QString();
}

void KeyField::renew() {
    const bool isSampled = m_model.options().samples(m_key.name);
    if (m_field) m_field->setEnabled(!isSampled);
    if (m_field && isSampled) return m_field->setText(u"sampled"_s);
    QStringList values;
    for (const std::string& value : m_model.value().values(m_key.name)) {
        values << fieldText(m_key.name, QString::fromStdString(value));
    }
    const QString joined = values.join(u", "_s);
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
    if (m_error) m_error->say(sentence);
    if (m_field) {
        setLook(m_field, "wrong", !sentence.isEmpty());
        m_field->setModified(!sentence.isEmpty());
    }
}

namespace {

// Item data of the entries "Choose a file …" and "Choose a folder …". A line break is not a valid data set name, so
// these cannot be confused with one.
const QString kAskForFile = u"\n"_s;
const QString kAskForFolder = u"\n\n"_s;

}  // namespace

DataChoice::DataChoice(ExperimentModel& model, std::filesystem::path dataDir, QWidget* parent)
    : QComboBox(parent), m_model(model), m_dataDir(std::move(dataDir)) {
    setAccessibleName(u"Data"_s);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumContentsLength(8);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    connect(this, &QComboBox::activated, this, &DataChoice::pick);
    connect(&model, &ExperimentModel::changed, this, &DataChoice::renew);
    renew();
}

void DataChoice::renew() {
    clear();
    const auto add = [this](const QString& title, const QString& name, const QString& about) {
        addItem(title, name);
        setItemData(count() - 1, about, Qt::ToolTipRole);
    };
    add(u"synthetic"_s, u"synthetic"_s,
        u"Data set in a synthetic language whose next character depends on distant positions. Its best possible loss "
        "is known."_s);
    add(u"synthetic, local"_s, u"synthetic-local"_s,
        u"Data set in a synthetic language whose next character depends only on the previous one, so position "
        "encodings should hardly matter. It serves as a control experiment."_s);
    for (const KnownSet& set : known_sets()) {
        try {
            if (const auto found = find_on_disk(set, m_dataDir)) {
                add(QString::fromStdString(set.title), QString::fromStdString(set.name),
                    QString::fromStdString(found->description));
            }
        } catch (const BadInput&) {
            // An invalid data folder contains no data sets. A run that names one of them reports the error itself.
        }
    }
    const auto values = m_model.value().values("data");
    if (values.size() > 1) {
        const QString all = texts(values).join(u", "_s);
        add(u"%1 data sets"_s.arg(values.size()), all, all);
        setCurrentIndex(count() - 1);
    } else {
        const QString name = QString::fromStdString(values.front());
        if (findData(name) < 0) add(QFileInfo(name).fileName(), name, name);
        setCurrentIndex(findData(name));
    }
    setToolTip(itemData(currentIndex(), Qt::ToolTipRole).toString());
    insertSeparator(count());
    add(u"Choose a folder …"_s, kAskForFolder,
        u"Trains on all files of a folder, of any size, with bytes as tokens. The files are read in the order of their "
        "names."_s);
    add(u"Choose a file …"_s, kAskForFile, u"Trains on a text file of your own, with characters or bytes as tokens."_s);
}

void DataChoice::pick(int index) {
    QString name = itemData(index).toString();
    if (name == kAskForFile) {
        name = dialogs().open(window(), {.title = u"Choose a text file to train on"_s, .filters = u"All files (*)"_s});
    } else if (name == kAskForFolder) {
        name = dialogs().folder(window(), {.title = u"Choose a folder of files to train on"_s});
    }
    const QString refusal = problemOf([&] {
        if (name.isEmpty()) return;
        m_model.edit(u"change data"_s, [&](Experiment& experiment) { experiment.set("data", {name.toStdString()}); });
    });
    if (!refusal.isEmpty()) emit refused(refusal);
    renew();
}

namespace {

struct Size {
    QString layers;
    QString heads;
    QString width;
    QString context;

    bool operator==(const Size& other) const = default;
};

const std::array<Size, 5> kSizes = {{
    {u"1"_s, u"1"_s, u"32"_s, u"64"_s},
    {u"2"_s, u"2"_s, u"64"_s, u"128"_s},
    {u"4"_s, u"4"_s, u"128"_s, u"64"_s},
    {u"4"_s, u"4"_s, u"128"_s, u"256"_s},
    {u"6"_s, u"6"_s, u"384"_s, u"256"_s},
}};

QString title(const Size& size) {
    return u"%1×%2, context %3"_s.arg(size.layers, size.width, size.context);
}

Size sizeOf(const Experiment& experiment) {
    const auto joined = [&](const char* key) { return texts(experiment.values(key)).join(u", "_s); };
    return {joined("layers"), joined("heads"), joined("width"), joined("context")};
}

}  // namespace

ModelChoice::ModelChoice(ExperimentModel& model, QWidget* parent) : QComboBox(parent), m_model(model) {
    setAccessibleName(u"Model"_s);
    setToolTip(u"Model size: number of layers × width of the residual stream, and context length in tokens."_s);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumContentsLength(8);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    for (const Size& size : kSizes) addItem(title(size));
    connect(this, &QComboBox::activated, this, &ModelChoice::pick);
    connect(&model, &ExperimentModel::changed, this, &ModelChoice::renew);
    renew();
}

void ModelChoice::renew() {
    const int known = static_cast<int>(kSizes.size());
    while (count() > known) removeItem(count() - 1);
    const Size chosen = sizeOf(m_model.value());
    const auto place = std::find(kSizes.begin(), kSizes.end(), chosen);
    if (place == kSizes.end()) addItem(title(chosen));
    setCurrentIndex(static_cast<int>(place - kSizes.begin()));
}

void ModelChoice::pick(int index) {
    if (index < static_cast<int>(kSizes.size())) {
        const Size& size = kSizes[static_cast<std::size_t>(index)];
        m_model.edit(u"change model"_s, [&size](Experiment& experiment) {
            experiment.set("layers", {size.layers.toStdString()});
            experiment.set("heads", {size.heads.toStdString()});
            experiment.set("width", {size.width.toStdString()});
            experiment.set("context", {size.context.toStdString()});
        });
    }
    renew();
}

namespace {

constexpr int kNoSearch = -1;  // data of the entry "all combinations"

// The chips store "learning_rate=0.0001..0.01 log".
QString parsedRange(const QString& typed) {
    const auto range = parse_search_range(typed.trimmed().toStdString());
    if (!range) {
        throw BadInput("\"" + typed.toStdString() +
                       "\" is not a range of values; write it like learning_rate = 1e-3..1e-2 log.");
    }
    return QString::fromStdString(range_text(*range));
}

/// A value that a field of whole numbers can show.
int boxed(std::int64_t value) {
    return static_cast<int>(std::clamp<std::int64_t>(value, 0, std::numeric_limits<int>::max()));
}

FormRow methodRow() {
    return {
        "method", u"method"_s, u"Search method"_s,
        u"Selects which combinations of settings the sweep trains. All combinations: every combination of the listed "
        "values. Random samples: independent samples from the ranges. Sobol samples: points of a Sobol sequence, which "
        "fill the ranges evenly. Successive halving: Sobol samples (without ranges, all combinations); after r, 2r, "
        "4r, "
        "… steps (rungs) the half of the settings with the higher mean validation loss over seeds is stopped."_s,
        ChoiceRow{{{u"all combinations"_s, kNoSearch},
                   {u"random samples"_s, static_cast<int>(Search::Method::random)},
                   {u"Sobol samples"_s, static_cast<int>(Search::Method::sobol)},
                   {u"successive halving"_s, static_cast<int>(Search::Method::halving)}}}};
}

QList<FormRow> searchRows() {
    constexpr int largest = std::numeric_limits<int>::max();
    return {
        {"samples", u"samples"_s, u"Number of samples"_s,
         u"Number of samples that the search takes from the ranges; each sample is trained with every seed."_s,
         WholeRow{1, 10000}},
        {"seed", u"seed"_s, u"Seed of the samples"_s,
         u"Seed of the random numbers of the search. The sampled settings depend only on this seed and the ranges, and "
         "are fixed before the first run starts. A larger number of samples adds samples and keeps the first ones."_s,
         WholeRow{0, largest}},
        {"rung", u"first rung"_s, u"First rung"_s,
         u"First rung r: the training step after which successive halving stops the worse half of the settings for the "
         "first time. It must be a multiple of the evaluation interval. Auto: an eighth of the iterations, rounded up "
         "to an evaluation."_s,
         WholeRow{0, largest, u" steps"_s}},
        {"extends",
         u"Add only missing runs"_s,
         {},
         u"Trains only those runs of this sweep that the lab does not have yet, such as runs with further seeds, "
         "further values or more iterations. A run with more iterations continues from a copy of the checkpoint of the "
         "shorter run."_s,
         CheckRow{.isWide = true}},
        {"anew",
         u"Restart longer runs"_s,
         {},
         u"Added runs with more iterations start from step 0 with the learning rate schedule of their new length, "
         "instead of continuing from the checkpoint of the shorter run."_s,
         CheckRow{.isWide = true}}};
}

}  // namespace

SearchGroup::SearchGroup(ExperimentModel& experiment, QWidget* parent)
    : QWidget(parent),
      m_experiment(experiment),
      m_button(makeButton<QPushButton>(
          {},
          u"Shows the options of the search: sample settings from ranges instead of listing values, stop the worse "
          "runs early, or add only runs that the lab does not have yet."_s,
          this)),
      m_body(new QWidget(this)),
      m_form(this) {
    auto* column = scaledColumn(this, 8);
    m_button->setCheckable(true);
    connect(m_button, &QPushButton::clicked, this, [this] { setShown(m_body->isHidden()); });
    column->addWidget(m_button);
    column->addWidget(m_body);
    shownBy(m_body, m_button);
    makeFields();
    setShown(false);
    connect(&m_experiment, &ExperimentModel::changed, this, &SearchGroup::renew);
    renew();
}

void SearchGroup::setShown(bool shown) {
    m_body->setVisible(shown);
    m_button->setText(shown ? u"Search ▲"_s : u"Search ▼"_s);
    m_button->setChecked(shown);
}

void SearchGroup::makeFields() {
    auto* column = scaledColumn(m_body, 8);
    m_form.add(column, {methodRow()});
    auto* grid = static_cast<QGridLayout*>(column->itemAt(0)->layout());
    m_ranges = new ChipListEdit(u"ranges"_s, m_body);
    m_ranges->setParser(parsedRange);
    // The range of the learning rate begins above the final_learning_rate of every preset.
    m_ranges->setSuggestions({u"learning_rate=0.0005..0.01 log"_s, u"theta=500..500000 log"_s, u"fraction=0..1"_s,
                              u"weight_decay=0..0.3"_s, u"dropout=0..0.3"_s});
    m_ranges->setPlaceholder(u"no range"_s);
    connect(m_ranges, &ChipListEdit::edited, this, [this](const QStringList& typed) {
        const QString refusal = problemOf([&] {
            change(u"change ranges of the search"_s, [&typed](SweepOptions& options) {
                if (!options.search) options.search.emplace();
                options.search->ranges.clear();
                for (const QString& range : typed) {
                    SearchRange parsed = *parse_search_range(range.toStdString());
                    if (options.search->samples_key(parsed.key))
                        throw BadInput("The setting " + parsed.key +
                                       " has two ranges in the search; give it only one.");
                    options.search->ranges.push_back(std::move(parsed));
                }
            });
        });
        renew();
        m_ranges->showError(refusal);
    });
    QLabel* label = addField(
        grid, u"ranges"_s, m_ranges,
        u"Ranges from which the search samples, for example: learning_rate = 1e-3..1e-2 log, where log means uniform "
        "in the logarithm. A sampled setting has no listed values."_s);
    scaleMargins(label, {0, 4, 0, 0});  // aligns the label with the first line of chips
    grid->setAlignment(label, Qt::AlignTop);

    m_form.add(column, searchRows());
    m_form.field<QSpinBox>("rung")->setSpecialValueText(u"auto"_s);
    for (const char* number : {"samples", "seed", "rung"}) m_form.field<QSpinBox>(number)->setKeyboardTracking(false);
    connect(&m_form, &Form::changed, this, &SearchGroup::adopt);
}

void SearchGroup::adopt(std::string_view id) {
    const int value = m_form.value(id).toInt();
    if (id == "method") {
        change(u"change method of search"_s, [value](SweepOptions& options) {
            if (value == kNoSearch) return options.search.reset();
            if (!options.search) options.search.emplace();
            options.search->method = static_cast<Search::Method>(value);
        });
    }
    const auto set = [&](const char* number, std::int64_t Search::*member, const QString& text) {
        if (id != number) return;
        change(text, [member, value](SweepOptions& options) {
            if (options.search) (*options.search).*member = value;
        });
    };
    set("samples", &Search::samples, u"change number of samples"_s);
    set("seed", &Search::seed, u"change seed of the samples"_s);
    set("rung", &Search::first_rung, u"change first rung"_s);
    const bool on = value != 0;
    if (id == "extends") {
        change(on ? u"add only missing runs"_s : u"add all runs"_s,
               [on](SweepOptions& options) { options.extends = on; });
    }
    if (id == "anew") {
        change(u"change whether longer runs restart or continue"_s, [on](SweepOptions& options) { options.anew = on; });
    }
}

void SearchGroup::change(const QString& text, const std::function<void(SweepOptions&)>& edit) {
    m_experiment.editOptions(text, [&edit](Experiment& experiment, SweepOptions& options) {
        edit(options);
        if (!options.search || options.search->ranges.empty()) return;
        // The samples are the sweep's list of runs, and a sampled setting has no other values.
        experiment.set_explicit_runs({});
        for (const SearchRange& range : options.search->ranges) experiment.set(range.key, {});
    });
}

void SearchGroup::renew() {
    const SweepOptions& options = m_experiment.options();
    const Search search = options.search.value_or(Search());
    const bool hasRanges = !search.ranges.empty();
    const bool isHalving = options.search && search.method == Search::Method::halving;
    m_form.showValue("method", options.search ? static_cast<int>(search.method) : kNoSearch);
    QStringList ranges;
    for (const SearchRange& range : search.ranges) ranges << QString::fromStdString(range_text(range));
    m_ranges->setValues(ranges);
    m_ranges->setEnabled(options.search.has_value());
    m_form.showValue("samples", boxed(search.samples));
    m_form.showValue("seed", boxed(search.seed));
    m_form.showValue("rung", boxed(search.first_rung));
    m_form.setEnabled("samples", hasRanges);
    m_form.setEnabled("seed", hasRanges);
    m_form.setEnabled("rung", isHalving);
    m_form.showValue("extends", options.extends);
    m_form.showValue("anew", options.anew);
    m_form.setEnabled("extends", !isHalving || options.extends);
    m_form.setEnabled("anew", options.extends);
    const bool isUsed = options.search || options.extends;
    if (isUsed && !m_wasUsed) setShown(true);
    m_wasUsed = isUsed;
}

}  // namespace ropelab::ui

#include "moc_sweep_fields.cpp"
