// What the window does for the rotary rooms: the models, the statements, the formulas, the setup as text, files dropped
// onto it.
#include <QApplication>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QUrl>

#include "ui/rotary/models/model_map.h"
#include "ui/rotary/statements/statement_cards.h"
#include "ui/window/formula_book.h"
#include "ui/window/main_window.h"

namespace ropelab::ui {

namespace {

// The one file of a drag that the window can open, or "".
QString droppedFile(const QMimeData* data) {
    const QList<QUrl> urls = data->urls();
    if (urls.size() != 1 || !urls.first().isLocalFile()) return QString();
    const QString path = urls.first().toLocalFile();
    const bool known = path.endsWith(QStringLiteral(".ropelab")) || path.endsWith(QStringLiteral(".json"));
    return known ? path : QString();
}

void present(QWidget& window) {
    window.show();
    window.raise();
    window.activateWindow();
}

}  // namespace

ModelMap& MainWindow::models() {
    if (!m_models) m_models = new ModelMap(m_workspace, this);
    return *m_models;
}

StatementCards& MainWindow::statements() {
    if (!m_statements) {
        m_statements = new StatementCards(m_workspace, this);
        connect(m_statements, &StatementCards::shown, this,
                [this](const QString& room, const QString& part) { showRoom(room, part); });
        connect(m_statements, &StatementCards::formulaAsked, this, &MainWindow::showFormulas);
    }
    return *m_statements;
}

void MainWindow::showStatements() {
    present(statements());
}

FormulaBook& MainWindow::formulas() {
    if (!m_formulas) m_formulas = new FormulaBook(this);
    return *m_formulas;
}

void MainWindow::showFormulas(int number) {
    present(formulas());
    if (number > 0) formulas().showFormula(number);
}

void MainWindow::addRotaryActions() {
    connect(&m_workspace, &Workspace::modelsAsked, this, [this] { present(models()); });
    RotaryModel& model = m_workspace.rotary();
    m_actions->add({.id = "rotary.models",
                    .menu = "File",
                    .text = tr("Known models and config.json …"),
                    .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_M)},
                    .handler = [this] { present(models()); },
                    .separatorBefore = true});
    m_actions->add({.id = "rotary.copy", .menu = "Edit", .text = tr("Copy rotary setup"), .handler = [&model] {
                        QApplication::clipboard()->setText(QString::fromStdString(text_of(model.setup())));
                    }});
    m_actions->add({.id = "rotary.paste", .menu = "Edit", .text = tr("Paste rotary setup"), .handler = [this, &model] {
                        model.endDrag();
                        ModelShape shape = model.shape();
                        shape.name.clear();
                        model.change(tr("paste setup"), parse_setup(QApplication::clipboard()->text().toStdString()),
                                     shape);
                    }});
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!droppedFile(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QString path = droppedFile(event->mimeData());
    if (path.endsWith(QStringLiteral(".ropelab"))) {
        m_workspace.openLab(path);
    } else if (!path.isEmpty() && !models().importConfig(path)) {
        present(models());  // which says what is wrong
    }
}

}  // namespace ropelab::ui
