#pragma once

#include <QString>
#include <QWidget>
#include <functional>
#include <optional>

#include "ui/figure/compared_figure.h"
#include "ui/plot/figure_view.h"
#include "ui/session/rotary_model.h"

class QLabel;
class QMenu;
class QPushButton;
class QToolButton;

namespace ropelab::ui {

/// The edited one of two compared setups, which is the only one without a comparison, or the other one.
enum class Side { edited, other };

/// What belongs to each of two compared setups.
template <typename T>
struct BothSides {
    T edited;
    T other;

    T& of(Side side) { return side == Side::edited ? edited : other; }
    const T& of(Side side) const { return side == Side::edited ? edited : other; }
};

// Figures, texts and readouts that show two rotary setups, A and B.

ComparedNames comparedNames(const ShapedSetup& a, const ShapedSetup& b, bool editsB = false);

/// The setting "setup" is the line of text of both setups.
Figure comparedFigure(const Figure& figureA, const Figure& figureB, const ShapedSetup& a, const ShapedSetup& b,
                      bool editsB = false);

/// "A 4,711 · B 85,133".
QString letteredValues(const QString& a, const QString& b);
/// "A: …" and "B: …" in lines of their own. Equal texts are returned once.
QString letteredSentences(const QString& a, const QString& b);
/// "longest wavelength: B / A = 39.8"; "" if the quotient is not finite.
QString quotientText(const QString& quantity, double a, double b);

/// Rows of the same label have both values. The place of the crosshair is that of `a`, or of `b` if `a` is empty.
std::optional<FigureView::Readout> letteredReadout(const std::optional<FigureView::Readout>& a,
                                                   const std::optional<FigureView::Readout>& b);

/// Chooses the edited setup, exchanges A and B, and ends the comparison. Also makes the menu that begins one.
class ComparisonBar : public QWidget {
    Q_OBJECT

 public:
    explicit ComparisonBar(RotaryModel& model, QWidget* parent = nullptr);

    /// Compares with previous setups, the setup of the clipboard or a known model.
    QPushButton* makeButton(QWidget* parent);
    void fill(QMenu& menu);

    QToolButton* choiceA() const { return m_a; }
    QToolButton* choiceB() const { return m_b; }
    QPushButton* swap() const { return m_swap; }
    QPushButton* end() const { return m_end; }
    /// "A: θ = 10k" and "B: θ = 500k" in two lines.
    QLabel* names() const { return m_names; }

 signals:
    void problem(const QString& sentence);

 private:
    void renew();
    void compareWithClipboard();

    RotaryModel& m_model;
    QLabel* m_names;
    QToolButton* m_a;
    QToolButton* m_b;
    QPushButton* m_swap;
    QPushButton* m_end;
};

}  // namespace ropelab::ui
