#include "ui/statements/statement_cards.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <vector>

#include "ui/common/latest_job.h"
#include "ui/common/scaled.h"
#include "ui/session/rotary_model.h"
#include "ui/statements/statements.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

/// Non-breaking spaces around operators, so that equations are not wrapped.
QString unbroken(QString text) {
    const QChar space(0x00A0);
    for (const QChar sign : {QChar(u'='), QChar(u'±'), QChar(u'<')}) {
        text.replace(u" %1 "_s.arg(sign), QString(space) + sign + space);
    }
    return text;
}

QLabel* makeText(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

}  // namespace

StatementCards::StatementCards(RotaryModel& model, std::function<QString(const QString&)> roomTitle, QWidget* parent)
    : QDialog(parent), m_model(model), m_roomTitle(std::move(roomTitle)), m_job(new LatestJob(this)) {
    setObjectName(u"statements"_s);
    setWindowTitle(u"Wrong statements"_s);
    setModal(false);
    auto* content = new QWidget(this);
    auto* column = scaledColumn(content, 12, {12, 12, 12, 12});
    auto* intro = makeText(
        u"These statements about RoPE are common but wrong. Each card shows computed evidence against one of them."_s,
        this);
    intro->setProperty("quiet", true);
    column->addWidget(intro);
    for (const Statement& statement : wrongStatements()) {
        column->addWidget(makeCard(statement));
    }
    column->addStretch(1);
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidget(content);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(area);
    const ThemeManager& theme = ThemeManager::instance();
    resize(QSize(theme.pixels(640), theme.pixels(760)).boundedTo(screen()->availableSize() * 0.95));
}

QWidget* StatementCards::makeCard(const Statement& statement) {
    auto* card = new QFrame(this);
    card->setProperty("banner", u"info"_s);
    card->setAccessibleName(u"False: %1"_s.arg(statement.claim));
    auto* column = scaledColumn(card, 8, {12, 12, 12, 12});
    auto* claim = makeText(u"False: %1"_s.arg(statement.claim), card);
    const auto embolden = [claim] { claim->setFont(ThemeManager::instance().fontAt(10.5, QFont::DemiBold)); };
    embolden();
    connect(&ThemeManager::instance(), &ThemeManager::changed, claim, embolden);
    column->addWidget(claim);
    auto* why = makeText(statement.why, card);
    why->setProperty("quiet", true);
    column->addWidget(why);
    auto* evidence = makeText(u"computing …"_s, card);
    evidence->setAccessibleName(u"Computed evidence"_s);
    column->addWidget(evidence);

    auto* button = new QPushButton(u"Show in %1"_s.arg(m_roomTitle(statement.room)), card);
    button->setAutoDefault(false);
    button->setAccessibleDescription(statement.claim);
    button->setToolTip(QString::fromStdString(text_of(statement.setup)));
    connect(button, &QPushButton::clicked, this, [this, &statement] { demonstrate(statement); });
    auto* formula = new QToolButton(card);
    formula->setProperty("quiet", true);
    formula->setText(u"Formula %1"_s.arg(statement.formula));
    formula->setToolTip(u"Opens this formula in Help > Formulas."_s);
    connect(formula, &QToolButton::clicked, this,
            [this, number = statement.formula] { emit formulaRequested(number); });
    auto* row = scaledRow(nullptr, 8);
    row->addWidget(formula);
    row->addStretch(1);
    row->addWidget(button);
    column->addLayout(row);
    m_cards.append({evidence, button});
    return card;
}

QString StatementCards::evidence(int card) const {
    return m_cards[card].evidence->text();
}

void StatementCards::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    if (!m_isComputed && !m_job->isRunning()) {
        compute();
    }
}

void StatementCards::compute() {
    m_job->start([this](const Cancelled& cancelled) -> std::function<void()> {
        std::vector<QString> texts;
        for (const Statement& statement : wrongStatements()) {
            if (cancelled()) {
                return {};
            }
            texts.push_back(unbroken(statement.compute(statement.setup).text));
        }
        return [this, texts = std::move(texts)] {
            m_isComputed = true;
            for (std::size_t i = 0; i < texts.size(); ++i) {
                m_cards[static_cast<qsizetype>(i)].evidence->setText(texts[i]);
            }
        };
    });
}

void StatementCards::demonstrate(const Statement& statement) {
    ModelShape shape = m_model.shape();
    shape.name.clear();  // the setup is no longer that of the named model
    m_model.endDrag();
    m_model.change(u"demonstrate “%1”"_s.arg(statement.claim), statement.setup, shape);
    m_model.endDrag();
    emit shown(statement.room, statement.part);
}

}  // namespace ropelab::ui

#include "moc_statement_cards.cpp"
