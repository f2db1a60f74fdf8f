#include "ui/rooms/train/search_group.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>
#include <utility>

#include "core/sweep/search.h"
#include "core/spec/error.h"
#include "ui/common/fields.h"
#include "ui/common/findables.h"
#include "ui/common/scaled.h"
#include "ui/rooms/train/chip_list_edit.h"
#include "ui/session/experiment_model.h"

namespace ropelab::ui {

namespace {

constexpr int kNoSearch = -1;  // data of the entry "all combinations"

// The chips store "learning_rate=0.0001..0.01 log".
QString parsedRange(const QString& typed) {
    const auto range = parse_search_range(typed.trimmed().toStdString());
    if (!range) {
        throw BadInput("\"" + typed.toStdString() +
                       "\" is not a range of a number; write it like learning_rate = 1e-3..1e-2 log.");
    }
    return QString::fromStdString(range_text(*range));
}

int boxed(std::int64_t value, const QSpinBox& box) {
    return static_cast<int>(std::clamp<std::int64_t>(value, box.minimum(), box.maximum()));
}

}  // namespace

SearchGroup::SearchGroup(ExperimentModel& experiment, QWidget* parent)
    : QWidget(parent), m_experiment(experiment), m_button(new QPushButton(this)), m_body(new QWidget(this)) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    m_button->setFocusPolicy(Qt::TabFocus);
    m_button->setCheckable(true);
    m_button->setToolTip(
        tr("Samples ranges of settings instead of listing their values, stops the worse runs early, or adds runs to "
           "those of the lab."));
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
    m_button->setText(shown ? tr("Search ▴") : tr("Search ▾"));
    m_button->setChecked(shown);
}

QSpinBox* SearchGroup::makeNumber(const QString& name, int minimum, int maximum) {
    auto* box = new QSpinBox(m_body);
    box->setRange(minimum, maximum);
    box->setAccessibleName(name);
    box->setKeyboardTracking(false);
    box->setFocusPolicy(Qt::StrongFocus);
    return box;
}

void SearchGroup::makeFields() {
    auto* column = new QVBoxLayout(m_body);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    QGridLayout* grid = makeFieldGrid();
    column->addLayout(grid);

    m_method = makeChoice(tr("Method of search"), m_body);
    m_method->addItem(tr("all combinations"), kNoSearch);
    m_method->addItem(tr("random samples"), static_cast<int>(Search::Method::random));
    m_method->addItem(tr("Sobol samples"), static_cast<int>(Search::Method::sobol));
    m_method->addItem(tr("successive halving"), static_cast<int>(Search::Method::halving));
    connect(m_method, &QComboBox::activated, this, [this] {
        const int method = m_method->currentData().toInt();
        change(tr("change method of search"), [method](SweepOptions& options) {
            if (method == kNoSearch) return options.search.reset();
            if (!options.search) options.search.emplace();
            options.search->method = static_cast<Search::Method>(method);
        });
    });
    addField(grid, tr("method"), m_method,
             tr("All combinations: the values above. Random samples: independent samples of the ranges. Sobol samples: "
                "points of a Sobol sequence, which fill the ranges evenly. Successive halving: Sobol samples, or the "
                "values above without ranges; at the rungs r, 2r, 4r, … the worse half of the settings is stopped, by "
                "the mean validation loss over their seeds."));

    m_ranges = new ChipListEdit(tr("ranges"), m_body);
    m_ranges->setParser(parsedRange);
    // The range of the learning rate begins above the final_learning_rate of every preset.
    m_ranges->setSuggestions({QStringLiteral("learning_rate=0.0005..0.01 log"), QStringLiteral("theta=500..500000 log"),
                              QStringLiteral("fraction=0..1"), QStringLiteral("weight_decay=0..0.3"),
                              QStringLiteral("dropout=0..0.3")});
    m_ranges->setPlaceholder(tr("no range"));
    connect(m_ranges, &ChipListEdit::edited, this, [this](const QStringList& typed) {
        QString refusal;
        try {
            change(tr("change ranges of the search"), [&typed](SweepOptions& options) {
                if (!options.search) options.search.emplace();
                options.search->ranges.clear();
                for (const QString& range : typed) {
                    SearchRange parsed = *parse_search_range(range.toStdString());
                    if (options.search->samples_key(parsed.key))
                        throw BadInput("The setting " + parsed.key + " has two ranges; give it one.");
                    options.search->ranges.push_back(std::move(parsed));
                }
            });
        } catch (const BadInput& error) {
            refusal = QString::fromStdString(error.what());
        }
        renew();
        m_ranges->showError(refusal);
    });
    QLabel* label =
        addField(grid, tr("ranges"), m_ranges,
                 tr("Ranges from which the search samples, for example: learning_rate = 1e-3..1e-2 log, where log "
                    "means uniform in the logarithm. A sampled setting has no other values."));
    scaleMargins(label, {0, 4, 0, 0});  // aligns the label with the first line of chips
    grid->setAlignment(label, Qt::AlignTop);

    constexpr int largest = std::numeric_limits<int>::max();
    m_samples = makeNumber(tr("Number of samples"), 1, 10000);
    addField(grid, tr("samples"), m_samples, tr("Number of samples of the ranges; each has one run per seed."));
    m_seed = makeNumber(tr("Seed of the samples"), 0, largest);
    addField(grid, tr("seed"), m_seed,
             tr("The samples depend only on this seed and the ranges, and are fixed before the first run starts. More "
                "samples begin with the same ones."));
    m_firstRung = makeNumber(tr("First rung"), 0, largest);
    m_firstRung->setSpecialValueText(tr("auto"));
    m_firstRung->setSuffix(tr(" steps"));
    addField(grid, tr("first rung"), m_firstRung,
             tr("Iteration r of the first rung, at which successive halving stops the worse half of the settings; a "
                "multiple of the interval of evaluations. Auto: an eighth of the iterations, rounded up to an "
                "evaluation."));
    const auto connectNumber = [this](QSpinBox* box, std::int64_t Search::*member, const QString& text) {
        connect(box, &QSpinBox::valueChanged, this, [this, member, text](int value) {
            change(text, [member, value](SweepOptions& options) {
                if (options.search) (*options.search).*member = value;
            });
        });
    };
    connectNumber(m_samples, &Search::samples, tr("change number of samples"));
    connectNumber(m_seed, &Search::seed, tr("change seed of the samples"));
    connectNumber(m_firstRung, &Search::first_rung, tr("change first rung"));

    m_extends = new QCheckBox(tr("Add only missing runs"), m_body);
    m_extends->setToolTip(
        tr("Adds only those runs of this sweep that the lab does not have yet: more seeds, more values or more "
           "iterations. A run with more iterations continues from a copy of the checkpoint of the shorter one."));
    connect(m_extends, &QCheckBox::toggled, this, [this](bool on) {
        change(on ? tr("add only missing runs") : tr("add all runs"),
               [on](SweepOptions& options) { options.extends = on; });
    });
    column->addWidget(m_extends);
    m_anew = new QCheckBox(tr("Longer runs begin anew"), m_body);
    m_anew->setToolTip(
        tr("Added runs with more iterations begin from the beginning, with the learning rate schedule of their new "
           "length, instead of continuing from a checkpoint."));
    connect(m_anew, &QCheckBox::toggled, this, [this](bool on) {
        change(tr("change how longer runs begin"), [on](SweepOptions& options) { options.anew = on; });
    });
    column->addWidget(m_anew);
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
    m_method->setCurrentIndex(m_method->findData(options.search ? static_cast<int>(search.method) : kNoSearch));
    QStringList ranges;
    for (const SearchRange& range : search.ranges) ranges << QString::fromStdString(range_text(range));
    m_ranges->setValues(ranges);
    m_ranges->setEnabled(options.search.has_value());
    for (const auto& [box, value] : {std::pair(m_samples, search.samples), std::pair(m_seed, search.seed),
                                     std::pair(m_firstRung, search.first_rung)}) {
        const QSignalBlocker block(box);
        box->setValue(boxed(value, *box));
    }
    m_samples->setEnabled(hasRanges);
    m_seed->setEnabled(hasRanges);
    m_firstRung->setEnabled(isHalving);
    for (const auto& [box, on] : {std::pair(m_extends, options.extends), std::pair(m_anew, options.anew)}) {
        const QSignalBlocker block(box);
        box->setChecked(on);
    }
    m_extends->setEnabled(!isHalving || options.extends);
    m_anew->setEnabled(options.extends);
    const bool isUsed = options.search || options.extends;
    if (isUsed && !m_wasUsed) setShown(true);
    m_wasUsed = isUsed;
}

}  // namespace ropelab::ui
