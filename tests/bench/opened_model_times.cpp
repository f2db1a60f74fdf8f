// Times of an opened model, for opened_model_times.py: reads lines "prefill TOKENS" and "generate TOKENS" from the
// standard input and answers each with seconds.
//   ropelab_opened_model_times PATH float32|bfloat16
#include <chrono>
#include <iostream>
#include <string>

#include "core/engine/torch_engine.h"
#include "core/interop/opened_model.h"

int main(int count, char** arguments) {
    using namespace ropelab;
    if (count != 3) return 2;
    const OpenedModel opened(arguments[1]);
    TorchEngine engine;
    const Precision precision = std::string(arguments[2]) == "bfloat16" ? Precision::bfloat16 : Precision::float32;
    const auto model = opened.load(engine, opened.plan(4096), precision);
    std::string what;
    for (std::int64_t tokens = 0; std::cin >> what >> tokens;) {
        Generation options;
        options.temperature = 0;
        options.length = what == "prefill" ? 1 : tokens;
        std::vector<std::int32_t> prompt(static_cast<std::size_t>(what == "prefill" ? tokens : 16));
        for (std::size_t i = 0; i < prompt.size(); ++i) prompt[i] = static_cast<std::int32_t>(i * 7919 % 40000);
        const auto begin = std::chrono::steady_clock::now();
        model->generate(prompt, options);
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        std::cout << passed.count() << std::endl;
    }
}
