#include "ui/window/fields.h"

#include <QComboBox>
#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/window/scaled.h"

namespace ropelab::ui {

ScrollColumn makeScrollColumn(QWidget* parent) {
    auto* area = new QScrollArea(parent);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    auto* content = new QFrame(area);
    content->setProperty("panel", true);
    auto* column = new QVBoxLayout(content);
    scaleLayout(column, {12, 12, 12, 12}, 12);
    area->setWidget(content);
    return {area, content, column};
}

ScrollColumn makePanel(QFrame* panel, const QString& name) {
    panel->setProperty("panel", true);
    panel->setAccessibleName(name);
    auto* layout = new QVBoxLayout(panel);
    scaleLayout(layout, {0, 0, 0, 0}, 0);
    const ScrollColumn result = makeScrollColumn(panel);
    layout->addWidget(result.area, 1);
    return result;
}

QLabel* makeHeading(const QString& text, QWidget* parent) {
    auto* heading = new QLabel(text.toUpper(), parent);
    heading->setProperty("heading", true);
    return heading;
}

QGridLayout* makeFieldGrid() {
    auto* grid = new QGridLayout;
    scaleLayout(grid, {0, 0, 0, 0}, 8);
    grid->setColumnStretch(1, 1);
    return grid;
}

QLabel* addField(QGridLayout* grid, const QString& title, QWidget* field, const QString& why, int width) {
    auto* label = new QLabel(title, field->parentWidget());
    label->setProperty("quiet", true);
    label->setBuddy(field);
    scaleWidth(label, width);
    if (!why.isEmpty()) {  // else the field's own tooltip stays
        label->setToolTip(why);
        field->setToolTip(why);
    }
    const int row = grid->rowCount();
    grid->addWidget(label, row, 0, Qt::AlignVCenter);
    grid->addWidget(field, row, 1);
    return label;
}

QComboBox* makeChoice(const QString& name, QWidget* parent, int letters) {
    auto* choice = new QComboBox(parent);
    choice->setAccessibleName(name);
    choice->setFocusPolicy(Qt::StrongFocus);
    choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    choice->setMinimumContentsLength(letters);
    return choice;
}

void refillChoice(QComboBox* choice, const QList<QPair<QString, QVariant>>& entries, const QVariant& chosen) {
    const QSignalBlocker quiet(choice);
    choice->clear();
    for (const auto& [title, data] : entries) choice->addItem(title, data);
    chooseData(choice, chosen);
}

void chooseData(QComboBox* choice, const QVariant& data) {
    choice->setCurrentIndex(std::max(0, choice->findData(data)));
}

}  // namespace ropelab::ui
