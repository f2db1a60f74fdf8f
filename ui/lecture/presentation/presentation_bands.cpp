#include "ui/lecture/presentation/presentation_bands.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/common/scaled.h"
#include "ui/lecture/lecture_text.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// Font sizes in points at a scale of 100 %, at which a presentation is never shown: its scale is larger.
constexpr double kSentencePoints = 12;
constexpr double kQuestionPoints = 11;
constexpr double kPagePoints = 13;
constexpr int kNoticeMs = 5000;
constexpr int kBandMargin = 6;
constexpr int kSideMargin = 12;
constexpr int kLineEms = 48;                        // most, of a page: longer lines are hard to read
constexpr std::array kGrowths = {1.75, 1.5, 1.25};  // of the text of a page, which is as large as it has space for

void setTextPixels(QWidget* widget, int pixels) {
    const QString style = u"font-size: %1px;"_s.arg(pixels);
    if (widget->styleSheet() != style) widget->setStyleSheet(style);
}

}  // namespace

PresentationHead::PresentationHead(QWidget* parent)
    : QFrame(parent),
      m_title(new QLabel(this)),
      m_question(new LectureText(kQuestionPoints, this)),
      m_mark(new QLabel(this)),
      m_typed(new QLabel(this)),
      m_notice(new QLabel(this)) {
    setObjectName(u"presentationHead"_s);
    setProperty("panel", true);
    auto* row = scaledRow(this, 16, {kSideMargin, kBandMargin, kSideMargin, kBandMargin});
    m_title->setProperty("roomTitle", true);
    m_title->setTextFormat(Qt::PlainText);
    m_notice->setTextFormat(Qt::PlainText);
    m_notice->setWordWrap(true);
    m_notice->hide();
    m_mark->setAccessibleName(u"Origin of the shown runs: live or recorded"_s);
    m_typed->setAccessibleName(u"Number of the scene to show"_s);
    for (QLabel* label : {m_mark, m_typed}) label->setProperty("heading", true);
    row->addWidget(m_title);
    row->addWidget(m_notice, 1);
    row->addWidget(m_typed);
    row->addWidget(m_mark);
    row->addStretch(1);
    row->addWidget(m_question, 3);
    m_noticeEnd.setSingleShot(true);
    m_noticeEnd.setInterval(kNoticeMs);
    connect(&m_noticeEnd, &QTimer::timeout, this, [this] {
        m_notice->hide();
        m_title->show();
    });
}

void PresentationHead::setFormulas(const LectureFormulas& formulas) {
    m_question->setFormulas(formulas);
}

void PresentationHead::setTextSize(int pixels) {
    m_question->setPixelSize(pixels);
    for (QLabel* label : {m_title, m_notice, m_typed, m_mark}) setTextPixels(label, pixels);
}

void PresentationHead::showScene(const QString& title, const QString& question) {
    m_title->setText(title);
    m_question->setMarkdown(question);
    m_question->setVisible(!question.isEmpty());
}

void PresentationHead::showRuns(LectureStage::Runs runs, const QString& progress) {
    m_mark->setText(runs == LectureStage::Runs::live       ? u"LIVE %1"_s.arg(progress).trimmed()
                    : runs == LectureStage::Runs::recorded ? u"RECORDED %1"_s.arg(progress).trimmed()
                                                           : progress);
}

void PresentationHead::showTyped(const QString& typed) {
    m_typed->setText(typed.isEmpty() ? QString() : u"→ %1"_s.arg(typed));
}

void PresentationHead::say(const QString& sentence) {
    m_notice->setText(sentence);
    m_notice->show();
    m_title->hide();
    m_noticeEnd.start();
}

QString PresentationHead::title() const {
    return m_title->text();
}

QString PresentationHead::question() const {
    return m_question->isHidden() ? QString() : m_question->plainText();
}

QString PresentationHead::mark() const {
    return m_mark->text();
}

QString PresentationHead::typed() const {
    return m_typed->text();
}

QString PresentationHead::said() const {
    return m_notice->isHidden() ? QString() : m_notice->text();
}

PresentationFoot::PresentationFoot(QWidget* parent) : QFrame(parent), m_text(new LectureText(kSentencePoints, this)) {
    setObjectName(u"presentationFoot"_s);
    setProperty("panel", true);
    auto* column = scaledColumn(this, 0, {kSideMargin, kBandMargin, kSideMargin, kBandMargin});
    column->addWidget(m_text, 1);
}

void PresentationFoot::setFormulas(const LectureFormulas& formulas) {
    m_measured = {};
    m_text->setFormulas(formulas);
}

void PresentationFoot::setTextSize(int pixels) {
    m_text->setPixelSize(pixels);
}

void PresentationFoot::showSentence(const QString& markdown) {
    m_text->setMarkdown(markdown);
}

QString PresentationFoot::sentence() const {
    return m_text->plainText();
}

int PresentationFoot::heightFor(const QStringList& sentences, int width) const {
    const ThemeManager& manager = ThemeManager::instance();
    const int inner = width - 2 * manager.pixels(kSideMargin);
    if (auto key = std::tuple(sentences, inner, m_text->textFont()); key != m_measured) {
        m_measured = std::move(key);
        m_height = 0;
        for (const QString& sentence : sentences) m_height = std::max(m_height, m_text->heightOf(sentence, inner));
    }
    return m_height == 0 ? 0 : m_height + 2 * manager.pixels(kBandMargin);
}

PresentationPage::PresentationPage(QWidget* parent)
    : QFrame(parent), m_title(new QLabel(this)), m_text(new LectureText(kPagePoints)), m_area(new QScrollArea(this)) {
    setObjectName(u"presentationPage"_s);
    setProperty("paper", true);
    auto* column = scaledColumn(this, 12, {24, 20, 24, 12});
    m_title->setProperty("roomTitle", true);
    m_title->setTextFormat(Qt::PlainText);
    m_title->setWordWrap(true);
    column->addWidget(m_title);
    m_area->setWidgetResizable(true);
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setFocusPolicy(Qt::NoFocus);
    m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_area->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_area->setWidget(m_text);
    m_text->setAutoFillBackground(false);  // the page has its own colour
    // The area would take a minimum height from the size hint, which is that of a narrow text.
    QSizePolicy policy = m_text->sizePolicy();
    policy.setVerticalPolicy(QSizePolicy::Preferred);
    m_text->setSizePolicy(policy);
    m_area->viewport()->setAutoFillBackground(false);
    m_area->viewport()->installEventFilter(this);
    column->addWidget(m_area, 1);
}

bool PresentationPage::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) fit();
    return QFrame::eventFilter(watched, event);
}

void PresentationPage::fit() {
    const QSize size = m_area->viewport()->size();
    const auto key = std::tuple(m_text->markdown(), size, m_pixels, m_grows);
    if (isHidden() || m_pixels == 0 || key == m_fitted) return;  // before the stage has a size
    m_fitted = key;
    const auto heightAt = [&](double growth) {
        const int pixels = static_cast<int>(growth * m_pixels);
        m_text->setPixelSize(pixels);
        m_text->setMaximumWidth(kLineEms * pixels);
        const int height = m_text->heightForWidth(std::min(size.width(), m_text->maximumWidth()));
        m_text->setMaximumHeight(height + pixels / 3);  // which centres it; a formula may be deeper than its line
        return height;
    };
    // The height grows at least with the size, so that a long text needs no trials.
    const int usual = heightAt(1);
    for (const double growth : kGrowths) {
        if (m_grows && growth * usual <= size.height() && heightAt(growth) <= size.height()) return;
    }
    heightAt(1);
}

void PresentationPage::setFormulas(const LectureFormulas& formulas) {
    m_text->setFormulas(formulas);
}

void PresentationPage::setTextSize(int pixels, bool grows) {
    m_pixels = pixels;
    m_grows = grows;
    setTextPixels(m_title, pixels);
}

void PresentationPage::showText(const QString& title, const QString& markdown) {
    m_title->setText(title);
    m_title->setVisible(!title.isEmpty());
    m_text->setMarkdown(markdown);
    m_area->verticalScrollBar()->setValue(0);
}

QString PresentationPage::title() const {
    return m_title->text();
}

QString PresentationPage::words() const {
    return m_text->plainText();
}

void PresentationPage::scroll(double pages) {
    QScrollBar* bar = m_area->verticalScrollBar();
    bar->setValue(bar->value() + static_cast<int>(std::lround(pages * bar->pageStep())));
}

}  // namespace ropelab::ui

#include "moc_presentation_bands.cpp"
