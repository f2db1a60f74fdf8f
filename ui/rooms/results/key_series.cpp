#include "ui/rooms/results/key_series.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/experiment/experiment.h"
#include "core/results/results_table.h"
#include "ui/common/results_words.h"

namespace ropelab::ui {

double keyValue(const ResultsData& data, const ResultGroup& group, const std::string& key) {
    const RunSpec& spec = data.exampleOf(group).spec;
    if (key == "fraction" && !spec.rotates()) return 0;
    const bool hasTheta = spec.rotates() && spec.fraction != 0 && spec.frequencies == "auto";
    if (key == "theta" && !hasTheta) return std::nan("");
    if (const auto swept = group.settings.find(key); swept != group.settings.end()) {
        return swept->second.is_number() ? swept->second.get<double>() : std::nan("");
    }
    const auto settings = to_json(spec);
    const auto found = settings.find(key);
    return found != settings.end() && found->is_number() ? found->get<double>() : std::nan("");
}

namespace {

QString partWords(const std::string& key, const nlohmann::json& value, int headDim) {
    if (value.is_boolean()) return value.get<bool>() ? keyTitle(key) : QObject::tr("no %1").arg(keyTitle(key));
    const QString words = settingTitle(key, value, headDim);
    return value.is_string() ? words : keyTitle(key) + QLatin1Char(' ') + words;
}

}  // namespace

std::vector<std::string> keysAlongWith(const ResultsData& data, const std::string& key) {
    const ResultsTable& table = data.table();
    std::vector<std::pair<double, const ResultGroup*>> places;
    std::set<double> values;
    for (const ResultGroup& group : table.groups) {
        const double at = keyValue(data, group, key);
        if (!std::isfinite(at)) continue;
        places.emplace_back(at, &group);
        values.insert(at);
    }
    std::vector<std::string> result;
    if (places.size() == values.size()) return result;
    for (const std::string& other : table.swept) {
        if (other == key) continue;
        std::map<double, nlohmann::json> followed;
        const bool follows = std::all_of(places.begin(), places.end(), [&](const auto& place) {
            const nlohmann::json& value = place.second->settings.at(other);
            return followed.try_emplace(place.first, value).first->second == value;
        });
        if (follows) result.push_back(other);
    }
    return result;
}

std::vector<KeySeries> seriesAlong(const ResultsData& data, const std::string& key) {
    const ResultsTable& table = data.table();
    std::vector<KeySeries> result;
    std::vector<std::map<std::string, nlohmann::json>> others;
    const std::vector<std::string> following = keysAlongWith(data, key);
    for (const std::size_t i : groupsInOrder(table)) {
        const ResultGroup& group = table.groups[i];
        const double at = keyValue(data, group, key);
        if (!std::isfinite(at)) continue;
        std::map<std::string, nlohmann::json> rest = group.settings;
        rest.erase(key);
        for (const std::string& other : following) rest.erase(other);
        // A model without position encoding belongs to the series of RoPE models, at fraction 0.
        if (key == "fraction" && rest.contains("position")) {
            const auto& position = rest["position"];
            if (position == "none" || position == "rope") rest["position"] = "rope";
            if (position == "learned" || position == "learned+rope") rest["position"] = "learned+rope";
        }
        auto known = std::find(others.begin(), others.end(), rest);
        if (known == others.end()) {
            others.push_back(rest);
            known = others.end() - 1;
            result.emplace_back();
        }
        result[static_cast<std::size_t>(known - others.begin())].points.push_back({at, i});
    }
    const std::vector<std::string> telling = distinguishingKeys(table, key);
    for (std::size_t i = 0; i < result.size(); ++i) {
        std::stable_sort(result[i].points.begin(), result[i].points.end(),
                         [](const KeyPoint& a, const KeyPoint& b) { return a.at < b.at; });
        if (result.size() == 1) break;
        // The label names only settings in which the series differ.
        std::vector<std::pair<std::ptrdiff_t, QString>> parts;
        for (const std::string& name : telling) {
            if (!others[i].contains(name)) continue;
            const nlohmann::json& value = others[i].at(name);
            const auto alike =
                std::count_if(others.begin(), others.end(), [&](const auto& other) { return other.at(name) == value; });
            if (alike == std::ssize(others)) continue;
            parts.emplace_back(alike, partWords(name, value, head_dim_of(table)));
        }
        // Values that few other series have come first, because a long label is cut off at its end.
        std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        QStringList words;
        for (const auto& [alike, part] : parts) words << part;
        result[i].label = words.join(QStringLiteral(", "));
    }
    return result;
}

std::size_t countDistinctValues(const std::vector<KeySeries>& series) {
    std::set<double> values;
    for (const KeySeries& own : series) {
        for (const KeyPoint& point : own.points) values.insert(point.at);
    }
    return values.size();
}

FigureCurve seriesLine(const KeySeries& own, Ink ink, QList<double> x, QList<double> y) {
    FigureCurve line = stroke(std::move(x), std::move(y), ink);
    line.label = own.label;
    return line;
}

std::vector<Ink> inksOf(const ResultsData& data, const std::vector<KeySeries>& series) {
    std::vector<std::size_t> first;
    for (const KeySeries& own : series) first.push_back(own.points.front().group);
    return seriesInks(data, first);
}

QList<double> xByGroup(const ResultsData& data, const std::vector<KeySeries>& series) {
    QList<double> result(static_cast<qsizetype>(data.table().groups.size()), std::nan(""));
    for (const KeySeries& own : series) {
        for (const KeyPoint& point : own.points) result[static_cast<qsizetype>(point.group)] = point.at;
    }
    return result;
}

}  // namespace ropelab::ui
