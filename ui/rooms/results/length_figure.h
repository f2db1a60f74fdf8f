#pragma once

#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

/// The mean loss of each group at multiples of its training context, with 95 % confidence intervals over the seeds. The
/// losses are measured after training, on the same tokens at all lengths; models with learned positions have none.
ResultsPicture lossByLength(const ResultsData& data);

}  // namespace ropelab::ui
