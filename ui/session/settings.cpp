#include "ui/session/settings.h"

#include <QByteArray>
#include <QFileInfo>
#include <QSettings>
#include <algorithm>
#include <utility>
#include <vector>

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxRecentLabs = 10;

const Settings::Entry& entry(const char* key) {
    const auto table = Settings::table();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [key](const auto& candidate) { return qstrcmp(candidate.key, key) == 0; });
    Q_ASSERT_X(found != table.end(), "Settings", key);
    return *found;
}

bool isChoiceOfPage(const std::string& key) {
    if (key == "train/queue" || key == "results/labs") return false;  // of a lab
    return key.starts_with("train/") || key.starts_with("results/") || key.starts_with("inspect/") ||
           key == "reproduce/sheet";
}

}  // namespace

std::span<const Settings::Entry> Settings::table() {
    static const std::vector<Entry> entries = {
        {"window/geometry", QByteArray(), "Size and position of the window, as QWidget::saveGeometry() stores them."},
        {"window/rail_folded", false, "True if the bar of pages (rooms) shows only icons."},
        {"window/panel_folded", false, "True if the settings panel is hidden."},
        {"window/theme", u"system"_s, "Theme of the window: light, dark, contrast or system."},
        {"window/reduced_motion", false,
         "True if motion is reduced: the program changes immediately what it would otherwise animate."},
        {"window/scale", 100, "Scale of text, lines and markers in percent, 100 to 250."},
        {"window/room", u"train"_s, "Page (room) that was shown last; the next start shows it."},
        {"lab/last", QString(),
         "Path of the lab file that was open last; the next start opens it. An empty text "
         "means that no lab file was open."},
        {"lab/recent", QStringList(), "Paths of recently opened lab files, newest first."},
        {"lab/unsaved", QString(),
         "Path of the lab file that has not been saved under a name yet; the next start reopens it."},
        {"train/quantity", u"losses"_s, "Quantity that the page Train plots."},
        {"train/unit", u"nats"_s, "Unit of losses: nats or bits (per token), or bits-per-byte."},
        {"train/logarithmic", false, "True if the y axis of the plot on the page Train is logarithmic."},
        {"train/smoothing", 90, "Smoothing of the values of each step in percent, 0 to 99 (formula 36 of the guide)."},
        {"train/bands", u"auto"_s,
         "Whether the page Train plots the mean over seeds with a band instead of one curve per run: on, off, or auto "
         "(on if runs differ only in their seed)."},
        {"train/second", u"logit-contribution"_s,
         "Figure below the plot of the page Train: \"sample\", \"gradient-norm\", \"nothing\" (no figure), or the "
         "name of a figure of measurements during training (probes)."},
        {"train/picked_only", true,
         "True if the figure below the loss curves on the page Train shows only the selected run, false if it shows "
         "one curve per setting."},
        {"train/fold_curves", false,
         "True if the page Train hides the loss curves and shows only the figure below them."},
        {"train/list_shown", false, "True if the page Train shows the list of runs."},
        {"train/queue", QStringList(),
         "Path of a lab file and the numbers of its waiting runs, in the order in which they train; used to resume "
         "them."},
        {"results/figure", u"group-means"_s, "Figure that the page Results shows."},
        {"results/measure", u"auto"_s, "Quantity by which the page Results compares runs."},
        {"results/test", u"auto"_s,
         "Significance test of the page Results: auto (for each comparison, paired if its two groups share enough "
         "seeds, "
         "else welch), welch, student or paired."},
        {"results/target", QString(),
         "Target loss of the measure \"steps to target\" on the page Results, as the "
         "text that was typed."},
        {"results/unfinished", false, "True if the page Results includes unfinished runs."},
        {"results/published", true, "True if figures on the page Results show published values."},
        {"results/decisionLoss", QString(),
         "Loss that the decision aid of the page Results weighs against a cost: the name of a measure; an empty text "
         "means the compared measure."},
        {"results/decisionCost", QString(),
         "Cost that the decision aid of the page Results weighs against the loss, such as cache_bytes; an empty text "
         "means the automatic choice."},
        {"results/columns", QString(),
         "Columns of the table on the page Results, separated by commas, or the name of a preset; an empty text "
         "means all columns."},
        {"results/bestBold", false, "True if LaTeX tables of the page Results print the best mean in bold."},
        {"results/format", u"txt"_s, "Format of saved tables of the page Results: txt, csv, tex or json."},
        {"results/labs", QString(),
         "Choices on the page Results per lab file as JSON, newest first: baseline, experiment, order."},
        {"reproduce/sheet", QString(),
         "Reproduction of a paper (sheet) and scale that the page Reproduce shows, such as theta-table-2/laptop."},
        {"reproduce/labs", QString(),
         "Paths of the lab files of started reproductions of papers, by sheet and scale, as JSON."},
        {"reproduce/format", u"txt"_s, "Format of saved tables of the page Reproduce: txt, csv, tex or json."},
        {"inspect/figure", u"logit-contribution"_s, "Figure that the page Inspect shows."},
        {"inspect/beside", u"attention-map"_s,
         "Second figure on the page Inspect: the name of a figure, \"nothing\" for no second figure, or "
         "\"second-run\" for the first figure of another run."},
        {"inspect/lag", 10,
         "Distance between query and key in the dials that show the rotation of each pair on the page Inspect, in "
         "tokens."},
        {"inspect/modelText", QString(),
         "Text on which the page Inspect measures an opened model: a file or a data set; empty: the program's guide."},
        {"inspect/rate", QString(),
         "Learning rate of fine-tuning on the page Inspect, as the text that was typed; an empty text means a tenth "
         "of the run's learning rate."},
        {"lecture/group", QString(), "Name of the group of people whose answers to questions of lectures are stored."},
        {"course/progress", QString(), "Answers and place in the course (Help > Course), as JSON."},
        {"replay/pace", 4, "Snapshots per second in an animation of the training (replay)."},
        {"replay/format", u"gif"_s,
         "Format of a saved animation of the training (replay): gif, or png or svg with one file per frame."},
        {"replay/width", 960, "Width of a saved animation of the training (replay) in pixels."},
        {"machine/multiply_per_second", 0.0,
         "Peak speed of this machine in float32 operations per second, used for the roofline."},
        {"machine/bfloat16_multiply_per_second", 0.0,
         "Peak speed of this machine in operations per second of matrix products in bfloat16, used for the roofline."},
        {"machine/copy_per_second", 0.0,
         "Memory bandwidth of this machine in bytes per second, used for the roofline."},
    };
    return entries;
}

Settings::Settings(const QString& file)
    : m_store(file.isEmpty()
                  ? std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope, u"ropelab"_s, u"ropelab"_s)
                  : std::make_unique<QSettings>(file, QSettings::IniFormat)) {}

Settings::~Settings() = default;

const QVariant& Settings::standard(const char* key) {
    return entry(key).standard;
}

QVariant Settings::value(const char* key) const {
    const QVariant& standard = entry(key).standard;
    const auto held = m_held.find(key);
    QVariant stored = held != m_held.end() ? held->second : m_store->value(QString::fromLatin1(key), standard);
    // INI files contain text. A value that cannot be converted to the type of the default is ignored.
    return stored.convert(standard.metaType()) ? stored : standard;
}

void Settings::setValue(const char* key, const QVariant& value) {
    if (m_isHeld && isChoiceOfPage(key)) {
        m_held.insert_or_assign(key, value);
        return;
    }
    const QString name = QString::fromLatin1(key);
    if (value == entry(key).standard) {
        m_store->remove(name);
    } else {
        m_store->setValue(name, value);
    }
    m_store->sync();
}

void Settings::setHeld(bool held) {
    m_isHeld = held;
    if (held) return;
    for (const auto& [key, value] : std::exchange(m_held, {})) setValue(key.c_str(), value);
}

void Settings::addRecentLab(const QString& path) {
    QStringList labs = value("lab/recent").toStringList();
    labs.removeAll(path);
    labs.prepend(path);
    while (labs.size() > kMaxRecentLabs) labs.removeLast();
    setValue("lab/recent", labs);
}

QStringList Settings::recentLabs() const {
    QStringList labs = value("lab/recent").toStringList();
    labs.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
    return labs;
}

}  // namespace ropelab::ui
