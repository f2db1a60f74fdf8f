#include "ui/window/batch/command_line.h"

#include <algorithm>

#include "core/base/aliases.h"
#include "core/base/error.h"

namespace ropelab::ui {

CommandLine::CommandLine(const QString& description, const std::vector<Option>& options, const Option& positional,
                         const QString& program)
    : m_app(description.toStdString(), program.toStdString()) {
    m_app.set_help_flag();  // --help is a mode of its own, so that it is printed like every other result
    for (const Option& option : options) {
        const std::string dashes = std::string("--") + option.name;
        if (!option.repeatable) m_single.emplace_back(option.name);
        const std::string names = dashes == "--help" ? "-h,--help" : dashes == "--version" ? "-v,--version" : dashes;
        if (option.valueName[0] == '\0') {
            m_app.add_flag(names, option.help);
            continue;
        }
        m_standard[option.name] = option.standard;
        CLI::Option* added = m_app.add_option(names, m_values[option.name], option.help);
        added->type_name(option.valueName)->expected(1)->take_all()->allow_extra_args(false);
        if (option.standard[0] != '\0') added->default_str(option.standard);
    }
    m_app.add_option(positional.name, m_positional, positional.help)->type_name("");
}

void CommandLine::parse(const QStringList& arguments) {
    std::vector<std::string> all;
    for (const QString& argument : arguments.mid(1)) all.push_back(argument.toStdString());
    all = current_arguments(std::move(all));
    std::reverse(all.begin(), all.end());  // as CLI11 requires
    try {
        m_app.parse(std::move(all));
    } catch (const CLI::ParseError& error) {
        throw BadInput(std::string(error.what()) + ". --help lists all options.");
    }
    for (const auto& [name, given] : m_values) {
        if (name != "text" && std::find(given.begin(), given.end(), "") != given.end())
            throw BadInput("The value of --" + name + " is empty; give a value, or leave the option out.");
    }
    for (const std::string& name : m_single) {
        if (m_app.count("--" + name) > 1) throw BadInput("The option --" + name + " is given twice; give it once.");
    }
}

bool CommandLine::isSet(const QString& name) const {
    return m_app.count("--" + name.toStdString()) > 0;
}

QString CommandLine::value(const QString& name) const {
    const QStringList given = values(name);
    return given.isEmpty() ? QString::fromStdString(m_standard.at(name.toStdString())) : given.last();
}

QStringList CommandLine::values(const QString& name) const {
    QStringList result;
    for (const std::string& value : m_values.at(name.toStdString())) result << QString::fromStdString(value);
    return result;
}

QStringList CommandLine::positionalArguments() const {
    QStringList result;
    for (const std::string& value : m_positional) result << QString::fromStdString(value);
    return result;
}

QString CommandLine::helpText() const {
    return QString::fromStdString(m_app.help());
}

}  // namespace ropelab::ui
