#include "ui/common/label_text.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>

namespace ropelab::ui {
namespace {

class Page : public QWidget {
 public:
    int requests = 0;

 protected:
    bool event(QEvent* event) override {
        if (event->type() == QEvent::LayoutRequest) ++requests;
        return QWidget::event(event);
    }
};

TEST(LabelText, ATextThatNeedsAsMuchSpaceLeavesTheLayoutAsItIs) {
    Page page;
    auto* column = new QVBoxLayout(&page);
    auto* sentence = new QLabel(QStringLiteral("The longest wavelength is 54,410 tokens."), &page);
    sentence->setWordWrap(true);
    auto* number = new QLabel(QStringLiteral("1,117"), &page);
    for (QLabel* each : {sentence, number}) column->addWidget(each);
    column->addStretch(1);
    page.resize(400, 300);
    page.show();
    QApplication::processEvents();
    page.requests = 0;
    changeText(sentence, QStringLiteral("The longest wavelength is 54,001 tokens."));
    changeText(number, QStringLiteral("1,711"));
    QApplication::processEvents();
    EXPECT_EQ(page.requests, 0);
    EXPECT_EQ(sentence->text(), QStringLiteral("The longest wavelength is 54,001 tokens."));
    EXPECT_TRUE(sentence->isVisible());
    EXPECT_FALSE(sentence->isHidden());

    const int before = sentence->height();
    changeText(sentence, QStringLiteral("A sentence of several lines. ").repeated(20));
    QApplication::processEvents();
    EXPECT_GT(sentence->height(), before);
    EXPECT_EQ(sentence->height(), sentence->heightForWidth(sentence->width()));
    const QSize small = number->sizeHint();
    changeText(number, QStringLiteral("1,117,000"));
    EXPECT_GT(number->sizeHint().width(), small.width());
    QApplication::processEvents();
    EXPECT_GE(page.requests, 2);

    sentence->hide();
    changeText(sentence, QStringLiteral("Hidden."));
    EXPECT_EQ(sentence->text(), QStringLiteral("Hidden."));
    EXPECT_TRUE(sentence->isHidden());
}

}  // namespace
}  // namespace ropelab::ui
