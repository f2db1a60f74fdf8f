#include "ui/controls/choice_box.h"

#include <QHelpEvent>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QToolTip>

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kTextMargin = 2;  // styles draw the text with a margin of about 1 pixel

}  // namespace

ChoiceBox::ChoiceBox(QWidget* parent) : QComboBox(parent) {}

QString ChoiceBox::shownText() const {
    QStyleOptionComboBox option;
    initStyleOption(&option);
    const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    return fontMetrics().elidedText(currentText(), Qt::ElideMiddle, field.width() - kTextMargin);
}

bool ChoiceBox::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || shownText() == currentText()) return QComboBox::event(event);
    const QString why = toolTip();
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(),
                       why.isEmpty() ? currentText() : currentText() + u"\n\n"_s + why, this);
    return true;
}

void ChoiceBox::paintEvent(QPaintEvent* /*event*/) {
    QStylePainter painter(this);
    painter.setPen(palette().color(QPalette::Text));
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    option.currentText = shownText();
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

}  // namespace ropelab::ui

#include "moc_choice_box.cpp"
