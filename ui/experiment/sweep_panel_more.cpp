// What stands behind "more settings": how values combine, and every key that the simple part does not show.
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <string_view>

#include "core/spec/error.h"
#include "ui/experiment/chip_list_edit.h"
#include "ui/experiment/key_field.h"
#include "ui/experiment/sweep_chips.h"
#include "ui/experiment/sweep_panel.h"
#include "ui/window/fields.h"
#include "ui/window/scaled.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {

namespace {

// Keys that the simple part shows; all others stand behind "more settings".
constexpr std::array<std::string_view, 7> simpleKeys = {"theta", "fraction",      "seed",      "data",
                                                        "batch", "learning_rate", "iterations"};

}  // namespace

QWidget* SweepPanel::makeMore() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    m_moreButton = new QPushButton(box);
    m_moreButton->setFocusPolicy(Qt::TabFocus);
    connect(m_moreButton, &QPushButton::clicked, this, [this] { setMoreShown(m_more->isHidden()); });
    column->addWidget(m_moreButton);
    m_more = new QWidget(box);
    column->addWidget(m_more);
    auto* grid = new QGridLayout(m_more);
    scaleLayout(grid, {0, 0, 0, 0}, 8);
    grid->setColumnStretch(1, 1);
    addCombining(grid);
    std::string_view group;
    for (const Key& entry : keys()) {
        if (std::find(simpleKeys.begin(), simpleKeys.end(), entry.name) != simpleKeys.end()) continue;
        if (entry.group != group) {
            group = entry.group;
            const auto title = QString::fromUtf8(group.data(), static_cast<qsizetype>(group.size()));
            grid->addWidget(makeHeading(title, m_more), grid->rowCount(), 0, 1, 2);
        }
        auto* field = new KeyField(entry, m_workspace.experiment(), m_more);
        QLabel* label = addField(grid, KeyField::title(entry), field, field->toolTip(), 104);
        label->setWordWrap(true);
    }
    setMoreShown(false);
    return box;
}

void SweepPanel::addCombining(QGridLayout* grid) {
    grid->addWidget(makeHeading(tr("combinations"), m_more), grid->rowCount(), 0, 1, 2);
    // What holds for the list as a whole (a key zipped twice) is found when the list is taken over.
    const auto take = [this](ChipListEdit* edit, const QString& what, auto change) {
        connect(edit, &ChipListEdit::edited, this, [this, what, change](const QStringList& values) {
            try {
                m_workspace.experiment().edit(tr("change %1").arg(what),
                                              [&](Experiment& experiment) { change(experiment, values); });
                emit m_workspace.solved(QStringLiteral("combinations"));
            } catch (const BadInput& refusal) {
                emit m_workspace.problem(QStringLiteral("combinations"), QString::fromStdString(refusal.what()));
            }
            renew();
        });
    };
    m_zips = new ChipListEdit(tr("together"), m_more);
    m_zips->setParser([](const QString& typed) {
        Experiment scratch;
        scratch.add_zip(typed.toStdString());
        return zipText(scratch.zips().front());
    });
    take(m_zips, tr("zipped keys"), [](Experiment& experiment, const QStringList& values) {
        experiment.set_zips({});
        for (const QString& value : values) experiment.add_zip(value.toStdString());
    });
    addChips(grid, tr("together"), m_zips,
             tr("Keys that vary together, first value with first value, in place of a grid: theta, context."));
    m_exclusions = new ChipListEdit(tr("left out"), m_more);
    m_exclusions->setParser([](const QString& typed) {
        Experiment scratch;
        scratch.add_exclusion(typed.toStdString());
        return QString::fromStdString(assignments_text(scratch.exclusions().front()));
    });
    take(m_exclusions, tr("exclusions"), [](Experiment& experiment, const QStringList& values) {
        experiment.set_exclusions({});
        for (const QString& value : values) experiment.add_exclusion(value.toStdString());
    });
    addChips(grid, tr("left out"), m_exclusions, tr("Runs that have all of these values: fraction = 0, theta = 500."));
}

}  // namespace ropelab::ui
