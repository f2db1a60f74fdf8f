#include "ui/rooms/anatomy/anatomy_figure.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/contract/anatomy_times.h"
#include "ui/common/text.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/text_metrics.h"
#include "ui/shell/symbols.h"

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
constexpr double kWidePt = 360;

/// Blank where the stage has none.
QStringList numberCells(const AnatomyStage* stage) {
    if (!stage) return {u"–"_s, u"–"_s, u"–"_s};
    QStringList cells = {text(known_parameters(stage->parameters, stage->active_parameters())),
                         text(known_operations(stage->operations)), text(known_number(stage->cache_bytes_per_token))};
    for (QString& cell : cells) {
        if (cell == "0"_L1) cell.clear();
    }
    return cells;
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
        model.name.empty() || model.name == "settings" ? u"model"_s : text(model.name),
        text(known_parameters(totals.parameters, totals.active_parameters)), text(known_operations(totals.operations)),
        text(known_number(totals.cache_bytes_per_token)));
}

}  // namespace

StageTable stageTable(const std::vector<AnatomyModel>& models) {
    using Cell = TextTable::Cell;
    const bool isPair = models.size() > 1;
    const bool isTimed = hasTimes(models);
    StageTable table;
    const auto addColumns = [&table](const QStringList& titles, bool isWord) {
        for (const QString& title : titles) table.content.columns.push_back({.title = title, .isWord = isWord});
    };
    const QStringList numbers = {u"parameters"_s, u"FLOPs/token"_s, u"KV cache, bytes/token"_s};
    addColumns({u"part"_s, u"stage"_s}, true);
    if (!isPair) addColumns({u"shape"_s, u"size"_s}, true);
    for (const AnatomyModel& model : models) {
        if (isPair) addColumns({text(model.name)}, true);
        addColumns(numbers, false);
    }
    if (isTimed) addColumns({u"ms/pass"_s}, false);
    const auto addRow = [&](const QString& id, const QStringList& words, const QStringList& first,
                            const QStringList& second) {
        std::vector<Cell> row;
        for (const QString& word : words) row.push_back({.text = word});
        for (qsizetype i = 0; i < first.size(); ++i) {
            row.push_back({.text = isPair && first[i] != second[i] ? u"≠ "_s + first[i] : first[i]});
        }
        for (qsizetype i = 0; i < second.size(); ++i) {
            row.push_back({.text = first[i] != second[i] ? u"≠ "_s + second[i] : second[i]});
        }
        table.content.rows.push_back(std::move(row));
        table.ids << id;
    };
    for (const AlignedSection& section : alignedSections(models)) {
        for (const AlignedStage& stage : section.stages) {
            const AnatomyStage& any = stage.any();
            const auto cells = [&](const AnatomyStage* each) {
                const QString kind = !each ? u"–"_s : text(each->kind.empty() ? each->symbols : each->kind);
                return QStringList{kind} + numberCells(each);
            };
            if (isPair) {
                addRow(stage.id, {section.title(), text(any.name)}, cells(stage.first), cells(stage.second));
                continue;
            }
            QStringList own = numberCells(stage.first);
            if (isTimed) own << timeCell(any);
            addRow(stage.id, {section.title(), text(any.title()), text(any.symbols), text(any.shape_text())}, own, {});
        }
    }
    const auto totals = [&](const AnatomyModel& model) {
        const AnatomyTotals all = model.anatomy.totals();
        QStringList cells = totalNumbers(all);
        if (isPair) cells.prepend(QString());
        if (isTimed) cells << text(milliseconds_text(all.seconds.value_or(0)));
        return cells;
    };
    const QStringList blank = isPair ? QStringList() : QStringList{QString(), QString()};
    addRow({}, QStringList{QString(), u"total of all layers"_s} + blank, totals(models.front()),
           isPair ? totals(models.back()) : QStringList());
    return table;
}

Figure anatomyFigure(const std::vector<AnatomyModel>& models, const AnatomyView& view) {
    return anatomyFigure(models, AnatomyPicture(models, view));
}

Figure anatomyFigure(const std::vector<AnatomyModel>& models, const AnatomyPicture& picture) {
    Figure figure;
    figure.name = QLatin1String(models.size() > 1 ? kComparedAnatomyFigure : kAnatomyFigure);
    QStringList sentences;
    for (const AnatomyModel& model : models) sentences << totalsSentence(model);
    figure.summary = sentences.join(u"; "_s) + QLatin1Char('.');
    figure.table = tableOf(models);
    figure.heightMm = picture.heightMm();
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
    figure.drawingHeight = [picture](double width, const FigureStyle& style) {
        return picture.heightFor(width, style);
    };
    figure.drawing = [picture](QPainter& painter, const QRectF& rect, const FigureStyle& style) {
        picture.paint(painter, rect, style);
    };
    return figure;
}

std::vector<AnatomyModel> traditionalAndModern(const RunSpec& spec, std::int64_t vocabulary) {
    return {model_of_settings(traditional_model(spec), vocabulary, "Traditional (GPT-2)"),
            model_of_settings(modern_model(spec), vocabulary, "Modern (Llama)")};
}

Figure stageFigure(const AnatomyStage& stage, bool isOfLayer, const QString& why) {
    const QStringList settings = texts(stage.settings);
    const Formula formula = stageFormula(text(stage.formula));
    const QString time = text(stage_time(stage));
    QStringList lines = {u"output: %1, %2"_s.arg(symbolsAsUnicode(text(stage.symbols)), text(stage.shape_text()))};
    const QStringList numbers = numberCells(&stage);
    const QString layer = isOfLayer ? u" and layer"_s : QString();
    if (!numbers[0].isEmpty()) lines << u"%1 parameters%2"_s.arg(numbers[0], isOfLayer ? u" per layer"_s : QString());
    if (!numbers[1].isEmpty()) lines << u"%1 FLOPs per token%2"_s.arg(numbers[1], layer);
    if (!numbers[2].isEmpty()) lines << u"%1 bytes of KV cache per token%2"_s.arg(numbers[2], layer);
    if (!settings.isEmpty()) lines << u"settings: %1"_s.arg(settings.join(u", "_s));
    if (!time.isEmpty()) lines << (stage.seconds ? u"time: %1 ms per forward pass"_s : u"time: %1"_s).arg(time);
    const QString title = text(stage.title());
    Figure figure;
    figure.name = u"anatomy-stage"_s;
    figure.summary = u"%1: %2; %3."_s.arg(title, formula.unicode(), lines.join(u"; "_s));
    figure.table.words = {{u"stage"_s, {title}}, {u"formula"_s, {formula.unicode()}}};
    figure.table.names = {u"parameters"_s, u"FLOPs per token"_s, u"cache bytes per token"_s};
    const auto cell = [](const auto& value) {
        return QList<double>{value ? static_cast<double>(*value) : std::numeric_limits<double>::quiet_NaN()};
    };
    figure.table.columns = {cell(stage.parameters), cell(stage.operations), cell(stage.cache_bytes_per_token)};
    figure.settings[u"stage"_s] = title;
    figure.drawing = [formula, lines, title, why](QPainter& painter, const QRectF& rect, const FigureStyle& style) {
        const double line = style.units(kLinePt);
        // Where there is space, the numbers are beside the formula.
        const bool isWide = rect.width() > style.units(kWidePt);
        const double half = isWide ? 0.5 * rect.width() : rect.width();
        QFont bold = style.font(style.tickPt);
        bold.setWeight(QFont::DemiBold);
        painter.setFont(bold);
        painter.setPen(style.theme.text);
        painter.drawText(QRectF(rect.left(), rect.top(), half, line), Qt::AlignLeft | Qt::AlignVCenter,
                         TextMetrics(bold).elidedText(title, Qt::ElideRight, half));
        double points = 1.3 * style.tickPt;
        const double width = formula.extent(style, points).width;
        if (width > half) points *= half / width;
        formula.paint(painter, {rect.left(), rect.top() + 2.3 * line}, style, points);
        const QFont font = style.font(style.tickPt);
        painter.setFont(font);
        painter.setPen(style.theme.quietText);
        const auto write = [&](const QStringList& texts, double left, double top, double most) {
            for (const QString& each : texts) {
                const QRectF rest(left, top, most, rect.bottom() - top);
                const double height = TextMetrics(font).boundingRect(rest, Qt::TextWordWrap, each).height();
                if (height > rest.height()) break;
                painter.drawText(rest, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, each);
                top += std::max(height, line);
            }
        };
        const QStringList reason = why.isEmpty() ? QStringList() : QStringList{why};
        if (!isWide) return write(lines + reason, rect.left(), rect.top() + 3 * line, rect.width());
        write(reason, rect.left(), rect.top() + 3.3 * line, half - line);
        write(lines, rect.left() + half, rect.top(), half);
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
    if (isMean) figure.note = u"each cell: mean of neighbouring weights"_s;
    figure.summary = u"Weight tensor %1, %2 × %3%4: values from %5 to %6."_s.arg(text(tensor->name))
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
