#include <QCoreApplication>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <QTextDocument>
#include <algorithm>

#include "ui/common/text.h"
#include "ui/figure/export/export.h"
#include "ui/lecture/documents/slides.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMostSvgBytes = 400'000;  // a larger picture, such as a heat map, is a PNG
constexpr double kHtmlPictureMm = 240;
constexpr double kHtmlPictureRatio = 0.5;

QString dataAddress(const char* type, const QByteArray& bytes) {
    return u"data:%1;base64,%2"_s.arg(QLatin1String(type), QString::fromLatin1(bytes.toBase64()));
}

/// "" if the formula has no picture.
QString htmlFormula(const LectureFormula& formula, const QColor& color) {
    const QByteArray svg = formula.svg(color);
    if (!QSvgRenderer(svg).isValid()) return {};
    return u"<img class=\"formula\" alt=\"%1\" src=\"%2\" style=\"height:%3ex;vertical-align:%4ex\">"_s.arg(
        formula.text.toHtmlEscaped(), dataAddress("image/svg+xml", svg),
        QString::number(formula.height + formula.depth), QString::number(-formula.depth));
}

/// Formulas are images; there are no styles and no other pictures.
QString htmlOf(const QString& markdown, const ShownLecture& lecture, const QColor& color) {
    const SplitMarkdown split = splitFormulas(markdown);
    QString source = split.between.first();
    QStringList images;
    for (qsizetype i = 0; i < split.formulas.size(); ++i) {
        const LectureFormula formula = lecture.formulas.formula(split.formulas[i]);
        const QString image = htmlFormula(formula, color);
        images << (image.isEmpty() ? formula.text.toHtmlEscaped() : image);
        source += u"![formula](formula:%1)"_s.arg(i) + split.between[i + 1];
    }
    LectureDocument document;
    document.setMarkdown(source);
    static const QRegularExpression body(u"<body[^>]*>(.*)</body>"_s, QRegularExpression::DotMatchesEverythingOption);
    QString html = body.match(document.toHtml()).captured(1);
    // Qt's styles contain fonts and margins in its own units; bold and italic are the ones that matter.
    html.replace(
        QRegularExpression(u"<span style=\"[^\"]*font-weight:[^\"]*font-style:italic[^\"]*\">([^<]*)</span>"_s),
        u"<b><i>\\1</i></b>"_s);
    html.replace(QRegularExpression(u"<span style=\"[^\"]*font-weight:[^\"]*\">([^<]*)</span>"_s), u"<b>\\1</b>"_s);
    html.replace(QRegularExpression(u"<span style=\"[^\"]*font-style:italic[^\"]*\">([^<]*)</span>"_s),
                 u"<i>\\1</i>"_s);
    html.remove(QRegularExpression(u"</?span[^>]*>"_s));
    html.replace(QRegularExpression(u"(<(?:p|ul|ol|li|table|td|tr|h[1-6]))(?: [^>]*)?>"_s), u"\\1>"_s);
    // A link of a lecture may open a page or a letter, and run no script.
    html.remove(
        QRegularExpression(u" href=\"(?!https?:|mailto:|#)[^\"]*\""_s, QRegularExpression::CaseInsensitiveOption));
    static const QRegularExpression picture(u"<img[^>]*>"_s);
    static const QRegularExpression number(u"formula:(\\d+)"_s);
    QString result;
    qsizetype from = 0;
    for (auto matches = picture.globalMatch(html); matches.hasNext();) {
        const auto match = matches.next();
        result += html.mid(from, match.capturedStart() - from);
        const auto index = number.match(match.captured());
        if (index.hasMatch()) result += images.value(index.captured(1).toInt());
        from = match.capturedEnd();
    }
    return result + html.mid(from);
}

QString htmlPicture(const Figure& figure, Appearance appearance) {
    ExportOptions options;
    options.format = FigureFormat::svg;
    options.outlines = true;  // the fonts of a reader are unknown
    options.appearance = appearance;
    options.widthMm = kHtmlPictureMm;
    options.heightMm = std::max(kHtmlPictureRatio * kHtmlPictureMm, figure.heightMm);
    options.fontPt = 11;
    QByteArray bytes = figureBytes(figure, options);
    const char* type = "image/svg+xml";
    if (bytes.size() > kMostSvgBytes) {
        options.format = FigureFormat::png;
        options.dpi = 150;
        bytes = figureBytes(figure, options);
        type = "image/png";
    }
    return u"<img class=\"picture\" alt=\"%1\" src=\"%2\">\n"_s.arg(figure.summary.toHtmlEscaped(),
                                                                    dataAddress(type, bytes));
}

class SlideHtml {
 public:
    SlideHtml(const ShownLecture& lecture, Appearance appearance) : m_lecture(lecture), m_appearance(appearance) {}

    QString of(const LectureSlide& slide, std::size_t number, bool isFirstOfScene) const {
        QString html = u"<section id=\"slide-%1\" data-scene=\"%2\">\n"_s.arg(number).arg(slide.scene);
        const QString anchor = isFirstOfScene && slide.scene > 0 ? u" id=\"%1\""_s.arg(slide.id) : QString();
        const QString title = slide.title.toHtmlEscaped();
        html += slide.scene == 0 ? u"<h1>%1</h1>\n"_s.arg(title)
                                 : u"<h2%1>%2 %3</h2>\n"_s.arg(anchor).arg(slide.scene).arg(title);
        if (!slide.question.isEmpty()) html += wrapped("question", slide.question);
        if (slide.picture) html += htmlPicture(*slide.picture, m_appearance);
        if (!slide.body.isEmpty()) html += wrapped("body", slide.body);
        if (!slide.sentence.isEmpty()) html += wrapped("sentence", slide.sentence);
        if (slide.ask) html += questionOf(slide);
        QStringList foot;
        if (slide.step > 0) foot << u"step %1 of %2"_s.arg(slide.step).arg(slide.steps);
        if (!slide.runs.isEmpty()) foot << slide.runs.toHtmlEscaped();
        html += u"<p class=\"foot\">%1</p>\n</section>\n"_s.arg(foot.join(u" · "_s));
        return html;
    }

 private:
    QString wrapped(const char* kind, const QString& markdown) const {
        return u"<div class=\"%1\">%2</div>\n"_s.arg(QLatin1String(kind), converted(markdown));
    }
    QString converted(const QString& markdown) const {
        return htmlOf(markdown, m_lecture, Theme::of(m_appearance).text);
    }
    QString questionOf(const LectureSlide& slide) const {
        QString html = u"<div class=\"ask\">%1"_s.arg(converted(text(slide.ask->text)));
        if (!slide.ask->choices.empty()) html += u"<ol type=\"a\">\n"_s;
        for (const std::string& choice : slide.ask->choices) {
            html += u"<li>%1</li>\n"_s.arg(converted(text(choice)));
        }
        if (!slide.ask->choices.empty()) html += u"</ol>\n"_s;
        if (!slide.answer.isEmpty()) {
            html += u"<details><summary>%1</summary>%2</details>"_s.arg(u"Answer"_s.toHtmlEscaped(),
                                                                        converted(slide.answer));
        }
        return html + u"</div>\n"_s;
    }

    const ShownLecture& m_lecture;
    Appearance m_appearance;
};

QString sceneList(const std::vector<LectureSlide>& slides) {
    QString html = u"<nav><details><summary>%1</summary><ol>\n"_s.arg(u"Scenes"_s);
    int scene = 0;
    for (const LectureSlide& slide : slides) {
        if (slide.scene == scene) continue;
        scene = slide.scene;
        html += u"<li><a href=\"#%1\">%2</a></li>\n"_s.arg(slide.id, slide.title.toHtmlEscaped());
    }
    return html + u"</ol></details></nav>\n"_s;
}

QString slideStyles(const Theme& theme) {
    return uR"(body { margin: 0; background: %1; color: %2; font: 1.25rem/1.45 sans-serif; }
nav { position: sticky; top: 0; background: %1; padding: 0.3rem 3vw; font-size: 1rem; z-index: 1; }
a { color: %3; }
section { box-sizing: border-box; max-width: 80rem; margin: 0 auto; padding: 1rem 3vw; border-top: 1px solid %4; }
h1, h2 { margin: 0.2em 0; }
.question { color: %3; }
.picture { display: block; max-width: 100%; max-height: 62vh; margin: 0.5rem auto; }
.sentence, .ask { font-size: 1.4rem; }
.foot { color: %5; font-size: 0.9rem; }
table { border-collapse: collapse; }
td, th { border: 1px solid %4; padding: 0.2em 0.6em; }
.paged section { display: none; border: 0; }
.paged section.shown { display: block; }
@media print { nav { display: none; } section, .paged section { display: block; break-inside: avoid; } }
)"_s.arg(theme.paper.name(), theme.text.name(), theme.accent.name(), theme.hairline.name(), theme.quietText.name());
}

/// Shows one slide at a time. Without it, all slides are below each other.
QString slideScript() {
    return uR"(const slides = Array.from(document.querySelectorAll("section"));
let shown = 0;
function show(index) {
  shown = Math.max(0, Math.min(slides.length - 1, index));
  slides.forEach((slide, i) => slide.classList.toggle("shown", i === shown));
  try { history.replaceState(null, "", "#" + slides[shown].id); } catch (error) { /* refused in some frames */ }
  window.scrollTo(0, 0);
}
function showTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const slide = target && target.closest("section");
  show(slide ? slides.indexOf(slide) : 0);
}
document.body.classList.add("paged");
document.querySelectorAll("nav a").forEach(link => link.addEventListener("click", event => {
  event.preventDefault();
  show(slides.indexOf(document.getElementById(link.getAttribute("href").slice(1)).closest("section")));
  document.querySelector("nav details").open = false;
}));
window.addEventListener("hashchange", showTarget);
document.addEventListener("keydown", event => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const isButton = event.target.closest("summary, a");
  const isTall = document.documentElement.scrollHeight > window.innerHeight;
  if (isTall && (event.key === "ArrowUp" || event.key === "ArrowDown")) return;  // they scroll
  const to = {ArrowRight: shown + 1, ArrowDown: shown + 1, PageDown: shown + 1, ArrowLeft: shown - 1, ArrowUp: shown - 1,
              PageUp: shown - 1, Home: 0, End: slides.length - 1}[event.key];
  if (to === undefined && (event.key !== " " || isButton)) return;
  event.preventDefault();
  show(to === undefined ? shown + 1 : to);
});
showTarget();
)"_s;
}

}  // namespace

QByteArray slidesHtml(const std::vector<LectureSlide>& slides, const ShownLecture& lecture, Appearance appearance) {
    const SlideHtml converter(lecture, appearance);
    QString html =
        u"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>%1</title>\n<style>\n%2"
        "</style>\n</head>\n<body>\n%3"_s.arg(text(lecture.lecture.title).toHtmlEscaped(),
                                              slideStyles(Theme::of(appearance)), sceneList(slides));
    int scene = 0;
    for (std::size_t i = 0; i < slides.size(); ++i) {
        html += converter.of(slides[i], i + 1, slides[i].scene != scene);
        scene = slides[i].scene;
    }
    html += u"<script>\n%1</script>\n</body>\n</html>\n"_s.arg(slideScript());
    return html.toUtf8();
}

}  // namespace ropelab::ui
