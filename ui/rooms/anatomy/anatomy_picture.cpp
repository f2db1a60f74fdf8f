#include "ui/rooms/anatomy/anatomy_figure.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <tuple>
#include <utility>

#include "core/contract/anatomy_times.h"
#include "ui/common/format.h"
#include "ui/common/text.h"
#include "ui/figure/paint/figure_head.h"
#include "ui/figure/text_metrics.h"
#include "ui/shell/symbols.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// Lengths in points at the size of the text.
constexpr double kRowPt = 14.5;
constexpr double kLargestFactor = 1.6;  // of the text of a large picture
constexpr double kWidthPt = 700;        // of a picture whose text grows, so that the bars keep their space
constexpr double kTallestRowPt = 30;
constexpr double kPagePt = 630;        // height of a page of 9 inches without the edges of the figure
constexpr double kStreamPt = 12;       // x of the residual stream
constexpr double kReturnPt = 20;       // x of the way back of a branch beside another one
constexpr double kSharedPt = 25;       // x of the way from a shared norm to the second branch
constexpr double kBranchPt = 31;       // left edge of the blocks of a branch
constexpr double kChainPt = 10;        // from there to the line that joins the blocks
constexpr double kPaddingPt = 6;       // between the edge of a block and its text
constexpr double kGapPt = 12;          // between columns
constexpr double kShortestBarPt = 24;  // of the longest bar
// On a narrow page, numbers of two models, titles and kinds have lines of their own.
constexpr double kCompactRow = 1.65;  // height of a row relative to the usual one
constexpr double kCompactGapPt = 3;
constexpr double kCompactBarPt = 4;
constexpr double kRadiusPt = 4;
// In units, which are the height of a stage's row.
constexpr double kHeadUnits = 2.2;
constexpr double kTitleUnits = 1.15;
constexpr double kSumUnits = 0.75;
constexpr double kFrameUnits = 0.4;  // below the last row of a frame
constexpr double kBlockUnits = 0.84;
constexpr double kRowMm = 4.3;

/// "1,240", "12,288", "525M"; at most four digits from a million on.
QString shortNumber(double number, QLatin1StringView billion) {
    const auto scaled = [number](double by, QLatin1StringView suffix) {
        return QString::number(number / by, 'f', number / by < 9.995 ? 2 : number / by < 99.95 ? 1 : 0) + suffix;
    };
    if (number >= 999.5e9) return scaled(1e12, "T"_L1);
    if (number >= 999.5e6) return scaled(1e9, billion);
    if (number >= 999'500) return scaled(1e6, "M"_L1);
    return groupedText(std::llround(number));
}

QString numberText(const std::optional<double>& number, std::size_t quantity) {
    if (!number) return u"unknown"_s;
    if (*number == 0) return {};
    if (quantity == 3) return text(milliseconds_text(*number));
    return shortNumber(*number, quantity == 0 ? "B"_L1 : "G"_L1);
}

QStringList linesOf(const QStringList& sentences, const TextMetrics& metrics, double width) {
    QStringList lines;
    for (const QString& sentence : sentences) {
        lines << wrapped(sentence, metrics, width, std::numeric_limits<int>::max());
    }
    return lines;
}

std::optional<double> timesLayers(const std::optional<double>& number, std::int64_t layers) {
    return number ? std::optional(*number * static_cast<double>(layers)) : std::nullopt;
}

std::optional<double> realNumber(const std::optional<std::int64_t>& number) {
    return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

/// With what each symbol means, unless it must be `isShort`. `other`, if any, has a line of its own: only the sizes
/// that differ from it.
QString sizesLine(const Anatomy& anatomy, const Anatomy* other, bool isShort) {
    QStringList parts;
    for (const AnatomySize& size : anatomy.sizes) {
        const auto isSame = [&](const AnatomySize& each) {
            return each.symbol == size.symbol && each.value == size.value;
        };
        if (other && std::any_of(other->sizes.begin(), other->sizes.end(), isSame)) continue;
        const QString symbol = symbolsAsUnicode(text(size.symbol));
        parts << u"%1 = %2"_s.arg(isShort ? symbol : text(size.meaning) + u' ' + symbol,
                                  text(known_number(size.value)));
    }
    return parts.isEmpty() ? u"the same sizes"_s : parts.join(u", "_s);
}

QColor withOpacity(QColor color, double opacity) {
    color.setAlphaF(static_cast<float>(opacity));
    return color;
}

}  // namespace

QString AlignedSection::title() const {
    if (first->layers.empty()) return {};
    return u"%1 × %2"_s.arg(text(first->title)).arg(first->repeats());
}

std::vector<AlignedSection> alignedSections(const std::vector<AnatomyModel>& models) {
    std::vector<AlignedSection> result;
    QStringList ids;
    const auto& sections = models.front().anatomy.sections;
    const bool isPair = models.size() > 1;
    const std::size_t count = std::min(sections.size(), models.back().anatomy.sections.size());
    for (std::size_t i = 0; i < count; ++i) {
        AlignedSection aligned{&sections[i], isPair ? &models.back().anatomy.sections[i] : nullptr, {}};
        const auto add = [&](const AnatomyStage* a, const AnatomyStage* b) {
            const QString id = text((a ? a : b)->id);
            // Stages of a second kind of layer have the names of Anatomy::find().
            const auto same = ids.count(id);
            ids << id;
            aligned.stages.push_back({a, b, same == 0 ? id : id + u"#%1"_s.arg(same + 1)});
        };
        if (!isPair) {
            for (const AnatomyStage& stage : sections[i].stages) add(&stage, nullptr);
        } else {  // stages with the same id are side by side
            const Stages& others = aligned.second->stages;
            auto next = others.begin();
            for (const AnatomyStage& stage : sections[i].stages) {
                const auto same =
                    std::find_if(next, others.end(), [&](const auto& each) { return each.id == stage.id; });
                if (same == others.end()) {
                    add(&stage, nullptr);
                    continue;
                }
                for (; next != same; ++next) add(nullptr, &*next);
                add(&stage, &*next++);
            }
            for (; next != others.end(); ++next) add(nullptr, &*next);
        }
        result.push_back(std::move(aligned));
    }
    return result;
}

QStringList anatomyNotes(const std::vector<AnatomyModel>& models, bool isShort) {
    const AnatomyModel& first = models.front();
    QStringList notes;
    for (const AnatomyModel& model : models) {
        const QString sizes = sizesLine(model.anatomy, &model == &first ? nullptr : &first.anatomy, isShort);
        notes << u"%1: %2."_s.arg(models.size() > 1 ? text(model.name) : u"Sizes"_s, sizes);
    }
    const bool hasGaps =
        !isShort && models.size() == 1 &&
        std::ranges::any_of(first.anatomy.sections, [](const auto& section) { return section.layers.size() > 1; });
    if (hasGaps) notes << u"Bars: gaps separate the layers."_s;
    notes << u"FLOPs: matrix products of a forward pass with masked attention; norms, softmax and sums are "
             "not counted."_s;
    if (models.size() == 1 && !first.anatomy.times.empty()) notes += texts(times_remarks(first.anatomy));
    return notes + texts(first.anatomy.remarks);
}

struct AnatomyPicture::Layout {
    QRectF rect;
    double points = 0;  // of the text
    double scale = 0;   // painter's units per point at this size
    double unit = 0;
    double top = 0;  // of the first row
    double blockRight = 0;
    bool isCompact = false;
    struct Column {
        double left;
        double bar;  // length of the longest bar
    };
    QList<Column> columns;
    QStringList notes;
    double noteHeight = 0;  // of a line

    /// Height of a row that the text needs.
    double neededUnit() const { return scale * kRowPt * (isCompact ? kCompactRow : 1); }
    /// "KV cache, bytes/token" and "256 → 128" in two lines that are as equal as possible, if the layout is compact.
    QString broken(const QString& words) const {
        if (!isCompact) return words;
        if (const qsizetype arrow = words.indexOf(QChar(0x2192)); arrow > 0) {
            return words.left(arrow - 1) + QLatin1Char('\n') + words.mid(arrow);
        }
        QString best = words;
        qsizetype longest = words.size();
        for (qsizetype i = 1; i < words.size(); ++i) {
            const bool isSpace = words[i - 1] == QLatin1Char(' ');
            if ((!isSpace && words[i - 1] != QLatin1Char('/')) || std::max(i, words.size() - i) >= longest) continue;
            longest = std::max(i, words.size() - i);
            best = words.left(isSpace ? i - 1 : i) + QLatin1Char('\n') + words.mid(i);
        }
        return best;
    }

    double x(double fromLeft) const { return rect.left() + fromLeft * scale; }
    QRectF rowRect(const Row& row) const { return {rect.left(), top + row.top * unit, rect.width(), row.units * unit}; }
    QRectF block(const Row& row) const {
        const bool isOnStream = row.place == Row::Place::stream;
        const QRectF all = rowRect(row);
        const double height = kBlockUnits * unit;
        const double left = x(isOnStream ? 2 : kBranchPt);
        return {left, all.center().y() - height / 2, blockRight - left, height};
    }
};

// Figures are also painted in background threads.
struct AnatomyPicture::LastLayout {
    using Key = std::tuple<QRectF, bool, double, double>;  // place, onScreen, tickPt and unit of the style
    std::mutex mutex = {};
    std::optional<std::pair<Key, Layout>> known = {};
    int count = 0;
};

AnatomyPicture::AnatomyPicture(const std::vector<AnatomyModel>& models, AnatomyView view)
    : m_notes(anatomyNotes(models)),
      m_screenNotes(anatomyNotes(models, true)),
      m_hasTimes(models.size() == 1 && !models.front().anatomy.times.empty()),
      m_picked(std::move(view.picked)),
      m_last(std::make_shared<LastLayout>()) {
    for (std::size_t i = 0; i < models.size(); ++i) {
        const AnatomyTotals totals = models[i].anatomy.totals();
        m_totals[i] = {.isThere = true,
                       .numbers = {realNumber(totals.parameters), totals.operations,
                                   realNumber(totals.cache_bytes_per_token), totals.seconds}};
        if (models.size() > 1) m_names << text(models[i].name);
    }
    for (const AlignedSection& section : alignedSections(models)) {
        const std::size_t from = m_rows.size();
        const QString title = section.title();
        if (!title.isEmpty()) {
            m_rows.push_back({.place = Row::Place::title, .id = u"layer"_s, .name = title, .units = kTitleUnits});
        }
        for (const AlignedStage& stage : section.stages) addRow(section, stage);
        if (title.isEmpty()) continue;
        const auto begin = m_rows.begin() + static_cast<std::ptrdiff_t>(from);
        const bool isSequential =
            std::any_of(begin, m_rows.end(), [](const Row& row) { return row.id.startsWith("attention.sum"_L1); });
        for (auto row = begin; row != m_rows.end(); ++row) {
            row->isBesides = row->place == Row::Place::attention && !isSequential;
        }
        if (view.isFolded) foldBranches(from);
        m_rows.back().isLast = true;
    }
    for (Row& row : m_rows) {
        row.top = m_units;
        m_units += row.units + (row.isLast ? kFrameUnits : 0);
        for (const Side& side : row.sides) {
            for (std::size_t i = 0; i < kQuantities; ++i) {
                m_largest[i] = std::max(m_largest[i].value_or(0), side.numbers[i].value_or(0));
            }
        }
    }
}

void AnatomyPicture::addRow(const AlignedSection& section, const AlignedStage& stage) {
    using Place = Row::Place;
    const std::string& id = stage.any().id;
    Row row{.id = stage.id, .name = text(stage.any().name), .layers = section.first->repeats()};
    if (id.ends_with(".sum")) {
        row.place = Place::sum;
        row.units = kSumUnits;
    } else if (id == "distances") {
        row.place = Place::aside;
    } else if (!id.ends_with("_post_norm")) {
        row.place = id.starts_with("attention") ? Place::attention : id.starts_with("mlp") ? Place::mlp : Place::stream;
    }
    const std::array<const AnatomyStage*, 2> stages = {stage.first, stage.second};
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const AnatomyStage* each = stages[i];
        if (!each) continue;
        const auto all = [&](const auto& number) { return timesLayers(number, row.layers); };
        row.sides[i] = {.isThere = true,
                        .kind = text(each->kind),
                        .numbers = {all(realNumber(each->parameters)), all(each->operations),
                                    all(realNumber(each->cache_bytes_per_token)), all(each->seconds)},
                        .inactive = static_cast<double>(each->inactive_parameters * row.layers)};
        if (!m_hasTimes || !each->seconds) row.sides[i].numbers[3] = 0;  // contained in that of another stage
    }
    m_rows.push_back(std::move(row));
}

void AnatomyPicture::foldBranches(std::size_t from) {
    std::vector<Row> folded;
    for (std::size_t i = from; i < m_rows.size(); ++i) {
        Row& row = m_rows[i];
        const bool isBranch = row.place == Row::Place::attention || row.place == Row::Place::mlp;
        row.id = u"layer"_s;
        if (!isBranch || folded.back().place != row.place) {
            if (isBranch) {
                row.name = row.place == Row::Place::mlp ? u"MLP"_s : u"Attention"_s;
                for (Side& side : row.sides) side.kind.clear();
            }
            folded.push_back(std::move(row));
            continue;
        }
        for (std::size_t side = 0; side < row.sides.size(); ++side) {
            Side& sum = folded.back().sides[side];
            sum.isThere = sum.isThere || row.sides[side].isThere;
            sum.inactive += row.sides[side].inactive;
            for (std::size_t k = 0; k < kQuantities; ++k) {
                const std::optional<double>& number = row.sides[side].numbers[k];
                if (!row.sides[side].isThere) continue;
                sum.numbers[k] = number && sum.numbers[k] ? std::optional(*sum.numbers[k] + *number) : std::nullopt;
            }
        }
    }
    m_rows.resize(from);
    std::move(folded.begin(), folded.end(), std::back_inserter(m_rows));
}

bool AnatomyPicture::differs(const Row& row) const {
    const auto& [a, b] = row.sides;
    return m_names.size() > 1 && (a.isThere != b.isThere || a.kind != b.kind || a.numbers != b.numbers);
}

QString AnatomyPicture::onlyIn(const Row& row) const {
    return u"only %1"_s.arg((row.sides[0].isThere ? m_names.front() : m_names.back()).section(u" ("_s, 0, 0));
}

QString AnatomyPicture::kindOf(const Row& row) const {
    const auto& [a, b] = row.sides;
    QString kind = a.isThere ? a.kind : b.kind;
    if (m_names.size() > 1 && row.place != Row::Place::title) {
        if (a.isThere != b.isThere) {
            kind = onlyIn(row);
        } else if (a.kind != b.kind) {
            kind = u"%1 → %2"_s.arg(a.kind.isEmpty() ? u"plain"_s : a.kind, b.kind.isEmpty() ? u"plain"_s : b.kind);
        }
    }
    return kind.isEmpty() ? kind : u": "_s + kind;
}

QString AnatomyPicture::numberOf(const Row& row, std::size_t quantity) const {
    if (row.place == Row::Place::title) return {};
    const auto number = [&](const Side& side) {
        return side.isThere ? numberText(side.numbers[quantity], quantity) : QString();
    };
    const QString a = number(row.sides[0]);
    const QString b = number(row.sides[1]);
    // A name that leaves no space for its kind often has no numbers, whose place is free.
    const bool isOneSided = row.sides[0].isThere != row.sides[1].isThere;
    if (m_names.size() > 1 && quantity == 0 && isOneSided && a.isEmpty() && b.isEmpty()) return onlyIn(row);
    if (m_names.size() < 2 || a == b) return a;
    const auto shown = [](const QString& each) { return each.isEmpty() ? u"0"_s : each; };
    return u"%1 → %2"_s.arg(shown(a), shown(b));
}

AnatomyPicture::Layout AnatomyPicture::layoutIn(const QRectF& rect, const FigureStyle& style) const {
    const LastLayout::Key key(rect, style.onScreen, style.tickPt, style.unit);
    const std::scoped_lock lock(m_last->mutex);
    if (!m_last->known || m_last->known->first != key) {
        m_last->known.emplace(key, newLayout(rect, style));
        ++m_last->count;
    }
    return m_last->known->second;
}

int AnatomyPicture::layouts() const {
    const std::scoped_lock lock(m_last->mutex);
    return m_last->count;
}

namespace {

const std::array<QString, 4>& quantityTitles() {
    static const std::array<QString, 4> titles = {u"parameters"_s, u"FLOPs/token"_s, u"KV cache, bytes/token"_s,
                                                  u"ms/pass"_s};
    return titles;
}

QFont boldFont(const FigureStyle& style, double points) {
    QFont font = style.font(points);
    font.setWeight(QFont::DemiBold);
    return font;
}

}  // namespace

AnatomyPicture::Layout AnatomyPicture::newLayout(const QRectF& rect, const FigureStyle& style) const {
    Layout layout;
    layout.rect = rect;
    Row totals{.sides = m_totals};
    const auto widthOf = [&layout](const TextMetrics& metrics, const QString& words) {
        double width = 0;
        for (const QString& line : layout.broken(words).split(QLatin1Char('\n'))) {
            width = std::max(width, metrics.horizontalAdvance(line));
        }
        return width;
    };
    // The text of a large picture grows; then it shrinks until the rows and the columns fit, on paper not below the
    // smallest size, if a compact layout fits with that.
    constexpr double smallest = 0.3;
    constexpr double step = 0.05;
    const double least = style.onScreen ? smallest : std::min(1.0, FigureStyle::kLeastPt / style.tickPt);
    std::vector<std::pair<double, bool>> tries;  // factor of the text, and whether the layout is compact
    for (double factor = kLargestFactor; factor > 1.01; factor -= 2 * step) {
        if (rect.width() >= factor * style.units(kWidthPt)) tries.emplace_back(factor, false);
    }
    for (const bool isCompact : {false, true}) {
        if (isCompact && style.onScreen) break;
        for (double factor = 1; factor > least; factor -= step) tries.emplace_back(factor, isCompact);
        tries.emplace_back(least, isCompact);
    }
    for (double factor = least - step; factor > smallest; factor -= step) tries.emplace_back(factor, true);
    for (const auto& [factor, isCompact] : tries) {
        layout.isCompact = isCompact;
        layout.points = factor * style.tickPt;
        layout.scale = factor * style.unit;
        const double gap = (isCompact ? kCompactGapPt : kGapPt) * layout.scale;
        const TextMetrics metrics(style.font(layout.points));
        const TextMetrics bold(boldFont(style, layout.points));
        layout.notes = linesOf(style.onScreen ? m_screenNotes : m_notes, metrics, rect.width());
        layout.noteHeight = 1.15 * metrics.height();
        const double notes = layout.noteHeight * (static_cast<double>(layout.notes.size()) + 0.4);
        layout.unit = std::min((rect.height() - notes) / (m_units + kHeadUnits), style.units(kTallestRowPt));
        if (layout.unit < 0.93 * layout.neededUnit()) continue;
        QList<double> numbers;
        double columns = 0;
        for (std::size_t i = 0; i < quantities(); ++i) {
            double widest = 0;
            for (const Row& row : m_rows) widest = std::max(widest, widthOf(metrics, numberOf(row, i)));
            numbers << widest + (isCompact ? 2 : 4) * layout.scale;
            const double head = std::max(widthOf(metrics, quantityTitles()[i]), widthOf(bold, numberOf(totals, i)));
            const double bar = (isCompact ? kCompactBarPt : kShortestBarPt) * layout.scale;
            const double width = std::max(head, numbers.back() + bar);
            layout.columns.resize(static_cast<qsizetype>(i) + 1);
            layout.columns.back().bar = width - numbers.back();
            columns += width + gap;
        }
        // The title of layers can have a second line.
        const auto nameWidth = [&](const Row& row) {
            const bool isBroken = isCompact && row.place == Row::Place::title;
            return isBroken ? widthOf(bold, row.name) : metrics.horizontalAdvance(row.name);
        };
        double whole = 0;  // width of the longest label
        for (const bool isShort : {false, true}) {
            double label = 0;
            for (const Row& row : m_rows)
                label = std::max(
                    label, isShort ? std::max(nameWidth(row), isCompact ? metrics.horizontalAdvance(kindOf(row)) : 0)
                                   : nameWidth(row) + metrics.horizontalAdvance(kindOf(row)));
            whole = std::max(whole, label);
            layout.blockRight = layout.x(kBranchPt + (isCompact ? 1.25 : 2) * kPaddingPt) + label;
            double rest = rect.right() - layout.blockRight - columns;
            if (rest < 0) continue;
            // Where not all kinds have space, the blocks take what the bars can spare.
            const double wider = isShort ? std::min(0.7 * rest, whole - label) : 0;
            layout.blockRight += wider;
            rest -= wider;
            double left = layout.blockRight + gap;
            for (qsizetype i = 0; i < layout.columns.size(); ++i) {
                layout.columns[i].left = left;
                layout.columns[i].bar += rest / static_cast<double>(layout.columns.size());
                left += layout.columns[i].bar + numbers[i] + gap;
            }
            layout.top = rect.top() + kHeadUnits * layout.unit;
            return layout;
        }
    }
    layout.top = rect.top() + kHeadUnits * layout.unit;
    return layout;
}

QSizeF AnatomyPicture::size(const FigureStyle& style) const {
    const TextMetrics metrics(style.font(style.tickPt));
    double label = 0;
    for (const Row& row : m_rows) label = std::max(label, metrics.horizontalAdvance(row.name + kindOf(row)));
    const double columns = style.units(58) * static_cast<double>(quantities());
    const double width = std::min(style.units(kBranchPt + 2 * kPaddingPt) + label + columns, style.units(540));
    const double lines =
        0.4 + static_cast<double>(linesOf(style.onScreen ? m_screenNotes : m_notes, metrics, width).size());
    return {width, style.units(kRowPt) * (m_units + kHeadUnits) + lines * 1.15 * metrics.height()};
}

double AnatomyPicture::heightFor(double width, const FigureStyle& style) const {
    const auto heightOf = [this](const Layout& layout) {
        const auto lines = static_cast<double>(layout.notes.size()) + 0.4;
        return layout.neededUnit() * (m_units + kHeadUnits) + lines * layout.noteHeight;
    };
    const double page = style.units(kPagePt);
    const Layout layout = layoutIn(QRectF(0, 0, width, style.units(kTallestRowPt) * 2 * (m_units + kHeadUnits)), style);
    if (style.onScreen || heightOf(layout) <= page) return heightOf(layout);
    // Smaller text, if its smallest size lets all rows have space on one page.
    const Layout fitted = layoutIn(QRectF(0, 0, width, page), style);
    return fitted.points < FigureStyle::kLeastPt - 0.01 ? heightOf(layout) : std::min(page, heightOf(fitted));
}

double AnatomyPicture::heightMm() const {
    constexpr double kNoteLetters = 70;  // per line at a width of 120 mm
    double lines = 1;
    for (const QString& note : m_notes) lines += std::ceil(static_cast<double>(note.size()) / kNoteLetters);
    return kRowMm * (m_units + kHeadUnits) + 3.6 * lines;
}

void AnatomyPicture::paintHead(QPainter& painter, const Layout& layout, const FigureStyle& style) const {
    const double line = 0.95 * layout.unit;
    const Row totals{.sides = m_totals};
    const QFont font = style.font(layout.points);
    const QFont bold = boldFont(style, layout.points);
    const auto write = [&](double left, int row, const QString& words, const QColor& color, const QFont& how) {
        painter.setFont(how);
        painter.setPen(color);
        painter.drawText(QRectF(left, layout.rect.top() + row * line, 1, line),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, words);
    };
    write(layout.x(2), 1, u"Total of all layers"_s, style.theme.quietText, font);
    for (std::size_t i = 0; i < quantities(); ++i) {
        const double left = layout.columns[static_cast<qsizetype>(i)].left;
        write(left, 0, layout.broken(quantityTitles()[i]), style.theme.quietText, font);
        write(left, 1, layout.broken(numberOf(totals, i)), style.theme.text, bold);
    }
    double left = layout.x(2);
    if (layout.isCompact && m_names.size() > 1)
        return write(left, 0, m_names.join(u" → "_s), style.theme.text, font);  // there are no bars
    for (qsizetype i = 0; i < m_names.size(); ++i) {
        const QRectF swatch(left, layout.rect.top() + 0.36 * line, 14 * layout.scale, 0.34 * line);
        painter.setPen(QPen(style.theme.quietText, style.units(style.hairPt), i == 0 ? Qt::SolidLine : Qt::DashLine));
        painter.setBrush(i == 0 ? QBrush(style.theme.quietText) : QBrush(Qt::NoBrush));
        painter.drawRect(swatch);
        write(swatch.right() + 4 * layout.scale, 0, m_names[i], style.theme.text, font);
        left = swatch.right() + 16 * layout.scale + TextMetrics(font).horizontalAdvance(m_names[i]);
    }
}

void AnatomyPicture::paintFrames(QPainter& painter, const Layout& layout, const FigureStyle& style) const {
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (m_rows[i].place != Row::Place::title) continue;
        const auto last = std::find_if(m_rows.begin() + static_cast<std::ptrdiff_t>(i), m_rows.end(),
                                       [](const Row& row) { return row.isLast; });
        const QRectF head = layout.rowRect(m_rows[i]);
        const double bottom = layout.rowRect(*last).bottom() + 0.6 * kFrameUnits * layout.unit;
        const QRectF frame(QPointF(layout.x(0), head.top() + 0.08 * layout.unit),
                           QPointF(layout.blockRight + (layout.isCompact ? 1 : 4) * layout.scale, bottom));
        const double radius = kRadiusPt * layout.scale;
        painter.setPen(QPen(style.theme.hairline, style.units(style.hairPt)));
        // Sheets behind the frame stand for the other layers.
        for (int sheet = m_rows[i + 1].layers > 1 ? 2 : 0; sheet >= 0; --sheet) {
            const double by = (layout.isCompact ? 0.75 : 2) * sheet * layout.scale;
            painter.setBrush(style.theme.paper);
            painter.drawRoundedRect(frame.translated(by, by), radius, radius);
        }
        painter.setBrush(withOpacity(style.theme.hairline, 0.25));
        painter.drawRoundedRect(frame, radius, radius);
        painter.setFont(boldFont(style, layout.points));
        painter.setPen(style.theme.text);
        const double left = layout.x(kBranchPt);
        const double width = (layout.isCompact ? layout.blockRight : head.right()) - left;
        painter.drawText(QRectF(left, head.top(), width, head.height()),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip | Qt::TextWordWrap, m_rows[i].name);
    }
}

void AnatomyPicture::paintStream(QPainter& painter, const Layout& layout, const FigureStyle& style) const {
    using Place = Row::Place;
    const double stream = layout.x(kStreamPt);
    const double chain = layout.x(kBranchPt + kChainPt);
    const QPen streamPen(style.theme.accent, 1.6 * style.units(style.pickedPt));
    const QPen branchPen(style.theme.quietText, style.units(style.linePt));
    painter.setPen(streamPen);
    painter.drawLine(QPointF(stream, layout.block(m_rows.front()).center().y()),
                     QPointF(stream, layout.block(m_rows.back()).center().y()));
    std::optional<double> shared;   // y below the norm that both branches read
    std::optional<double> besides;  // y at which a branch beside another one leaves its last block
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Row& row = m_rows[i];
        const QRectF block = layout.block(row);
        const double middle = block.center().y();
        const Row* before = i > 0 ? &m_rows[i - 1] : nullptr;
        const Row* next = i + 1 < m_rows.size() ? &m_rows[i + 1] : nullptr;
        painter.setPen(branchPen);
        if (row.place == Place::sum) {
            if (besides) {
                const double back = layout.x(kReturnPt);
                painter.drawPolyline(
                    QPolygonF({{back, *besides}, {back, middle - 0.12 * layout.unit}, {stream, middle}}));
                besides.reset();
            }
            painter.drawLine(QPointF(stream, middle), QPointF(chain, middle));
            const double radius = 0.3 * layout.unit;
            painter.setBrush(style.theme.paper);
            painter.setPen(QPen(style.theme.accent, style.units(style.linePt)));
            painter.drawEllipse(QPointF(stream, middle), radius, radius);
            painter.drawLine(QPointF(stream - radius, middle), QPointF(stream + radius, middle));
            painter.drawLine(QPointF(stream, middle - radius), QPointF(stream, middle + radius));
            continue;
        }
        if (row.place != Place::attention && row.place != Place::mlp) continue;
        if (!before || before->place != row.place) {
            const bool hasNorm = row.place == Place::attention || row.id.startsWith("mlp_norm"_L1) || !shared;
            const double from = hasNorm ? stream : layout.x(kSharedPt);
            if (!hasNorm) {
                painter.drawPolyline(QPolygonF({{chain, *shared}, {from, *shared}, {from, middle}}));
            }
            painter.drawLine(QPointF(from, middle), QPointF(block.left(), middle));
            const double head = 3 * layout.scale;
            painter.setBrush(style.theme.quietText);
            painter.drawPolygon(QPolygonF({{block.left(), middle},
                                           {block.left() - head, middle - head / 1.6},
                                           {block.left() - head, middle + head / 1.6}}));
            shared = row.isBesides && row.id.startsWith("attention_norm"_L1)
                         ? std::optional(layout.rowRect(row).bottom())
                         : std::nullopt;
        }
        if (!next || next->place == Place::stream) continue;
        if (row.isBesides && next->place != row.place) {
            const double below = layout.rowRect(row).bottom();
            painter.drawPolyline(QPolygonF({{chain, block.bottom()}, {chain, below}, {layout.x(kReturnPt), below}}));
            besides = below;
            continue;
        }
        const double end = next->place == Place::sum ? layout.rowRect(*next).center().y() : layout.block(*next).top();
        painter.drawLine(QPointF(chain, block.bottom()), QPointF(chain, end));
    }
}

void AnatomyPicture::paintBlock(QPainter& painter, const Layout& layout, const Row& row,
                                const FigureStyle& style) const {
    using Place = Row::Place;
    if (row.place == Place::title) return;
    const QRectF block = layout.block(row);
    const bool isPicked = !m_picked.isEmpty() && row.id == m_picked;
    const double text = layout.x(kBranchPt + kPaddingPt);
    painter.setFont(style.font(layout.points));
    const QColor ink = row.place == Place::attention ? style.colorOf(Ink::data(0))
                       : row.place == Place::mlp     ? style.colorOf(Ink::data(1))
                                                     : style.theme.quietText;
    if (row.place != Place::sum) {
        const double radius = kRadiusPt * layout.scale;
        painter.setPen(isPicked ? QPen(style.theme.accent, style.units(style.pickedPt))
                                : QPen(withOpacity(ink, 0.6), style.units(style.hairPt)));
        painter.setBrush(style.theme.paper);
        painter.drawRoundedRect(block, radius, radius);
        painter.setBrush(withOpacity(ink, isPicked ? 0.24 : 0.1));
        painter.drawRoundedRect(block, radius, radius);
    }
    const double height = block.height();
    const auto write = [&](double left, const QString& words, const QColor& color) {
        painter.setPen(color);
        painter.drawText(QRectF(left, block.top(), 1, height), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip,
                         words);
    };
    const double left = row.place == Place::sum ? text + kChainPt * layout.scale : text;
    const QString below = kindOf(row).mid(2);  // without ": "
    if (layout.isCompact && !below.isEmpty()) {
        const double line = TextMetrics(painter.font()).height() / 2;
        painter.translate(0, -line);
        write(left, row.name, style.theme.text);
        painter.translate(0, 2 * line);
        write(left, below, differs(row) ? style.theme.accent : style.theme.quietText);
        painter.translate(0, -line);
        return;
    }
    write(left, row.name, row.place == Place::sum ? style.theme.quietText : style.theme.text);
    const TextMetrics metrics(painter.font());
    const QString kind = kindOf(row);
    const double end = left + metrics.horizontalAdvance(row.name);
    if (end + metrics.horizontalAdvance(kind) > layout.blockRight - layout.scale) return;  // no space for the kind
    write(end, kind, differs(row) ? style.theme.accent : style.theme.quietText);
}

void AnatomyPicture::paintBars(QPainter& painter, const Layout& layout, const Row& row,
                               const FigureStyle& style) const {
    const QRectF all = layout.rowRect(row);
    const bool isPair = m_names.size() > 1;
    const QColor ink = row.place == Row::Place::attention ? style.colorOf(Ink::data(0))
                       : row.place == Row::Place::mlp     ? style.colorOf(Ink::data(1))
                                                          : style.theme.quietText;
    painter.setFont(style.font(layout.points));
    for (std::size_t i = 0; i < quantities(); ++i) {
        const auto& [left, bar] = layout.columns[static_cast<qsizetype>(i)];
        const double largest = m_largest[i].value_or(0);
        double end = left;
        for (std::size_t side = 0; side < (isPair ? 2 : 1); ++side) {
            const double number = row.sides[side].numbers[i].value_or(0);
            // Two numbers leave a compact layout no space for bars.
            if (!(number > 0) || (layout.isCompact && isPair)) continue;
            const double height = (isPair ? 0.26 : 0.5) * layout.unit;
            const double top = all.center().y() - (isPair ? (side == 0 ? height + 0.5 : -0.5) : height / 2);
            const double width = std::max(bar * number / largest, style.units(0.75));
            end = std::max(end, left + width);
            const QRectF whole(left, top, width, height);
            if (side == 1) {
                painter.setPen(QPen(ink, style.units(style.hairPt), Qt::DashLine));
                painter.setBrush(Qt::NoBrush);
                painter.drawRect(whole);
                continue;
            }
            // The parameters of experts that do not process a token are paler.
            const double idle = i == 0 && number > 0 ? row.sides[side].inactive / number : 0;
            painter.fillRect(whole, withOpacity(ink, 0.35));
            painter.fillRect(QRectF(left, top, width * (1 - idle), height), ink);
            // Gaps separate the layers.
            const double layer = width / static_cast<double>(row.layers);
            if (row.layers < 2 || layer < 3 * style.units(1)) continue;
            for (std::int64_t k = 1; k < row.layers; ++k) {
                painter.fillRect(
                    QRectF(left + static_cast<double>(k) * layer - style.units(0.375), top, style.units(0.75), height),
                    style.theme.paper);
            }
        }
        const QString words = layout.broken(numberOf(row, i));
        // A compact row has its kind below its name.
        if (words.isEmpty() || (layout.isCompact && isPair && numberOf(row, i) == onlyIn(row))) continue;
        painter.setPen(isPair && words.contains(QChar(0x2192)) ? style.theme.accent : style.theme.text);
        painter.drawText(
            QRectF(end + (end > left ? (layout.isCompact ? 2 : 4) * layout.scale : 0), all.top(), 1, all.height()),
            Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, words);
    }
}

void AnatomyPicture::paint(QPainter& painter, const QRectF& rect, const FigureStyle& style) const {
    const Layout layout = layoutIn(rect, style);
    if (layout.columns.isEmpty() || layout.notes.isEmpty() || !(layout.unit > 0)) return;  // a few pixels high
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Row& row : m_rows) {
        if (!m_picked.isEmpty() && row.id == m_picked) {
            painter.fillRect(layout.rowRect(row), withOpacity(style.theme.accent, 0.1));
        }
    }
    paintHead(painter, layout, style);
    paintFrames(painter, layout, style);
    paintStream(painter, layout, style);
    for (const Row& row : m_rows) {
        paintBlock(painter, layout, row, style);
        paintBars(painter, layout, row, style);
    }
    painter.setFont(style.font(layout.points));
    painter.setPen(style.theme.quietText);
    double top = layout.top + m_units * layout.unit + 0.4 * layout.noteHeight;
    for (const QString& line : layout.notes) {
        painter.drawText(QRectF(rect.left(), top, rect.width(), layout.noteHeight), Qt::AlignLeft | Qt::AlignVCenter,
                         line);
        top += layout.noteHeight;
    }
}

QString AnatomyPicture::stageAt(const QRectF& rect, const FigureStyle& style, double y) const {
    const Layout layout = layoutIn(rect, style);
    for (const Row& row : m_rows) {
        const QRectF place = layout.rowRect(row);
        if (y >= place.top() && y < place.bottom()) return row.id;
    }
    return {};
}

QRectF AnatomyPicture::place(const QRectF& rect, const FigureStyle& style, const QString& id) const {
    const Layout layout = layoutIn(rect, style);
    for (const Row& row : m_rows) {
        if (row.id == id) return layout.rowRect(row);
    }
    return {};
}

QStringList AnatomyPicture::ids() const {
    QStringList result;
    for (const Row& row : m_rows) {
        if (row.id != "layer"_L1) result << row.id;
    }
    return result;
}

}  // namespace ropelab::ui
