#include "ui/lecture/documents/slides.h"

#include <qcustomplot.h>

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QCoreApplication>
#include <QPageSize>
#include <QPdfWriter>
#include <QTextCursor>
#include <QTextDocument>
#include <algorithm>
#include <cmath>

#include "ui/common/text.h"
#include "ui/figure/paint/figure_painter.h"
#include "ui/lecture/documents/page_text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kHandoutDpi = 1200;
constexpr double kHandoutUnit = kHandoutDpi / 72.0;  // units of the PDF per point
constexpr double kPointsPerMillimetre = 72 / 25.4;
constexpr double kMarginMm = 20;
constexpr double kFooterMm = 12;  // from the lower edge of the page to the line of the page number
constexpr double kTextPt = 10.5;
constexpr double kSmallPt = 8.5;
constexpr double kScenePt = 16;
constexpr double kTitlePt = 24;
constexpr double kPictureRatio = 0.5;     // height of a picture relative to its width
constexpr double kHighestPicture = 0.75;  // of the height of a page without its margins
constexpr double kAxesPart = 0.6;         // part of the page's width for axes over which a curve is drawn

FigureStyle handoutStyle() {
    FigureStyle style = FigureStyle::print(Theme::light(), kSmallPt, kHandoutUnit);
    style.dashes = true;  // for greyscale prints
    return style;
}

class HandoutText {
 public:
    HandoutText(const ShownLecture& lecture, const QSizeF& page, bool hasAnswers)
        : m_lecture(lecture),
          m_style(handoutStyle()),
          m_figures(new FigureObject(m_style, &m_document)),
          m_width(page.width()),
          m_highest(kHighestPicture * page.height()),
          m_hasAnswers(hasAnswers),
          m_cursor(&m_document) {
        preparePage(m_document, m_style, kTextPt);
        m_document.documentLayout()->registerHandler(FigureObject::kType, m_figures);
        addTitlePage();
        for (std::size_t i = 0; i < lecture.scenes.size(); ++i) {
            if (isShown(lecture.scenes[i])) addScene(lecture.scenes[i], i + 1);
        }
        m_document.setPageSize(page);
    }

    QTextDocument& document() { return m_document; }
    const FigureStyle& style() const { return m_style; }

 private:
    /// Space above and below is in points.
    void beginParagraph(double above, double below, bool isNewPage = false) {
        QTextBlockFormat format;
        format.setTopMargin(m_style.units(above));
        format.setBottomMargin(m_style.units(below));
        if (isNewPage) format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
        if (m_isEmpty) {
            m_cursor.setBlockFormat(format);
        } else {
            m_cursor.insertBlock(format, QTextCharFormat());
        }
        m_isEmpty = false;
    }

    void addLine(const QString& words, double points, bool isBold, double above, double below, bool isNewPage = false) {
        beginParagraph(above, below, isNewPage);
        QTextCharFormat format;
        QFont font = m_style.font(points);
        if (isBold) font.setWeight(QFont::DemiBold);
        format.setFont(font);
        m_cursor.insertText(words, format);
    }

    void addMarkdown(const QString& markdown) {
        if (markdown.trimmed().isEmpty()) return;
        beginParagraph(0, kTextPt / 2);
        appendPageMarkdown(m_cursor, markdown, m_lecture.formulas, m_style, kTextPt);
        m_cursor.movePosition(QTextCursor::End);
    }

    void addFigure(const Figure& figure, double width) {
        const double needed = m_style.units(figure.heightMm * kPointsPerMillimetre);
        beginParagraph(4, 2);
        const double height = std::min(std::max(kPictureRatio * width, needed), m_highest);
        m_figures->insert(m_cursor, figure, {std::floor(width), std::floor(height)});
    }

    void addTitlePage() {
        addLine(text(m_lecture.lecture.title), kTitlePt, true, 0, 4);
        const QString facts = factsOf(m_lecture.lecture);
        if (!facts.isEmpty()) addLine(facts, kTextPt, false, 0, 12);
        addMarkdown(text(m_lecture.lecture.text));
        addLine(u"Scenes"_s, kTextPt, true, 12, 4);
        for (std::size_t i = 0; i < m_lecture.scenes.size(); ++i) {
            if (!isShown(m_lecture.scenes[i])) continue;
            addLine(u"%1  %2"_s.arg(i + 1).arg(text(m_lecture.scenes[i].scene.title)), kTextPt, false, 0, 2);
        }
    }

    bool isShown(const ShownScene& scene) const { return m_hasAnswers || !scene.scene.summary; }

    void addScene(const ShownScene& scene, std::size_t number) {
        addLine(u"%1  %2"_s.arg(number).arg(text(scene.scene.title)), kScenePt, true, 0, 8, true);
        m_scene = number - 1;
        if (m_hasAnswers || (!text_answers(scene.scene) && !tells(scene.scene.text))) {
            addMarkdown(text(scene.scene.text));
        }
        addPicture(scene);
        addQuestions(scene);
        if (m_hasAnswers) addAnswers(scene);
    }

    bool tells(const std::string& words) const { return tellsAnswer(m_lecture, m_scene, text(words)); }

    void addPicture(const ShownScene& scene) {
        if (!scene.runs.isEmpty()) addLine(scene.runs, kSmallPt, false, 4, 0);
        const auto asks = [](const ShownStep& step) { return step.step.ask.has_value(); };
        const auto first = std::find_if(scene.steps.begin(), scene.steps.end(), asks);
        // The steps after a question answer it.
        const ShownStep& shown = m_hasAnswers || first == scene.steps.end() ? scene.steps.back() : *first;
        const auto step = static_cast<std::size_t>(&shown - scene.steps.data());
        if (!shown.picture || (!m_hasAnswers && isHidden(*shown.picture, scene))) return;
        if (!m_hasAnswers && showsAnswer(m_lecture, m_scene, step)) return;
        addFigure(*shown.picture, m_width);
        addLine(shown.picture->summary, kSmallPt, false, 0, 8);
    }

    /// Until a question is answered.
    static bool isHidden(const Figure& picture, const ShownScene& scene) {
        return std::any_of(scene.steps.begin(), scene.steps.end(), [&](const ShownStep& step) {
            return step.step.ask && step.step.ask->hides_figure() && step.picture && step.picture->name == picture.name;
        });
    }

    void addQuestions(const ShownScene& scene) {
        m_number = 0;
        if (!scene.scene.question.empty() && (m_hasAnswers || !tells(scene.scene.question))) {
            addNumbered(u"Questions"_s, text(scene.scene.question));
        }
        for (const ShownStep& step : scene.steps) {
            if (!step.step.ask) continue;
            const LectureQuestion& ask = *step.step.ask;
            addNumbered(u"Questions"_s, text(ask.text));
            for (std::size_t i = 0; i < ask.choices.size(); ++i) {
                addMarkdown(u"☐ **%1)** %2"_s.arg(choiceLetter(i), text(ask.choices[i])));
            }
            if (ask.kind == LectureQuestion::Kind::curve && step.picture) {
                addFigure(emptyAxes(*step.picture), kAxesPart * m_width);
            }
        }
    }

    void addAnswers(const ShownScene& scene) {
        m_number = 0;
        if (!scene.scene.question.empty()) {
            ++m_number;  // the questions keep their numbers
            if (!scene.found.isEmpty()) {
                --m_number;
                addNumbered(u"Answers"_s, u"`%1`"_s.arg(scene.found));
            }
        }
        for (const ShownStep& step : scene.steps) {
            if (step.step.ask) addNumbered(u"Answers"_s, answerText(step));
        }
    }

    /// The heading is only above its first paragraph.
    void addNumbered(const QString& heading, const QString& markdown) {
        if (m_heading != heading || m_number == 0) addLine(heading, kTextPt + 1, true, 10, 4);
        m_heading = heading;
        addMarkdown(u"**%1.** %2"_s.arg(++m_number).arg(markdown));
    }

    const ShownLecture& m_lecture;
    FigureStyle m_style;
    LectureDocument m_document;
    FigureObject* m_figures;
    double m_width;
    double m_highest;
    bool m_hasAnswers;
    QTextCursor m_cursor;
    std::size_t m_scene = 0;
    bool m_isEmpty = true;
    QString m_heading;  // the last heading of questions or answers
    int m_number = 0;   // of the last question or answer
};

void drawHandoutPage(HandoutText& content, QCPPainter& painter, int page, const QRectF& body) {
    painter.save();
    painter.translate(body.left(), body.top() - page * body.height());
    const QRectF visible(0, page * body.height(), body.width(), body.height());
    painter.setClipRect(visible);
    QAbstractTextDocumentLayout::PaintContext context;
    context.clip = visible;
    context.palette.setColor(QPalette::Text, content.style().theme.text);
    content.document().documentLayout()->draw(&painter, context);
    painter.restore();
}

}  // namespace

PagedPdf handoutPdf(const ShownLecture& lecture, LectureDocumentJob::Paper paper, bool hasAnswers) {
    const bool isLetter = paper == LectureDocumentJob::Paper::letter;
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    int pages = 0;
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(kHandoutDpi);
        writer.setPageSize(QPageSize(isLetter ? QPageSize::Letter : QPageSize::A4));
        writer.setPageMargins(QMarginsF());
        writer.setTitle(text(lecture.lecture.title));
        writer.setCreator(u"RoPE Lab"_s);
        const QSizeF whole(writer.width(), writer.height());
        const double margin = kMarginMm * kPointsPerMillimetre * kHandoutUnit;
        const QRectF body(margin, margin, whole.width() - 2 * margin, whole.height() - 2 * margin);
        HandoutText content(lecture, body.size(), hasAnswers);
        pages = content.document().pageCount();
        QCPPainter painter;
        beginVectors(painter, writer);
        for (int page = 0; page < pages; ++page) {
            if (page > 0) writer.newPage();
            drawHandoutPage(content, painter, page, body);
            painter.setFont(content.style().font(kSmallPt));
            painter.setPen(content.style().theme.quietText);
            const double line = whole.height() - kFooterMm * kPointsPerMillimetre * kHandoutUnit;
            painter.drawText(QRectF(body.left(), line, body.width(), margin), Qt::AlignLeft | Qt::AlignTop,
                             text(lecture.lecture.title));
            painter.drawText(QRectF(body.left(), line, body.width(), margin), Qt::AlignRight | Qt::AlignTop,
                             u"page %1 of %2"_s.arg(page + 1).arg(pages));
        }
        painter.end();
    }
    return {buffer.data(), pages};
}

}  // namespace ropelab::ui
