#include "ui/results/figure_pane.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/spec/error.h"
#include "ui/results/published_values.h"
#include "ui/results/text_figure.h"
#include "ui/theme/theme_manager.h"
#include "ui/window/scaled.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {

namespace {

constexpr int heightForWords = 280;  // pixels at 100 %

}  // namespace

FigurePane::FigurePane(Workspace& workspace, ResultsSource& source, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_source(source) {
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
    m_words = new QLabel(this);
    m_words->setWordWrap(true);
    m_words->setTextFormat(Qt::PlainText);
    m_words->setProperty("quiet", true);
    m_words->setAccessibleName(tr("What the figure shows"));
    scaleMargins(m_words, {8, 0, 8, 0});
    column->addWidget(m_words);

    choose(workspace.settings().value("results/figure").toString());
    connect(m_chooser, &QComboBox::currentIndexChanged, this, [this] {
        m_workspace.settings().setValue("results/figure", m_chooser->currentData());
        draw();
        emit figureChosen();
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
    return chosen().reads == ResultsFigure::Reads::texts && m_job.isRunning();
}

void FigurePane::show(const Results& results, int picked, bool withPublished) {
    m_withPublished = withPublished;
    m_results = results;
    m_picked = picked;
    draw();
}

void FigurePane::draw() {
    const ResultsFigure& figure = chosen();
    m_chooser->setToolTip(figure.why);
    if (figure.reads == ResultsFigure::Reads::texts) askTexts();
    ResultsData made;
    made.results = m_results;
    made.runs = m_source.runs(m_results, figure.reads == ResultsFigure::Reads::metrics);
    made.picked = m_picked;
    made.texts = m_texts;
    if (m_withPublished) made.published = publishedValues(made.runs, m_workspace.dataDir());
    m_picture = figure.make(made);
    m_view->setAccessibleName(figure.title);
    if (m_picture.spots.empty()) {
        m_view->setReadout({});
    } else {
        m_view->setReadout([this](QPointF place) { return readoutAt(m_picture, place); });
    }
    fitWords();
}

void FigurePane::fitWords() {
    // A note is cut off where the picture is narrow; beneath it there is room for all of it.
    Figure shown = m_picture.figure;
    QString words = shown.note;
    const bool beneath = height() >= ThemeManager::instance().pixels(heightForWords) && !words.isEmpty();
    if (beneath) {
        words[0] = words[0].toUpper();
        m_words->setText(words + QLatin1Char('.'));
        shown.note.clear();
    }
    m_words->setVisible(beneath);
    m_view->setFigure(std::move(shown));
}

void FigurePane::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitWords();
}

void FigurePane::askTexts() {
    std::vector<ResultsRun> runs = m_source.runs(m_results, false);
    const std::string key = textsKey(runs);
    if (key == m_textsKey) return;
    m_textsKey = key;
    m_texts.clear();
    m_job.start([this, runs = std::move(runs), folder = m_workspace.dataDir()](const Cancelled& cancelled) {
        auto texts = textInformation(runs, folder, cancelled);
        return [this, texts = std::move(texts)]() mutable {
            m_texts = std::move(texts);
            if (chosen().reads == ResultsFigure::Reads::texts) draw();
        };
    });
}

Figure resultsFigureOf(Workspace& workspace, const ResultsFigure& figure, const ResultsChoices& choices) {
    using Reads = ResultsFigure::Reads;
    ResultsSource source(workspace);
    ResultsData data;
    data.results = source.results(choices);
    data.runs = source.runs(data.results, figure.reads == Reads::metrics);
    if (figure.reads == Reads::texts) data.texts = textInformation(data.runs, workspace.dataDir());
    data.published = publishedValues(data.runs, workspace.dataDir());
    Figure made = figure.make(data).figure;
    if (isEmpty(made)) throw BadInput(made.emptyText.toStdString());
    return made;
}

}  // namespace ropelab::ui
