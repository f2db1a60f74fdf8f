#include "ui/theme/style_sheet.h"

#include <QFile>
#include <QFontMetrics>
#include <QRegularExpression>
#include <cmath>
#include <map>

namespace ropelab::ui {
namespace {

constexpr int kChoiceMargin = 2;  // a drop-down list adds it to the height of its text, in pixels

QColor mixed(const QColor& a, const QColor& b, double weight) {
    const auto mix = [weight](float x, float y) { return static_cast<float>(x + (y - x) * weight); };
    return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()));
}

}  // namespace

QString styleSheet(const Theme& theme, const ThemeManager& manager) {
    QFile file(QStringLiteral(":/theme/style.qss"));
    if (!file.open(QIODevice::ReadOnly)) {
        return QString();
    }
    const QString source = QString::fromUtf8(file.readAll());
    const std::map<QString, QColor> colors = {
        {QStringLiteral("window"), theme.window},
        {QStringLiteral("panel"), theme.panel},
        {QStringLiteral("paper"), theme.paper},
        {QStringLiteral("field"), theme.field},
        {QStringLiteral("text"), theme.text},
        {QStringLiteral("quietText"), theme.quietText},
        {QStringLiteral("hairline"), theme.hairline},
        {QStringLiteral("accent"), theme.accent},
        {QStringLiteral("accentText"), theme.accentText},
        {QStringLiteral("success"), theme.success},
        {QStringLiteral("warning"), theme.warning},
        {QStringLiteral("error"), theme.error},
        {QStringLiteral("hover"), mixed(theme.field, theme.text, 0.06)},
        {QStringLiteral("pressed"), mixed(theme.field, theme.text, 0.12)},
        {QStringLiteral("accentHover"), mixed(theme.accent, theme.text, 0.15)},
        {QStringLiteral("accentSoft"), mixed(theme.panel, theme.accent, 0.10)},
        {QStringLiteral("control"), mixed(theme.hairline, theme.quietText, 0.35)},
        {QStringLiteral("faded"), mixed(theme.panel, theme.quietText, 0.6)},
    };

    // Height of a drop-down list's content, so that it is as high as a text field with the same font. The focused one
    // has a thicker border.
    const int choiceHeight = QFontMetrics(manager.font()).height() + kChoiceMargin + 2 * manager.pixels(3);
    const std::map<QString, int> lengths = {
        {QStringLiteral("choiceHeight"), choiceHeight},
        {QStringLiteral("focusedChoiceHeight"), choiceHeight + 2 * manager.pixels(1) - 2 * manager.pixels(2)},
    };

    // In one pass, "@name" is replaced by a colour or a length, "12px" by scaled pixels and "15pt" by scaled points.
    static const QRegularExpression token(QStringLiteral("@([A-Za-z]+)|([0-9]+(?:\\.[0-9]+)?)(px|pt)\\b"));
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
                result += QString::number(length->second) + QStringLiteral("px");
            } else {  // @appearance is the only name that is neither
                result += QLatin1String(theme.appearance == Appearance::dark ? "dark" : "light");
            }
        } else if (match.captured(3) == QLatin1String("px")) {
            result += QString::number(manager.pixels(match.captured(2).toDouble())) + QStringLiteral("px");
        } else {
            result += QString::number(match.captured(2).toDouble() * manager.factor()) + QStringLiteral("pt");
        }
    }
    return result + source.mid(from);
}

}  // namespace ropelab::ui
