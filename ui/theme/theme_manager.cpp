#include "ui/theme/theme_manager.h"

#include <QApplication>
#include <QEvent>
#include <QFile>
#include <QFontDatabase>
#include <QFontMetrics>
#include <QPalette>
#include <QProxyStyle>
#include <QRegularExpression>
#include <QScreen>
#include <QStyle>
#include <QTimer>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "ui/theme/page_styles.h"

// Resources of a static library must be initialized explicitly, by a function outside any namespace.
static void initializeResources() {
    Q_INIT_RESOURCE(theme);
}

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

/// A menu that is higher than the screen scrolls, where Fusion makes a second column.
class AppStyle : public QProxyStyle {
 public:
    AppStyle() : QProxyStyle(u"Fusion"_s) {}
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override {
        return hint == SH_Menu_Scrollable ? 1 : QProxyStyle::styleHint(hint, option, widget, data);
    }
};

constexpr int kChoiceMargin = 2;  // a drop-down list adds it to the height of its text, in pixels
constexpr double kTextPt = 10.5;
constexpr std::array<int, 7> kScales = {100, 110, 125, 150, 175, 200, 250};

/// Pixels of the screen per 1/96 inch.
double screenFactor() {
    const QScreen* screen = QGuiApplication::primaryScreen();
    return screen != nullptr ? screen->logicalDotsPerInch() / 96.0 : 1.0;
}

void loadFonts() {
    static const bool loaded = [] {
        initializeResources();
        for (const char* style : {"Regular", "SemiBold"}) {
            QFontDatabase::addApplicationFont(u":/fonts/RopelabSans-%1.otf"_s.arg(QLatin1String(style)));
        }
        return true;
    }();
    Q_UNUSED(loaded);
}

QPalette paletteOf(const Theme& theme) {
    QPalette palette;
    palette.setColor(QPalette::Window, theme.window);
    palette.setColor(QPalette::WindowText, theme.text);
    palette.setColor(QPalette::Base, theme.field);
    palette.setColor(QPalette::AlternateBase, theme.window);
    palette.setColor(QPalette::Text, theme.text);
    palette.setColor(QPalette::PlaceholderText, theme.quietText);
    palette.setColor(QPalette::Button, theme.field);
    palette.setColor(QPalette::ButtonText, theme.text);
    palette.setColor(QPalette::BrightText, theme.error);
    palette.setColor(QPalette::ToolTipBase, theme.panel);
    palette.setColor(QPalette::ToolTipText, theme.text);
    palette.setColor(QPalette::Highlight, theme.accent);
    palette.setColor(QPalette::HighlightedText, theme.accentText);
    palette.setColor(QPalette::Link, theme.accent);
    palette.setColor(QPalette::LinkVisited, theme.accent);
    palette.setColor(QPalette::Light, theme.panel);
    palette.setColor(QPalette::Midlight, theme.hairline);
    palette.setColor(QPalette::Mid, theme.hairline);
    palette.setColor(QPalette::Dark, theme.quietText);
    palette.setColor(QPalette::Shadow, theme.hairline);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        QColor faded = theme.quietText;
        faded.setAlphaF(0.6F);
        palette.setColor(QPalette::Disabled, role, faded);
    }
    return palette;
}

QColor mixed(const QColor& a, const QColor& b, double weight) {
    const auto mix = [weight](float x, float y) { return static_cast<float>(x + (y - x) * weight); };
    return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()));
}

/// style.qss with @names replaced by the theme's colours, and with scaled lengths.
QString styleSheet(const Theme& theme, const ThemeManager& manager) {
    QFile file(u":/theme/style.qss"_s);
    if (!file.open(QIODevice::ReadOnly)) {
        return QString();
    }
    const QString source = QString::fromUtf8(file.readAll());
    QColor picked = theme.accent;
    picked.setAlphaF(0.12F);
    const std::map<QString, QColor> colors = {
        {u"picked"_s, picked},
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
                result += color->second.name(color->second.alpha() < 255 ? QColor::HexArgb : QColor::HexRgb);
            } else if (length != lengths.end()) {
                result += QString::number(length->second) + u"px"_s;
            } else {  // @appearance is the only name that is neither
                result += QLatin1String(theme.appearance == Appearance::dark ? "dark" : "light");
            }
        } else if (match.captured(3) == "px"_L1) {
            result += QString::number(manager.pixels(match.captured(2).toDouble())) + u"px"_s;
        } else {
            const double points = match.captured(2).toDouble();
            result += QString::number(manager.fontAt(points).pointSizeF()) + u"pt"_s;
        }
    }
    return result + source.mid(from);
}

}  // namespace

ThemeManager::ThemeManager() = default;

ThemeManager& ThemeManager::instance() {
    static ThemeManager manager;
    return manager;
}

const Theme& ThemeManager::theme() const {
    switch (m_choice) {
        case Choice::light:
            return Theme::light();
        case Choice::dark:
            return Theme::dark();
        case Choice::contrast:
            return Theme::highContrast();
        case Choice::system:
            break;
    }
    return Theme::of(m_system);
}

double ThemeManager::factor() const {
    return m_scale / 100.0 * m_systemFactor;
}

double ThemeManager::px(double atHundred) const {
    // Fonts scale with the desktop's dots per inch, so lengths must scale as well.
    return atHundred * factor() * screenFactor();
}

double ThemeManager::pointsOf(double points) const {
    return std::max(points * factor(), m_leastText * 0.75 / screenFactor());
}

double ThemeManager::textGrowth() const {
    return pointsOf(kTextPt) / (kTextPt * factor());
}

int ThemeManager::pixels(double atHundred) const {
    return atHundred <= 0 ? 0 : std::max(1, static_cast<int>(std::lround(px(atHundred))));
}

QString ThemeManager::family() {
    loadFonts();
    return u"Ropelab Sans"_s;
}

QFont ThemeManager::fontAt(double points, QFont::Weight weight) const {
    QFont font(family());
    font.setPointSizeF(pointsOf(points));
    font.setWeight(weight);
    return font;
}

void ThemeManager::apply() {
    if (!m_applied) {
        m_applied = true;
        QApplication::setStyle(new AppStyle);
        qApp->installEventFilter(this);
    }
    refresh();
}

void ThemeManager::refresh() {
    m_applying = true;
    // An empty palette restores the platform's palette, which cannot be queried while another one is set.
    QApplication::setPalette(QPalette());
    m_system =
        QApplication::palette().color(QPalette::Window).lightnessF() < 0.5F ? Appearance::dark : Appearance::light;
    const QString platform = QGuiApplication::platformName();
    const bool hasDesktop = platform != "offscreen"_L1 && platform != "minimal"_L1;
    const double systemPoints = QFontDatabase::systemFont(QFontDatabase::GeneralFont).pointSizeF();
    m_systemFactor = hasDesktop ? std::clamp(systemPoints / 10.0, 1.0, 2.0) : 1.0;

    QApplication::setPalette(paletteOf(theme()));
    QApplication::setFont(font());
    QToolTip::setFont(font());
    setStyleSheetOnce(styleSheet(theme(), *this));
    m_applying = false;
    emit changed();
}

void ThemeManager::setChoice(Choice choice) {
    if (choice == m_choice) {
        return;
    }
    m_choice = choice;
    if (m_applied) {
        refresh();
    }
}

void ThemeManager::setScale(int percent, double leastText) {
    percent = std::clamp(percent, kScales.front(), kScales.back());
    if (percent == m_scale && leastText == m_leastText) {
        return;
    }
    m_scale = percent;
    m_leastText = leastText;
    if (m_applied) {
        refresh();
    }
}

void ThemeManager::larger() {
    const auto next = std::upper_bound(kScales.begin(), kScales.end(), m_scale);
    setScale(next == kScales.end() ? kScales.back() : *next);
}

void ThemeManager::smaller() {
    const auto here = std::lower_bound(kScales.begin(), kScales.end(), m_scale);
    setScale(here == kScales.begin() ? kScales.front() : *(here - 1));
}

bool ThemeManager::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ThemeChange && !m_applying) {
        m_applying = true;  // every window gets this event, but one refresh is enough
        QTimer::singleShot(0, this, &ThemeManager::refresh);
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace ropelab::ui

#include "moc_theme_manager.cpp"
