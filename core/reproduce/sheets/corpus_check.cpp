#include "core/reproduce/sheets/corpus_check.h"

#include <cmath>
#include <optional>
#include <system_error>

#include "core/data/known_sets.h"
#include "core/data/text_source.h"
#include "core/spec/error.h"

namespace ropelab {

namespace fs = std::filesystem;

namespace {

// Returns the folder with this name in a data folder or in the cache.
std::optional<fs::path> find_corpus(const std::string& name, const SheetRequest& request) {
    std::vector<fs::path> places = data_folders(request.data_dir);
    places.push_back(cache_folder());
    for (const fs::path& place : places) {
        std::error_code error;
        if (fs::is_directory(place / name, error)) return fs::absolute(place / name).lexically_normal();
    }
    return std::nullopt;
}

// Returns a number of bytes that is rounded up to gigabytes: "28 GB".
std::string gigabytes(double bytes) {
    return number_text(std::ceil(bytes / 1e9)) + " GB";
}

}  // namespace

std::vector<SheetData> corpora_for(const std::vector<std::string>& names, double tokens, const SheetRequest& request,
                                   std::vector<std::string>& notes) {
    constexpr double training_part = 0.9;  // of a text, in every split
    const std::string needs = "a run trains on " + gigabytes(tokens) + " of text, so that a folder \"" + names.front() +
                              "\" with at least " + gigabytes(tokens / most_epochs / training_part) + " of text (" +
                              number_text(most_epochs) + " epochs) is required in --data-dir or ROPELAB_DATA";
    std::vector<SheetData> sets;
    for (const std::string& name : names) {
        const auto folder = find_corpus(name, request);
        if (!folder) {
            if (sets.empty()) throw BadInput("Paper scale is not possible: " + needs + ", or use the scale laptop.");
            notes.push_back("There is no folder \"" + name + "\" with text; this sheet leaves it out.");
            continue;
        }
        const std::int64_t bytes = bytes_of(files_of_folder(*folder));
        const double epochs = tokens / static_cast<double>(split_sizes(bytes, Split::ninety_ten).training);
        if (epochs > most_epochs) {
            throw BadInput("Paper scale is not possible: the folder '" + folder->string() + "' has " + grouped(bytes) +
                           " bytes, which a run would train on for " + number_text(std::round(10 * epochs) / 10) +
                           " epochs, but " + needs + ", or use the scale laptop.");
        }
        notes.push_back("Each run trains for " + number_text(std::round(100 * epochs) / 100) + " epochs of the " +
                        grouped(bytes) + " bytes in the folder \"" + name + "\".");
        sets.push_back({name, folder->string(), true, ""});
    }
    return sets;
}

}  // namespace ropelab
