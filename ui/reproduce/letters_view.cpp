#include "ui/reproduce/letters_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/experiment/sheets/published.h"
#include "core/spec/numbers.h"
#include "core/stats/results_cells.h"
#include "ui/plot/figure_view.h"
#include "ui/results/table_view.h"
#include "ui/results/word_table.h"
#include "ui/rotary/number_slider.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/scaled.h"

namespace ropelab::ui {

namespace {

constexpr double least = 0.01;
constexpr double most = 0.99;
constexpr double slip = 0.005;  // bits: past the digits that are printed
const QString handle = QStringLiteral("p(A)");

QString bitsText(double bits) {
    return QString::fromStdString(fixed_text(bits, 3));
}

bool isPrinted(double p) {
    return std::abs(p - printed_letter_bits().p_a) < 1e-9;
}

WordTable::Content bitsTable(double p) {
    const LetterBits ours = letter_bits(p);
    const PrintedLetterBits printed = printed_letter_bits();
    const QString at = QString::fromStdString(number_text(printed.p_a));
    WordTable::Content content;
    content.columns = {
        {QObject::tr("cost"), {}, true},
        {QObject::tr("bits"), QObject::tr("−log₂ p of the letter; the mean is Σ p·(−log₂ p). Formula 35")},
        {QObject::tr("the post at p(A) = %1").arg(at), QObject::tr("As the post prints it.")},
        {QObject::tr("right there"), QObject::tr("The same formula at p(A) = %1.").arg(at)},
        {QObject::tr("agreement"), {}, true}};
    const LetterBits right = letter_bits(printed.p_a);
    const auto add = [&](const QString& what, double LetterBits::*bits) {
        const bool agrees = std::abs(printed.bits.*bits - right.*bits) <= slip;
        content.rows.push_back(
            {{what},
             {bitsText(ours.*bits)},
             {QString::fromStdString(number_text(printed.bits.*bits)),
              {},
              agrees ? WordTable::Tone::normal : WordTable::Tone::error},
             {bitsText(right.*bits)},
             agrees ? WordTable::Cell{QObject::tr("agrees"), {}, WordTable::Tone::success}
                    : WordTable::Cell{QObject::tr("a slip"),
                                      QObject::tr("The formula gives %1 bits.").arg(bitsText(right.*bits)),
                                      WordTable::Tone::error}});
    };
    add(QObject::tr("an A"), &LetterBits::a);
    add(QObject::tr("a B"), &LetterBits::b);
    add(QObject::tr("a letter on average"), &LetterBits::average);
    return content;
}

}  // namespace

Figure lettersFigure(double p) {
    Figure figure;
    figure.name = QStringLiteral("two-letters");
    figure.x = {QObject::tr("p(A)"), {}, false, 0, 1};
    figure.y = {QObject::tr("cost"), QObject::tr("bits"), false, 0, 7};
    FigureCurve a, b, average;
    for (int i = 0; i <= 196; ++i) {
        const double x = least + (most - least) * i / 196;
        const LetterBits bits = letter_bits(x);
        for (FigureCurve* curve : {&a, &b, &average}) curve->x.append(x);
        a.y.append(bits.a);
        b.y.append(bits.b);
        average.y.append(bits.average);
    }
    a.label = QObject::tr("an A");
    b.label = QObject::tr("a B");
    average.label = QObject::tr("average");
    int index = 0;
    for (FigureCurve* curve : {&a, &b, &average}) {
        curve->quantity = curve->label;
        curve->ink = Ink::data(index++);
        figure.curves.push_back(*curve);
    }
    // What the post prints, in the same order, where it prints it.
    const PrintedLetterBits printed = printed_letter_bits();
    index = 0;
    for (const double bits : {printed.bits.a, printed.bits.b, printed.bits.average}) {
        FigureCurve dot;
        dot.x = {printed.p_a};
        dot.y = {bits};
        dot.ink = Ink::data(index++);
        dot.shape = FigureCurve::Shape::points;
        dot.pointPt = 7;
        figure.curves.push_back(dot);
    }
    figure.note = QObject::tr("points: what the post prints at p(A) = %1").arg(printed.p_a);
    figure.verticalLines.push_back({p, QString::fromStdString(number_text(p)), {Ink::Kind::accent}, handle});
    const LetterBits bits = letter_bits(p);
    figure.summary =
        QObject::tr("Bits over p(A): at %1 an A costs %2, a B %3, a letter %4 on average.")
            .arg(QString::fromStdString(number_text(p)), bitsText(bits.a), bitsText(bits.b), bitsText(bits.average));
    return figure;
}

LettersView::LettersView(QWidget* parent)
    : QWidget(parent),
      m_slider(new NumberSlider({.label = tr("p(A)"),
                                 .minimum = least,
                                 .maximum = most,
                                 .step = 0.01,
                                 .text = [](double p) { return QString::fromStdString(fixed_text(p, 2)); },
                                 .why = tr("The probability of the letter A; B has the rest.")},
                                this)),
      m_table(new WordTable(this)),
      m_tableView(makeTableView(tr("Bits of two letters"), m_table, this)),
      m_words(new QLabel(this)),
      m_view(new FigureView(this)) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    auto* intro = new QLabel(tr("What a text costs in bits: a letter of probability p takes −log₂ p. A model that "
                                "knows p(A) of a text of A and B pays, on average, the entropy."),
                             this);
    intro->setProperty("quiet", true);
    for (QLabel* label : {intro, m_words}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
    }
    m_words->setAccessibleName(tr("What the letters cost"));
    column->addWidget(intro);
    column->addWidget(m_slider);
    column->addWidget(m_words);
    column->addWidget(m_tableView);
    column->addWidget(m_view, 1);
    connect(m_slider, &NumberSlider::changed, this, &LettersView::renew);
    connect(m_view, &FigureView::lineDragged, this,
            [this](const QString&, double at) { setProbability(std::clamp(std::round(at * 100) / 100, least, most)); });
    const auto fit = [this] { fitRows(m_tableView, 3); };
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, fit);
    setProbability(printed_letter_bits().p_a);
    fit();
}

void LettersView::setProbability(double p) {
    m_slider->setValue(p);
    renew();
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

QString LettersView::words() const {
    return m_words->text();
}

void LettersView::renew() {
    const double p = probability();
    const LetterBits bits = letter_bits(p);
    m_table->setContent(bitsTable(p));
    QString words =
        tr("At p(A) = %1 an A costs %2 bits, a B %3, and a letter %4 on average.")
            .arg(QString::fromStdString(number_text(p)), bitsText(bits.a), bitsText(bits.b), bitsText(bits.average));
    if (isPrinted(p)) {
        const LetterBits said = printed_letter_bits().bits;
        const auto number = [](double value) { return QString::fromStdString(number_text(value)); };
        words += QLatin1Char(' ') + tr("The post says %1 for an A, which is the mean, and %2 on average: a slip.")
                                        .arg(number(said.a), number(said.average));
    }
    m_words->setText(words);
    m_view->setFigure(figure());
    m_tableView->resizeColumnsToContents();
}

}  // namespace ropelab::ui
