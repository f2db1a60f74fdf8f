#include "ui/help/guide.h"

#include <QAbstractTextDocumentLayout>
#include <QCoreApplication>
#include <QDesktopServices>
#include <QFontDatabase>
#include <QImage>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QScreen>
#include <QScrollBar>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextCursor>
#include <QTextTable>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>
#include <vector>

#include "ui/common/scaled.h"
#include "ui/help/guide_pages.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kPage = Qt::UserRole;

const QString& formulaFile() {
    static const QString file = u"formulas.md"_s;
    return file;
}

/// Non-breaking spaces around operator signs, so that no line breaks beside an operator.
QString unbroken(QString text) {
    static const QRegularExpression space(u" (?=[=<>≤≥+−→←] )|(?<= [=<>≤≥+−→←]) "_s);
    return text.replace(space, QString(QChar(QChar::Nbsp)));
}

QString markdownOf(const QString& file) {
    const QString text = guideText(file);
    return file == formulaFile() ? unbroken(text) : text;
}

/// Markdown of the guide, and its pictures no wider than the page.
class PageBrowser : public QTextBrowser {
 public:
    using QTextBrowser::QTextBrowser;

    QVariant loadResource(int type, const QUrl& name) override {
        if (type != QTextDocument::ImageResource) return QTextBrowser::loadResource(type, name);
        QImage picture(u":/docs/"_s + name.path());
        const double ratio = devicePixelRatioF();
        const double most = viewport()->width() - 2 * document()->documentMargin();
        if (picture.width() > most * ratio) {
            // The document would scale the picture without smoothing.
            picture = picture.scaledToWidth(std::max(1, static_cast<int>(most * ratio)), Qt::SmoothTransformation);
            picture.setDevicePixelRatio(ratio);
        }
        return picture;
    }
};

bool isHeading(const QTextBlock& block) {
    return block.blockFormat().headingLevel() > 0;
}

bool isFenced(const QTextBlock& block) {
    return block.isValid() && block.blockFormat().hasProperty(QTextFormat::BlockCodeFence);
}

void styleTables(const QTextDocument& document) {
    const ThemeManager& theme = ThemeManager::instance();
    for (QTextFrame* frame : document.rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (!table) continue;
        QTextTableFormat format = table->format();
        format.setBorderCollapse(true);
        format.setBorder(1);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setBorderBrush(theme.theme().hairline);
        format.setCellPadding(theme.px(4));
        table->setFormat(format);
    }
}

/// Headings in the font sizes of the window, code in the fixed-pitch font of the system on a background of its own.
/// Formulas are indented and in the font of the window, because the fixed-pitch font lacks mathematical signs.
void styleDocument(QTextDocument& document, bool isOfFormulas) {
    const ThemeManager& theme = ThemeManager::instance();
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPointSizeF(theme.fontAt(isOfFormulas ? 10.5 : 9.5).pointSizeF());
    QTextCursor cursor(&document);
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        const int level = block.blockFormat().headingLevel();
        std::vector<std::pair<int, int>> codes;
        bool isFormula = isOfFormulas && level == 0;
        for (auto piece = block.begin(); !piece.atEnd(); ++piece) {
            const QTextFragment fragment = piece.fragment();
            const bool isCode = fragment.charFormat().fontFixedPitch() || isFenced(block);
            if (isCode) codes.emplace_back(fragment.position(), fragment.position() + fragment.length());
            isFormula = isFormula && isCode;
        }
        for (const auto& [from, to] : codes) {
            QTextCharFormat format;
            format.setFont(isOfFormulas ? theme.fontAt(10.5, isFormula ? QFont::DemiBold : QFont::Normal) : fixed);
            cursor.setPosition(from);
            cursor.setPosition(to, QTextCursor::KeepAnchor);
            cursor.mergeCharFormat(format);
        }
        cursor.setPosition(block.position());
        QTextBlockFormat around;
        const bool isTable = cursor.currentTable() != nullptr;
        around.setTopMargin(isTable || (isFenced(block) && isFenced(block.previous())) ? 0
                                                                                       : theme.px(level > 0 ? 16 : 4));
        around.setBottomMargin(isTable || (isFenced(block) && isFenced(block.next())) ? 0 : theme.px(4));
        if (isFormula && !codes.empty()) around.setLeftMargin(theme.px(16));
        if (isFenced(block)) {
            around.setBackground(theme.theme().window);
            around.setTextIndent(theme.px(8));
            around.setNonBreakableLines(false);  // long lines wrap, so that no page scrolls sideways
        }
        cursor.mergeBlockFormat(around);
        if (level == 0) continue;
        QTextCharFormat heading;
        heading.setFont(theme.fontAt(level == 1 ? 15 : level == 2 ? 12.5 : 10.5, QFont::DemiBold));
        if (level == 2) heading.setForeground(theme.theme().quietText);
        cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        cursor.setCharFormat(heading);  // replaces the heading size that setMarkdown() set
    }
    styleTables(document);
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

QToolButton* stepButton(Qt::ArrowType arrow, const QString& name, QKeySequence::StandardKey key, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setArrowType(arrow);
    button->setAccessibleName(name);
    button->setShortcut(key);
    button->setToolTip(u"%1 (%2)"_s.arg(name, button->shortcut().toString(QKeySequence::NativeText)));
    button->setEnabled(false);
    return button;
}

}  // namespace

Guide::Guide(QWidget* parent)
    : QDialog(parent),
      m_back(stepButton(Qt::LeftArrow, u"Back"_s, QKeySequence::Back, this)),
      m_forward(stepButton(Qt::RightArrow, u"Forward"_s, QKeySequence::Forward, this)),
      m_search(new QLineEdit(this)),
      m_list(new QListWidget(this)),
      m_page(new PageBrowser(this)) {
    m_page->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // a table can be a pixel wider than the page
    setObjectName(u"guide"_s);
    setWindowTitle(u"Guide"_s);
    setModal(false);
    m_search->setPlaceholderText(u"Search the guide, or type the number of a formula …"_s);
    m_search->setAccessibleName(u"Search the guide"_s);
    m_search->setClearButtonEnabled(true);
    m_search->setToolTip(
        u"Searches the guide: the list below shows the sections that contain the typed words; a number finds the "
        "formula with this number. Enter or ↓ shows the next section, Shift+Enter or ↑ the previous one; Page Up "
        "and Page Down scroll the page."_s);
    m_search->installEventFilter(this);
    connect(m_search, &QLineEdit::textChanged, this, qOverload<const QString&>(&Guide::list));
    m_list->setAccessibleName(u"Pages and search results"_s);
    m_list->setWhatsThis(
        u"This list shows the pages of the guide or, while the search field contains text, the sections that contain "
        "it."_s);
    m_list->setWordWrap(true);
    connect(m_list, &QListWidget::currentItemChanged, this, &Guide::go);
    connect(m_list, &QListWidget::itemClicked, this, &Guide::go);
    m_page->setAccessibleName(u"Page of the guide"_s);
    m_page->setWhatsThis(
        u"This page belongs to the guide to RoPE Lab, which explains the program, its formulas and their sources. "
        "Links to web pages open in the browser."_s);
    m_page->setOpenLinks(false);
    m_page->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // keeps the width that pictures were fitted to
    m_page->setFrameShape(QFrame::NoFrame);
    connect(m_page, &QTextBrowser::anchorClicked, this, &Guide::follow);
    connect(m_back, &QToolButton::clicked, this, [this] { travel(-1); });
    connect(m_forward, &QToolButton::clicked, this, [this] { travel(1); });
    auto* column = scaledColumn(this, 8, {12, 12, 12, 12});
    auto* row = scaledRow(nullptr, 8);
    row->addWidget(m_back);
    row->addWidget(m_forward);
    row->addWidget(m_search, 1);
    column->addLayout(row);
    auto* split = new QSplitter(this);
    split->setChildrenCollapsible(false);
    split->addWidget(m_list);
    split->addWidget(m_page);
    split->setStretchFactor(1, 1);
    column->addWidget(split, 1);
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
    m_resized.setSingleShot(true);
    m_resized.setInterval(100);
    connect(&m_resized, &QTimer::timeout, this, &Guide::render);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        render();
        if (m_search->text().isEmpty()) list(QString());  // in the new font and colours
    });
    const ThemeManager& theme = ThemeManager::instance();
    resize(QSize(theme.pixels(960), theme.pixels(760)).boundedTo(screen()->availableSize() * 0.95));
    split->setSizes({theme.pixels(220), theme.pixels(720)});
    list(QString());
    showPage(guidePages().front().file);
    m_search->setFocus();
}

bool Guide::showPage(const QString& page) {
    const QString file = page.section(u'#', 0, 0);
    const QString anchor = page.section(u'#', 1);
    const QList<GuideSection>& all = guideSections();
    const bool isThere = std::any_of(all.begin(), all.end(), [&](const GuideSection& section) {
        return section.page.file == file && (anchor.isEmpty() || section.anchor == anchor);
    });
    if (!isThere) return false;
    if (m_at >= 0) m_places[m_at].top = m_top;
    if (m_at < 0 || m_places[m_at].page != page) {
        m_places.resize(++m_at);
        m_places.append({page});
    }
    showFile(file);
    anchor.isEmpty() ? showAtTop(0) : showAnchor(anchor);
    return true;
}

bool Guide::showFormula(int number) {
    const GuideSection* formula = formulaSection(number);
    return formula && showPage(formulaFile() + u'#' + formula->anchor);
}

void Guide::travel(int step) {
    if (m_at + step < 0 || m_at + step >= m_places.size()) return;
    m_places[m_at].top = m_top;
    const Place& place = m_places[m_at += step];
    showFile(place.page.section(u'#', 0, 0));
    showAtTop(place.top);
}

void Guide::follow(const QUrl& link) {
    if (!link.isRelative()) {
        QDesktopServices::openUrl(link);
    } else {
        showPage(link.path().isEmpty() ? m_file + link.toString() : link.toString());
    }
}

void Guide::showFile(const QString& file) {
    if (std::exchange(m_file, file) != file) {
        m_top = 0;
        render();
    }
    m_back->setEnabled(m_at > 0);
    m_forward->setEnabled(m_at + 1 < m_places.size());
    if (!m_search->text().isEmpty()) return;
    const QSignalBlocker quiet(m_list);
    for (int row = 0; row < m_list->count(); ++row) {
        if (m_list->item(row)->data(kPage).toString() == file) m_list->setCurrentRow(row);
    }
}

void Guide::render() {
    QTextDocument& document = *m_page->document();
    document.setDefaultFont(ThemeManager::instance().font());
    m_page->setMarkdown(markdownOf(m_file));
    QTextCursor all(&document);
    all.beginEditBlock();  // one layout after all changes
    styleDocument(document, m_file == formulaFile());
    if (m_file == formulaFile()) lowerIndices(document);
    all.endEditBlock();
    showAtTop(m_top);
}

void Guide::list(const QString& typed) {
    const ThemeManager& theme = ThemeManager::instance();
    const QSignalBlocker quiet(m_list);
    m_list->clear();
    m_list->setSpacing(theme.pixels(2));
    const auto add = [this](const QString& text, const QString& page, const QString& hint) {
        auto* item = new QListWidgetItem(text, m_list);
        item->setData(kPage, page);
        item->setToolTip(hint);
    };
    const QList<GuideSection> found = findInGuide(typed);
    for (const GuideSection& section : found) {
        const QString page = section.page.file + u'#' + section.anchor;
        add(section.level == 1 ? section.heading : u"%1 (%2)"_s.arg(section.heading, section.page.title), page,
            section.text.left(300));
    }
    const bool isEmpty = typed.trimmed().isEmpty();
    QString group;
    for (const GuidePage& page : isEmpty ? guidePages() : QList<GuidePage>()) {
        if (std::exchange(group, page.group) != page.group) {
            add(page.group, {}, {});
            QListWidgetItem* heading = m_list->item(m_list->count() - 1);
            heading->setFlags(Qt::NoItemFlags);
            heading->setFont(theme.fontAt(10.5, QFont::DemiBold));
            heading->setForeground(theme.theme().quietText);
        }
        add(page.title, page.file, page.about);
        if (page.file == m_file) m_list->setCurrentRow(m_list->count() - 1);
    }
    setLook(m_search, "wrong", !isEmpty && found.isEmpty());
}

void Guide::go(const QListWidgetItem* item) {
    if (!item || !showPage(item->data(kPage).toString())) return;
    const QString typed = m_search->text().simplified();
    if (typed.isEmpty()) return;
    QTextCursor found = m_page->document()->find(typed, m_top);
    for (const QString& word : typed.split(u' ')) {
        if (found.isNull()) found = m_page->document()->find(word, m_top);
    }
    if (found.isNull()) return;
    m_page->setTextCursor(found);
    if (isHeading(found.block())) showAtTop(found.block().position());  // shows the section below the heading
}

void Guide::step(int rows) {
    const int count = m_list->count();
    if (count == 0) return;
    int row = m_list->currentRow() < 0 && rows < 0 ? 0 : m_list->currentRow();
    do row = (row + rows + count) % count;
    while (m_list->item(row)->flags() == Qt::NoItemFlags);  // the name of a group of pages
    m_list->setCurrentRow(row);
    if (count == 1) go(m_list->item(0));  // the only row is current already
}

void Guide::showAnchor(const QString& anchor) {
    const QList<GuideSection>& all = guideSections();
    // The headings of the document are those of the page in the same order.
    auto heading =
        std::find_if(all.begin(), all.end(), [&](const auto& section) { return section.page.file == m_file; });
    for (QTextBlock block = m_page->document()->begin(); block.isValid(); block = block.next()) {
        if (isHeading(block) && heading++->anchor == anchor) return showAtTop(block.position());
    }
}

QString Guide::currentHeading() const {
    const int edge = ThemeManager::instance().pixels(12);
    QTextBlock block = m_page->cursorForPosition(QPoint(edge, edge)).block();
    while (block.isValid() && !isHeading(block)) block = block.previous();
    return block.text();
}

void Guide::showAtTop(int position) {
    const QTextBlock block = m_page->document()->findBlock(position);
    if (!block.isValid()) return;
    const QRectF place = m_page->document()->documentLayout()->blockBoundingRect(block);
    m_page->verticalScrollBar()->setValue(static_cast<int>(place.top()));
    m_scrolled.stop();
    m_top = position;
}

void Guide::resizeEvent(QResizeEvent* event) {
    QDialog::resizeEvent(event);
    m_resized.start();
}

bool Guide::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool isBack = key->modifiers().testFlag(Qt::ShiftModifier) || key->key() == Qt::Key_Up;
        switch (key->key()) {
            case Qt::Key_Return:
            case Qt::Key_Enter:
                if (m_search->text().isEmpty()) return true;  // there is no next place
                [[fallthrough]];
            case Qt::Key_Up:
            case Qt::Key_Down:
                step(isBack ? -1 : 1);
                return true;
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

#include "moc_guide.cpp"
