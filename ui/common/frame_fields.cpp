#include "ui/common/frame_fields.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QGridLayout>

#include "ui/common/fields.h"

namespace ropelab::ui {

void addFrameFormat(QGridLayout* grid, QComboBox* format) {
    format->addItem(QObject::tr("animated GIF"), QStringLiteral("gif"));
    format->addItem(QObject::tr("one PNG per frame"), QStringLiteral("png"));
    format->addItem(QObject::tr("one SVG per frame"), QStringLiteral("svg"));
    addField(grid, QObject::tr("format"), format,
             QObject::tr("An animated GIF is limited to 255 colours; PNG and SVG are not."));
}

void addFrameWidth(QGridLayout* grid, QComboBox* width) {
    for (const int pixels : {640, 960, 1280, 1920}) width->addItem(QObject::tr("%1 pixels").arg(pixels), pixels);
    addField(grid, QObject::tr("width"), width,
             QObject::tr("The height is proportional to the width, and text is scaled with it."));
}

void addFrameRate(QGridLayout* grid, QDoubleSpinBox* rate) {
    rate->setRange(0.1, 50);
    rate->setDecimals(1);
    rate->setSuffix(QObject::tr(" frames per second"));
    rate->setAccessibleName(QObject::tr("Frames per second"));
    addField(grid, QObject::tr("frame rate"), rate,
             QObject::tr("An animated GIF is played at this frame rate; its last frame is shown for at least 2 s."));
}

FileQuestion framesQuestion(const QString& title, const QString& name, const QString& suffix) {
    // Frames get numbered names, so a file with exactly this name is not replaced.
    return {.title = title,
            .path = name + QLatin1Char('.') + suffix,
            .filters = QObject::tr("Images (*.%1)").arg(suffix),
            .replaces = suffix == QLatin1String("gif")};
}

QString withFrameSuffix(const QString& path, const QString& suffix) {
    return QFileInfo(path).suffix().toLower() == suffix ? path : path + QLatin1Char('.') + suffix;
}

QString whyReplacedUnasked(const QString& output, const QString& typed) {
    if (output == typed || !QFileInfo::exists(output)) return {};
    return QObject::tr("The file %1 already exists; choose another name, or type the name with its suffix.")
        .arg(output);
}

}  // namespace ropelab::ui
