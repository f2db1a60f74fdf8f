#pragma once

#include <QPointF>
#include <QString>
#include <utility>
#include <vector>

#include "ui/figure/figure_style.h"

class QPainter;

namespace ropelab::ui {

/// Painted with roots, fractions and indices, or written as Unicode text and as LaTeX for math mode.
class Formula {
 public:
    /// Upright: numbers, signs and names of functions.
    static Formula text(const QString& text) { return {Kind::text, text, {}}; }
    static Formula symbol(const QString& letter) { return {Kind::symbol, letter, {}}; }
    static Formula row(std::vector<Formula> parts) { return {Kind::row, {}, std::move(parts)}; }
    static Formula subscript(Formula base, Formula index) {
        return {Kind::subscript, {}, {std::move(base), std::move(index)}};
    }
    static Formula superscript(Formula base, Formula exponent) {
        return {Kind::superscript, {}, {std::move(base), std::move(exponent)}};
    }
    static Formula fraction(Formula above, Formula below) {
        return {Kind::fraction, {}, {std::move(above), std::move(below)}};
    }
    static Formula root(Formula content) { return {Kind::root, {}, {std::move(content)}}; }

    /// "‖qᵢ‖ ‖kᵢ‖ cos(φ + (m − n)ωᵢ)".
    QString unicode() const;
    /// Without dollar signs.
    QString latex() const;

    /// Relative to the base line, in the painter's units.
    struct Extent {
        double width = 0;
        double ascent = 0;
        double descent = 0;
        double height() const { return ascent + descent; }
    };
    Extent extent(const FigureStyle& style, double points) const;
    /// Uses the painter's pen; `base` is the left end of the base line.
    void paint(QPainter& painter, const QPointF& base, const FigureStyle& style, double points) const;

 private:
    enum class Kind { text, symbol, row, subscript, superscript, fraction, root };
    Formula(Kind kind, QString text, std::vector<Formula> parts)
        : m_kind(kind), m_text(std::move(text)), m_parts(std::move(parts)) {}
    QFont fontOf(const FigureStyle& style, double points) const;

    Kind m_kind;
    QString m_text;
    std::vector<Formula> m_parts;
};

}  // namespace ropelab::ui
