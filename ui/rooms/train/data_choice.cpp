#include "ui/rooms/train/data_choice.h"

#include <QFileInfo>
#include <utility>

#include "core/data/known_sets.h"
#include "core/spec/error.h"
#include "ui/session/experiment_model.h"
#include "ui/theme/dialogs.h"

namespace ropelab::ui {

namespace {

// Item data of the entries "Choose a file …" and "Choose a folder …". A line break is not a valid data set name, so
// these cannot be confused with one.
const QString kAskForFile = QStringLiteral("\n");
const QString kAskForFolder = QStringLiteral("\n\n");

}  // namespace

DataChoice::DataChoice(ExperimentModel& model, std::filesystem::path dataDir, QWidget* parent)
    : QComboBox(parent), m_model(model), m_dataDir(std::move(dataDir)) {
    setAccessibleName(tr("Data"));
    setFocusPolicy(Qt::StrongFocus);
    setMinimumContentsLength(8);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    connect(this, &QComboBox::activated, this, &DataChoice::pick);
    connect(&model, &ExperimentModel::changed, this, &DataChoice::renew);
    renew();
}

void DataChoice::renew() {
    clear();
    const auto add = [this](const QString& title, const QString& name, const QString& about) {
        addItem(title, name);
        setItemData(count() - 1, about, Qt::ToolTipRole);
    };
    add(tr("synthetic"), QStringLiteral("synthetic"),
        tr("A synthetic language in which the next character depends on distant positions. The best possible loss is "
           "known."));
    add(tr("synthetic, local"), QStringLiteral("synthetic-local"),
        tr("A synthetic language in which the next character depends only on the previous one. It serves as a control, "
           "because positions hardly matter."));
    for (const KnownSet& set : known_sets()) {
        try {
            if (const auto found = find_on_disk(set, m_dataDir)) {
                add(QString::fromStdString(set.title), QString::fromStdString(set.name),
                    QString::fromStdString(found->description));
            }
        } catch (const BadInput&) {
            // An invalid data folder contains no data sets. A run that names one of them reports the error itself.
        }
    }
    const auto values = m_model.value().values("data");
    if (values.size() > 1) {
        QStringList all;
        for (const std::string& value : values) all << QString::fromStdString(value);
        add(tr("%1 data sets").arg(values.size()), all.join(QStringLiteral(", ")), all.join(QStringLiteral(", ")));
        setCurrentIndex(count() - 1);
    } else {
        const QString name = QString::fromStdString(values.front());
        if (findData(name) < 0) add(QFileInfo(name).fileName(), name, name);
        setCurrentIndex(findData(name));
    }
    setToolTip(itemData(currentIndex(), Qt::ToolTipRole).toString());
    insertSeparator(count());
    add(tr("Choose a folder …"), kAskForFolder,
        tr("Train on all files of a folder, of any size, as bytes. The files are read in the order of their names."));
    add(tr("Choose a file …"), kAskForFile, tr("Train on a text file of your own, as characters or as bytes."));
}

void DataChoice::pick(int index) {
    QString name = itemData(index).toString();
    if (name == kAskForFile) {
        name =
            dialogs().open(window(), {.title = tr("Choose a text file to train on"), .filters = tr("All files (*)")});
    } else if (name == kAskForFolder) {
        name = dialogs().folder(window(), {.title = tr("Choose a folder of files to train on")});
    }
    if (!name.isEmpty()) {
        try {
            m_model.edit(tr("change data"),
                         [&](Experiment& experiment) { experiment.set("data", {name.toStdString()}); });
        } catch (const BadInput& error) {
            emit refused(QString::fromStdString(error.what()));
        }
    }
    renew();
}

}  // namespace ropelab::ui
