#include "ui/common/label_text.h"

#include <QLabel>

namespace ropelab::ui {

void changeText(QLabel* label, const QString& text) {
    if (!label->isVisible() || label->text() == text) return label->setText(text);
    const auto needed = [label] {
        return label->hasHeightForWidth() ? QSize(0, label->heightForWidth(label->width())) : label->sizeHint();
    };
    const QSize before = needed();
    label->setAttribute(Qt::WA_WState_Hidden);  // QLabel tells the layout of each text, unless the label is hidden
    label->setText(text);
    label->setAttribute(Qt::WA_WState_Hidden, false);
    if (needed() != before) label->updateGeometry();
}

}  // namespace ropelab::ui
