#include "ui/rooms/rotation/shift_card.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/rope/number_format.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/rotation_text.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

constexpr int kRows = 3;
constexpr std::int64_t kFarthest = std::int64_t{1} << 30;

QString logitText(double value) {
    const QString digits = QString::number(std::abs(value), 'f', 3);
    return value < 0 && digits != QLatin1String("0.000") ? QChar(0x2212) + digits : digits;
}

QString bfloat16Text(std::int64_t position) {
    return readableCount(rounded(static_cast<double>(position), NumberFormat::bfloat16));
}

QString anglesText(const RotationScene& scene) {
    const auto index = scene.enlargedPair();
    if (!index) {
        return {};
    }
    const PairTerm before = scene.term(*index, *scene.state.shiftedFrom);
    const PairTerm after = scene.term(*index);
    return ShiftCard::tr(
               "Pair %1: mωᵢ changes from %2 to %3 and nωᵢ from %4 to %5. The angle from the rotated k to the "
               "rotated q, φ + (m − n)ωᵢ, stays %6.")
        .arg(*index)
        .arg(degreesText(before.query_rotation), degreesText(after.query_rotation), degreesText(before.key_rotation),
             degreesText(after.key_rotation), betweenText(after.angle));
}

}  // namespace

ShiftCard::ShiftCard(QWidget* parent)
    : QWidget(parent),
      m_shift(new QPushButton(tr("m + 1000, n + 1000"), this)),
      m_undo(new QPushButton(tr("Undo"), this)),
      m_table(new QWidget(this)),
      m_sentence(makeNote(this)),
      m_angles(makeNote(this)) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 4);
    auto* buttons = new QHBoxLayout;
    scaleLayout(buttons, {0, 0, 0, 0}, 8);
    m_shift->setToolTip(
        tr("Adds 1,000 to m and n. The distance does not change, so the logit should not either (Su et al. 2021, "
           "formula 2)."));
    m_undo->setToolTip(tr("Restores the values of m and n before the shift."));
    m_undo->setAccessibleName(tr("Undo the shift of m and n"));
    buttons->addWidget(m_shift, 1);
    buttons->addWidget(m_undo);
    keepSpace(m_undo);
    column->addLayout(buttons);

    auto* grid = new QGridLayout(m_table);
    scaleLayout(grid, {0, 0, 0, 0}, 2);
    grid->setColumnStretch(0, 1);
    const QStringList titles = {tr("logit"), tr("before"), tr("after"), tr("change")};
    for (int i = 0; i < titles.size(); ++i) {
        auto* title = new QLabel(titles[i], m_table);
        title->setProperty("quiet", true);
        grid->addWidget(title, 0, i, i == 0 ? Qt::AlignLeft : Qt::AlignRight);
    }
    for (int row = 0; row < kRows; ++row) {
        QList<QLabel*> cells;
        for (int i = 0; i < titles.size(); ++i) {
            cells.append(new QLabel(m_table));
            grid->addWidget(cells.last(), row + 1, i, i == 0 ? Qt::AlignLeft : Qt::AlignRight);
        }
        m_cells.append(cells);
    }
    column->addWidget(m_table);
    column->addWidget(m_sentence);
    column->addWidget(m_angles);
    column->addStretch(1);
    connect(m_shift, &QPushButton::clicked, this, &ShiftCard::shiftRequested);
    connect(m_undo, &QPushButton::clicked, this, &ShiftCard::undoRequested);
}

void ShiftCard::show(const RotationScene& scene, const std::optional<RotationScene>& other, bool editsB) {
    const RotationState& state = scene.state;
    const bool shifted = state.shiftedFrom.has_value();
    m_undo->setVisible(shifted);
    m_table->setVisible(shifted);
    m_angles->setText(shifted ? anglesText(scene) : QString());
    m_angles->setVisible(!m_angles->text().isEmpty());
    m_shift->setEnabled(std::max(state.m, state.n) + kShift <= kFarthest);
    if (!shifted) {
        m_sentence->setText(
            tr("RoPE depends only on the distance: the logit does not change when q and k are shifted together. It "
               "changes when positions are rounded to bfloat16."));
        return;
    }
    const QList<ShiftRow> rows = shiftRows(scene, *state.shiftedFrom, {state.m, state.n});
    const QList<ShiftRow> others =
        other ? shiftRows(*other, *state.shiftedFrom, {state.m, state.n}) : QList<ShiftRow>();
    const Theme& theme = ThemeManager::instance().theme();
    for (qsizetype i = 0; i < rows.size(); ++i) {
        const ShiftRow& row = rows[i];
        const double change = row.after - row.before;
        const auto both = [&](const QString& mine, const auto& textOf) {
            if (others.isEmpty()) return mine;
            const QString theirs = textOf(others[i]);
            return QStringLiteral("A %1\nB %2").arg(editsB ? theirs : mine, editsB ? mine : theirs);
        };
        const auto changeText = [](const ShiftRow& each) {
            return each.after == each.before ? QStringLiteral("0") : logitText(each.after - each.before);
        };
        m_cells[i][0]->setText(row.name);
        m_cells[i][0]->setToolTip(row.tip);
        m_cells[i][1]->setText(
            both(logitText(row.before), [](const ShiftRow& each) { return logitText(each.before); }));
        m_cells[i][2]->setText(both(logitText(row.after), [](const ShiftRow& each) { return logitText(each.after); }));
        m_cells[i][3]->setText(both(changeText(row), changeText));
        m_cells[i][3]->setToolTip(readableNumber(change));
        const bool stays = row.stays && (others.isEmpty() || others[i].stays);
        m_cells[i][3]->setStyleSheet(QStringLiteral("color: %1;").arg((stays ? theme.success : theme.error).name()));
    }
    const auto wrong = first_inexact_position(NumberFormat::bfloat16);
    const auto verdict = [](const ShiftRow& row) {
        return row.stays ? tr("unchanged except for rounding (%1)").arg(readableNumber(row.after - row.before))
                         : tr("changed");
    };
    const auto verdicts = [&](qsizetype i) {
        if (others.isEmpty()) return verdict(rows[i]);
        return tr("A %1, B %2").arg(verdict((editsB ? others : rows)[i]), verdict((editsB ? rows : others)[i]));
    };
    m_sentence->setText(tr("Logit in float32: %1; in bfloat16: %2. bfloat16 represents positions exactly up to %3; the "
                           "first wrong position is %4.")
                            .arg(verdicts(1), verdicts(2))
                            .arg(wrong - 1)
                            .arg(wrong));
    m_sentence->setToolTip(
        tr("bfloat16 rounds position %1 to %2 and position %3 to %4.")
            .arg(groupedText(state.m), bfloat16Text(state.m), groupedText(state.n), bfloat16Text(state.n)));
}

QString ShiftCard::text() const {
    QStringList lines;
    for (const QList<QLabel*>& row : m_cells) {
        QStringList words;
        for (const QLabel* cell : row) {
            words += cell->text();
        }
        lines += words.join(QLatin1Char(' '));
    }
    lines += m_sentence->text();
    if (!m_angles->text().isEmpty()) {
        lines += m_angles->text();
    }
    return m_table->isHidden() ? QString() : lines.join(QLatin1Char('\n'));
}

}  // namespace ropelab::ui
