#pragma once

#include <QComboBox>
#include <filesystem>
#include <functional>

namespace ropelab::ui {

class ExperimentModel;

/// Offers the synthetic languages, the known data sets that are found on this machine, and a text file or a folder of
/// files that the user chooses.
class DataChoice : public QComboBox {
    Q_OBJECT

 public:
    /// `dataDir` is searched first for known data sets.
    DataChoice(ExperimentModel& model, std::filesystem::path dataDir, QWidget* parent = nullptr);

    /// Asks for the path of a file; "" if the user cancels. Tests replace the file dialog by a function of their own.
    void setFileQuestion(std::function<QString()> ask) { m_ask = std::move(ask); }
    /// Asks for the path of a folder, in the same way.
    void setFolderQuestion(std::function<QString()> ask) { m_askFolder = std::move(ask); }

 signals:
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
