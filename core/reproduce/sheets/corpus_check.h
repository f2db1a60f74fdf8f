#pragma once

#include "core/reproduce/sheets/building.h"

namespace ropelab {

/// Largest number of epochs of a sheet at paper scale. Up to four epochs of repeated text train almost as well as new
/// text (Muennighoff et al. 2023, arXiv:2305.16264).
inline constexpr double most_epochs = 4;

/// Returns the folders of text (core/data/text_source.h) on which a sheet trains at paper scale. Folders with the given
/// names are looked for in `request.data_dir`, in ROPELAB_DATA and in the cache. The first one is required; a note says
/// which others are left out, and how many epochs of each folder a run of `tokens` training tokens takes. Throws
/// BadInput if the first folder is missing or if a run would take more than `most_epochs` epochs of a folder.
std::vector<SheetData> corpora_for(const std::vector<std::string>& names, double tokens, const SheetRequest& request,
                                   std::vector<std::string>& notes);

}  // namespace ropelab
