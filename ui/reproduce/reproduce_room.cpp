#include "ui/reproduce/reproduce_room.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTextBrowser>
#include <algorithm>
#include <array>

#include "core/experiment/sheets/report.h"
#include "core/spec/error.h"
#include "ui/reproduce/letters_view.h"
#include "ui/reproduce/sheet_tables.h"
#include "ui/reproduce/sheet_words.h"
#include "ui/results/prediction_table.h"
#include "ui/results/word_list.h"
#include "ui/window/actions.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {

namespace {

// In Page's order.
constexpr std::array<const char*, 5> kParts = {"claims", "comparison", "checks", "predictions", "letters"};

}  // namespace

QWidget* ReproduceRoom::panel() {
    m_panel->show();
    return m_panel;
}

void ReproduceRoom::addActions(ActionRegistry& registry) {
    registry.add({.id = "reproduce.start",
                  .menu = "Run",
                  .text = tr("Start or continue the shown sheet"),
                  .handler = [this] { m_panel->startButton()->click(); },
                  .enabled = [this] { return m_panel->startButton()->isEnabled(); },
                  .separatorBefore = true});
    registry.add(
        {.id = "reproduce.copy", .menu = "Edit", .text = tr("Copy sheet's table"), .handler = [this] { copyTable(); }});
    registry.add({.id = "reproduce.save", .menu = "File", .text = tr("Save sheet's table …"), .handler = [this] {
                      saveTable();
                  }});
    for (std::size_t i = 0; i < kParts.size(); ++i) {
        registry.add({.id = QStringLiteral("reproduce.") + QLatin1String(kParts[i]),
                      .menu = {},
                      .text = tr("Reproduce: %1").arg(m_tabs[static_cast<qsizetype>(i)]->text()),
                      .handler = [this, i, &registry] {
                          registry.action(QStringLiteral("room.reproduce"))->trigger();
                          showPart(QLatin1String(kParts[i]));
                      }});
    }
    connect(this, &ReproduceRoom::pageChanged, &registry, &ActionRegistry::refresh);
}

Figure ReproduceRoom::figure() {
    return m_letters->figure();
}

bool ReproduceRoom::isBusy() const {
    return m_trainer.isReading();
}

void ReproduceRoom::refreshNow() {
    try {
        m_trainer.readNow();
    } catch (const std::exception& error) {
        emit m_workspace.problem(QStringLiteral("reproduce"), QString::fromStdString(error.what()));
    }
    renew();
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

WordTable& ReproduceRoom::checks() {
    return m_checks->table();
}

WordTable& ReproduceRoom::predictions() {
    return m_predictions->table();
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
    renew();
}

void ReproduceRoom::hideEvent(QHideEvent* event) {
    Room::hideEvent(event);
    m_trainer.watch(false);
}

void ReproduceRoom::takeUpSheet() {
    if (const auto& sheet = m_trainer.sheet()) {
        m_panel->choose(sheet->plan.sheet, sheet->plan.scale);
        if (!m_isPageChosen) showPage(Page::comparison);
    }
    m_planned.reset();
    if (isVisible()) renew();
}

void ReproduceRoom::renew() {
    renewPlan();
    renewState();
    m_title->setText(m_plan ? QString::fromStdString(m_plan->title) : tr("Published claims, trained again"));
    m_panel->output().setReady(m_plan.has_value());
    renewMeasures();
    renewTables();
}

// The lab's own sheet as it was fixed, else one made for what is chosen; made once.
void ReproduceRoom::renewPlan() {
    try {
        const ReproducePanel::Choice choice = m_panel->choice();
        const auto& stored = m_trainer.sheet();
        const auto seedsOf = [](const SheetPlan& plan) {
            return static_cast<std::int64_t>(plan.experiment.values("seed").size());
        };
        m_isLabs = stored && stored->plan.sheet == choice.sheet && stored->plan.scale == choice.scale &&
                   (!choice.seeds || *choice.seeds == seedsOf(stored->plan));
        const auto& standing = m_trainer.standing();
        if (m_isLabs) {
            const bool isOther = !m_plan || m_planned || m_cost.isEmpty();
            m_plan = stored->plan;
            m_rows = standing ? standing->rows : evaluate(*m_plan, {});
            m_scored = standing ? standing->predictions : score(*m_plan, {});
            m_planned.reset();
            m_problem.clear();
            if (!isOther) return;
        } else if (!m_planned || *m_planned != choice) {
            m_plan.reset();
            m_planned = choice;
            m_plan = sheet(choice.sheet).plan({choice.scale, choice.seeds, m_workspace.dataDir()});
            m_rows = evaluate(*m_plan, {});
            m_scored = score(*m_plan, {});
            m_problem.clear();
        } else {
            return;
        }
        m_cost = costWords(*m_plan, m_workspace.settings().value("machine/operations_per_second").toDouble(),
                           m_workspace.dataDir());
    } catch (const std::exception& error) {
        m_plan.reset();
        m_isLabs = false;
        m_cost.clear();
        m_rows.clear();
        m_scored.clear();
        m_problem = QString::fromStdString(error.what());
    }
}

void ReproduceRoom::renewState() {
    using Step = SheetTrainer::Step;
    const Step step = m_trainer.step();
    const bool isReadOnly = m_workspace.lab().isReadOnly();
    const bool isTraining = m_workspace.session().isActive();
    ReproducePanel::Offer offer{tr("Start"), false};
    QString words;
    const QString begun = m_plan && !m_isLabs ? m_trainer.labOf(m_plan->sheet, m_plan->scale) : QString();
    if (step == Step::preparing) {
        words = tr("Looking for the texts and writing down the rules …");
        offer = {tr("Stop"), true};
    } else if (!m_plan) {
        words = m_problem;
    } else if (m_isLabs) {
        words = standingWords(m_trainer, isReadOnly);
        const auto& standing = m_trainer.standing();
        const bool isComplete = standing && standing->isComplete();
        if (step != Step::idle) {
            offer = {tr("Stop"), m_workspace.session().state() != SweepSession::State::stopping,
                     tr("At the next step; what was trained is kept.")};
        } else if (isComplete) {
            offer = {tr("Finished"), false, tr("Nothing is left to train."), !isTraining};
        } else {
            offer = {tr("Continue"), !isReadOnly && !isTraining && standing,
                     isTraining ? tr("Another sweep is training.") : QString(), !isTraining};
        }
    } else if (step != Step::idle || isTraining) {
        words = tr("Not begun here. Something is in training: stop it, or wait until it has ended.");
        offer.why = tr("Something is in training.");
    } else if (!begun.isEmpty()) {
        words = tr("It was begun in the lab “%1”.").arg(QFileInfo(begun).completeBaseName());
        offer = {tr("Continue in its lab"), true, begun, true};
    } else {
        words = tr("Not begun. Start makes a lab of its own for it, writes rules and predictions down, and trains.");
        offer.isEnabled = true;
    }
    if (!m_isLabs && !m_trainer.failure().isEmpty() && step == Step::idle) {
        words += QLatin1Char(' ') + tr("The last attempt failed: %1").arg(m_trainer.failure());
    }
    if (m_words->text() != words) m_words->setText(words);
    m_panel->offer(offer);
    m_panel->showCost(m_cost.isEmpty() ? QString() : m_cost + QLatin1Char('.'));
    m_panel->showProblem(m_problem);
}

void ReproduceRoom::renewTables() {
    const QString html = m_plan ? sheetPage(*m_plan, m_rows, m_cost) : QString();
    if (html != m_pageHtml) {
        m_pageHtml = html;
        m_claims->setHtml(html);
    }
    m_comparison->setContent(comparisonTable(m_rows, m_measure->currentData().toString().toStdString()));
    m_checks->setContent(m_plan ? checkTable(m_plan->sheet) : WordTable::Content{});
    m_predictions->setContent(predictionTable(m_scored));
    fitColumns();
    if (!m_comparisonView->currentIndex().isValid()) pickRow(0);
    renewPicked();
}

void ReproduceRoom::start() {
    if (m_trainer.step() != SheetTrainer::Step::idle) return m_trainer.stop();
    if (!m_plan) return;
    if (m_isLabs) return m_trainer.goOn();
    const QString begun = m_trainer.labOf(m_plan->sheet, m_plan->scale);
    begun.isEmpty() ? m_trainer.begin(*m_plan) : m_trainer.open(begun);
}

// Made again: a text may have come since the lab was begun.
void ReproduceRoom::startAnew() {
    try {
        const ReproducePanel::Choice choice = m_panel->choice();
        m_trainer.begin(sheet(choice.sheet).plan({choice.scale, choice.seeds, m_workspace.dataDir()}));
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
    renew();
    if (m_plan) QApplication::clipboard()->setText(table());
}

void ReproduceRoom::saveTable() {
    renew();
    if (!m_plan) return;
    const QString path =
        askSave(QStringLiteral("%1-%2.%3")
                    .arg(QString::fromStdString(m_plan->sheet), QString::fromStdString(to_string(m_plan->scale)),
                         suffixOf(m_panel->output().format())));
    if (path.isEmpty()) return;
    try {
        ropelab::ui::saveTable(path, table());
        emit m_workspace.solved(QStringLiteral("reproduce"));
    } catch (const BadInput& refusal) {
        emit m_workspace.problem(QStringLiteral("reproduce"), QString::fromStdString(refusal.what()));
    }
}

}  // namespace ropelab::ui
