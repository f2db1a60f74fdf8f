#include "ui/rotary/statements/statement_cards.h"

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

#include "ui/rotary/latest_job.h"
#include "ui/rotary/rotary_model.h"
#include "ui/rotary/statements/statements.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/room.h"
#include "ui/window/scaled.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {
namespace {

QString titleOfRoom(const QString& id) {
    const auto all = rooms();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const RoomEntry& room) { return id == QLatin1String(room.id); });
    return found == all.end() ? id : found->title;
}

/// A text whose equations stay on one line.
QString unbroken(QString text) {
    const QChar space(0x00A0);
    for (const QChar sign : {QChar(u'='), QChar(u'±'), QChar(u'<')}) {
        text.replace(QStringLiteral(" %1 ").arg(sign), QString(space) + sign + space);
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

StatementCards::StatementCards(Workspace& workspace, QWidget* parent)
    : QDialog(parent), m_model(workspace.rotary()), m_job(new LatestJob(this)) {
    setObjectName(QStringLiteral("statements"));
    setWindowTitle(tr("Wrong statements"));
    setModal(false);
    auto* content = new QWidget(this);
    auto* column = new QVBoxLayout(content);
    scaleLayout(column, {12, 12, 12, 12}, 12);
    auto* intro =
        makeText(tr("What is often said about rotary embeddings, and the number that speaks against it."), this);
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
    card->setProperty("banner", QStringLiteral("info"));
    card->setAccessibleName(statement.claim);
    auto* column = new QVBoxLayout(card);
    scaleLayout(column, {12, 12, 12, 12}, 8);
    auto* claim = makeText(statement.claim, card);
    const auto embolden = [claim] { claim->setFont(ThemeManager::instance().fontAt(10.5, QFont::DemiBold)); };
    embolden();
    connect(&ThemeManager::instance(), &ThemeManager::changed, claim, embolden);
    column->addWidget(claim);
    auto* why = makeText(statement.why, card);
    why->setProperty("quiet", true);
    column->addWidget(why);
    auto* reading = makeText(tr("computing …"), card);
    reading->setAccessibleName(tr("The number to read"));
    column->addWidget(reading);

    auto* button = new QPushButton(tr("Show in %1").arg(titleOfRoom(statement.room)), card);
    button->setAutoDefault(false);
    button->setAccessibleDescription(statement.claim);
    button->setToolTip(QString::fromStdString(text_of(statement.setup)));
    connect(button, &QPushButton::clicked, this, [this, &statement] { demonstrate(statement); });
    auto* formula = new QToolButton(card);
    formula->setProperty("quiet", true);
    formula->setText(tr("Formula %1").arg(statement.formula));
    formula->setToolTip(tr("Opens Help > Formulas there."));
    connect(formula, &QToolButton::clicked, this, [this, number = statement.formula] { emit formulaAsked(number); });
    auto* row = new QHBoxLayout;
    scaleLayout(row, {0, 0, 0, 0}, 8);
    row->addWidget(formula);
    row->addStretch(1);
    row->addWidget(button);
    column->addLayout(row);
    m_cards.append({reading, button});
    return card;
}

QString StatementCards::reading(int card) const {
    return m_cards[card].reading->text();
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
            texts.push_back(unbroken(statement.read(statement.setup).text));
        }
        return [this, texts = std::move(texts)] {
            m_isComputed = true;
            for (std::size_t i = 0; i < texts.size(); ++i) {
                m_cards[static_cast<qsizetype>(i)].reading->setText(texts[i]);
            }
        };
    });
}

void StatementCards::demonstrate(const Statement& statement) {
    ModelShape shape = m_model.shape();
    shape.name.clear();  // no longer that model's
    m_model.endDrag();
    m_model.change(tr("show “%1”").arg(statement.claim), statement.setup, shape);
    m_model.endDrag();
    emit shown(statement.room, statement.part);
}

}  // namespace ropelab::ui
