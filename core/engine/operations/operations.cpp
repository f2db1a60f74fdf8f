#include "core/engine/operations/operations.h"

#include <ATen/core/function_schema.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string_view>

namespace ropelab {

namespace {

thread_local bool eager_here = false;

std::atomic<std::int64_t> started = 0;

// An operation that consists of other operations does not count in addition to them.
struct RunningOperation : at::ObserverContext {
    RunningOperation* outer = nullptr;
    bool own = false;
    bool counts = false;
    bool has_inner = false;
};
thread_local RunningOperation* innermost = nullptr;

// Views and allocations do not count.
bool works_on_numbers(const at::RecordFunction& function) {
    const auto schema = function.operator_schema();
    if (!schema) return false;
    const std::string_view name = schema->name();
    if (name == "aten::_local_scalar_dense") return true;  // copies one number to the host
    for (const char* memory : {"aten::empty", "aten::new_empty", "aten::resize", "aten::set_", "aten::detach"}) {
        if (name.starts_with(memory)) return false;
    }
    const auto& returns = schema->returns();
    const auto is_view = [](const c10::Argument& result) {
        return result.alias_info() && !result.alias_info()->isWrite();
    };
    const auto is_tensor = [](const c10::Argument& result) {
        return result.type()->isSubtypeOf(*c10::TensorType::get()) ||
               result.type()->isSubtypeOf(*c10::ListType::ofTensors());
    };
    return std::none_of(returns.begin(), returns.end(), is_view) &&
           (returns.empty() || std::any_of(returns.begin(), returns.end(), is_tensor));
}

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
    auto operation = std::make_unique<RunningOperation>();
    operation->outer = innermost;
    operation->own = function.scope() == at::RecordScope::USER_SCOPE;
    operation->counts = operation->own || works_on_numbers(function);
    innermost = operation.get();
    return operation;
}

void end(const at::RecordFunction&, at::ObserverContext* context) {
    const auto* operation = static_cast<RunningOperation*>(context);
    innermost = operation->outer;
    if (operation->counts && (operation->own || !operation->has_inner)) ++started;
    if (innermost && (operation->counts || operation->has_inner)) innermost->has_inner = true;
}

}  // namespace

EagerGuard::EagerGuard(bool eager) : previous_(eager_here) {
    eager_here = eager_here || eager;
}

EagerGuard::~EagerGuard() {
    eager_here = previous_;
}

bool is_eager() {
    return eager_here;
}

std::int64_t count_operations(const std::function<void()>& work) {
    started = 0;
    const auto handle = at::addThreadLocalCallback(
        at::RecordFunctionCallback(begin, end).scopes({at::RecordScope::FUNCTION, at::RecordScope::USER_SCOPE}));
    try {
        work();
    } catch (...) {
        at::removeCallback(handle);
        throw;
    }
    at::removeCallback(handle);
    return started;
}

}  // namespace ropelab
