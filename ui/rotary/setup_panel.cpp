#include "ui/rotary/setup_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QCoreApplication>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHash>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>
#include <numbers>

#include "core/rope/context.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"
#include "core/spec/numbers.h"
#include "ui/common/format.h"
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

}  // namespace

struct ScalingFields::Parameter {
    const char* name;
    const char* label;
    double minimum;
    double maximum;

    const SetupKey& key() const { return setup_key(name); }
    bool isTokens() const { return key().unit == "tokens"; }
    bool isUsedBy(ScalingMethod method) const {
        RotarySetup setup;
        setup.scaling.method = method;
        return key().matters(setup);
    }
};

const QList<ScalingFields::Parameter>& ScalingFields::parameters() {
    static const QList<Parameter> all = {
        {"factor", "factor", 1, 128},
        {"original_context", "training context", 16, 1048576},
        {"beta_fast", "β fast", 1, 128},
        {"beta_slow", "β slow", 0.1, 32},
        {"low_freq_factor", "low frequency factor", 0.1, 32},
        {"high_freq_factor", "high frequency factor", 0.2, 64},
    };
    return all;
}

QWidget* ScalingFields::field(const QString& name) const {
    for (const auto& [parameter, slider] : m_sliders) {
        if (name == QLatin1String(parameter->name)) return slider;
    }
    return nullptr;
}

ScalingFields::ScalingFields(QWidget* parent) : QWidget(parent) {
    auto* column = scaledColumn(this, 8);
    for (const Parameter& parameter : parameters()) {
        auto* slider = new NumberSlider({.label = QString::fromUtf8(parameter.label),
                                         .unit = text(parameter.key().unit),
                                         .minimum = parameter.minimum,
                                         .maximum = parameter.maximum,
                                         .logarithmic = true,
                                         .step = parameter.isTokens() ? 1.0 : 0.0,
                                         .text = parameter.isTokens() ? wholeText : plain,
                                         .why = text(parameter.key().meaning)},
                                        this);
        const QString what = u"change %1"_s.arg(QString::fromUtf8(parameter.label));
        connect(slider, &NumberSlider::changed, this, [this, what, &parameter](double value) {
            RotarySetup next;
            next.scaling = m_scaling;
            parameter.key().set(next, value);
            emit changed(what, next.scaling);
        });
        connect(slider, &NumberSlider::finished, this, &ScalingFields::finished);
        column->addWidget(slider);
        m_sliders.append({&parameter, slider});
    }
}

void ScalingFields::setSetup(const RotarySetup& setup) {
    m_scaling = setup.scaling;
    for (const auto& [parameter, slider] : m_sliders) {
        const double value = std::get<double>(parameter->key().get(setup));
        slider->setValue(value > 0 ? value : static_cast<double>(setup.context));
        slider->setVisible(parameter->isUsedBy(m_scaling.method));
    }
}

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
           "rotated channels dᵣ is the even number nearest to p·d.\np = %1, d = %2: dᵣ = %3\nKhan et al., formula "
           "10"_s.arg(percentText(model.setup().fraction))
               .arg(model.setup().head_dim)
               .arg(model.plain().rotary_dim);
}

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
        if (auto* slider = qobject_cast<NumberSlider*>(field(name))) slider->showWithoutEffect();
    }
    column->addLayout(grid);
    m_scalingFields = new ScalingFields(this);
    connect(m_scalingFields, &ScalingFields::changed, this, [this](const QString& what, const Scaling& scaling) {
        change(what, [&](RotarySetup& setup) { setup.scaling = scaling; });
    });
    connect(m_scalingFields, &ScalingFields::finished, this, [this] { m_model.endDrag(); });
    column->addWidget(m_scalingFields);

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
    m_statements = new QPushButton(u"Wrong statements …"_s, this);
    m_statements->setToolTip(
        u"Shows common statements about RoPE that are false, each with computed evidence and a setup that "
        "demonstrates it (also in the menu Help)."_s);
    connect(m_statements, &QPushButton::clicked, &m_model, &RotaryModel::statementsRequested);
    column->addWidget(m_statements, 0, Qt::AlignLeft);
    m_summary = makeNote(this);
    m_summary->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addWidget(m_summary);

    connect(&m_model, &RotaryModel::changed, this, [this] {
        if (isVisible()) {
            renew();
        }
    });
    renew();
}

void SetupPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    renew();
}

template <typename Change>
void SetupPanel::change(const QString& what, Change apply) {
    RotarySetup next = m_model.setup();
    apply(next);
    try {
        ModelShape shape = m_model.shape();
        shape.name.clear();  // the setup is no longer that of the named model
        m_model.change(what, next, shape);
        showProblem(QString());
    } catch (const BadInput& error) {
        renew();
        showProblem(QString::fromStdString(error.what()));
    }
}

void SetupPanel::makeNumbers() {
    auto* column = static_cast<QVBoxLayout*>(layout());
    const auto add = [&](NumberSlider::Options options, const QString& what, auto assign) {
        auto* slider = new NumberSlider(std::move(options), this);
        connect(slider, &NumberSlider::changed, this, [this, what, assign](double value) {
            change(what, [&](RotarySetup& setup) { assign(setup, value); });
        });
        connect(slider, &NumberSlider::finished, this, [this] { m_model.endDrag(); });
        column->addWidget(slider);
        return slider;
    };
    m_theta = add({.label = u"θ, the base"_s, .title = u"θ"_s, .minimum = 2, .maximum = 1e8, .logarithmic = true},
                  u"change theta"_s, [](RotarySetup& setup, double value) { setup.theta = value; });
    m_fraction =
        add({.label = u"rotated fraction"_s,
             .title = u"fraction"_s,
             .minimum = 0,
             .maximum = 1,
             .snap =
                 [this](double fraction) {
                     const double pairs = m_model.setup().head_dim / 2.0;
                     return std::round(fraction * pairs) / pairs;
                 },
             .parse =
                 [this](const QString& typed) { return parse_fraction(typed.toStdString(), m_model.setup().head_dim); },
             .text = percentText},
            u"change fraction"_s, [](RotarySetup& setup, double value) { setup.fraction = value; });
    m_headDim =
        add({.label = u"head dimension"_s,
             .title = u"head dim"_s,
             .unit = u"channels"_s,
             .minimum = 2,
             .maximum = 4096,
             .logarithmic = true,
             .step = 2,
             .text = wholeText,
             .why = meaningOf("head_dim")},
            u"change head dimension"_s, [](RotarySetup& setup, double value) {
                setup.head_dim = static_cast<int>(std::lround(value));
                setup.scaling.short_factors.clear();  // one factor per pair, valid for the previous head dimension only
                setup.scaling.long_factors.clear();
                if (setup.scaling.method == ScalingMethod::longrope) {
                    setup.scaling.method = ScalingMethod::none;
                }
            });
    m_context = add({.label = u"context"_s,
                     .unit = u"tokens"_s,
                     .minimum = 16,
                     .maximum = 1048576,
                     .logarithmic = true,
                     .step = 1,
                     .text = wholeText,
                     .why = meaningOf("context")},
                    u"change context"_s, [](RotarySetup& setup, double value) { setup.context = std::llround(value); });
}

void SetupPanel::makeChoices(QGridLayout* grid, const QStringList& withoutEffect) {
    const auto add = [&](const char* name, QComboBox* choice) {
        const QString title = QString::fromUtf8(name);
        const QString note = withoutEffect.contains(title) ? u'\n' + kNoEffect : QString();
        addField(grid, title + note, choice, meaningOf(name));
    };
    m_partial = makeChoice(u"partial rotation"_s, this);
    m_partial->addItems({u"slice"_s, u"truncate"_s});
    connect(m_partial, &QComboBox::activated, this, [this](int index) {
        m_model.endDrag();
        change(u"change slice or truncate"_s,
               [&](RotarySetup& setup) { setup.partial = index == 0 ? Partial::slice : Partial::truncate; });
    });
    add("partial", m_partial);

    m_pairing = makeChoice(u"pairing"_s, this);
    m_pairing->addItems({u"half"_s, u"interleaved"_s});
    connect(m_pairing, &QComboBox::activated, this, [this](int index) {
        m_model.endDrag();
        change(u"change pairing"_s,
               [&](RotarySetup& setup) { setup.pairing = index == 0 ? Pairing::half : Pairing::interleaved; });
    });
    add("pairing", m_pairing);

    m_precision = makeChoice(u"precision of the cos/sin table"_s, this);
    for (const NumberFormat format : number_formats()) {
        m_precision->addItem(text(word_of(format)), static_cast<int>(format));
    }
    connect(m_precision, &QComboBox::activated, this, [this](int index) {
        m_model.endDrag();
        change(u"change precision"_s, [&](RotarySetup& setup) {
            setup.precision = static_cast<NumberFormat>(m_precision->itemData(index).toInt());
        });
    });
    add("precision", m_precision);

    m_scaling = makeChoice(u"scaling"_s, this);
    for (const ScalingName& name : scaling_names()) {
        m_scaling->addItem(text(name.title), static_cast<int>(name.method));
    }
    connect(m_scaling, &QComboBox::activated, this, [this](int index) {
        m_model.endDrag();
        const auto method = static_cast<ScalingMethod>(m_scaling->itemData(index).toInt());
        change(u"change scaling"_s, [&](RotarySetup& setup) {
            setup.scaling.method = method;
            if (method != ScalingMethod::none && setup.scaling.factor <= 1) {
                setup.scaling.factor = 4;  // no method changes the frequencies at factor 1
            }
        });
    });
    add("scaling", m_scaling);
}

void SetupPanel::renew() {
    const RotarySetup& setup = m_model.setup();
    m_theta->setValue(setup.theta);
    m_fraction->setValue(setup.fraction);
    m_headDim->setValue(setup.head_dim);
    m_context->setValue(static_cast<double>(setup.context));
    m_partial->setCurrentIndex(setup.partial == Partial::slice ? 0 : 1);
    m_pairing->setCurrentIndex(setup.pairing == Pairing::half ? 0 : 1);
    m_precision->setCurrentIndex(m_precision->findData(static_cast<int>(setup.precision)));
    m_scaling->setCurrentIndex(m_scaling->findData(static_cast<int>(setup.scaling.method)));
    m_scalingFields->setSetup(setup);
    const QString& name = m_model.shape().name;
    m_modelName->setText(name.isEmpty() ? u"custom\u00a0setup"_s : name);
    showProblem(QString());
    m_theta->setPartToolTips(thetaToolTip(m_model));
    m_fraction->setPartToolTips(fractionToolTip(m_model));
    m_summary->setText(rotationSummary(m_model));
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
    const QHash<QString, QWidget*> fields = {{u"theta"_s, m_theta},         {u"fraction"_s, m_fraction},
                                             {u"head_dim"_s, m_headDim},    {u"context"_s, m_context},
                                             {u"partial"_s, m_partial},     {u"pairing"_s, m_pairing},
                                             {u"precision"_s, m_precision}, {u"scaling"_s, m_scaling}};
    const auto found = fields.constFind(name);
    return found == fields.constEnd() ? m_scalingFields->field(name) : *found;
}

QString SetupPanel::problem() const {
    return m_problem ? m_problem->text() : QString();
}

void SetupPanel::showProblem(const QString& sentence) {
    if (m_problem) m_problem->say(sentence);
}

}  // namespace ropelab::ui
