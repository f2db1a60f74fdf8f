#include "ui/rooms/rotation/rotation_room.h"

#include <QButtonGroup>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/common/actions.h"
#include "ui/common/explanation.h"
#include "ui/common/fields.h"
#include "ui/common/findables.h"
#include "ui/common/format.h"
#include "ui/common/scaled.h"
#include "ui/common/scroll_page.h"
#include "ui/figure/ticks.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/rotation/aim_page.h"
#include "ui/rooms/rotation/animation_dialog.h"
#include "ui/rooms/rotation/circuit_page.h"
#include "ui/rooms/rotation/dials_figure.h"
#include "ui/rooms/rotation/helix_figure.h"
#include "ui/rooms/rotation/logit_figure.h"
#include "ui/rooms/rotation/matrix_figure.h"
#include "ui/rooms/rotation/pair_figure.h"
#include "ui/rooms/rotation/pair_formula.h"
#include "ui/rooms/rotation/position_bar.h"
#include "ui/rooms/rotation/position_slider.h"
#include "ui/rooms/rotation/rotation_text.h"
#include "ui/rooms/rotation/shift_card.h"
#include "ui/rooms/rotation/side_area.h"
#include "ui/rooms/rotation/vectors_panel.h"
#include "ui/rotary/paired_view.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

constexpr int kFrameMs = 16;
// Least widths of the page in pixels at 100 %: for the dials and the enlarged pair of one setup or of two beside each
// other, for the logit of one setup or of two in the row of the tabs, and for the button that copies the formula there.
constexpr int kMinWidthForTwo = 620;
constexpr int kMinWidthForFour = 1000;
constexpr int kMinWidthForLogit = 760;
constexpr int kMinWidthForBothLogits = 940;
constexpr int kMinWidthForFormula = 560;

}  // namespace

RotationRoom::RotationRoom(RotaryModel& rotary, RunAccess runs, QWidget* parent)
    : RotaryRoom(rotary, QStringLiteral("rotation"), parent), m_runAccess(std::move(runs)) {
    m_scene.setSetup(model().setup(), model().frequencies());
    keepStateForUndo();
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {12, 8, 12, 8}, 8);
    m_bar = new PositionBar(this);
    column->addWidget(m_bar);
    makeViews();

    m_upper = new QSplitter(Qt::Horizontal, this);
    m_upper->addWidget(m_dialsPair);
    m_upper->addWidget(m_pairPair);
    m_upper->setStretchFactor(0, 1);
    m_upper->setStretchFactor(1, 1);
    m_upper->setChildrenCollapsible(false);
    auto* both = new QSplitter(Qt::Vertical, this);
    both->addWidget(m_upper);
    m_strip = makeStrip();
    both->addWidget(m_strip);
    both->setStretchFactor(0, 5);
    both->setStretchFactor(1, 4);
    both->setChildrenCollapsible(false);
    column->addWidget(both, 1);
    // Stretch factors only distribute space beyond the size hints; these sizes set the initial proportions.
    m_upper->setSizes({1000, 1000});
    both->setSizes({1100, 900});

    connect(m_bar, &PositionBar::playToggled, this, [this] { play(!isPlaying()); });
    connect(m_bar, &PositionBar::stepped, this, &RotationRoom::stepBy);
    connect(m_bar, &PositionBar::queryMoved, this, [this](qint64 m) { scrub(m, m_scene.state.n, true); });
    connect(m_bar, &PositionBar::keyMoved, this, [this](qint64 n) { scrub(m_scene.state.m, n, false); });
    connect(m_bar, &PositionBar::finished, this, &RotationRoom::endMerging);
    m_timer.setInterval(kFrameMs);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        const auto milliseconds = static_cast<double>(m_clock.restart());
        advance(milliseconds / 1000);
    });
}

void RotationRoom::makeViews() {
    m_dialsPair = addPair(tr("Dials of the pairs"));
    m_pairPair = addPair(tr("Enlarged pair"));
    m_dials = m_dialsPair->view();
    m_pair = m_pairPair->view();
    m_logit = addView(tr("Logit contribution per pair"));
    m_helixPair = addPair(tr("Helix of the enlarged pair"));
    m_matrixPair = addPair(tr("Rotation matrix"));
    m_helix = m_helixPair->view();
    m_matrix = m_matrixPair->view();
    m_aim = addView(tr("Logit versus distance"));
    m_tokensPair = addPair(tr("Tokens and pairs"));
    m_circuitPair = addPair(tr("Attention of the built head"));
    m_tokens = m_tokensPair->view();
    m_circuit = m_circuitPair->view();
    m_circuitDistance = addView(tr("Attention of the built head by distance"));
    connectDials();
    connectPair();
    connectLogit();
    connectHelix();
}

QWidget* RotationRoom::makeStrip() {
    auto* strip = new QWidget(this);
    auto* column = new QVBoxLayout(strip);
    scaleLayout(column, {0, 4, 0, 0}, 4);
    m_tabRow = new QWidget(strip);
    m_stripRow = new QHBoxLayout(m_tabRow);
    auto* row = m_stripRow;
    scaleLayout(row, {0, 0, 0, 0}, 4);
    m_tabs = new QButtonGroup(this);
    struct Tab {
        Page page;
        QString text;
        QString tip;
    };
    for (const Tab& tab :
         {Tab{Logit, tr("Logit"), tr("Shows the logit as a sum over the pairs (formula 7).")},
          Tab{Helix, tr("Helix"), tr("Shows the curve (cos mωᵢ, sin mωᵢ, m) of the enlarged pair (formula 1).")},
          Tab{Matrix, tr("Matrix"), tr("Shows the rotation matrix Rₘ at the position of q (formulas 1 and 6).")},
          Tab{Aim, tr("Aim"), tr("Sets a key whose logit is largest at a chosen distance (formula 17).")},
          Tab{Tokens, tr("Tokens"),
              tr("Shows the pairs of each token of a text before and after rotation (formula 1).")},
          Tab{Circuit, tr("Circuit"),
              tr("Builds an attention head from norms and phases, and puts it into a trained model (formula 7).")}}) {
        m_tabs->setId(addToggle(row, m_tabs, tab.text, tab.text, tab.tip), tab.page);
    }
    row->addStretch(1);
    m_logitText = new QLabel(m_tabRow);
    m_logitText->setToolTip(
        tr("logit = Σ ‖qᵢ‖ ‖kᵢ‖ cos(φᵢ + Δωᵢ)/√d over the pairs + the unrotated part, with Δ = m − n (formula 7)"));
    // In a narrow window the text wraps, so that the tabs beside it need no wider page.
    m_logitText->setWordWrap(true);
    m_logitText->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(m_logitText, 20);
    // At the end, so that the button keeps its place while the numbers change.
    m_formula = makeFormulaButton(m_tabRow);
    row->addWidget(m_formula);
    column->addWidget(m_tabRow);
    m_numbersRow = new QHBoxLayout;
    scaleLayout(m_numbersRow, {0, 0, 0, 0}, 4);
    column->addLayout(m_numbersRow);

    m_pages = new QStackedWidget(strip);
    auto* logitPage = new QWidget(m_pages);
    auto* logitRow = new QHBoxLayout(logitPage);
    scaleLayout(logitRow, {0, 0, 0, 0}, 12);
    logitRow->addWidget(m_logit, 1);
    m_shift = new ShiftCard;
    logitRow->addWidget(makeSideArea(m_shift, logitPage));
    connect(m_shift, &ShiftCard::shiftRequested, this, &RotationRoom::shift);
    connect(m_shift, &ShiftCard::undoRequested, this, &RotationRoom::undoShift);
    m_matrixArea = new QScrollArea(m_pages);
    m_matrixArea->setWidgetResizable(true);
    m_matrixArea->setFocusPolicy(Qt::NoFocus);
    m_matrixArea->setWidget(m_matrixPair);
    m_aimPage = new AimPage(m_aim, m_pages);
    connect(m_aimPage, &AimPage::aimed, this, &RotationRoom::aimAt);
    connect(m_aimPage, &AimPage::refined, this, &RotationRoom::schedule);
    connect(m_aimPage, &AimPage::finished, this, &RotationRoom::endMerging);
    for (QWidget* page : {logitPage, static_cast<QWidget*>(m_helixPair), static_cast<QWidget*>(m_matrixArea),
                          static_cast<QWidget*>(m_aimPage), makeTokensPage(), makeCircuitPage()}) {
        m_pages->addWidget(page);
    }
    column->addWidget(m_pages, 1);
    for (const Page page : {Logit, Helix, Matrix, Aim, Tokens, Circuit})
        shownBy(m_pages->widget(page), m_tabs->button(page));
    m_tabs->button(Logit)->setChecked(true);
    explainBy(m_logit, m_logitText);
    explainBy(m_helix, m_tabs->button(Helix));
    explainBy(m_matrix, m_tabs->button(Matrix));
    explainBy(m_aim, m_tabs->button(Aim));
    explainBy(m_tokens, m_tabs->button(Tokens));
    explainBy(m_circuit, m_tabs->button(Circuit));
    explainBy(m_circuitDistance, m_tabs->button(Circuit));
    connect(m_tabs, &QButtonGroup::idClicked, this, [this](int id) { showPage(static_cast<Page>(id)); });
    return strip;
}

QToolButton* RotationRoom::makeFormulaButton(QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setText(tr("Copy formula"));
    button->setToolTip(
        tr("Copies the formula of the enlarged pair with its numbers, as Unicode text or as LaTeX (formula 7)."));
    button->setProperty("chip", true);
    button->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(button);
    addFormulaActions(*menu);
    button->setMenu(menu);
    return button;
}

void RotationRoom::addFormulaActions(QMenu& menu) {
    menu.addAction(tr("Copy formula as Unicode text"), this, [this] { copyFormula(FormulaFormat::unicode); });
    menu.addAction(tr("Copy formula as LaTeX"), this, [this] { copyFormula(FormulaFormat::latex); });
}

void RotationRoom::openAnimation() {
    openAnimationDialog();
}

AnimationDialog* RotationRoom::openAnimationDialog() {
    AnimationJob job;
    job.figure = figure().name;  // also removes the highlight of the pair under the mouse
    job.setup = m_scene.setup;
    job.state = m_scene.state;
    auto* dialog = new AnimationDialog(std::move(job), window());
    dialog->show();
    return dialog;
}

void RotationRoom::addToMenu(const FigureView* view, QMenu& menu) {
    if (view == m_pair && m_scene.enlargedPair()) addFormulaActions(menu);
}

void RotationRoom::copyFormula(FormulaFormat format) {
    if (const auto pair = m_scene.enlargedPair()) {
        const PairTerm term = m_scene.term(*pair);
        QGuiApplication::clipboard()->setText(format == FormulaFormat::unicode ? pairFormulaText(term)
                                                                               : pairFormulaLatex(term));
    }
}

RotationRoom::Page RotationRoom::page() const {
    return static_cast<Page>(m_pages->currentIndex());
}

void RotationRoom::showPart(const QString& part) {
    const QStringList parts = {QStringLiteral("logit"), QStringLiteral("helix"),  QStringLiteral("matrix"),
                               QStringLiteral("aim"),   QStringLiteral("tokens"), QStringLiteral("circuit")};
    const QStringList above = {QStringLiteral("dials"), QStringLiteral("pair")};  // always shown, above the pages
    if (above.contains(part)) {
        FigureView* view = part == above[0] ? m_dials : m_pair;
        ScrollPage::reveal(view);
        emit view->chosen();
        return;
    }
    const auto page = parts.indexOf(part);
    if (page < 0) throw noPart(part, above + parts);
    showPage(static_cast<Page>(page));
}

void RotationRoom::showPage(Page page) {
    m_tabs->button(page)->setChecked(true);
    m_pages->setCurrentIndex(page);
    ScrollPage::reveal(m_pages);
    if (page != Aim) {
        m_aimPage->stop();
    }
    FigureView* views[] = {m_logit, m_helix, m_matrix, m_aim, m_tokens, m_circuit};
    emit views[page]->chosen();
    schedule();
}

QAbstractButton* RotationRoom::playButton() const {
    return m_bar->playButton();
}

QWidget* RotationRoom::options() {
    if (!m_vectors) {
        m_vectors = new VectorsPanel;
        m_runVectors = new RunVectors(m_runAccess, m_vectors);
        m_vectors->layout()->addWidget(m_runVectors);
        connect(m_runVectors, &RunVectors::loaded, this, &RotationRoom::useRunVectors);
        m_vectors->show(m_scene.state);
        connect(m_vectors, &VectorsPanel::chosen, this, &RotationRoom::chooseVectors);
        connect(m_vectors, &VectorsPanel::sampleRequested, this, &RotationRoom::sampleAgain);
    }
    return m_vectors;
}

void RotationRoom::addActions(ActionRegistry& registry, const RoomHandle<RotationRoom>& room) {
    const auto shown = [room] { return room.isVisible(); };
    const auto add = [&](const char* id, const QString& text, std::function<void()> handler) {
        registry.add(
            {.id = QString::fromLatin1(id), .menu = {}, .text = text, .handler = std::move(handler), .enabled = shown});
    };
    add("rotation.play", tr("Rotation: play or pause the positions (Space or P)"),
        [room] { room->play(!room->isPlaying()); });
    registry.add({.id = QStringLiteral("rotation.animate"),
                  .menu = QStringLiteral("File"),
                  .text = tr("Export animation of the Rotation room …"),
                  .handler = [room] { room->openAnimation(); },
                  .enabled = shown});
    add("rotation.formula", tr("Rotation: copy the formula of the pair as Unicode text"),
        [room] { room->copyFormula(FormulaFormat::unicode); });
    add("rotation.latex", tr("Rotation: copy the formula of the pair as LaTeX"),
        [room] { room->copyFormula(FormulaFormat::latex); });
    add("rotation.draw", tr("Rotation: resample q and k"), [room] { room->sampleAgain(); });
    add("rotation.shift", tr("Rotation: shift m and n by 1,000 positions"), [room] {
        room->showPage(Logit);
        room->shift();
    });
    add("rotation.previous", tr("Rotation: build a previous-token head"), [room] {
        room->showPage(Circuit);
        room->buildHead(1);
    });
    add("rotation.aim", tr("Rotation: aim k at a distance"), [room] {
        room->showPage(Aim);
        room->aimAt(room->m_scene.state.distance);
    });
}

RotationScene RotationRoom::otherScene(const ShapedSetup& other) const {
    return m_scene.withSetup(other.setup, model().otherFrequencies());
}

void RotationRoom::showScene(FigureView* view, Figure (*make)(const RotationScene&)) {
    showFigure(view, make(m_scene), [this, make](const ShapedSetup& other) { return make(otherScene(other)); });
}

void RotationRoom::renewLogitText() {
    const double total = m_scene.split().total;
    QString logit = readableNumber(total);
    if (const auto& other = model().other()) {
        const double theirs = otherScene(*other).split().total;
        const double difference = model().editsB() ? total - theirs : theirs - total;
        logit = tr("%1, B − A = %2").arg(bothValues(logit, readableNumber(theirs)), readableNumber(difference));
    }
    const QString text = tr("Δ = m − n = %1 tokens, logit %2")
                             .arg(readableCount(static_cast<double>(m_scene.state.m - m_scene.state.n)), logit);
    if (text != m_logitText->text()) {
        m_logitText->setText(text);
    }
}

void RotationRoom::renew() {
    m_scene.state.highlighted = model().highlightedPair();
    m_scene.setSetup(model().setup(), model().frequencies());
    m_bar->show(m_scene);
    renewLogitText();
    if (m_vectors) {
        m_vectors->show(m_scene.state);
    }
    showScene(m_dials, dialsFigure);
    m_dials->setWhatsThis(dialsToolTip(m_scene, model().highlightedPair()));
    showScene(m_pair, pairFigure);
    m_pair->setToolTip(pairToolTip(m_scene));
    m_formula->setEnabled(m_scene.enlargedPair().has_value());
    renewPage();
}

void RotationRoom::renewPage() {
    const auto other = model().other() ? std::optional(otherScene(*model().other())) : std::optional<RotationScene>();
    switch (page()) {
        case Logit:
            showScene(m_logit, logitFigure);
            m_shift->show(m_scene, other, model().editsB());
            break;
        case Helix:
            showScene(m_helix, helixFigure);
            break;
        case Matrix:
            fitMatrix();
            showScene(m_matrix, matrixFigure);
            break;
        case Aim:
            m_aimPage->show(m_scene, other, model().editsB());
            if (other) showBothIn(m_aim, bothFigures(m_aimPage->figure(), m_aimPage->otherFigure()));
            break;
        case Tokens:
            renewTokens();
            break;
        case Circuit:
            renewCircuit();
            break;
    }
}

void RotationRoom::fitPage(const QSize& page) {
    const ThemeManager& theme = ThemeManager::instance();
    const bool compares = model().other().has_value();
    // Beside each other, the pictures would cut off their legends: those of each kind get a row of their own.
    const bool isNarrow = page.width() < theme.pixels(compares ? kMinWidthForFour : kMinWidthForTwo);
    const Qt::Orientation direction = isNarrow ? Qt::Vertical : Qt::Horizontal;
    if (m_upper->orientation() != direction) {
        m_upper->setOrientation(direction);
        m_upper->setSizes({1000, 1000});
    }
    fitNumbers(page.width() < theme.pixels(compares ? kMinWidthForBothLogits : kMinWidthForLogit),
               page.width() < theme.pixels(kMinWidthForFormula));
}

void RotationRoom::fitNumbers(bool logitBelow, bool formulaBelow) {
    const auto isBelow = [this](QWidget* each) { return m_numbersRow->indexOf(each) >= 0; };
    if (isBelow(m_logitText) == logitBelow && isBelow(m_formula) == formulaBelow) return;
    for (QWidget* each : {static_cast<QWidget*>(m_logitText), static_cast<QWidget*>(m_formula)}) {
        m_stripRow->removeWidget(each);
        m_numbersRow->removeWidget(each);
    }
    m_logitText->setWordWrap(logitBelow);
    (logitBelow ? m_numbersRow : m_stripRow)->addWidget(m_logitText, 20);
    (formulaBelow ? m_numbersRow : m_stripRow)->addWidget(m_formula);
}

void RotationRoom::fitMatrix() {
    QSizeF needed = matrixMinimum(m_scene, m_matrix->style());
    if (const auto& other = model().other()) {
        needed = needed.expandedTo(matrixMinimum(otherScene(*other), m_matrix->style()));
    }
    const QSize size(static_cast<int>(std::ceil(needed.width())), static_cast<int>(std::ceil(needed.height())));
    if (m_matrix->minimumSize() != size) {
        m_matrix->setMinimumSize(size);
    }
}

void RotationRoom::hideEvent(QHideEvent* event) {
    play(false);
    m_aimPage->stop();
    model().hoverPair(std::nullopt);
    RotaryRoom::hideEvent(event);
}

}  // namespace ropelab::ui
