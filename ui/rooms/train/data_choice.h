#pragma once

#include <QComboBox>
#include <filesystem>
#include <functional>

namespace ropelab::ui {

class ExperimentModel;

/// Drop-down list of the data sets to train on: the synthetic languages, the known data sets that are found on this
/// machine, or a text file or a folder of files that the user chooses.
class DataChoice : public QComboBox {
    Q_OBJECT

 public:
    /// Creates a list that sets the data set of the experiment in `model`. `dataDir` is searched first for known data
    /// sets.
    DataChoice(ExperimentModel& model, std::filesystem::path dataDir, QWidget* parent = nullptr);

    /// Sets the function that asks the user for the path of a file; it returns "" if the user cancels. Tests replace
    /// the file dialog by a function of their own.
    void setFileQuestion(std::function<QString()> ask) { m_ask = std::move(ask); }
    /// Sets the function that asks for the path of a folder, in the same way.
    void setFolderQuestion(std::function<QString()> ask) { m_askFolder = std::move(ask); }

 signals:
    /// The chosen data set cannot be used; `sentence` says why.
    void refused(const QString& sentence);

 private:
    void renew();
    void pick(int index);

    ExperimentModel& m_model;
    std::filesystem::path m_dataDir;
    std::function<QString()> m_ask;
    std::function<QString()> m_askFolder;
};

}  // namespace ropelab::ui
