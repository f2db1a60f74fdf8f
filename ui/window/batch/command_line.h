#pragma once

#include <CLI/CLI.hpp>
#include <QString>
#include <QStringList>
#include <map>
#include <string>
#include <vector>

namespace ropelab::ui {

using namespace Qt::StringLiterals;

class CommandLine {
 public:
    /// Without `valueName` it is a flag; an empty `standard` means that it has no default.
    struct Option {
        const char* name;  // without the dashes
        std::string help;
        const char* valueName = "";
        const char* standard = "";
        bool repeatable = false;  // the option may be given several times
    };

    CommandLine(const QString& description, const std::vector<Option>& options, const Option& positional,
                const QString& program = u"ropelab"_s);

    /// Throws BadInput for an unknown option, a missing or empty value, and an option given twice that is not
    /// repeatable.
    void parse(const QStringList& arguments);
    bool isSet(const QString& name) const;
    /// The default if the option was not given.
    QString value(const QString& name) const;
    QStringList values(const QString& name) const;
    QStringList positionalArguments() const;
    QString helpText() const;

 private:
    CLI::App m_app;
    std::map<std::string, std::vector<std::string>> m_values;
    std::map<std::string, std::string> m_standard;
    std::vector<std::string> m_positional;
    std::vector<std::string> m_single;  // options that can be given once, without the dashes
};

}  // namespace ropelab::ui
