#include "ui/rooms/rotation/side_area.h"

#include <QFrame>
#include <QScrollArea>

#include "ui/common/scaled.h"

namespace ropelab::ui {
namespace {

constexpr int kWidth = 252;

}  // namespace

QWidget* makeSideArea(QWidget* content, QWidget* parent) {
    auto* area = new QScrollArea(parent);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setWidgetResizable(true);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidget(content);
    scaleWidth(area, kWidth);
    return area;
}

}  // namespace ropelab::ui
