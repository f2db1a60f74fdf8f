#pragma once

#include <filesystem>

#include "core/contract/engine.h"

namespace ropelab {

/// kernels.json beside times_file(), so that kernels are measured once; empty if that is.
std::filesystem::path kernel_choices_file();
/// Empty if there is no file, if it cannot be read, or if it is of another processor, number of cores, version of the
/// program or of LibTorch, or level of the kernels.
KernelChoices stored_kernel_choices(const EngineInfo& info);
/// Gives the engine those of the file, unless there is none.
void load_kernel_choices(Engine& engine);
/// Adds the engine's to the file. Failure to write is ignored, because they can be measured again.
void store_kernel_choices(Engine& engine);

}  // namespace ropelab
