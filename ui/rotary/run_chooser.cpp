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
    m_runs = evaluatedRuns(m_access);
    QList<QPair<QString, QVariant>> entries;
    if (m_first == First::none) entries.append({u"none"_s, 0});
    qlonglong usual = 0;
    double most = -1;
    for (const EvaluatedRun& run : m_runs) {
        entries.append({run.name, static_cast<qlonglong>(run.id)});
        const double rotated = !run.model && run.spec.rotates() ? run.spec.fraction : 0;
        if (m_first == First::none || rotated <= most) continue;
        most = rotated;
        usual = run.id;
    }
    if (entries.isEmpty()) entries.append({u"no runs yet"_s, 0});
    auto* choice = m_form.field<QComboBox>(m_field);
    const QVariant selected = choice->currentData();
    const bool isOffered = std::ranges::any_of(entries, [&](const auto& entry) { return entry.second == selected; });
    refillChoice(choice, entries, isOffered ? selected : QVariant(usual));
    m_form.setEnabled(m_field, !m_runs.empty());
    emit renewed();
}

const EvaluatedRun* RunChooser::chosen() const {
    const auto found = std::ranges::find(m_runs, m_form.value(m_field).toLongLong(), &EvaluatedRun::id);
    return found == m_runs.end() ? nullptr : &*found;
}

}  // namespace ropelab::ui
