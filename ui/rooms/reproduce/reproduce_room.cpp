#include "ui/rooms/reproduce/reproduce_room.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <algorithm>
#include <array>

#include "core/reproduce/report.h"
#include "ui/common/actions.h"
#include "ui/common/prediction_table.h"
#include "ui/common/text_list.h"
#include "ui/rooms/reproduce/forest_view.h"
#include "ui/rooms/reproduce/letters_view.h"
#include "ui/rooms/reproduce/sheet_tables.h"
#include "ui/rooms/reproduce/sheet_words.h"
#include "ui/session/engine_lock.h"
#include "ui/session/experiment_model.h"
#include "ui/session/lab_document.h"
#include "ui/session/lab_origin.h"
#include "ui/session/rotary_model.h"
#include "ui/session/run_store.h"
#include "ui/session/session_actions.h"
#include "ui/session/settings.h"
#include "ui/session/sweep_meter.h"
#include "ui/session/sweep_session.h"
#include "ui/theme/dialogs.h"

namespace ropelab::ui {

namespace {

// Names of the tabs, in the order of Page.
constexpr std::array<const char*, 6> kParts = {"claims", "comparison", "effects", "checks", "predictions", "letters"};

}  // namespace

QWidget* ReproduceRoom::panel() {
    m_panel->show();
    return m_panel;
}

void ReproduceRoom::addActions(ActionRegistry& registry, const RoomHandle<ReproduceRoom>& room) {
    registry.add({.id = "reproduce.start",
                  .menu = "Run",
                  .text = tr("Start or continue reproduction"),
                  .handler = [room] { room->m_panel->startButton()->click(); },
                  .enabled = [room] { return !room.made() || room->m_panel->startButton()->isEnabled(); },
                  .separatorBefore = true});
    registry.add({.id = "reproduce.copy", .menu = "Edit", .text = tr("Copy sheet as table"), .handler = [room] {
                      room->copyTable();
                  }});
    registry.add({.id = "reproduce.save", .menu = "File", .text = tr("Save sheet as table …"), .handler = [room] {
                      room->saveTable();
                  }});
    for (std::size_t i = 0; i < kParts.size(); ++i) {
        registry.add({.id = QStringLiteral("reproduce.") + QLatin1String(kParts[i]),
                      .menu = {},
                      .text = tr("Reproduce: %1").arg(titleOf(static_cast<Page>(i))),
                      .handler = [room, i, &registry] {
                          registry.action(QStringLiteral("room.reproduce"))->trigger();
                          room->showPart(QLatin1String(kParts[i]));
                      }});
    }
}

Figure ReproduceRoom::figure() {
    return m_page == Page::effects ? m_effects->figure() : m_letters->figure();
}

FigureOrigin ReproduceRoom::originOf(const Figure& figure) {
    FigureOrigin origin;
    if (m_page != Page::effects) return origin;
    std::vector<RunId> runs;
    for (const RunView& run : m_access.runs.runs()) runs.push_back(run.record.id);
    if (const LabFile* lab = m_access.lab.file()) origin.lab = labOrigin(*lab, runs);
    origin.flags = {{QStringLiteral("figure"), figure.name}};
    const QString claim = m_effects->claimBox().currentData().toString();
    if (!claim.isEmpty()) origin.flags[QStringLiteral("claim")] = claim;
    return origin;
}

bool ReproduceRoom::isBusy() const {
    return m_trainer.isLoading();
}

void ReproduceRoom::refreshNow() {
    try {
        m_trainer.loadNow();
    } catch (const std::exception& error) {
        emit m_actions.problem(QStringLiteral("reproduce"), QString::fromStdString(error.what()));
    }
    refresh();
    m_effects->refreshNow();
    m_letters->refreshNow();
}

void ReproduceRoom::showPart(const QString& part) {
    QStringList parts;
    for (const char* each : kParts) parts << QLatin1String(each);
    const auto page = parts.indexOf(part);
    if (page < 0) throw noPart(part, parts);
    m_isPageChosen = true;
    showPage(static_cast<Page>(page));
}

QString ReproduceRoom::shownPart() const {
    return QLatin1String(kParts[static_cast<std::size_t>(m_page)]);
}

std::vector<RoomControl> ReproduceRoom::controls() {
    return {controlOf(QStringLiteral("sheet"), m_panel->sheetBox())};
}

QList<QWidget*> ReproduceRoom::bars() {
    QList<QWidget*> result = {m_measure};
    for (QToolButton* tab : m_tabs) result << tab;
    return result;
}

TextTable& ReproduceRoom::checks() {
    return m_checks->table();
}

TextTable& ReproduceRoom::predictions() {
    return m_predictions->table();
}

QString ReproduceRoom::predictionText() const {
    return m_predictions->words();
}

QString ReproduceRoom::words() const {
    return m_words->text();
}

QString ReproduceRoom::rowText() const {
    return m_rowText->text();
}

QString ReproduceRoom::pageText() const {
    return m_claims->toPlainText();
}

void ReproduceRoom::showEvent(QShowEvent* event) {
    Room::showEvent(event);
    m_trainer.watch(true);
    refresh();
}

void ReproduceRoom::hideEvent(QHideEvent* event) {
    Room::hideEvent(event);
    m_trainer.watch(false);
}

void ReproduceRoom::adoptSheet() {
    if (const auto& sheet = m_trainer.sheet()) {
        m_panel->choose(sheet->plan.sheet, sheet->plan.scale);
        if (!m_isPageChosen) showPage(Page::comparison);
    }
    m_planned.reset();
    if (isVisible()) refresh();
}

void ReproduceRoom::refresh() {
    refreshPlan();
    refreshState();
    // A sheet that cannot be planned, for example without its data sets, still has its title.
    m_title->setText(
        QString::fromStdString(m_plan ? m_plan->title : sheet(m_panel->sheetBox()->currentText().toStdString()).title));
    m_panel->output().setReady(m_plan.has_value());
    refreshMeasures();
    refreshTables();
}

// Prefers the lab's stored sheet to the chosen one.
void ReproduceRoom::refreshPlan() {
    try {
        const ReproducePanel::Choice choice = m_panel->choice();
        const auto& stored = m_trainer.sheet();
        const auto seedsOf = [](const SheetPlan& plan) {
            return static_cast<std::int64_t>(plan.experiment.values("seed").size());
        };
        m_isStored = stored && stored->plan.sheet == choice.sheet && stored->plan.scale == choice.scale &&
                     (!choice.seeds || *choice.seeds == seedsOf(stored->plan));
        const auto& progress = m_trainer.progress();
        if (m_isStored) {
            const bool isOther = !m_plan || m_planned || m_cost.isEmpty();
            m_plan = stored->plan;
            m_rows = progress ? progress->rows : evaluate(*m_plan, {});
            m_scored = progress ? progress->predictions : score(*m_plan, {});
            m_planned.reset();
            m_problem.clear();
            if (!isOther) return;
        } else if (!m_planned || *m_planned != choice) {
            m_plan.reset();
            m_planned = choice;
            m_plan = sheet(choice.sheet).plan({choice.scale, choice.seeds, m_access.dataDir});
            m_rows = evaluate(*m_plan, {});
            m_scored = score(*m_plan, {});
            m_problem.clear();
        } else {
            return;
        }
        m_cost = costWords(*m_plan, m_access.dataDir);
    } catch (const std::exception& error) {
        m_plan.reset();
        m_isStored = false;
        m_cost.clear();
        m_rows.clear();
        m_scored.clear();
        m_problem = QString::fromStdString(error.what());
    }
}

void ReproduceRoom::refreshState() {
    using Step = SheetTrainer::Step;
    const Step step = m_trainer.step();
    const bool isReadOnly = m_access.lab.isReadOnly();
    const bool isTraining = m_access.session.isActive();
    ReproducePanel::Offer offer{tr("Start"), false};
    QString words;
    const QString startedLab = m_plan && !m_isStored ? m_trainer.labOf(m_plan->sheet, m_plan->scale) : QString();
    if (step == Step::preparing) {
        words = tr("Loading the data sets and storing the rules of the verdicts …");
        offer = {tr("Stop"), true};
    } else if (!m_plan) {
        words = m_problem;
    } else if (m_isStored) {
        words = progressWords(m_trainer, isReadOnly);
        const auto& progress = m_trainer.progress();
        const bool isComplete = progress && progress->isComplete();
        if (step != Step::idle) {
            offer = {tr("Stop"), m_access.session.state() != SweepSession::State::stopping,
                     tr("Stops after the current step. The trained runs and their checkpoints stay in the lab.")};
        } else if (isComplete) {
            offer = {tr("Finished"), false, tr("All runs of this sheet are trained and measured."), !isTraining};
        } else {
            offer = {tr("Continue"), !isReadOnly && !isTraining && progress,
                     isTraining ? tr("Another sweep is training.") : QString(), !isTraining};
        }
    } else if (step != Step::idle || isTraining) {
        words = tr("This sheet has not started. Other runs are training; stop them or wait until they end.");
        offer.why = tr("Other runs are training.");
    } else if (!startedLab.isEmpty()) {
        words = tr("This sheet was started in the lab “%1”.").arg(QFileInfo(startedLab).completeBaseName());
        offer = {tr("Open lab and continue"), true, startedLab, true};
    } else {
        words = notStartedWords();
        offer.isEnabled = true;
    }
    if (!m_isStored && !m_trainer.failure().isEmpty() && step == Step::idle) {
        words += QLatin1Char(' ') + tr("The last attempt failed: %1").arg(m_trainer.failure());
    }
    if (m_words->text() != words) m_words->setText(words);
    m_panel->offer(offer);
    m_panel->showCost(m_cost.isEmpty() ? QString() : m_cost + QLatin1Char('.'));
    m_panel->showProblem(m_problem);
}

void ReproduceRoom::refreshTables() {
    const QString html = m_plan ? sheetPage(*m_plan, m_rows, m_cost) : QString();
    if (html != m_pageHtml) {
        m_pageHtml = html;
        m_claims->setHtml(html);
    }
    const std::vector<Claim> claims = m_plan ? m_plan->claims : std::vector<Claim>{};
    m_comparison->setContent(comparisonTable(m_rows, m_measure->currentData().toString().toStdString(), claims));
    m_effects->setSheet(m_plan.value_or(SheetPlan{}), m_rows);
    m_checks->setContent(m_plan ? checkTable(m_plan->sheet) : TextTable::Content{});
    m_predictions->setContent(predictionTable(m_scored), predictionWords(m_scored));
    fitColumns();
    if (!m_comparisonView->currentIndex().isValid()) selectRow(0);
    refreshSelectedRow();
}

void ReproduceRoom::start() {
    if (m_trainer.step() != SheetTrainer::Step::idle) return m_trainer.stop();
    if (!m_plan) return;
    if (m_isStored) return m_trainer.continueSheet();
    const QString startedLab = m_trainer.labOf(m_plan->sheet, m_plan->scale);
    startedLab.isEmpty() ? m_trainer.begin(*m_plan) : m_trainer.open(startedLab);
}

// Data sets may have been downloaded since the sheet's lab was created, so it is planned again.
void ReproduceRoom::startAgain() {
    try {
        const ReproducePanel::Choice choice = m_panel->choice();
        m_trainer.begin(sheet(choice.sheet).plan({choice.scale, choice.seeds, m_access.dataDir}));
    } catch (const std::exception& error) {
        m_panel->showProblem(QString::fromStdString(error.what()));
    }
}

QString ReproduceRoom::table() const {
    if (!m_plan) return {};
    switch (m_panel->output().format()) {
        case TableFormat::text:
            return QString::fromStdString(sheet_text(*m_plan, m_rows, m_scored));
        case TableFormat::csv:
            return QString::fromStdString(sheet_csv(m_rows));
        case TableFormat::latex:
            return QString::fromStdString(sheet_latex(*m_plan, m_rows));
        case TableFormat::json:
            return QString::fromStdString(sheet_json(*m_plan, m_rows, m_scored).dump(2)) + QLatin1Char('\n');
    }
    return {};
}

void ReproduceRoom::copyTable() {
    refresh();
    if (m_plan) QApplication::clipboard()->setText(table());
}

void ReproduceRoom::saveTable() {
    refresh();
    if (!m_plan) return;
    const QString suggestion =
        QStringLiteral("%1-%2.%3")
            .arg(QString::fromStdString(m_plan->sheet), QString::fromStdString(to_string(m_plan->scale)),
                 suffixOf(m_panel->output().format()));
    const QString path = dialogs().save(this, {.title = tr("Save table"), .path = suggestion});
    if (path.isEmpty()) return;
    try {
        ropelab::ui::saveTable(path, table());
        emit m_actions.solved(QStringLiteral("reproduce"));
    } catch (const std::exception& error) {
        emit m_actions.problem(QStringLiteral("reproduce"), QString::fromStdString(error.what()));
    }
}

}  // namespace ropelab::ui
