#include "ui/controls/text_table.h"

#include <QFrame>
#include <QLabel>
#include <QPainter>
#include <QPixmap>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "core/reproduce/rules/predictions.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/fields.h"
#include "ui/controls/flow_layout.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

QVariant colorOf(TextTable::Tone tone) {
    const Theme& theme = ThemeManager::instance().theme();
    switch (tone) {
        case TextTable::Tone::normal:
            return {};
        case TextTable::Tone::quiet:
            return theme.quietText;
        case TextTable::Tone::success:
            return theme.success;
        case TextTable::Tone::warning:
            return theme.warning;
        case TextTable::Tone::error:
            return theme.error;
    }
    return {};
}

QPixmap colorDisc(Ink ink) {
    const auto& manager = ThemeManager::instance();
    const int size = manager.pixels(10);
    constexpr qreal ratio = 2;
    QPixmap pixmap(QSize(size, size) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(manager.theme().dataColor(ink.index, ink.shade));
    painter.drawEllipse(QRectF(0, 0, size, size).adjusted(1, 1, -1, -1));
    return pixmap;
}

}  // namespace

TextTable::TextTable(QObject* parent) : QAbstractTableModel(parent) {
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    });
}

void TextTable::setContent(Content content) {
    const bool isSameShape =
        content.rows.size() == m_content.rows.size() &&
        std::equal(content.columns.begin(), content.columns.end(), m_content.columns.begin(), m_content.columns.end(),
                   [](const Column& a, const Column& b) { return a.title == b.title; });
    if (!isSameShape) beginResetModel();
    m_content = std::move(content);
    if (!isSameShape) {
        endResetModel();
    } else if (rowCount() > 0) {
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

int TextTable::columnOf(const QString& title) const {
    const auto& columns = m_content.columns;
    const auto found =
        std::find_if(columns.begin(), columns.end(), [&](const Column& column) { return column.title == title; });
    return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

QVariant TextTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const auto column = static_cast<std::size_t>(index.column());
    const Cell cell = cellAt(static_cast<std::size_t>(index.row()), column);
    switch (role) {
        case Qt::DisplayRole:
            return m_content.columns[column].isVerbatim ? cell.text : withUnbreakablePercent(cell.text);
        case Qt::ToolTipRole:
            return cell.tip.isEmpty() ? QVariant() : QVariant(cell.tip);
        case Qt::DecorationRole:
            return cell.ink ? QVariant(colorDisc(*cell.ink)) : QVariant();
        case Qt::TextAlignmentRole:
            return QVariant((m_content.columns[column].isWord ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case Qt::ForegroundRole:
            return colorOf(cell.tone);
        default:
            return {};
    }
}

QVariant TextTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Column& column = m_content.columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) return column.title;
    if (role == Qt::ToolTipRole) return column.why;
    if (role == Qt::TextAlignmentRole) {
        return QVariant((column.isWord ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    return {};
}

namespace {

constexpr qsizetype kShort = 48;  // characters of a cell in the first line of a card

QString bannerOf(TextTable::Tone tone) {
    switch (tone) {
        case TextTable::Tone::success:
            return u"success"_s;
        case TextTable::Tone::warning:
            return u"warning"_s;
        case TextTable::Tone::error:
            return u"error"_s;
        case TextTable::Tone::normal:
        case TextTable::Tone::quiet:
            break;
    }
    return u"info"_s;
}

}  // namespace

TextList::TextList(const QString& name, QString words, QString nothing, QWidget* parent)
    : QWidget(parent), m_words(std::move(words)), m_nothing(std::move(nothing)), m_table(new TextTable(this)) {
    auto* column = scaledColumn(this, 8);
    m_label = makeNote(this);
    m_label->setTextFormat(Qt::PlainText);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_label->setAccessibleName(name);
    column->addWidget(m_label);
    const auto [area, content, cards] = makeScrollColumn(this);
    content->setProperty("panel", false);  // the cards are on the background of the list
    scaleLayout(cards, {0, 0, 0, 0}, 8);
    cards->addStretch(1);
    m_content = content;
    column->addWidget(area, 1);
    setContent({});
}

void TextList::setContent(TextTable::Content content, const QString& result) {
    m_table->setContent(std::move(content));
    const bool any = m_table->rowCount() > 0;
    const QString introduction = result.isEmpty() ? m_words : m_words + QLatin1Char('\n') + result;
    m_label->setText(withUnbreakablePercent(any ? introduction : m_nothing));
    makeCards();
}

QString TextList::words() const {
    return m_label->text();
}

QString TextList::cardText(int row) const {
    QStringList texts;
    const QObject* card = m_cards->children().value(row + 1);  // the first child is the layout
    for (const QLabel* label : card->findChildren<QLabel*>()) texts << label->text();
    return texts.join(QLatin1Char('\n'));
}

void TextList::makeCards() {
    QStringList texts;
    for (int row = 0; row < m_table->rowCount(); ++row) {
        for (int i = 0; i < m_table->columnCount(); ++i) texts << m_table->index(row, i).data().toString();
    }
    if (m_cards && texts == m_shown) return;
    m_shown = texts;
    delete m_cards;
    m_cards = new QWidget(m_content);
    auto* column = scaledColumn(m_cards, 8);
    for (int row = 0; row < m_table->rowCount(); ++row) column->addWidget(makeCard(row));
    static_cast<QVBoxLayout*>(m_content->layout())->insertWidget(0, m_cards);
}

QWidget* TextList::makeCard(int row) {
    auto* card = new QFrame(m_cards);
    auto* column = scaledColumn(card, 4, {12, 8, 12, 8});
    auto* head = new QWidget(card);
    auto* line = new FlowLayout(head);
    scaleLayout(line, {0, 0, 0, 0}, 12);
    column->addWidget(head);
    const TextTable::Content& content = m_table->content();
    const auto add = [&](int i, const QString& text) {
        QLabel* label = makeText({}, card);
        label->setText(text);
        label->setToolTip(m_table->headerData(i, Qt::Horizontal, Qt::ToolTipRole).toString());
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        return label;
    };
    for (int i = 0; i < m_table->columnCount(); ++i) {
        const QString text = m_table->index(row, i).data().toString();
        const QString& title = content.columns[static_cast<std::size_t>(i)].title;
        const TextTable::Tone tone = content.rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(i)].tone;
        if (text.isEmpty()) continue;
        if (tone != TextTable::Tone::normal) {
            QLabel* verdict = add(i, text);
            verdict->setProperty("tone", bannerOf(tone));
            card->setProperty("banner", bannerOf(tone));
            verdict->setWordWrap(false);
            line->addWidget(verdict);
        } else if (text.size() <= kShort) {
            QLabel* cell = add(i, title + u": "_s + text);
            cell->setProperty("quiet", true);
            cell->setWordWrap(false);
            line->addWidget(cell);
        } else {
            QString name = title;
            name[0] = name[0].toUpper();
            column->addWidget(add(i, name + u": "_s + text));
        }
    }
    return card;
}

namespace {

using Outcome = ScoredPrediction::Outcome;
using Tone = TextTable::Tone;

/// "4 predictions: 2 right, 1 wrong, 1 not scored."; "" if there are no predictions.
QString scoreWords(std::span<const ScoredPrediction> predictions) {
    if (predictions.empty()) return {};
    QStringList parts;
    for (const Outcome outcome : {Outcome::right, Outcome::wrong, Outcome::undecided, Outcome::unmeasured}) {
        const auto count = std::count_if(predictions.begin(), predictions.end(),
                                         [outcome](const ScoredPrediction& each) { return each.outcome == outcome; });
        if (count > 0) parts << u"%1 %2"_s.arg(count).arg(text(to_string(outcome)));
    }
    return u"%1: %2."_s.arg(countText(std::ssize(predictions), u"prediction"_s), parts.join(u", "_s));
}

}  // namespace

TextTable::Content predictionTable(std::span<const ScoredPrediction> predictions) {
    TextTable::Content content;
    content.columns = {
        {u"outcome"_s,
         u"The outcome of a prediction (right or wrong) is decided by a test of the groups' means; the tooltip of a "
         "cell states the values and the test."_s,
         true},
        {u"chance level"_s,
         u"The chance level is the probability that a prediction is right by chance; the tooltip of a cell states how "
         "it is computed (the null model). A prediction that cannot be wrong is not scored."_s},
        {u"theory"_s, {}, true},
        {u"quantity"_s, u"This column shows which measured quantity the theory predicts."_s, true},
        {u"prediction"_s, {}, true},
        {u"measured result"_s, {}, true},
        {u"why it is not scored"_s, {}, true}};
    // Predictions that cannot fail, and so have no score, come last.
    std::vector<ScoredPrediction> ordered(predictions.begin(), predictions.end());
    std::ranges::stable_partition(ordered, [](const ScoredPrediction& each) { return each.chance < 1; });
    for (const ScoredPrediction& each : ordered) {
        const Tone tone = each.outcome == Outcome::right   ? Tone::success
                          : each.outcome == Outcome::wrong ? Tone::error
                                                           : Tone::quiet;
        const Prediction& prediction = each.prediction;
        const QString stated = text(prediction.words);
        const TextTable::Cell result{text(each.words), text(each.words)};
        const bool isScored = each.outcome != Outcome::unmeasured;
        content.rows.push_back(
            {{text(to_string(each.outcome)), text(each.words), tone},
             {withUnbreakablePercent(text(chance_text(each.chance))), text(null_model_words(prediction))},
             {text(prediction.theory), text(prediction.theory)},
             {text(prediction.quantity).replace(QLatin1Char('_'), QLatin1Char(' '))},
             {stated, stated},
             isScored ? result : TextTable::Cell(),
             isScored ? TextTable::Cell() : result});
    }
    return content;
}

QString predictionWords(std::span<const ScoredPrediction> predictions) {
    const Calibration calibration = calibration_of(predictions);
    const QString words = scoreWords(predictions);
    return calibration.scored > 0 ? words + QLatin1Char(' ') + text(calibration_words(calibration)) : words;
}

TextList* makePredictionList(const QString& nothing, QWidget* parent) {
    return new TextList(
        u"Predictions"_s,
        u"The predictions are preregistered: the lab stores them before the first run and never changes them. A "
        "prediction is not scored until its quantity is measured."_s,
        nothing, parent);
}

}  // namespace ropelab::ui

#include "moc_text_table.cpp"
