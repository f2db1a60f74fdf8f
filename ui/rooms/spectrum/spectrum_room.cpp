#include "ui/rooms/spectrum/spectrum_room.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/error.h"
#include "core/rope/context.h"
#include "core/rope/logit.h"
#include "core/settings/run_spec.h"
#include "ui/common/format.h"
#include "ui/common/label_text.h"
#include "ui/common/paths.h"
#include "ui/common/scaled.h"
#include "ui/controls/fields.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/spectrum/encodings_page.h"
#include "ui/rooms/spectrum/spectrum_panel.h"
#include "ui/rotary/figure_views.h"
#include "ui/rotary/spectrum_data.h"
#include "ui/session/experiment_model.h"
#include "ui/session/lab_document.h"
#include "ui/session/lab_origin.h"
#include "ui/session/run_store.h"
#include "ui/session/sweep_session.h"
#include "ui/shell/explanation.h"
#include "ui/shell/findables.h"
#include "ui/shell/scroll_page.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

// Smallest heights in pixels at 100 %. With a larger scale of the window the page scrolls.
constexpr int kLowestSpectrum = 240;
constexpr int kLowest = 160;  // leaves room for the label of bin 0

}  // namespace

SpectrumRoom::SpectrumRoom(RotaryModel& rotary, QWidget* parent)
    : SpectrumRoom(rotary, std::nullopt, nullptr, parent) {}

SpectrumRoom::SpectrumRoom(RotaryModel& rotary, std::optional<RunAccess> runs, ExperimentModel* experiment,
                           QWidget* parent)
    : RotaryRoom(rotary, u"spectrum"_s, encodingFigures(), parent), m_runs(std::move(runs)) {
    auto* column = scaledColumn(this, 8, {12, 8, 12, 12});
    m_tabs = makeTabs();
    addBars({m_tabs});
    column->addWidget(m_tabs);
    m_pages = new QStackedWidget(this);
    m_pages->addWidget(makeFrequencies());
    PairedView* pair = pairOf(addPair(u"Encodings"_s));
    m_encodings = new EncodingsPage(pair, addGrid(u"Encodings side by side"_s), m_pages);
    addBars({m_encodings->chooser()});
    m_pages->addWidget(m_encodings);
    column->addWidget(m_pages, 1);
    setWithoutEffect({u"pairing"_s, u"precision"_s});
    setOptions(makeOptions());
    for (QWidget* each : QWidgetList{m_pages->widget(0), m_fields, m_quantity}) shownBy(each, m_frequenciesTab);
    for (QWidget* each : QWidgetList{m_encodings, m_encodingFields}) shownBy(each, m_encodingsTab);
    addParts();
    addControls();
    connectFrequencies();
    connectEncodings();
    if (experiment) followSweep(*experiment);
}

QWidget* SpectrumRoom::makeTabs() {
    auto* tabs = new QWidget(this);
    auto* row = scaledRow(tabs, 4);
    auto* group = addToggles(
        row,
        {{u"Frequencies"_s, u"Show Frequencies"_s,
          u"Shows the wavelengths of RoPE and the kernel, the sum of their cosines."_s},
         {u"Encodings"_s, u"Show Encodings"_s,
          u"Shows ALiBi's bias (formula 25 of the guide), the attention mask, sinusoidal embeddings (formula 30 of the "
          u"guide), the receptive "
          "field of sliding windows (formula 61 of the guide), and all encodings side by side (formula 60 of the guide)."_s}},
        {});
    m_frequenciesTab = group->button(0);
    m_encodingsTab = group->button(1);
    row->addSpacing(8);
    row->addWidget(makeBar());
    row->addStretch(1);
    return tabs;
}

QWidget* SpectrumRoom::makeFrequencies() {
    auto* page = new QWidget(m_pages);
    auto* column = scaledColumn(page, 8);
    m_spectrum = addView(u"Spectrum: wavelength of every pair"_s);
    m_kernel = addView(u"Kernel: sum of cosines versus distance"_s);
    m_kernelSpectrum = addView(u"Spectrum of the kernel"_s);
    column->addWidget(m_spectrum, 5);
    m_below = new QWidget(page);
    auto* below = scaledRow(m_below, 8);
    below->addWidget(m_kernel, 1);
    below->addWidget(m_kernelSpectrum, 1);
    scaleMinimumHeight(m_spectrum, kLowestSpectrum);
    for (FigureView* view : {m_kernel, m_kernelSpectrum}) scaleMinimumHeight(view, kLowest);
    column->addWidget(m_below, 2);
    setWords(makeNote(page), u"Rotation per token and critical dimension"_s);
    column->addWidget(wordsLabel());
    return page;
}

QWidget* SpectrumRoom::makeBar() {
    m_quantity = new QWidget(this);
    auto* row = scaledRow(m_quantity, 4);
    auto* group = addToggles(
        row,
        {{u"wavelength"_s, u"Show wavelength"_s, u"Shows wavelengths λ_i = 2π/ωᵢ: the tokens per period of pair i."_s},
         {u"frequency"_s, u"Show frequency"_s,
          u"Shows frequencies ωᵢ = θ^(−2i/d_r): the rotation of pair i in radians per token (formulas 3 and 4)."_s}},
        {});
    m_frequency = group->button(1);
    connect(m_frequency, &QAbstractButton::toggled, this, &SpectrumRoom::schedule);
    addBars({group->button(0), m_frequency});
    addChoices({group->button(0), m_frequency});
    return m_quantity;
}

QWidget* SpectrumRoom::makeOptions() {
    auto* options = new QWidget;
    auto* column = scaledColumn(options, 0, {0, 8, 0, 0});
    m_fields = new SpectrumPanel(options);
    explainBy(m_kernel, m_fields->kernelHeading());
    explainBy(m_kernelSpectrum, m_fields->kernelHeading());
    connect(m_fields, &SpectrumPanel::changed, this, &SpectrumRoom::schedule);
    connect(m_fields, &SpectrumPanel::otherPartialRequested, this, [this] {
        model().endDrag();
        try {
            changeSetup(u"change slice or truncate"_s, withOtherPartial(model().setup()));
        } catch (const BadInput& error) {
            m_fields->partialWords()->setText(QString::fromStdString(error.what()));
        }
        model().endDrag();
    });
    column->addWidget(m_fields);
    m_encodingFields = m_encodings->makeFields(options);
    m_encodingFields->hide();
    column->addWidget(m_encodingFields);
    return options;
}

void SpectrumRoom::connectFrequencies() {
    explainBy(m_spectrum, wordsLabel());
    connectPairs(m_spectrum, [this](QPointF place) { return pairNear(place.x()); });
    connectPairs(m_kernelSpectrum, [this](QPointF place) { return pairAtPeriods(m_kernels.edited.curves, place.x()); });
    setReadout(m_spectrum, [this](Side side, QPointF place) { return readout(side, place); });
    setReadout(m_kernelSpectrum, [this](Side side, QPointF place) { return kernelReadout(side, place); });
    connect(m_spectrum, &FigureView::lineDragged, this, &SpectrumRoom::dragLine);
    connect(m_spectrum, &FigureView::lineDropped, this, [this] {
        m_dragEnds.reset();
        model().endDrag();
        schedule();
    });
    connect(&m_job, &LatestJob::runningChanged, m_fields->busy(), &QProgressBar::setVisible);
}

void SpectrumRoom::connectEncodings() {
    connect(m_encodings, &EncodingsPage::chosen, this, [this] {
        if (isShowingEncodings()) emit m_encodings->view()->chosen();
        schedule();
    });
    if (m_runs) {
        const auto change = [this] {
            ++m_runChanges;
            schedule();
        };
        connect(&m_runs->runs, &RunStore::reloaded, this, change);
        connect(&m_runs->session, &SweepSession::ended, this, change);
    }
    connect(m_encodings, &EncodingsPage::headsRequested, this, [this](qint64 heads) {
        RotarySetup next = model().setup();
        next.heads = heads;
        changeSetup(u"change number of heads"_s, next);
    });
    connect(m_encodings, &EncodingsPage::attentionWindowRequested, this, [this](qint64 tokens) {
        RotarySetup next = model().setup();
        next.attention_window = tokens;
        changeSetup(u"change attention window"_s, next);
    });
    connect(m_encodings, &EncodingsPage::finished, this, [this] { model().endDrag(); });
    connect(m_encodingsTab, &QAbstractButton::toggled, this, &SpectrumRoom::showPage);
}

void SpectrumRoom::followSweep(const ExperimentModel& experiment) {
    const auto renew = [this, &experiment] {
        try {
            const RunSpec first = experiment.value().expand().front();
            m_encodings->setSweep(first.layers, first.attention_layers);
        } catch (const BadInput&) {  // The Train room says what is wrong with the sweep.
        }
    };
    connect(&experiment, &ExperimentModel::changed, this, renew);
    renew();
}

bool SpectrumRoom::isShowingEncodings() const {
    return m_encodingsTab->isChecked();
}

void SpectrumRoom::showPage(bool encodings) {
    m_pages->setCurrentIndex(encodings ? 1 : 0);
    m_quantity->setVisible(!encodings);
    ScrollPage::reveal(m_pages);
    m_fields->setVisible(!encodings);
    m_encodingFields->setVisible(encodings);
    FigureView* shown = encodings ? m_encodings->view() : m_spectrum;
    emit shown->chosen();
    schedule();
}

void SpectrumRoom::addParts() {
    addPart({u"frequencies"_s,
             [this] {
                 m_frequenciesTab->setChecked(true);
                 emit m_spectrum->chosen();
             },
             [this] { return !isShowingEncodings(); }});
    const QList<std::pair<QString, FigureView*>> figures = {
        {u"spectrum"_s, m_spectrum}, {u"kernel"_s, m_kernel}, {u"kernel-spectrum"_s, m_kernelSpectrum}};
    for (const auto& [name, view] : figures) {
        QList<QWidget*> hidden = {wordsLabel()};
        for (FigureView* each : {m_spectrum, m_kernel, m_kernelSpectrum}) {
            if (each != view) hidden << each;
        }
        if (view == m_spectrum) hidden << m_below;
        addPart({name,
                 [this, view = view] {
                     m_frequenciesTab->setChecked(true);
                     ScrollPage::reveal(view);
                     emit view->chosen();
                 },
                 {},
                 hidden});
    }
    const auto encodings = encodingFigures();
    for (std::size_t i = 0; i < encodings.size(); ++i) {
        const auto picture = static_cast<EncodingsPage::Picture>(i);
        addPart({QString::fromLatin1(encodings[i].name),
                 [this, picture] {
                     m_encodingsTab->setChecked(true);
                     m_encodings->choose(picture);
                 },
                 [this, picture] { return isShowingEncodings() && m_encodings->picture() == picture; }});
    }
}

void SpectrumRoom::fitOnlyPart() {
    const bool isSideBySide = onlyPart() == "encodings"_L1;
    m_encodings->grid()->setShowsAll(isSideBySide);
    if (isSideBySide) renewEncodings();  // the scale of the presentation depends on the number of panels
}

void SpectrumRoom::addControls() {
    addControl(
        {u"part"_s, [this](const QString& part) { showPart(part); }, [this] { return QVariant(shownPart()); }, m_tabs});
    const QString ratio = u"ratio"_s;
    addControl({ratio,
                [this, ratio](const QString& word) {
                    m_showsRatio = controlSwitch(ratio, word);
                    schedule();
                },
                [this] { return m_showsRatio ? u"on"_s : u"off"_s; }});
    using Choices = EncodingChoices;
    const auto add = [this](const QString& name, QWidget* widget, std::function<std::int64_t(const Choices&)> get,
                            std::function<void(Choices&, std::int64_t)> set, std::int64_t least, std::int64_t most) {
        addControl(
            {name,
             [this, name, set = std::move(set), least, most](const QString& text) {
                 const std::int64_t value = controlWhole(name, text);
                 if (value < least || value > most) {
                     throw BadInput("The control " + name.toStdString() + " is " + std::to_string(value) +
                                    ", but it must be between " + std::to_string(least) + " and " +
                                    std::to_string(most) + ".");
                 }
                 Choices choices = m_encodings->choices();
                 set(choices, value);
                 m_encodings->setChoices(choices);
             },
             [this, get = std::move(get)] { return QVariant(static_cast<qlonglong>(get(m_encodings->choices()))); },
             widget});
    };
    add(
        u"head"_s, m_encodings->form().field<QWidget>("head"), [](const Choices& of) { return of.head; },
        [](Choices& of, std::int64_t value) { of.head = static_cast<int>(value); }, 1, kMostChosenHeads);
    add(
        u"distances"_s, m_encodings->form().field<QWidget>("distances"), [](const Choices& of) { return of.distances; },
        [](Choices& of, std::int64_t value) { of.distances = value; }, 0, kMostEncodingDistances);
    add(
        u"layers"_s, m_encodings->form().field<QWidget>("layers"), [](const Choices& of) { return of.layers; },
        [](Choices& of, std::int64_t value) { of.layers = value; }, 1, kMostReachLayers);
    add(
        u"full_every"_s, m_encodings->form().field<QWidget>("attention"),
        [](const Choices& of) { return full_every_of(of.attention_layers); },
        [](Choices& of, std::int64_t value) { of.attention_layers = full_every_pattern(value); }, 0, kMostReachLayers);
    addControl({u"attention_layers"_s,
                [this](const QString& text) {
                    Choices choices = m_encodings->choices();
                    choices.attention_layers = text.toStdString();
                    windows_of_layers(choices.attention_layers, 1, 1);  // throws for a pattern that is none
                    m_encodings->setChoices(choices);
                },
                [this] { return QVariant(QString::fromStdString(m_encodings->choices().attention_layers)); },
                m_encodings->form().field<QWidget>("attention")});
    addChoice(m_encodings->form().field<QWidget>("follows"));
    for (const char* field : {"other-partial", "uses-context", "kernel-length"})
        addChoice(m_fields->form().field<QWidget>(field));
    for (auto* chip : m_fields->comparison()->findChildren<QAbstractButton*>()) addChoice(chip);
}

QWidget* SpectrumRoom::controlWidget(const QString& name) {
    if (name == "heads"_L1) return m_encodings->form().field<QWidget>("heads");
    if (name == "attention_window"_L1) return m_encodings->form().field<QWidget>("window");
    return RotaryRoom::controlWidget(name);
}

RotaryRoom::Readout SpectrumRoom::readout(Side side, QPointF place) const {
    const RotarySetup& setup = setupOf(side);
    const Frequencies& now = frequenciesOf(side);
    const auto pair = static_cast<int>(std::lround(place.x()));
    if (pair < 0 || pair >= setup.head_dim / 2) {
        return std::nullopt;
    }
    FigureView::Readout result{u"pair %1 of %2"_s.arg(pair).arg(setup.head_dim / 2), static_cast<double>(pair), {}};
    if (std::cmp_greater_equal(pair, now.inverse_frequencies.size())) {
        result.rows.append({u"not rotated"_s, u"channels %1–%2"_s.arg(now.rotary_dim).arg(setup.head_dim - 1)});
        return result;
    }
    const auto index = static_cast<std::size_t>(pair);
    const ChannelPair channels = channel_pairs(setup.head_dim, now.rotary_dim, setup.partial, setup.pairing)[index];
    result.rows.append({u"channels"_s, u"%1 and %2"_s.arg(channels.first).arg(channels.second)});
    const double frequency = now.inverse_frequencies[index];
    if (frequency == 0) {
        result.rows.append({u"not rotated"_s, u"λ = ∞"_s});
        return result;
    }
    const double wavelength = wavelengthOf(frequency);
    const double plain = wavelengthOf(ropelab::frequencies(plain_settings(setup)).inverse_frequencies[index]);
    result.rows.append({u"wavelength"_s, u"%1 tokens"_s.arg(readableNumber(wavelength))});
    result.rows.append({u"frequency"_s, u"%1 radians/token"_s.arg(readableNumber(frequency))});
    result.rows.append({u"periods in the context"_s, readableNumber(static_cast<double>(setup.context) / wavelength)});
    if (setup.scaling.method != ScalingMethod::none) {
        result.rows.append({u"wavelength before scaling"_s, u"%1 tokens"_s.arg(readableNumber(plain))});
    }
    for (const ScalingMethod method : m_fields->comparison()->chosen()) {
        if (const auto scaled = scaledBy(setup, method)) {
            const double longer = wavelengthOf(scaled->frequencies.inverse_frequencies[index]);
            result.rows.append(
                {scaled->title, u"%1 tokens, × %2"_s.arg(readableNumber(longer)).arg(longer / plain, 0, 'g', 3)});
        }
    }
    return result;
}

RotaryRoom::Readout SpectrumRoom::kernelReadout(Side side, QPointF place) const {
    const auto pair = pairAtPeriods(m_kernels.edited.curves, place.x());
    const KernelCurves& curves = m_kernels.of(side).curves;
    if (curves.bins.isEmpty()) return std::nullopt;
    const auto above = std::lower_bound(curves.bins.begin(), curves.bins.end(), std::max(0.0, place.x() - 0.5));
    const auto bin = std::min<qsizetype>(above - curves.bins.begin(), curves.bins.size() - 1);
    const bool hasPair = pair && static_cast<std::size_t>(*pair) < curves.periods.size();
    const double periods = hasPair ? curves.periods[static_cast<std::size_t>(*pair)] : place.x();
    FigureView::Readout result;
    result.x = periods;
    result.title = u"%1 periods in %2 tokens"_s.arg(readableCount(curves.bins[bin]),
                                                    tokensText(static_cast<double>(curves.kernelLength)));
    result.rows.append({u"magnitude"_s, readableNumber(curves.magnitude[bin])});
    if (hasPair) result.rows.append({u"pair %1"_s.arg(*pair), u"%1 periods"_s.arg(readableNumber(periods))});
    return result;
}

void SpectrumRoom::dragLine(const QString& handle, double at) {
    const Figure& shown = m_spectrum->figure();
    if (!m_dragEnds) {
        m_dragEnds = Range{shown.y.minimum, shown.y.maximum};
    }
    const double wavelength = m_frequency->isChecked() ? two_pi / at : at;
    if (handle == kContextHandle) return dragContext(wavelength);
    RotarySetup next = model().setup();
    if (const auto base = baseOfSlowest(next, wavelength)) {
        next.theta = std::max(roundedDrag(*base, next.theta, false), kMinBase);
        changeSetup(u"change theta"_s, next);
    }
}

std::int64_t SpectrumRoom::kernelLength() const {
    std::int64_t length = m_fields->kernelLength();
    if (length > 0) return length;
    // Periods can be compared only over the same number of tokens.
    for (const Side side : sides()) length = std::max(length, contextKernelLength(setupOf(side)));
    return length;
}

void SpectrumRoom::renew() {
    if (isShowingEncodings()) return renewEncodings();
    const SpectrumOptions options = {.asFrequency = m_frequency->isChecked(),
                                     .otherPartial = m_fields->form().value("other-partial").toBool(),
                                     .compared = m_fields->comparison()->chosen(),
                                     .highlighted = model().highlightedPair(),
                                     .asRatio = m_showsRatio,
                                     .ends = m_dragEnds ? m_dragEnds : fixedAxis(1)};
    if (const auto b = model().setupB()) {
        showBothIn(m_spectrum, comparedSpectrumFigure(model().setupA(), *b, options, model().editsB()));
    } else {
        showBothIn(m_spectrum, spectrumFigure(model().setup(), options));
    }
    m_fields->renew(model().setup(), model().setups(), model().editsB());
    renewKernel();
    renewTexts();
}

void SpectrumRoom::renewEncodings() {
    m_encodings->renew(model().setup());
    const EncodingChoices& choices = m_encodings->choices();
    const EncodingsPage::Picture picture = m_encodings->picture();
    if (picture != EncodingsPage::Picture::all) {
        return showFigure(m_encodings->view(),
                          [&](Side side) { return encodingFigure(picture, setupOf(side), choices); });
    }
    renewLearned();
    const auto b = model().setupB();
    showPanels(m_encodings->grid(), b ? comparedEncodings(model().setupA(), *b, choices, m_learned, model().editsB())
                                      : encodingsFigure(model().setup(), choices, m_learned));
}

void SpectrumRoom::renewLearned() {
    if (!m_runs || !m_runs->lab.hasFile()) {
        m_learned.clear();
        m_learnedKey = {};
        return;
    }
    const LearnedKey key{m_runs->lab.path(), m_encodings->choices().head,
                         encodingDistances(model().setup(), m_encodings->choices()), m_runChanges};
    if (key == m_learnedKey) return;
    m_learned.clear();
    m_learnedKey = key;
    const auto read = [key](const Cancelled& cancelled) {
        try {
            return learnedPanels(*LabFile::open(toPath(key.lab), LabFile::Mode::read), {.head = key.head},
                                 key.distances, cancelled);
        } catch (const BadInput&) {  // the file was moved: there are no learned encodings
            return LearnedPanels{};
        }
    };
    if (isSynchronous()) {
        m_learnedJob.cancel();
        m_learned = read({});
        return;
    }
    m_learnedJob.start([this, read](const Cancelled& cancelled) -> std::function<void()> {
        return [this, learned = read(cancelled)] {
            m_learned = learned;
            schedule();
        };
    });
}

FigureOrigin SpectrumRoom::originOf(const Figure& figure) {
    FigureOrigin origin = RotaryRoom::originOf(figure);
    if (figure.name == "encodings"_L1 && !m_learned.empty())
        origin.lab = labOrigin(*m_runs->lab.file(), runsOf(m_learned));
    return origin;
}

void SpectrumRoom::renewKernel() {
    const std::int64_t wanted = kernelLength();
    const bool isCut = m_fields->kernelLength() == 0 && model().setup().context > kMaxKernelLength;
    m_fields->kernelNote()->setText(
        isCut ? u"The context is longer than %1 tokens; the kernel is computed only up to that distance."_s.arg(
                    tokensText(static_cast<double>(kMaxKernelLength)))
              : QString());
    // Only the setups that changed are computed: in a drag, the other one does not change.
    BothSides<Kernel> next;
    std::vector<RotarySetup> setups;
    bool isComplete = true;
    for (const Side side : sides()) {
        setups.push_back(setupOf(side));
        const Kernel whole{setups.back(), {.kernelLength = wanted}};
        next.of(side) = m_kernels.edited.isSame(whole)  ? m_kernels.edited
                        : m_kernels.other.isSame(whole) ? m_kernels.other
                                                        : Kernel{setups.back(), {}};
        isComplete = isComplete && next.of(side).isSame(whole);
    }
    if (isComplete && m_kernels.edited.isSame(next.edited) && m_kernels.other.isSame(next.other)) {
        return showKernel();  // the highlighted pair has changed, or a drag has ended
    }
    const auto complete = [wanted, sides = sides()](BothSides<Kernel>& kernels) {
        for (const Side side : sides) {
            auto& [setup, curves] = kernels.of(side);
            if (curves.kernelLength != wanted) curves = kernelCurves(setup, wanted);
        }
    };
    if (isComplete || wanted <= kLongKernel || isSynchronous()) {
        m_job.cancel();
        complete(next);
        m_kernels = std::move(next);
        return showKernel();
    }
    if (m_job.isRunning() && m_jobLength == wanted && m_jobSetups == setups) return;
    m_jobLength = wanted;
    m_jobSetups = setups;
    m_job.start([this, next, complete](const Cancelled&) mutable -> std::function<void()> {
        complete(next);
        return [this, done = std::move(next)] {
            m_kernels = done;
            showKernel();
            renewTexts();
        };
    });
}

bool SpectrumRoom::showsBothKernels() const {
    return compares() && !m_kernels.other.curves.bins.isEmpty() && m_kernels.other.setup == setupOf(Side::other);
}

void SpectrumRoom::showKernels(FigureView* view, const std::function<Figure(const Kernel&)>& make) {
    if (!showsBothKernels()) return showBothIn(view, make(m_kernels.edited));
    showFigure(view, [&](Side side) { return make(m_kernels.of(side)); });
}

void SpectrumRoom::showKernel() {
    showKernels(m_kernel, [](const Kernel& kernel) { return kernelFigure(kernel.setup, kernel.curves); });
    showKernels(m_kernelSpectrum, [pair = model().highlightedPair()](const Kernel& kernel) {
        return kernelSpectrumFigure(kernel.setup, kernel.curves, pair);
    });
}

QString SpectrumRoom::pairsSentence(Side side) const {
    const RotarySetup& setup = setupOf(side);
    const Frequencies& now = frequenciesOf(side);
    const int rotated = now.rotary_dim;
    if (rotated == 0) return u"No pair is rotated."_s;
    const auto slowest = static_cast<std::size_t>(rotated / 2 - 1);
    const QString last = slowest == 0
                             ? QString()
                             : u", pair %1 by %2"_s.arg(slowest).arg(readableNumber(now.inverse_frequencies[slowest]));
    const QString first = QString::number(now.inverse_frequencies.front(), 'g', 4);
    return u"Pair 0 rotates by %1 rad per token%2. "_s.arg(first, last) +
           (setup.scaling.method == ScalingMethod::none
                ? u"Critical dimension (Liu et al.): %1 of %2 channels."_s
                : u"Critical dimension (Liu et al.), unscaled: %1 of %2 channels."_s)
               .arg(criticalDimension(setup))
               .arg(rotated);
}

QString SpectrumRoom::comparedSentence() const {
    QStringList parts = {bothQuotient(u"longest wavelength"_s, [this](Side side) {
        const Frequencies& now = frequenciesOf(side);
        const auto rotated = static_cast<std::size_t>(now.rotary_dim / 2);
        return rotated == 0 ? 0.0 : wavelengthOf(now.inverse_frequencies[rotated - 1]);
    })};
    if (!m_kernels.edited.curves.kernel.isEmpty() && !m_kernels.other.curves.kernel.isEmpty()) {
        parts << u"lowest K(Δ): %1"_s.arg(bothValues([this](Side side) {
            const auto& kernel = m_kernels.of(side).curves.kernel;
            return readableNumber(*std::min_element(kernel.begin(), kernel.end()));
        }));
    }
    parts.removeAll(QString());
    return parts.join(u"; "_s);
}

void SpectrumRoom::renewTexts() {
    const RotarySetup& setup = model().setup();
    const int exponent = setup.partial == Partial::slice ? model().frequencies().rotary_dim : setup.head_dim;
    const QString sentences = bothSentences([this](Side side) { return pairsSentence(side); });
    changeText(wordsLabel(), compares() ? sentences + QLatin1Char('\n') + comparedSentence() : sentences);
    wordsLabel()->setToolTip(
        u"A pair completes a period if L/λ_i ≥ 1, here with L = %1 (Peng et al. 2023; formula 9 of the guide).\n"
        "The critical dimension is the number of channels that completed a full period in training:\n"
        "d_c = 2⌈(d/2)·log_θ(L/2π)⌉ with d = %2, θ = %3, L = %4 (Liu et al. 2023; for d_r < d our extension, "
        "formula 14)\n"
        "Drag the lines of the context and of the longest wavelength, or click one and press the arrow keys."_s
            .arg(tokensText(static_cast<double>(setup.context)))
            .arg(exponent)
            .arg(thetaText(setup.theta), tokensText(trainingContext(setup))));
}

}  // namespace ropelab::ui

#include "moc_spectrum_room.cpp"
