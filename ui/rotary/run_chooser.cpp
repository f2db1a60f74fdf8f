#include "ui/rotary/run_chooser.h"

#include <QComboBox>
#include <QEvent>
#include <QWidget>
#include <algorithm>
#include <utility>

#include "ui/controls/fields.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

RunChooser::RunChooser(RunAccess access, Form& form, const char* field, First first, QWidget* page)
    : QObject(page), m_access(std::move(access)), m_form(form), m_field(field), m_first(first) {
    page->installEventFilter(this);
    connect(&m_access.runs, &RunStore::reloaded, this, &RunChooser::renew);
    connect(&m_access.lab, &LabDocument::modelsChanged, this, &RunChooser::renew);
    connect(&m_access.session, &SweepSession::ended, this, &RunChooser::renew);
}

bool RunChooser::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Show) renew();
    return QObject::eventFilter(watched, event);
}

void RunChooser::renew() {
    QList<QPair<QString, QVariant>> entries;
    if (m_first == First::none) entries.append({u"none"_s, 0});
    qlonglong usual = 0;
    double most = -1;
    m_isEmpty = true;
    const auto offer = [&](const QString& name, RunId id, double rotated) {
        m_isEmpty = false;
        entries.append({name, static_cast<qlonglong>(id)});
        if (m_first == First::none || rotated <= most) return;
        most = rotated;
        usual = id;
    };
    for (const RunView& run : m_access.runs.runs()) {
        if (canEvaluate(run)) offer(run.name, run.record.id, run.spec.rotates() ? run.spec.fraction : 0);
    }
    RunId id = -1;
    for (const ModelMark& model : m_access.lab.models()) offer(QString::fromStdString(model.name), id--, 0);
    if (entries.isEmpty()) entries.append({u"no runs yet"_s, 0});
    auto* choice = m_form.field<QComboBox>(m_field);
    const QVariant selected = choice->currentData();
    const bool isOffered = std::ranges::any_of(entries, [&](const auto& entry) { return entry.second == selected; });
    refillChoice(choice, entries, isOffered ? selected : QVariant(usual));
    m_form.setEnabled(m_field, !m_isEmpty);
    emit renewed();
}

std::optional<EvaluatedRun> RunChooser::chosen() const {
    return evaluatedRun(m_access, m_form.value(m_field).toLongLong());
}

}  // namespace ropelab::ui

#include "moc_run_chooser.cpp"
