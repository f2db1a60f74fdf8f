#include "ui/window/main_window.h"

#include <QCloseEvent>
#include <QCoreApplication>
#include <QFileInfo>
#include <QMenuBar>
#include <QScreen>
#include <QStackedWidget>
#include <QTimer>
#include <QUndoStack>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/interop/model_steps.h"
#include "ui/common/focus_ring.h"
#include "ui/common/paths.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/help/command_palette.h"
#include "ui/help/explanation_card.h"
#include "ui/help/guide_pages.h"
#include "ui/help/keyboard_sheet.h"
#include "ui/rooms/inspect/inspect_panel.h"
#include "ui/rooms/inspect/inspect_room.h"
#include "ui/rotary/rotary_room.h"
#include "ui/theme/motion.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/controllers/class_controller.h"
#include "ui/window/controllers/figure_opener.h"
#include "ui/window/controllers/lab_controller.h"
#include "ui/window/controllers/lecture_controller.h"
#include "ui/window/controllers/rotary_controller.h"
#include "ui/window/controllers/run_import.h"
#include "ui/window/controllers/tour.h"
#include "ui/window/controllers/window_stage.h"
#include "ui/window/frame/corner.h"
#include "ui/window/frame/field_escape.h"
#include "ui/window/frame/file_drops.h"
#include "ui/window/frame/rail.h"
#include "ui/window/frame/status_strip.h"
#include "ui/window/window_actions.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// Widths in pixels at a window scale of 100 %.
constexpr int kRailNamesFrom = 1120;  // narrower windows show only the icons of the rooms
constexpr int kNarrow = 984;          // narrower windows hide the panel, beside which pages would scroll sideways
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
    : QMainWindow(parent), m_workspace(std::move(options)), m_actions(new ActionRegistry(this)) {
    FocusRing::install();
    build();
    makeControllers();
    addActions();
    makeCorner();
    connectWorkspace();
    renewTitle();
    resize(ThemeManager::instance().pixels(1280), ThemeManager::instance().pixels(800));
    // The window itself has the keyboard focus until the user selects a widget.
    setFocusPolicy(Qt::ClickFocus);
    setFocus();
}

MainWindow::~MainWindow() {
    // The widgets are deleted before the workspace, because fields that lose the focus commit their value to it.
    m_lectures->end();  // a presentation filters all events, also those of widgets that are being deleted
    delete m_classes;   // the course gives back what it changed
    hide();
    delete m_rotary;
    delete m_palette;
    delete m_sheet;
    delete m_why;
    delete m_corner;
    delete centralWidget();  // taken out of the window, all its widgets would get their style again
    delete m_actions;
}

void MainWindow::build() {
    auto* center = new QWidget(this);
    auto* column = scaledColumn(center, 0);
    m_banners = new BannerArea(center);
    scaleLayout(m_banners->layout(), {12, 4, 12, 4}, 4);

    auto* middle = scaledRow(nullptr, 0);
    column->addLayout(middle, 1);
    m_rail = new Rail(center);
    middle->addWidget(m_rail);
    m_rooms = new RoomStack(m_workspace, center);
    m_rooms->setParent(this);  // outlives the rooms, which may use the current one at their end
    middle->addWidget(&m_rooms->pages(), 1);
    middle->addWidget(&m_rooms->panels());
    connect(m_rail, &Rail::picked, this, [this](int room) {
        m_rooms->show(room);
        if (!m_rail->isAncestorOf(focusWidget())) focusPicture(Qt::MouseFocusReason);
    });
    connect(m_rooms, &RoomStack::roomMade, this, &MainWindow::connectRoom);
    connect(m_rooms, &RoomStack::currentChanged, m_actions, &ActionRegistry::refresh);
    connect(m_rooms, &RoomStack::currentChanged, this, [this] {
        m_rail->setCurrent(m_rooms->current());
        // The stacks restore the focus of the page. If that is a text field, it would take the next digit.
        const QWidget* focused = focusWidget();
        if (m_rooms->pages().isAncestorOf(focused) || m_rooms->panels().isAncestorOf(focused))
            focusPicture(Qt::OtherFocusReason);
    });

    m_doors = new BannerArea(center);
    scaleLayout(m_doors->layout(), {12, 4, 12, 4}, 4);
    column->addWidget(m_doors);
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
    m_sheet = new KeyboardSheet(m_actions, this);
    m_why = new ExplanationCard(this);
}

void MainWindow::makeControllers() {
    m_labs = new LabController(m_workspace, *m_banners, *m_doors, *m_actions, this);
    m_imports = new RunImport(m_workspace, *m_banners, this);
    m_figures = new FigureOpener(m_workspace, *m_banners, *m_rooms, this);
    m_rotary = new RotaryController(m_workspace, *m_banners, *m_actions, *m_rooms, this);
    m_stage = new WindowStage(m_workspace, *m_rooms, *m_rotary, *this);
    m_tour = new Tour(*m_doors, *m_actions, *m_rooms, m_workspace.rotary(), *this);
    connect(m_stage, &WindowStage::sidesChanged, this, &MainWindow::fitSides);
    connect(m_stage, &WindowStage::presentingChanged, this, [this](bool presenting) {
        menuBar()->setVisible(!presenting);
        m_rail->setVisible(!presenting);
        m_strip->setVisible(!presenting);
        m_banners->setCovered(presenting);
        m_doors->setCovered(presenting);
        fitSides();
    });
    m_lectures = new LectureController(m_workspace, *m_banners, *m_actions, *m_rooms, *m_stage, this);
    m_classes = new ClassController(m_workspace, *m_banners, *m_actions, *m_rooms, *m_lectures, *m_stage, this);
    const auto hasCheckpoints = [](const QString& path) {
        try {
            return !model_steps(toPath(path)).empty();
        } catch (const BadInput&) {
            return true;  // opening it says why it cannot be opened
        }
    };
    const auto openFigure = [this](const QString& path) { m_figures->open(path); };
    new FileDrops(this,
                  {{".ropelab", [this](const QString& path) { m_workspace.openLab(path); }},
                   {".gguf", [this](const QString& path) { m_workspace.openModel(path); }},
                   {".safetensors", [this](const QString& path) { m_workspace.openModel(path); }},
                   {"/",
                    [this, hasCheckpoints](const QString& path) {
                        const bool isModel = QFileInfo::exists(path + u"/config.json"_s) ||
                                             QFileInfo::exists(path + u"/params.json"_s) || hasCheckpoints(path);
                        isModel ? m_workspace.openModel(path) : m_imports->import({path});
                    }},
                   {".json", [this](const QString& path) { m_rotary->importConfig(path); }},
                   {".md",
                    [this](const QString& path) {
                        const QString problem = problemOf([&] { m_lectures->openAndPresent(path); });
                        if (!problem.isEmpty()) m_banners->show(u"lecture"_s, BannerArea::Kind::error, problem);
                    }},
                   {".pdf", openFigure},
                   {".svg", openFigure},
                   {".png", openFigure}},
                  [this](const QStringList& paths) { m_classes->pool(paths); },
                  {RunImport::accepts, [this](const QStringList& paths) { m_imports->import(paths); }});
    connect(m_why, &ExplanationCard::formulaRequested, m_rotary, &RotaryController::showFormulas);
    connect(new DialogExplanations(this), &DialogExplanations::formulaRequested, m_rotary,
            &RotaryController::showFormulas);
    connect(m_classes, &ClassController::formulaRequested, m_rotary, &RotaryController::showFormulas);
}

void MainWindow::addActions() {
    m_labs->addActions();
    m_imports->addActions(*m_actions);
    addUndoActions(*m_actions, *m_rooms, m_workspace, *m_strip);
    addFigureActions(*m_actions, *m_rooms);
    m_labs->addReportAction();
    m_rotary->addActions();
    int index = 0;
    for (const RoomEntry& entry : rooms()) {
        if (entry.addActions) entry.addActions(*m_actions, *m_rooms, index);
        ++index;
    }
    addThemeActions(*m_actions, m_workspace.settings());
    addViewActions();
    addListenAction(*m_actions, *m_rooms);
    addRunActions(*m_actions, *m_rooms, m_workspace);
    m_lectures->addActions();
    m_classes->addActions();
    addHelpActions();
    m_actions->fill(menuBar());
    m_labs->addRecentLabs();
    m_palette->setSource(paletteSource(*m_rooms, *m_rotary, [this] {
        if (!isPanelShown()) togglePanel();
    }));
}

void MainWindow::addViewActions() {
    m_actions->add({.id = "view.panel",
                    .menu = "View",
                    .text = u"Show settings panel"_s,
                    .shortcuts = {QKeySequence(Qt::Key_F9)},
                    .handler = [this] { togglePanel(); },
                    .checked = [this] { return isPanelShown(); },
                    .separatorBefore = true});
    m_actions->add({.id = "view.rail",
                    .menu = "View",
                    .text = u"Show names of pages"_s,
                    .shortcuts = {QKeySequence(Qt::SHIFT | Qt::Key_F9)},
                    .handler = [this] { setRailFolded(!isRailFolded()); },
                    .checked = [this] { return !isRailFolded(); }});
    m_actions->add({.id = "view.fullscreen",
                    .menu = "View",
                    .text = u"Show in full screen"_s,
                    .shortcuts = {QKeySequence(Qt::Key_F11)},
                    .handler = [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); },
                    .checked = [this] { return isFullScreen(); }});
    int number = 0;
    for (const RoomEntry& room : rooms()) {
        ++number;
        m_actions->add({.id = u"room."_s + QLatin1String(room.id),
                        .menu = "View",
                        .text = u"Room: %1"_s.arg(room.title),
                        .shortcuts = {roomShortcut(number)},
                        .handler =
                            [this, id = QString::fromLatin1(room.id)] {
                                showRoom(id);
                                focusPicture(Qt::ShortcutFocusReason);
                            },
                        .separatorBefore = number == 1});
    }
}

void MainWindow::showGuideOfRoom() {
    m_rotary->showGuide(QLatin1String(rooms()[static_cast<std::size_t>(m_rooms->current())].guide));
}

void MainWindow::addHelpActions() {
    m_actions->add({.id = "help.palette",
                    .menu = "Help",
                    .text = u"Find …"_s,
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_K)},
                    .handler = [this] { m_palette->open(); }});
    m_actions->add({.id = "help.keyboard",
                    .menu = "Help",
                    .text = u"Keyboard shortcuts"_s,
                    .shortcuts = {QKeySequence(Qt::SHIFT | Qt::Key_F1)},
                    .handler = [this] { m_sheet->toggle(); }});
    m_actions->add({.id = "help.why",
                    .menu = "Help",
                    .text = u"Explain current item"_s,
                    .shortcuts = {QKeySequence(Qt::Key_F1)},
                    .handler = [this] {
                        if (m_sheet->isVisible()) return m_sheet->toggle();
                        if (!m_why->toggle()) showGuideOfRoom();
                    }});
    m_tour->addActions();
    m_actions->add({.id = "help.guide", .menu = "Help", .text = u"Guide"_s, .handler = [this] { showGuideOfRoom(); }});
    m_actions->add({.id = "help.formulas",
                    .menu = "Help",
                    .text = u"Formulas"_s,
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_F1)},
                    .handler = [this] {
                        // If the current explanation refers to a formula, that formula is shown.
                        m_rotary->showFormulas(m_why->isVisible() ? formulasIn(m_why->why().text).value(0) : 0);
                    }});
    m_actions->add(
        {.id = "rotary.statements", .menu = "Help", .text = u"Wrong statements about RoPE"_s, .handler = [this] {
             m_rotary->showStatements();
         }});
    m_actions->add({.id = "help.about", .menu = "Help", .text = u"About RoPE Lab"_s, .handler = [this] {
                        m_banners->show(u"about"_s, BannerArea::Kind::information,
                                        u"RoPE Lab %1 trains small language models and shows how rotary position "
                                        "embeddings work. It is free software under the GNU GPL, version 3 or "
                                        "later."_s.arg(QCoreApplication::applicationVersion()));
                    }});
    m_actions->add({.id = "lab.quit",
                    .menu = "File",
                    .text = u"Quit"_s,
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_Q)},
                    .handler = [this] { close(); },
                    .separatorBefore = true});
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
    connect(&m_workspace, &Workspace::inspectAsked, this, [this](RunId run, RunId other) {
        const int inspect = RoomStack::indexOf(u"inspect"_s);
        m_rooms->handle<InspectRoom>(inspect)->choices().chooseRuns(run, other);
        m_rooms->show(inspect);
    });
    connect(&m_workspace, &Workspace::libTorchMissing, this, [this] { showRoom(u"train"_s); });
    connect(m_actions, &ActionRegistry::failed, this,
            [this](const QString& sentence) { m_banners->show(u"action"_s, BannerArea::Kind::error, sentence); });
    connect(&m_workspace.lab(), &LabDocument::renamed, this, &MainWindow::renewTitle);
    connect(&m_workspace.lab(), &LabDocument::opened, m_strip, &StatusStrip::forgetSweep);
    SweepSession& session = m_workspace.session();
    connect(&session, &SweepSession::started, &m_stalls, &StallMeter::restart);
    connect(&session, &SweepSession::ended, &m_stalls, &StallMeter::stop);
    connect(&session, &SweepSession::stateChanged, m_actions, &ActionRegistry::refresh);
    connect(&session, &SweepSession::ended, m_actions, &ActionRegistry::refresh);
    for (QUndoStack* stack : {&m_workspace.undo(), &m_workspace.rotaryUndo(), &m_workspace.lectureUndo()}) {
        connect(stack, &QUndoStack::indexChanged, m_actions, &ActionRegistry::refresh);
    }
    connect(&m_workspace.runs(), &RunStore::reloaded, m_actions, &ActionRegistry::refresh);
    ThemeManager& theme = ThemeManager::instance();
    connect(&theme, &ThemeManager::changed, m_actions, &ActionRegistry::refresh);
    connect(&theme, &ThemeManager::changed, this, &MainWindow::fitSides);
}

void MainWindow::connectRoom(Room& room) {
    connect(&room, &Room::soundFailed, this,
            [this](const QString& sentence) { m_banners->show(u"sound"_s, BannerArea::Kind::information, sentence); });
    connect(&room, &Room::roomRequested, this,
            [this](const QString& id) { m_actions->action(u"room."_s + id)->trigger(); });
    connect(&room, &Room::actionsChanged, m_actions, &ActionRegistry::refresh);
    if (const auto* rotary = qobject_cast<RotaryRoom*>(&room)) {
        connect(rotary, &RotaryRoom::animationRequested, this,
                [this](const QString& figure, const RotarySetup& setup) { m_rotary->exportAnimation(figure, setup); });
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
    for (QWidget* each : after) setTabOrder(std::exchange(last, each), each);
}

void MainWindow::focusPicture(Qt::FocusReason reason) {
    room().picture()->setFocus(reason);
}

void MainWindow::restoreRoom() {
    const QString id = m_workspace.settings().value("window/room").toString();
    if (std::any_of(rooms().begin(), rooms().end(),
                    [&](const RoomEntry& room) { return id == QLatin1String(room.id); }))
        showRoom(id);
}

void MainWindow::restoreSettings() {
    Settings& settings = m_workspace.settings();
    ThemeManager& theme = ThemeManager::instance();
    const QString choice = settings.value("window/theme").toString();
    theme.setScale(settings.value("window/scale").toInt());
    theme.setChoice(choice == u"light"_s      ? ThemeManager::Choice::light
                    : choice == u"dark"_s     ? ThemeManager::Choice::dark
                    : choice == u"contrast"_s ? ThemeManager::Choice::contrast
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
    m_lectures->end();  // the choices of the lecture must not become those of the next start
    m_stage->finishTurns();
    Settings& settings = m_workspace.settings();
    settings.setValue("window/geometry", saveGeometry());
    const LabDocument& lab = m_workspace.lab();
    const QString opening = m_workspace.openingLab();
    settings.setValue("lab/last", !opening.isEmpty() || lab.isOwnUnsaved() ? opening : lab.ownPath());
    settings.setValue("window/room", m_rooms->currentId());
    if (!m_workspace.isBusy()) {
        event->accept();
        return;
    }
    // The sweep stops after its current step, saves its checkpoints and is recorded; then the window closes.
    event->ignore();
    if (m_closing) return;
    m_closing = true;
    m_strip->setNotice(u"Saving …"_s);
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
    if (m_actions->action(u"view.panel"_s)->isChecked() != isPanelShown()) m_actions->refresh();
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
    const LabDocument& lab = m_workspace.lab();
    setWindowTitle(u"%1 — RoPE Lab"_s.arg(lab.name()));
    const QString kept = u"Runs are stored in the program's own folder until “Save lab as …” names a file. "_s;
    m_corner->showLab(u"lab: %1"_s.arg(lab.name()), lab.isUnsaved() ? kept + lab.path() : lab.path());
}

}  // namespace ropelab::ui

#include "moc_main_window.cpp"
