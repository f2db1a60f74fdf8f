#pragma once

#include <QList>
#include <QString>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/report/anatomy_report.h"
#include "core/spec/named_tensor.h"
#include "ui/figure/formula.h"
#include "ui/figures/figure_entry.h"

namespace ropelab::ui {

/// `numbers` are row-major. The map has at most 96 × 96 cells, which show means of neighbouring numbers, on a scale
/// that is symmetric around 0. Numbers that are not finite are left out of the means; a cell without others is blank.
FigureMap numberMap(std::span<const float> numbers, std::int64_t rows, std::int64_t columns, const QString& label);

/// Row 0 is at the top.
void setMatrixAxes(Figure& figure, std::int64_t rows, std::int64_t columns);

/// Parses AnatomyStage::formula. "_" begins an index and "^" an exponent, which are a word, or the text in braces that
/// follows. Single letters are symbols; all else is upright text.
Formula stageFormula(const QString& text);

/// Figures of one model's stages, and of the traditional and the modern decoder side by side.
inline constexpr const char* kAnatomyFigure = "anatomy";
inline constexpr const char* kComparedAnatomyFigure = "traditional-modern";

struct AnatomyView {
    bool isFolded = false;  // the stages of the layers are hidden
    QString picked;         // id of the picked stage; "" for none
};

/// One line per stage, with the residual stream at the left; of two models side by side the differences are marked. A
/// model whose stages were timed has a column of times.
class AnatomyListing {
 public:
    /// One or two models.
    AnatomyListing(const std::vector<AnatomyModel>& models, const AnatomyView& view);

    /// In the painter's units; at this size nothing is shortened.
    QSizeF size(const FigureStyle& style) const;
    /// In a narrower rectangle, the text is smaller.
    void paint(QPainter& painter, const QRectF& rect, const FigureStyle& style) const;
    /// The id of the stage at height `y`, "layer" for a heading of layers, or "".
    QString stageAt(const QRectF& rect, const FigureStyle& style, double y) const;
    QRectF place(const QRectF& rect, const FigureStyle& style, const QString& id) const;
    std::size_t lineCount() const { return m_lines.size(); }
    /// The shown stages from top to bottom, as Anatomy::find() reads them.
    QStringList ids() const;

 private:
    struct Line {
        enum class Kind { head, section, stage, total, note } kind = Kind::stage;
        QString id = {};
        QStringList cells = {};
        QList<bool> differs = {};  // one per cell
        enum class Stream { none, through, begin, branch, end } stream = Stream::none;
    };
    void addStage(const AnatomyStage* first, const AnatomyStage* second);
    void addTotals(const std::vector<AnatomyModel>& models);
    QList<double> widths(const FigureStyle& style, double points) const;
    double scaleFor(const QRectF& rect, const FigureStyle& style) const;
    void paintStream(QPainter& painter, const Line& line, const QRectF& place, const FigureStyle& style) const;

    std::vector<Line> m_lines;
    bool m_isPair = false;
    bool m_hasTimes = false;
    bool m_isInBranch = false;  // while the lines are made
    QString m_picked;
};

/// anatomy, traditional-modern, anatomy-activation.
FigureEntries anatomyEntries();

Figure anatomyFigure(const std::vector<AnatomyModel>& models, const AnatomyView& view = {});
/// With the layers, heads and width of `spec`.
std::vector<AnatomyModel> traditionalAndModern(const RunSpec& spec, std::int64_t vocabulary);

/// The formula of a stage, its shape in symbols and numbers, and the settings that change it.
Figure stageFigure(const AnatomyStage& stage);
/// A heat map of at most 96 × 96 cells, which show means of neighbouring weights, with a colour scale that is symmetric
/// around 0. A vector is one row; matrices of experts are below each other. Without a tensor, the figure says `why`.
Figure weightsFigure(const std::optional<NamedTensor>& tensor, const QString& why);

}  // namespace ropelab::ui
