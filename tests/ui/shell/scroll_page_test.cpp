#include "ui/shell/scroll_page.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QLabel>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QTest>
#include <QVBoxLayout>

namespace ropelab::ui {
namespace {

TEST(ScrollPage, FillsTheSpaceAndScrollsOnlyIfItIsTooLow) {
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    ScrollPage page;
    page.setContent(content);
    auto* words = new QLabel("One sentence that is much longer than the page is wide, so it takes several lines.");
    words->setWordWrap(true);
    auto* picture = new QWidget;
    picture->setMinimumHeight(100);
    column->addWidget(words);
    column->addWidget(picture, 1);
    page.resize(240, 400);
    page.show();
    QApplication::processEvents();
    EXPECT_EQ(page.widget()->height(), page.viewport()->height());
    EXPECT_GT(picture->height(), 200) << "the picture gets the remaining height";
    EXPECT_EQ(page.verticalScrollBar()->maximum(), 0);

    page.resize(240, 120);
    QApplication::processEvents();
    EXPECT_EQ(picture->height(), 100);
    EXPECT_GE(words->height(), words->heightForWidth(words->width()));
    EXPECT_GT(page.verticalScrollBar()->maximum(), 0);
    EXPECT_EQ(page.horizontalScrollBar()->maximum(), 0);

    ScrollPage::reveal(picture);
    QApplication::processEvents();
    EXPECT_EQ(picture->mapTo(page.viewport(), picture->rect().bottomRight()).y(), page.viewport()->rect().bottom());
    page.verticalScrollBar()->setValue(page.verticalScrollBar()->maximum());

    QTest::keyClick(picture, Qt::Key_Up);
    EXPECT_EQ(page.verticalScrollBar()->value(), page.verticalScrollBar()->maximum())
        << "arrow keys do not scroll the page";
    QTest::keyClick(picture, Qt::Key_PageUp);
    EXPECT_LT(page.verticalScrollBar()->value(), page.verticalScrollBar()->maximum());

    picture->setMinimumHeight(10);
    words->setText("Short.");
    QApplication::processEvents();
    EXPECT_EQ(page.verticalScrollBar()->maximum(), 0) << "the smaller content fits";
}

TEST(ScrollPage, OnlyTheCurrentPageOfAStackDeterminesTheHeight) {
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    auto* stack = new QStackedWidget;
    for (const int lowest : {100, 900}) {
        auto* page = new QWidget;
        auto* inner = new QVBoxLayout(page);
        auto* words = new QLabel("Words that may take more than one line where the page is narrow.");
        words->setWordWrap(true);
        inner->addWidget(words);
        auto* picture = new QWidget;
        picture->setMinimumHeight(lowest);
        inner->addWidget(picture, 1);
        stack->addWidget(page);
    }
    column->addWidget(stack, 1);
    ScrollPage page;
    page.setContent(content);
    page.resize(300, 400);
    page.show();
    QApplication::processEvents();
    EXPECT_EQ(page.verticalScrollBar()->maximum(), 0);
    stack->setCurrentIndex(1);
    QApplication::processEvents();
    EXPECT_GT(page.verticalScrollBar()->maximum(), 400);
}

TEST(ScrollPage, SplitterKeepsTheMinimumHeightOfItsParts) {
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    auto* stack = new QStackedWidget;
    auto* split = new QSplitter(Qt::Vertical);
    QList<QWidget*> pictures;
    for (int i = 0; i < 2; ++i) {
        auto* picture = new QWidget;
        picture->setMinimumHeight(150);
        split->addWidget(picture);
        pictures << picture;
    }
    stack->addWidget(split);
    column->addWidget(stack, 1);
    ScrollPage page;
    page.setContent(content);
    page.resize(300, 200);
    page.show();
    QApplication::processEvents();
    EXPECT_GT(page.verticalScrollBar()->maximum(), 0);
    for (const QWidget* picture : pictures) EXPECT_GE(picture->height(), 150);
    page.resize(300, 400);
    QApplication::processEvents();
    EXPECT_EQ(page.verticalScrollBar()->maximum(), 0);
}

}  // namespace
}  // namespace ropelab::ui
