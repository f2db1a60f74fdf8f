#include "ui/window/batch/verify_figure.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "ui/common/format.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/figure/export/export.h"
#include "ui/figure/export/figure_picture.h"
#include "ui/figure/figure_caption.h"
#include "ui/session/lab_origin.h"
#include "ui/window/batch/standard_output.h"
#include "ui/window/frame/figures.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

using CsvRows = QList<QStringList>;

constexpr int kStatusUnknown = 2;  // the exit status of a figure that cannot be verified

/// RFC 4180, without line breaks in fields.
QStringList csvFields(const QString& line) {
    QStringList fields(QString{});
    bool isQuoted = false;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar c = line[i];
        if (c == u'"' && isQuoted && line.mid(i + 1, 1) == "\""_L1) {
            fields.last() += line[++i];
        } else if (c == u'"') {
            isQuoted = !isQuoted;
        } else if (c == u',' && !isQuoted) {
            fields << QString();
        } else {
            fields.last() += c;
        }
    }
    return fields;
}

/// One table, or one per panel, and one for the curves on a map, without comments. Empty lines separate them. The first
/// row of each has the names of the columns.
QList<CsvRows> csvTables(const QByteArray& data) {
    QList<CsvRows> tables(1);
    for (const QString& line : QString::fromUtf8(data).split(QLatin1Char('\n'))) {
        if (line.startsWith(QLatin1Char('#'))) continue;
        if (!line.isEmpty()) {
            tables.last() << csvFields(line);
        } else if (!tables.last().isEmpty()) {
            tables << CsvRows();
        }
    }
    if (tables.last().isEmpty()) tables.removeLast();
    return tables;
}

QStringList csvColumn(const CsvRows& rows, qsizetype column) {
    QStringList values;
    for (const QStringList& row : rows.mid(1)) values << row.value(column);
    return values;
}

std::optional<double> csvNumber(const QString& field) {
    bool isNumber = false;
    const double value = field.toDouble(&isNumber);
    // inf and nan have no distance from other values: they agree with equal texts only.
    return isNumber && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

double largestOf(const QStringList& values) {
    double largest = 0;
    for (const QString& value : values) largest = std::max(largest, std::abs(csvNumber(value).value_or(0)));
    return largest;
}

/// Earlier versions wrote "θ 209.758k" for "θ 209,758", and the unit of losses that were imported without one.
QString currentWords(QString words) {
    static const QRegularExpression number(
        u"(?<![\\w.,])((?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?)([kM]?)(?!\\w|,\\d)"_s);  // no list such as "0,2"
    static const QRegularExpression unit(u" \\((nats|bits)\\)"_s);
    words.remove(unit);
    qsizetype from = 0;
    for (auto found = number.match(words); found.hasMatch(); found = number.match(words, from)) {
        const QString digits = found.captured(1).remove(u',') + found.captured(2);
        const QString all = text(number_text(parse_number(digits.toStdString())));
        words.replace(found.capturedStart(), found.capturedLength(), all);
        from = found.capturedStart() + all.size();
    }
    return words;
}

/// "" if the columns agree.
QString columnDifference(const QString& name, const QStringList& stored, const QStringList& computed) {
    if (stored.size() != computed.size()) {
        return u"Column %1: the figure has %2, but the recomputed figure has %3."_s.arg(
            name, countText(stored.size(), u"value"_s), QString::number(computed.size()));
    }
    const double tolerance = kFigureTolerance * std::max(largestOf(stored), largestOf(computed));
    int count = 0;
    qsizetype worst = -1;
    double deviation = -1;
    for (qsizetype i = 0; i < stored.size(); ++i) {
        if (stored[i] == computed[i]) continue;
        const auto a = csvNumber(stored[i]);
        const auto b = csvNumber(computed[i]);
        if (!a && !b && currentWords(stored[i]) == currentWords(computed[i])) continue;
        const double difference = a && b ? std::abs(*a - *b) : 0;
        if (a && b && difference <= tolerance) continue;
        ++count;
        if (difference > deviation) {
            deviation = difference;
            worst = i;
        }
    }
    if (count == 0) return {};
    const auto shown = [](const QString& value) { return value.isEmpty() ? u"no value"_s : value; };
    return u"Column %1: %2 of %3 differ, most in row %4: %5 in the figure, %6 recomputed."_s.arg(
        name, QString::number(count), countText(stored.size(), u"value"_s), QString::number(worst + 1),
        shown(stored[worst]), shown(computed[worst]));
}

QStringList tableDifferences(const CsvRows& before, const CsvRows& now) {
    const QStringList names = before.value(0);
    const QStringList others = now.value(0);
    const auto current = [](QStringList words) {
        for (QString& each : words) each = currentWords(each);
        return words;
    };
    const QStringList known = current(names);
    const QStringList found = current(others);
    QStringList result;
    for (qsizetype i = 0; i < names.size(); ++i) {
        const qsizetype place = known == found ? i : found.indexOf(known[i]);
        const QString difference = place < 0
                                       ? u"Column %1: the recomputed figure does not have this column."_s.arg(names[i])
                                       : columnDifference(names[i], csvColumn(before, i), csvColumn(now, place));
        if (!difference.isEmpty()) result << difference;
    }
    for (qsizetype i = 0; i < others.size(); ++i) {
        // The ends of bars, which earlier versions drew and did not write, are no difference.
        if (!known.contains(found[i]) && !others[i].startsWith("bar, "_L1))
            result << u"Column %1: only the recomputed figure has this column."_s.arg(others[i]);
    }
    return result;
}

QStringList dataDifferences(const QByteArray& stored, const QByteArray& computed) {
    const QList<CsvRows> before = csvTables(stored);
    const QList<CsvRows> now = csvTables(computed);
    if (before.size() != now.size()) {
        return {u"Data: the figure has %1, but the recomputed figure has %2."_s.arg(
            countText(before.size(), u"table"_s), QString::number(now.size()))};
    }
    QStringList result;
    for (qsizetype i = 0; i < before.size(); ++i) {
        for (const QString& difference : tableDifferences(before[i], now[i])) {
            result << (before.size() > 1 ? u"Table %1, %2"_s.arg(i + 1).arg(difference) : difference);
        }
    }
    return result;
}

bool isSameJson(const QJsonValue& a, const QJsonValue& b) {
    if (a.isDouble() && b.isDouble()) {
        const double larger = std::max(std::abs(a.toDouble()), std::abs(b.toDouble()));
        return std::abs(a.toDouble() - b.toDouble()) <= kFigureTolerance * larger;
    }
    if (a.isObject() && b.isObject()) {
        const QJsonObject first = a.toObject();
        const QJsonObject second = b.toObject();
        const QStringList keys = first.keys();
        return keys == second.keys() && std::all_of(keys.begin(), keys.end(), [&](const QString& key) {
                   return isSameJson(first[key], second[key]);
               });
    }
    return a == b;
}

QString jsonText(const QJsonValue& value) {
    if (value.isUndefined()) return u"none"_s;
    const QString text = QString::fromUtf8(QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact));
    return text.mid(1, text.size() - 2);
}

QStringList settingDifferences(QJsonObject stored, const QJsonObject& computed) {
    for (const QString& earlier : stored.keys())
        stored[text(current_name(Alias::Kind::control, earlier.toStdString()))] = stored.take(earlier);
    QStringList keys = stored.keys() + computed.keys();
    keys.sort();
    keys.removeDuplicates();
    keys.removeAll(u"results"_s);  // the numbers of a table; those that the figure shows are its data
    // Beside their view, figures of training curves state settings of the runs, which the lab has; earlier versions
    // stated those of the newest experiment.
    if (computed.contains(u"view"_s)) keys = QStringList{u"view"_s};
    QStringList result;
    for (const QString& key : std::as_const(keys)) {
        if (isSameJson(stored[key], computed[key])) continue;
        result << u"Setting %1: %2 in the figure, %3 recomputed."_s.arg(key, jsonText(stored[key]),
                                                                        jsonText(computed[key]));
    }
    return result;
}

/// "" for a figure without a lab.
QString labOf(const FigureRecord& record, const LaunchOptions& options) {
    const QJsonObject& origin = record.origin.lab;
    if (origin.isEmpty()) return {};
    if (!options.lab.isEmpty()) {
        const QString why = whyAnotherLab(origin, options.lab);
        if (!why.isEmpty()) throw BadInput(why.toStdString());
        return options.lab;
    }
    const QString found = findLab(origin, QFileInfo(options.verified).absolutePath());
    if (found.isEmpty()) {
        throw BadInput("The lab file that the figure was made from, " + origin[u"path"_s].toString().toStdString() +
                       ", was not found; name it with --lab FILE.");
    }
    return found;
}

/// Uses the recorded ends, if the exported figure showed a part of the axes.
void showRecordedPart(Figure& figure, const FigureRecord& record) {
    const auto set = [](Axis& axis, const Range& computed, const QJsonArray& ends) {
        const double length = std::abs(computed.maximum - computed.minimum);
        const auto isOther = [&](double end, double other) {
            return std::abs(end - other) > kFigureTolerance * length;
        };
        if (ends.size() != 2) return;
        const double minimum = ends[0].toDouble();
        const double maximum = ends[1].toDouble();
        if (!(minimum < maximum)) return;
        if (!isOther(minimum, computed.minimum) && !isOther(maximum, computed.maximum)) return;
        axis.minimum = minimum;
        axis.maximum = maximum;
    };
    set(figure.x, xRange(figure), record.axes[u"x"_s].toArray());
    set(figure.y, yRange(figure), record.axes[u"y"_s].toArray());
}

/// Result of comparing a picture with its figures, with the reason.
struct PictureCheck {
    enum class Outcome { same, differs, unknown } outcome = Outcome::same;
    QString why;
};

/// One sentence if a copy of the summary or the caption says another thing than the figure; else "".
QString textDifference(const FigureRecord& record, const Figure& figure) {
    const QByteArray summary = '\n' + figureCsv(figure).split('\n').value(1) + '\n';  // "# summary: …"
    if (record.summary == figure.summary && record.caption == captionOf(figure) && record.data.contains(summary))
        return {};
    return u"Picture: the summary or the caption of %1 is not that of the recomputed figure."_s.arg(record.figure);
}

/// Draws the figures again with the options of the records and compares with the picture of the file.
PictureCheck checkPicture(const QString& path, const std::vector<FigureRecord>& records, std::vector<Figure> figures) {
    using Outcome = PictureCheck::Outcome;
    const QByteArray bytes = readFigureBytes(path);
    const auto options = drawingOptions(records.front(), bytes);
    if (!options) {
        return {Outcome::unknown,
                u"The figure's file does not say how its picture was drawn, because an earlier version of RoPE Lab or "
                "another program wrote it."_s};
    }
    QString why;
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const QString difference = textDifference(records[i], figures[i]);
        if (!difference.isEmpty()) why += (why.isEmpty() ? u""_s : u" "_s) + difference;
        showRecordedPart(figures[i], records[i]);
    }
    try {
        if (why.isEmpty()) why = pictureDifference(bytes, pageBytes(figures, *options));
        if (why.isEmpty()) return {};
        if (isDrawnByThisProgram(records.front())) return {Outcome::differs, why};
        return {Outcome::unknown,
                u"Version %1 of RoPE Lab with Qt %2 drew the picture, and this version "
                "with Qt %3 draws it in another way."_s.arg(
                    records.front().program, records.front().drawing[u"qt"_s].toString(), QLatin1String(qVersion()))};
    } catch (const BadInput& error) {
        return {Outcome::unknown, QString::fromStdString(error.what())};
    }
}

}  // namespace

Figure recomputedFigure(const FigureRecord& record, const QString& lab, const std::filesystem::path& dataDir) {
    QJsonObject flags = record.origin.flags;
    const FigureEntry* entry = findFigure(flags.take(u"figure"_s).toString());
    if (!entry) {
        throw BadInput(
            "The figure " + record.figure.toStdString() +
            " depends on choices in the window that the terminal cannot repeat, so it cannot be computed again.");
    }
    const auto known = optionsOf(figureEntries());
    for (const QString& earlier : flags.keys()) {
        const QString flag = text(current_name(Alias::Kind::flag, "--" + earlier.toStdString())).mid(2);
        flags[flag] = flags.take(earlier);
        const bool isSafe = std::any_of(known.begin(), known.end(), [&](const FigureOption* option) {
            return flag == QLatin1String(option->name) && !option->namesFile;
        });
        if (isSafe) continue;
        throw BadInput("The figure was made with the option --" + flag.left(40).toStdString() +
                       ", which chooses a file or another action, so it is not computed again.");
    }
    checkFigures(figureEntries(), {entry->name}, flags, !lab.isEmpty());
    FigureSources sources(lab, dataDir);
    return makeFigures(figureEntries(), {entry->name}, flags, sources, record.origin.view, true).front();
}

QStringList figureDifferences(const FigureRecord& record, const Figure& figure) {
    return settingDifferences(record.settings, figure.settings) + dataDifferences(record.data, figureCsv(figure));
}

int verifyFigure(const LaunchOptions& options) {
    const std::vector<FigureRecord> records = readFigureFile(options.verified);
    std::vector<Figure> figures;
    std::vector<QStringList> differences;
    const auto nameOf = [](const FigureRecord& record) {
        return record.letter.isEmpty() ? record.figure : u"(%1) %2"_s.arg(record.letter, record.figure);
    };
    bool isSame = true;
    for (const FigureRecord& record : records) {
        differences.push_back(record.copyDifferences);
        if (record.isEdited) {
            isSame = false;
            differences.back().prepend(
                u"The figure was edited after its export: its data or settings do not agree with its hash."_s);
            continue;
        }
        try {
            figures.push_back(recomputedFigure(record, labOf(record, options), options.dataDir));
            differences.back() += figureDifferences(record, figures.back());
        } catch (const BadInput&) {
            throw;
        } catch (const std::exception& error) {  // a status of 1 means that the figure differs
            throw BadInput("The figure " + nameOf(record).toStdString() + " cannot be computed again: " + error.what());
        }
        isSame = isSame && differences.back().isEmpty();
    }
    // A picture of other data differs anyway.
    const PictureCheck picture = isSame ? checkPicture(options.verified, records, std::move(figures))
                                        : PictureCheck{PictureCheck::Outcome::unknown,
                                                       u"The picture is not compared, because its data differ."_s};
    const bool isPictureSame = picture.outcome == PictureCheck::Outcome::same;
    const QString pictureWord = isPictureSame                                       ? u"same"_s
                                : picture.outcome == PictureCheck::Outcome::differs ? u"differs"_s
                                                                                    : u"not checked"_s;
    QJsonArray panels;
    QString out;
    for (std::size_t i = 0; i < records.size(); ++i) {
        panels << QJsonObject{{u"letter"_s, records[i].letter},
                              {u"figure"_s, records[i].figure},
                              {u"same"_s, differences[i].isEmpty()},
                              {u"differences"_s, QJsonArray::fromStringList(differences[i])}};
        const QString data = isPictureSame ? u"same"_s : u"data same"_s;
        const QString pictureWords = isSame && !isPictureSame ? u", picture %1"_s.arg(pictureWord) : QString();
        out += u"%1: %2%3\n"_s.arg(nameOf(records[i]), differences[i].isEmpty() ? data : u"differs"_s, pictureWords);
        for (const QString& difference : std::as_const(differences[i])) out += u"  %1\n"_s.arg(difference);
    }
    if (isSame && !isPictureSame) out += u"  %1\n"_s.arg(picture.why);
    if (options.asJson) {
        out = QString::fromUtf8(QJsonDocument(QJsonObject{{u"file"_s, options.verified},
                                                          {u"same"_s, isSame && isPictureSame},
                                                          {u"picture"_s, pictureWord},
                                                          {u"picture_note"_s, picture.why},
                                                          {u"figures"_s, panels}})
                                    .toJson());
    }
    try {
        print(out);
    } catch (const WriteError& error) {  // a status of 1 means that the figure differs
        throw BadInput(error.what());
    }
    if (isSame && picture.outcome == PictureCheck::Outcome::unknown) return kStatusUnknown;
    return isSame && isPictureSame ? 0 : 1;
}

}  // namespace ropelab::ui
