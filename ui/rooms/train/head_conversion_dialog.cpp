#include "ui/rooms/train/head_conversion_dialog.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <algorithm>
#include <system_error>

#include "core/base/error.h"
#include "core/run/checkpoint.h"
#include "ui/common/format.h"
#include "ui/common/paths.h"
#include "ui/session/engine_work.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kDefaultPercent = 5;  // Ainslie et al. 2023
constexpr int kResultLines = 7;

}  // namespace

QString whyNoHeadConversion(const RunView& run, const RunAccess& access) {
    const RunSpec& spec = run.spec;
    if (spec.attention == AttentionKind::mla || !spec.has_softmax_attention())
        return u"This run's attention has no key and value heads that could be merged."_s;
    if (spec.kv_heads() == 1) return u"This run has only one key and value head, so there are no heads to merge."_s;
    if (access.session.isTraining(run.record.id))
        return u"This run is training; its heads can be converted after it has ended."_s;
    const LabFile* lab = access.lab.file();
    if (!lab) return u"The lab has no runs whose heads could be converted."_s;
    const RunCheckpoint checkpoint = checkpointOfRun(*lab, run.record.id);
    std::error_code error;
    return std::filesystem::exists(checkpoint.path, error) ? QString()
                                                           : QString::fromStdString(whyNoCheckpoint(checkpoint));
}

HeadConversionDialog::HeadConversionDialog(const RunView& run, RunAccess access, QWidget* parent)
    : QDialog(parent),
      m_access(std::move(access)),
      m_spec(run.spec),
      m_run(run.record.id),
      m_lab(m_access.lab.file()->path()),
      m_checkpoint(checkpointOfRun(*m_access.lab.file(), run.record.id)),
      m_heads(new QComboBox),
      m_percent(new QDoubleSpinBox),
      m_start(new QPushButton(u"Convert heads"_s)),
      m_cancel(new QPushButton(u"Cancel"_s)),
      m_progress(new QProgressBar),
      m_result(new QLabel),
      m_stored(new QLabel) {
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(u"head-conversion"_s);
    setWindowTitle(u"Convert heads of %1"_s.arg(run.name));
    for (std::int64_t heads = 1; heads < m_spec.kv_heads(); ++heads) {
        if (m_spec.kv_heads() % heads == 0) m_heads->addItem(QString::number(heads), static_cast<int>(heads));
    }
    m_heads->setAccessibleName(u"Key and value heads"_s);
    m_heads->setToolTip(
        u"Number of key and value heads after the conversion to grouped-query attention. Each group of neighbouring "
        "heads is replaced by the mean of its weights. Ainslie et al. 2023; formula 47 of the guide"_s);
    m_percent->setRange(0, 100);
    m_percent->setDecimals(1);
    m_percent->setSuffix(u" %"_s);
    m_percent->setValue(kDefaultPercent);
    m_percent->setAccessibleName(u"Further training"_s);
    m_percent->setToolTip(
        u"Further training of the converted copy: its number of steps in percent of the run's iterations. The learning "
        "rate is a tenth of the run's learning rate."_s);
    m_result->setTextFormat(Qt::RichText);
    m_result->setWordWrap(true);
    m_result->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_result->setMinimumHeight(kResultLines * m_result->fontMetrics().lineSpacing());
    m_result->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_result->setAccessibleName(u"Result of the conversion"_s);
    m_progress->setTextVisible(true);
    m_progress->setFormat(u"step %v of %m"_s);

    auto* form = new QFormLayout(this);
    form->addRow(u"Key and value heads, now %1"_s.arg(m_spec.kv_heads()), m_heads);
    form->addRow(u"Further training"_s, m_percent);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_start);
    buttons->addWidget(m_cancel);
    buttons->addStretch();
    form->addRow(buttons);
    form->addRow(m_progress);
    form->addRow(m_result);
    m_stored->setTextFormat(Qt::PlainText);
    m_stored->setWordWrap(true);
    m_stored->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_stored->setAccessibleName(u"Stored conversions of this run"_s);
    form->addRow(m_stored);
    listStored(*m_access.lab.file());
    // The run stays in its lab if the window shows another one.
    connect(&m_access.lab, &LabDocument::opened, this, [this] { m_isLabShown = toPath(m_access.lab.path()) == m_lab; });
    connect(&m_access.lab, &LabDocument::renamed, this, [this] {
        if (!m_isLabShown) return;
        m_lab = toPath(m_access.lab.path());
        m_checkpoint.path = m_access.lab.file()->checkpoint_path(m_run);
    });
    connect(m_start, &QPushButton::clicked, this, &HeadConversionDialog::convert);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        m_job.cancel();
        showRunning(false);
        emit ended();
    });
    showRunning(false);
}

void HeadConversionDialog::showRunning(bool running) {
    m_start->setEnabled(!running);
    m_heads->setEnabled(!running);
    m_percent->setEnabled(!running);
    m_cancel->setEnabled(running);
    if (!running) m_progress->reset();
}

void HeadConversionDialog::convert() {
    if (m_access.session.isActive() || m_access.meter.isActive()) {
        m_result->setText(
            m_access.session.isActive()
                ? u"A sweep is training, and the program cannot use another model at the same time. Convert the key "
                  "and value "
                  u"heads after "
                  "training has ended."_s
                : u"The time and memory of a sweep are being measured, and the program cannot use another model at "
                  "the same time. Convert the key and value heads after this measurement has ended."_s);
        return;
    }
    const HeadConversion how{.key_value_heads = m_heads->currentData().toInt(), .fraction = m_percent->value() / 100};
    const std::int64_t steps = 2 * steps_of(how, m_spec);  // of the copy and of the run itself
    m_progress->setRange(0, static_cast<int>(std::max<std::int64_t>(1, steps)));
    m_progress->setValue(0);
    m_result->clear();
    showRunning(true);
    const auto work = [this, how, steps, file = m_checkpoint, dir = m_access.dataDir](Engine& engine,
                                                                                      const Cancelled& ends) {
        const auto checkpoint = read_checkpoint(file);
        if (!checkpoint) throw BadInput(whyNoCheckpoint(file));
        auto result = convert_heads(engine, *checkpoint, how, dir,
                                    [&, limiter = ProgressLimiter(steps)](std::int64_t done) mutable {
                                        if (ends()) return false;
                                        const auto report = [this, done] {
                                            if (m_job.isRunning()) m_progress->setValue(static_cast<int>(done));
                                        };
                                        if (limiter.isDue(done))
                                            QMetaObject::invokeMethod(this, report, Qt::QueuedConnection);
                                        return true;
                                    });
        return result.value_or(HeadConversionResult{});  // an interrupted conversion has no answer
    };
    startWithEngine<HeadConversionResult>(
        m_job, m_access.engineLock, work, [this](const Outcome<HeadConversionResult>& outcome) {
            showRunning(false);
            if (outcome.answer) {
                showResult(*outcome.answer);
                store(*outcome.answer);
            } else if (outcome.interrupted) {
                m_result->setText(
                    u"The conversion of the heads was interrupted by other work such as training. Start the "
                    "conversion again."_s);
            } else {
                m_result->setText(outcome.problem.toHtmlEscaped());
            }
            emit ended();
        });
}

void HeadConversionDialog::store(const HeadConversionResult& result) {
    const LabDocument& document = m_access.lab;
    if (m_isLabShown && (document.isReadOnly() || document.isSaving())) {
        m_stored->setText(
            document.isReadOnly()
                ? u"The result of this conversion is not stored, because the lab file is open read-only."_s
                : u"The result of this conversion is not stored, because the lab file is being saved under another "
                  "name."_s);
        return;
    }
    try {
        const auto lab = LabFile::open(m_lab);
        store_head_conversion(*lab, m_run, result);
        listStored(*lab);
    } catch (const std::exception& error) {
        m_stored->setText(u"The result of this conversion cannot be stored in the lab file: %1"_s.arg(
            QString::fromUtf8(error.what())));
        return;
    }
    // While a sweep trains, the file lags behind the runs; they are read again at its end.
    const LabFile* file = m_access.lab.file();
    if (file && file->path() == m_lab && !m_access.session.isActive()) m_access.runs.refreshRecords(*file);
}

void HeadConversionDialog::listStored(const LabFile& lab) {
    QStringList lines;
    try {
        for (const StoredHeadConversion& stored : stored_head_conversions(lab)) {
            if (stored.run != m_run) continue;
            lines << u"%1: %2"_s.arg(QString::fromStdString(stored.created),
                                     QString::fromStdString(head_conversion_words(stored.result)));
        }
    } catch (const BadInput& error) {  // a stored conversion is damaged
        return m_stored->setText(QString::fromStdString(error.what()));
    }
    if (!lines.isEmpty()) lines.prepend(u"Conversions of heads that are stored in the lab file:"_s);
    m_stored->setText(lines.join(QLatin1Char('\n')));
}

void HeadConversionDialog::showResult(const HeadConversionResult& result) {
    const auto row = [](const QString& what, std::int64_t heads, double loss, const QString& rise, std::int64_t bytes) {
        return u"<tr><td>%1&nbsp;</td><td align=right>%2</td><td align=right>&nbsp;%3</td>"
               "<td align=right>&nbsp;%4</td><td align=right>&nbsp;%5</td></tr>"_s.arg(what)
                   .arg(heads)
                   .arg(lossText(loss), rise, binarySize(bytes));
    };
    const auto riseText = [](const Description& rise) {
        return u"%1 (%2 to %3)"_s.arg(lossText(rise.mean), lossText(rise.confidence_low),
                                      lossText(rise.confidence_high));
    };
    const std::int64_t heads = result.conversion.key_value_heads;
    QString table = u"<table><tr><th></th><th>%1</th><th>&nbsp;%2</th><th>&nbsp;%3</th><th>&nbsp;%4</th></tr>"_s.arg(
        u"heads"_s, u"loss"_s, u"rise (95 % interval)"_s, u"KV cache"_s);
    table += row(u"original run"_s, result.heads_before, result.loss_before, u"–"_s, result.cache_before);
    table += row(u"heads merged"_s, heads, result.loss_pooled, riseText(result.pooled_rise), result.cache_after);
    if (result.steps > 0) {
        table += row(u"heads merged, trained for %1"_s.arg(countText(result.steps, u"step"_s)), heads,
                     result.loss_trained, riseText(result.trained_rise), result.cache_after);
    }
    if (result.continued_rise.n > 0) {
        table += row(u"original run, trained for %1 more"_s.arg(countText(result.steps, u"step"_s)),
                     result.heads_before, result.loss_continued, u"–"_s, result.cache_before);
    }
    m_result->setText(table + u"</table>"_s +
                      u"Validation loss in nats per token on %1."_s.arg(countText(result.sequences, u"sequence"_s)));
}

}  // namespace ropelab::ui

#include "moc_head_conversion_dialog.cpp"
