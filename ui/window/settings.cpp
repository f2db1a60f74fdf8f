#include "ui/window/settings.h"

#include <QByteArray>
#include <QFileInfo>
#include <QSettings>
#include <algorithm>
#include <vector>

namespace ropelab::ui {

namespace {

constexpr int recentLimit = 10;

const Settings::Entry& entry(const char* key) {
    const auto table = Settings::table();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [key](const auto& candidate) { return qstrcmp(candidate.key, key) == 0; });
    Q_ASSERT_X(found != table.end(), "Settings", key);
    return *found;
}

}  // namespace

std::span<const Settings::Entry> Settings::table() {
    static const std::vector<Entry> entries = {
        {"window/geometry", QByteArray(), "Size and place of the window."},
        {"window/rail_folded", false, "The rail of rooms shows icons only."},
        {"window/panel_folded", false, "The right panel is hidden."},
        {"window/theme", QStringLiteral("system"), "light, dark or system."},
        {"window/scale", 100, "Percent by which text, lines and markers are larger, 100 to 250."},
        {"lab/recent", QStringList(), "Labs opened lately, newest first."},
        {"lab/unsaved", QString(), "The lab that has no name yet; found again at the next start."},
        {"train/quantity", QStringLiteral("validation_loss"), "What the Train room draws."},
        {"train/unit", QStringLiteral("nats"), "nats or bits, of losses."},
        {"train/logarithmic", false, "The loss axis is logarithmic."},
        {"train/smoothing", 0, "Smoothing of curves in percent, 0 to 99."},
        {"train/bands", QStringLiteral("auto"),
         "One curve a group of seeds, with a band, in place of one a run: on, off, or auto, past ten runs."},
        {"train/queue", QStringList(), "A lab and its runs that wait, in their order; to go on with."},
        {"results/figure", QStringLiteral("group-means"), "Which figure the Results room draws."},
        {"results/measure", QStringLiteral("best_validation_loss"), "What the Results room compares."},
        {"results/test", QStringLiteral("welch"), "What its verdicts follow: welch, student or paired."},
        {"results/target", QString(), "The loss of its iterations until a loss, as typed."},
        {"results/unfinished", false, "It also counts unfinished runs."},
        {"results/published", true, "Its figures also show what papers print."},
        {"results/format", QStringLiteral("txt"), "The format of its table: txt, csv, tex or json."},
        {"results/labs", QString(), "Its choices for each lab, newest first, as JSON: baseline, experiment, order."},
        {"reproduce/sheet", QString(), "The sheet that the Reproduce room shows, and its scale: theta-table-2/smoke."},
        {"reproduce/labs", QString(), "The labs of sheets that were begun, as JSON: sheet and scale, path."},
        {"reproduce/format", QStringLiteral("txt"), "The format of its table: txt, csv, tex or json."},
        {"inspect/figure", QStringLiteral("logit-share"), "Which figure the Inspect room draws."},
        {"inspect/beside", QStringLiteral("attention-map"), "And beside it: a figure, nothing or second-run."},
        {"inspect/lag", 10, "Tokens between query and key of its dials."},
        {"inspect/rate", QString(), "The learning rate of its fine-tuning, as typed; empty: a tenth of the run's."},
        {"replay/pace", 4, "Snapshots a second that a replay shows."},
        {"replay/format", QStringLiteral("gif"), "How a replay is written: gif, or png or svg, a file a frame."},
        {"replay/width", 960, "Pixels across a replay."},
        {"machine/operations_per_second", 0.0, "What the last sweeps reached; for estimates."},
        {"machine/multiply_per_second", 0.0,
         "Float32 operations a second that this machine reaches; for the roofline."},
        {"machine/copy_per_second", 0.0, "Bytes a second that this machine copies; for the roofline."},
    };
    return entries;
}

Settings::Settings(const QString& file)
    : m_store(file.isEmpty() ? std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope,
                                                           QStringLiteral("ropelab"), QStringLiteral("ropelab"))
                             : std::make_unique<QSettings>(file, QSettings::IniFormat)) {}

Settings::~Settings() = default;

QVariant Settings::value(const char* key) const {
    const QVariant& standard = entry(key).standard;
    QVariant stored = m_store->value(QString::fromLatin1(key), standard);
    // INI files hold text; a value that does not read as the default's type is not ours.
    return stored.convert(standard.metaType()) ? stored : standard;
}

void Settings::setValue(const char* key, const QVariant& value) {
    const QString name = QString::fromLatin1(key);
    if (value == entry(key).standard) {
        m_store->remove(name);
    } else {
        m_store->setValue(name, value);
    }
    m_store->sync();
}

void Settings::addRecentLab(const QString& path) {
    QStringList labs = value("lab/recent").toStringList();
    labs.removeAll(path);
    labs.prepend(path);
    while (labs.size() > recentLimit) labs.removeLast();
    setValue("lab/recent", labs);
}

QStringList Settings::recentLabs() const {
    QStringList labs = value("lab/recent").toStringList();
    labs.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
    return labs;
}

}  // namespace ropelab::ui
