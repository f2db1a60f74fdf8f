#include "ui/figures/figure_request.h"

#include <QJsonArray>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/machine/engine_loader.h"
#include "ui/session/workspace.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

FigureSources::FigureSources(QString lab, std::filesystem::path dataDir, Runner::EngineSource engine)
    : m_labPath(std::move(lab)),
      m_dataDir(std::move(dataDir)),
      m_engine(engine ? std::move(engine) : Runner::EngineSource(&open_engine)) {}

FigureSources::~FigureSources() = default;

Runner::EngineSource FigureSources::engine() const {
    return m_engine;
}

Workspace& FigureSources::opened() {
    if (m_workspace) return *m_workspace;
    m_folder = std::make_unique<QTemporaryDir>();
    m_workspace = std::make_unique<Workspace>(WorkspaceOptions{.settingsFile = m_folder->filePath(u"settings.ini"_s),
                                                               .labsFolder = m_folder->filePath(u"labs"_s),
                                                               .dataDir = m_dataDir,
                                                               .engine = m_engine});
    m_workspace->lab().open(m_labPath, true);
    return *m_workspace;
}

RunAccess FigureSources::runs() {
    if (Workspace& workspace = opened(); !workspace.runs().runs().empty()) return workspace.runAccess();
    throw BadInput("The lab " + m_labPath.toStdString() + " contains no runs, so there is nothing to plot.");
}

const LabFile& FigureSources::lab() {
    return *opened().lab().file();
}

QString FigureRequest::text(const FigureOption& option) const {
    return m_flags[QLatin1String(option.name)].toString(QLatin1String(option.standard));
}

double FigureRequest::number(const FigureOption& option) const {
    return parse_number(text(option).toStdString());
}

std::int64_t FigureRequest::whole(const FigureOption& option) const {
    return static_cast<std::int64_t>(number(option));
}

QStringList FigureRequest::list(const FigureOption& option) const {
    const QJsonValue given = m_flags[QLatin1String(option.name)];
    if (given.isString()) return {given.toString()};
    QStringList values;
    for (const auto& each : given.toArray()) values << each.toString();
    return values;
}

ComparedSetups FigureRequest::setups() const {
    return has(option::setup) ? parse_setups(text(option::setup).toStdString()) : ComparedSetups{};
}

}  // namespace ropelab::ui
