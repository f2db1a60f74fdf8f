#include "ui/window/controllers/control_strip.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QBoxLayout>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>

namespace ropelab::ui {
namespace {

/// A panel with six fields of different widths, three of them with labels in a grid, the others in a column.
class ControlStripTest : public ::testing::Test {
 protected:
    ControlStripTest() {
        auto* all = new QVBoxLayout(&panel);
        all->addLayout(&grid);
        for (int i = 0; i < 6; ++i) {
            auto* field = new QPushButton(QStringLiteral("field"), &panel);
            field->setMinimumWidth(60 + 40 * i);
            fields << field;
            if (i >= 3) {
                all->addWidget(field);
                continue;
            }
            auto* label = new QLabel(QStringLiteral("label"), &panel);
            label->setBuddy(field);
            grid.addWidget(label, i, 0);
            grid.addWidget(field, i, 1);
        }
        window.show();
    }
    QList<QPoint> places() {
        panel.layout()->activate();
        QList<QPoint> result;
        for (const QWidget* field : fields) result << field->mapTo(&window, QPoint());
        return result;
    }

    QWidget window;
    QWidget panel{&window};
    QGridLayout& grid = *new QGridLayout;
    ControlStrip strip{&window};
    QList<QWidget*> fields;
};

TEST_F(ControlStripTest, FieldsReturnToTheirPlacesInThePanel) {
    panel.resize(400, 300);
    const QList<QPoint> before = places();
    const QList<QWidget*> some = {fields[1], fields[4]};
    strip.take(some);
    EXPECT_EQ(fields[4]->parentWidget(), &strip);
    strip.giveBack();
    EXPECT_EQ(places(), before);
    EXPECT_TRUE(strip.isHidden());
}

TEST_F(ControlStripTest, FieldsNeverCoverEachOther) {
    strip.take(fields);
    int columns = 0;
    for (int width = 400; width <= 1200; width += 4) {
        strip.resize(width, 300);
        strip.layout()->activate();
        int inFirstRow = 0;
        for (const QWidget* field : fields) {
            EXPECT_LE(field->geometry().right(), width) << width;
            for (const QWidget* other : strip.findChildren<QWidget*>()) {
                EXPECT_TRUE(other == field || !other->geometry().intersects(field->geometry())) << width;
            }
            if (field->y() == fields[0]->y()) ++inFirstRow;
        }
        EXPECT_GE(inFirstRow, columns) << "a wider strip has no fewer columns";
        columns = inFirstRow;
    }
    EXPECT_EQ(columns, 3);
}

TEST_F(ControlStripTest, TheListWithTheLongestEntryIsWidest) {
    QList<QWidget*> lists;
    for (const char* entry : {"θ 500k, 100 %, seed 1", "0"}) {
        auto* list = new QComboBox(&panel);
        list->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        list->addItem(QString::fromUtf8(entry));
        grid.addWidget(list, static_cast<int>(lists.size()), 2);
        list->show();
        lists << list;
    }
    strip.take(lists);
    strip.resize(400, 60);
    strip.layout()->activate();
    EXPECT_EQ(lists[0]->y(), lists[1]->y());
    EXPECT_GT(lists[0]->width(), 2 * lists[1]->width());
}

}  // namespace
}  // namespace ropelab::ui
