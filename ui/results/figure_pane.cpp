#include "ui/results/figure_pane.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/spec/error.h"
#include "ui/results/published_values.h"
#include "ui/results/text_figure.h"
#include "ui/results/training_figures.h"
#include "ui/window/paths.h"
#include "ui/window/scaled.h"
#include "ui/window/why.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {

namespace {

using Steps = std::map<RunId, std::shared_ptr<const RunMetrics::Steps>>;

Steps readSteps(const LabFile& lab, const std::vector<RunId>& runs, const Cancelled& cancelled = {}) {
    Steps result;
    for (const RunId id : runs) {
        if (cancelled && cancelled()) break;
        result[id] = std::make_shared<const RunMetrics::Steps>(lab.metrics(id).steps);
    }
    return result;
}

// 0 before the first, as a record has it.
std::int64_t lastStep(const RunMetrics::Steps& steps) {
    return steps.iteration.empty() ? 0 : steps.iteration.back();
}

}  // namespace

FigurePane::FigurePane(Workspace& workspace, QWidget* parent) : QWidget(parent), m_workspace(workspace) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {0, 0, 0, 0}, 4);
    auto* row = new QHBoxLayout;
    scaleLayout(row, {0, 0, 0, 0}, 8);
    m_chooser = new QComboBox(this);
    m_chooser->setAccessibleName(tr("Figure"));
    m_chooser->setFocusPolicy(Qt::StrongFocus);
    m_chooser->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_chooser->setMinimumContentsLength(16);
    m_chooser->setMaxVisibleItems(20);
    for (const ResultsFigure& figure : resultsFigures()) {
        m_chooser->addItem(figure.title, QLatin1String(figure.name));
        m_chooser->setItemData(m_chooser->count() - 1, figure.why, Qt::ToolTipRole);
    }
    m_export = new QToolButton(this);
    m_export->setText(tr("Export …"));
    m_export->setToolTip(tr("PDF, SVG, PNG or CSV of this figure (Ctrl+E)."));
    m_export->setFocusPolicy(Qt::TabFocus);
    connect(m_export, &QToolButton::clicked, this, &FigurePane::exportAsked);
    row->addWidget(m_chooser, 1);
    row->addWidget(m_export);
    column->addLayout(row);
    m_view = new FigureView(this);
    column->addWidget(m_view, 1);
    explainBy(m_view, m_chooser);

    choose(workspace.settings().value("results/figure").toString());
    connect(m_chooser, &QComboBox::currentIndexChanged, this, [this] {
        m_workspace.settings().setValue("results/figure", m_chooser->currentData());
        draw();
    });
    connect(m_view, &FigureView::clicked, this, [this](const QPointF& place) {
        if (const Spot* spot = spotNear(m_picture, place); spot && spot->group >= 0) emit groupPicked(spot->group);
    });
    connect(m_view, &FigureView::contextMenuAsked, this, &FigurePane::contextMenuAsked);
}

bool FigurePane::choose(const QString& name) {
    const int place = m_chooser->findData(name);
    if (place >= 0) m_chooser->setCurrentIndex(place);
    return place >= 0;
}

void FigurePane::step(int by) {
    const int count = m_chooser->count();
    m_chooser->setCurrentIndex((m_chooser->currentIndex() + by + count) % count);
}

const ResultsFigure& FigurePane::chosen() const {
    return resultsFigures()[static_cast<std::size_t>(m_chooser->currentIndex())];
}

bool FigurePane::isBusy() const {
    using Reads = ResultsFigure::Reads;
    return (chosen().reads == Reads::texts && m_job.isRunning()) ||
           (chosen().reads == Reads::steps && m_stepsJob.isRunning());
}

void FigurePane::show(const Results& results, int picked, bool withPublished) {
    m_withPublished = withPublished;
    m_results = results;
    m_picked = picked;
    draw();
}

void FigurePane::draw() {
    using Reads = ResultsFigure::Reads;
    if (chosen().reads == Reads::texts) askTexts();
    if (chosen().reads == Reads::steps) askSteps();
    paintFigure();
}

ResultsData FigurePane::shownData() const {
    ResultsData made;
    made.results = m_results;
    made.runs = runsOf(m_workspace.runs(), m_results, chosen().reads == ResultsFigure::Reads::evaluations);
    made.picked = m_picked;
    return made;
}

void FigurePane::paintFigure() {
    const ResultsFigure& figure = chosen();
    m_chooser->setToolTip(figure.why);
    ResultsData made = shownData();
    made.texts = m_texts;
    for (ResultsRun& run : made.runs) {
        if (const auto read = m_steps.find(run.id); read != m_steps.end()) run.steps = read->second;
    }
    if (m_withPublished) made.published = publishedValues(made.runs);
    m_picture = figure.make(made);
    if (isBusy() && figure.reads == ResultsFigure::Reads::steps)
        m_picture.figure.emptyText = tr("Reading every step …");
    m_view->setAccessibleName(figure.title);
    if (m_picture.spots.empty()) {
        m_view->setReadout({});
    } else {
        m_view->setReadout([this](QPointF place) { return readoutAt(m_picture, place); });
    }
    m_view->setFigure(m_picture.figure);
}

void FigurePane::askTexts() {
    std::vector<ResultsRun> runs = shownData().runs;
    const std::string key = textsKey(runs);
    if (key == m_textsKey) return;
    m_textsKey = key;
    m_texts.clear();
    m_job.start([this, runs = std::move(runs), folder = m_workspace.dataDir()](const Cancelled& cancelled) {
        auto texts = textInformation(runs, folder, cancelled);
        return [this, texts = std::move(texts)]() mutable {
            m_texts = std::move(texts);
            if (chosen().reads == ResultsFigure::Reads::texts) paintFigure();
        };
    });
}

void FigurePane::askSteps() {
    const QString lab = m_workspace.lab().path();
    if (lab != m_stepsLab) {  // another lab has other runs under the same numbers
        m_stepsLab = lab;
        m_steps.clear();
        m_stepsJob.cancel();
    }
    if (m_stepsJob.isRunning()) {  // a renewal a moment would never let it end
        m_stepsWanted = true;
        return;
    }
    m_stepsWanted = false;
    const ResultsData shown = shownData();
    std::vector<RunId> wanted;
    for (const std::size_t place : spikeRuns(shown)) {
        const RunView* run = m_workspace.runs().find(shown.runs[place].id);
        if (!run) continue;
        // The file may lag behind what was delivered: then a later renewal reads it again.
        const auto read = m_steps.find(run->record.id);
        const auto known = read == m_steps.end() ? -1 : lastStep(*read->second);
        if (known != run->record.iteration) wanted.push_back(run->record.id);
    }
    if (wanted.empty()) return;
    m_stepsJob.start(
        [this, path = toPath(lab), wanted = std::move(wanted)](const Cancelled& cancelled) -> std::function<void()> {
            Steps steps;
            try {
                steps = readSteps(*LabFile::open(path, LabFile::Mode::read), wanted, cancelled);
            } catch (const std::exception&) {
                // A lab that is locked or went away: what was read stays, and a later renewal tries again.
            }
            return [this, steps = std::move(steps)] {
                for (const auto& [id, read] : steps) m_steps[id] = read;
                if (chosen().reads != ResultsFigure::Reads::steps) return;
                if (m_stepsWanted) askSteps();
                paintFigure();
            };
        });
}

Figure resultsFigureOf(Workspace& workspace, const ResultsFigure& figure, const ResultsChoices& choices) {
    using Reads = ResultsFigure::Reads;
    ResultsData data;
    data.results = resultsOf(workspace.runs(), choices);
    data.runs = runsOf(workspace.runs(), data.results, figure.reads == Reads::evaluations);
    if (figure.reads == Reads::texts) data.texts = textInformation(data.runs, workspace.dataDir());
    if (figure.reads == Reads::steps && workspace.lab().file()) {
        std::vector<RunId> wanted;
        for (const std::size_t place : spikeRuns(data)) wanted.push_back(data.runs[place].id);
        const Steps steps = readSteps(*workspace.lab().file(), wanted);
        for (ResultsRun& run : data.runs) {
            if (const auto read = steps.find(run.id); read != steps.end()) run.steps = read->second;
        }
    }
    data.published = publishedValues(data.runs);
    Figure made = figure.make(data).figure;
    if (isEmpty(made)) throw BadInput(made.emptyText.toStdString());
    return made;
}

}  // namespace ropelab::ui
