#include "ui/common/fold.h"

#include <QToolButton>

#include "ui/common/fields.h"

namespace ropelab::ui {

QToolButton* makeFold(const QString& text, const QString& why, QWidget* content, QWidget* parent) {
    auto* button = makeButton<QToolButton>(text, why, parent);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setArrowType(Qt::RightArrow);
    content->hide();
    QObject::connect(button, &QToolButton::clicked, content, [button, content] {
        content->setVisible(content->isHidden());
        button->setArrowType(content->isHidden() ? Qt::RightArrow : Qt::DownArrow);
    });
    return button;
}

}  // namespace ropelab::ui
