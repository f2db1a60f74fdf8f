#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

/// A name that earlier versions wrote into labs, experiments and scripts. It is still read, and never written.
struct Alias {
    /// Kinds of names: settings, values of `data` and `cuda_graphs`, measurements, arrays of a snapshot, …
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
        flag,
        control
    };

    Kind kind;
    std::string_view earlier;
    std::string_view current;
};

std::span<const Alias> aliases();

/// Replaces an earlier name by the current one; any other name is returned unchanged.
std::string_view current_name(Alias::Kind kind, std::string_view name);

std::string_view earlier_name(Alias::Kind kind, std::string_view name);

std::vector<std::string> current_arguments(std::vector<std::string> arguments);

/// Also replaces the words "head" and "none" of qk_norm by "true" and "false".
std::string current_value(std::string_view key, std::string value);

std::map<std::string, std::string> current_settings(const std::map<std::string, std::string>& settings);

}  // namespace ropelab
