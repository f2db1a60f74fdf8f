#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

/// A name that earlier versions wrote into labs, experiments and scripts. It is still read, and never written.
struct Alias {
    /// Kinds of names: keys of settings, values of the settings `data` and `cuda_graphs`, measurements of a run, arrays
    /// of a snapshot, names of rooms, of figures, of plotted quantities and of columns in the window, kinds of
    /// ablation, keys of a replay job, and flags of the command line.
    enum class Kind {
        key,
        data,
        graphs,
        measurement,
        snapshot,
        room,
        figure,
        quantity,
        column,
        ablation,
        replay,
        flag
    };

    Kind kind;
    std::string_view earlier;
    std::string_view current;
};

/// Returns the table of all aliases.
std::span<const Alias> aliases();

/// Replaces an earlier name by the current one; any other name is returned unchanged.
std::string_view current_name(Alias::Kind kind, std::string_view name);

/// Returns the earlier name of a current name of this kind; a name without an alias is returned unchanged.
std::string_view earlier_name(Alias::Kind kind, std::string_view name);

/// Returns the arguments of a command line with the current names of flags ("--flag" and "--flag=value").
std::vector<std::string> current_arguments(std::vector<std::string> arguments);

/// Returns the text that is stored for a value of a setting: earlier names of data sets and of cuda_graphs are
/// replaced, and the words "head" and "none" of qk_norm become "true" and "false".
std::string current_value(std::string_view key, std::string value);

/// Returns settings and their values under their current names.
std::map<std::string, std::string> current_settings(const std::map<std::string, std::string>& settings);

}  // namespace ropelab
