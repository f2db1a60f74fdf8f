#pragma once

#include <QJsonObject>
#include <QString>
#include <vector>

#include "core/store/lab_file.h"

namespace ropelab::ui {

/// Returns FigureOrigin::lab for these runs of a lab: its path, the ids of the runs and of their experiments, and the
/// number of runs by the precision in which they trained. The user's home folder is written as "~", so that a published
/// figure does not name the user.
QJsonObject labOrigin(const LabFile& lab, const std::vector<RunId>& runs);

/// Returns the path of the lab that `origin` names: its path, else a file of this name in `folder`. Returns "" if
/// neither is the lab of the figure.
QString findLab(const QJsonObject& origin, const QString& folder);

/// Returns why a file is not the lab that `origin` names: it is no lab, or lacks an experiment or a run of the figure.
/// Returns "" if it is the lab.
QString whyAnotherLab(const QJsonObject& origin, const QString& path);

}  // namespace ropelab::ui
