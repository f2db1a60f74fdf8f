#pragma once

#include <QJsonObject>
#include <QString>
#include <vector>

#include "core/store/lab_file.h"

namespace ropelab::ui {

/// FigureOrigin::lab: the path, the ids of the runs and of their experiments, and the number of runs by the precision
/// in which they trained. The user's home folder is written as "~", so that a published figure does not name the user.
QJsonObject labOrigin(const LabFile& lab, const std::vector<RunId>& runs);

/// The path of `origin`, else a file of this name in `folder`; "" if neither is the lab of the figure.
QString findLab(const QJsonObject& origin, const QString& folder);

/// Why a file is not the lab of `origin`: it is no lab, or lacks an experiment or a run of the figure; "" if it is.
QString whyAnotherLab(const QJsonObject& origin, const QString& path);

}  // namespace ropelab::ui
