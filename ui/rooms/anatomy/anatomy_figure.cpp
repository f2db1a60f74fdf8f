#include "ui/rooms/anatomy/anatomy_figure.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/plan/anatomy_times.h"
#include "ui/common/text.h"
#include "ui/figure/figure_style.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::int64_t kMostCells = 96;

/// The first and the last index of the numbers that the cell averages.
std::pair<std::int64_t, std::int64_t> cellRange(std::int64_t cell, std::int64_t cells, std::int64_t numbers) {
    return {cell * numbers / cells, std::max(cell * numbers / cells + 1, (cell + 1) * numbers / cells)};
}

}  // namespace

FigureMap numberMap(std::span<const float> numbers, std::int64_t rows, std::int64_t columns, const QString& label) {
    FigureMap map;
    map.label = label;
    map.rows = static_cast<int>(std::min(rows, kMostCells));
    map.columns = static_cast<int>(std::min(columns, kMostCells));
    map.scale = FigureMap::Scale::diverging;
    map.yStep = static_cast<double>(rows) / map.rows;
    map.xStep = static_cast<double>(columns) / map.columns;
    map.yFirst = (map.yStep - 1) / 2;
    map.xFirst = (map.xStep - 1) / 2;
    for (int r = 0; r < map.rows; ++r) {
        const auto [firstRow, lastRow] = cellRange(r, map.rows, rows);
        for (int c = 0; c < map.columns; ++c) {
            const auto [firstColumn, lastColumn] = cellRange(c, map.columns, columns);
            double sum = 0;
            std::int64_t count = 0;
            for (std::int64_t row = firstRow; row < lastRow; ++row) {
                for (std::int64_t column = firstColumn; column < lastColumn; ++column) {
                    const float number = numbers[static_cast<std::size_t>(row * columns + column)];
                    if (!std::isfinite(number)) continue;
                    sum += static_cast<double>(number);
                    ++count;
                }
            }
            map.values.append(count == 0 ? std::numeric_limits<float>::quiet_NaN()
                                         : static_cast<float>(sum / static_cast<double>(count)));
        }
    }
    return map;
}

void setMatrixAxes(Figure& figure, std::int64_t rows, std::int64_t columns) {
    figure.x = Axis::cells(figure.x.label, columns);
    figure.y = Axis::cells(figure.y.label, rows);
    figure.y.downwards = true;
}

namespace {

bool isWordPart(QChar letter) {
    return letter.isLetter() || letter.isDigit();
}

qsizetype endOfWord(const QString& text, qsizetype from) {
    qsizetype end = from;
    while (end < text.size() && isWordPart(text[end])) ++end;
    return end == from && end < text.size() ? end + 1 : end;
}

Formula partOf(const QString& word) {
    return word.size() == 1 && word[0].isLetter() ? Formula::symbol(word) : Formula::text(word);
}

/// The part begins after its mark at `at`, which moves behind it.
Formula attachedPart(const QString& text, qsizetype& at) {
    if (at < text.size() && text[at] == QLatin1Char('{')) {
        const qsizetype close = text.indexOf(QLatin1Char('}'), at);
        const qsizetype end = close < 0 ? text.size() : close;
        const QString inside = text.mid(at + 1, end - at - 1);
        at = end + 1;
        return stageFormula(inside);
    }
    const qsizetype end = endOfWord(text, at);
    const QString word = text.mid(at, end - at);
    at = end;
    return partOf(word);
}

}  // namespace

Formula stageFormula(const QString& text) {
    std::vector<Formula> parts;
    for (qsizetype at = 0; at < text.size();) {
        const QChar mark = text[at];
        if ((mark == QLatin1Char('_') || mark == QLatin1Char('^')) && !parts.empty()) {
            ++at;
            const Formula attached = attachedPart(text, at);
            const Formula base = parts.back();
            parts.back() =
                mark == QLatin1Char('_') ? Formula::subscript(base, attached) : Formula::superscript(base, attached);
            continue;
        }
        if (isWordPart(mark)) {
            const qsizetype end = endOfWord(text, at);
            parts.push_back(partOf(text.mid(at, end - at)));
            at = end;
            continue;
        }
        qsizetype end = at + 1;
        while (end < text.size() && !isWordPart(text[end]) && text[end] != QLatin1Char('_') &&
               text[end] != QLatin1Char('^')) {
            ++end;
        }
        parts.push_back(Formula::text(text.mid(at, end - at)));
        at = end;
    }
    return Formula::row(std::move(parts));
}

namespace {

// Lengths in points.
constexpr double kLinePt = 15;
constexpr double kStreamPt = 30;
constexpr double kColumnGapPt = 8;
constexpr double kLineMm = 5.4;
constexpr qsizetype kNoteLetters = 100;  // in a line of a note, which is then not wider than the columns

QStringList numberCells(const AnatomyStage* stage) {
    if (!stage) return {u"–"_s, u"–"_s, u"–"_s};
    return {text(known_parameters(stage->parameters, stage->active_parameters())),
            text(known_operations(stage->operations)), text(known_number(stage->cache_bytes_per_token))};
}

QStringList totalNumbers(const AnatomyTotals& totals) {
    return {text(known_parameters(totals.parameters, totals.active_parameters)),
            text(known_operations(totals.operations)), text(known_number(totals.cache_bytes_per_token))};
}

/// In milliseconds, or the stage whose time contains it.
QString timeCell(const AnatomyStage& stage) {
    if (stage.seconds || stage.within.empty()) return text(stage_time(stage));
    return u"in %1"_s.arg(text(stage.within.front())) + (stage.within.size() > 1 ? u" …"_s : QString());
}

bool hasTimes(const std::vector<AnatomyModel>& models) {
    return models.size() == 1 && !models.front().anatomy.times.empty();
}

QString sizesLine(const Anatomy& anatomy) {
    QStringList parts;
    for (const AnatomySize& size : anatomy.sizes) {
        parts << u"%1 = %2"_s.arg(text(size.symbol), text(known_number(size.value)));
    }
    return parts.join(u", "_s);
}

/// Equal ids side by side, others alone.
std::vector<std::pair<const AnatomyStage*, const AnatomyStage*>> aligned(const std::vector<AnatomyStage>& a,
                                                                         const std::vector<AnatomyStage>& b) {
    std::vector<std::pair<const AnatomyStage*, const AnatomyStage*>> result;
    std::size_t next = 0;
    for (const AnatomyStage& stage : a) {
        const auto same = std::find_if(b.begin() + static_cast<std::ptrdiff_t>(next), b.end(),
                                       [&](const AnatomyStage& other) { return other.id == stage.id; });
        if (same == b.end()) {
            result.emplace_back(&stage, nullptr);
            continue;
        }
        const auto found = static_cast<std::size_t>(same - b.begin());
        for (; next < found; ++next) result.emplace_back(nullptr, &b[next]);
        result.emplace_back(&stage, &b[found]);
        next = found + 1;
    }
    for (; next < b.size(); ++next) result.emplace_back(nullptr, &b[next]);
    return result;
}

void addToTable(FigureTable& table, const AnatomyModel& model, bool isPair) {
    const auto number = [](const auto& value) {
        return value ? static_cast<double>(*value) : std::numeric_limits<double>::quiet_NaN();
    };
    for (const AnatomySection& section : model.anatomy.sections) {
        for (const AnatomyStage& stage : section.stages) {
            qsizetype word = 0;
            if (isPair) table.words[word++].second << text(model.name);
            table.words[word++].second << text(section.title);
            table.words[word++].second << text(stage.title());
            table.words[word++].second << text(stage.symbols);
            table.words[word++].second << text(stage.shape_text());
            table.columns[0] << static_cast<double>(section.repeats());
            table.columns[1] << number(stage.parameters);
            table.columns[2] << number(stage.operations);
            table.columns[3] << number(stage.cache_bytes_per_token);
            if (table.columns.size() == 4) continue;
            table.columns[4] << number(stage.seconds);
            table.words[word++].second << (stage.seconds ? QString() : text(stage_time(stage)));
        }
    }
}

FigureTable tableOf(const std::vector<AnatomyModel>& models) {
    FigureTable table;
    const bool isPair = models.size() > 1;
    if (isPair) table.words.append({u"model"_s, {}});
    for (const QString& name : {u"section"_s, u"stage"_s, u"shape"_s, u"size"_s}) table.words.append({name, {}});
    table.names = {u"repeats"_s, u"parameters"_s, u"FLOPs per token"_s, u"cache bytes per token"_s};
    if (hasTimes(models)) {
        table.words.append({u"time within"_s, {}});
        table.names << u"seconds per pass"_s;
    }
    table.columns.resize(table.names.size());
    for (const AnatomyModel& model : models) addToTable(table, model, isPair);
    return table;
}

QString totalsSentence(const AnatomyModel& model) {
    const AnatomyTotals totals = model.anatomy.totals();
    return u"%1: %2 parameters, %3 FLOPs per token of a forward pass, %4 bytes of KV cache per token"_s.arg(
        model.name.empty() ? u"model"_s : text(model.name),
        text(known_parameters(totals.parameters, totals.active_parameters)), text(known_operations(totals.operations)),
        text(known_number(totals.cache_bytes_per_token)));
}

}  // namespace

AnatomyListing::AnatomyListing(const std::vector<AnatomyModel>& models, const AnatomyView& view)
    : m_isPair(models.size() > 1), m_hasTimes(hasTimes(models)), m_picked(view.picked) {
    const Anatomy& first = models.front().anatomy;
    const Anatomy& second = models.back().anatomy;
    const QStringList numbers = {u"parameters"_s, u"FLOPs"_s, u"cache B"_s};
    Line head{.kind = Line::Kind::head};
    if (m_isPair) {
        head.cells = QStringList{u"stage"_s, text(models.front().name)} + numbers +
                     QStringList{text(models.back().name)} + numbers;
    } else {
        head.cells = QStringList{u"stage"_s, u"shape"_s, u"size"_s} + numbers;
        if (hasTimes(models)) head.cells << u"ms/pass"_s;
    }
    m_lines.push_back(std::move(head));
    const std::size_t sections = std::min(first.sections.size(), second.sections.size());
    for (std::size_t i = 0; i < sections; ++i) {
        const AnatomySection& a = first.sections[i];
        const bool isLayer = !a.layers.empty();
        if (isLayer) {
            m_lines.push_back(
                {.kind = Line::Kind::section,
                 .id = u"layer"_s,
                 .cells = {u"%1 %2 × %3"_s.arg(QString(QChar(view.isFolded ? 0x25B8 : 0x25BE)), text(a.title))
                               .arg(a.repeats())},
                 .stream = Line::Stream::through});
        }
        if (isLayer && view.isFolded) continue;
        m_isInBranch = false;
        if (m_isPair) {
            for (const auto& [left, right] : aligned(a.stages, second.sections[i].stages)) addStage(left, right);
        } else {
            for (const AnatomyStage& stage : a.stages) addStage(&stage, nullptr);
        }
    }
    addTotals(models);
}

void AnatomyListing::addStage(const AnatomyStage* first, const AnatomyStage* second) {
    const AnatomyStage& any = first ? *first : *second;
    Line line{.id = text(any.id)};
    // Stages of a second kind of layer have the names of Anatomy::find().
    const QStringList before = ids();
    const auto same = std::count_if(before.begin(), before.end(), [&](const QString& id) {
        return id == text(any.id) || id.startsWith(text(any.id) + QLatin1Char('#'));
    });
    if (same > 0) line.id += u"#%1"_s.arg(same + 1);
    if (m_isPair) {
        line.cells = QStringList{text(any.name)};
        for (const AnatomyStage* stage : {first, second}) {
            const QString kind = !stage ? u"–"_s : stage->kind.empty() ? text(stage->symbols) : text(stage->kind);
            line.cells += QStringList{kind} + numberCells(stage);
        }
        line.differs.fill(false, line.cells.size());
        for (qsizetype i = 1; i <= 4; ++i) {
            line.differs[i] = line.differs[i + 4] = line.cells[i] != line.cells[i + 4];
        }
    } else {
        line.cells = QStringList{text(any.title()), text(any.symbols), text(any.shape_text())} + numberCells(first);
        if (m_hasTimes) line.cells << timeCell(any);
        line.differs.fill(false, line.cells.size());
    }
    using Stream = Line::Stream;
    const bool isInner = any.id.starts_with("attention") || any.id.starts_with("mlp");
    const bool isOnStream = !isInner || any.id.ends_with("_post_norm");
    const bool isEnd = isInner && any.id.ends_with(".sum");
    line.stream = any.id == "tokens"                      ? Stream::none
                  : isOnStream                            ? Stream::through
                  : isEnd                                 ? Stream::end
                  : !m_isInBranch || any.id == "mlp_norm" ? Stream::begin
                                                          : Stream::branch;
    m_isInBranch = !isOnStream && !isEnd;
    m_lines.push_back(std::move(line));
}

void AnatomyListing::addTotals(const std::vector<AnatomyModel>& models) {
    Line total{.kind = Line::Kind::total};
    const QStringList first = totalNumbers(models.front().anatomy.totals());
    if (m_isPair) {
        const QStringList second = totalNumbers(models.back().anatomy.totals());
        total.cells = QStringList{u"total over all layers"_s, QString()} + first + QStringList{QString()} + second;
        total.differs.fill(false, total.cells.size());
        for (qsizetype i = 2; i <= 4; ++i)
            total.differs[i] = total.differs[i + 4] = total.cells[i] != total.cells[i + 4];
    } else {
        total.cells = QStringList{u"total over all layers"_s, QString(), QString()} + first;
        if (m_hasTimes) {
            total.cells << text(milliseconds_text(models.front().anatomy.totals().seconds.value_or(0)));
        }
    }
    m_lines.push_back(std::move(total));
    const auto note = [this](const QString& sentence) {
        QString line;
        for (const QString& word : sentence.split(QLatin1Char(' '))) {
            if (!line.isEmpty() && line.size() + 1 + word.size() > kNoteLetters) {
                m_lines.push_back({.kind = Line::Kind::note, .cells = {std::exchange(line, {})}});
            }
            line += line.isEmpty() ? word : QLatin1Char(' ') + word;
        }
        m_lines.push_back({.kind = Line::Kind::note, .cells = {line}});
    };
    note(sizesLine(models.front().anatomy));
    if (m_isPair) note(u"%1: %2"_s.arg(text(models.back().name), sizesLine(models.back().anatomy)));
    note(m_isPair ? u"≠ marks differences. Numbers of a layer are those of one layer."_s
                  : u"Numbers of a layer are those of one layer."_s);
    note(u"FLOPs and cache bytes (B) are per token."_s);
    note(u"FLOPs: products of a forward pass, attention with its mask; norms, softmax and sums are not counted."_s);
    if (m_hasTimes) {
        for (const std::string& remark : times_remarks(models.front().anatomy)) note(text(remark));
    }
    for (const std::string& remark : models.front().anatomy.remarks) note(text(remark));
}

QList<double> AnatomyListing::widths(const FigureStyle& style, double points) const {
    const QFontMetricsF metrics(style.font(points));
    QList<double> result;
    for (const Line& line : m_lines) {
        if (line.kind == Line::Kind::note || line.kind == Line::Kind::section) continue;
        while (result.size() < line.cells.size()) result.append(0);
        for (qsizetype i = 0; i < line.cells.size(); ++i) {
            const bool isMarked = i < line.differs.size() && line.differs[i];
            const QString shown = isMarked ? u"≠ "_s + line.cells[i] : line.cells[i];
            result[i] = std::max(result[i], metrics.horizontalAdvance(shown));
        }
    }
    return result;
}

QSizeF AnatomyListing::size(const FigureStyle& style) const {
    double width = style.units(kStreamPt - kColumnGapPt);  // there is no gap after the last column
    for (const double column : widths(style, style.tickPt)) width += column + style.units(kColumnGapPt);
    const QFontMetricsF metrics(style.font(style.tickPt));
    for (const Line& line : m_lines) {
        if (line.kind != Line::Kind::note) continue;
        width = std::max(width, std::min(metrics.horizontalAdvance(line.cells.front()), 1.5 * width));
    }
    return {width, style.units(kLinePt) * static_cast<double>(m_lines.size())};
}

double AnatomyListing::scaleFor(const QRectF& rect, const FigureStyle& style) const {
    const QSizeF whole = size(style);
    return std::min({1.0, rect.width() / whole.width(), rect.height() / whole.height()});
}

void AnatomyListing::paintStream(QPainter& painter, const Line& line, const QRectF& place,
                                 const FigureStyle& style) const {
    using Stream = Line::Stream;
    if (line.stream == Stream::none) return;
    const double residual = place.left() + 0.3 * place.width();
    const double branch = place.left() + 0.7 * place.width();
    const double middle = place.center().y();
    painter.setPen(QPen(style.theme.accent, style.units(style.pickedPt)));
    painter.drawLine(QPointF(residual, place.top()), QPointF(residual, place.bottom()));
    painter.setPen(QPen(style.theme.quietText, style.units(style.linePt)));
    if (line.stream == Stream::begin) {
        painter.drawLine(QPointF(residual, middle), QPointF(branch, middle));
        painter.drawLine(QPointF(branch, middle), QPointF(branch, place.bottom()));
    }
    if (line.stream == Stream::branch) painter.drawLine(QPointF(branch, place.top()), QPointF(branch, place.bottom()));
    if (line.stream == Stream::end) {
        painter.drawLine(QPointF(branch, place.top()), QPointF(branch, middle));
        painter.drawLine(QPointF(branch, middle), QPointF(residual, middle));
        painter.setBrush(style.theme.paper);
        painter.setPen(QPen(style.theme.accent, style.units(style.linePt)));
        const double radius = 0.16 * place.width();
        painter.drawEllipse(QPointF(residual, middle), radius, radius);
        painter.drawLine(QPointF(residual - radius, middle), QPointF(residual + radius, middle));
        painter.drawLine(QPointF(residual, middle - radius), QPointF(residual, middle + radius));
    }
}

void AnatomyListing::paint(QPainter& painter, const QRectF& rect, const FigureStyle& style) const {
    const double scale = scaleFor(rect, style);
    const double height = scale * style.units(kLinePt);
    const double stream = scale * style.units(kStreamPt);
    QList<double> columns = widths(style, style.tickPt);
    for (double& column : columns) column *= scale;
    const QFont font = style.font(scale * style.tickPt);
    QFont bold = font;
    bold.setBold(true);
    double top = rect.top();
    for (const Line& line : m_lines) {
        const QRectF whole(rect.left(), top, rect.width(), height);
        top += height;
        if (!m_picked.isEmpty() && line.kind == Line::Kind::stage && line.id == m_picked) {
            QColor fill = style.theme.accent;
            fill.setAlphaF(0.14F);
            painter.fillRect(whole, fill);
        }
        paintStream(painter, line, {rect.left(), whole.top(), stream, height}, style);
        const bool isStrong = line.kind == Line::Kind::section || line.kind == Line::Kind::total;
        painter.setFont(isStrong ? bold : font);
        const bool isQuiet = line.kind == Line::Kind::head || line.kind == Line::Kind::note;
        if (line.kind == Line::Kind::total) {
            painter.setPen(QPen(style.theme.hairline, style.units(style.hairPt)));
            painter.drawLine(whole.topLeft(), whole.topRight());
        }
        if (line.kind == Line::Kind::note || line.kind == Line::Kind::section) {
            painter.setPen(isQuiet ? style.theme.quietText : style.theme.text);
            const double indent = line.kind == Line::Kind::section ? stream : 0;
            const QRectF place = whole.adjusted(indent, 0, 0, 0);
            painter.drawText(
                place, Qt::AlignLeft | Qt::AlignVCenter,
                QFontMetricsF(painter.font()).elidedText(line.cells.front(), Qt::ElideRight, place.width()));
            continue;
        }
        double left = rect.left() + stream;
        for (qsizetype i = 0; i < line.cells.size(); ++i) {
            const bool isMarked = i < line.differs.size() && line.differs[i];
            const bool isWord = m_isPair ? i == 0 || i == 1 || i == 5 : i < 3;
            painter.setPen(isMarked ? style.theme.accent : isQuiet ? style.theme.quietText : style.theme.text);
            painter.drawText(
                QRectF(left, whole.top(), columns[i], height),
                static_cast<int>(isWord ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter | Qt::TextDontClip,
                isMarked ? u"≠ "_s + line.cells[i] : line.cells[i]);
            left += columns[i] + scale * style.units(kColumnGapPt);
        }
    }
}

QString AnatomyListing::stageAt(const QRectF& rect, const FigureStyle& style, double y) const {
    const double height = scaleFor(rect, style) * style.units(kLinePt);
    const auto row = static_cast<std::int64_t>(std::floor((y - rect.top()) / height));
    if (row < 0 || row >= static_cast<std::int64_t>(m_lines.size())) return {};
    return m_lines[static_cast<std::size_t>(row)].id;
}

QRectF AnatomyListing::place(const QRectF& rect, const FigureStyle& style, const QString& id) const {
    const double height = scaleFor(rect, style) * style.units(kLinePt);
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        if (m_lines[i].id == id)
            return {rect.left(), rect.top() + static_cast<double>(i) * height, rect.width(), height};
    }
    return {};
}

QStringList AnatomyListing::ids() const {
    QStringList result;
    for (const Line& line : m_lines) {
        if (line.kind == Line::Kind::stage) result << line.id;
    }
    return result;
}

Figure anatomyFigure(const std::vector<AnatomyModel>& models, const AnatomyView& view) {
    const AnatomyListing listing(models, view);
    Figure figure;
    figure.name = QLatin1String(models.size() > 1 ? kComparedAnatomyFigure : kAnatomyFigure);
    QStringList sentences;
    for (const AnatomyModel& model : models) sentences << totalsSentence(model);
    figure.summary = sentences.join(u"; "_s) + QLatin1Char('.');
    figure.table = tableOf(models);
    // As many lines as the whole listing, for exports.
    figure.heightMm = kLineMm * static_cast<double>(listing.lineCount() + 2);
    for (std::size_t i = 0; i < models.size(); ++i) {
        const AnatomyModel& model = models[i];
        const QString suffix = i == 0 ? QString() : u" B"_s;
        if (!model.spec) {
            figure.settings[u"model"_s + suffix] = text(model.name);
            continue;
        }
        figure.settings[u"settings"_s + suffix] = text(anatomy_settings(*model.spec));
        figure.settings[u"vocabulary"_s + suffix] = static_cast<qint64>(model.vocabulary);
    }
    figure.drawing = [listing](QPainter& painter, const QRectF& rect, const FigureStyle& style) {
        listing.paint(painter, rect, style);
    };
    return figure;
}

std::vector<AnatomyModel> traditionalAndModern(const RunSpec& spec, std::int64_t vocabulary) {
    return {model_of_settings(traditional_model(spec), vocabulary, u"Traditional"_s.toStdString()),
            model_of_settings(modern_model(spec), vocabulary, u"Modern"_s.toStdString())};
}

Figure stageFigure(const AnatomyStage& stage) {
    const QStringList settings = texts(stage.settings);
    const Formula formula = stageFormula(text(stage.formula));
    const QString time = text(stage_time(stage));
    const QStringList lines = {
        u"output: %1"_s.arg(text(stage.symbols)),
        u"size: %1"_s.arg(text(stage.shape_text())),
        u"%1 parameters"_s.arg(text(known_parameters(stage.parameters, stage.active_parameters()))),
        u"%1 FLOPs and %2 cache bytes per token"_s.arg(text(known_operations(stage.operations)),
                                                       text(known_number(stage.cache_bytes_per_token))),
        settings.isEmpty() ? QString() : u"settings: %1"_s.arg(settings.join(u", "_s)),
        time.isEmpty()  ? QString()
        : stage.seconds ? u"time: %1 ms per pass"_s.arg(time)
                        : u"time: %1"_s.arg(time)};
    const QString title = text(stage.title());
    Figure figure;
    figure.name = u"anatomy-stage"_s;
    figure.summary =
        u"%1: %2; %3."_s.arg(title, formula.unicode(), lines.filter(QRegularExpression(u"."_s)).join(u"; "_s));
    figure.table.words = {{u"stage"_s, {title}}, {u"formula"_s, {formula.unicode()}}};
    figure.table.names = {u"parameters"_s, u"FLOPs per token"_s, u"cache bytes per token"_s};
    const auto cell = [](const auto& value) {
        return QList<double>{value ? static_cast<double>(*value) : std::numeric_limits<double>::quiet_NaN()};
    };
    figure.table.columns = {cell(stage.parameters), cell(stage.operations), cell(stage.cache_bytes_per_token)};
    figure.settings[u"stage"_s] = title;
    figure.drawing = [formula, lines, title](QPainter& painter, const QRectF& rect, const FigureStyle& style) {
        const double line = style.units(kLinePt);
        QFont bold = style.font(style.tickPt);
        bold.setBold(true);
        painter.setFont(bold);
        painter.setPen(style.theme.text);
        painter.drawText(QRectF(rect.left(), rect.top(), rect.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetricsF(bold).elidedText(title, Qt::ElideRight, rect.width()));
        double points = 1.3 * style.tickPt;
        const double width = formula.extent(style, points).width;
        if (width > rect.width()) points *= rect.width() / width;
        formula.paint(painter, {rect.left(), rect.top() + 2.3 * line}, style, points);
        const QFont font = style.font(style.tickPt);
        painter.setFont(font);
        painter.setPen(style.theme.quietText);
        double top = rect.top() + 3 * line;
        for (const QString& each : lines) {
            const QRectF rest(rect.left(), top, rect.width(), rect.bottom() - top);
            const double height = QFontMetricsF(font).boundingRect(rest, Qt::TextWordWrap, each).height();
            if (height > rest.height()) break;
            painter.drawText(rest, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, each);
            top += std::max(height, line);
        }
    };
    return figure;
}

Figure weightsFigure(const std::optional<NamedTensor>& tensor, const QString& why) {
    Figure figure;
    figure.name = u"anatomy-weights"_s;
    if (!tensor || tensor->values.empty()) {
        figure.emptyText = why;
        figure.summary = why;
        return figure;
    }
    const bool isMatrix = tensor->shape.size() > 1;
    const auto numbers = static_cast<std::int64_t>(tensor->values.size());
    const std::int64_t columns = isMatrix ? tensor->shape.back() : numbers;
    const std::int64_t rows = numbers / columns;
    FigureMap map = numberMap(tensor->values, rows, columns, u"weight"_s);
    figure.x.label = isMatrix ? u"column"_s : u"channel"_s;
    figure.y.label = u"row"_s;
    setMatrixAxes(figure, rows, columns);
    const Range range = map.range();
    const bool isMean = rows > map.rows || columns > map.columns;
    if (isMean) figure.note = u"means of neighbouring weights"_s;
    figure.summary = u"Weights %1, %2 × %3%4: from %5 to %6."_s.arg(text(tensor->name))
                         .arg(rows)
                         .arg(columns)
                         .arg(isMean ? u", as means of neighbouring weights"_s : QString())
                         .arg(range.minimum)
                         .arg(range.maximum);
    figure.settings[u"tensor"_s] = text(tensor->name);
    figure.map = std::move(map);
    return figure;
}

}  // namespace ropelab::ui
