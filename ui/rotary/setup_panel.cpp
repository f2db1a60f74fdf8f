#include "ui/rotary/setup_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QCoreApplication>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/rope/context.h"
#include "core/settings/keys.h"
#include "ui/common/choice_words.h"
#include "ui/common/format.h"
#include "ui/common/label_text.h"
#include "ui/common/scaled.h"
#include "ui/common/text.h"
#include "ui/controls/field_note.h"
#include "ui/controls/fields.h"
#include "ui/controls/number_slider.h"
#include "ui/figure/ticks.h"
#include "ui/rotary/comparison.h"
#include "ui/session/rotary_model.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

QString plain(double value) {
    return QString::fromStdString(number_text(std::round(value * 1e6) / 1e6));
}

QString meaningOf(const char* name) {
    return text(setup_key(name).meaning);
}

/// "25 %".
QString percentText(double fraction) {
    return u"%1 %"_s.arg(QString::fromStdString(number_text(std::round(fraction * 1e4) / 100)));
}

QString thetaToolTip(const RotaryModel& model) {
    const RotarySetup& setup = model.setup();
    const std::vector<double>& unscaled = model.plain().inverse_frequencies;
    const int rotated = model.plain().rotary_dim;
    const bool isSlice = setup.partial == Partial::slice;
    QString why =
        isSlice
            ? u"RoPE theta θ: pair i has the frequency ωᵢ = θ^(−2i/dᵣ) in radians per token, before scaling; dᵣ channels of a head are rotated."_s
            : u"RoPE theta θ: pair i has the frequency ωᵢ = θ^(−2i/d) in radians per token, before scaling; d is the head dimension."_s;
    if (rotated > 0) {
        const int last = rotated / 2 - 1;
        why += QLatin1Char('\n') + u"θ = %1, %2 = %3: the frequencies range from %4 for pair 0 to %6 for pair %5."_s
                                       .arg(readableNumber(setup.theta), isSlice ? u"dᵣ"_s : u"d"_s)
                                       .arg(isSlice ? rotated : setup.head_dim)
                                       .arg(readableNumber(unscaled.front()))
                                       .arg(last)
                                       .arg(readableNumber(unscaled.at(static_cast<std::size_t>(last))));
    }
    return why + QLatin1Char('\n') +
           (isSlice ? u"Su et al. 2021; formula 3 of the guide"_s : u"Barbero et al. 2024; formula 4 of the guide"_s);
}

QString fractionToolTip(const RotaryModel& model) {
    return u"Fraction p of the channels of a head that are rotated; enter for example 25 % or 6 ch. The number of "
           "rotated channels dᵣ is the even number nearest to p·d. Slice spreads the frequencies over the rotated "
           "pairs, so that their angles change with p; truncate keeps the frequencies of the whole head.\n"
           "p = %1, d = %2: dᵣ = %3\nKhan et al., formula 10"_s.arg(percentText(model.setup().fraction))
               .arg(model.setup().head_dim)
               .arg(model.plain().rotary_dim);
}

/// Rotated channels, longest wavelength, and the number of pairs that complete a period in the context.
QString rotationSummary(const RotaryModel& model) {
    const RotarySetup& setup = model.setup();
    const Frequencies& now = model.frequencies();
    if (now.rotary_dim == 0)
        return u"No pair is rotated: the model has no position encoding (NoPE) and can learn positions only from the "
               "causal "
               "mask."_s;
    const double slowest =
        2 * std::numbers::pi / now.inverse_frequencies[static_cast<std::size_t>(now.rotary_dim / 2 - 1)];
    QString text =
        u"%1 of %2 channels are rotated; the longest wavelength is %3 tokens. %4 of %5 pairs complete a "
        "period in the context."_s.arg(now.rotary_dim)
            .arg(setup.head_dim)
            .arg(readableCount(std::round(slowest)))
            .arg(complete_pairs(now, static_cast<double>(setup.context)))
            .arg(now.rotary_dim / 2);
    const bool isPart = setup.partial == Partial::slice && now.rotary_dim < setup.head_dim;
    if (isPart && setup.scaling.method == ScalingMethod::none) {
        text += QLatin1Char(' ') +
                u"Truncate (the other kind of partial rotation) has the frequencies of this setup "
                "at θ = %1."_s.arg(
                    readableCount(std::pow(setup.theta, static_cast<double>(setup.head_dim) / now.rotary_dim)));
    }
    if (now.attention_factor != 1) {
        text +=
            QLatin1Char(' ') + u"The scaling multiplies cos and sin by %1."_s.arg(readableNumber(now.attention_factor));
    }
    return text;
}

}  // namespace

SetupPanel::SetupPanel(RotaryModel& model, QWidget* parent, const QStringList& withoutEffect)
    : QWidget(parent), m_model(model) {
    setAccessibleName(u"Rotary setup"_s);
    auto* column = scaledColumn(this, 8);
    auto* head = scaledRow(nullptr, 8);
    m_modelName = makeNote(this);
    head->addWidget(makeHeading(u"Rotary setup"_s, this));
    head->addWidget(m_modelName, 1);
    column->addLayout(head);

    auto* modelRow = scaledRow(nullptr, 8);
    auto* models = new QPushButton(u"Models …"_s, this);
    models->setToolTip(u"Loads the settings of a known model or of a Hugging Face config.json."_s);
    connect(models, &QPushButton::clicked, &m_model, &RotaryModel::modelsRequested);
    modelRow->addWidget(models);
    m_comparison = new ComparisonBar(m_model, this);
    connect(m_comparison, &ComparisonBar::problem, this, &SetupPanel::showProblem);
    modelRow->addWidget(m_comparison->makeButton(this));
    modelRow->addStretch(1);
    column->addLayout(modelRow);
    column->addWidget(m_comparison);

    makeNumbers();
    QGridLayout* grid = makeFieldGrid();
    makeChoices(grid, withoutEffect);
    for (const QString& name : withoutEffect) {
        if (NumberSlider* each = slider(name)) each->showWithoutEffect();
    }
    column->addLayout(grid);
    column->addWidget(makeScaling());

    m_problem = new FieldNote(this);

    auto* textRow = scaledRow(nullptr, 8);
    auto* copy = new QPushButton(u"Copy setup"_s, this);
    copy->setToolTip(
        u"Copies the setup, or both compared setups, as one line of text, which ropelab --setup and other commands "
        "accept."_s);
    connect(copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(QString::fromStdString(setups_text(m_model.setups()))); });
    auto* paste = new QPushButton(u"Paste setup"_s, this);
    paste->setToolTip(
        u"Applies a setup from the clipboard, for example: theta=500k head_dim=128 fraction=25% context=8192"_s);
    connect(paste, &QPushButton::clicked, this, [this] { applyText(QApplication::clipboard()->text()); });
    textRow->addWidget(copy);
    textRow->addWidget(paste);
    textRow->addStretch(1);
    column->addLayout(textRow);
    m_statements = new QPushButton(u"Wrong statements about RoPE …"_s, this);
    m_statements->setToolTip(
        u"Shows common statements about RoPE that are false, each with computed evidence and a setup that "
        "demonstrates it (also in the menu Help)."_s);
    connect(m_statements, &QPushButton::clicked, &m_model, &RotaryModel::statementsRequested);
    column->addWidget(m_statements, 0, Qt::AlignLeft);
    m_summary = makeNote(this);
    m_summary->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addWidget(m_summary);

    connect(&m_model, &RotaryModel::changed, this, [this] {
        // A presentation shows single fields outside of the panel.
        const auto isShown = [](const QWidget* field) { return field->isVisible(); };
        if (isVisible() || std::any_of(m_sliders.cbegin(), m_sliders.cend(), isShown) ||
            std::any_of(m_choices.cbegin(), m_choices.cend(), isShown)) {
            renew();
        } else {
            m_isStale = true;
        }
    });
    for (NumberSlider* each : std::as_const(m_sliders)) each->installEventFilter(this);
    for (QComboBox* each : std::as_const(m_choices)) each->installEventFilter(this);
    renew();
}

bool SetupPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Show && m_isStale) renew();  // a field that is shown outside of the panel
    return QWidget::eventFilter(watched, event);
}

void SetupPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    renew();
}

void SetupPanel::change(const QString& what, const std::function<void(RotarySetup&)>& apply) {
    RotarySetup next = m_model.setup();
    try {
        apply(next);
        m_model.changeCustom(what, next);
        showProblem(QString());
    } catch (const BadInput& error) {
        renew();
        showProblem(QString::fromStdString(error.what()));
    }
}

void SetupPanel::addSlider(const char* name, NumberSlider::Options options, const QString& what, QLayout* column) {
    auto* slider = new NumberSlider(std::move(options), column->parentWidget());
    const SetupKey& key = setup_key(name);
    connect(slider, &NumberSlider::changed, this, [this, what, &key](double value) {
        change(what, [&](RotarySetup& setup) {
            key.set(setup, value);
            if (key.name != "head_dim") return;
            setup.scaling.short_factors.clear();  // one factor per pair, valid for the previous head dimension only
            setup.scaling.long_factors.clear();
            if (setup.scaling.method == ScalingMethod::longrope) {
                setup.scaling.method = ScalingMethod::none;
            }
        });
    });
    connect(slider, &NumberSlider::finished, this, [this] { m_model.endDrag(); });
    column->addWidget(slider);
    m_sliders.insert(QLatin1String(name), slider);
}

void SetupPanel::makeNumbers() {
    addSlider("theta", {.label = u"θ, the base"_s, .title = u"θ"_s, .minimum = 2, .maximum = 1e8, .logarithmic = true},
              u"change theta"_s, layout());
    addSlider("fraction",
              {.label = u"rotated fraction"_s,
               .title = u"fraction"_s,
               .minimum = 0,
               .maximum = 1,
               .snap =
                   [this](double fraction) {
                       const double pairs = m_model.setup().head_dim / 2.0;
                       return std::round(fraction * pairs) / pairs;
                   },
               .parse =
                   [this](const QString& typed) {
                       // The field shows percent, so that a number above 1 is one; the terminal asks for the sign.
                       const double number = typed.toDouble();
                       return number > 1 && number <= 100
                                  ? number / 100
                                  : parse_fraction(typed.toStdString(), m_model.setup().head_dim);
                   },
               .text = percentText},
              u"change fraction"_s, layout());
    addSlider("head_dim",
              {.label = u"head dimension"_s,
               .title = u"head dim"_s,
               .unit = u"channels"_s,
               .minimum = 2,
               .maximum = 4096,
               .logarithmic = true,
               .step = 2,
               .text = wholeText,
               .why = meaningOf("head_dim")},
              u"change head dimension"_s, layout());
    addSlider("context",
              {.label = u"context"_s,
               .unit = u"tokens"_s,
               .minimum = 16,
               .maximum = 1048576,
               .logarithmic = true,
               .step = 1,
               .text = wholeText,
               .why = meaningOf("context")},
              u"change context"_s, layout());
}

void SetupPanel::makeChoices(QGridLayout* grid, const QStringList& withoutEffect) {
    const auto add = [&](const char* name, const QString& accessibleName, const QString& what) {
        QComboBox* choice = makeChoice(accessibleName, this);
        const SetupKey& key = setup_key(name);
        for (const ChoiceText& each : key.choices) choice->addItem(choiceTitle(each), text(each.word));
        connect(choice, &QComboBox::activated, this, [this, choice, what, &key](int index) {
            m_model.endDrag();
            change(what, [&](RotarySetup& setup) {
                key.set(setup, choice->itemData(index).toString().toStdString());
                const bool isScaled = key.name == "scaling" && setup.scaling.method != ScalingMethod::none;
                if (isScaled && setup.scaling.factor <= 1) {
                    setup.scaling.factor = 4;  // no method changes the frequencies at factor 1
                }
            });
        });
        const QString title = QString::fromUtf8(name);
        const QString note = withoutEffect.contains(title) ? u'\n' + kNoEffect : QString();
        addField(grid, title + note, choice, meaningOf(name));
        m_choices.insert(title, choice);
    };
    add("partial", u"partial rotation"_s, u"change slice or truncate"_s);
    add("pairing", u"pairing"_s, u"change pairing"_s);
    add("precision", u"precision of the cos/sin table"_s, u"change precision"_s);
    add("scaling", u"scaling"_s, u"change scaling"_s);
}

QWidget* SetupPanel::makeScaling() {
    auto* fields = new QWidget(this);
    auto* column = scaledColumn(fields, 8);
    const auto add = [&](const char* name, const QString& label, double minimum, double maximum) {
        const SetupKey& key = setup_key(name);
        const bool isTokens = key.unit == "tokens";
        addSlider(name,
                  {.label = label,
                   .unit = text(key.unit),
                   .minimum = minimum,
                   .maximum = maximum,
                   .logarithmic = true,
                   .step = isTokens ? 1.0 : 0.0,
                   .text = isTokens ? wholeText : plain,
                   .why = meaningOf(name)},
                  u"change %1"_s.arg(label), column);
    };
    add("factor", u"factor"_s, 1, 128);
    add("original_context", u"training context"_s, 16, 1048576);
    add("beta_fast", u"β fast"_s, 1, 128);
    add("beta_slow", u"β slow"_s, 0.1, 32);
    add("low_freq_factor", u"low frequency factor"_s, 0.1, 32);
    add("high_freq_factor", u"high frequency factor"_s, 0.2, 64);
    return fields;
}

void SetupPanel::renew() {
    m_isStale = false;
    const RotarySetup& setup = m_model.setup();
    for (const auto& [name, slider] : m_sliders.asKeyValueRange()) {
        const SetupKey& key = setup_key(name.toStdString());
        const double value = number_of(key, key.get(setup));
        // An unset training context is shown as the context of the setup.
        slider->setValue(key.name != "fraction" && value == 0 ? static_cast<double>(setup.context) : value);
        slider->setVisible(key.matters(setup));
    }
    for (const auto& [name, choice] : m_choices.asKeyValueRange()) {
        chooseData(choice, text(to_text(setup_key(name.toStdString()).get(setup))));
    }
    const QString& name = m_model.shape().name;
    m_modelName->setText(!name.isEmpty()          ? name
                         : setup == RotarySetup{} ? u"default, not from this lab"_s
                                                  : u"own values"_s);
    showProblem(QString());
    slider(u"theta"_s)->setPartToolTips(thetaToolTip(m_model));
    slider(u"fraction"_s)->setPartToolTips(fractionToolTip(m_model));
    changeText(m_summary, rotationSummary(m_model));
}

void SetupPanel::applyText(const QString& text) {
    try {
        const ComparedSetups next = parse_setups(text.toStdString());
        m_model.endDrag();
        m_model.changeBoth(u"paste rotary setup"_s, next);
        m_model.endDrag();
        showProblem(QString());
    } catch (const BadInput& error) {
        showProblem(QString::fromStdString(error.what()));
    }
}

QWidget* SetupPanel::field(const QString& name) const {
    return slider(name) ? static_cast<QWidget*>(slider(name)) : choice(name);
}

QString SetupPanel::problem() const {
    return m_problem ? m_problem->text() : QString();
}

void SetupPanel::showProblem(const QString& sentence) {
    if (m_problem) m_problem->say(sentence);
}

}  // namespace ropelab::ui

#include "moc_setup_panel.cpp"
