#include "ui/figure/export/figure_record.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QMap>
#include <QXmlStreamReader>
#include <optional>

#include "core/base/error.h"
#include "core/data/read_file.h"
#include "ui/figure/export/pdf_attachments.h"
#include "ui/figure/figure_caption.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kRecordVersion = 1;
constexpr std::int64_t kLargestFigure = 256'000'000;  // bytes

struct SettingsCopy {
    QString name;  // "the attached file settings.json"
    QByteArray json;
};

/// The record, and by the letter of the panel the data and the copies of the settings.
struct FigureParts {
    QByteArray record;
    QMap<QString, QByteArray> data;
    QMap<QString, QList<SettingsCopy>> settings;
    /// Those of the panels in their order.
    QList<SettingsCopy> described;
};

QString hashOf(const QString& figure, const QJsonObject& settings, const FigureOrigin& origin, const QByteArray& data) {
    QJsonObject all{
        {u"figure"_s, figure}, {u"settings"_s, settings}, {u"flags"_s, origin.flags}, {u"lab"_s, origin.lab}};
    if (!origin.view.isEmpty()) all[u"view"_s] = origin.view;  // earlier versions wrote none
    // Reading JSON can change how a number is stored, so the hash is that of the text that was read once.
    const QByteArray once = QJsonDocument(all).toJson(QJsonDocument::Compact);
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData(QJsonDocument::fromJson(once).toJson(QJsonDocument::Compact));
    hash.addData(data.trimmed());  // some programs remove the last line break
    return QString::fromLatin1(hash.result().toHex());
}

FigureParts partsOfPdf(const QByteArray& bytes) {
    FigureParts parts;
    const auto files = pdfAttachments(bytes);
    parts.record = files.value(u"figure.json"_s);
    for (const auto& [name, data] : files.asKeyValueRange()) {
        const QString letter = name.section(QLatin1Char('.'), 0, 0).section(QLatin1Char('-'), 1);
        if (name.startsWith("data"_L1) && name.endsWith(".csv"_L1)) parts.data[letter] = data;
        if (name.startsWith("settings"_L1))
            parts.settings[letter] << SettingsCopy{u"the attached file "_s + name, data};
    }
    for (const QString& line : pdfDescription(bytes)) {
        if (line.startsWith(QLatin1Char('{'))) parts.described << SettingsCopy{u"the metadata (XMP)"_s, line.toUtf8()};
    }
    return parts;
}

FigureParts partsOfPng(const QByteArray& bytes) {
    FigureParts parts;
    const QImage image = QImage::fromData(bytes, "PNG");
    parts.record = image.text(u"Figure"_s).toUtf8();
    const QStringList keys = image.textKeys();
    for (const QString& key : keys) {
        const QByteArray text = image.text(key).toUtf8();
        const QString letter = key.section(QLatin1Char(' '), 1);
        if (key.startsWith("Data"_L1)) parts.data[letter] += text;  // the keys of its pieces are in their order
        if (key.startsWith("Settings"_L1)) parts.settings[letter] << SettingsCopy{u"the text "_s + key, text};
    }
    return parts;
}

FigureParts partsOfSvg(const QByteArray& bytes) {
    FigureParts parts;
    QXmlStreamReader xml(bytes);
    while (!xml.atEnd()) {
        xml.readNext();
        if (!xml.isStartElement() || xml.namespaceUri() != "urn:ropelab:figure"_L1) continue;
        const QString panel = xml.attributes().value(u"panel"_s).toString();
        if (xml.name() == "figure"_L1)
            parts.record = xml.readElementText().toUtf8();
        else if (xml.name() == "data"_L1)
            parts.data[panel] = xml.readElementText().toUtf8();
        else if (xml.name() == "settings"_L1)
            parts.settings[panel] << SettingsCopy{u"the element settings"_s, xml.readElementText().toUtf8()};
    }
    return parts;
}

FigureParts partsOf(const QByteArray& bytes) {
    if (bytes.startsWith("%PDF-")) return partsOfPdf(bytes);
    if (bytes.startsWith("\x89PNG")) return partsOfPng(bytes);
    return partsOfSvg(bytes);
}

QJsonObject drawingJson(const ExportOptions& options) {
    return {{u"width_mm"_s, options.widthMm},
            {u"height_mm"_s, options.heightMm},
            {u"dpi"_s, options.dpi},
            {u"font_pt"_s, options.fontPt},
            {u"dashes"_s, options.dashes},
            {u"dark"_s, options.appearance == Appearance::dark},
            {u"outlines"_s, options.outlines},
            {u"columns"_s, options.columns},
            {u"qt"_s, QLatin1String(qVersion())}};
}

QJsonObject axesJson(const Figure& figure) {
    const Range x = xRange(figure);
    const Range y = yRange(figure);
    return {{u"x"_s, QJsonArray{x.minimum, x.maximum}}, {u"y"_s, QJsonArray{y.minimum, y.maximum}}};
}

/// "theta is 500, but 400 in the record"; "" if they are equal.
QString firstDifference(const QString& name, const QJsonValue& copy, const QJsonValue& record) {
    if (copy == record) return {};
    if (copy.isArray() && record.isArray() && copy.toArray().size() == record.toArray().size()) {
        for (qsizetype i = 0; i < copy.toArray().size(); ++i) {
            const QString found = firstDifference(u"%1[%2]"_s.arg(name).arg(i), copy[i], record[i]);
            if (!found.isEmpty()) return found;
        }
    }
    if (copy.isObject() && record.isObject()) {
        for (const QString& key : copy.toObject().keys() + record.toObject().keys()) {
            const QString found =
                firstDifference(name.isEmpty() ? key : name + QLatin1Char('.') + key, copy[key], record[key]);
            if (!found.isEmpty()) return found;
        }
    }
    const auto text = [](const QJsonValue& value) { return value.toVariant().toString().left(40); };
    if (text(copy) == text(record)) return u"%1 differs from the record"_s.arg(name);
    return u"%1 is \"%2\", but \"%3\" in the record"_s.arg(name, text(copy), text(record));
}

/// Nullopt if the file lacks the figure's data.
std::optional<FigureRecord> recordOf(const QJsonObject& all, qsizetype panel, const FigureParts& parts) {
    const QJsonObject object = all[u"panels"_s][panel].toObject();
    FigureRecord record;
    record.drawing = all[u"drawing"_s].toObject();
    record.program = all[u"program"_s].toString();
    record.axes = object[u"axes"_s].toObject();
    record.letter = object[u"letter"_s].toString();
    if (!parts.data.contains(record.letter)) return std::nullopt;
    record.figure = object[u"figure"_s].toString();
    record.summary = object[u"summary"_s].toString();
    record.caption = object[u"caption"_s].toString();
    record.settings = object[u"settings"_s].toObject();
    record.origin = {object[u"flags"_s].toObject(), object[u"lab"_s].toObject(), object[u"view"_s].toObject()};
    record.data = parts.data[record.letter];
    record.isEdited =
        hashOf(record.figure, record.settings, record.origin, record.data) != object[u"sha256"_s].toString();
    QList<SettingsCopy> copies = parts.settings[record.letter];
    for (const QByteArray& line : record.data.split('\n')) {
        if (!line.startsWith("# settings: ")) continue;
        copies << SettingsCopy{u"the comments of the data"_s, line.mid(12)};
        break;
    }
    if (panel < parts.described.size()) copies << parts.described[panel];
    for (const SettingsCopy& copy : std::as_const(copies)) {
        const QString found = firstDifference({}, QJsonDocument::fromJson(copy.json).object(), record.settings);
        if (!found.isEmpty()) record.copyDifferences << u"Settings in %1: %2."_s.arg(copy.name, found);
    }
    return record;
}

}  // namespace

QString panelLetter(std::size_t panel, std::size_t count) {
    if (count < 2) return {};
    constexpr std::size_t letters = 26;
    QString result(QLatin1Char(static_cast<char>('a' + panel % letters)));
    for (std::size_t rest = panel / letters; rest > 0; rest = (rest - 1) / letters) {
        result.prepend(QLatin1Char(static_cast<char>('a' + (rest - 1) % letters)));
    }
    return result;
}

QByteArray recordJson(std::span<const Figure> panels, std::span<const QByteArray> data, const ExportOptions& options) {
    QJsonArray all;
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const Figure& figure = panels[i];
        all.append(QJsonObject{{u"letter"_s, panelLetter(i, panels.size())},
                               {u"figure"_s, figure.name},
                               {u"summary"_s, figure.summary},
                               {u"caption"_s, captionOf(figure)},
                               {u"settings"_s, figure.settings},
                               {u"flags"_s, figure.origin.flags},
                               {u"lab"_s, figure.origin.lab},
                               {u"view"_s, figure.origin.view},
                               {u"axes"_s, axesJson(figure)},
                               {u"sha256"_s, hashOf(figure.name, figure.settings, figure.origin, data[i])}});
    }
    return QJsonDocument(QJsonObject{{u"format"_s, u"ropelab-figure"_s},
                                     {u"version"_s, kRecordVersion},
                                     {u"program"_s, QCoreApplication::applicationVersion()},
                                     {u"drawing"_s, drawingJson(options)},
                                     {u"panels"_s, all}})
        .toJson(QJsonDocument::Compact);
}

QByteArray readFigureBytes(const QString& path) {
    return QByteArray::fromStdString(
        read_regular_file(std::filesystem::path(QFile::encodeName(path).toStdString()), kLargestFigure));
}

std::vector<FigureRecord> readFigureFile(const QString& path) {
    const std::string name = QFileInfo(path).fileName().toStdString();
    const FigureParts parts = partsOf(readFigureBytes(path));
    const QJsonObject all = QJsonDocument::fromJson(parts.record).object();
    if (all[u"format"_s] != "ropelab-figure"_L1) {
        throw BadInput(
            "The file \"" + name +
            "\" contains no record of how RoPE Lab made the figure. Figures that RoPE Lab exports as PDF, SVG or PNG "
            "contain such a record, unless another program removed it.");
    }
    if (all[u"version"_s].toInt() > kRecordVersion) {
        throw BadInput("The figure \"" + name +
                       "\" was written by a newer version of RoPE Lab; open it with that version.");
    }
    std::vector<FigureRecord> records;
    for (qsizetype panel = 0; panel < all[u"panels"_s].toArray().size(); ++panel) {
        auto record = recordOf(all, panel, parts);
        if (!record)
            throw BadInput("The figure \"" + name +
                           "\" lacks its data, because another program removed them; export the figure again.");
        records.push_back(std::move(*record));
    }
    if (records.empty())
        throw BadInput("RoPE Lab's record in the figure file \"" + name +
                       "\" names no figure; export the figure again.");
    return records;
}

}  // namespace ropelab::ui
