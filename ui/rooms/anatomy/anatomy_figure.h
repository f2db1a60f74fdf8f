#pragma once

#include <QList>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/contract/named_tensor.h"
#include "core/report/anatomy_report.h"
#include "ui/controls/text_table.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/paint/formula.h"
#include "ui/figures/figure_entry.h"

namespace ropelab::ui {

struct AnatomyView {
    bool isFolded = false;  // a layer has one block for attention and one for its MLP
    QString picked = {};    // id of the picked stage; "" for none
};

/// A stage of one model, or the stages of two models side by side; null where a model has no such stage.
struct AlignedStage {
    const AnatomyStage* first = nullptr;
    const AnatomyStage* second = nullptr;
    QString id;  // as Anatomy::find() reads it

    const AnatomyStage& any() const { return first ? *first : *second; }
};
struct AlignedSection {
    const AnatomySection* first = nullptr;
    const AnatomySection* second = nullptr;  // null for one model
    std::vector<AlignedStage> stages;

    /// "Layer × 2"; "" outside the layers.
    QString title() const;
};
/// One or two models, which must outlive the result.
std::vector<AlignedSection> alignedSections(const std::vector<AnatomyModel>& models);

/// What the numbers of the stages are: sizes (with what their symbols mean, unless `isShort`), what is counted, and the
/// remarks of the first model.
QStringList anatomyNotes(const std::vector<AnatomyModel>& models, bool isShort = false);

/// The residual stream from tokens to logits: each stage is a block on the stream or in a branch of it, with bars for
/// its parameters, FLOPs and KV cache in all layers, and for measured times. Of two models, the second one has hollow
/// bars below those of the first, and what differs has the accent's colour.
class AnatomyPicture {
 public:
    AnatomyPicture(const std::vector<AnatomyModel>& models, AnatomyView view);

    /// In the painter's units; in a smaller rectangle, rows and text shrink.
    QSizeF size(const FigureStyle& style) const;
    /// On a page of this width, in the painter's units.
    double heightFor(double width, const FigureStyle& style) const;
    /// At which an export is readable.
    double heightMm() const;
    void paint(QPainter& painter, const QRectF& rect, const FigureStyle& style) const;
    /// The id of the stage at height `y`, "layer" for the frame of layers or a folded block, or "".
    QString stageAt(const QRectF& rect, const FigureStyle& style, double y) const;
    QRectF place(const QRectF& rect, const FigureStyle& style, const QString& id) const;
    /// The shown stages from top to bottom.
    QStringList ids() const;
    /// How often this picture and its copies, which share their last layout, were laid out.
    int layouts() const;

 private:
    static constexpr std::size_t kQuantities = 4;  // parameters, FLOPs, cache, time
    using Numbers = std::array<std::optional<double>, kQuantities>;
    struct Side {
        bool isThere = false;
        QString kind = {};
        Numbers numbers = {};  // of all layers together
        double inactive = 0;   // of the parameters, those of experts that a token is not routed to
    };
    struct Row {
        /// `title` is the head of a frame of layers, `aside` a table that the attention of all layers reads.
        enum class Place { title, stream, aside, attention, mlp, sum } place = Place::stream;
        QString id = {};
        QString name = {};
        std::int64_t layers = 1;  // in which the stage is
        std::array<Side, 2> sides = {};
        bool isLast = false;     // of its frame
        bool isBesides = false;  // a branch that the residual sum adds only after the next one (parallel blocks)
        double units = 1;
        double top = 0;  // in units, below the head
    };
    struct Layout;
    struct LastLayout;
    /// The last layout, if it was for the same place and sizes.
    Layout layoutIn(const QRectF& rect, const FigureStyle& style) const;
    Layout newLayout(const QRectF& rect, const FigureStyle& style) const;
    void addRow(const AlignedSection& section, const AlignedStage& stage);
    void foldBranches(std::size_t from);
    /// ": RMSNorm", after the name.
    /// "only Modern".
    QString onlyIn(const Row& row) const;
    QString kindOf(const Row& row) const;
    QString numberOf(const Row& row, std::size_t quantity) const;
    bool differs(const Row& row) const;
    std::size_t quantities() const { return m_hasTimes ? kQuantities : kQuantities - 1; }
    void paintHead(QPainter& painter, const Layout& layout, const FigureStyle& style) const;
    void paintFrames(QPainter& painter, const Layout& layout, const FigureStyle& style) const;
    void paintStream(QPainter& painter, const Layout& layout, const FigureStyle& style) const;
    void paintBlock(QPainter& painter, const Layout& layout, const Row& row, const FigureStyle& style) const;
    void paintBars(QPainter& painter, const Layout& layout, const Row& row, const FigureStyle& style) const;

    std::vector<Row> m_rows;
    double m_units = 0;  // of all rows
    std::array<Side, 2> m_totals = {};
    Numbers m_largest = {};
    QStringList m_names;  // of two models
    QStringList m_notes;
    QStringList m_screenNotes;  // without what the symbols mean
    bool m_hasTimes = false;
    QString m_picked;
    std::shared_ptr<LastLayout> m_last;
};

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

/// The settings that describe the model, also that of a run, as flags that withFlags() adds to others, none for a
/// published model; and what the figure names and shows.
FigureOrigin anatomyOrigin(const AnatomyModel& model, const AnatomyView& view);
/// anatomy, traditional-modern, anatomy-activation.
FigureEntries anatomyEntries();

/// Drawn as an AnatomyPicture; `picture` is that of these models.
Figure anatomyFigure(const std::vector<AnatomyModel>& models, const AnatomyView& view = {});
Figure anatomyFigure(const std::vector<AnatomyModel>& models, const AnatomyPicture& picture);
/// One row per stage and one for the totals, with the numbers of one layer; of two models side by side the differences
/// are marked. Cells where 0 means that the stage has none are blank.
struct StageTable {
    TextTable::Content content;
    QStringList ids;  // of the rows; "" for the totals
};
StageTable stageTable(const std::vector<AnatomyModel>& models);
/// With the layers, heads and width of `spec`.
std::vector<AnatomyModel> traditionalAndModern(const RunSpec& spec, std::int64_t vocabulary);

/// The formula of a stage, its shape in symbols and numbers, and the settings that change it. `why` says why nothing
/// else of the stage is shown; it may be empty. `isOfLayer`: its numbers are those of one of several equal layers.
Figure stageFigure(const AnatomyStage& stage, bool isOfLayer, const QString& why = {});
/// A heat map of at most 96 × 96 cells, which show means of neighbouring weights, with a colour scale that is symmetric
/// around 0. A vector is one row; matrices of experts are below each other. Without a tensor, the figure says `why`.
Figure weightsFigure(const std::optional<NamedTensor>& tensor, const QString& why);

}  // namespace ropelab::ui
