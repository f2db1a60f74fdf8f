#include "ui/figure/figure_record.h"

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

#include "core/spec/error.h"
#include "core/data/read_file.h"
#include "ui/figure/export.h"
#include "ui/figure/figure_caption.h"
#include "ui/figure/pdf_attachments.h"

namespace ropelab::ui {
namespace {

constexpr int kRecordVersion = 1;
constexpr std::int64_t kLargestFigure = 256'000'000;  // bytes

/// The record, and the data by the letter of the panel.
struct FigureParts {
    QByteArray record;
    QMap<QString, QByteArray> data;
};

QString hashOf(const QString& figure, const QJsonObject& settings, const FigureOrigin& origin, const QByteArray& data) {
    QJsonObject all{{QStringLiteral("figure"), figure},
                    {QStringLiteral("settings"), settings},
                    {QStringLiteral("flags"), origin.flags},
                    {QStringLiteral("lab"), origin.lab}};
    if (!origin.view.isEmpty()) all[QStringLiteral("view")] = origin.view;  // earlier versions wrote none
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
    parts.record = files.value(QStringLiteral("figure.json"));
    for (const auto& [name, data] : files.asKeyValueRange()) {
        if (name == QLatin1String("data.csv")) parts.data[QString()] = data;
        if (name.startsWith(QLatin1String("data-")) && name.endsWith(QLatin1String(".csv"))) {
            parts.data[name.mid(5, name.size() - 9)] = data;
        }
    }
    return parts;
}

FigureParts partsOfPng(const QByteArray& bytes) {
    FigureParts parts;
    const QImage image = QImage::fromData(bytes, "PNG");
    parts.record = image.text(QStringLiteral("Figure")).toUtf8();
    const QStringList keys = image.textKeys();
    for (const QString& key : keys) {
        if (key == QLatin1String("Data")) parts.data[QString()] = image.text(key).toUtf8();
        if (key.startsWith(QLatin1String("Data "))) parts.data[key.mid(5)] = image.text(key).toUtf8();
    }
    return parts;
}

FigureParts partsOfSvg(const QByteArray& bytes) {
    FigureParts parts;
    QXmlStreamReader xml(bytes);
    while (!xml.atEnd()) {
        xml.readNext();
        if (!xml.isStartElement() || xml.namespaceUri() != QLatin1String("urn:ropelab:figure")) continue;
        const QString panel = xml.attributes().value(QStringLiteral("panel")).toString();
        if (xml.name() == QLatin1String("figure"))
            parts.record = xml.readElementText().toUtf8();
        else if (xml.name() == QLatin1String("data"))
            parts.data[panel] = xml.readElementText().toUtf8();
    }
    return parts;
}

FigureParts partsOf(const QByteArray& bytes) {
    if (bytes.startsWith("%PDF-")) return partsOfPdf(bytes);
    if (bytes.startsWith("\x89PNG")) return partsOfPng(bytes);
    return partsOfSvg(bytes);
}

QJsonObject drawingJson(const ExportOptions& options) {
    return {{QStringLiteral("width_mm"), options.widthMm},
            {QStringLiteral("height_mm"), options.heightMm},
            {QStringLiteral("dpi"), options.dpi},
            {QStringLiteral("font_pt"), options.fontPt},
            {QStringLiteral("dashes"), options.dashes},
            {QStringLiteral("dark"), options.appearance == Appearance::dark},
            {QStringLiteral("outlines"), options.outlines},
            {QStringLiteral("columns"), options.columns},
            {QStringLiteral("qt"), QLatin1String(qVersion())}};
}

QJsonObject axesJson(const Figure& figure) {
    const Range x = xRange(figure);
    const Range y = yRange(figure);
    return {{QStringLiteral("x"), QJsonArray{x.minimum, x.maximum}},
            {QStringLiteral("y"), QJsonArray{y.minimum, y.maximum}}};
}

/// Nullopt if the file lacks the figure's data.
std::optional<FigureRecord> recordOf(const QJsonObject& all, const QJsonObject& object, const FigureParts& parts) {
    FigureRecord record;
    record.drawing = all[QStringLiteral("drawing")].toObject();
    record.program = all[QStringLiteral("program")].toString();
    record.axes = object[QStringLiteral("axes")].toObject();
    record.letter = object[QStringLiteral("letter")].toString();
    if (!parts.data.contains(record.letter)) return std::nullopt;
    record.figure = object[QStringLiteral("figure")].toString();
    record.summary = object[QStringLiteral("summary")].toString();
    record.caption = object[QStringLiteral("caption")].toString();
    record.settings = object[QStringLiteral("settings")].toObject();
    record.origin = {object[QStringLiteral("flags")].toObject(), object[QStringLiteral("lab")].toObject(),
                     object[QStringLiteral("view")].toObject()};
    record.data = parts.data[record.letter];
    record.isEdited = hashOf(record.figure, record.settings, record.origin, record.data) !=
                      object[QStringLiteral("sha256")].toString();
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

QByteArray recordJson(std::span<const Figure> panels, const ExportOptions& options) {
    QJsonArray all;
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const Figure& figure = panels[i];
        all.append(QJsonObject{
            {QStringLiteral("letter"), panelLetter(i, panels.size())},
            {QStringLiteral("figure"), figure.name},
            {QStringLiteral("summary"), figure.summary},
            {QStringLiteral("caption"), captionOf(figure)},
            {QStringLiteral("settings"), figure.settings},
            {QStringLiteral("flags"), figure.origin.flags},
            {QStringLiteral("lab"), figure.origin.lab},
            {QStringLiteral("view"), figure.origin.view},
            {QStringLiteral("axes"), axesJson(figure)},
            {QStringLiteral("sha256"), hashOf(figure.name, figure.settings, figure.origin, figureCsv(figure))}});
    }
    return QJsonDocument(QJsonObject{{QStringLiteral("format"), QStringLiteral("ropelab-figure")},
                                     {QStringLiteral("version"), kRecordVersion},
                                     {QStringLiteral("program"), QCoreApplication::applicationVersion()},
                                     {QStringLiteral("drawing"), drawingJson(options)},
                                     {QStringLiteral("panels"), all}})
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
    if (all[QStringLiteral("format")] != QLatin1String("ropelab-figure")) {
        throw BadInput("The file \"" + name +
                       "\" contains no record of a figure of RoPE Lab. Figures that RoPE Lab exports as PDF, SVG or "
                       "PNG contain one, unless another program removed it.");
    }
    if (all[QStringLiteral("version")].toInt() > kRecordVersion) {
        throw BadInput("The figure \"" + name + "\" was written by a newer version of RoPE Lab.");
    }
    std::vector<FigureRecord> records;
    for (const QJsonValue& panel : all[QStringLiteral("panels")].toArray()) {
        auto record = recordOf(all, panel.toObject(), parts);
        if (!record) throw BadInput("The figure \"" + name + "\" lacks its data; another program removed them.");
        records.push_back(std::move(*record));
    }
    if (records.empty()) throw BadInput("The record in the file \"" + name + "\" names no figure.");
    return records;
}

}  // namespace ropelab::ui
