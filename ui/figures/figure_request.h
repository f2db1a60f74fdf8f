#pragma once

#include <QJsonObject>
#include <QStringList>
#include <QTemporaryDir>
#include <filesystem>
#include <memory>

#include "core/rope/rotary_setup.h"
#include "core/run/runner.h"
#include "core/store/lab_file.h"
#include "ui/figures/figure_options.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

class Workspace;
struct RunAccess;

/// What the figures of one command line are made from. Everything is opened when the first figure needs it.
class FigureSources {
 public:
    explicit FigureSources(QString lab = {}, std::filesystem::path dataDir = {}, Runner::EngineSource engine = {});
    ~FigureSources();

    /// Path of the lab, or "".
    const QString& labPath() const { return m_labPath; }
    /// The lab, read-only, and its runs. Throws BadInput, also for a lab without runs.
    RunAccess runs();
    /// The lab's file, which may have no runs.
    const LabFile& lab();
    const std::filesystem::path& dataDir() const { return m_dataDir; }
    /// Loads the engine when it is called.
    Runner::EngineSource engine() const;

 private:
    Workspace& opened();

    QString m_labPath;
    std::filesystem::path m_dataDir;
    Runner::EngineSource m_engine;
    std::unique_ptr<QTemporaryDir> m_folder;  // of the settings
    std::unique_ptr<Workspace> m_workspace;
};

/// The name and the choices of a figure: what the command line names, and what an exported file carries as its origin.
class FigureRequest {
 public:
    FigureRequest(FigureSources& sources, QJsonObject flags, QJsonObject view = {}, bool isRecorded = false)
        : m_sources(sources), m_flags(std::move(flags)), m_view(std::move(view)), m_isRecorded(isRecorded) {}

    FigureSources& sources() const { return m_sources; }
    QString name() const { return m_flags[u"figure"_s].toString(); }
    bool has(const FigureOption& option) const { return m_flags.contains(QLatin1String(option.name)); }
    /// The standard value if the option is not given, in the functions below, too. Values were checked.
    QString text(const FigureOption& option) const;
    double number(const FigureOption& option) const;
    std::int64_t whole(const FigureOption& option) const;
    QStringList list(const FigureOption& option) const;
    /// Those of --setup, else the standard setup.
    ComparedSetups setups() const;
    /// As FigureOrigin::view.
    const QJsonObject& view() const { return m_view; }
    /// An exported figure is computed again: the lab's stored choice of runs, which can have changed, does not apply.
    bool isRecorded() const { return m_isRecorded; }
    const QJsonObject& flags() const { return m_flags; }

 private:
    FigureSources& m_sources;
    QJsonObject m_flags;
    QJsonObject m_view;
    bool m_isRecorded;
};

}  // namespace ropelab::ui
