#include "ui/rooms/rotation/rotation_pages.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/rope/number_format.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/figure/ticks.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/rotation/figures/scene_figures.h"
#include "ui/rooms/rotation/position_bar.h"
#include "ui/rooms/rotation/rotation_text.h"
#include "ui/rotary/comparison.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kRows = 3;
constexpr std::int64_t kFarthest = std::int64_t{1} << 30;

QString logitText(double value) {
    const QString digits = QString::number(std::abs(value), 'f', 3);
    return value < 0 && digits != "0.000"_L1 ? QChar(0x2212) + digits : digits;
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
    return u"Pair %1: the rotation mωᵢ of q changes from %2 to %3, and the rotation nωᵢ of k from %4 to %5. The angle "
           "from the rotated k to the rotated q, φ + (m − n)ωᵢ, stays %6."_s.arg(*index)
               .arg(degreesText(before.query_rotation), degreesText(after.query_rotation),
                    degreesText(before.key_rotation), degreesText(after.key_rotation), betweenText(after.angle));
}

// Costs in evaluations of one pair at one distance: about 2 ms per frame, and about 1 s per background job.
constexpr std::int64_t kFrameBudget = std::int64_t{1} << 20;
constexpr std::int64_t kJobBudget = std::int64_t{1} << 29;
constexpr int kStretches = 1200;

bool haveSameCurve(const RotationScene& a, const RotationScene& b) {
    return a.setup == b.setup && a.state.query == b.state.query && a.state.key == b.state.key &&
           a.state.distance == b.state.distance;
}

}  // namespace

QLineEdit* makeTextField(QWidget* parent) {
    auto* field = new QLineEdit(parent);
    field->setMaxLength(2000);
    field->setAccessibleName(u"Text whose tokens are shown"_s);
    field->setPlaceholderText(u"a text"_s);
    field->setToolTip(u"The words of this text are the tokens; a text without spaces is split into its characters."_s);
    return field;
}

ShiftCard::ShiftCard(QWidget* parent)
    : QWidget(parent),
      m_shift(new QPushButton(u"m + 1000, n + 1000"_s, this)),
      m_undo(new QPushButton(u"Undo"_s, this)),
      m_table(new QWidget(this)),
      m_sentence(makeNote(this)),
      m_angles(makeNote(this)) {
    auto* column = scaledColumn(this, 4);
    column->addWidget(makeHeading(u"Both positions"_s, this));
    auto* buttons = scaledRow(nullptr, 8);
    m_shift->setToolTip(
        u"Adds 1,000 to the positions m of the query and n of the key. Their distance does not change, so the logit "
        "should not change either (Su et al. 2021, formula 2)."_s);
    m_undo->setToolTip(u"Restores the positions m and n from before the shift by 1,000."_s);
    m_undo->setAccessibleName(u"Undo the shift of m and n"_s);
    buttons->addWidget(m_shift, 1);
    buttons->addWidget(m_undo);
    keepSpace(m_undo);
    column->addLayout(buttons);

    auto* grid = new QGridLayout(m_table);
    scaleLayout(grid, {0, 0, 0, 0}, 2);
    grid->setColumnStretch(0, 1);
    const QStringList titles = {u"logit"_s, u"before"_s, u"after"_s, u"change"_s};
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
            (state.source == VectorSource::random ? u"q and k are random vectors, not those of a trained run. "_s
                                                  : QString()) +
            u"RoPE depends only on the distance: the attention logit does not change when q and k are shifted "
            "together. The logit changes when positions are rounded to bfloat16."_s);
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
            return u"A %1\nB %2"_s.arg(editsB ? theirs : mine, editsB ? mine : theirs);
        };
        const auto changeText = [](const ShiftRow& each) {
            return each.after == each.before ? u"0"_s : logitText(each.after - each.before);
        };
        m_cells[i][0]->setText(row.name);
        m_cells[i][0]->setToolTip(row.tip);
        m_cells[i][1]->setText(
            both(logitText(row.before), [](const ShiftRow& each) { return logitText(each.before); }));
        m_cells[i][2]->setText(both(logitText(row.after), [](const ShiftRow& each) { return logitText(each.after); }));
        m_cells[i][3]->setText(both(changeText(row), changeText));
        m_cells[i][3]->setToolTip(readableNumber(change));
        const bool stays = row.stays && (others.isEmpty() || others[i].stays);
        m_cells[i][3]->setStyleSheet(u"color: %1;"_s.arg((stays ? theme.success : theme.error).name()));
    }
    const auto wrong = first_inexact_position(NumberFormat::bfloat16);
    const auto verdict = [](const ShiftRow& row) {
        return row.stays ? u"unchanged except for rounding (%1)"_s.arg(readableNumber(row.after - row.before))
                         : u"changed"_s;
    };
    const auto verdicts = [&](qsizetype i) {
        if (others.isEmpty()) return verdict(rows[i]);
        return u"A %1, B %2"_s.arg(verdict((editsB ? others : rows)[i]), verdict((editsB ? rows : others)[i]));
    };
    m_sentence->setText(
        u"Logit in float32: %1; in bfloat16: %2. bfloat16 represents positions exactly up to %3; the first position "
        "that it rounds is %4."_s.arg(verdicts(1), verdicts(2))
            .arg(wrong - 1)
            .arg(wrong));
    m_sentence->setToolTip(u"bfloat16 rounds position %1 to %2 and position %3 to %4."_s.arg(
        groupedText(state.m), bfloat16Text(state.m), groupedText(state.n), bfloat16Text(state.n)));
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

AimPage::AimPage(FigureView* view, QWidget* fields, QWidget* parent)
    : QWidget(parent), m_aim(new QPushButton(fields)), m_text(makeNote(fields)) {
    scaledRow(this, 0)->addWidget(view);
    auto* column = static_cast<QVBoxLayout*>(fields->layout());
    column->addWidget(makeHeading(u"Aimed key"_s, fields));
    m_distance = new PositionSlider(
        u"r"_s, u"Aimed distance r [tokens]"_s,
        u"Sets k to q rotated by r positions, which makes the logit largest at the distance r (Barbero et al. 2024, "
        "formula 17). The current distance of q and k is Δ = m − n."_s,
        fields);
    column->addWidget(m_distance);
    m_aim->setText(u"Aim k at distance r"_s);
    m_aim->setToolTip(
        u"Sets k to q rotated by r positions: at the distance r the rotated q and k are parallel in every pair "
        u"(Barbero "
        "et al. 2024; formula 17 of the guide)."_s);
    column->addWidget(m_aim);
    column->addWidget(m_text);

    connect(m_aim, &QPushButton::clicked, this, [this] {
        emit aimed(m_distance->value());
        emit finished();
    });
    connect(m_distance, &PositionSlider::finished, this, &AimPage::finished);
    connect(view, &FigureView::lineDropped, this, &AimPage::finished);
    connect(m_distance, &PositionSlider::changed, this, &AimPage::aimed);
    connect(m_distance, &PositionSlider::problemChanged, this, [this](const QString& sentence) {
        if (!sentence.isEmpty()) {
            m_text->setText(sentence);
        } else {
            renewText();
        }
    });
    connect(view, &FigureView::lineDragged, this, [this](const QString& handle, double at) {
        if (handle == QLatin1String(kAimHandle)) {
            emit aimed(std::llround(at));
        }
    });
}

void AimPage::show(const RotationScene& scene, const std::optional<RotationScene>& other, bool editsB) {
    m_editsB = editsB;
    showDistance(scene);
    compute(m_computed.edited, scene);
    if (other) {
        compute(m_computed.other, *other);
    } else {
        m_computed.other.job.cancel();
        m_computed.other.scene.reset();
    }
    renewText();
    m_aim->setEnabled(scene.rotatedPairs() > 0);
}

void AimPage::showDistance(const RotationScene& scene) {
    m_distance->show(scene.state.distance, std::max<std::int64_t>(0, scene.setup.context - 1));
}

void AimPage::compute(Computed& computed, const RotationScene& scene) {
    if (!computed.scene || !haveSameCurve(*computed.scene, scene)) {
        const std::int64_t coarse = strideWithin(scene, kFrameBudget);
        computed.curve = logitCurve(scene, coarse, kStretches);
        computed.job.cancel();
        if (coarse > 1) {
            computed.job.start(
                [this, &computed, scene, fine = strideWithin(scene, kJobBudget)](const Cancelled& cancelled) {
                    LogitCurve curve = logitCurve(scene, fine, kStretches, cancelled);
                    return std::function<void()>([this, &computed, curve = std::move(curve)]() mutable {
                        if (curve.complete) {
                            computed.curve = std::move(curve);
                            emit refined();
                        }
                    });
                });
        }
    }
    computed.scene = scene;
}

void AimPage::stop() {
    for (Computed* computed : {&m_computed.edited, &m_computed.other}) {
        if (computed->job.isRunning()) {
            computed->job.cancel();
            computed->scene.reset();  // makes the next show() compute the fine curve
        }
    }
}

Figure AimPage::figure(Side side) const {
    return aimFigure(*m_computed.of(side).scene, m_computed.of(side).curve);
}

void AimPage::renewText() {
    if (!m_computed.edited.scene || !m_distance->problem().isEmpty()) return;
    const auto textOf = [this](Side side) { return aimText(*m_computed.of(side).scene, m_computed.of(side).curve); };
    const QString mine = textOf(Side::edited);
    if (!m_computed.other.scene) return m_text->setText(mine);
    const QString theirs = textOf(Side::other);
    m_text->setText(m_editsB ? letteredSentences(theirs, mine) : letteredSentences(mine, theirs));
}

QString AimPage::text() const {
    return m_text->text();
}

}  // namespace ropelab::ui

#include "moc_rotation_pages.cpp"
