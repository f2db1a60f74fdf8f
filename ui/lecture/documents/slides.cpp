#include "ui/lecture/documents/slides.h"

#include <qcustomplot.h>

#include <QBuffer>
#include <QCoreApplication>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <QTextDocument>
#include <algorithm>
#include <cmath>

#include "ui/common/text.h"
#include "ui/figure/export/svg_text.h"
#include "ui/figure/paint/figure_painter.h"
#include "ui/lecture/documents/page_text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// Lengths and font sizes in points. A slide has the size of those of other programs.
constexpr double kSlideWidth = 960;
constexpr double kSlideHeight = 540;
constexpr double kSlideMargin = 36;
constexpr double kHeadHeight = 64;
constexpr double kFootHeight = 24;
constexpr double kSentenceHeight = 84;
constexpr double kGap = 12;
constexpr double kHeadingPt = 24;
constexpr double kCornerPt = 15;
constexpr double kSentencePt = 20;
constexpr double kBodyPt = 20;
constexpr double kFootPt = 10;
constexpr double kFigurePt = 13;
constexpr double kSmallestPt = 6;
constexpr double kSmaller = 0.9;       // factor by which a text becomes smaller until it fits
constexpr double kCornerPart = 0.42;   // part of the width for the question in the corner
constexpr double kQuestionPart = 0.4;  // part of the width for a question beside the picture

FigureStyle slideStyle(Appearance appearance, double unit) {
    return FigureStyle::print(Theme::of(appearance), kFigurePt, unit);
}

class SlidePainter {
 public:
    SlidePainter(QCPPainter& painter, const ShownLecture& lecture, const FigureStyle& style)
        : m_painter(painter), m_lecture(lecture), m_style(style) {}

    void paint(const LectureSlide& slide) {
        m_painter.fillRect(units({0, 0, kSlideWidth, kSlideHeight}), m_style.theme.paper);
        const double width = kSlideWidth - 2 * kSlideMargin;
        paintHead(slide, width);
        const double foot = kSlideHeight - kSlideMargin / 2 - kFootHeight;
        const bool hasSentence = !slide.sentence.isEmpty();
        const double bottom = foot - (hasSentence ? kSentenceHeight : kGap);
        const double top = kSlideMargin / 2 + kHeadHeight + kGap;
        if (hasSentence) {
            paintText(slide.sentence, {kSlideMargin, bottom + kGap, width, kSentenceHeight - kGap}, kSentencePt,
                      m_style.theme.text);
        }
        paintMiddle(slide, {kSlideMargin, top, width, bottom - top});
        QStringList left = {text(m_lecture.lecture.title)};
        if (!slide.runs.isEmpty()) left << slide.runs;
        paintLine(left.join(u" · "_s), {kSlideMargin, foot, width, kFootHeight}, Qt::AlignLeft);
        paintLine(placeOf(slide), {kSlideMargin, foot, width, kFootHeight}, Qt::AlignRight);
    }

 private:
    QRectF units(const QRectF& points) const {
        return {m_style.units(points.left()), m_style.units(points.top()), m_style.units(points.width()),
                m_style.units(points.height())};
    }

    static QString placeOf(const LectureSlide& slide) {
        if (slide.scene == 0) return {};
        if (slide.step == 0) return u"scene %1"_s.arg(slide.scene);
        return u"scene %1, step %2 of %3"_s.arg(slide.scene).arg(slide.step).arg(slide.steps);
    }

    void paintHead(const LectureSlide& slide, double width) {
        const double corner = slide.question.isEmpty() ? 0 : kCornerPart * width;
        const QString title = slide.scene == 0 ? slide.title : u"%1  %2"_s.arg(slide.scene).arg(slide.title);
        const double top = kSlideMargin / 2;
        paintText(u"**%1**"_s.arg(title.toHtmlEscaped()), {kSlideMargin, top, width - corner - kGap, kHeadHeight},
                  kHeadingPt, m_style.theme.text);
        if (slide.question.isEmpty()) return;
        paintText(slide.question, {kSlideMargin + width - corner, top, corner, kHeadHeight}, kCornerPt,
                  m_style.theme.accent);
    }

    void paintMiddle(const LectureSlide& slide, QRectF place) {
        if (!slide.body.isEmpty()) return paintText(slide.body, place, kBodyPt, m_style.theme.text);
        if (slide.ask) {
            QRectF question = place;
            if (slide.picture) {
                question.setLeft(place.right() - kQuestionPart * place.width());
                place.setRight(question.left() - 2 * kGap);
            }
            QString words = questionOf(*slide.ask);
            if (!slide.answer.isEmpty()) words += u"\n\n**Answer**\n\n"_s + slide.answer;
            paintText(words, question, kSentencePt, m_style.theme.text);
        }
        if (!slide.picture) {
            if (!slide.ask && !slide.runs.isEmpty()) paintText(slide.runs, place, kBodyPt, m_style.theme.quietText);
            return;
        }
        const QRectF picture = units(place);
        m_painter.save();
        m_painter.translate(std::round(picture.left()), std::round(picture.top()));
        paintFigure(*slide.picture, m_painter, picture.size().toSize(), m_style);
        m_painter.restore();
    }

    static QString questionOf(const LectureQuestion& ask) {
        QString markdown = text(ask.text);
        for (std::size_t i = 0; i < ask.choices.size(); ++i) {
            markdown += u"\n\n**%1)** %2"_s.arg(choiceLetter(i), text(ask.choices[i]));
        }
        return markdown;
    }

    /// Uses the largest size, up to `points`, in which the text fits.
    void paintText(const QString& markdown, const QRectF& place, double points, const QColor& color) {
        const QRectF space = units(place);
        FigureStyle style = m_style;
        style.theme.text = color;  // of formulas
        for (double size = points;; size *= kSmaller) {
            LectureDocument document;
            preparePage(document, style, size);
            setPageMarkdown(document, markdown, m_lecture.formulas, style.theme.text);
            document.setTextWidth(space.width());
            const bool fits = document.size().height() <= space.height() && document.idealWidth() <= space.width() + 1;
            if (!fits && size * kSmaller >= kSmallestPt) continue;
            return drawPageText(document, m_painter, space.topLeft(), color);
        }
    }

    void paintLine(const QString& words, const QRectF& place, Qt::Alignment side) {
        m_painter.setFont(m_style.font(kFootPt));
        m_painter.setPen(m_style.theme.quietText);
        m_painter.drawText(units(place), static_cast<int>(side | Qt::AlignVCenter), words);
    }

    QCPPainter& m_painter;
    const ShownLecture& m_lecture;
    FigureStyle m_style;
};

QByteArray slideSvg(const LectureSlide& slide, const ShownLecture& lecture, Appearance appearance) {
    constexpr int unit = 10;  // tenths of a point, because the generator's size is an integer
    const QSize size(static_cast<int>(kSlideWidth * unit), static_cast<int>(kSlideHeight * unit));
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setResolution(72 * unit);
        generator.setSize(size);
        generator.setViewBox(QRect(QPoint(0, 0), size));
        generator.setTitle(slide.title.toHtmlEscaped());
        QCPPainter painter;
        beginVectors(painter, generator);
        SlidePainter(painter, lecture, slideStyle(appearance, unit)).paint(slide);
        painter.end();
    }
    return withText(buffer.data(), SvgText::font);
}

QByteArray slidePng(const LectureSlide& slide, const ShownLecture& lecture, Appearance appearance, int width) {
    const double unit = width / kSlideWidth;
    QImage image(width, static_cast<int>(std::lround(kSlideHeight * unit)), QImage::Format_RGB32);
    image.fill(Theme::of(appearance).paper);
    QCPPainter painter;
    painter.begin(&image);
    SlidePainter(painter, lecture, slideStyle(appearance, unit)).paint(slide);
    painter.end();
    image.setText(u"Title"_s, slide.title);
    image.setText(u"Software"_s, u"RoPE Lab"_s);
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return buffer.data();
}

}  // namespace

std::vector<LectureSlide> slidesOf(const ShownLecture& lecture, bool hasAnswers) {
    std::vector<LectureSlide> slides;
    LectureSlide first;
    first.title = text(lecture.lecture.title);
    first.body = factsOf(lecture.lecture) + u"\n\n"_s + text(lecture.lecture.text);
    slides.push_back(first);
    for (std::size_t i = 0; i < lecture.scenes.size(); ++i) {
        const ShownScene& scene = lecture.scenes[i];
        if (!hasAnswers && scene.scene.summary) continue;
        LectureSlide page;
        page.scene = static_cast<int>(i) + 1;
        page.steps = static_cast<int>(scene.scene.steps.size());
        page.id = text(scene.scene.id);
        page.title = text(scene.scene.title);
        page.runs = scene.runs;
        if (hasAnswers) page.notes = text(scene.scene.notes);
        const auto tells = [&](const std::string& words) {
            return !hasAnswers && tellsAnswer(lecture, i, text(words));
        };
        // Beside the questions that are asked, another one would compete with them.
        const bool asks = asks_later(scene.scene, 0, false);
        if (!asks && !tells(scene.scene.question)) page.question = text(scene.scene.question);
        LectureSlide words = page;
        if ((hasAnswers || !text_answers(scene.scene)) && !tells(scene.scene.text)) words.body = text(scene.scene.text);
        const bool isPageOfText = scene.scene.room.empty();
        // The text of such a page begins the scene, or follows the question that hides it.
        const auto hiding = std::ranges::find_if(scene.scene.steps,
                                                 [](const LectureStep& each) { return each.ask && each.ask->hides; });
        const bool isHidden = hiding != scene.scene.steps.end();
        if (isPageOfText && !isHidden && (!words.body.isEmpty() || page.steps == 0)) slides.push_back(words);
        bool isAsked = false;
        for (std::size_t step = 0; step < scene.steps.size(); ++step) {
            if (isPageOfText && page.steps == 0) break;
            const ShownStep& shown = scene.steps[step];
            const bool isAfter = !hasAnswers && isAsked;  // of what follows a question, only other questions are shown
            isAsked = isAsked || shown.step.ask;
            if (isAfter && !shown.step.ask) continue;
            LectureSlide slide = page;
            slide.step = page.steps == 0 ? 0 : static_cast<int>(step) + 1;
            if (!isAfter && !tells(shown.step.say)) slide.sentence = text(shown.step.say);
            slide.picture = shown.picture;
            if (shown.picture && hidesCurve(scene, step)) slide.picture = emptyAxes(*shown.picture);
            const bool draws = shown.step.ask && shown.step.ask->kind == LectureQuestion::Kind::curve;
            if ((isAfter && !draws) || (shown.step.ask && shown.step.ask->hides)) slide.picture.reset();
            if (!hasAnswers && showsAnswer(lecture, i, step)) slide.picture.reset();
            slide.ask = shown.step.ask;
            if (slide.ask && hasAnswers) slide.answer = answerText(shown);
            slide.truth = shown.truth;
            if (hasAnswers && slide.picture && !hidesCurve(scene, step)) slide.live = shown.live;
            slides.push_back(std::move(slide));
            if (isPageOfText && isHidden && &*hiding == &scene.scene.steps[step] && !words.body.isEmpty()) {
                slides.push_back(words);
            }
        }
        if (!isPageOfText && !words.body.isEmpty()) slides.push_back(words);
    }
    return slides;
}

std::vector<LectureSlide> withAnswerSlides(const std::vector<LectureSlide>& slides) {
    std::vector<LectureSlide> result;
    for (const LectureSlide& slide : slides) {
        result.push_back(slide);
        if (slide.answer.isEmpty()) continue;
        result.back().answer.clear();
        result.push_back(slide);
    }
    return result;
}

PagedPdf slidesPdf(const std::vector<LectureSlide>& slides, const ShownLecture& lecture, Appearance appearance) {
    constexpr int resolution = 1200;
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(resolution);
        writer.setPageSize(QPageSize(QSizeF(kSlideWidth, kSlideHeight), QPageSize::Point, text(lecture.lecture.title),
                                     QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF());
        writer.setTitle(text(lecture.lecture.title));
        writer.setCreator(u"RoPE Lab"_s);
        QCPPainter painter;
        beginVectors(painter, writer);
        SlidePainter slide(painter, lecture, slideStyle(appearance, resolution / 72.0));
        for (std::size_t i = 0; i < slides.size(); ++i) {
            if (i > 0) writer.newPage();
            slide.paint(slides[i]);
        }
        painter.end();
    }
    return {buffer.data(), static_cast<int>(slides.size())};
}

QByteArray slideBytes(const LectureSlide& slide, const ShownLecture& lecture, LectureDocumentJob::Format format,
                      Appearance appearance, int width) {
    if (format == LectureDocumentJob::Format::svg) return slideSvg(slide, lecture, appearance);
    return slidePng(slide, lecture, appearance, width);
}

}  // namespace ropelab::ui
