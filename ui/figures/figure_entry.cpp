#include "ui/figures/figure_entry.h"

#include <QLocale>
#include <algorithm>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "ui/common/format.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMostNamed = 6;  // more figures of a room are described instead of listed

const QString kFigure = u"figure"_s;

QJsonObject ownFlags(const FigureEntry& entry, const QJsonObject& flags) {
    QJsonObject own{{kFigure, entry.name}};
    for (const FigureOption* option : entry.options) {
        const QString name = QLatin1String(option->name);
        if (flags.contains(name)) own[name] = flags[name];
    }
    return own;
}

void checkLab(std::span<const FigureEntry> all, const QStringList& names, bool hasLab, const QJsonObject& flags) {
    using Lab = FigureEntry::Lab;
    const auto any = [&](Lab lab) {
        return std::any_of(names.begin(), names.end(),
                           [&](const QString& name) { return findFigure(all, name)->lab == lab; });
    };
    const std::string named = names.join(u", "_s).toStdString();
    const bool lacksLab = std::any_of(names.begin(), names.end(), [&](const QString& name) {
        const FigureEntry& entry = *findFigure(all, name);
        return entry.lab == Lab::required && !ownFlags(entry, flags).contains(u"model"_s);  // a model instead of a run
    });
    if (lacksLab && !hasLab) throw BadInput("--figure " + named + " requires --lab FILE.");
    if (hasLab && !any(Lab::required) && !any(Lab::optional)) {
        throw BadInput("The figure " + named + " shows a rotary setup, so it requires --setup instead of --lab.");
    }
}

}  // namespace

bool FigureEntry::has(const FigureOption& option) const {
    return std::any_of(options.begin(), options.end(),
                       [&](const FigureOption* each) { return std::string_view(each->name) == option.name; });
}

QString currentFigureName(const QString& name) {
    return QString::fromStdString(std::string(current_name(Alias::Kind::figure, name.toStdString())));
}

const FigureEntry* findFigure(std::span<const FigureEntry> all, const QString& name) {
    const QString current = currentFigureName(name);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const FigureEntry& entry) { return entry.name == current; });
    return found == all.end() ? nullptr : &*found;
}

std::vector<const FigureOption*> optionsOf(std::span<const FigureEntry> all) {
    std::vector<const FigureOption*> result;
    for (const FigureEntry& entry : all) {
        for (const FigureOption* option : entry.options) {
            const bool isKnown = std::any_of(result.begin(), result.end(), [&](const FigureOption* each) {
                return std::string_view(each->name) == option->name;
            });
            if (!isKnown) result.push_back(option);
        }
    }
    return result;
}

QString figuresWith(std::span<const FigureEntry> all, const FigureOption& option) {
    QStringList rooms;
    QStringList named;
    for (auto entry = all.begin(); entry != all.end();) {
        const auto end = std::find_if(entry, all.end(), [&](const auto& each) { return each.room != entry->room; });
        QStringList names;
        for (auto each = entry; each != end; ++each) {
            if (each->has(option)) names << each->name;
        }
        if (names.size() > kMostNamed) {
            const QString room = entry->room.left(1).toUpper() + entry->room.mid(1);
            rooms << u"figures of the page %1, such as %2"_s.arg(room, names.first());
        } else {
            named << names;
        }
        entry = end;
    }
    if (!named.isEmpty()) {
        rooms << (named.size() == 1 ? u"the figure "_s : u"the figures "_s) + listedText(named);
    }
    return rooms.join(u", and "_s);
}

void checkFigures(std::span<const FigureEntry> all, const QStringList& names, const QJsonObject& flags, bool hasLab) {
    for (const QString& name : names) {
        if (findFigure(all, name)) continue;
        QStringList known;
        for (const FigureEntry& entry : all) known << entry.name;
        throw BadInput("There is no figure \"" + name.toStdString() + "\"; the figures are " +
                       known.join(u", "_s).toStdString() + ".");
    }
    for (const FigureOption* option : optionsOf(all)) {
        const QString flag = QLatin1String(option->name);
        if (!flags.contains(flag)) continue;
        const bool applies = std::any_of(names.begin(), names.end(),
                                         [&](const QString& name) { return findFigure(all, name)->has(*option); });
        if (!applies) {
            throw BadInput("--" + std::string(option->name) + " applies to " + figuresWith(all, *option).toStdString() +
                           ", not to " + names.join(u", "_s).toStdString() + ".");
        }
        checkValue(*option, flags[flag]);
    }
    checkLab(all, names, hasLab, flags);
    const bool isForOthers = std::any_of(names.begin(), names.end(), [&](const QString& name) {
        return findFigure(all, name)->lab == FigureEntry::Lab::required;
    });
    FigureSources withLab(u"lab"_s);
    FigureSources withoutLab;
    for (const QString& name : names) {
        const FigureEntry& entry = *findFigure(all, name);
        // On a page with figures of the lab, a figure that could also show the lab can show something else.
        const bool usesLab = hasLab && (entry.lab == FigureEntry::Lab::required || !isForOthers);
        if (entry.check) entry.check(FigureRequest(usesLab ? withLab : withoutLab, ownFlags(entry, flags)));
    }
}

std::vector<Figure> makeFigures(std::span<const FigureEntry> all, const QStringList& names, const QJsonObject& flags,
                                FigureSources& sources, const QJsonObject& view, bool isRecorded) {
    std::vector<Figure> figures;
    for (const QString& name : names) {
        const FigureEntry& entry = *findFigure(all, name);
        const QJsonObject own = ownFlags(entry, flags);
        Figure figure = entry.make(FigureRequest(sources, own, view, isRecorded));
        figure.origin.flags = withFlags(own, figure.origin.flags);
        figures.push_back(std::move(figure));
    }
    return figures;
}

QJsonObject withFlags(QJsonObject flags, const QJsonObject& said) {
    for (const QString& name : said.keys()) {
        if (said[name].isNull()) {
            flags.remove(name);
        } else {
            flags[name] = said[name];
        }
    }
    return flags;
}

QJsonObject flagsOfSettings(const QJsonObject& settings, std::span<const FigureOption* const> options) {
    QJsonObject flags;
    for (const FigureOption* option : options) {
        const QString name = QLatin1String(option->name);
        const QJsonValue value = settings[QString(name).replace(QLatin1Char('-'), QLatin1Char('_'))];
        if (value.isDouble()) {
            flags[name] = QString::number(value.toDouble(), 'g', QLocale::FloatingPointShortest);
        } else if (value.isBool() ? value.toBool() : !value.toString().isEmpty()) {
            flags[name] = value;
        }
    }
    return flags;
}

}  // namespace ropelab::ui
