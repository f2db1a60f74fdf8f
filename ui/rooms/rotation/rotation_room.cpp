#include "ui/rooms/rotation/rotation_room.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "core/base/numbers.h"
#include "ui/common/format.h"
#include "ui/common/label_text.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/figure/ticks.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/rotation/animation_dialog.h"
#include "ui/rooms/rotation/circuit_page.h"
#include "ui/rooms/rotation/figures/scene_figures.h"
#include "ui/rooms/rotation/pair_dial.h"
#include "ui/rooms/rotation/position_bar.h"
#include "ui/rooms/rotation/rotation_pages.h"
#include "ui/rooms/rotation/rotation_text.h"
#include "ui/rooms/rotation/vectors_panel.h"
#include "ui/rotary/figure_views.h"
#include "ui/shell/actions.h"
#include "ui/shell/explanation.h"
#include "ui/shell/findables.h"
#include "ui/shell/scroll_page.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

// Least widths of the page in pixels at 100 %: for the dials and the enlarged pair of one setup or of two beside each
// other, for the logit of one setup or of two in the row of the tabs, and for the button that copies the formula there.
constexpr int kMinWidthForTwo = 620;
constexpr int kMinWidthForFour = 1000;
constexpr int kMinWidthForLogit = 825;
constexpr int kMinWidthForBothLogits = 965;
constexpr int kMinWidthForFormula = 620;

constexpr int kLowestTokens = 114;  // pixels at 100 %
constexpr int kLowestHelix = 56;
constexpr int kLowestMap = 260;            // of the tokens, at 100 %
constexpr double kReach = 18;              // largest distance from the tip of an arrow to grab it, in pixels at 100 %
constexpr double kRadiansPerPixel = 0.01;  // rotation of the helix per dragged pixel at 100 %
constexpr double kDegree = std::numbers::pi / 180;

constexpr std::array<const char*, 7> kPages = {"logit", "helix", "matrix", "aim", "tokens", "circuit", "reading"};
constexpr std::array<std::pair<const char*, VectorSource>, 3> kVectors = {
    {{"random", VectorSource::random}, {"equal", VectorSource::equal}, {"aimed", VectorSource::aimed}}};
constexpr std::int64_t kFurthestShift = 1'000'000'000;
constexpr double kMostHeadNorm = 20;
constexpr int kMostPairs = 1 << 16;

std::int64_t atLeastZero(const QString& name, std::int64_t value) {
    if (value >= 0 && value <= kFurthestShift) return value;
    throw BadInput(u"The value of the slider %1 is %3, but it must be between 0 and %2."_s.arg(name)
                       .arg(kFurthestShift)
                       .arg(value)
                       .toStdString());
}

std::optional<FigureView::Readout> barReadout(const RotationScene& scene, QPointF place) {
    const auto bar = barText(scene, place.x());
    if (!bar) return std::nullopt;
    return FigureView::Readout{
        bar->title, bar->x, {{u"contribution"_s, bar->part, -1}, {u"cumulative sum"_s, bar->sum, -1}}};
}

}  // namespace

RotationRoom::RotationRoom(RotaryModel& rotary, RunAccess runs, QWidget* parent)
    : RotaryRoom(rotary, u"rotation"_s, rotationFigures(), parent) {
    setWithoutEffect({u"precision"_s});                    // all numbers are computed in float64
    auto* column = scaledColumn(this, 8, {11, 8, 11, 8});  // seven tabs need the width at 200 %
    m_bar = new PositionBar(this);
    m_editor = new SceneEditor(model(), *m_bar, this);
    column->addWidget(m_bar);
    makeOptions(runs);
    makeViews();

    column->addWidget(makeTabs(this));
    m_numbersRow = scaledRow(nullptr, 4);
    column->addLayout(m_numbersRow);
    m_lower = new QSplitter(Qt::Horizontal, this);
    m_lower->addWidget(pairOf(m_pair));
    m_lower->addWidget(makePages(runs));
    auto* both = new QSplitter(Qt::Vertical, this);
    both->addWidget(pairOf(m_dials));
    both->addWidget(m_lower);
    for (QSplitter* each : {m_lower, both}) each->setChildrenCollapsible(false);
    column->addWidget(both, 1);
    // Stretch factors only distribute space beyond the size hints; these sizes set the initial proportions.
    m_lower->setSizes({1000, 1000});
    both->setSizes({1100, 900});

    connect(m_editor, &SceneEditor::changed, this, &RotationRoom::schedule);
    connect(m_editor, &SceneEditor::playingChanged, m_bar, &PositionBar::showPlaying);
    connectBar();
    connectDials();
    connectPair();
    connectLogit();
    connectHelix();
    addParts();
    addControls();
    for (QWidget* each : m_pageFields) static_cast<QVBoxLayout*>(each->layout())->addStretch(1);
    fitOnlyPart();
}

void RotationRoom::makeViews() {
    m_dials = addPair(u"Dials of the pairs"_s);
    m_pair = addPair(u"Enlarged pair"_s, [this](QMenu& menu) {
        if (scene().enlargedPair()) addFormulaActions(menu);
    });
    m_logit = addView(u"Logit contribution per pair"_s);
    m_helices = addPair(u"Helices of all pairs"_s);
    m_helix = addPair(u"Helix of the enlarged pair"_s);
    m_matrix = addPair(u"Rotation matrix"_s);
    m_aim = addView(u"Logit versus distance"_s);
    m_tokens = addPair(u"Tokens and pairs"_s);
    m_circuit = addPair(u"Attention of the built head"_s);
    m_circuitDistance = addView(u"Attention of the built head by distance"_s);
    m_circuitKeys = addView(u"Attention of the built head over the context"_s);
    m_reading = addView(u"Positions that the angles leave possible"_s);
    m_sentence = addGrid(u"Attention of the tokens"_s);
    // Pages that are not shown leave the others their height.
    for (FigureView* each : {m_circuitDistance, m_circuitKeys, m_reading}) scaleMinimumHeight(each, kLowestHelix);
    m_sentence->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
}

void RotationRoom::makeOptions(const RunAccess& runs) {
    auto* options = new QWidget;
    auto* column = scaledColumn(options, 16);
    m_vectors = new VectorsPanel;
    column->addWidget(m_vectors);
    m_runVectors = new RunVectors(runs, m_vectors);
    m_vectors->layout()->addWidget(m_runVectors);
    for (QWidget*& each : m_pageFields) {  // below what all pages have, so that nothing moves
        each = new QWidget(options);
        scaledColumn(each, 8);
        each->setVisible(false);
        column->addWidget(each);
    }
    column->addWidget(m_vectors->text());  // last, because its height changes
    connect(m_runVectors, &RunVectors::loaded, m_editor, &SceneEditor::useRunVectors);
    connect(m_vectors, &VectorsPanel::chosen, m_editor, &SceneEditor::chooseVectors);
    connect(m_vectors, &VectorsPanel::sampleRequested, m_editor, &SceneEditor::sampleAgain);
    m_vectors->show(scene().state);
    setOptions(options);
}

QWidget* RotationRoom::makePages(const RunAccess& runs) {
    m_pages = new QStackedWidget(this);
    const std::pair<QWidget*, FigureView*> pages[] = {{makeLogitPage(), m_logit},    {makeHelixPage(), m_helices},
                                                      {makeMatrixPage(), m_matrix},  {makeAimPage(), m_aim},
                                                      {makeTokensPage(), m_tokens},  {makeCircuitPage(runs), m_circuit},
                                                      {makeReadingPage(), m_reading}};
    for (const auto& [page, view] : pages) {
        QAbstractButton* tab = m_tabs->button(m_pages->addWidget(page));
        shownBy(page, tab);
        explainBy(view, tab);
    }
    for (FigureView* each : {m_circuitDistance, m_circuitKeys}) explainBy(each, m_tabs->button(Circuit));
    explainBy(m_helix, m_tabs->button(Helix));
    explainBy(m_sentence->panelViews().first(), m_tabs->button(Tokens));
    connect(m_sentence, &PanelGrid::viewAdded, this,
            [this](FigureView* panel) { explainBy(panel, m_tabs->button(Tokens)); });
    explainBy(m_logit, m_logitText);
    return m_pages;
}

QWidget* RotationRoom::makeTabs(QWidget* parent) {
    auto* tabs = new QWidget(parent);
    m_stripRow = scaledRow(tabs, 1);
    const auto tab = [](const QString& text, const QString& why) { return Toggle{text, text, why}; };
    m_tabs = addToggles(
        m_stripRow,
        {tab(u"Dials"_s,
             u"Shows each pair of q and k as a dial with two hands, and the logit as a sum over the pairs (formula 7 "
             "of the guide)."_s),
         tab(u"Helix"_s,
             u"Shows the rotation of every pair i as a helix over the position m: (cos mωᵢ, sin mωᵢ, m) (formula 1 of "
             "the guide). A click picks the pair that is shown below."_s),
         tab(u"Matrix"_s, u"Shows the rotation matrix Rₘ at the position m of the query (formulas 1 and 6)."_s),
         tab(u"Aim"_s, u"Sets a key whose logit is largest at a chosen distance (formula 17 of the guide)."_s),
         tab(u"Tokens"_s,
             u"Shows the pairs of each token of a text before and after rotation (formula 1 of the guide)."_s),
         tab(u"Circuit"_s,
             u"Builds an attention head from norms and phases, and puts the head into a trained model (formula 7 of "
             "the guide)."_s),
         tab(u"Read"_s,
             u"Shows which positions remain possible after the angles of the fastest pairs at position m are read, as "
             u"the hands of a clock, with an error of at most the chosen angle (formula 1 of the guide)."_s)},
        [this](int page) { showPage(static_cast<Page>(page)); });
    m_stripRow->addStretch(1);
    m_logitText = new QLabel(tabs);
    m_logitText->setToolTip(
        u"The logit of q at position m and k at position n is Σ ‖qᵢ‖ ‖kᵢ‖ cos(φᵢ + Δωᵢ)/√d over the pairs i, plus the "
        "unrotated part, with Δ = m − n (formula 7 of the guide)"_s);
    // In a narrow window the text wraps, so that the tabs beside it need no wider page.
    m_logitText->setWordWrap(true);
    m_logitText->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_logitText->setContentsMargins(0, 0, 6, 0);  // so that the button beside it does not touch it
    m_stripRow->addWidget(m_logitText, 20);
    m_formula = new QToolButton(tabs);
    m_formula->setText(u"Copy formula"_s);
    m_formula->setToolTip(
        u"Copies the formula of the pair that is shown enlarged, with its numbers, as Unicode text or as LaTeX "
        "(formula 7 of the guide)."_s);
    m_formula->setProperty("chip", true);
    m_formula->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_formula);
    addFormulaActions(*menu);
    m_formula->setMenu(menu);
    // At the end, so that the button keeps its place while the numbers change.
    m_stripRow->addWidget(m_formula);
    addBars({m_bar, m_formula});
    for (QAbstractButton* each : m_tabs->buttons()) addBars({each});
    return tabs;
}

QWidget* RotationRoom::makeLogitPage() {
    QWidget* fields = m_pageFields[Logit];
    m_shift = new ShiftCard(fields);
    fields->layout()->addWidget(m_shift);
    connect(m_shift, &ShiftCard::shiftRequested, m_editor, &SceneEditor::shift);
    connect(m_shift, &ShiftCard::undoRequested, m_editor, &SceneEditor::undoShift);
    return m_logit;
}

QWidget* RotationRoom::makeMatrixPage() {
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidget(pairOf(m_matrix));
    return area;
}

QWidget* RotationRoom::makeAimPage() {
    m_aimPage = new AimPage(m_aim, m_pageFields[Aim], this);
    connect(m_aimPage, &AimPage::aimed, m_editor, &SceneEditor::aimAt);
    connect(m_aimPage, &AimPage::refined, this, &RotationRoom::renewAim);
    connect(m_aimPage, &AimPage::finished, m_editor, &SceneEditor::endMerging);
    return m_aimPage;
}

QWidget* RotationRoom::makeTokensPage() {
    auto* page = new QWidget(this);
    auto* column = scaledColumn(page, 4);
    m_tokensField = makeTextField(page);
    scaleMinimumHeight(m_tokens, kLowestTokens);  // with its field, the page is as high as the other pages
    column->addWidget(m_tokensField);
    column->addWidget(pairOf(m_tokens), 2);
    column->addWidget(m_sentence, 3);
    m_form.add(
        static_cast<QVBoxLayout*>(m_pageFields[Tokens]->layout()),
        {{"rotate-values",
          u"rotate values"_s,
          {},
          u"Rotates the values of the tokens by their positions as well, which RoPE does not do: the output then "
          "depends on the position of the text."_s,
          CheckRow{.isWide = true}}});
    connect(m_tokensField, &QLineEdit::textEdited, m_editor, &SceneEditor::setText);
    connect(m_tokensField, &QLineEdit::editingFinished, m_editor, &SceneEditor::endMerging);
    connectPairs(m_tokens, [this](const QPointF& place) {
        return tokenGridOf(scene(), m_tokens->canvasRect(), m_tokens->style()).pairAt(place);
    });
    return page;
}

QWidget* RotationRoom::makeReadingPage() {
    auto* column = static_cast<QVBoxLayout*>(m_pageFields[Reading]->layout());
    column->addWidget(makeHeading(u"Reading the hands"_s, m_pageFields[Reading]));
    m_form.add(column, {{"hands",
                         u"hands read"_s,
                         {},
                         u"Number of pairs whose angles are read, from the fastest one on."_s,
                         WholeRow{0, kMostHands}},
                        {"error",
                         u"error"_s,
                         {},
                         u"The largest error with which an angle is read."_s,
                         SliderRow{.unit = u"°"_s, .minimum = 0, .maximum = 90, .step = 1, .text = wholeText}}});
    showFields();
    connect(&m_form, &Form::changed, this, [this] {
        m_editor->chooseView(m_form.value("error").toDouble(), m_form.value("hands").toInt(),
                             m_form.value("rotate-values").toBool());
    });
    connect(m_reading, &FigureView::lineDragged, this,
            [this](const QString&, double at) { m_editor->scrub(Arrow::query, std::llround(at)); });
    connect(m_reading, &FigureView::lineDropped, m_editor, &SceneEditor::endMerging);
    return m_reading;
}

QWidget* RotationRoom::makeCircuitPage(const RunAccess& runs) {
    m_circuitPage =
        new CircuitPage(pairOf(m_circuit), {m_circuitDistance, m_circuitKeys}, runs, m_pageFields[Circuit], this);
    connect(m_circuitPage, &CircuitPage::headRequested, m_editor, &SceneEditor::buildHead);
    connect(m_circuitPage, &CircuitPage::textEdited, m_editor, &SceneEditor::setText);
    connect(m_circuitPage, &CircuitPage::finished, m_editor, &SceneEditor::endMerging);
    connect(m_circuitPage, &CircuitPage::scaled, m_editor, &SceneEditor::scaleNorms);
    connect(m_circuitPage, &CircuitPage::fastPairsRequested, m_editor, &SceneEditor::keepFastPairs);
    connect(m_circuitPage, &CircuitPage::pairEdited, m_editor, &SceneEditor::setPair);
    connect(m_circuitPage->runs(), &CircuitRuns::similarChanged, this, &RotationRoom::schedule);
    connect(m_circuitPage->runs(), &CircuitRuns::setupNeeded, this, [this](const RotarySetup& setup) {
        m_editor->useSetupOfRun(setup);
        m_circuitPage->runs()->show(scene());
    });
    return m_circuitPage;
}

void RotationRoom::addParts() {
    const auto addUpper = [this](const QString& name, FigureView* view, const QList<QWidget*>& hidden) {
        addPart({name,
                 [this, view] {
                     showPage(Logit);
                     ScrollPage::reveal(view);
                     emit view->chosen();
                 },
                 {},
                 hidden});
    };
    addUpper(u"dials"_s, m_dials, {m_lower, m_logitText});
    addUpper(u"pair"_s, m_pair, {pairOf(m_dials), m_pages, m_logitText});
    const QList<QWidget*> upper = {pairOf(m_dials), pairOf(m_pair)};
    for (int i = 0; i < static_cast<int>(kPages.size()); ++i) {
        QList<QWidget*> hidden = upper;
        if (i != Logit) hidden << m_logitText;
        if (i == Helix) hidden << pairOf(m_helices);
        if (i == Tokens) hidden << m_sentence;
        if (i == Circuit) hidden << m_circuitKeys;
        addPart({QString::fromLatin1(kPages[static_cast<std::size_t>(i)]),
                 [this, i] {
                     showPage(static_cast<Page>(i));
                     if (i == Helix) emit m_helix->chosen();
                 },
                 [this, i] { return page() == i; }, hidden});
    }
    const auto addBeside = [&](const QString& name, Page page, FigureView* view, const QList<QWidget*>& others) {
        addPart({name,
                 [this, page, view] {
                     showPage(page);
                     emit view->chosen();
                 },
                 {},
                 upper + QList<QWidget*>{m_logitText} + others});
    };
    addBeside(u"sentence"_s, Tokens, m_sentence->panelViews().first(), {pairOf(m_tokens), m_tokensField});
    addBeside(u"keys"_s, Circuit, m_circuitKeys, {pairOf(m_circuit), m_circuitDistance});
    addPart({u"helices"_s, [this] { showPage(Helix); }, {}, upper + QList<QWidget*>{m_logitText, pairOf(m_helix)}});
}

// Controls change the room without undo steps.
void RotationRoom::addControls() {
    // The scene takes over a changed setup in the next frame, but positions are limited to its context now.
    const auto state = [this]() -> const RotationState& {
        if (scene().setup != model().setup()) m_editor->adoptSetup();
        return scene().state;
    };
    const auto add = [&](const QString& name, std::function<void(std::int64_t)> set,
                         std::int64_t RotationState::*member, QWidget* widget) {
        addControl({name,
                    [name, state, set = std::move(set)](const QString& text) {
                        state();
                        set(atLeastZero(name, controlWhole(name, text)));
                    },
                    [state, member] { return QVariant(static_cast<qlonglong>(state().*member)); }, widget});
    };
    add(
        u"m"_s, [this](std::int64_t m) { m_editor->moveTo(m, scene().state.n); }, &RotationState::m, m_bar->query());
    add(
        u"n"_s, [this](std::int64_t n) { m_editor->moveTo(scene().state.m, n); }, &RotationState::n, m_bar->key());
    add(
        u"distance"_s,
        [this](std::int64_t distance) {
            m_head ? m_editor->useHead(distance, m_head->norm, m_head->pairs) : m_editor->useDistance(distance);
        },
        &RotationState::distance, m_aimPage->distance());
    const auto changeHead = [this, state](const std::function<void(LectureHead&)>& change) {
        state();
        LectureHead head = m_head.value_or(LectureHead());
        change(head);
        m_head = head;
        m_editor->useHead(scene().state.distance, head.norm, head.pairs);
    };
    addControl({u"norm"_s,
                [changeHead](const QString& text) {
                    const double norm = parse_number(text.toStdString());
                    if (!(norm >= 0 && norm <= kMostHeadNorm)) {
                        throw BadInput("The norm of a pair is " + text.toStdString() + ", but it must be 0 to 20.");
                    }
                    changeHead([norm](LectureHead& head) { head.norm = norm; });
                },
                [this] { return m_head ? QVariant(m_head->norm) : QVariant(u"none"_s); },
                m_circuitPage->form().field<QWidget>("scale")});
    addControl({u"fast_pairs"_s,
                [changeHead](const QString& text) {
                    const std::int64_t pairs = controlWhole(u"fast_pairs"_s, text);
                    if (pairs < 0 || pairs > kMostPairs) {
                        throw BadInput("The number of fast pairs is " + text.toStdString() +
                                       ", but it must be 0 to 65536.");
                    }
                    changeHead([pairs](LectureHead& head) { head.pairs = static_cast<int>(pairs); });
                },
                [this] { return m_head ? QVariant(m_head->pairs) : QVariant(u"none"_s); },
                m_circuitPage->form().field<QWidget>("fast-pairs")});
    addControl(controlOf(u"hands"_s, m_form.field<QSpinBox>("hands")));
    addControl(controlOf(u"error"_s, m_form.field<NumberSlider>("error")));
    const QString values = u"rotate_values"_s;
    auto* rotates = m_form.field<QCheckBox>("rotate-values");
    addControl({values, [values, rotates](const QString& word) { rotates->setChecked(controlSwitch(values, word)); },
                [rotates] { return rotates->isChecked() ? u"on"_s : u"off"_s; }, rotates});
    add(
        u"seed"_s, [this](std::int64_t seed) { m_editor->useSeed(seed); }, &RotationState::seed, nullptr);
    addControl({u"vectors"_s,
                [this, state, changeHead](const QString& word) {
                    state();
                    m_head.reset();
                    if (word == "head"_L1) return changeHead([](LectureHead&) {});
                    for (const auto& [name, source] : kVectors) {
                        if (word == QLatin1String(name)) return m_editor->useVectors(source);
                    }
                    throw BadInput("The control \"vectors\" of the page Rotation is \"" + word.toStdString() +
                                   "\", but it must be random, equal, aimed or head.");
                },
                [state]() -> QVariant {
                    for (const auto& [word, source] : kVectors) {
                        if (state().source == source) return QString::fromLatin1(word);
                    }
                    return u"other"_s;
                },
                m_vectors});
    const QString playing = u"play"_s;
    addControl({playing, [this, playing](const QString& word) { m_editor->play(controlSwitch(playing, word)); },
                [this] { return m_editor->isPlaying() ? u"on"_s : u"off"_s; }, m_bar->playButton()});
    addChoices({m_bar->findChild<QComboBox*>(), m_bar->lockBox()});  // the speed of "play"
}

std::function<void()> RotationRoom::restorer(bool standard) {
    return [this, state = scene().state, part = shownPart(), head = m_head, restore = choicesRestorer(standard)] {
        restore();
        if (part != shownPart()) showPart(part);
        m_head = head;
        m_editor->reset(state);
    };
}

QAbstractButton* RotationRoom::playButton() const {
    return m_bar->playButton();
}

void RotationRoom::endEdit() {
    RotaryRoom::endEdit();
    m_editor->play(false);
    m_editor->endMerging();
}

void RotationRoom::addFormulaActions(QMenu& menu) {
    menu.addAction(u"Copy formula as Unicode text"_s, this, [this] { copyFormula(FormulaFormat::unicode); });
    menu.addAction(u"Copy formula as LaTeX"_s, this, [this] { copyFormula(FormulaFormat::latex); });
}

void RotationRoom::openAnimation() {
    openAnimationDialog();
}

AnimationDialog* RotationRoom::openAnimationDialog() {
    AnimationJob job;
    job.figure = figure().name;  // also removes the highlight of the pair under the mouse
    job.setup = scene().setup;
    job.state = scene().state;
    auto* dialog = new AnimationDialog(std::move(job), window());
    dialog->show();
    return dialog;
}

void RotationRoom::copyFormula(FormulaFormat format) {
    if (const auto pair = scene().enlargedPair()) {
        const PairTerm term = scene().term(*pair);
        QGuiApplication::clipboard()->setText(format == FormulaFormat::unicode ? pairFormulaText(term)
                                                                               : pairFormulaLatex(term));
    }
}

RotationRoom::Page RotationRoom::page() const {
    return static_cast<Page>(m_pages->currentIndex());
}

void RotationRoom::showPage(Page page) {
    m_tabs->button(page)->setChecked(true);
    m_pages->setCurrentIndex(page);
    fitOnlyPart();
    ScrollPage::reveal(m_pages);
    if (page != Aim) m_aimPage->stop();
    // The stack of pages is as high as its highest page needs, so the map needs its height only while it is shown.
    m_circuit->setMinimumHeight(ThemeManager::instance().pixels(page == Circuit ? kLowestMap : kLowestTokens));
    for (FigureView* each : {m_circuitDistance, m_circuitKeys})
        each->setMinimumHeight(ThemeManager::instance().pixels(page == Circuit ? kLowestTokens : kLowestHelix));
    m_sentence->setSizePolicy(QSizePolicy::Ignored, page == Tokens ? QSizePolicy::Preferred : QSizePolicy::Ignored);
    m_helices->setMinimumHeight(ThemeManager::instance().pixels(page == Helix ? kLowestMap : kLowestHelix));
    FigureView* views[] = {m_logit, m_helices, m_matrix, m_aim, m_tokens, m_circuit, m_reading};
    emit views[page]->chosen();
    schedule();
}

void RotationRoom::fitOnlyPart() {
    for (std::size_t i = 0; i < m_pageFields.size(); ++i) m_pageFields[i]->setVisible(static_cast<Page>(i) == page());
    // Dials and pair are above and beside the logit, and every other page has the whole stage.
    if (!onlyPart().isEmpty()) return;
    for (FigureView* each : {m_dials, m_pair}) pairOf(each)->setVisible(page() == Logit);
    m_bar->setEnabled(page() != Circuit);
    m_bar->setToolTip(page() == Circuit ? u"The built head depends only on the distance m − n."_s : QString());
    m_logitText->setVisible(page() != Circuit && page() != Tokens);
}

void RotationRoom::addActions(ActionRegistry& registry, const RoomHandle<RotationRoom>& room) {
    const auto shown = [room] { return room.isVisible(); };
    const auto add = [&](const char* id, const QString& text, std::function<void()> handler) {
        registry.add(
            {.id = QString::fromLatin1(id), .menu = {}, .text = text, .handler = std::move(handler), .enabled = shown});
    };
    add("rotation.play", u"Rotation: play or pause the positions (Space or P)"_s,
        [room] { room->m_editor->play(!room->m_editor->isPlaying()); });
    registry.add({.id = u"rotation.animate"_s,
                  .menu = u"File"_s,
                  .text = u"Export animation of the page Rotation …"_s,
                  .handler = [room] { room->openAnimation(); },
                  .enabled = shown});
    add("rotation.formula", u"Rotation: copy the formula of the pair as Unicode text"_s,
        [room] { room->copyFormula(FormulaFormat::unicode); });
    add("rotation.latex", u"Rotation: copy the formula of the pair as LaTeX"_s,
        [room] { room->copyFormula(FormulaFormat::latex); });
    add("rotation.draw", u"Rotation: resample q and k"_s, [room] { room->m_editor->sampleAgain(); });
    add("rotation.shift", u"Rotation: shift m and n by 1,000 positions"_s, [room] {
        room->showPage(Logit);
        room->m_editor->shift();
    });
    add("rotation.previous", u"Rotation: build a previous-token head"_s, [room] {
        room->showPage(Circuit);
        room->m_editor->buildHead(1);
    });
    add("rotation.aim", u"Rotation: aim k at a distance"_s, [room] {
        room->showPage(Aim);
        room->m_editor->aimAt(room->scene().state.distance);
    });
}

RotationScene RotationRoom::sceneOf(Side side) const {
    return side == Side::edited ? scene() : scene().withSetup(setupOf(side), frequenciesOf(side));
}

void RotationRoom::showScene(FigureView* view, Figure (*make)(const RotationScene&)) {
    showFigure(view, [this, make](Side side) { return make(sceneOf(side)); });
}

void RotationRoom::renewLogitText() {
    const auto total = [this](Side side) { return sceneOf(side).split().total; };
    QString logit = bothValues([&](Side side) { return readableNumber(total(side)); });
    if (compares()) {
        const double difference = total(Side::other) - total(Side::edited);
        logit = u"%1, B − A = %2"_s.arg(logit, readableNumber(model().editsB() ? -difference : difference));
    }
    const QString limited = scene().state.wished ? u"; the context limits m and n"_s : QString();
    const QString text = u"Δ = %1 tokens, logit %2%3"_s.arg(
        readableCount(static_cast<double>(scene().state.m - scene().state.n)), logit, limited);
    changeText(m_logitText, text);
}

void RotationRoom::renew() {
    m_editor->highlight(model().highlightedPair());
    m_editor->adoptSetup();
    m_bar->show(scene());
    renewLogitText();
    m_vectors->show(scene().state);
    showScene(m_dials, dialsFigure);
    m_dials->setWhatsThis(dialsToolTip(scene(), model().highlightedPair()));
    showScene(m_pair, pairFigure);
    m_pair->setToolTip(pairToolTip(scene()));
    m_formula->setEnabled(scene().enlargedPair().has_value());
    renewPage();
}

void RotationRoom::showFields() {
    const RotationState& state = scene().state;
    const std::pair<const char*, QVariant> values[] = {
        {"hands", state.hands}, {"error", state.accuracy}, {"rotate-values", state.rotatesValues}};
    for (const auto& [id, value] : values) {
        if (m_form.value(id) != value) m_form.showValue(id, value);
    }
}

void RotationRoom::renewPage() {
    showFields();
    m_aimPage->showDistance(scene());
    switch (page()) {
        case Logit:
            showScene(m_logit, logitFigure);
            m_shift->show(scene(), compares() ? std::optional(sceneOf(Side::other)) : std::nullopt, model().editsB());
            break;
        case Helix:
            showScene(m_helices, helicesFigure);
            showScene(m_helix, helixFigure);
            break;
        case Matrix:
            fitMatrix();
            showScene(m_matrix, matrixFigure);
            break;
        case Aim:
            renewAim();
            break;
        case Tokens: {
            const QString text = QString::fromStdString(scene().state.text);
            if (m_tokensField->text() != text) m_tokensField->setText(text);
            showScene(m_tokens, tokenFigure);
            const auto of = [this](Side side) { return sentenceFigure(sceneOf(side)); };
            const auto b = model().setupB();
            const bool editsB = model().editsB();
            showPanels(m_sentence, sentencePanels(b ? comparedFigure(of(editsB ? Side::other : Side::edited),
                                                                     of(editsB ? Side::edited : Side::other),
                                                                     model().setupA(), *b, editsB)
                                                    : of(Side::edited)));
            break;
        }
        case Reading:
            showScene(m_reading, readingFigure);
            break;
        case Circuit:
            renewCircuit();
            break;
    }
}

void RotationRoom::renewAim() {
    m_aimPage->show(scene(), compares() ? std::optional(sceneOf(Side::other)) : std::nullopt, model().editsB());
    showFigure(m_aim, [this](Side side) { return m_aimPage->figure(side); });
}

void RotationRoom::renewCircuit() {
    // First the page, which drops the trained head that belongs to an earlier built head.
    m_circuitPage->show(scene(), bothSentences([this](Side side) { return circuitText(sceneOf(side)); }));
    showScene(m_circuit, circuitFigure);
    showScene(m_circuitKeys, circuitKeysFigure);
    showFigure(m_circuitDistance, [this](Side side) {
        return circuitDistanceFigure(sceneOf(side), compares() ? std::nullopt : m_circuitPage->runs()->similar());
    });
}

void RotationRoom::fitPage(const QSize& page) {
    const ThemeManager& theme = ThemeManager::instance();
    // Beside each other, the pictures would cut off their legends: those of each kind get a row of their own.
    const bool isNarrow = page.width() < theme.pixels(compares() ? kMinWidthForFour : kMinWidthForTwo);
    const Qt::Orientation direction = isNarrow ? Qt::Vertical : Qt::Horizontal;
    if (m_lower->orientation() != direction) {
        m_lower->setOrientation(direction);
        m_lower->setSizes({1000, 1000});
        // Where the pair and the logit are below each other, they need more of the height.
        static_cast<QSplitter*>(m_lower->parentWidget())->setSizes(isNarrow ? QList{800, 1200} : QList{1100, 900});
    }
    fitNumbers(page.width() < theme.pixels(compares() ? kMinWidthForBothLogits : kMinWidthForLogit),
               page.width() < theme.pixels(kMinWidthForFormula));
}

void RotationRoom::fitNumbers(bool logitBelow, bool formulaBelow) {
    const auto isBelow = [this](QWidget* each) { return m_numbersRow->indexOf(each) >= 0; };
    if (isBelow(m_logitText) == logitBelow && isBelow(m_formula) == formulaBelow) return;
    for (QWidget* each : QWidgetList{m_logitText, m_formula}) {
        m_stripRow->removeWidget(each);
        m_numbersRow->removeWidget(each);
    }
    m_logitText->setWordWrap(logitBelow);
    (logitBelow ? m_numbersRow : m_stripRow)->addWidget(m_logitText, 20);
    (formulaBelow ? m_numbersRow : m_stripRow)->addWidget(m_formula);
}

void RotationRoom::fitMatrix() {
    QSizeF needed;
    for (const Side side : sides()) needed = needed.expandedTo(matrixMinimum(sceneOf(side), m_matrix->style()));
    const QSize size(static_cast<int>(std::ceil(needed.width())), static_cast<int>(std::ceil(needed.height())));
    if (m_matrix->minimumSize() != size) m_matrix->setMinimumSize(size);
}

void RotationRoom::hideEvent(QHideEvent* event) {
    m_editor->play(false);
    m_aimPage->stop();
    model().hoverPair(std::nullopt);
    RotaryRoom::hideEvent(event);
}

void RotationRoom::connectBar() {
    connect(m_bar, &PositionBar::playToggled, this, [this] { m_editor->play(!m_editor->isPlaying()); });
    connect(m_bar, &PositionBar::stepped, m_editor, &SceneEditor::stepBy);
    connect(m_bar, &PositionBar::queryMoved, this, [this](qint64 m) { m_editor->scrub(Arrow::query, m); });
    connect(m_bar, &PositionBar::keyMoved, this, [this](qint64 n) { m_editor->scrub(Arrow::key, n); });
    connect(m_bar, &PositionBar::finished, m_editor, &SceneEditor::endMerging);
}

void RotationRoom::pickNeighbour(int by) {
    if (const auto pair = scene().enlargedPair()) {
        model().pickPair(std::clamp(*pair + by, 0, model().pairs() - 1), true);
    }
}

void RotationRoom::connectDials() {
    const auto at = [this](const QPointF& place) {
        return pairAt(scene(), m_dials->canvasRect(), m_dials->style(), place);
    };
    connect(m_dials, &FigureView::hovered, this, [this, at](const QPointF& place) {
        const auto pair = at(place);
        model().hoverPair(pair);
        m_dials->setToolTip(dialsToolTip(scene(), pair));
    });
    connect(m_dials, &FigureView::left, this, [this] { model().hoverPair(std::nullopt); });
    connect(m_dials, &FigureView::clicked, this, [this, at](const QPointF& place) {
        if (const auto pair = at(place)) {
            model().pickPair(pair);
        }
    });
    connect(m_dials, &FigureView::keyPressed, this, [this](int key, Qt::KeyboardModifiers) {
        const int columns = gridOf(scene(), m_dials->canvasRect(), m_dials->style()).columns;
        switch (key) {
            case Qt::Key_Left:
                return pickNeighbour(-1);
            case Qt::Key_Right:
                return pickNeighbour(1);
            case Qt::Key_Up:
                return pickNeighbour(-columns);
            case Qt::Key_Down:
                return pickNeighbour(columns);
            case Qt::Key_Home:
                return pickNeighbour(-model().pairs());
            case Qt::Key_End:
                return pickNeighbour(model().pairs());
            default:
                return;
        }
    });
}

Arrow RotationRoom::arrowNear(const QPointF& place) const {
    const auto pair = scene().enlargedPair();
    if (!pair) {
        return Arrow::none;
    }
    const EnlargedDial dial = enlargedDialOf(scene(), m_pair->canvasRect(), m_pair->style());
    const auto distance = [&](std::complex<double> value) {
        const QPointF from = dial.pointOf(value) - place;
        return std::hypot(from.x(), from.y());
    };
    const double query = distance(scene().rotatedQuery(*pair));
    const double key = distance(scene().rotatedKey(*pair));
    if (std::min(query, key) > ThemeManager::instance().px(kReach)) {
        return Arrow::none;
    }
    return query <= key ? Arrow::query : Arrow::key;
}

void RotationRoom::connectPair() {
    connect(m_pair, &FigureView::pressed, this, [this](const QPointF& place) {
        const Arrow arrow = arrowNear(place);
        if (arrow != Arrow::none) m_editor->startDrag(arrow, rimOf(scene()));
    });
    connect(m_pair, &FigureView::dragged, this, [this](const QPointF& place) {
        if (!m_editor->isDragging()) return;
        m_editor->dragTo(enlargedDialOf(scene(), m_pair->canvasRect(), m_pair->style()).valueAt(place));
    });
    connect(m_pair, &FigureView::released, m_editor, &SceneEditor::endDrag);
    connect(m_pair, &FigureView::hovered, this, [this](const QPointF& place) {
        // The child widget under the mouse is the canvas of the view.
        if (QWidget* surface = m_pair->childAt(place.toPoint())) {
            surface->setCursor(arrowNear(place) == Arrow::none ? Qt::ArrowCursor : Qt::PointingHandCursor);
        }
    });
    connect(m_pair, &FigureView::keyPressed, this, [this](int key, Qt::KeyboardModifiers modifiers) {
        const double step = modifiers.testFlag(Qt::ShiftModifier) ? 15 : 1;
        switch (key) {
            case Qt::Key_Q:
                return m_editor->chooseArrow(Arrow::query);
            case Qt::Key_K:
                return m_editor->chooseArrow(Arrow::key);
            case Qt::Key_Left:
                return m_editor->rotateArrow(step * kDegree, 1);
            case Qt::Key_Right:
                return m_editor->rotateArrow(-step * kDegree, 1);
            case Qt::Key_Up:
                return m_editor->rotateArrow(0, 1 + step / 100);
            case Qt::Key_Down:
                return m_editor->rotateArrow(0, 1 / (1 + step / 100));
            default:
                return;
        }
    });
}

void RotationRoom::connectLogit() {
    connect(m_logit, &FigureView::hovered, this,
            [this](const QPointF& place) { model().hoverPair(pairOfBar(scene(), place.x())); });
    connect(m_logit, &FigureView::left, this, [this] { model().hoverPair(std::nullopt); });
    connect(m_logit, &FigureView::clicked, this, [this](const QPointF& place) {
        if (const auto pair = pairOfBar(scene(), place.x())) model().pickPair(pair);
    });
    connect(m_logit, &FigureView::keyPressed, this, [this](int key, Qt::KeyboardModifiers) {
        if (key == Qt::Key_Left || key == Qt::Key_Right) pickNeighbour(key == Qt::Key_Left ? -1 : 1);
    });
    setReadout(m_logit, [this](Side side, QPointF place) { return barReadout(sceneOf(side), place); });
}

QWidget* RotationRoom::makeHelixPage() {
    auto* page = new QSplitter(Qt::Vertical, this);
    page->addWidget(pairOf(m_helices));
    page->addWidget(pairOf(m_helix));
    page->setChildrenCollapsible(false);
    for (FigureView* view : {m_helices, m_helix}) scaleMinimumHeight(view, kLowestHelix);
    page->setSizes({1500, 500});
    return page;
}

void RotationRoom::connectHelix() {
    const auto pick = [this](const QPointF& place) {
        if (const auto pair = pairOfHelix(scene(), m_helices->canvasRect(), m_helices->style(), place))
            model().pickPair(pair, true);
    };
    connect(m_helices, &FigureView::pressed, this, pick);
    connect(m_helices, &FigureView::dragged, this, pick);
    connect(m_helices, &FigureView::keyPressed, this, [this](int key, Qt::KeyboardModifiers) {
        if (key == Qt::Key_Up || key == Qt::Key_Down) pickNeighbour(key == Qt::Key_Up ? -1 : 1);
    });
    connect(m_helix, &FigureView::pressed, this, [this](const QPointF& place) { m_lastDrag = place; });
    connect(m_helix, &FigureView::dragged, this, [this](const QPointF& place) {
        const QPointF by = (place - m_lastDrag) * (kRadiansPerPixel / ThemeManager::instance().px(1));
        m_lastDrag = place;
        m_editor->rotateView(by.x(), by.y());
    });
    connect(m_helix, &FigureView::keyPressed, this, [this](int key, Qt::KeyboardModifiers) {
        constexpr double step = 5 * kDegree;
        if (key == Qt::Key_Left || key == Qt::Key_Right) {
            m_editor->rotateView(key == Qt::Key_Left ? -step : step, 0);
        } else if (key == Qt::Key_Up || key == Qt::Key_Down) {
            m_editor->rotateView(0, key == Qt::Key_Up ? -step : step);
        }
    });
}

void RotationRoom::keyPressEvent(QKeyEvent* event) {
    // Only keys that the views and fields did not handle arrive here.
    if (event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier) {
        switch (event->key()) {
            case Qt::Key_P:
                return m_editor->play(!m_editor->isPlaying());
            case Qt::Key_Comma:
                return m_editor->stepBy(-1);
            case Qt::Key_Period:
                return m_editor->stepBy(1);
            default:
                break;
        }
    }
    RotaryRoom::keyPressEvent(event);
}

}  // namespace ropelab::ui

#include "moc_rotation_room.cpp"
