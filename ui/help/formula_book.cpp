#include "ui/help/formula_book.h"

#include <QAbstractTextDocumentLayout>
#include <QCoreApplication>
#include <QFile>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QRegularExpression>
#include <QScreen>
#include <QScrollBar>
#include <QShortcut>
#include <QStyle>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextCursor>
#include <QVBoxLayout>
#include <optional>
#include <utility>
#include <vector>

#include "ui/common/scaled.h"
#include "ui/theme/theme_manager.h"

// Resources of a static library must be initialized explicitly, in a function outside any namespace.
static void initializeResources() {
    Q_INIT_RESOURCE(formulas);
}

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

QString source() {
    initializeResources();
    QFile file(u":/docs/formulas.md"_s);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Non-breaking spaces around operator signs, so that no line breaks beside an operator.
QString unbroken(QString text) {
    static const QRegularExpression space(u" (?=[=<>≤≥+−→←] )|(?<= [=<>≤≥+−→←]) "_s);
    return text.replace(space, QString(QChar(QChar::Nbsp)));
}

/// "12", "F12" or "formula 12"; nullopt for other texts.
std::optional<int> typedNumber(const QString& typed) {
    static const QRegularExpression number(u"^(?:f|formulas?\\s)?\\s*(\\d{1,3})$"_s,
                                           QRegularExpression::CaseInsensitiveOption);
    const auto match = number.match(typed);
    return match.hasMatch() ? std::optional(match.captured(1).toInt()) : std::nullopt;
}

bool isHeading(const QTextBlock& block) {
    return block.blockFormat().headingLevel() > 0;
}

/// Headings in the font sizes of the window; formulas indented and in the font of the window, because the fixed-pitch
/// font lacks mathematical signs.
void styleDocument(QTextDocument& document) {
    const ThemeManager& theme = ThemeManager::instance();
    QTextCursor cursor(&document);
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        const int level = block.blockFormat().headingLevel();
        std::vector<std::pair<int, int>> codes;
        bool isFormula = level == 0;
        for (auto piece = block.begin(); !piece.atEnd(); ++piece) {
            const QTextFragment fragment = piece.fragment();
            const bool isCode = fragment.charFormat().fontFixedPitch();
            if (isCode) codes.emplace_back(fragment.position(), fragment.position() + fragment.length());
            isFormula = isFormula && isCode;
        }
        for (const auto& [from, to] : codes) {
            QTextCharFormat format;
            format.setFont(theme.fontAt(10.5, isFormula ? QFont::DemiBold : QFont::Normal));
            cursor.setPosition(from);
            cursor.setPosition(to, QTextCursor::KeepAnchor);
            cursor.mergeCharFormat(format);
        }
        cursor.setPosition(block.position());
        QTextBlockFormat around;
        around.setTopMargin(theme.px(level > 0 ? 16 : 4));
        around.setBottomMargin(theme.px(4));
        if (isFormula && !codes.empty()) around.setLeftMargin(theme.px(16));
        cursor.mergeBlockFormat(around);
        if (level == 0) continue;
        QTextCharFormat heading;
        heading.setFont(theme.fontAt(level == 1 ? 15 : level == 2 ? 12.5 : 10.5, QFont::DemiBold));
        if (level == 2) heading.setForeground(theme.theme().quietText);
        cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        cursor.setCharFormat(heading);  // replaces the heading size that setMarkdown() set
    }
}

/// Shows indices such as those of "d_r", "mω_i" and "h_{j+1}" as subscripts. Names such as `inv_freq` stay as they are.
void lowerIndices(QTextDocument& document) {
    static const QRegularExpression index(
        u"(?:(?<![A-Za-z0-9_])(?:[A-Za-z]|log|max)|[α-ωΑ-Ω])_(?:\\{([^}]*)\\}|([A-Za-z0-9Δθ]′?)(?![A-Za-z0-9_]))"_s,
        QRegularExpression::UseUnicodePropertiesOption);
    QTextCharFormat lowered;
    lowered.setVerticalAlignment(QTextCharFormat::AlignSubScript);
    QTextCursor cursor(&document);
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        std::vector<QRegularExpressionMatch> matches;
        for (auto found = index.globalMatch(block.text()); found.hasNext();) matches.push_back(found.next());
        // From the end, so that the places of the other matches stay the same.
        for (auto match = matches.rbegin(); match != matches.rend(); ++match) {
            const int group = match->hasCaptured(1) ? 1 : 2;
            const int start = block.position() + static_cast<int>(match->capturedStart(group));
            const int end = block.position() + static_cast<int>(match->capturedEnd(group));
            cursor.setPosition(start);
            cursor.setPosition(end, QTextCursor::KeepAnchor);
            cursor.mergeCharFormat(lowered);
            if (group == 1) {
                cursor.setPosition(end);
                cursor.deleteChar();
                cursor.setPosition(start);
                cursor.deletePreviousChar();
            } else {
                cursor.setPosition(start);
            }
            cursor.deletePreviousChar();
        }
    }
}

}  // namespace

QList<int> formulasIn(const QString& text) {
    static const QRegularExpression named(u"\\bformulas? (\\d+(?:(?:, | and | to )\\d+)*)"_s,
                                          QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression part(u"( to )?(\\d+)"_s);
    QList<int> numbers;
    const auto add = [&numbers](int number) {
        if (!numbers.contains(number)) numbers << number;
    };
    for (auto matches = named.globalMatch(text); matches.hasNext();) {
        int before = 0;
        for (auto parts = part.globalMatch(matches.next().captured(1)); parts.hasNext();) {
            const auto each = parts.next();
            const int number = each.captured(2).toInt();
            const bool isRange = !each.captured(1).isEmpty();
            for (int i = isRange ? before + 1 : number; i <= number; ++i) add(i);
            before = number;
        }
    }
    return numbers;
}

const QList<FormulaTitle>& formulaTitles() {
    static const QList<FormulaTitle> titles = [] {
        static const QRegularExpression heading(u"^(##|###) (?:Formula (\\d+): )?(.+)$"_s);
        QList<FormulaTitle> found;
        QString section;
        for (const QString& line : source().split(QLatin1Char('\n'))) {
            const auto match = heading.match(line);
            if (!match.hasMatch()) continue;
            const bool isSection = match.captured(1).size() == 2;
            if (isSection) section = match.captured(3);
            if (!isSection && !match.captured(2).isEmpty()) {
                found.append({match.captured(2).toInt(), match.captured(3), section});
            }
        }
        return found;
    }();
    return titles;
}

FormulaBook::FormulaBook(QWidget* parent)
    : QDialog(parent), m_search(new QLineEdit(this)), m_page(new QTextBrowser(this)) {
    setObjectName(u"formulas"_s);
    setWindowTitle(u"Formulas"_s);
    setModal(false);
    m_search->setPlaceholderText(u"Find a formula by number, name or word …"_s);
    m_search->setAccessibleName(u"Find in the formulas"_s);
    m_search->setClearButtonEnabled(true);
    m_search->setToolTip(
        u"The number of a formula shows that formula; any other text is searched for. Enter finds the next match, "
        "Shift+Enter the previous one; the arrow keys scroll."_s);
    m_search->installEventFilter(this);
    connect(m_search, &QLineEdit::textChanged, this, [this] { seek(Step::stay); });
    m_page->setAccessibleName(u"Formulas"_s);
    m_page->setWhatsThis(u"The formulas that the program computes, with their sources. Links open in the browser."_s);
    m_page->setOpenExternalLinks(true);
    m_page->setTabChangesFocus(true);
    m_page->setFrameShape(QFrame::NoFrame);
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {12, 12, 12, 12}, 8);
    column->addWidget(m_search);
    column->addWidget(m_page, 1);
    connect(new QShortcut(QKeySequence::Find, this), &QShortcut::activated, m_search, [this] {
        m_search->setFocus(Qt::ShortcutFocusReason);
        m_search->selectAll();
    });
    // A change of the theme scrolls the page before render() runs. The delayed update keeps the earlier position.
    m_scrolled.setSingleShot(true);
    m_scrolled.setInterval(0);
    connect(m_page->verticalScrollBar(), &QScrollBar::valueChanged, &m_scrolled, qOverload<>(&QTimer::start));
    connect(&m_scrolled, &QTimer::timeout, this,
            [this] { m_top = m_page->cursorForPosition(QPoint(0, 0)).position(); });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &FormulaBook::render);
    const ThemeManager& theme = ThemeManager::instance();
    resize(QSize(theme.pixels(760), theme.pixels(760)).boundedTo(screen()->availableSize() * 0.95));
    render();
    m_search->setFocus();
}

void FormulaBook::render() {
    m_page->document()->setDefaultFont(ThemeManager::instance().font());
    m_page->setMarkdown(unbroken(source()));
    styleDocument(*m_page->document());
    lowerIndices(*m_page->document());
    showAtTop(m_top);
}

bool FormulaBook::showFormula(int number) {
    const QString beginning = u"Formula %1:"_s.arg(number);
    for (QTextBlock block = m_page->document()->begin(); block.isValid(); block = block.next()) {
        if (!isHeading(block) || !block.text().startsWith(beginning)) continue;
        QTextCursor heading(block);
        heading.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        m_page->setTextCursor(heading);
        showAtTop(block.position());
        return true;
    }
    return false;
}

QString FormulaBook::currentHeading() const {
    const int edge = ThemeManager::instance().pixels(12);
    QTextBlock block = m_page->cursorForPosition(QPoint(edge, edge)).block();
    while (block.isValid() && !isHeading(block)) block = block.previous();
    return block.text();
}

void FormulaBook::showAtTop(int position) {
    const QTextBlock block = m_page->document()->findBlock(position);
    if (!block.isValid()) return;
    const QRectF place = m_page->document()->documentLayout()->blockBoundingRect(block);
    m_page->verticalScrollBar()->setValue(static_cast<int>(place.top()));
    m_scrolled.stop();
    m_top = position;
}

void FormulaBook::seek(Step step) {
    const QString typed = m_search->text().trimmed();
    if (typed.isEmpty()) return setNotFound(false);
    const std::optional<int> number = typedNumber(typed);
    if (step == Step::stay && number && showFormula(*number)) return setNotFound(false);
    const auto back = step == Step::previous ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    QTextCursor from = m_page->textCursor();
    if (step == Step::stay) from.setPosition(from.selectionStart());
    QTextCursor found = m_page->document()->find(typed, from, back);
    if (found.isNull()) {  // The search continues from the other end of the text.
        from.movePosition(step == Step::previous ? QTextCursor::End : QTextCursor::Start);
        found = m_page->document()->find(typed, from, back);
    }
    if (!found.isNull()) m_page->setTextCursor(found);
    if (isHeading(found.block())) showAtTop(found.block().position());  // shows the section below the heading
    setNotFound(found.isNull());
}

void FormulaBook::setNotFound(bool notFound) {
    m_search->setProperty("wrong", notFound);
    style()->polish(m_search);
}

bool FormulaBook::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        switch (key->key()) {
            case Qt::Key_Return:
            case Qt::Key_Enter:
                seek(key->modifiers().testFlag(Qt::ShiftModifier) ? Step::previous : Step::next);
                return true;
            case Qt::Key_Up:
            case Qt::Key_Down:
            case Qt::Key_PageUp:
            case Qt::Key_PageDown:
                QCoreApplication::sendEvent(m_page, event);
                return true;
            default:
                break;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace ropelab::ui
