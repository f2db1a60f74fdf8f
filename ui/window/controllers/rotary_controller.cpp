#include "ui/window/controllers/rotary_controller.h"

#include <QClipboard>
#include <QGuiApplication>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/plan/step_cost.h"
#include "core/study/head_vectors.h"
#include "ui/help/guide.h"
#include "ui/models/model_entry.h"
#include "ui/models/model_map.h"
#include "ui/rooms/rotation/animation_dialog.h"
#include "ui/session/workspace.h"
#include "ui/shell/actions.h"
#include "ui/shell/notices/banners.h"
#include "ui/statements/statement_cards.h"
#include "ui/window/frame/rooms.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

void showInFront(QWidget& window) {
    window.show();
    window.raise();
    window.activateWindow();
}

/// Throws BadInput if a setup cannot represent the run.
ShapedSetup shapedSetupOf(const RunSpec& spec, const QString& name, ModelShape shape) {
    require_plain_frequencies(spec);
    shape.name = name;
    shape.sizes = attention_sizes(spec);
    shape.caches = plan_of(spec, 1).caches().value();
    return {setup_of(spec), shape};
}

QString titleOfRoom(const QString& id) {
    const auto all = rooms();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const RoomEntry& room) { return id == QLatin1String(room.id); });
    return found == all.end() ? id : found->title;
}

}  // namespace

RotaryController::RotaryController(Workspace& workspace, BannerArea& banners, ActionRegistry& actions, RoomStack& rooms,
                                   QWidget* window)
    : QObject(window),
      m_workspace(workspace),
      m_banners(banners),
      m_actions(actions),
      m_rooms(rooms),
      m_window(window) {
    RotaryModel& model = m_workspace.rotary();
    connect(&model, &RotaryModel::modelsRequested, this, &RotaryController::showModels);
    connect(&model, &RotaryModel::statementsRequested, this, &RotaryController::showStatements);
    connect(&m_workspace, &Workspace::setupComparisonAsked, this, &RotaryController::compareWithRun);
}

RotaryController::~RotaryController() {
    delete m_models;
    delete m_statements;
    delete m_guide;
}

void RotaryController::addActions() {
    RotaryModel& model = m_workspace.rotary();
    m_actions.add({.id = "rotary.models",
                   .menu = "File",
                   .text = u"Known models and config.json …"_s,
                   .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_M)},
                   .handler = [this] { showModels(); },
                   .separatorBefore = true});
    m_actions.add({.id = "rotary.copy", .menu = "Edit", .text = u"Copy rotary setup"_s, .handler = [&model] {
                       QGuiApplication::clipboard()->setText(QString::fromStdString(setups_text(model.setups())));
                   }});
    m_actions.add({.id = "rotary.paste", .menu = "Edit", .text = u"Paste rotary setup"_s, .handler = [&model] {
                       model.endDrag();
                       model.changeBoth(u"paste rotary setup"_s,
                                        parse_setups(QGuiApplication::clipboard()->text().toStdString()));
                   }});
}

ModelMap& RotaryController::models() {
    if (m_models) return *m_models;
    m_models = new ModelMap(m_workspace.rotary(), m_window);
    const LabDocument& lab = m_workspace.lab();
    const auto offerOpened = [this, &lab] {
        for (const ModelMark& model : lab.models()) m_models->offer(QString::fromStdString(model.path));
    };
    connect(&lab, &LabDocument::modelsChanged, m_models, offerOpened);
    offerOpened();
    connect(m_models, &QDialog::finished, this, [this] {
        // The other pages do not show the rotary setup, so that nothing would have changed on screen.
        const QString guide = QString::fromLatin1(rooms()[static_cast<std::size_t>(m_rooms.current())].guide);
        if (m_models->hasLoaded() && !guide.startsWith("rotary-rooms.md"_L1)) m_rooms.show(u"spectrum"_s);
    });
    return *m_models;
}

void RotaryController::showModels() {
    showInFront(models());
}

void RotaryController::showModel(const QString& name) {
    showModels();
    if (models().pick(name)) models().lightPicked();
}

bool RotaryController::useModel(const QString& name) {
    // Models that were opened are in the window.
    const bool isOpened = m_models || !m_workspace.lab().models().empty();
    const auto known = isOpened ? std::nullopt : knownModel(name);
    if (!known) return models().pick(name) && models().load();
    RotaryModel& model = m_workspace.rotary();
    model.endDrag();
    model.change(u"load %1"_s.arg(known->name), setupOf(*known, 0, model.setup()), shapeOf(*known, 0, model.shape()));
    return true;
}

void RotaryController::importConfig(const QString& path) {
    if (!models().importConfig(path)) showModels();
}

StatementCards& RotaryController::statements() {
    if (!m_statements) {
        m_statements = new StatementCards(m_workspace.rotary(), titleOfRoom, m_window);
        connect(m_statements, &StatementCards::shown, this,
                [this](const QString& room, const QString& part) { m_rooms.show(room, part); });
        connect(m_statements, &StatementCards::formulaRequested, this, &RotaryController::showFormulas);
    }
    return *m_statements;
}

void RotaryController::showStatements() {
    showInFront(statements());
}

Guide& RotaryController::guide() {
    if (!m_guide) m_guide = new Guide(m_window);
    return *m_guide;
}

void RotaryController::showGuide(const QString& page) {
    showInFront(guide());
    guide().showPage(page);
}

void RotaryController::showFormulas(int number) {
    showInFront(guide());
    if (number == 0 || !guide().showFormula(number)) guide().showPage(u"formulas.md"_s);
}

void RotaryController::exportAnimation(const QString& figure, const RotarySetup& setup) {
    AnimationJob job;
    job.figure = figure;
    job.setup = setup;
    job.state = standardScene(setup).state;
    (new AnimationDialog(std::move(job), m_window))->show();
}

void RotaryController::compareWithRun(RunId run) {
    const RunView* view = m_workspace.runs().find(run);
    if (!view) return;
    const QString banner = u"comparison"_s;
    const QString name = view->name;
    try {
        m_workspace.rotary().compareWith(u"compare with the setup of %1"_s.arg(name),
                                         shapedSetupOf(view->spec, name, m_workspace.rotary().shape()));
    } catch (const BadInput& error) {
        return m_banners.show(banner, BannerArea::Kind::error, QString::fromStdString(error.what()));
    }
    m_banners.dismiss(banner);
    m_rooms.show(u"spectrum"_s);
}

}  // namespace ropelab::ui

#include "moc_rotary_controller.cpp"
