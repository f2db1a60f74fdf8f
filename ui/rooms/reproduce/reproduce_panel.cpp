#include "ui/rooms/reproduce/reproduce_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/session/settings.h"
#include "ui/shell/notices/data_offer.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

QList<FormRow> sheetRows() {
    QList<ChoiceRow::Entry> known;
    for (const Sheet& sheet : sheets()) {
        const QString name = QString::fromStdString(sheet.name);
        known.append({name, name, QString::fromStdString(sheet.title)});
    }
    QList<ChoiceRow::Entry> scales;
    for (const SheetScale scale : {SheetScale::smoke, SheetScale::laptop, SheetScale::paper})
        scales.append({QString::fromStdString(to_string(scale)), static_cast<int>(scale)});
    return {{"sheet", u"sheet"_s, u"Sheet"_s,
             u"A sheet is the plan that reproduces a paper's experiment: published claims, the runs that test them, "
             u"and the "
             "rules of the verdicts."_s,
             ChoiceRow{known}},
            {"scale", u"scale"_s, u"Scale"_s,
             u"Size of the models and the training. laptop: small models. paper: the published models. smoke: a quick "
             "check that everything works, with two seeds and a few seconds per run; the quick check cannot test any "
             "claim."_s,
             ChoiceRow{scales}},
            {"seeds", u"seeds"_s, u"Seeds per setting"_s,
             u"Number of seeds with which each setting is trained, at least 2. The seeds are 1337, 1338 and so on."_s,
             TextRow{u"sheet's default"_s}}};
}

}  // namespace

ReproducePanel::ReproducePanel(Settings& settings, QWidget* parent)
    : QFrame(parent), m_settings(settings), m_form(this) {
    const auto [area, content, column] = makePanel(this, u"Reproduce"_s);
    column->addWidget(makeHeading(u"Sheet"_s, content));
    m_sheetColumn = scaledColumn(nullptr, 8);
    column->addLayout(m_sheetColumn);
    m_form.add(m_sheetColumn, sheetRows());
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
    connect(&m_form, &Form::changed, this, [this](std::string_view id) {
        if (id != "seeds") saveSettings();
        emit changed();
    });
    connect(m_output, &TableOutput::formatChanged, this, &ReproducePanel::saveSettings);
    offer({});
    showProblem({});
}

void ReproducePanel::addClaimChoice(QWidget* choice) {
    QGridLayout* grid = makeFieldGrid();
    m_sheetColumn->addLayout(grid);
    choice->setParent(m_sheetColumn->parentWidget());
    addField(grid, u"claim"_s, choice, choice->toolTip());
    choice->show();
}

void ReproducePanel::loadSettings() {
    const Settings& settings = m_settings;
    const QString saved = settings.value("reproduce/sheet").toString();
    m_form.setValue("sheet", saved.section(QLatin1Char('/'), 0, 0));
    const int scale = m_form.field<QComboBox>("scale")->findText(saved.section(QLatin1Char('/'), 1));
    m_form.setValue("scale", scale < 0 ? static_cast<int>(SheetScale::laptop) : scale);
    m_output->choose(settings.value("reproduce/format").toString());
}

void ReproducePanel::saveSettings() {
    Settings& settings = m_settings;
    settings.setValue("reproduce/sheet", m_form.value("sheet").toString() + QLatin1Char('/') +
                                             m_form.field<QComboBox>("scale")->currentText());
    settings.setValue("reproduce/format", suffixOf(m_output->format()));
}

ReproducePanel::Choice ReproducePanel::choice() const {
    Choice choice{
        m_form.value("sheet").toString().toStdString(), static_cast<SheetScale>(m_form.value("scale").toInt()), {}};
    const std::string typed = m_form.value("seeds").toString().trimmed().toStdString();
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
    m_form.setValue("seeds", QString());
    m_form.setValue("sheet", QString::fromStdString(sheet));
    m_form.setValue("scale", static_cast<int>(scale));
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

#include "moc_reproduce_panel.cpp"
