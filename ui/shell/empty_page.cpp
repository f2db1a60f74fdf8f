#include "ui/shell/empty_page.h"

#include <QFrame>
#include <QLabel>
#include <QObject>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/common/scaled.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

EmptyPage makeEmptyPage(const QString& title, const QString& text, QWidget* parent) {
    auto* page = new QFrame(parent);
    page->setProperty("paper", true);
    auto* column = new QVBoxLayout(page);
    scaleLayout(column, {48, 24, 48, 24}, 16);
    column->addStretch(2);
    auto* heading = new QLabel(title, page);
    heading->setProperty("roomTitle", true);
    auto* body = new QLabel(text, page);
    for (QLabel* label : {heading, body}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        column->addWidget(label);
    }
    auto* button = new QPushButton(u"Open page Train"_s, page);
    button->setProperty("primary", true);
    button->setFocusPolicy(Qt::TabFocus);
    scaleWidth(button, 160);
    column->addWidget(button, 0, Qt::AlignCenter);
    column->addStretch(3);
    return {page, body, button};
}

}  // namespace ropelab::ui
