#include "ui/rooms/reproduce/letters_view.h"

#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "core/reproduce/published/published.h"
#include "core/results/results_cells.h"
#include "ui/common/scaled.h"
#include "ui/controls/number_slider.h"
#include "ui/controls/table_view.h"
#include "ui/controls/text_table.h"
#include "ui/plot/figure_view.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kLeast = 0.01;
constexpr double kMost = 0.99;
constexpr double kTolerance = 0.005;  // bits; larger differences are not explained by rounding
const QString kHandle = u"p(A)"_s;

QString bitsText(double bits) {
    return QString::fromStdString(fixed_text(bits, 3));
}

bool isPrinted(double p) {
    return std::abs(p - printed_letter_bits().p_a) < 1e-9;
}

TextTable::Content bitsTable(double p) {
    const LetterBits ours = letter_bits(p);
    const PrintedLetterBits printed = printed_letter_bits();
    const QString at = QString::fromStdString(number_text(printed.p_a));
    TextTable::Content content;
    content.columns = {
        {u"letter"_s, {}, true},
        {u"code length [bits]"_s,
         u"Code length −log₂ p of a letter of probability p; the mean is Σ p·(−log₂ p). Formula 35 of the guide"_s},
        {u"printed at p(A) = %1"_s.arg(at), u"Code length in bits that Brahmachary 2025 prints."_s},
        {u"correct at p(A) = %1"_s.arg(at), u"Code length in bits by formula 35 of the guide at p(A) = %1."_s.arg(at)},
        {u"agreement"_s, {}, true}};
    const LetterBits right = letter_bits(printed.p_a);
    const auto add = [&](const QString& what, double LetterBits::*bits) {
        const bool agrees = std::abs(printed.bits.*bits - right.*bits) <= kTolerance;
        content.rows.push_back(
            {{what},
             {bitsText(ours.*bits)},
             {QString::fromStdString(number_text(printed.bits.*bits)),
              {},
              agrees ? TextTable::Tone::normal : TextTable::Tone::error},
             {bitsText(right.*bits)},
             agrees ? TextTable::Cell{u"agrees"_s, {}, TextTable::Tone::success}
                    : TextTable::Cell{u"disagrees"_s,
                                      u"Formula 35 of the guide gives %1 bits."_s.arg(bitsText(right.*bits)),
                                      TextTable::Tone::error}});
    };
    add(u"letter A"_s, &LetterBits::a);
    add(u"letter B"_s, &LetterBits::b);
    add(u"mean per letter"_s, &LetterBits::average);
    return content;
}

}  // namespace

Figure lettersFigure(double p) {
    Figure figure;
    figure.name = u"two-letters"_s;
    figure.x = {u"p(A)"_s, {}, false, 0, 1};
    figure.y = {u"code length"_s, u"bits"_s, false, 0, 7};
    FigureCurve a, b, average;
    for (int i = 0; i <= 196; ++i) {
        const double x = kLeast + (kMost - kLeast) * i / 196;
        const LetterBits bits = letter_bits(x);
        for (FigureCurve* curve : {&a, &b, &average}) curve->x.append(x);
        a.y.append(bits.a);
        b.y.append(bits.b);
        average.y.append(bits.average);
    }
    a.label = u"letter A"_s;
    b.label = u"letter B"_s;
    average.label = u"mean"_s;
    int index = 1;  // the first colour looks like that of the line at p
    for (FigureCurve* curve : {&a, &b, &average}) {
        curve->quantity = curve->label;
        curve->ink = Ink::data(index++);
        figure.curves.push_back(*curve);
    }
    // The post's printed values, in the order of the curves.
    const PrintedLetterBits printed = printed_letter_bits();
    index = 1;
    for (const double bits : {printed.bits.a, printed.bits.b, printed.bits.average}) {
        FigureCurve dot;
        dot.x = {printed.p_a};
        dot.y = {bits};
        dot.ink = Ink::data(index++);
        dot.shape = FigureCurve::Shape::points;
        dot.pointPt = 7;
        figure.curves.push_back(dot);
    }
    figure.note = u"points: values printed in Brahmachary 2025 for p(A) = %1"_s.arg(printed.p_a);
    figure.valuesNote = u"numbers at the right: values at p(A) = %1"_s.arg(kMost);
    figure.verticalLines.push_back({p, QString::fromStdString(number_text(p)), {Ink::Kind::accent}, kHandle});
    const LetterBits bits = letter_bits(p);
    figure.summary =
        u"Code length in bits against p(A), the probability of the letter A: at p(A) = %1 it is %2 for A and %3 for B, "
        "and the mean is %4."_s.arg(QString::fromStdString(number_text(p)), bitsText(bits.a), bitsText(bits.b),
                                    bitsText(bits.average));
    return figure;
}

LettersView::LettersView(QWidget* parent)
    : QWidget(parent),
      m_slider(new NumberSlider({.label = u"p(A)"_s,
                                 .minimum = kLeast,
                                 .maximum = kMost,
                                 .step = 0.01,
                                 .text = [](double p) { return QString::fromStdString(fixed_text(p, 2)); },
                                 .why = u"Probability of the letter A. The letter B has the probability 1 − p(A)."_s},
                                this)),
      m_table(new TextTable(this)),
      m_tableView(makeTableView(u"Code lengths of the letters A and B in bits"_s, m_table, this)),
      m_words(new QLabel(this)),
      m_view(new FigureView(this)) {
    auto* column = scaledColumn(this, 8, {12, 8, 12, 8});
    auto* intro = new QLabel(
        u"The code length of a letter of probability p is −log₂ p bits. If a model knows the probability p(A) in a "
        "text of the letters A and B, its mean code length per letter is the entropy of the text."_s,
        this);
    intro->setProperty("quiet", true);
    for (QLabel* label : {intro, m_words}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
    }
    m_words->setAccessibleName(u"Code lengths of the letters A and B as a sentence"_s);
    column->addWidget(intro);
    column->addWidget(m_slider);
    column->addWidget(m_words);
    column->addWidget(m_tableView);
    column->addWidget(m_view, 1);
    connect(m_slider, &NumberSlider::changed, this, &LettersView::refresh);
    connect(m_view, &FigureView::lineDragged, this, [this](const QString&, double at) {
        setProbability(std::clamp(std::round(at * 100) / 100, kLeast, kMost));
    });
    const auto fit = [this] { fitRows(m_tableView, 3); };
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, fit);
    setProbability(printed_letter_bits().p_a);
    fit();
}

void LettersView::setProbability(double p) {
    m_slider->setValue(p);
    refresh();
}

double LettersView::probability() const {
    return m_slider->value();
}

Figure LettersView::figure() const {
    return lettersFigure(probability());
}

void LettersView::refreshNow() {
    m_view->refreshNow();
}

void LettersView::refresh() {
    const double p = probability();
    const LetterBits bits = letter_bits(p);
    m_table->setContent(bitsTable(p));
    QString words =
        u"At p(A) = %1 the code length of the letter A is %2 bits, that of B is %3 bits, and the mean per letter is %4 "
        "bits."_s.arg(QString::fromStdString(number_text(p)), bitsText(bits.a), bitsText(bits.b),
                      bitsText(bits.average));
    if (isPrinted(p)) {
        const LetterBits printed = printed_letter_bits().bits;
        const auto number = [](double value) { return QString::fromStdString(number_text(value)); };
        words +=
            QLatin1Char(' ') +
            u"Brahmachary 2025 prints %1 bits for A (in fact the mean) and %2 bits for the mean; both are wrong."_s.arg(
                number(printed.a), number(printed.average));
    }
    m_words->setText(words);
    m_view->setFigure(figure());
    m_tableView->resizeColumnsToContents();
}

}  // namespace ropelab::ui

#include "moc_letters_view.cpp"
