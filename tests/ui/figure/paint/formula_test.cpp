#include "ui/figure/paint/formula.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>

namespace ropelab::ui {
namespace {

Formula letter(const char* name) {
    return Formula::symbol(QString::fromUtf8(name));
}

Formula words(const char* text) {
    return Formula::text(QString::fromUtf8(text));
}

TEST(Formula, IsWrittenAsUnicodeAndAsLatex) {
    const Formula product =
        Formula::row({words("‖"), Formula::subscript(letter("q"), letter("i")), words("‖ cos("), letter("φ"),
                      words(" − "), Formula::subscript(letter("ω"), letter("i")), words("·4,342.9°)")});
    EXPECT_EQ(product.unicode(), QStringLiteral("‖qᵢ‖ cos(φ − ωᵢ·4,342.9°)"));
    EXPECT_EQ(product.latex(), QStringLiteral("\\|q_{i}\\| \\cos (\\varphi - \\omega_{i}\\cdot 4{,}342.9^\\circ )"));
    const Formula quotient = Formula::fraction(
        Formula::row({Formula::superscript(letter("a"), words("2")), words(" · 3")}), Formula::root(words("64")));
    EXPECT_EQ(quotient.unicode(), QStringLiteral("(a² · 3)/√64"));
    EXPECT_EQ(quotient.latex(), QStringLiteral("\\frac{a^{2} \\cdot 3}{\\sqrt{64}}"));
    EXPECT_EQ(words("6.00×10⁻⁴").latex(), QStringLiteral("6.00\\times 10^{-4}"));
    EXPECT_EQ(Formula::fraction(words("−1.063"), words("8")).unicode(), QStringLiteral("−1.063/8"));
    EXPECT_EQ(Formula::row({letter("θ"), letter("x")}).latex(), QStringLiteral("\\theta x"));
}

TEST(Formula, PaintsInsideItsExtent) {
    const FigureStyle style = FigureStyle::screen(Theme::light(), 96.0 / 72);
    const Formula formula =
        Formula::row({Formula::subscript(letter("l"), letter("i")), words(" = "),
                      Formula::fraction(Formula::superscript(words("1.139"), words("2")), Formula::root(words("64")))});
    const Formula::Extent extent = formula.extent(style, 12);
    const QPointF base(40, 60);
    QImage image(300, 120, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::black);
    formula.paint(painter, base, style, 12);
    painter.end();
    const QRectF box(base.x(), base.y() - extent.ascent, extent.width, extent.height());
    int ink = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (image.pixel(x, y) == qRgb(255, 255, 255)) continue;
            ++ink;
            EXPECT_TRUE(box.adjusted(-2, -2, 3, 2).contains(x, y)) << x << " " << y;
        }
    }
    EXPECT_GT(ink, 100);
    // A fraction is higher than a line of text, and an index reaches below it.
    EXPECT_GT(extent.height(), words("0").extent(style, 12).height());
}

}  // namespace
}  // namespace ropelab::ui
