#include "ui/shell/room.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>

#include "ui/plot/figure_view.h"

namespace ropelab::ui {
namespace {

/// Two figures beside each other below a sentence; each figure is a part.
class TwoFigures : public Room {
 public:
    TwoFigures() {
        auto* row = new QHBoxLayout(this);
        words = new QLabel(QStringLiteral("words"), this);
        row->addWidget(words);
        for (FigureView** view : {&left, &right}) {
            *view = new FigureView(this);
            row->addWidget(*view);
        }
        addFigure({left, [] { return named("left"); }, [](QMenu& menu) { menu.addAction(QStringLiteral("Own")); }});
        addFigure({right, [] { return Figure{}; }});
        addPart({QStringLiteral("left"),
                 [this] { shown = QStringLiteral("left"); },
                 [this] { return shown == QLatin1String("left"); },
                 {words, right}});
        addPart({QStringLiteral("right"),
                 [this] { shown = QStringLiteral("right"); },
                 [this] { return shown == QLatin1String("right"); },
                 {words, left}});
        addControl({QStringLiteral("shown"), [this](const QString& value) { shown = value; },
                    [this] { return QVariant(shown); }, words});
        addBars({words});
    }
    QWidget* panel(QWidget* /*parent*/ = nullptr) override { return nullptr; }
    void refreshNow() override {}
    void fitOnlyPart() override { fitted << onlyPart(); }
    static Figure named(const char* name) {
        Figure figure;
        figure.name = QString::fromLatin1(name);
        figure.curves.resize(1);
        return figure;
    }
    QStringList menuOf(FigureView* view) {
        emit view->contextMenuRequested({});
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QStringList entries;
        for (const QAction* each : menu->actions()) {
            if (each->isEnabled()) entries << each->text();
        }
        menu->close();
        return entries;
    }

    QLabel* words = nullptr;
    FigureView* left = nullptr;
    FigureView* right = nullptr;
    QString shown;
    QStringList fitted;
};

TEST(RoomTest, TheFigureIsThatOfTheChosenView) {
    TwoFigures room;
    room.show();
    EXPECT_EQ(room.figure().name, "left");
    emit room.right->chosen();
    EXPECT_EQ(room.figure().name, "");
    emit room.left->chosen();
    EXPECT_EQ(room.figure().name, "left");
    EXPECT_EQ(room.exportedFigures().size(), 1U);  // the other one is empty
    EXPECT_EQ(room.picture(), room.left);
}

TEST(RoomTest, EveryFigureHasTheSameMenuAndItsOwnEntries) {
    TwoFigures room;
    room.show();
    const QStringList entries = room.menuOf(room.left);
    for (const char* each : {"Export figure …", "Copy figure", "Copy caption", "Show as table", "Own"}) {
        EXPECT_TRUE(entries.contains(QString::fromUtf8(each))) << each;
    }
    const QStringList others = room.menuOf(room.right);
    EXPECT_TRUE(others.contains(QStringLiteral("Copy figure")));
    EXPECT_FALSE(others.contains(QStringLiteral("Show as table")));  // an empty figure has no numbers
    EXPECT_FALSE(others.contains(QStringLiteral("Own")));
}

TEST(RoomTest, APartAloneHidesTheOthers) {
    TwoFigures room;
    room.show();
    EXPECT_EQ(room.shownPart(), "");
    room.showOnlyPart(QStringLiteral("right"));
    EXPECT_EQ(room.shownPart(), "right");
    EXPECT_TRUE(room.words->isHidden());
    EXPECT_TRUE(room.left->isHidden());
    EXPECT_FALSE(room.right->isHidden());
    room.showOnlyPart(QString());
    for (const QWidget* each : {static_cast<QWidget*>(room.words), static_cast<QWidget*>(room.left)}) {
        EXPECT_FALSE(each->isHidden());
    }
    EXPECT_EQ(room.fitted, QStringList({QStringLiteral("right"), QString()}));
    try {
        room.showPart(QStringLiteral("middle"));
        FAIL();
    } catch (const BadInput& error) {
        EXPECT_STREQ(error.what(), "There is no part “middle” on this page (room); its parts are left, right.");
    }
}

TEST(RoomTest, ControlsAreSetReadAndRestored) {
    TwoFigures room;
    EXPECT_TRUE(room.setControl(QStringLiteral("shown"), QStringLiteral("left")));
    EXPECT_FALSE(room.setControl(QStringLiteral("other"), QString()));
    EXPECT_EQ(room.control(QStringLiteral("shown")).toString(), "left");
    EXPECT_EQ(room.controlWidget(QStringLiteral("shown")), room.words);
    const auto restore = room.restorer();
    room.showPart(QStringLiteral("right"));
    restore();
    EXPECT_EQ(room.shownPart(), "left");
    EXPECT_EQ(room.bars(), QList<QWidget*>{room.words});
}

}  // namespace
}  // namespace ropelab::ui
