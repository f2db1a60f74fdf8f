#include <QCoreApplication>
#include <QCryptographicHash>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QMap>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <QTextDocument>
#include <algorithm>
#include <set>
#include <utility>

#include "core/lecture/quantities/quantity.h"
#include "ui/common/text.h"
#include "ui/figure/export/export.h"
#include "ui/lecture/documents/slides.h"
#include "ui/lecture/lecture_words.h"

static void initSlides() {
    Q_INIT_RESOURCE(slides);  // not inside a namespace
}

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMostSvgBytes = 400'000;  // a larger picture, such as a heat map, is a PNG
// A slide is 256 mm wide, so that its figures have the size of its text.
constexpr double kSlidePictureMm = 240;
constexpr double kBesideMm = 138;  // width of a picture beside a question
constexpr double kAloneMm = 112;   // height without a sentence …
constexpr double kAboveMm = 94;    // … and above one
constexpr double kPicturePt = 13;

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

QByteArray resource(const QString& path) {
    QFile file(path);
    file.open(QIODevice::ReadOnly);
    return file.readAll();
}

/// Not readable in the source of the page, and no secret: its script opens it in the same way.
QString sealed(const QJsonObject& content, std::size_t number) {
    QByteArray bytes = QJsonDocument(content).toJson(QJsonDocument::Compact);
    auto state = static_cast<quint32>(number);
    for (char& byte : bytes) {
        state = state * 1664525U + 1013904223U;
        byte = static_cast<char>(static_cast<quint32>(static_cast<unsigned char>(byte)) ^ (state >> 24U));
    }
    return QString::fromLatin1(bytes.toBase64());
}

/// Without metadata, and without what every page of this file says once.
QString compactSvg(const QByteArray& svg) {
    static const QRegularExpression needless(
        u"<\\?xml.*\\?>|<metadata>.*</metadata>|<title>.*</title>|<desc>.*</desc>|<defs>\\s*</defs>|"
        " xmlns(?::xlink)?=\"[^\"]*\"| transform=\"matrix\\(1,0,0,1,0,0\\)\"| font-family=\"[^\"]*\"|"
        " font-style=\"normal\"| (?:fill|stroke)-opacity=\"1\"| vector-effect=\"none\"| xml:space=\"preserve\"|"
        " version=\"[^\"]*\"| baseProfile=\"tiny\"| (?:width|height)=\"[0-9.]+mm\""_s,
        QRegularExpression::DotMatchesEverythingOption | QRegularExpression::InvertedGreedinessOption);
    static const QRegularExpression emptyGroup(u"<g[^>]*>\\s*</g>\\s*"_s);
    return QString::fromUtf8(svg).remove(needless).remove(emptyGroup).trimmed();
}

QString variablesOf(const Theme& theme) {
    QString css;
    for (const auto& [name, color] :
         std::initializer_list<std::pair<const char*, QColor>>{{"paper", theme.paper},
                                                               {"text", theme.text},
                                                               {"quiet", theme.quietText},
                                                               {"hairline", theme.hairline},
                                                               {"accent", theme.accent},
                                                               {"success", theme.success},
                                                               {"error", theme.error},
                                                               {"query", theme.query},
                                                               {"key", theme.key},
                                                               {"rotated", theme.rotated},
                                                               {"unrotated", theme.unrotated}}) {
        css += u"--%1:%2;"_s.arg(QLatin1String(name), color.name());
    }
    return css;
}

class SlideHtml {
 public:
    explicit SlideHtml(const ShownLecture& lecture) : m_lecture(lecture) {}

    QString of(const LectureSlide& slide, std::size_t number, std::size_t count, bool isFirstOfScene) {
        const QString title = slide.title.toHtmlEscaped();
        QString html =
            u"<section id=\"slide-%1\" data-scene=\"%2\" role=\"group\" aria-roledescription=\"slide\" "
            "aria-label=\"%1 of %3: %4\""_s.arg(number)
                .arg(slide.scene)
                .arg(count)
                .arg(title);
        if (!slide.live.isEmpty()) {
            html += u" data-live=\"%1\""_s.arg(
                QString::fromUtf8(QJsonDocument(slide.live).toJson(QJsonDocument::Compact)).toHtmlEscaped());
        }
        if (const QJsonObject secrets = secretsOf(slide); !secrets.isEmpty()) {
            html += u" data-sealed=\"%1\""_s.arg(sealed(secrets, number));
        }
        const QString anchor = isFirstOfScene && slide.scene > 0 ? u" id=\"%1\""_s.arg(slide.id) : QString();
        html += u">\n<div class=\"head\">"_s;
        html += slide.scene == 0 ? u"<h1>%1</h1>"_s.arg(title)
                                 : u"<h2%1>%2 %3</h2>"_s.arg(anchor).arg(slide.scene).arg(title);
        if (!slide.question.isEmpty()) html += wrapped("question", slide.question);
        html += u"</div>\n<div class=\"middle%1\">\n"_s.arg(slide.picture && slide.ask ? u" beside"_s : QString());
        if (slide.picture) html += pictureOf(slide);
        if (!slide.body.isEmpty()) html += wrapped("body", slide.body);
        if (slide.ask) html += questionOf(slide);
        const QString sentence = slide.sentence.isEmpty() ? QString() : wrapped("sentence", slide.sentence);
        const bool isAlone = !slide.picture && slide.body.isEmpty() && !slide.ask;
        html += isAlone ? sentence + u"</div>\n"_s : u"</div>\n"_s + sentence;
        QStringList foot;
        if (slide.step > 0) foot << u"step %1 of %2"_s.arg(slide.step).arg(slide.steps);
        if (!slide.runs.isEmpty()) foot << slide.runs.toHtmlEscaped();
        html += u"<p class=\"foot\"><span>%1</span><span>%2 of %3</span></p>\n</section>\n"_s.arg(
            foot.join(u" · "_s), QString::number(number), QString::number(count));
        return html;
    }

    /// The colours of all slides so far, as variables. Paper has those of the light theme.
    QString colors() const {
        QString light = variablesOf(Theme::light());
        QString dark = variablesOf(Theme::dark());
        for (auto each = m_colors.begin(); each != m_colors.end(); ++each) {
            light += u"--c%1:%2;"_s.arg(each.value()).arg(each.key().first);
            dark += u"--c%1:%2;"_s.arg(each.value()).arg(each.key().second);
        }
        return u":root{%1}\n@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){%2}}\n"
               "@media screen{:root[data-theme=dark]{%2}}\n"_s.arg(light, dark);
    }

 private:
    QString wrapped(const char* kind, const QString& markdown) const {
        return u"<div class=\"%1\">%2</div>\n"_s.arg(QLatin1String(kind), converted(markdown));
    }
    QString converted(const QString& markdown) const { return htmlOf(markdown, m_lecture, Theme::light().text); }

    QString questionOf(const LectureSlide& slide) const {
        QString html = u"<div class=\"ask\">%1"_s.arg(converted(text(slide.ask->text)));
        if (!slide.ask->choices.empty()) html += u"<ol type=\"a\">\n"_s;
        for (const std::string& choice : slide.ask->choices) {
            html += u"<li>%1</li>\n"_s.arg(converted(text(choice)));
        }
        if (!slide.ask->choices.empty()) html += u"</ol>\n"_s;
        return html + u"</div>\n"_s;
    }

    /// Empty in a version without answers.
    QJsonObject secretsOf(const LectureSlide& slide) const {
        QJsonObject secrets;
        if (!slide.notes.isEmpty()) secrets.insert(u"notes"_s, converted(slide.notes));
        if (!slide.ask || slide.answer.isEmpty()) return secrets;
        const LectureQuestion& ask = *slide.ask;
        constexpr const char* kinds[] = {"choice", "number", "curve"};
        QJsonArray wrong;
        for (const LectureMistake& mistake : ask.wrong) {
            wrong.append(QJsonObject{{u"answer"_s, mistake.answer}, {u"say"_s, converted(text(mistake.say))}});
        }
        QJsonObject sealed{{u"kind"_s, QLatin1String(kinds[static_cast<std::size_t>(ask.kind)])},
                           {u"right"_s, ask.right},
                           {u"tolerance"_s, ask.tolerance},
                           {u"unit"_s, unitOf(ask.quantity)},
                           {u"wrong"_s, wrong},
                           {u"answer"_s, converted(slide.answer)}};
        if (!ask.hint.empty()) sealed.insert(u"hint"_s, converted(text(ask.hint)));
        if (slide.truth) {
            sealed.insert(u"truth"_s, slide.truth->is_null() ? QJsonValue() : QJsonValue(slide.truth->get<double>()));
        }
        secrets.insert(u"ask"_s, sealed);
        return secrets;
    }

    QString pictureOf(const LectureSlide& slide) {
        ExportOptions options;
        options.format = FigureFormat::svg;
        options.widthMm = slide.ask ? kBesideMm : kSlidePictureMm;
        options.heightMm = std::max(slide.sentence.isEmpty() ? kAloneMm : kAboveMm, slide.picture->heightMm);
        options.fontPt = kPicturePt;
        const auto bytesOf = [&](Appearance appearance) {
            options.appearance = appearance;
            return figureBytes(*slide.picture, options);
        };
        const QString light = compactSvg(bytesOf(Appearance::light));
        const QString dark = compactSvg(bytesOf(Appearance::dark));
        QString pictures = inBothThemes(light, dark);
        if (pictures.size() > kMostSvgBytes) {
            options.format = FigureFormat::png;
            options.dpi = 150;
            pictures =
                u"<img class=\"only-light\" alt=\"\" src=\"%1\"><img class=\"only-dark\" alt=\"\" src=\"%2\">"_s.arg(
                    dataAddress("image/png", bytesOf(Appearance::light)),
                    dataAddress("image/png", bytesOf(Appearance::dark)));
        }
        return u"<figure class=\"still\" role=\"img\" aria-label=\"%1\">%2</figure>\n"_s.arg(
            slide.picture->summary.toHtmlEscaped(), pictures);
    }

    /// A colour that depends on the theme becomes a variable; two pictures if more than colours depends on it.
    QString inBothThemes(const QString& light, const QString& dark) {
        static const QRegularExpression color(u"#[0-9a-f]{6}"_s);
        if (QString(light).remove(color) != QString(dark).remove(color)) {
            return u"<div class=\"only-light\">%1</div><div class=\"only-dark\">%2</div>"_s.arg(light, dark);
        }
        QString result;
        qsizetype from = 0;
        auto others = color.globalMatch(dark);
        for (auto matches = color.globalMatch(light); matches.hasNext();) {
            const auto match = matches.next();
            const std::pair both(match.captured(), others.next().captured());
            if (both.first == both.second) continue;
            if (!m_colors.contains(both)) m_colors.insert(both, static_cast<int>(m_colors.size()));
            result += light.mid(from, match.capturedStart() - from) + u"var(--c%1)"_s.arg(m_colors[both]);
            from = match.capturedEnd();
        }
        return result + light.mid(from);
    }

    const ShownLecture& m_lecture;
    QMap<std::pair<QString, QString>, int> m_colors;  // in both themes
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

QString fontFace(int weight, const char* name) {
    return u"@font-face{font-family:\"Ropelab Sans\";font-weight:%1;src:url(%2)}\n"_s.arg(weight).arg(
        dataAddress("font/otf", resource(u":/fonts/RopelabSans-%1.otf"_s.arg(QLatin1String(name)))));
}

/// For questions that ask for no unit.
QString unitsOfQuantities() {
    std::set<std::string> units;
    for (const QuantityDescription& each : quantities()) units.insert(std::string(each.unit));
    units.erase("");
    return text(nlohmann::json(units).dump()).toHtmlEscaped();
}

}  // namespace

QByteArray slidesHtml(const std::vector<LectureSlide>& slides, const ShownLecture& lecture,
                      LectureDocumentJob::Colors colors) {
    initSlides();
    SlideHtml converter(lecture);
    QString sections;
    int scene = 0;
    for (std::size_t i = 0; i < slides.size(); ++i) {
        sections += converter.of(slides[i], i + 1, slides.size(), slides[i].scene != scene);
        scene = slides[i].scene;
    }
    const QByteArray script = resource(u":/slides/slides.js"_s);
    const QString theme = colors == LectureDocumentJob::Colors::automatic ? QString()
                          : colors == LectureDocumentJob::Colors::dark    ? u" data-theme=\"dark\""_s
                                                                          : u" data-theme=\"light\""_s;
    // Nothing is loaded, and no script runs but this one, whatever a lecture contains.
    const QString rules =
        u"default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; script-src 'sha256-%1'"_s.arg(
            QString::fromLatin1(QCryptographicHash::hash(script, QCryptographicHash::Sha256).toBase64()));
    return u"<!DOCTYPE html>\n<html lang=\"en\"%1>\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"%2\">\n"
           "<meta name=\"viewport\" content=\"width=device-width\">\n<title>%3</title>\n<style>\n%4%5%6%7</style>\n"
           "</head>\n<body data-minutes=\"%8\" data-units=\"%9\">\n"_s
               .arg(theme, rules, text(lecture.lecture.title).toHtmlEscaped(), converter.colors(),
                    fontFace(400, "Regular"), fontFace(600, "SemiBold"),
                    QString::fromUtf8(resource(u":/slides/slides.css"_s)), QString::number(lecture.lecture.minutes),
                    unitsOfQuantities())
               .toUtf8() +
           "<noscript><p>Sliders, answers and notes need JavaScript.</p></noscript>\n" + sceneList(slides).toUtf8() +
           sections.toUtf8() + "<script>" + script + "</script>\n</body>\n</html>\n";
}

}  // namespace ropelab::ui
