#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/reproduce/rules/sheet.h"
#include "tests/core/data/scratch.h"

namespace ropelab {

// Rows of a claim and kind of rule that a plan has, with the group of each row.
inline std::vector<const PlannedRow*> rows_of(const SheetPlan& plan, const std::string& claim) {
    std::vector<const PlannedRow*> result;
    for (const PlannedRow& row : plan.rows) {
        if (row.claim == claim && row.rule) result.push_back(&row);
    }
    return result;
}

// Fixture in which no data set is on disk, whatever this machine has.
class SheetTest : public testing::Test {
 protected:
    void write_texts() {
        folder_.write("tinyshakespeare.txt", std::string(1'115'394, 'a'));
        folder_.write("enwik8.first-5000-bytes", std::string(5000, 'b'));
    }
    // Creates a folder with one file of this size, which takes no disk space because it is sparse.
    void write_corpus(const std::string& name, std::uintmax_t bytes) {
        std::filesystem::resize_file(folder_.write(name + "/part-1", ""), bytes);
    }
    ScratchFolder empty_, folder_;
    Environment data_{"ROPELAB_DATA", nullptr};
    Environment cache_{"XDG_CACHE_HOME", empty_.path().c_str()};
};

}  // namespace ropelab
