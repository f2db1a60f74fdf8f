#include "core/spec/engine.h"

#include "core/spec/error.h"

namespace ropelab {

void Engine::check_device(const std::function<void(const DeviceCheck&)>&) {
    throw BadInput("There is no CUDA device to check.");
}

void Engine::trust_device(const DeviceTrust&) {}

}  // namespace ropelab
