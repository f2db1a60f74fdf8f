#include "ui/window/controllers/run_import.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>
#include <set>
#include <vector>

#include "core/interop/foreign/foreign_import.h"
#include "ui/common/format.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/controls/text_table.h"
#include "ui/session/workspace.h"
#include "ui/shell/actions.h"
#include "ui/shell/notices/banners.h"
#include "ui/theme/dialogs.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

const QString kImportBanner = u"import"_s;

TextTable::Content contentOf(const ImportPlan& plan) {
    const Table table = import_table(plan);
    TextTable::Content content;
    for (const TableColumn& column : table.columns) {
        content.columns.push_back({.title = text(column.heading), .isWord = column.alignment == 'l'});
    }
    for (const auto& row : table.rows) {
        auto& cells = content.rows.emplace_back();
        for (const std::string& cell : row) cells.push_back({.text = text(cell), .tip = text(cell)});
    }
    return content;
}

}  // namespace

RunImport::RunImport(Workspace& workspace, BannerArea& banners, QWidget* window)
    : QObject(window), m_workspace(workspace), m_banners(banners), m_window(window) {}

void RunImport::addActions(ActionRegistry& actions) {
    actions.add({.id = "lab.import", .menu = "File", .text = u"Import runs of other programs …"_s, .handler = [this] {
                     const QString folder =
                         dialogs().folder(m_window, {.title = u"Import runs: choose a folder with files of wandb, "
                                                              "TensorBoard, MLflow and others"_s});
                     if (!folder.isEmpty()) import({folder});
                 }});
    actions.add(
        {.id = "lab.importFiles", .menu = "File", .text = u"Import files of other programs …"_s, .handler = [this] {
             const QStringList files = dialogs().openSeveral(
                 m_window, {.title = u"Import runs: choose files such as a CSV, mlflow.db or events.out.*"_s});
             if (!files.isEmpty()) import(files);
         }});
}

bool RunImport::accepts(const QString& path) {
    return may_be_foreign(toPath(path));
}

void RunImport::import(const QStringList& paths) {
    if (m_question) m_question->close();
    m_banners.show(kImportBanner, BannerArea::Kind::information, u"Reading runs of other programs …"_s);
    std::vector<std::filesystem::path> files;
    for (const QString& path : paths) files.push_back(toPath(path));
    m_job.start([this, files = std::move(files)](const Cancelled& cancelled) -> std::function<void()> {
        auto plan = std::make_shared<ImportPlan>();
        const QString problem = problemOf([&] { *plan = plan_import(files, {}, cancelled); });
        return [this, plan, problem] { problem.isEmpty() ? ask(plan) : refuse(problem); };
    });
}

void RunImport::refuse(const QString& sentence) {
    m_banners.show(kImportBanner, BannerArea::Kind::error, sentence);
}

void RunImport::ask(const std::shared_ptr<const ImportPlan>& plan) {
    m_banners.dismiss(kImportBanner);
    auto* dialog = m_question = new QDialog(m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(u"import"_s);
    dialog->setWindowTitle(u"Import %1"_s.arg(countText(std::ssize(plan->runs), u"run"_s)));
    auto* words = new QLabel(
        u"Settings, seeds and losses were recognized as below. The selected runs become an experiment of the lab; "
        "their models are not imported."_s);
    words->setWordWrap(true);
    auto* model = new TextTable(dialog);
    model->setContent(contentOf(*plan));
    auto* table = new QTableView;
    table->setModel(model);
    table->setAccessibleName(u"Runs to import"_s);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->verticalHeader()->hide();
    table->horizontalHeader()->setStretchLastSection(true);
    table->resizeColumnsToContents();
    table->selectAll();
    auto* notes = new QPlainTextEdit(text(import_notes(*plan)));
    notes->setReadOnly(true);
    notes->setAccessibleName(u"Notes on the import"_s);
    notes->setVisible(!notes->toPlainText().isEmpty());
    notes->setMaximumHeight(ThemeManager::instance().pixels(90));
    auto* buttons = new QDialogButtonBox;
    QPushButton* accept = buttons->addButton(QString(), QDialogButtonBox::AcceptRole);
    buttons->addButton(u"Cancel"_s, QDialogButtonBox::RejectRole);
    auto* column = new QVBoxLayout(dialog);
    column->addWidget(words);
    column->addWidget(table, 1);
    column->addWidget(notes);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    const auto selected = [table] { return table->selectionModel()->selectedRows(); };
    const auto count = [accept, selected] {
        const qsizetype runs = selected().size();
        accept->setText(u"Import %1"_s.arg(countText(runs, u"run"_s)));
        accept->setEnabled(runs > 0);
    };
    connect(table->selectionModel(), &QItemSelectionModel::selectionChanged, dialog, count);
    count();
    connect(dialog, &QDialog::accepted, this, [this, plan, selected] {
        auto chosen = std::make_shared<ImportPlan>(ImportPlan{.runs = {}, .notes = plan->notes});
        std::set<int> rows;  // in the order of the plan
        for (const QModelIndex& each : selected()) rows.insert(each.row());
        for (const int row : rows) chosen->runs.push_back(plan->runs[static_cast<std::size_t>(row)]);
        store(chosen);
    });
    connect(dialog, &QObject::destroyed, this, [this, dialog] {
        if (m_question == dialog) m_question = nullptr;
    });
    dialog->resize(ThemeManager::instance().pixels(860), ThemeManager::instance().pixels(480));
    dialog->open();
}

void RunImport::store(const std::shared_ptr<const ImportPlan>& plan) {
    const LabDocument& lab = m_workspace.lab();
    const bool isNew = !lab.hasFile() || !lab.isOwn();  // beside the example or the lab of a lecture
    if (m_workspace.isBusy() || (!isNew && lab.isReadOnly())) {
        return refuse(
            u"Runs cannot be imported now, because the lab file is read-only or in use by a sweep; import them into "
            "another lab or later."_s);
    }
    m_banners.show(kImportBanner, BannerArea::Kind::information, u"Importing the runs …"_s);
    const QString path = isNew ? lab.unusedPath() : lab.path();
    m_job.start([this, plan, path, isNew](const Cancelled&) -> std::function<void()> {
        const QString problem = problemOf([&] {
            const auto file = isNew ? LabFile::create(toPath(path)) : LabFile::open(toPath(path));
            store_import(*file, *plan);
        });
        return [this, plan, path, isNew, problem] {
            if (!problem.isEmpty()) return refuse(problem);
            isNew ? m_workspace.openLab(path) : emit m_workspace.lab().runsChanged();
            m_banners.show(kImportBanner, BannerArea::Kind::information,
                           u"%1 imported."_s.arg(countText(std::ssize(plan->runs), u"run"_s)));
        };
    });
}

}  // namespace ropelab::ui

#include "moc_run_import.cpp"
