#include "ui/rooms/results/figure_pane.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "core/base/error.h"
#include "core/reproduce/published/published.h"
#include "ui/common/paths.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/session/lab_document.h"
#include "ui/session/run_store.h"
#include "ui/session/settings.h"
#include "ui/shell/explanation.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kMostDrawnNow = 200;  // groups; the figure of more would stop the window

using Steps = std::map<RunId, std::shared_ptr<const RunMetrics::Steps>>;

Steps loadSteps(const LabFile& lab, const std::vector<RunId>& runs, const Cancelled& cancelled = {}) {
    Steps result;
    for (const RunId id : runs) {
        if (cancelled && cancelled()) break;
        result[id] = std::make_shared<const RunMetrics::Steps>(lab.metrics(id).steps);
    }
    return result;
}

/// 0 if there is none, which is RunRecord::iteration of a run without steps.
std::int64_t lastStep(const RunMetrics::Steps& steps) {
    return steps.iteration.empty() ? 0 : steps.iteration.back();
}

void addPublishedResults(ResultsData& data) {
    PublishedResults published = publishedResults(data.runs);
    data.published = std::move(published.values);
    for (const std::string& sentence : published.omitted) data.omitted << QString::fromStdString(sentence);
}

void readMeasurements(ResultsData& data, const LabDocument& lab) {
    if (!lab.file()) return;
    try {
        for (ResultsRun& run : data.runs) run.measurements = lab.file()->measurements(run.id);
    } catch (const BadInput&) {  // the lab is locked or was removed: the figure says what it needs
    }
}

}  // namespace

FigurePane::FigurePane(LabDocument& lab, RunStore& runs, Settings& settings, const std::filesystem::path& dataDir,
                       QWidget* parent)
    : QFrame(parent), m_lab(lab), m_runStore(runs), m_settings(settings), m_dataDir(dataDir) {
    setProperty("paper", true);
    auto* column = scaledColumn(this, 4, {4, 4, 4, 0});
    m_bar = new QWidget(this);
    auto* row = scaledRow(m_bar, 8);
    m_chooser = makeChoice(u"Figure"_s, this, 5);
    m_chooser->setMaxVisibleItems(20);
    for (const ResultsFigure& figure : resultsFigures()) {
        m_chooser->addItem(figure.title, QLatin1String(figure.name));
        m_chooser->setItemData(m_chooser->count() - 1, figure.why, Qt::ToolTipRole);
    }
    m_export = makeButton<QToolButton>(u"Export …"_s, u"Exports this figure as PDF, SVG, PNG or CSV (Ctrl+E)."_s, this);
    connect(m_export, &QToolButton::clicked, this, &FigurePane::exportRequested);
    row->addWidget(m_chooser, 1);
    row->addWidget(m_export);
    column->addWidget(m_bar);
    m_view = new FigureView(this);
    column->addWidget(m_view, 1);
    explainBy(m_view, m_chooser);

    choose(m_settings.value("results/figure").toString());
    connect(m_chooser, &QComboBox::currentIndexChanged, this, [this] {
        m_settings.setValue("results/figure", m_chooser->currentData());
        m_pictureJob.cancel();
        draw();
    });
    connect(m_view, &FigureView::clicked, this, [this](const QPointF& place) {
        if (const Spot* spot = spotNear(m_picture, place); spot && spot->group >= 0) emit groupPicked(spot->group);
    });
}

void FigurePane::addToBar(QWidget* widget) {
    auto* row = static_cast<QHBoxLayout*>(m_bar->layout());
    row->insertWidget(row->indexOf(m_export), widget);
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
    using Input = ResultsFigure::Input;
    return m_pictureJob.isRunning() || (chosen().input == Input::texts && m_job.isRunning()) ||
           (chosen().input == Input::steps && m_stepsJob.isRunning());
}

void FigurePane::show(std::shared_ptr<const Results> results, int picked, bool withPublished) {
    m_withPublished = withPublished;
    m_results = std::move(results);
    m_picked = picked;
    draw();
}

void FigurePane::draw() {
    using Input = ResultsFigure::Input;
    if (chosen().input == Input::texts) requestTexts();
    if (chosen().input == Input::steps) requestSteps();
    paintFigure();
}

ResultsData FigurePane::shownData() const {
    ResultsData resultsData;
    resultsData.runs = runsOf(m_runStore, *m_results, chosen().input == ResultsFigure::Input::evaluations);
    resultsData.picked = m_picked;
    if (chosen().input == ResultsFigure::Input::measurements) readMeasurements(resultsData, m_lab);
    return resultsData;
}

std::function<ResultsPicture()> FigurePane::pictureMaker(bool isRecorded) const {
    ResultsData resultsData = shownData();
    resultsData.isRecorded = isRecorded;
    resultsData.texts = m_texts;
    for (ResultsRun& run : resultsData.runs) {
        if (const auto read = m_steps.find(run.id); read != m_steps.end()) run.steps = read->second;
    }
    const bool isLoading = m_stepsJob.isRunning() && chosen().input == ResultsFigure::Input::steps;
    return [make = chosen().make, data = std::move(resultsData), results = m_results, published = m_withPublished,
            isLoading]() mutable {
        data.results = *results;
        if (published) addPublishedResults(data);
        ResultsPicture picture = make(data);
        if (isLoading) picture.figure.emptyText = u"Loading the training steps of the runs …"_s;
        return picture;
    };
}

void FigurePane::paintFigure() {
    m_chooser->setToolTip(chosen().why);
    m_view->setAccessibleName(chosen().title);
    const bool isOtherLab = std::exchange(m_pictureLab, m_lab.path()) != m_lab.path();
    const bool isNow = m_results->table.groups.size() <= kMostDrawnNow;
    if (isOtherLab || isNow) m_pictureJob.cancel();
    if (isNow) return showPicture(pictureMaker(false)());
    m_pictureWanted = m_pictureJob.isRunning();  // restarting it at every update would never let it finish
    if (m_pictureWanted) return;
    // The copies of thousands of runs are made in a later turn of the event loop, after those of a new table.
    m_pictureJob.start([this](const Cancelled&) {
        return [this] {
            m_pictureWanted = false;
            if (m_lab.path() != m_pictureLab) return;  // the results of the lab that was opened meanwhile follow
            m_pictureJob.start([this, make = pictureMaker(false)](const Cancelled&) mutable {
                return [this, picture = std::make_shared<ResultsPicture>(make())] {
                    showPicture(std::move(*picture));
                    if (m_pictureWanted) paintFigure();
                };
            });
        };
    });
    // Until then no place leads to a group that may be another one now.
    m_picture.spots.clear();
    m_view->setReadout({});
    if (!isOtherLab) return;
    m_picture.figure = {};
    m_picture.figure.emptyText = u"The figure is being made …"_s;
    m_view->setFigure(m_picture.figure);
}

void FigurePane::showPicture(ResultsPicture picture) {
    m_picture = std::move(picture);
    if (m_picture.spots.empty()) {
        m_view->setReadout({});
    } else {
        m_view->setReadout([this](QPointF place) { return readoutAt(m_picture, place); });
    }
    m_view->setFigure(m_picture.figure);
}

void FigurePane::refreshNow() {
    if (m_pictureJob.isRunning()) {
        m_pictureJob.cancel();
        showPicture(pictureMaker(false)());
    }
    m_view->refreshNow();
}

void FigurePane::requestTexts() {
    std::vector<ResultsRun> runs = shownData().runs;
    const std::string key = textsKey(runs);
    if (key == m_textsKey) return;
    m_textsKey = key;
    m_texts.clear();
    m_job.start([this, runs = std::move(runs), folder = m_dataDir](const Cancelled& cancelled) {
        auto texts = textInformation(runs, folder, cancelled);
        return [this, texts = std::move(texts)]() mutable {
            m_texts = std::move(texts);
            if (chosen().input == ResultsFigure::Input::texts) paintFigure();
        };
    });
}

void FigurePane::requestSteps() {
    const QString lab = m_lab.path();
    if (lab != m_stepsLab) {  // run ids are unique only within a lab
        m_stepsLab = lab;
        m_steps.clear();
        m_stepsJob.cancel();
    }
    if (m_stepsJob.isRunning()) {  // restarting it at every update would never let it finish
        m_stepsWanted = true;
        return;
    }
    m_stepsWanted = false;
    ResultsData shown = shownData();
    shown.results = *m_results;
    std::vector<RunId> wanted;
    for (const std::size_t place : spikeRuns(shown)) {
        const RunView* run = m_runStore.find(shown.runs[place].id);
        if (!run) continue;
        // The lab file may lag behind the events that the window received; the next update loads the rest.
        const auto read = m_steps.find(run->record.id);
        const auto known = read == m_steps.end() ? -1 : lastStep(*read->second);
        if (known != run->record.iteration) wanted.push_back(run->record.id);
    }
    if (wanted.empty()) return;
    m_stepsJob.start(
        [this, path = toPath(lab), wanted = std::move(wanted)](const Cancelled& cancelled) -> std::function<void()> {
            Steps steps;
            try {
                steps = loadSteps(*LabFile::open(path, LabFile::Mode::read), wanted, cancelled);
            } catch (const std::exception&) {
                // The lab is locked or was removed: the loaded steps stay, and the next update tries again.
            }
            return [this, steps = std::move(steps)] {
                for (const auto& [id, read] : steps) m_steps[id] = read;
                if (chosen().input != ResultsFigure::Input::steps) return;
                if (m_stepsWanted) requestSteps();
                paintFigure();
            };
        });
}

Figure resultsFigureOf(const LabDocument& lab, const RunStore& runs, const std::filesystem::path& dataDir,
                       const ResultsFigure& figure, Results results, bool withPublished, int picked,
                       bool fitsLikeBaseline) {
    using Input = ResultsFigure::Input;
    ResultsData data;
    data.results = std::move(results);
    if (picked < static_cast<int>(data.results.table.groups.size())) data.picked = picked;
    data.runs = runsOf(runs, data.results, figure.input == Input::evaluations);
    if (figure.input == Input::measurements) readMeasurements(data, lab);
    if (figure.input == Input::texts) data.texts = textInformation(data.runs, dataDir);
    if (figure.input == Input::steps && lab.file()) {
        std::vector<RunId> wanted;
        for (const std::size_t place : spikeRuns(data)) wanted.push_back(data.runs[place].id);
        const Steps steps = loadSteps(*lab.file(), wanted);
        for (ResultsRun& run : data.runs) {
            if (const auto read = steps.find(run.id); read != steps.end()) run.steps = read->second;
        }
    }
    if (withPublished) addPublishedResults(data);
    if (fitsLikeBaseline) data.fitLike = data.results.table.baseline;
    Figure result = figure.make(data).figure;
    if (isEmpty(result)) throw BadInput(result.emptyText.toStdString());
    return result;
}

}  // namespace ropelab::ui

#include "moc_figure_pane.cpp"
