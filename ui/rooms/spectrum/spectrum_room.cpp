#include "ui/rooms/spectrum/spectrum_room.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/rope/logit.h"
#include "core/spec/error.h"
#include "core/spec/run_spec.h"
#include "ui/common/explanation.h"
#include "ui/common/findables.h"
#include "ui/common/number_slider.h"
#include "ui/common/paths.h"
#include "ui/common/scaled.h"
#include "ui/common/scroll_page.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/spectrum/encodings_page.h"
#include "ui/rooms/spectrum/learned_panels.h"
#include "ui/rooms/spectrum/scaling_comparison.h"
#include "ui/rotary/paired_view.h"
#include "ui/rotary/panel_grid.h"
#include "ui/rotary/spectrum_data.h"
#include "ui/session/experiment_model.h"
#include "ui/session/lab_document.h"
#include "ui/session/lab_origin.h"
#include "ui/session/run_store.h"
#include "ui/session/sweep_session.h"

namespace ropelab::ui {
namespace {

constexpr double kMostContext = 1 << 30;
// Smallest heights in pixels at 100 %. With a larger scale of the window the page scrolls.
constexpr int kLowestSpectrum = 240;
constexpr int kLowest = 160;  // leaves room for the label of bin 0

}  // namespace

SpectrumRoom::SpectrumRoom(RotaryModel& rotary, QWidget* parent)
    : SpectrumRoom(rotary, std::nullopt, nullptr, parent) {}

SpectrumRoom::SpectrumRoom(RotaryModel& rotary, std::optional<RunAccess> runs, ExperimentModel* experiment,
                           QWidget* parent)
    : RotaryRoom(rotary, QStringLiteral("spectrum"), parent), m_runs(std::move(runs)) {
    auto* column = new QVBoxLayout(this);
    scaleLayout(column, {12, 8, 12, 12}, 8);
    m_tabs = makeTabs();
    column->addWidget(m_tabs);
    m_pages = new QStackedWidget(this);
    m_pages->addWidget(makeFrequencies());
    PairedView* pair = addPair(tr("Encodings"));
    m_encodings = new EncodingsPage(pair, addGrid(tr("Encodings side by side")), m_pages);
    m_pages->addWidget(m_encodings);
    shownBy(m_pages->widget(0), m_frequenciesTab);
    shownBy(m_encodings, m_encodingsTab);
    column->addWidget(m_pages, 1);
    m_options = makeOptions();
    shownBy(m_frequencyOptions, m_frequenciesTab);
    shownBy(m_encodingFields, m_encodingsTab);
    connectEncodings();
    if (experiment) followSweep(*experiment);
    explainBy(m_spectrum, m_summary);

    connectPairs(m_spectrum, [this](QPointF place) { return pairAt(place.x()); });
    connectPairs(m_kernelSpectrum, [this](QPointF place) { return pairAtPeriods(m_kernels.curves, place.x()); });
    m_spectrum->setReadout([this](QPointF place) {
        const Readout mine = readout(model().setup(), model().frequencies(), place);
        const auto& other = model().other();
        return other ? bothReadouts(mine, readout(other->setup, model().otherFrequencies(), place)) : mine;
    });
    m_kernelSpectrum->setReadout([this](QPointF place) { return kernelReadout(place); });
    connect(m_spectrum, &FigureView::lineDragged, this, &SpectrumRoom::dragLine);
    connect(m_spectrum, &FigureView::lineDropped, this, [this] {
        m_dragEnds.reset();
        model().endDrag();
        schedule();
    });
    connect(&m_job, &LatestJob::runningChanged, m_busy, &QWidget::setVisible);
}

SpectrumRoom::~SpectrumRoom() {
    if (m_options && m_options->parent() == nullptr) {
        delete m_options;
    }
}

QWidget* SpectrumRoom::options() {
    return m_options;
}

QWidget* SpectrumRoom::makeFrequencies() {
    auto* page = new QWidget(m_pages);
    auto* column = new QVBoxLayout(page);
    scaleLayout(column, {0, 0, 0, 0}, 8);
    column->addWidget(makeBar());
    m_spectrum = addView(tr("Spectrum: wavelength of every pair"));
    m_kernel = addView(tr("Kernel: sum of cosines versus distance"));
    m_kernelSpectrum = addView(tr("Spectrum of the kernel"));
    column->addWidget(m_spectrum, 3);
    m_below = new QWidget(page);
    auto* below = new QHBoxLayout(m_below);
    scaleLayout(below, {0, 0, 0, 0}, 8);
    below->addWidget(m_kernel, 1);
    below->addWidget(m_kernelSpectrum, 1);
    scaleMinimumHeight(m_spectrum, kLowestSpectrum);
    for (FigureView* view : {m_kernel, m_kernelSpectrum}) scaleMinimumHeight(view, kLowest);
    column->addWidget(m_below, 2);
    return page;
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
        changeSetup(tr("change number of heads"), next);
    });
    connect(m_encodings, &EncodingsPage::attentionWindowRequested, this, [this](qint64 tokens) {
        RotarySetup next = model().setup();
        next.attention_window = tokens;
        changeSetup(tr("change attention window"), next);
    });
    connect(m_encodings, &EncodingsPage::finished, this, [this] { model().endDrag(); });
    connect(m_encodingsTab, &QToolButton::toggled, this, &SpectrumRoom::showPage);
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
    ScrollPage::reveal(m_pages);
    m_frequencyOptions->setVisible(!encodings);
    m_encodingFields->setVisible(encodings);
    FigureView* shown = encodings ? m_encodings->view() : m_spectrum;
    emit shown->chosen();
    schedule();
}

void SpectrumRoom::showPart(const QString& part) {
    // The page of frequencies, its three figures, and those of the page of encodings.
    const QStringList frequencies = {QStringLiteral("frequencies"), QStringLiteral("spectrum"),
                                     QStringLiteral("kernel"), QStringLiteral("kernel-spectrum")};
    QStringList encodings;
    for (const RotaryFigure& figure : encodingFigures()) encodings << QString::fromLatin1(figure.name);
    if (const auto picture = encodings.indexOf(part); picture >= 0) {
        m_encodingsTab->setChecked(true);
        return m_encodings->choose(static_cast<EncodingsPage::Picture>(picture));
    }
    if (!frequencies.contains(part)) throw noPart(part, frequencies + encodings);
    m_frequenciesTab->setChecked(true);
    FigureView* view = frequencyView(part);
    if (view) ScrollPage::reveal(view);
    emit(view ? view : m_spectrum)->chosen();
}

FigureView* SpectrumRoom::frequencyView(const QString& part) const {
    if (part == QLatin1String("spectrum")) return m_spectrum;
    if (part == QLatin1String("kernel")) return m_kernel;
    return part == QLatin1String("kernel-spectrum") ? m_kernelSpectrum : nullptr;
}

void SpectrumRoom::showOnlyPart(const QString& part) {
    if (!part.isEmpty()) showPart(part);
    const FigureView* only = frequencyView(part);
    for (FigureView* view : {m_spectrum, m_kernel, m_kernelSpectrum}) view->setVisible(!only || view == only);
    m_below->setVisible(only != m_spectrum);
    m_summary->setVisible(!only);
    const bool isSideBySide = part == QLatin1String("encodings");
    m_encodings->grid()->setShowsAll(isSideBySide);
    if (isSideBySide) renewEncodings();  // the scale of the presentation depends on the number of panels
}

QString SpectrumRoom::shownPart() const {
    if (!isShowingEncodings()) return QStringLiteral("frequencies");
    return QString::fromLatin1(encodingFigures()[static_cast<std::size_t>(m_encodings->picture())].name);
}

std::vector<RoomControl> SpectrumRoom::controls() {
    std::vector<RoomControl> result = RotaryRoom::controls();
    result.push_back({QStringLiteral("part"), [this](const QString& part) { showPart(part); },
                      [this] { return QVariant(shownPart()); }, m_tabs});
    using Choices = EncodingChoices;
    result.push_back(choiceControl(
        "head", [](const Choices& of) { return of.head; },
        [](Choices& of, std::int64_t value) { of.head = static_cast<int>(value); }, 1, kMostChosenHeads));
    result.push_back(choiceControl(
        "distances", [](const Choices& of) { return of.distances; },
        [](Choices& of, std::int64_t value) { of.distances = value; }, 0, kMostEncodingDistances));
    result.push_back(choiceControl(
        "layers", [](const Choices& of) { return of.layers; },
        [](Choices& of, std::int64_t value) { of.layers = value; }, 1, kMostReachLayers));
    result.push_back(choiceControl(
        "full_every", [](const Choices& of) { return full_every_of(of.attention_layers); },
        [](Choices& of, std::int64_t value) { of.attention_layers = full_every_pattern(value); }, 0, kMostReachLayers));
    result.push_back({QStringLiteral("attention_layers"),
                      [this](const QString& text) {
                          EncodingChoices choices = m_encodings->choices();
                          choices.attention_layers = text.toStdString();
                          windows_of_layers(choices.attention_layers, 1, 1);  // throws for a pattern that is none
                          m_encodings->setChoices(choices);
                      },
                      [this] { return QVariant(QString::fromStdString(m_encodings->choices().attention_layers)); },
                      m_encodings->attentionLayers()});
    return result;
}

RoomControl SpectrumRoom::choiceControl(const char* name, std::function<std::int64_t(const EncodingChoices&)> get,
                                        std::function<void(EncodingChoices&, std::int64_t)> set, std::int64_t least,
                                        std::int64_t most) {
    const QString control = QString::fromLatin1(name);
    return {control,
            [this, control, set = std::move(set), least, most](const QString& text) {
                const std::int64_t value = controlWhole(control, text);
                if (value < least || value > most) {
                    throw BadInput("The control " + control.toStdString() + " is " + std::to_string(value) +
                                   ", but it must be between " + std::to_string(least) + " and " +
                                   std::to_string(most) + ".");
                }
                EncodingChoices choices = m_encodings->choices();
                set(choices, value);
                m_encodings->setChoices(choices);
            },
            [this, get = std::move(get)] { return QVariant(static_cast<qlonglong>(get(m_encodings->choices()))); }};
}

QWidget* SpectrumRoom::controlWidget(const QString& name) {
    if (name == QLatin1String("heads")) return m_encodings->heads();
    if (name == QLatin1String("attention_window")) return m_encodings->attentionWindow();
    if (name == QLatin1String("head")) return m_encodings->head();
    if (name == QLatin1String("distances")) return m_encodings->distances();
    if (name == QLatin1String("layers")) return m_encodings->layers();
    if (name == QLatin1String("full_every") || name == QLatin1String("attention_layers")) {
        return m_encodings->attentionLayers();
    }
    return RotaryRoom::controlWidget(name);
}

QList<QWidget*> SpectrumRoom::bars() {
    return {m_tabs, m_wavelength, m_frequency, m_encodings->chooser()};
}

std::optional<int> SpectrumRoom::pairAt(double x) const {
    const auto pair = static_cast<int>(std::lround(x));
    return pair >= 0 && pair < model().pairs() ? std::optional(pair) : std::nullopt;
}

RotaryRoom::Readout SpectrumRoom::readout(const RotarySetup& setup, const Frequencies& now, QPointF place) const {
    const auto pair = static_cast<int>(std::lround(place.x()));
    if (pair < 0 || pair >= setup.head_dim / 2) {
        return std::nullopt;
    }
    FigureView::Readout result{tr("pair %1 of %2").arg(pair).arg(setup.head_dim / 2), static_cast<double>(pair), {}};
    if (std::cmp_greater_equal(pair, now.inverse_frequencies.size())) {
        result.rows.append({tr("not rotated"), tr("channels %1–%2").arg(now.rotary_dim).arg(setup.head_dim - 1)});
        return result;
    }
    const auto index = static_cast<std::size_t>(pair);
    const ChannelPair channels = channel_pairs(setup.head_dim, now.rotary_dim, setup.partial, setup.pairing)[index];
    result.rows.append({tr("channels"), tr("%1 and %2").arg(channels.first).arg(channels.second)});
    const double frequency = now.inverse_frequencies[index];
    if (frequency == 0) {
        result.rows.append({tr("not rotated"), tr("λ = ∞")});
        return result;
    }
    const double wavelength = wavelengthOf(frequency);
    const double plain = wavelengthOf(ropelab::frequencies(plain_settings(setup)).inverse_frequencies[index]);
    result.rows.append({tr("wavelength"), tr("%1 tokens").arg(readableNumber(wavelength))});
    result.rows.append({tr("frequency"), tr("%1 radians/token").arg(readableNumber(frequency))});
    result.rows.append({tr("periods in the context"), readableNumber(static_cast<double>(setup.context) / wavelength)});
    if (setup.scaling.method != ScalingMethod::none) {
        result.rows.append({tr("wavelength before scaling"), tr("%1 tokens").arg(readableNumber(plain))});
    }
    for (const ScalingMethod method : m_comparison->chosen()) {
        if (const auto scaled = scaledBy(setup, method)) {
            const double longer = wavelengthOf(scaled->frequencies.inverse_frequencies[index]);
            result.rows.append(
                {scaled->title, tr("%1 tokens, × %2").arg(readableNumber(longer)).arg(longer / plain, 0, 'g', 3)});
        }
    }
    return result;
}

RotaryRoom::Readout SpectrumRoom::kernelReadout(QPointF place) const {
    const auto pair = pairAtPeriods(m_kernels.curves, place.x());
    const auto of = [&](const KernelCurves& curves) -> Readout {
        if (curves.bins.isEmpty()) return std::nullopt;
        const auto above = std::lower_bound(curves.bins.begin(), curves.bins.end(), std::max(0.0, place.x() - 0.5));
        const auto bin = std::min<qsizetype>(above - curves.bins.begin(), curves.bins.size() - 1);
        const bool hasPair = pair && static_cast<std::size_t>(*pair) < curves.periods.size();
        FigureView::Readout result;
        result.x = hasPair ? curves.periods[static_cast<std::size_t>(*pair)] : place.x();
        result.title = tr("%1 periods in the kernel length").arg(readableCount(curves.bins[bin]));
        result.rows.append({tr("magnitude"), readableNumber(curves.magnitude[bin])});
        if (hasPair) {
            result.rows.append({tr("pair %1").arg(*pair),
                                tr("%1 periods").arg(readableNumber(curves.periods[static_cast<std::size_t>(*pair)]))});
        }
        return result;
    };
    return m_kernels.otherSetup ? bothReadouts(of(m_kernels.curves), of(m_kernels.otherCurves)) : of(m_kernels.curves);
}

void SpectrumRoom::dragLine(const QString& handle, double at) {
    const Figure& shown = m_spectrum->figure();
    if (!m_dragEnds) {
        m_dragEnds = Range{shown.y.minimum, shown.y.maximum};
    }
    const double wavelength = m_frequency->isChecked() ? two_pi / at : at;
    RotarySetup next = model().setup();
    if (handle == kContextHandle) {
        const auto before = static_cast<double>(next.context);
        next.context = static_cast<std::int64_t>(std::clamp(roundedDrag(wavelength, before, true), 1.0, kMostContext));
        changeSetup(tr("change context"), next);
    } else if (const auto base = baseOfSlowest(next, wavelength)) {
        next.theta = std::max(roundedDrag(*base, next.theta, false), kMinBase);
        changeSetup(tr("change theta"), next);
    }
}

void SpectrumRoom::changeSetup(const QString& what, const RotarySetup& setup) {
    try {
        ModelShape shape = model().shape();
        shape.name.clear();  // the setup is no longer that of the named model
        model().change(what, setup, shape);
    } catch (const BadInput& error) {
        m_summary->setText(QString::fromStdString(error.what()));
    }
}

void SpectrumRoom::setKernelLength(std::int64_t tokens) {
    m_usesContext->setChecked(tokens == 0);
    if (tokens > 0) {
        m_kernelLength->commit(QString::number(tokens));
    }
    schedule();
}

std::int64_t SpectrumRoom::kernelLength() const {
    if (!m_usesContext->isChecked()) return std::llround(m_kernelLength->value());
    const auto other = otherSetup();
    const std::int64_t mine = contextKernelLength(model().setup());
    // Periods can be compared only over the same number of tokens.
    return other ? std::max(mine, contextKernelLength(*other)) : mine;
}

void SpectrumRoom::refreshNow() {
    m_isSynchronous = true;
    RotaryRoom::refreshNow();
    m_isSynchronous = false;
}

void SpectrumRoom::renew() {
    if (isShowingEncodings()) return renewEncodings();
    const SpectrumOptions options = {.asFrequency = m_frequency->isChecked(),
                                     .otherPartial = m_otherPartial->isChecked(),
                                     .compared = m_comparison->chosen(),
                                     .highlighted = model().highlightedPair(),
                                     .ends = m_dragEnds};
    if (const auto b = model().setupB()) {
        showBothIn(m_spectrum, comparedSpectrumFigure(model().setupA(), *b, options, model().editsB()));
    } else {
        showFigure(m_spectrum, spectrumFigure(model().setup(), options), {});
    }
    m_comparison->renew(model().setups(), model().editsB());
    renewKernel();
    renewTexts();
}

void SpectrumRoom::renewEncodings() {
    m_encodings->renew(model().setup());
    const EncodingChoices& choices = m_encodings->choices();
    const EncodingsPage::Picture picture = m_encodings->picture();
    if (picture != EncodingsPage::Picture::all) {
        return showFigure(m_encodings->view(), encodingFigure(picture, model().setup(), choices),
                          [&](const ShapedSetup& other) { return encodingFigure(picture, other.setup, choices); });
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
            return learnedPanels(*LabFile::open(toPath(key.lab), LabFile::Mode::read), key.head, key.distances,
                                 cancelled);
        } catch (const BadInput&) {  // the file was moved: there are no learned encodings
            return LearnedPanels{};
        }
    };
    if (m_isSynchronous) {
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
    const EncodingChoices& choices = m_encodings->choices();
    if (figure.name == QLatin1String("window-reach")) {
        origin.flags[QStringLiteral("layers")] = QString::number(choices.layers);
        origin.flags[QStringLiteral("attention-layers")] = QString::fromStdString(choices.attention_layers);
    } else if (figure.name == QLatin1String("encodings")) {
        origin.flags[QStringLiteral("head")] = QString::number(choices.head);
        origin.flags[QStringLiteral("distances")] = QString::number(choices.distances);
        if (!m_learned.empty()) origin.lab = labOrigin(*m_runs->lab.file(), runsOf(m_learned));
    }
    return origin;
}

std::optional<RotarySetup> SpectrumRoom::otherSetup() const {
    return model().other() ? std::optional(model().other()->setup) : std::nullopt;
}

SpectrumRoom::Kernels SpectrumRoom::computedKernels(std::int64_t length) const {
    // Only the setups that changed are computed: in a drag, the other one does not change.
    Kernels next{model().setup(), {}, otherSetup(), {}};
    const auto cached = [&](const std::optional<RotarySetup>& setup) -> KernelCurves {
        if (!setup) return {};
        if (m_kernels.curves.kernelLength == length && m_kernels.setup == *setup) return m_kernels.curves;
        const bool isOther = m_kernels.otherCurves.kernelLength == length && m_kernels.otherSetup == setup;
        return isOther ? m_kernels.otherCurves : KernelCurves{};
    };
    next.curves = cached(next.setup);
    next.otherCurves = cached(next.otherSetup);
    return next;
}

void SpectrumRoom::renewKernel() {
    const RotarySetup& setup = model().setup();
    const std::int64_t wanted = kernelLength();
    m_kernelNote->setText(m_usesContext->isChecked() && setup.context > kMaxKernelLength
                              ? tr("The context is longer than %1 tokens; the kernel is computed up to that distance.")
                                    .arg(tokensText(static_cast<double>(kMaxKernelLength)))
                              : QString());
    Kernels next = computedKernels(wanted);
    const auto complete = [wanted](Kernels& kernels) {
        if (kernels.curves.kernelLength != wanted) kernels.curves = kernelCurves(kernels.setup, wanted);
        if (kernels.otherSetup && kernels.otherCurves.kernelLength != wanted) {
            kernels.otherCurves = kernelCurves(*kernels.otherSetup, wanted);
        }
    };
    const bool isShown =
        next.curves.kernelLength == wanted && (!next.otherSetup || next.otherCurves.kernelLength == wanted);
    const bool isUnchanged = isShown && m_kernels.setup == next.setup && m_kernels.otherSetup == next.otherSetup &&
                             m_kernels.curves.kernelLength == wanted;
    if (isUnchanged) return showKernelSpectrum();  // only the highlighted pair can have changed
    if (isShown || wanted <= kLongKernel || m_isSynchronous) {
        m_job.cancel();
        complete(next);
        m_kernels = std::move(next);
        showKernel();
        return;
    }
    if (m_job.isRunning() && m_jobLength == wanted && m_jobSetup == setup && m_jobOther == next.otherSetup) {
        return;
    }
    m_jobLength = wanted;
    m_jobSetup = setup;
    m_jobOther = next.otherSetup;
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
    return m_kernels.otherSetup && m_kernels.otherSetup == otherSetup();
}

void SpectrumRoom::showKernel() {
    const Figure mine = kernelFigure(m_kernels.setup, m_kernels.curves);
    showBothIn(m_kernel, showsBothKernels()
                             ? bothFigures(mine, kernelFigure(*m_kernels.otherSetup, m_kernels.otherCurves))
                             : mine);
    showKernelSpectrum();
}

void SpectrumRoom::showKernelSpectrum() {
    const auto pair = model().highlightedPair();
    const Figure mine = kernelSpectrumFigure(m_kernels.setup, m_kernels.curves, pair);
    showBothIn(m_kernelSpectrum,
               showsBothKernels()
                   ? bothFigures(mine, kernelSpectrumFigure(*m_kernels.otherSetup, m_kernels.otherCurves, pair))
                   : mine);
}

}  // namespace ropelab::ui
