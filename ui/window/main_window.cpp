#include "ui/window/main_window.h"

#include <QCloseEvent>
#include <QMenuBar>
#include <QScreen>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/spec/error.h"
#include "ui/common/focus_ring.h"
#include "ui/common/format.h"
#include "ui/common/room.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/lecture/answers_dialog.h"
#include "ui/lecture/course_dialog.h"
#include "ui/models/model_map.h"
#include "ui/rooms/inspect/inspect_panel.h"
#include "ui/rooms/inspect/inspect_room.h"
#include "ui/rotary/rotary_room.h"
#include "ui/session/undo_step.h"
#include "ui/statements/statement_cards.h"
#include "ui/theme/motion.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/class_pooler.h"
#include "ui/window/command_palette.h"
#include "ui/window/corner.h"
#include "ui/window/dialog_explanations.h"
#include "ui/window/explanation_card.h"
#include "ui/window/field_escape.h"
#include "ui/window/keyboard_sheet.h"
#include "ui/window/rail.h"
#include "ui/window/report_writer.h"
#include "ui/window/room_stack.h"
#include "ui/window/rooms.h"
#include "ui/window/status_strip.h"
#include "ui/window/window_stage.h"

namespace ropelab::ui {

namespace {

// Widths in pixels at a window scale of 100 %.
constexpr int kRailNamesFrom = 1120;  // narrower windows show only the icons of the rooms
constexpr int kNarrow = 800;          // narrower windows hide the panel, which would cover half of the figure
constexpr int kLabNameFrom = 560;     // narrower windows show the name of the lab only in their title
constexpr int kPanelWidth = 312;
// Sizes in pixels of what surrounds a window on common desktops, which are unknown before the window is shown.
constexpr int kTitleBar = 40;
constexpr int kFrameBorders = 10;
constexpr int kTaskBar = 48;
constexpr int kMenuPadding = 8;  // height above and below the name of a menu, as in the style sheet

}  // namespace

QSize sizeWithinScreen(const QSize& screen, const QSize& available) {
    // Some desktops do not report their task bar: the available size is then that of the screen.
    const int taskBar = available == screen ? kTaskBar : 0;
    return available - QSize(kFrameBorders, kTitleBar + taskBar);
}

MainWindow::MainWindow(WorkspaceOptions options, QWidget* parent)
    : QMainWindow(parent),
      m_workspace(std::move(options)),
      m_actions(new ActionRegistry(this)),
      m_report(new ReportWriter(this)),
      m_pooler(new ClassPooler(this)) {
    FocusRing::install();
    build();
    makeLectures();
    addActions();
    makeCorner();
    connectWorkspace();
    renewTitle();
    resize(ThemeManager::instance().pixels(1280), ThemeManager::instance().pixels(800));
    // The window itself has the keyboard focus until the user selects a widget.
    setAcceptDrops(true);
    setFocusPolicy(Qt::ClickFocus);
    setFocus();
}

MainWindow::~MainWindow() {
    // The widgets are deleted before the workspace, because fields that lose the focus commit their value to it.
    delete m_course;  // gives back what the course changed
    hide();
    delete m_answers;
    delete m_models;
    delete m_statements;
    delete m_palette;
    delete m_sheet;
    delete m_why;
    delete m_corner;
    delete takeCentralWidget();
    delete m_actions;
}

void MainWindow::build() {
    auto* center = new QWidget(this);
    auto* column = new QVBoxLayout(center);
    scaleLayout(column, {0, 0, 0, 0}, 0);
    m_banners = new BannerArea(center);
    scaleLayout(m_banners->layout(), {12, 4, 12, 4}, 4);

    auto* middle = new QHBoxLayout;
    scaleLayout(middle, {0, 0, 0, 0}, 0);
    column->addLayout(middle, 1);
    m_rail = new Rail(center);
    middle->addWidget(m_rail);
    m_rooms = new RoomStack(m_workspace, center);
    middle->addWidget(&m_rooms->pages(), 1);
    middle->addWidget(&m_rooms->panels());
    m_rail->setCurrent(0);
    connect(m_rail, &Rail::picked, this, [this](int room) {
        switchTo(room);
        if (!m_rail->isAncestorOf(focusWidget())) focusPicture();
    });
    connect(m_rooms, &RoomStack::roomMade, this, &MainWindow::connectRoom);
    connect(m_rooms, &RoomStack::currentChanged, m_actions, &ActionRegistry::refresh);

    m_strip = new StatusStrip(m_workspace.session(), center);
    connect(m_strip, &StatusStrip::pauseAsked, &m_workspace, &Workspace::pauseOrResume);
    connect(m_strip, &StatusStrip::stopAsked, &m_workspace.session(), &SweepSession::stop);
    column->addWidget(m_strip);
    setCentralWidget(center);
    m_banners->overlay(&m_rooms->pages());
    m_rooms->show(0);

    // Before the explanation card, whose Escape comes first: the filter that was installed last is called first.
    new FieldEscape(center, [this] { return room().picture(); });
    m_palette = new CommandPalette(m_actions, this);
    m_palette->setSource([this] { return paletteEntries(); });
    m_sheet = new KeyboardSheet(m_actions, this);
    m_why = new ExplanationCard(this);
    connect(m_why, &ExplanationCard::formulaRequested, this, &MainWindow::showFormulas);
    connect(new DialogExplanations(this), &DialogExplanations::formulaRequested, this, &MainWindow::showFormulas);
}

void MainWindow::makeCorner() {
    m_corner = new Corner(*m_actions, menuBar());
    const auto fit = [this] {
        // A corner widget that is higher than the menu names would increase the height of the menu bar.
        m_corner->setFixedHeight(menuBar()->fontMetrics().height() + ThemeManager::instance().pixels(kMenuPadding));
        m_corner->adjustSize();
        menuBar()->setCornerWidget(m_corner);  // the menu bar uses the width at the time of this call
        m_corner->show();
    };
    connect(m_corner, &Corner::widthChanged, this, fit);
    fit();
}

void MainWindow::connectWorkspace() {
    connect(&m_workspace, &Workspace::problem, this, [this](const QString& id, const QString& sentence) {
        QList<BannerArea::Choice> choices;
        if (id == QStringLiteral("sweep") && !m_workspace.unfinishedRuns().empty()) {
            choices.append({tr("Resume runs"), [this] { m_workspace.resumeRuns(m_workspace.unfinishedRuns()); }});
        }
        m_banners->show(id, BannerArea::Kind::error, sentence, choices);
    });
    connect(&m_workspace, &Workspace::solved, m_banners, &BannerArea::dismiss);
    connect(&m_workspace, &Workspace::inspectAsked, this, [this](RunId run, RunId other) {
        const int inspect = RoomStack::indexOf(QStringLiteral("inspect"));
        m_rooms->handle<InspectRoom>(inspect)->choices().chooseRuns(run, other);
        switchTo(inspect);
    });
    connect(&m_workspace, &Workspace::setupComparisonAsked, this, &MainWindow::compareWithRun);
    connect(m_actions, &ActionRegistry::failed, this, [this](const QString& sentence) {
        m_banners->show(QStringLiteral("action"), BannerArea::Kind::error, sentence);
    });
    connect(&m_workspace.lab(), &LabDocument::renamed, this, &MainWindow::renewTitle);
    connect(&m_workspace.lab(), &LabDocument::opened, this, [this] {
        m_banners->dismiss(QStringLiteral("found"));
        m_banners->dismiss(QStringLiteral("readonly"));
        if (!m_workspace.lab().isReadOnly() || !m_workspace.lab().isOwn()) return;
        m_banners->show(QStringLiteral("readonly"), BannerArea::Kind::warning,
                        tr("%1 is open read-only, because another window has it open or the file cannot be written. "
                           "To work on a copy, save it under another name.")
                            .arg(m_workspace.lab().name()),
                        {{tr("Save lab as …"), [this] { m_actions->action(QStringLiteral("lab.save"))->trigger(); }}});
    });
    connect(&m_workspace, &Workspace::labSaved, this, [this] { m_banners->dismiss(QStringLiteral("readonly")); });
    SweepSession& session = m_workspace.session();
    connect(&session, &SweepSession::started, this, [this] { m_failedRuns = 0; });
    connect(&session, &SweepSession::started, &m_stalls, &StallMeter::restart);
    connect(&session, &SweepSession::ended, &m_stalls, &StallMeter::stop);
    connect(&session, &SweepSession::stateChanged, m_actions, &ActionRegistry::refresh);
    connect(&session, &SweepSession::ended, m_actions, &ActionRegistry::refresh);
    connect(&session, &SweepSession::delivered, this, &MainWindow::reportFailedRuns);
    for (QUndoStack* stack : {&m_workspace.undo(), &m_workspace.rotaryUndo(), &m_workspace.lectureUndo()}) {
        connect(stack, &QUndoStack::indexChanged, m_actions, &ActionRegistry::refresh);
    }
    connect(&m_workspace.runs(), &RunStore::reloaded, m_actions, &ActionRegistry::refresh);
    ThemeManager& theme = ThemeManager::instance();
    connect(&theme, &ThemeManager::changed, m_actions, &ActionRegistry::refresh);
    connect(&theme, &ThemeManager::changed, this, &MainWindow::fitSides);
}

Room& MainWindow::room() {
    return m_rooms->room();
}

void MainWindow::connectRoom(Room& room) {
    connect(&room, &Room::soundFailed, this, [this](const QString& sentence) {
        m_banners->show(QStringLiteral("sound"), BannerArea::Kind::information, sentence);
    });
    connect(&room, &Room::roomRequested, this,
            [this](const QString& id) { m_actions->action(QStringLiteral("room.") + id)->trigger(); });
    connect(&room, &Room::actionsChanged, m_actions, &ActionRegistry::refresh);
    if (const auto* rotary = qobject_cast<RotaryRoom*>(&room)) {
        connect(rotary, &RotaryRoom::animationRequested, this, &MainWindow::exportAnimation);
    }
    orderTabs();
}

void MainWindow::orderTabs() {
    // Qt appends the fields of a room that is made later to the order in which Tab visits them.
    QWidget* last = nullptr;
    QList<QWidget*> after;
    for (QWidget* each = nextInFocusChain(); each != this; each = each->nextInFocusChain()) {
        if (each->focusPolicy() == Qt::NoFocus) continue;
        const bool isAfter = m_strip->isAncestorOf(each) || (m_corner && m_corner->isAncestorOf(each));
        if (isAfter) {
            after << each;
        } else {
            last = each;
        }
    }
    for (QWidget* each : after) {
        setTabOrder(last, each);
        last = each;
    }
}

void MainWindow::switchTo(int room) {
    m_rail->setCurrent(room);
    m_rooms->show(room);
    // The stacks restore the focus of the page. If that is a text field, it would take the next digit.
    const QWidget* focused = focusWidget();
    if (m_rooms->pages().isAncestorOf(focused) || m_rooms->panels().isAncestorOf(focused)) focusPicture();
}

void MainWindow::focusPicture() {
    room().picture()->setFocus(Qt::OtherFocusReason);
}

QUndoStack& MainWindow::undoStack() {
    return room().undoScope() == Room::UndoScope::rotary ? m_workspace.rotaryUndo() : m_workspace.undo();
}

bool MainWindow::ownsUndo() {
    return room().undoScope() == Room::UndoScope::rotary || m_workspace.lab().isOwn();
}

void MainWindow::undo() {
    room().endEdit();
    m_strip->tell(undoLatest(undoStack()));
}

void MainWindow::redo() {
    room().endEdit();
    m_strip->tell(redoNext(undoStack()));
}

void MainWindow::showRoom(const QString& id, const QString& part) {
    switchTo(RoomStack::indexOf(id));
    if (!part.isEmpty()) room().showPart(part);
}

void MainWindow::restoreSettings() {
    Settings& settings = m_workspace.settings();
    ThemeManager& theme = ThemeManager::instance();
    const QString choice = settings.value("window/theme").toString();
    theme.setScale(settings.value("window/scale").toInt());
    theme.setChoice(choice == QStringLiteral("light")      ? ThemeManager::Choice::light
                    : choice == QStringLiteral("dark")     ? ThemeManager::Choice::dark
                    : choice == QStringLiteral("contrast") ? ThemeManager::Choice::contrast
                                                           : ThemeManager::Choice::system);
    setMotionReduced(settings.value("window/reduced_motion").toBool());
    setPanelFolded(settings.value("window/panel_folded").toBool());
    setRailFolded(settings.value("window/rail_folded").toBool());
    const QByteArray geometry = settings.value("window/geometry").toByteArray();
    if (!geometry.isEmpty()) {
        restoreGeometry(geometry);
    } else {
        fitScreen();
    }
    // From now on, changes by the user are stored.
    connect(&theme, &ThemeManager::changed, this, [this, &theme] {
        if (m_stage->isPresenting()) return;  // a presentation has a theme and a scale of its own
        const char* names[] = {"system", "light", "dark", "contrast"};
        m_workspace.settings().setValue("window/theme", QString::fromLatin1(names[static_cast<int>(theme.choice())]));
        m_workspace.settings().setValue("window/scale", theme.scale());
    });
}

void MainWindow::fitScreen() {
    const QSize preferred = size();
    resize(preferred.boundedTo(sizeWithinScreen(screen()->size(), screen()->availableSize())));
    // A desktop that supports it gives a maximized window exactly the free space. On the others the window stays at the
    // size above.
    if (size() != preferred) setWindowState(windowState() | Qt::WindowMaximized);
}

void MainWindow::reopenUnsavedLab() {
    if (!m_workspace.reopenUnsaved()) return;
    const auto runs = static_cast<std::int64_t>(m_workspace.runs().runs().size());
    const std::size_t unfinished = m_workspace.unfinishedRuns().size();
    QString text = tr("Recovered an unsaved lab with %1.").arg(countText(runs, tr("run")));
    if (unfinished > 0) text += QLatin1Char(' ') + tr("%1 of its runs can be resumed.").arg(unfinished);
    m_banners->show(QStringLiteral("found"), BannerArea::Kind::information, text,
                    {{tr("Save lab as …"), [this] { m_actions->action(QStringLiteral("lab.save"))->trigger(); }},
                     {tr("Start new lab"), [this] { m_workspace.newLab(); }}});
}

void MainWindow::setPanelFolded(bool folded) {
    m_panelFolded = folded;
    fitSides();
    m_workspace.settings().setValue("window/panel_folded", folded);
    m_actions->refresh();
}

bool MainWindow::isNarrow() const {
    return width() < ThemeManager::instance().pixels(kNarrow);
}

bool MainWindow::isPanelShown() const {
    return isNarrow() ? m_panelOpened : !m_panelFolded;
}

void MainWindow::togglePanel() {
    if (!isNarrow()) return setPanelFolded(!m_panelFolded);
    m_panelOpened = !m_panelOpened;
    fitSides();
    m_actions->refresh();
}

void MainWindow::setRailFolded(bool folded) {
    m_railFolded = folded;
    fitSides();
    m_workspace.settings().setValue("window/rail_folded", folded);
    m_actions->refresh();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    endLecture();  // the choices of the lecture must not become those of the next start
    m_workspace.settings().setValue("window/geometry", saveGeometry());
    if (!m_workspace.isBusy()) {
        event->accept();
        return;
    }
    // The sweep stops after its current step, saves its checkpoints and is recorded; then the window closes.
    event->ignore();
    if (m_closing) return;
    m_closing = true;
    m_strip->setNotice(tr("Saving …"));
    m_workspace.whenIdle([this] {
        m_closing = false;
        QTimer::singleShot(0, this, &QWidget::close);
    });
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    fitSides();
}

void MainWindow::fitSides() {
    if (m_stage && m_stage->isPresenting()) return m_stage->fitSides();
    // A narrow window leaves its width to the figure.
    const ThemeManager& theme = ThemeManager::instance();
    m_rail->setFolded(m_railFolded || width() < theme.pixels(kRailNamesFrom));
    m_rail->setTight(isNarrow());
    if (!isNarrow()) m_panelOpened = false;
    m_rooms->panels().setFixedWidth(std::min(theme.pixels(kPanelWidth), width() - m_rail->width()));
    m_rooms->panels().setVisible(isPanelShown());
    if (!m_corner) return;  // The window is not complete yet.
    m_corner->setNarrow(width() < theme.pixels(kLabNameFrom));
    if (m_actions->action(QStringLiteral("view.panel"))->isChecked() != isPanelShown()) m_actions->refresh();
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::WindowStateChange && m_corner)
        m_actions->refresh();  // The desktop may have changed it.
}

void MainWindow::paintEvent(QPaintEvent* event) {
    QMainWindow::paintEvent(event);
    if (m_painted) return;
    m_painted = true;
    QTimer::singleShot(0, this, &MainWindow::ready);
}

void MainWindow::renewTitle() {
    const QString name = m_workspace.lab().name();
    setWindowTitle(tr("%1 — RoPE Lab").arg(name));
    m_corner->showLab(tr("lab: %1").arg(name), m_workspace.lab().path());
}

void MainWindow::reportFailedRuns(const std::vector<Delivery>& deliveries) {
    for (const Delivery& delivery : deliveries) {
        const auto* event = std::get_if<Event>(&delivery);
        const auto* end = event ? std::get_if<event::RunEnded>(event) : nullptr;
        if (!end || end->state != RunState::failed) continue;
        const RunView* run = m_workspace.runs().find(end->run);
        const QString name = run ? run->name : QString::number(end->run);
        const QString text = tr("The run %1 failed: %2").arg(name, QString::fromStdString(end->message));
        ++m_failedRuns;
        m_banners->show(
            QStringLiteral("failed"), BannerArea::Kind::warning,
            m_failedRuns == 1 ? text : tr("%1 runs failed. The last failure: %2").arg(m_failedRuns).arg(text));
    }
}

}  // namespace ropelab::ui
