#include "ui/rooms/inspect/figures/figures.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/data/corpus.h"
#include "ui/common/format.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/text_metrics.h"
#include "ui/figure/ticks.h"
#include "ui/probes/inspect_data.h"
#include "ui/rooms/inspect/inspect_figures.h"
#include "ui/rooms/inspect/probe_work.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kLargestLetters = 11;
constexpr double kSmallestLetters = 6;
constexpr double kLetterStep = 0.5;
constexpr double kLegendPt = 26;        // height of the legend below a text
constexpr double kLegendWidthPt = 110;  // width of the colour scale
constexpr double kLeastScalePt = 24;    // its width in a narrow figure
constexpr double kLegendBarPt = 9;      // height of the colour scale
constexpr double kGapPt = 6;
constexpr double kLeastContrast = 4.5;  // WCAG 2.1, level AA
constexpr double kMarkedToken = 0.16;   // opacity of the background of every other token
constexpr std::size_t kMostBars = 40;
constexpr double kSmallestInformation = 1e-4;  // values below this fraction of the largest one are not drawn

QColor mixed(const QColor& from, const QColor& to, double fraction) {
    const auto part = [fraction](int a, int b) { return static_cast<int>(std::lround(a + fraction * (b - a))); };
    return {part(from.red(), to.red()), part(from.green(), to.green()), part(from.blue(), to.blue())};
}

struct ColoredText {
    QStringList tokens;
    std::function<QColor(int token, const Theme&)> background;
    QString note;
    double most = 0;  // bits of the full colour; 0 without a colour scale
};

/// The colour scale, and the note beside it or, if that is too long, in lines below it.
class TextLegend {
 public:
    TextLegend(const ColoredText& text, const QRectF& rect, const FigureStyle& style)
        : m_style(style), m_most(text.most), m_note(text.note) {
        const TextMetrics metrics(style.font(style.tickPt));
        const double gap = style.units(kGapPt);
        const double width = std::max(1.0, rect.width() - 2 * gap);
        if (m_most > 0) {
            m_high = u"%1 bits (a uniform guess) or more"_s.arg(readableNumber(m_most));
            m_lowWidth = metrics.horizontalAdvance(m_low);
            m_highWidth = metrics.horizontalAdvance(m_high);
            m_barWidth = std::clamp(width - m_lowWidth - m_highWidth - 2 * gap, style.units(kLeastScalePt),
                                    style.units(kLegendWidthPt));
        }
        const double scale = m_most > 0 ? m_lowWidth + m_barWidth + m_highWidth + 4 * gap : 0;
        const bool isBeside = scale + metrics.horizontalAdvance(m_note) <= width;
        const double row = style.units(kLegendPt);
        m_noteLeft = isBeside ? scale : 0;
        const QRectF lines = metrics.boundingRect(QRectF(0, 0, width - m_noteLeft, rect.height()), kWrapped, m_note);
        // A note without a scale begins in the first row.
        m_noteTop = isBeside ? (row - metrics.height()) / 2 : m_most > 0 ? row : gap;
        m_height = std::max(row, m_noteTop + lines.height() + style.units(2));
    }

    double height() const { return m_height; }

    void paint(QPainter& painter, const QRectF& rect) const {
        painter.setFont(m_style.font(m_style.tickPt));
        const double gap = m_style.units(kGapPt);
        const QRectF all(rect.left() + gap, rect.bottom() - m_height, std::max(1.0, rect.width() - 2 * gap), m_height);
        if (m_most > 0) paintScale(painter, {all.left(), all.top(), all.width(), m_style.units(kLegendPt)});
        painter.setPen(m_style.theme.quietText);
        painter.drawText(all.adjusted(m_noteLeft, m_noteTop, 0, 0), kWrapped, m_note);
    }

 private:
    static constexpr int kWrapped = static_cast<int>(Qt::AlignLeft | Qt::AlignTop) | Qt::TextWordWrap;

    void paintScale(QPainter& painter, const QRectF& row) const {
        const double gap = m_style.units(kGapPt);
        constexpr int middle = static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
        painter.setPen(m_style.theme.quietText);
        painter.drawText(row, middle, m_low);
        const QRectF bar(row.left() + m_lowWidth + gap, row.center().y() - m_style.units(kLegendBarPt) / 2, m_barWidth,
                         m_style.units(kLegendBarPt));
        QLinearGradient scale(bar.topLeft(), bar.topRight());
        scale.setColorAt(0, bitsColor(0, m_most, m_style.theme));
        scale.setColorAt(1, bitsColor(m_most, m_most, m_style.theme));
        painter.fillRect(bar, scale);
        painter.setPen(QPen(m_style.theme.hairline, m_style.units(m_style.hairPt)));
        painter.drawRect(bar);
        painter.setPen(m_style.theme.quietText);
        painter.drawText(QRectF(bar.right() + gap, row.top(), m_highWidth, row.height()), middle | Qt::TextDontClip,
                         m_high);
    }

    FigureStyle m_style;
    double m_most;
    QString m_note;
    QString m_low = u"0 bits"_s;
    QString m_high;
    double m_lowWidth = 0;
    double m_barWidth = 0;
    double m_highWidth = 0;
    double m_noteLeft = 0;
    double m_noteTop = 0;
    double m_height = 0;
};

QRectF textPlace(const ColoredText& text, const QRectF& rect, const FigureStyle& style) {
    return rect.adjusted(style.units(kGapPt), style.units(kGapPt), -style.units(kGapPt),
                         -TextLegend(text, rect, style).height());
}

/// With letters of one size, as many tokens as fit.
TokenLayout placesOf(const QStringList& tokens, const QRectF& rect, const FigureStyle& style, double points) {
    TokenLayout layout{points, {}};
    const TextMetrics metrics(style.font(points));
    const double height = 1.15 * metrics.height();
    double x = rect.left();
    double y = rect.top();
    for (const QString& token : tokens) {
        const double width = metrics.horizontalAdvance(token);
        if (x + width > rect.right() && x > rect.left()) {
            x = rect.left();
            y += height;
        }
        if (y + height > rect.bottom()) break;
        layout.places.append({x, y, width, height});
        x += width;
        if (!token.endsWith(u"↵"_s)) continue;
        x = rect.left();
        y += height;
    }
    return layout;
}

void paintText(QPainter& painter, const QRectF& rect, const FigureStyle& style, const ColoredText& text) {
    const TokenLayout layout = layoutTokens(text.tokens, textPlace(text, rect, style), style);
    painter.save();
    painter.setFont(style.font(layout.fontPt));
    for (int i = 0; i < layout.places.size(); ++i) {
        painter.fillRect(layout.places[i], text.background(i, style.theme));
        painter.setPen(style.theme.text);
        painter.drawText(layout.places[i], Qt::AlignCenter | Qt::TextDontClip, text.tokens[i]);
    }
    TextLegend(text, rect, style).paint(painter, rect);
    painter.restore();
}

/// At which the text fills the width with letters of the figure's size.
double textHeight(double width, const FigureStyle& style, const ColoredText& text) {
    constexpr double lowest = 1000;  // in points, more than any excerpt needs
    const QRectF page(0, 0, width, style.units(lowest));
    const TokenLayout layout = placesOf(text.tokens, textPlace(text, page, style), style, style.tickPt);
    const double bottom = layout.places.isEmpty() ? 0 : layout.places.last().bottom();
    return bottom + TextLegend(text, page, style).height() + style.units(kGapPt);
}

std::function<QString(QPointF, const QRectF&, const FigureStyle&)> tokenToolTips(
    ColoredText text, std::function<QString(int token)> words) {
    return [text = std::move(text), words = std::move(words)](QPointF place, const QRectF& canvas,
                                                              const FigureStyle& style) {
        const TokenLayout layout = layoutTokens(text.tokens, textPlace(text, canvas, style), style);
        for (int i = 0; i < layout.places.size(); ++i) {
            if (layout.places[i].contains(place)) return words(i);
        }
        return QString();
    };
}

void setText(Figure& figure, const ColoredText& text) {
    figure.drawingHeight = [text](double width, const FigureStyle& style) { return textHeight(width, style, text); };
    figure.drawing = [text](QPainter& painter, const QRectF& rect, const FigureStyle& style) {
        paintText(painter, rect, style, text);
    };
}

InspectPicture withoutStatistics(const InspectData& data, const char* name) {
    return withoutAnswer(data, name, u"Counting the tokens of the data set …"_s);
}

QString countedText(const TextStatistics& text) {
    return u"%1: %2%3"_s.arg(text.name, countText(text.tokens, u"token"_s),
                             text.isWhole ? QString() : u" at the start of the training split"_s);
}

QString fitText(const QString& what, const ZipfFit& fit) {
    return u"%1: exponent s = %2 for ranks %3 to %4, R² %5 (geometric fit: %6)"_s.arg(
        what, readableNumber(fit.exponent), groupedText(fit.first_rank), groupedText(fit.last_rank),
        QString::number(fit.r_squared, 'f', 3), QString::number(fit.r_squared_geometric, 'f', 3));
}

void addRanks(Figure& figure, const std::vector<std::int64_t>& ranked, const std::optional<ZipfFit>& fit,
              const QString& name, Ink ink) {
    if (ranked.empty()) return;
    const auto total = static_cast<double>(std::accumulate(ranked.begin(), ranked.end(), std::int64_t{0}));
    FigureCurve curve = inspectCurve(name, figure.y.label, ink);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        curve.x.append(static_cast<double>(i + 1));
        curve.y.append(static_cast<double>(ranked[i]) / total);
    }
    curve.dots = false;
    figure.table.names << u"rank (%1)"_s.arg(name) << u"frequency (%1)"_s.arg(name);
    figure.table.columns << curve.x << curve.y;
    figure.curves.push_back(std::move(curve));
    if (!fit) return;
    FigureCurve line = inspectCurve(u"Zipf’s law, %1"_s.arg(name), figure.y.label, ink);
    line.x = {static_cast<double>(fit->first_rank), static_cast<double>(fit->last_rank)};
    line.y = numbersOf(line.x, [&](double rank) { return std::exp(fit->intercept - fit->exponent * std::log(rank)); });
    line.companion = true;
    line.dots = false;
    figure.curves.push_back(std::move(line));
}

QString intervalText(const Description& mean, const QString& unit) {
    if (!std::isfinite(mean.mean)) return {};
    const QString value = QString::number(mean.mean, 'f', 3);
    if (!std::isfinite(mean.confidence_low)) return u"%1 %2"_s.arg(value, unit);
    return u"%1 %2 (95 % confidence interval %3 to %4)"_s.arg(value, unit, QString::number(mean.confidence_low, 'f', 3),
                                                              QString::number(mean.confidence_high, 'f', 3));
}

}  // namespace

TokenLayout layoutTokens(const QStringList& tokens, const QRectF& rect, const FigureStyle& style) {
    TokenLayout layout;
    for (double points = kLargestLetters; points >= kSmallestLetters; points -= kLetterStep) {
        layout = placesOf(tokens, rect, style, points);
        if (layout.places.size() == tokens.size()) break;
    }
    return layout;
}

QColor bitsColor(double bits, double most, const Theme& theme) {
    constexpr double step = 0.02;
    double full = 0.9;
    while (full > step && contrastRatio(theme.text, mixed(theme.paper, theme.data[5], full)) < kLeastContrast) {
        full -= step;
    }
    return mixed(theme.paper, theme.data[5], full * std::clamp(bits / most, 0.0, 1.0));
}

static InspectPicture dataTokens(const InspectData& data) {
    constexpr const char* name = "data-tokens";
    if (!data.run || !data.statistics) return withoutStatistics(data, name);
    const TextStatistics& text = *data.statistics;
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    const QStringList tokens = visibleTokens(text.vocabulary, text.excerpt);
    figure.summary = u"The first %1 of the validation split of %2; neighbouring tokens alternate in shade."_s.arg(
        countText(std::ssize(text.excerpt), u"token"_s), text.name);
    figure.table.words.append({u"token"_s, tokens});
    figure.table.names = {u"token number"_s, text.isWhole ? u"count in the training split"_s
                                                          : u"count in the first %1 of the training split"_s.arg(
                                                                countText(text.tokens, u"token"_s))};
    figure.table.columns.resize(2);
    for (const std::int32_t token : text.excerpt) {
        figure.table.addRow(
            {static_cast<double>(token), static_cast<double>(text.counts[static_cast<std::size_t>(token)])});
    }
    ColoredText colored{tokens,
                        [](int token, const Theme& theme) {
                            return mixed(theme.paper, theme.accent, token % 2 == 0 ? 0 : kMarkedToken);
                        },
                        u"%1; vocabulary of %2; neighbouring tokens alternate in shade"_s.arg(
                            text.name, countText(std::ssize(text.counts), u"token"_s))};
    setText(figure, colored);
    picture.drawnToolTipAt = tokenToolTips(colored, [tokens, statistics = data.statistics](int i) {
        const std::int32_t token = statistics->excerpt[static_cast<std::size_t>(i)];
        const std::int64_t count = statistics->counts[static_cast<std::size_t>(token)];
        return u"token %1, vocabulary id %2: occurs %3 times in %4"_s.arg(
            tokens[i], groupedText(token), groupedText(count), countText(statistics->tokens, u"token"_s));
    });
    return picture;
}

static InspectPicture dataFrequencies(const InspectData& data) {
    constexpr const char* name = "data-frequencies";
    if (!data.run || !data.statistics) return withoutStatistics(data, name);
    const TextStatistics& text = *data.statistics;
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    std::vector<std::int32_t> order(text.counts.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return text.counts[static_cast<std::size_t>(a)] > text.counts[static_cast<std::size_t>(b)];
    });
    const QStringList names = visibleTokens(text.vocabulary, order);
    const auto percent = [&](std::int32_t token) {
        return 100.0 * static_cast<double>(text.counts[static_cast<std::size_t>(token)]) /
               static_cast<double>(text.tokens);
    };
    figure.x.label = u"token"_s;
    figure.y = {u"frequency"_s, u"%"_s};
    FigureCurve bars = inspectCurve({}, figure.y.label, data.run->ink);
    bars.shape = FigureCurve::Shape::bars;
    figure.table.words.append({u"token"_s, names});
    figure.table.names = {u"count"_s, u"frequency (%)"_s};
    figure.table.columns.resize(2);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::int32_t token = order[i];
        figure.table.addRow({static_cast<double>(text.counts[static_cast<std::size_t>(token)]), percent(token)});
        if (i >= kMostBars) continue;
        bars.x.append(static_cast<double>(i));
        bars.y.append(percent(token));
        figure.x.categories << names[static_cast<qsizetype>(i)];
    }
    figure.note = countedText(text);
    figure.summary = u"Frequencies of the %1 most frequent among %2 of %3; the most frequent one is %4 with %5 %."_s
                         .arg(bars.x.size())
                         .arg(countText(std::ssize(order), u"token"_s), text.name, names.value(0),
                              readableNumber(percent(order.front())));
    figure.y.minimum = 0;
    figure.curves.push_back(std::move(bars));
    return picture;
}

static InspectPicture dataZipf(const InspectData& data) {
    constexpr const char* name = "data-zipf";
    if (!data.run || !data.statistics) return withoutStatistics(data, name);
    const TextStatistics& text = *data.statistics;
    InspectPicture picture{inspectFigure(data, name, {u"rank"_s, {}, true}, {u"frequency"_s, {}, true})};
    Figure& figure = picture.figure;
    addRanks(figure, text.rankedTokens, text.tokenFit, u"tokens"_s, data.run->ink);
    addRanks(figure, text.rankedWords, text.wordFit, u"words"_s, {Ink::Kind::compared});
    QStringList fits;
    if (text.tokenFit) fits << fitText(u"tokens"_s, *text.tokenFit);
    if (text.wordFit) fits << fitText(u"words"_s, *text.wordFit);
    QStringList notes = fits;
    if (!fits.isEmpty()) notes.prepend(u"thin lines: Zipf’s law"_s);
    if (!text.isWhole) notes << countedText(text);
    figure.note = notes.join(u"; "_s);
    figure.summary = u"Frequency of tokens and words of %1 by rank, with Zipf’s law f = e^a·r^(−s). %2."_s.arg(
        text.name, fits.isEmpty() ? u"There are too few ranks of token frequencies for a fit"_s : fits.join(u"; "_s));
    return picture;
}

static InspectPicture dataInformation(const InspectData& data) {
    constexpr const char* name = "data-mutual-information";
    if (!data.run || !data.statistics) return withoutStatistics(data, name);
    const TextStatistics& text = *data.statistics;
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    constexpr double bits = 1 / std::numbers::ln2;
    double highest = 0;
    for (const double nats : text.information.nats) highest = std::max(highest, bits * nats);
    if (!(highest > 0))
        return withoutNumbers(data, name,
                              u"The estimated mutual information of two tokens of this data set is not above 0 at any "
                              "distance, so no curve is shown."_s);
    figure.x = {u"distance"_s, u"tokens"_s, true};
    figure.y = {u"mutual information"_s, u"bits"_s, true};
    FigureCurve curve = inspectCurve(text.name, figure.y.label, data.run->ink);
    for (std::size_t i = 0; i < text.information.distances.size(); ++i) {
        const double value = bits * text.information.nats[i];
        curve.x.append(static_cast<double>(text.information.distances[i]));
        curve.y.append(value >= kSmallestInformation * highest ? value : std::nan(""));
    }
    figure.table.names = {u"distance (tokens)"_s, u"mutual information (bits)"_s, u"plug-in estimate (bits)"_s};
    const auto inBits = [](double nats) { return bits * nats; };
    figure.table.columns = {curve.x, numbersOf(text.information.nats, inBits),
                            numbersOf(text.information.plug_in, inBits)};
    figure.curves.push_back(std::move(curve));
    figure.summary = u"Mutual information of two tokens of %1 by their distance."_s.arg(text.name);
    const double chance = text.shuffled ? bits * text.shuffled->upper() : 0;
    const bool showsChance = chance >= kSmallestInformation * highest;
    if (showsChance) {
        figure.horizontalLines.push_back({.at = chance, .label = u"shuffled tokens"_s, .labelAtEnd = false});
    }
    if (text.shuffled) {
        const auto above = std::count_if(text.information.nats.begin(), text.information.nats.end(),
                                         [&](double nats) { return nats > text.shuffled->upper(); });
        figure.summary +=
            u" At %1 of %2 distances, the mutual information is above %3 bits: the mean + 1.96 standard deviations of "
            "shuffled tokens."_s.arg(above)
                .arg(text.information.nats.size())
                .arg(readableNumber(chance));
    }
    figure.note = u"estimate with Miller–Madow correction; gaps: values below 1/10,000 of the maximum; %1%2"_s.arg(
        showsChance ? u"shuffled tokens: mean + 1.96 standard deviations; "_s : QString(), countedText(text));
    return picture;
}

static InspectPicture dataBits(const InspectData& data) {
    constexpr const char* name = "data-bits";
    if (!data.run || !data.painted)
        return withoutAnswer(data, name,
                             u"Computing the bits per token under the run's "
                             "model …"_s);
    const PaintedText& text = *data.painted;
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    const QStringList tokens = visibleTokens(text.vocabulary, text.tokens);
    const double guess = std::log2(std::max(2, Vocabulary::from_text(text.vocabulary).size()));
    QStringList means;
    if (std::isfinite(text.perCharacter.mean)) means << intervalText(text.perCharacter, u"bits per character"_s);
    if (text.perCharacter.mean != text.perByte.mean) means << intervalText(text.perByte, u"bits per byte"_s);
    const QString sizes = u"arithmetic coding with this model compresses the text to %1 of its %2"_s.arg(
        groupedText(std::llround(std::ceil(text.totalBits / 8))), countText(text.bytes, u"byte"_s));
    figure.summary = u"The %1, coloured by the bits of each token after %2 steps of the run %3: %4; %5."_s.arg(
        text.source, groupedText(text.iteration), data.run->name, means.join(u", "_s), sizes);
    figure.settings[u"iteration"_s] = static_cast<double>(text.iteration);
    figure.settings[u"text"_s] = text.source;
    figure.table.words.append({u"token"_s, tokens});
    figure.table.names = {u"bits"_s, u"tokens before it that the model saw"_s};
    figure.table.columns = {QList<double>(text.bits.bits.begin(), text.bits.bits.end()),
                            QList<double>(text.bits.seen.begin(), text.bits.seen.end())};
    ColoredText colored{tokens,
                        [painted = data.painted, guess](int token, const Theme& theme) {
                            return bitsColor(painted->bits.bits[static_cast<std::size_t>(token)], guess, theme);
                        },
                        means.join(u", "_s) + u"; "_s + sizes, guess};
    setText(figure, colored);
    picture.drawnToolTipAt = tokenToolTips(colored, [tokens, painted = data.painted](int i) {
        const auto place = static_cast<std::size_t>(i);
        return u"token %1, vocabulary id %2: %3 bits, probability %4 %, predicted from the %5 before it"_s.arg(
            tokens[i], groupedText(painted->tokens[place]), readableNumber(painted->bits.bits[place]),
            readableNumber(100 * std::exp2(-painted->bits.bits[place])),
            countText(painted->bits.seen[place], u"token"_s));
    });
    return picture;
}

InspectFigures dataFigures() {
    using Controls = InspectFigure::Controls;
    return {
        {"data-bits", InspectGroup::data, u"bits per token of a text"_s,
         u"Colours each token of a text by its bits under the run's model, −log₂ p: the fewer bits, the "
         "fainter the colour. The sum of the bits is the size to which an arithmetic coder with this model compresses "
         "the "
         "text; ropelab-cli compress writes such a file. Formulas 35 and 59 of the guide"_s,
         &need::bits, Controls::none, dataBits},
        {"data-tokens", InspectGroup::data, u"tokens of the text"_s,
         u"Shows the start of the validation split with its tokens marked. Point at a token to see its "
         "number and its count."_s,
         &need::statistics, Controls::none, dataTokens},
        {"data-frequencies", InspectGroup::data, u"token frequencies"_s,
         u"Shows the frequencies of the most frequent tokens of the training split."_s, &need::statistics,
         Controls::none, dataFrequencies},
        {"data-zipf", InspectGroup::data, u"frequency by rank"_s,
         u"Shows the frequencies of tokens and of words by rank with the fit of Zipf's law. Formula 57 of the guide"_s,
         &need::statistics, Controls::none, dataZipf},
        {"data-mutual-information", InspectGroup::data, u"mutual information by distance"_s,
         u"Shows the mutual information of two tokens by their distance, and that of shuffled tokens, which is only "
         "due to chance. Formula 58 of the guide"_s,
         &need::statistics, Controls::none, dataInformation},
    };
}

}  // namespace ropelab::ui
