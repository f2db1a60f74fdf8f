#include "ui/figure/text_metrics.h"

#include <gtest/gtest.h>

#include "ui/figure/figure_style.h"
#include "ui/figure/paint/figure_head.h"

namespace ropelab::ui {
namespace {

const FigureStyle kLook = FigureStyle::screen(Theme::light(), 96.0 / 72);

TEST(TextMetricsTest, KnownTextsHaveTheWidthsOfTheirOwnFont) {
    for (const char* again : {"measured", "known"}) {
        for (const double points : {8.0, 10.0, 10.5, 15.0}) {
            for (const bool italic : {false, true}) {
                QFont font = kLook.font(points);
                font.setItalic(italic);
                font.setWeight(points > 12 ? QFont::DemiBold : QFont::Normal);
                const TextMetrics metrics(font);
                const QFontMetricsF plain(font);
                for (const char* text : {"", "θ 10k, 25 %", "AVAVA To Wo", "validation loss [nats]"}) {
                    const QString words = QString::fromUtf8(text);
                    EXPECT_EQ(metrics.horizontalAdvance(words), plain.horizontalAdvance(words)) << again << text;
                    for (const double width : {0.0, 20.3, 57.7, 400.0}) {
                        EXPECT_EQ(metrics.elidedText(words, Qt::ElideMiddle, width),
                                  plain.elidedText(words, Qt::ElideMiddle, width));
                    }
                }
            }
        }
    }
}

TEST(TextMetricsTest, LinesAreAsLongAsTheirSpaceAllows) {
    const QFont font = kLook.font(10);
    const QFontMetricsF plain(font);
    const QStringList all = QStringLiteral(
                                "AV To Wave: the pairs below complete a period within the context, Yet T. V. W. rotate "
                                "by less than a degree; A V A T A V A T A V A, and WAVE AFTER WAVE of them vary.")
                                .split(QLatin1Char(' '));
    for (double width = 10; width < 500; width += 3.7) {
        const QStringList lines = wrapped(all.join(QLatin1Char(' ')), TextMetrics(font), width, 100);
        qsizetype next = 0;
        for (const QString& line : lines) {
            QString longest = all[next++];
            while (next < all.size() && plain.horizontalAdvance(longest + QLatin1Char(' ') + all[next]) <= width)
                longest += QLatin1Char(' ') + all[next++];
            EXPECT_EQ(line, plain.elidedText(longest, Qt::ElideRight, width)) << width;
        }
        EXPECT_EQ(next, all.size());
    }
}

TEST(TextMetricsTest, NumbersStayBesideTheirSignsWhereThereIsSpace) {
    const TextMetrics metrics(kLook.font(10));
    const auto lines = [&](const QString& widest) {
        return wrapped(QStringLiteral("wavelength > context"), metrics, metrics.horizontalAdvance(widest) + 1, 9);
    };
    EXPECT_EQ(lines(QStringLiteral("wavelength > context")), QStringList{"wavelength > context"});
    EXPECT_EQ(lines(QStringLiteral("wavelength >")), (QStringList{"wavelength >", "context"})) << "not cut off";
}

}  // namespace
}  // namespace ropelab::ui
