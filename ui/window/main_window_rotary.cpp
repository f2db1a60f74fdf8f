// The main window for the rotary rooms: dialogs, copying and pasting the setup, and files dropped onto the window.
#include <QApplication>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QUrl>
#include <algorithm>

#include "core/plan/step_cost.h"
#include "core/spec/error.h"
#include "core/study/head_vectors.h"
#include "ui/models/model_map.h"
#include "ui/rooms/rotation/animation_dialog.h"
#include "ui/statements/statement_cards.h"
#include "ui/window/formula_book.h"
#include "ui/window/main_window.h"
#include "ui/window/rooms.h"

namespace ropelab::ui {

namespace {

// "" unless it is a single file that the window can open.
QString droppedFile(const QMimeData* data) {
    const QList<QUrl> urls = data->urls();
    if (urls.size() != 1 || !urls.first().isLocalFile()) return QString();
    const QString path = urls.first().toLocalFile();
    for (const char* suffix : {".ropelab", ".json", ".md", ".pdf", ".svg", ".png"}) {
        if (path.endsWith(QLatin1String(suffix), Qt::CaseInsensitive)) return path;
    }
    return {};
}

void showInFront(QWidget& window) {
    window.show();
    window.raise();
    window.activateWindow();
}

/// Throws BadInput if a setup cannot represent the run.
ShapedSetup shapedSetupOf(const RunSpec& spec, const QString& name, ModelShape shape) {
    require_plain_frequencies(spec);
    const ShapedCache cache = shaped_cache(spec);
    shape.name = name;
    shape.cache = cache.shape;
    shape.kind = cache.kind;
    return {setup_of(spec), shape};
}

QString titleOfRoom(const QString& id) {
    const auto all = rooms();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const RoomEntry& room) { return id == QLatin1String(room.id); });
    return found == all.end() ? id : found->title;
}

}  // namespace

ModelMap& MainWindow::models() {
    if (!m_models) m_models = new ModelMap(m_workspace.rotary(), this);
    return *m_models;
}

StatementCards& MainWindow::statements() {
    if (!m_statements) {
        m_statements = new StatementCards(m_workspace.rotary(), titleOfRoom, this);
        connect(m_statements, &StatementCards::shown, this,
                [this](const QString& room, const QString& part) { showRoom(room, part); });
        connect(m_statements, &StatementCards::formulaRequested, this, &MainWindow::showFormulas);
    }
    return *m_statements;
}

void MainWindow::showStatements() {
    showInFront(statements());
}

FormulaBook& MainWindow::formulas() {
    if (!m_formulas) m_formulas = new FormulaBook(this);
    return *m_formulas;
}

void MainWindow::showFormulas(int number) {
    showInFront(formulas());
    if (number > 0) formulas().showFormula(number);
}

void MainWindow::addRotaryActions() {
    connect(&m_workspace.rotary(), &RotaryModel::modelsRequested, this, [this] { showInFront(models()); });
    RotaryModel& model = m_workspace.rotary();
    connect(&model, &RotaryModel::statementsRequested, this, &MainWindow::showStatements);
    m_actions->add({.id = "rotary.models",
                    .menu = "File",
                    .text = tr("Known models and config.json …"),
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_M)},
                    .handler = [this] { showInFront(models()); },
                    .separatorBefore = true});
    m_actions->add({.id = "rotary.copy", .menu = "Edit", .text = tr("Copy rotary setup"), .handler = [&model] {
                        QApplication::clipboard()->setText(QString::fromStdString(setups_text(model.setups())));
                    }});
    m_actions->add({.id = "rotary.paste", .menu = "Edit", .text = tr("Paste rotary setup"), .handler = [this, &model] {
                        model.endDrag();
                        model.changeBoth(tr("paste rotary setup"),
                                         parse_setups(QApplication::clipboard()->text().toStdString()));
                    }});
}

void MainWindow::exportAnimation(const QString& figure, const RotarySetup& setup) {
    AnimationJob job;
    job.figure = figure;
    job.setup = setup;
    job.state = standardScene(setup).state;
    (new AnimationDialog(std::move(job), this))->show();
}

void MainWindow::compareWithRun(RunId run) {
    const RunView* view = m_workspace.runs().find(run);
    if (!view) return;
    const QString name = view->name;
    try {
        m_workspace.rotary().compareWith(tr("compare with the setup of %1").arg(name),
                                         shapedSetupOf(view->spec, name, m_workspace.rotary().shape()));
    } catch (const BadInput& error) {
        m_banners->show(QStringLiteral("comparison"), BannerArea::Kind::error, QString::fromStdString(error.what()));
        return;
    }
    m_banners->dismiss(QStringLiteral("comparison"));
    showRoom(QStringLiteral("spectrum"));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const bool isKnown = !droppedFile(event->mimeData()).isEmpty() || !droppedResults(event->mimeData()).isEmpty();
    if (isKnown) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    if (const QStringList results = droppedResults(event->mimeData()); !results.isEmpty()) return poolResults(results);
    const QString path = droppedFile(event->mimeData());
    if (path.endsWith(QStringLiteral(".ropelab"), Qt::CaseInsensitive)) {
        m_workspace.openLab(path);
    } else if (path.endsWith(QStringLiteral(".json"), Qt::CaseInsensitive)) {
        if (!models().importConfig(path)) showInFront(models());  // shows the error
    } else if (path.endsWith(QStringLiteral(".md"), Qt::CaseInsensitive)) {
        try {
            openLecture(path);
        } catch (const BadInput& error) {
            m_banners->show(QStringLiteral("lecture"), BannerArea::Kind::error, QString::fromUtf8(error.what()));
        }
    } else if (!path.isEmpty()) {
        openFigure(path);
    }
}

}  // namespace ropelab::ui
