#include "ui/controls/frame_fields.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QGridLayout>

#include "ui/controls/fields.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

void addFrameFormat(QGridLayout* grid, QComboBox* format) {
    format->addItem(u"animated GIF"_s, u"gif"_s);
    format->addItem(u"one PNG per frame"_s, u"png"_s);
    format->addItem(u"one SVG per frame"_s, u"svg"_s);
    addField(
        grid, u"format"_s, format,
        u"Format of the exported animation. An animated GIF is limited to 255 colours; PNG and SVG files per frame are "
        "not."_s);
}

void addFrameWidth(QGridLayout* grid, QComboBox* width) {
    for (const int pixels : {640, 960, 1280, 1920}) width->addItem(u"%1 pixels"_s.arg(pixels), pixels);
    addField(grid, u"width"_s, width,
             u"Width of the exported frames in pixels. The height and the size of the text are proportional to the "
             "width."_s);
}

void addFrameRate(QGridLayout* grid, QDoubleSpinBox* rate) {
    rate->setRange(0.1, 50);
    rate->setDecimals(1);
    rate->setSuffix(u" frames per second"_s);
    rate->setAccessibleName(u"Frames per second"_s);
    addField(grid, u"frame rate"_s, rate,
             u"Frame rate at which an animated GIF is played; its last frame is shown for at least 2 s."_s);
}

FileQuestion framesQuestion(const QString& title, const QString& name, const QString& suffix) {
    // Frames get numbered names, so a file with exactly this name is not replaced.
    return {.title = title,
            .path = name + QLatin1Char('.') + suffix,
            .filters = u"Images (*.%1)"_s.arg(suffix),
            .replaces = suffix == "gif"_L1};
}

QString withFrameSuffix(const QString& path, const QString& suffix) {
    return QFileInfo(path).suffix().toLower() == suffix ? path : path + QLatin1Char('.') + suffix;
}

QString whyReplacedUnasked(const QString& output, const QString& typed) {
    if (output == typed || !QFileInfo::exists(output)) return {};
    return u"The file %1 already exists (the program added the suffix to your name); choose another name, or type the "
           "name with its suffix to replace the file."_s.arg(output);
}

}  // namespace ropelab::ui
