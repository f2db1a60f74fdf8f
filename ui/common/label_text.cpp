#include "ui/common/label_text.h"

#include <QLabel>

namespace ropelab::ui {

void changeText(QLabel* label, const QString& text) {
    if (!label->isVisible() || label->text() == text) return label->setText(text);
    // With line breaks the height for its width counts, and the longest word.
    const auto needed = [label] {
        if (!label->hasHeightForWidth()) return label->sizeHint();
        return QSize(label->minimumSizeHint().width(), label->heightForWidth(label->width()));
    };
    const QSize before = needed();
    label->setAttribute(Qt::WA_WState_Hidden);  // QLabel tells the layout of each text, unless the label is hidden
    label->setText(text);
    label->setAttribute(Qt::WA_WState_Hidden, false);
    if (needed() != before) label->updateGeometry();
}

}  // namespace ropelab::ui
