#include "ui/rooms/reproduce/reproduce_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/session/settings.h"
#include "ui/shell/notices/data_offer.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

ReproducePanel::ReproducePanel(Settings& settings, QWidget* parent) : QFrame(parent), m_settings(settings) {
    const auto [area, content, column] = makePanel(this, u"Reproduce"_s);
    column->addWidget(makeHeading(u"Sheet"_s, content));
    QGridLayout* grid = makeFieldGrid();
    m_sheet = makeChoice(u"Sheet"_s, content);
    for (const Sheet& sheet : sheets()) {
        m_sheet->addItem(QString::fromStdString(sheet.name));
        m_sheet->setItemData(m_sheet->count() - 1, QString::fromStdString(sheet.title), Qt::ToolTipRole);
    }
    addField(
        grid, u"sheet"_s, m_sheet,
        u"A sheet is the plan that reproduces a paper's experiment: published claims, the runs that test them, and the "
        "rules of the verdicts."_s);
    m_scale = makeChoice(u"Scale"_s, content);
    for (const SheetScale scale : {SheetScale::smoke, SheetScale::laptop, SheetScale::paper}) {
        m_scale->addItem(QString::fromStdString(to_string(scale)), static_cast<int>(scale));
    }
    addField(grid, u"scale"_s, m_scale,
             u"Size of the models and the training. laptop: small models. paper: the published models. smoke: a quick "
             "check that everything works, with two seeds and a few seconds per run; the quick check cannot test any "
             "claim."_s);
    m_seeds = new QLineEdit(content);
    m_seeds->setPlaceholderText(u"sheet's default"_s);
    m_seeds->setClearButtonEnabled(true);
    m_seeds->setAccessibleName(u"Seeds per setting"_s);
    addField(grid, u"seeds"_s, m_seeds,
             u"Number of seeds with which each setting is trained, at least 2. The seeds are 1337, 1338 and so on."_s);
    column->addLayout(grid);
    m_state = makeText(u"State of the reproduction"_s, content);
    m_state->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_cost = makeText({}, content);
    m_cost->setProperty("quiet", true);
    m_problem = makeText({}, content);
    colorAsError(m_problem);
    m_start = makeButton<QPushButton>({}, {}, content);
    m_start->setProperty("primary", true);
    m_startAgain = makeButton<QPushButton>(
        u"Start in a new lab"_s,
        u"Starts this reproduction again in a new lab file. The existing lab file does not change."_s, content);
    // What changes its height is below the button.
    m_download = new DataOffer(content);
    connect(m_download, &DownloadOffer::ended, this, &ReproducePanel::setsDownloaded);
    for (QWidget* each : QWidgetList{m_start, m_state, m_download, m_cost, m_problem, m_startAgain}) {
        column->addWidget(each);
    }
    connect(m_start, &QPushButton::clicked, this, &ReproducePanel::startAsked);
    connect(m_startAgain, &QPushButton::clicked, this, &ReproducePanel::startAgainAsked);
    m_output = new TableOutput(content);
    column->addWidget(m_output);
    column->addStretch(1);
    loadSettings();
    const auto notify = [this] {
        saveSettings();
        emit changed();
    };
    for (QComboBox* combo : {m_sheet, m_scale}) connect(combo, &QComboBox::currentIndexChanged, this, notify);
    connect(m_seeds, &QLineEdit::textChanged, this, &ReproducePanel::changed);
    connect(m_output, &TableOutput::formatChanged, this, &ReproducePanel::saveSettings);
    offer({});
    showProblem({});
}

void ReproducePanel::loadSettings() {
    const Settings& settings = m_settings;
    const QString saved = settings.value("reproduce/sheet").toString();
    m_sheet->setCurrentIndex(std::max(0, m_sheet->findText(saved.section(QLatin1Char('/'), 0, 0))));
    const int scale = m_scale->findText(saved.section(QLatin1Char('/'), 1));
    m_scale->setCurrentIndex(scale < 0 ? static_cast<int>(SheetScale::laptop) : scale);
    m_output->choose(settings.value("reproduce/format").toString());
}

void ReproducePanel::saveSettings() {
    Settings& settings = m_settings;
    settings.setValue("reproduce/sheet", m_sheet->currentText() + QLatin1Char('/') + m_scale->currentText());
    settings.setValue("reproduce/format", suffixOf(m_output->format()));
}

ReproducePanel::Choice ReproducePanel::choice() const {
    Choice choice{m_sheet->currentText().toStdString(), static_cast<SheetScale>(m_scale->currentData().toInt()), {}};
    const std::string typed = m_seeds->text().trimmed().toStdString();
    if (typed.empty()) return choice;
    const double seeds = parse_number(typed);
    if (seeds != std::floor(seeds) || std::abs(seeds) > 1e6) {
        throw BadInput("The number of seeds is " + typed + ", but it must be a whole number from 2 to 1000.");
    }
    choice.seeds = static_cast<std::int64_t>(seeds);
    return choice;
}

void ReproducePanel::choose(const std::string& sheet, SheetScale scale) {
    const QSignalBlocker quiet(this);
    m_seeds->clear();
    m_sheet->setCurrentIndex(std::max(0, m_sheet->findText(QString::fromStdString(sheet))));
    chooseData(m_scale, static_cast<int>(scale));
}

void ReproducePanel::offer(const Offer& offer) {
    m_start->setText(offer.text);
    setLook(m_start, "primary", offer.isRecommended);
    setLook(&m_download->downloadButton(), "primary", !offer.isRecommended);
    m_start->setEnabled(offer.isEnabled);
    m_start->setToolTip(offer.why);
    m_startAgain->setVisible(offer.hasAnother);
}

void ReproducePanel::offerSets(const std::vector<std::string>& names) {
    m_download->offer(names, u"Not on this machine yet: %1."_s);
}

void ReproducePanel::showProblem(const QString& sentence) {
    m_problem->setText(sentence);
    m_problem->setVisible(!sentence.isEmpty());
    m_cost->setVisible(sentence.isEmpty());
}

}  // namespace ropelab::ui
