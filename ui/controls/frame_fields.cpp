#include "ui/controls/frame_fields.h"

#include <QFileInfo>

#include "ui/common/format.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

FormRow frameFormatRow() {
    return {
        "format", u"format"_s, u"Format"_s,
        u"Format of the exported animation. An animated GIF is limited to 255 colours; PNG and SVG files per frame are "
        "not."_s,
        ChoiceRow{.entries = {{u"animated GIF"_s, u"gif"_s},
                              {u"one PNG per frame"_s, u"png"_s},
                              {u"one SVG per frame"_s, u"svg"_s}},
                  .letters = 24}};
}

FormRow frameWidthRow() {
    QList<ChoiceRow::Entry> entries;
    for (const int pixels : {640, 960, 1280, 1920}) entries.append({u"%1 pixels"_s.arg(pixels), pixels});
    return {"width", u"width"_s, u"Width"_s,
            u"Width of the exported frames in pixels. The height and the size of the text are proportional to the "
            "width."_s,
            ChoiceRow{entries}};
}

FormRow frameRateRow() {
    return {"rate", u"frame rate"_s, u"Frames per second"_s,
            u"Frame rate at which an animated GIF is played; its last frame is shown for at least 2 s."_s,
            NumberRow{0.1, 50, 1, u" frames per second"_s}};
}

FormRow darkFramesRow() {
    return {"dark", u"Dark colours"_s, {}, {}, CheckRow()};
}

void readFrames(const Form& form, const QString& path, FrameFiles& files) {
    const QString suffix = form.value("format").toString();
    files.output = QFileInfo(path).suffix().toLower() == suffix ? path : path + QLatin1Char('.') + suffix;
    files.width = form.value("width").toInt();
    files.framesPerSecond = form.value("rate").toDouble();
    files.appearance = form.value("dark").toBool() ? Appearance::dark : Appearance::light;
}

QString frameWords(const FrameFiles& files, int frames) {
    const QString words =
        u"%1 of %2 × %3 pixels"_s.arg(countText(frames, u"frame"_s)).arg(files.width).arg(files.height());
    if (!files.isAnimated()) return words;
    return words + u", %1 long"_s.arg(durationText((frames - 1) * files.seconds(false) + files.seconds(true)));
}

FileQuestion framesQuestion(const QString& title, const QString& name, const QString& suffix) {
    // Frames get numbered names, so a file with exactly this name is not replaced.
    return {.title = title,
            .path = name + QLatin1Char('.') + suffix,
            .filters = u"Images (*.%1)"_s.arg(suffix),
            .replaces = suffix == "gif"_L1};
}

QString whyReplacedUnasked(const QString& output, const QString& typed) {
    if (output == typed || !QFileInfo::exists(output)) return {};
    return u"The file %1 already exists (the program added the suffix to your name); choose another name, or type the "
           "name with its suffix to replace the file."_s.arg(output);
}

}  // namespace ropelab::ui
