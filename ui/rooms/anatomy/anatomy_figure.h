#pragma once

#include <QList>
#include <QString>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/spec/named_tensor.h"
#include "ui/controls/text_table.h"
#include "ui/figure/paint/formula.h"
#include "ui/figures/figure_entry.h"
#include "ui/rooms/anatomy/anatomy_picture.h"

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

/// anatomy, traditional-modern, anatomy-activation.
FigureEntries anatomyEntries();

/// Drawn as an AnatomyPicture.
Figure anatomyFigure(const std::vector<AnatomyModel>& models, const AnatomyView& view = {});
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
