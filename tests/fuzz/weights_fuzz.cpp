// Fuzz test of the readers of weights: mutates safetensors and GGUF files at random. A reader must either accept a
// file, so that all its numbers can be read, or throw BadInput with one sentence. Usage: weights_fuzz [mutations
// [seed]]. The test is deterministic for a given seed.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/interop/gguf_model.h"
#include "core/weights/safetensors.h"
#include "core/weights/weight_files.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/source_file.h"

namespace {

using namespace ropelab;
using namespace ropelab::fuzz;

template <typename Number>
std::string bytes_of(Number number) {
    std::string result(sizeof number, '\0');
    std::memcpy(result.data(), &number, sizeof number);
    return result;
}

const std::vector<std::string> pieces = {R"("dtype":"F32")",
                                         R"("dtype":"BF16")",
                                         R"("shape":[)",
                                         R"("data_offsets":[0,8])",
                                         R"("x":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},)",
                                         R"({"weight_map":{"a":"model.safetensors"}})",
                                         "[",
                                         "{",
                                         "}",
                                         "9223372036854775807",
                                         "-1",
                                         "1e400",
                                         "GGUF",
                                         bytes_of(std::uint64_t{0}),
                                         bytes_of(~std::uint64_t{0}),
                                         bytes_of(std::uint64_t{1} << 40),
                                         bytes_of(std::uint32_t{1}),
                                         bytes_of(std::uint32_t{8}),
                                         bytes_of(std::uint32_t{9}),
                                         bytes_of(std::uint32_t{14}),
                                         bytes_of(std::uint64_t{17}) + "general.alignment",
                                         "\xFF"};

// Returns true if the reader accepted the file.
bool try_read(const std::filesystem::path& path) {
    try {
        const WeightFiles files(path);
        for (const auto& [name, entry] : files.tensors()) {
            require(entry.tensor.count <= 1 << 20, "more numbers than the file has bytes");
            std::vector<float> numbers(static_cast<std::size_t>(entry.tensor.count));
            entry.file->read(entry.tensor, 0, numbers);
        }
        if (files.gguf()) gguf_config(files);
        return true;
    } catch (const BadInput& error) {
        const std::string sentence = error.what();
        require(sentence.ends_with(".") && sentence.find('\n') == std::string::npos, "not one sentence");
        return false;
    }
}

std::string content_of(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

int main(int count, char** arguments) {
    const long mutations = count > 1 ? std::atol(arguments[1]) : 3000;
    Generator generator(count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1);
    const ScratchFolder folder;
    write_safetensors(folder / "seed.safetensors", {.tensors = {{"a", {2, 3}, {1, 2, 3, 4, 5, 6}}, {"b", {1}, {7}}},
                                                    .metadata = {{"format", "pt"}}});
    const std::string types = content_of(source_file("tests/core/weights/gguf_types.gguf"));
    const std::string small = "GGUF" + bytes_of(std::uint32_t{3}) + bytes_of(std::uint64_t{0}) +
                              bytes_of(std::uint64_t{1}) + bytes_of(std::uint64_t{20}) + "general.architecture" +
                              bytes_of(std::uint32_t{8}) + bytes_of(std::uint64_t{5}) + "llama";
    const std::vector<std::string> seeds = {content_of(folder / "seed.safetensors"), small, types.substr(0, 1700),
                                            types};
    long accepted = 0;
    for (long i = 0; i < mutations; ++i) {
        std::string text = seeds[below(generator, seeds.size())];
        for (std::size_t changes = 1 + below(generator, 4); changes > 0; --changes)
            change_bytes(text, generator, pieces, seeds);
        accepted += try_read(folder.write(below(generator, 20) == 0 ? "x.index.json" : "x", text));
    }
    std::cout << mutations << " mutations, " << accepted << " accepted\n";
    return 0;
}
