#pragma once

#include <QComboBox>
#include <filesystem>

namespace ropelab::ui {

class ExperimentModel;

/// Offers the synthetic languages, the known data sets that are found on this machine, and a text file or a folder of
/// files that the user chooses.
class DataChoice : public QComboBox {
    Q_OBJECT

 public:
    /// `dataDir` is searched first for known data sets.
    DataChoice(ExperimentModel& model, std::filesystem::path dataDir, QWidget* parent = nullptr);

 signals:
    void refused(const QString& sentence);

 private:
    void renew();
    void pick(int index);

    ExperimentModel& m_model;
    std::filesystem::path m_dataDir;
};

}  // namespace ropelab::ui
