#pragma once

#include <QComboBox>
#include <filesystem>
#include <functional>

namespace ropelab::ui {

class ExperimentModel;

/// What the runs learn: the generated languages, the known sets found on this machine, or a file.
class DataChoice : public QComboBox {
    Q_OBJECT

 public:
    DataChoice(ExperimentModel& model, std::filesystem::path dataDir, QWidget* parent = nullptr);

    /// Asks for a file's path; "" where the person thought better of it. Tests answer for the person.
    void setFileQuestion(std::function<QString()> ask) { m_ask = std::move(ask); }

 signals:
    /// The choice was refused; one sentence.
    void refused(const QString& sentence);

 private:
    void renew();
    void pick(int index);

    ExperimentModel& m_model;
    std::filesystem::path m_dataDir;
    std::function<QString()> m_ask;
};

}  // namespace ropelab::ui
