#include "ui/theme/style_sheet.h"

#include <QFile>
#include <QFontMetrics>
#include <QRegularExpression>
#include <cmath>
#include <map>

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kChoiceMargin = 2;  // a drop-down list adds it to the height of its text, in pixels

QColor mixed(const QColor& a, const QColor& b, double weight) {
    const auto mix = [weight](float x, float y) { return static_cast<float>(x + (y - x) * weight); };
    return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()));
}

}  // namespace

QString styleSheet(const Theme& theme, const ThemeManager& manager) {
    QFile file(u":/theme/style.qss"_s);
    if (!file.open(QIODevice::ReadOnly)) {
        return QString();
    }
    const QString source = QString::fromUtf8(file.readAll());
    const std::map<QString, QColor> colors = {
        {u"window"_s, theme.window},
        {u"panel"_s, theme.panel},
        {u"paper"_s, theme.paper},
        {u"field"_s, theme.field},
        {u"text"_s, theme.text},
        {u"quietText"_s, theme.quietText},
        {u"hairline"_s, theme.hairline},
        {u"accent"_s, theme.accent},
        {u"accentText"_s, theme.accentText},
        {u"success"_s, theme.success},
        {u"warning"_s, theme.warning},
        {u"error"_s, theme.error},
        {u"hover"_s, mixed(theme.field, theme.text, 0.06)},
        {u"pressed"_s, mixed(theme.field, theme.text, 0.12)},
        {u"accentHover"_s, mixed(theme.accent, theme.text, 0.15)},
        {u"accentSoft"_s, mixed(theme.panel, theme.accent, 0.10)},
        {u"control"_s, mixed(theme.hairline, theme.quietText, 0.35)},
        {u"faded"_s, mixed(theme.panel, theme.quietText, 0.6)},
    };

    // Height of a drop-down list's content, so that it is as high as a text field with the same font. The focused one
    // has a thicker border.
    const int choiceHeight = QFontMetrics(manager.font()).height() + kChoiceMargin + 2 * manager.pixels(3);
    const std::map<QString, int> lengths = {
        {u"choiceHeight"_s, choiceHeight},
        {u"focusedChoiceHeight"_s, choiceHeight + 2 * manager.pixels(1) - 2 * manager.pixels(2)},
    };

    // In one pass, "@name" is replaced by a colour or a length, "12px" by scaled pixels and "15pt" by scaled points.
    static const QRegularExpression token(u"@([A-Za-z]+)|([0-9]+(?:\\.[0-9]+)?)(px|pt)\\b"_s);
    QString result;
    qsizetype from = 0;
    for (auto matches = token.globalMatch(source); matches.hasNext();) {
        const auto match = matches.next();
        result += source.mid(from, match.capturedStart() - from);
        from = match.capturedEnd();
        if (match.hasCaptured(1) && !match.captured(1).isEmpty()) {
            const auto color = colors.find(match.captured(1));
            const auto length = lengths.find(match.captured(1));
            if (color != colors.end()) {
                result += color->second.name();
            } else if (length != lengths.end()) {
                result += QString::number(length->second) + u"px"_s;
            } else {  // @appearance is the only name that is neither
                result += QLatin1String(theme.appearance == Appearance::dark ? "dark" : "light");
            }
        } else if (match.captured(3) == "px"_L1) {
            result += QString::number(manager.pixels(match.captured(2).toDouble())) + u"px"_s;
        } else {
            result += QString::number(match.captured(2).toDouble() * manager.factor()) + u"pt"_s;
        }
    }
    return result + source.mid(from);
}

}  // namespace ropelab::ui
