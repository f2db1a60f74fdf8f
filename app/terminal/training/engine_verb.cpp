#include <memory>

#include "app/terminal/options.h"
#include "app/terminal/output.h"
#include "app/terminal/verbs.h"
#include "core/base/numbers.h"
#include "core/machine/libtorch_fetch.h"

namespace ropelab::terminal {

namespace {

struct Flags {
    std::string folder;
    bool json = false;
};

void print_libtorch(const LibTorch& found, bool as_json) {
    if (as_json) return print_json({{"folder", found.folder.string()}, {"version", found.version}});
    print_text("LibTorch " + found.version + ": " + found.folder.string() + "\n");
}

void fetch_engine(const Flags& flags) {
    ProgressLine line;
    FetchOptions options;
    options.progress = [&line](const FetchProgress& progress) {
        line.show(std::string(word_of(progress.step)) + " LibTorch, " + grouped(progress.done) + " of " +
                  grouped(progress.total) + " bytes");
    };
    options.cancelled = [] { return interrupted(); };
    const auto fetched = fetch_libtorch(options);
    line.end();
    if (!fetched) throw std::runtime_error("Stopped. Run \"ropelab-cli engine fetch\" again to resume the download.");
    print_libtorch(*fetched, flags.json);
}

}  // namespace

void add_engine(CLI::App& program) {
    auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand(
        "engine", "Download LibTorch, which training requires, or choose the folder that contains it: fetch, use");
    verb->require_subcommand(1);
    add_part(*verb, flags, "fetch", "Download LibTorch into the cache, verify its checksum and unpack it",
             fetch_engine);
    add_part<Flags>(*verb, flags, "use",
                    "Use the LibTorch in this folder for training; the choice is stored for ropelab and ropelab-cli",
                    [](const Flags& f) { print_libtorch(use_libtorch(f.folder), f.json); })
        ->add_option("folder", flags->folder, "A folder that contains lib/libtorch_cpu.so or torch/lib/libtorch_cpu.so")
        ->required();
}

}  // namespace ropelab::terminal
