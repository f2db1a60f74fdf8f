// The part of the sweep panel behind "More settings": how values combine, and all settings that the top of the panel
// does not show.
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <string_view>

#include "core/spec/error.h"
#include "ui/common/fields.h"
#include "ui/common/findables.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/rooms/train/chip_list_edit.h"
#include "ui/rooms/train/key_field.h"
#include "ui/rooms/train/sweep_chips.h"
#include "ui/rooms/train/sweep_panel.h"
#include "ui/session/engine_lock.h"
#include "ui/session/experiment_model.h"
#include "ui/session/lab_document.h"
#include "ui/session/rotary_model.h"
#include "ui/session/run_store.h"
#include "ui/session/session_actions.h"
#include "ui/session/settings.h"
#include "ui/session/sweep_meter.h"
#include "ui/session/sweep_session.h"

namespace ropelab::ui {

namespace {

constexpr std::array<std::string_view, 7> kSimpleKeys = {"theta", "fraction",      "seed",      "data",
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
    shownBy(m_more, m_moreButton);
    auto* grid = new QGridLayout(m_more);
    scaleLayout(grid, {0, 0, 0, 0}, 8);
    grid->setColumnStretch(1, 1);
    addCombining(grid);
    std::string_view group;
    for (const Key& entry : keys()) {
        if (std::find(kSimpleKeys.begin(), kSimpleKeys.end(), entry.name) != kSimpleKeys.end()) continue;
        if (entry.group != group) {
            group = entry.group;
            grid->addWidget(makeHeading(ropelab::ui::text(group), m_more), grid->rowCount(), 0, 1, 2);
        }
        auto* field = new KeyField(entry, m_experiment, m_more);
        considerFor(field);
        QLabel* label = addField(grid, KeyField::title(entry), field, field->toolTip(), 104);
        label->setWordWrap(true);
    }
    setMoreShown(false);
    return box;
}

void SweepPanel::addCombining(QGridLayout* grid) {
    grid->addWidget(makeHeading(tr("combinations"), m_more), grid->rowCount(), 0, 1, 2);
    // Errors of the list as a whole (for example a setting that is zipped twice) are found when the experiment changes.
    const auto connectEdit = [this](ChipListEdit* edit, const QString& what, auto change) {
        connect(edit, &ChipListEdit::edited, this, [this, what, change](const QStringList& values) {
            try {
                m_experiment.edit(tr("change %1").arg(what),
                                  [&](Experiment& experiment) { change(experiment, values); });
                emit m_actions.solved(QStringLiteral("combinations"));
            } catch (const BadInput& error) {
                emit m_actions.problem(QStringLiteral("combinations"), QString::fromStdString(error.what()));
            }
            renew();
        });
    };
    m_zips = new ChipListEdit(tr("zipped"), m_more);
    m_zips->setParser([](const QString& typed) {
        Experiment scratch;
        scratch.add_zip(typed.toStdString());
        return zipText(scratch.zips().front());
    });
    connectEdit(m_zips, tr("zipped settings"), [](Experiment& experiment, const QStringList& values) {
        experiment.set_zips({});
        for (const QString& value : values) experiment.add_zip(value.toStdString());
    });
    addChips(grid, tr("zipped"), m_zips,
             tr("Settings that vary together (first value with first value) instead of forming a grid, for example: "
                "theta, context."));
    m_exclusions = new ChipListEdit(tr("excluded"), m_more);
    m_exclusions->setParser([](const QString& typed) {
        Experiment scratch;
        scratch.add_exclusion(typed.toStdString());
        return QString::fromStdString(assignments_text(scratch.exclusions().front()));
    });
    connectEdit(m_exclusions, tr("exclusions"), [](Experiment& experiment, const QStringList& values) {
        experiment.set_exclusions({});
        for (const QString& value : values) experiment.add_exclusion(value.toStdString());
    });
    addChips(grid, tr("excluded"), m_exclusions,
             tr("Excludes the runs that have all of these values, for example: fraction = 0, theta = 500."));
}

}  // namespace ropelab::ui
