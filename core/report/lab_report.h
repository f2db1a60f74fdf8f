#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/report/document.h"
#include "core/results/results_table.h"
#include "core/store/lab_file.h"

namespace ropelab {

struct ReportOptions {
    ResultsOptions results;  // baseline, measure and test of the results
    std::string version;     // version of the program
    std::string date;        // date of the report, "2026-03-01"
    std::string machine;     // sentence on the machine that writes the report
    /// They exist beside the report (see suitable_figures).
    std::vector<std::string> figures;
    /// On missing figures; "" if none is.
    std::string figure_problem;
};

/// `ropelab-cli figure`, in the order of the report.
std::vector<std::string> suitable_figures(const LabFile& lab, const ResultsOptions& results);

/// For `ropelab-cli figure` to show what the report's table shows; none for figures without results.
std::vector<std::string> figure_flags(const LabFile& lab, const std::vector<std::string>& figures,
                                      const ResultsOptions& results);

/// {"experiment-1.json", …}, from which the report's commands train the lab again; without reproduction sheets.
std::map<std::string, std::string> experiment_files(const LabFile& lab);

/// The results are those of the runs that the lab's stored selection includes (RunSelection), or of all runs if it
/// stores none. Throws BadInput if the lab has no runs.
ReportDocument lab_report(const LabFile& lab, const ReportOptions& options);

/// report.md, report.html, report.tex and experiment_files, each atomically. Throws BadInput if that fails.
void write_report(const std::filesystem::path& folder, const LabFile& lab, const ReportOptions& options);

}  // namespace ropelab
