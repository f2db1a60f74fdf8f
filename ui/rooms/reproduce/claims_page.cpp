#include "ui/rooms/reproduce/claims_page.h"

#include <QFrame>
#include <QLabel>
#include <QScrollArea>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/reproduce/report.h"
#include "ui/common/results_words.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/rooms/reproduce/forest_figure.h"
#include "ui/rooms/reproduce/sheet_words.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

QFrame* makeCard(QWidget* parent) {
    auto* card = new QFrame(parent);
    card->setProperty("paper", true);
    return card;
}

QLabel* makeSelectable(const QString& name, QWidget* parent) {
    QLabel* label = makeText(name, parent);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

}  // namespace

ClaimsPage::ClaimsPage(QWidget* parent) : QWidget(parent) {
    const auto [area, content, column] = makeScrollColumn(this);
    scaledColumn(this, 0)->addWidget(area);
    m_content = content;
    m_column = column;
    content->setProperty("panel", false);  // the cards are on the window's grey
    scaleLayout(column, {0, 0, 0, 0}, 8);
    column->addStretch(1);
}

ClaimsPage::Card ClaimsPage::addCard(const SheetPlan& plan, std::size_t claim) {
    QFrame* frame = makeCard(m_cards);
    auto* texts = scaledColumn(frame, 4, {12, 8, 12, 8});
    auto* head = scaledRow(nullptr, 8);
    auto* title = new QLabel(u"Claim %1"_s.arg(claim + 1), frame);
    title->setProperty("heading", true);
    Card card{};
    card.badge = new QLabel(frame);
    card.badge->setAccessibleName(u"Verdict on claim %1"_s.arg(claim + 1));
    head->addWidget(title);
    head->addWidget(card.badge);
    head->addStretch(1);
    QLabel* words = makeSelectable({}, frame);
    words->setText(withUnbreakablePercent(ropelab::ui::text(plan.claims[claim].words)));
    QFont font = words->font();
    font.setWeight(QFont::DemiBold);
    words->setFont(font);
    card.verdict = makeSelectable({}, frame);
    card.deciding = makeSelectable(u"What claim %1 still needs for a verdict"_s.arg(claim + 1), frame);
    card.deciding->setProperty("quiet", true);
    QLabel* rule = makeSelectable({}, frame);
    rule->setText(withUnbreakablePercent(claimRules(plan, plan.claims[claim].id).join(QLatin1Char('\n'))));
    auto* buttons = scaledRow(nullptr, 8);
    buttons->addWidget(
        makeFold(u"Rule"_s, u"Shows the preregistered rule that decides the verdict on this claim."_s, rule, frame));
    auto* effects = makeButton<QToolButton>(
        u"Effects"_s,
        u"Shows a forest plot of the effects that test this claim: the difference of each group from its baseline."_s,
        frame);
    connect(effects, &QToolButton::clicked, this,
            [this, id = ropelab::ui::text(plan.claims[claim].id)] { emit effectsAsked(id); });
    buttons->addWidget(effects);
    buttons->addStretch(1);
    texts->addLayout(head);
    for (QLabel* label : {words, card.verdict, card.deciding}) texts->addWidget(label);
    texts->addLayout(buttons);
    texts->addWidget(rule);
    m_cards->layout()->addWidget(frame);
    return card;
}

void ClaimsPage::rebuild(const SheetPlan& plan) {
    delete m_cards;
    m_claims.clear();
    m_cards = new QWidget(m_content);
    auto* column = scaledColumn(m_cards, 8);
    for (std::size_t i = 0; i < plan.claims.size(); ++i) m_claims.push_back(addCard(plan, i));
    QFrame* notes = makeCard(m_cards);
    auto* rows = scaledColumn(notes, 8, {12, 8, 12, 8});
    m_ranking = makeSelectable({}, notes);
    m_source = makeSelectable(u"Source"_s, notes);
    m_source->setProperty("quiet", true);
    m_notes = makeSelectable(u"Runs and notes"_s, notes);
    for (QLabel* label : {m_ranking, m_notes}) label->setTextFormat(Qt::RichText);
    rows->addWidget(m_ranking);
    rows->addWidget(m_source);
    rows->addWidget(
        makeFold(u"Runs and notes"_s,
                 u"Shows the runs of this reproduction, the notes on them, and the claims that runs of this size "
                 "cannot test."_s,
                 m_notes, notes),
        0, Qt::AlignLeft);
    rows->addWidget(m_notes);
    column->addWidget(notes);
    m_column->insertWidget(0, m_cards);
}

void ClaimsPage::setSheet(const SheetPlan& plan, std::span<const SheetRow> rows, const QString& cost) {
    QString shown = ropelab::ui::text(plan.sheet + '/' + to_string(plan.scale));
    for (const std::string& rule : rules_of(plan)) shown += ropelab::ui::text(rule);
    if (shown != m_shown) {
        m_shown = shown;
        rebuild(plan);
    }
    m_cards->setVisible(!plan.claims.empty());
    if (plan.claims.empty()) return;
    const std::vector<ClaimVerdict> verdicts = claim_verdicts(plan, rows);
    for (std::size_t i = 0; i < verdicts.size() && i < m_claims.size(); ++i) {
        const Card& card = m_claims[i];
        const QColor color = toneColor(toneOf(verdicts[i].verdict));
        card.badge->setText(markedVerdict(verdicts[i].verdict));
        const QString look =
            u"color: %1; border: 1px solid %1; border-radius: 6px; padding: 1px 6px;"_s.arg(color.name());
        if (card.badge->styleSheet() != look) card.badge->setStyleSheet(look);  // polishes the label anew
        card.verdict->setText(withUnbreakablePercent(ropelab::ui::text(verdicts[i].words)));
        const QString deciding = decidingWords(plan, rows, plan.claims[i].id);
        card.deciding->setText(withUnbreakablePercent(deciding));
        card.deciding->setVisible(!deciding.isEmpty());
    }
    const QString ranking = rankingPage(rows);
    m_ranking->setText(ranking);
    m_ranking->setVisible(!ranking.isEmpty());
    m_source->setText(ropelab::ui::text(plan.source));
    m_notes->setText(notesPage(plan, cost));
}

QString ClaimsPage::text() const {
    QStringList texts;
    for (const QLabel* label : m_content->findChildren<QLabel*>()) {
        QString words = label->text();
        if (label->textFormat() == Qt::RichText) words = QTextDocumentFragment::fromHtml(words).toPlainText();
        texts << words;
    }
    return texts.join(QLatin1Char('\n'));
}

}  // namespace ropelab::ui

#include "moc_claims_page.cpp"
