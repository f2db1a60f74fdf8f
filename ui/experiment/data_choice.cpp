#include "ui/experiment/data_choice.h"

#include <QFileDialog>
#include <QFileInfo>
#include <utility>

#include "core/data/known_sets.h"
#include "core/spec/error.h"
#include "ui/experiment/experiment_model.h"

namespace ropelab::ui {

namespace {

// Stands for "choose a file …"; no file has this name.
const QString askForFile = QStringLiteral("\n");

}  // namespace

DataChoice::DataChoice(ExperimentModel& model, std::filesystem::path dataDir, QWidget* parent)
    : QComboBox(parent), m_model(model), m_dataDir(std::move(dataDir)) {
    setAccessibleName(tr("Data"));
    setFocusPolicy(Qt::StrongFocus);
    setMinimumContentsLength(8);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_ask = [this] {
        return QFileDialog::getOpenFileName(window(), tr("A text to learn"), QString(), tr("Any file (*)"));
    };
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
    add(tr("generated"), QStringLiteral("generated"),
        tr("A made-up language in which position matters; the best possible loss is known."));
    add(tr("generated, local"), QStringLiteral("generated-local"),
        tr("The control: only the character before matters, so position hardly does."));
    for (const KnownSet& set : known_sets()) {
        try {
            if (const auto found = find_on_disk(set, m_dataDir)) {
                add(QString::fromStdString(set.title), QString::fromStdString(set.name),
                    QString::fromStdString(found->description));
            }
        } catch (const BadInput&) {
            // A data folder that is none holds no set; a run that names one says so.
        }
    }
    const auto values = m_model.value().values("data");
    if (values.size() > 1) {
        QStringList all;
        for (const std::string& value : values) all << QString::fromStdString(value);
        add(tr("%1 texts").arg(values.size()), all.join(QStringLiteral(", ")), all.join(QStringLiteral(", ")));
        setCurrentIndex(count() - 1);
    } else {
        const QString name = QString::fromStdString(values.front());
        if (findData(name) < 0) add(QFileInfo(name).fileName(), name, name);
        setCurrentIndex(findData(name));
    }
    setToolTip(itemData(currentIndex(), Qt::ToolTipRole).toString());
    insertSeparator(count());
    add(tr("choose a file …"), askForFile, tr("Any text, as characters or bytes."));
}

void DataChoice::pick(int index) {
    QString name = itemData(index).toString();
    if (name == askForFile) name = m_ask();
    if (!name.isEmpty()) {
        try {
            m_model.edit(tr("change data"),
                         [&](Experiment& experiment) { experiment.set("data", {name.toStdString()}); });
        } catch (const BadInput& refusal) {
            emit refused(QString::fromStdString(refusal.what()));
        }
    }
    renew();
}

}  // namespace ropelab::ui
