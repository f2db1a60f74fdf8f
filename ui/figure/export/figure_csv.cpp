#include "ui/figure/export/figure_csv.h"

#include <QByteArrayList>
#include <QJsonDocument>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/numbers.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

struct Column {
    QString name;
    const QList<double>* x;
    const QList<double>* y;
    qsizetype next = 0;
};

QByteArray number(double value) {
    return std::isfinite(value) ? QByteArray::fromStdString(number_text(value)) : QByteArray();
}

/// RFC 4180, in quotes if necessary.
QByteArray text(const QString& value) {
    QByteArray bytes = value.toUtf8();
    if (bytes.contains(',') || bytes.contains('"') || bytes.contains('\n') || bytes.contains('\r')) {
        bytes = '"' + bytes.replace("\"", "\"\"") + '"';
    }
    return bytes;
}

QString columnName(const QString& label, const QString& quantity, const QString& unit, const QString& what) {
    QString name = label;
    for (const QString& part : {quantity, what}) {
        if (!part.isEmpty()) {
            name += (name.isEmpty() ? QString() : u" · "_s) + part;
        }
    }
    return unit.isEmpty() ? name : name + u" (%1)"_s.arg(unit);
}

QByteArray tableCsv(const FigureTable& table) {
    QByteArrayList head;
    qsizetype rows = 0;
    for (const auto& [name, words] : table.words) {
        head << text(name);
        rows = std::max(rows, words.size());
    }
    for (qsizetype i = 0; i < table.columns.size(); ++i) {
        head << text(table.names.value(i));
        rows = std::max(rows, table.columns[i].size());
    }
    QByteArray out = head.join(',') + '\n';
    for (qsizetype row = 0; row < rows; ++row) {
        QByteArrayList fields;
        for (const auto& [name, words] : table.words) fields << text(words.value(row));
        for (const QList<double>& column : table.columns) {
            fields << (row < column.size() ? number(column[row]) : QByteArray());
        }
        out += fields.join(',') + '\n';
    }
    return out;
}

/// One line per row, which starts with its y.
QByteArray mapCsv(const Figure& figure) {
    const FigureMap& map = *figure.map;
    QByteArray out = text(u"%1 \\ %2"_s.arg(figure.y.title(), figure.x.title()));
    for (int column = 0; column < map.columns; ++column) {
        out += ',' + number(map.xFirst + column * map.xStep);
    }
    out += '\n';
    for (int row = 0; row < map.rows; ++row) {
        out += number(map.yFirst + row * map.yStep);
        for (int column = 0; column < map.columns; ++column) {
            const float value = map.values.value(static_cast<qsizetype>(row) * map.columns + column);
            out += QByteArray(",") + number(static_cast<double>(value));
        }
        out += '\n';
    }
    return out;
}

std::vector<Column> columnsOf(const Figure& figure) {
    std::vector<Column> columns;
    for (const FigureCurve& curve : figure.curves) {
        const QString smoothed = curve.raw.isEmpty() ? QString() : u"smoothed"_s;
        const bool isNamed = !curve.label.isEmpty() || !curve.quantity.isEmpty();
        const QString quantity = isNamed ? curve.quantity : figure.y.label;
        columns.push_back({columnName(curve.label, quantity, figure.y.unit, smoothed), &curve.x, &curve.y});
        if (!curve.raw.isEmpty()) {
            columns.push_back({columnName(curve.label, curve.quantity, figure.y.unit, u"raw"_s), &curve.x, &curve.raw});
        }
    }
    for (const FigureBand& band : figure.bands) {
        columns.push_back({columnName(band.label, QString(), figure.y.unit, u"lower"_s), &band.x, &band.lower});
        columns.push_back({columnName(band.label, QString(), figure.y.unit, u"upper"_s), &band.x, &band.upper});
    }
    return columns;
}

QByteArray comment(const char* what, const QString& value) {
    QString line = value;
    line.replace(QLatin1Char('\n'), QLatin1Char(' ')).replace(QLatin1Char('\r'), QLatin1Char(' '));
    return value.isEmpty() ? QByteArray() : QByteArray("# ") + what + ": " + line.toUtf8() + '\n';
}

QByteArray lineComment(const char* axis, const FigureLine& line) {
    return "# line at " + QByteArray(axis) + " = " + number(line.at) + ": " + line.label.toUtf8() + '\n';
}

}  // namespace

QByteArray figureCsv(const Figure& figure) {
    QByteArray out;
    out += comment("figure", figure.name);
    out += comment("summary", figure.summary);
    out += comment("settings", QString::fromUtf8(QJsonDocument(figure.settings).toJson(QJsonDocument::Compact)));
    out += comment("y", figure.y.title());
    for (const FigureLine& line : figure.verticalLines) {
        out += lineComment("x", line);
    }
    for (const FigureLine& line : figure.horizontalLines) {
        out += lineComment("y", line);
    }

    if (!figure.panels.empty()) {
        for (const Figure& panel : figure.panels) {
            out += '\n' + comment("panel", panel.panelTitle) + figureCsv(panel);
        }
        return out;
    }
    if (!figure.table.columns.isEmpty()) {
        return out + tableCsv(figure.table);
    }
    if (figure.map) {
        out += comment("values", figure.map->title());
        out += mapCsv(figure);
        if (figure.curves.empty() && figure.bands.empty()) {
            return out;
        }
        out += '\n';
    }

    std::vector<Column> columns = columnsOf(figure);
    out += text(figure.x.title());
    for (const Column& column : columns) {
        out += ',' + text(column.name);
    }
    out += '\n';

    // Rows are every x of any curve, ascending; a curve without a value at this x has an empty cell. An x that occurs
    // twice in a curve has two rows.
    const auto hasNext = [](const Column& column) {
        return column.next < std::min(column.x->size(), column.y->size());
    };
    for (;;) {
        double x = std::numeric_limits<double>::infinity();
        for (const Column& column : columns) {
            if (hasNext(column)) {
                x = std::min(x, (*column.x)[column.next]);
            }
        }
        if (!std::isfinite(x)) {
            return out;
        }
        out += number(x);
        for (Column& column : columns) {
            out += ',';
            if (hasNext(column) && (*column.x)[column.next] == x) {
                out += number((*column.y)[column.next]);
                ++column.next;
            }
        }
        out += '\n';
    }
}

}  // namespace ropelab::ui
