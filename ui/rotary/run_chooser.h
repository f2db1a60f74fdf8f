#pragma once

#include <QObject>
#include <optional>

#include "ui/controls/form.h"
#include "ui/session/engine_work.h"

namespace ropelab::ui {

/// Fills a choice of a form with the evaluated runs and the opened models, whenever they change and when `page` becomes
/// visible. The choice's data are the ids of EvaluatedRun, or 0 for "none".
class RunChooser : public QObject {
    Q_OBJECT

 public:
    enum class First {
        none,   // the first entry is "none"
        widest  // at first, the run that rotates the largest part of its heads is chosen, else the first model
    };
    /// `field` is a ChoiceRow of the form, which must outlive this; renew() fills it for the first time.
    RunChooser(RunAccess access, Form& form, const char* field, First first, QWidget* page);

    void renew();
    bool isEmpty() const { return m_isEmpty; }
    /// nullopt for "none", and if there is nothing to choose.
    std::optional<EvaluatedRun> chosen() const;

 signals:
    void renewed();

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    RunAccess m_access;
    Form& m_form;
    const char* m_field;
    First m_first;
    bool m_isEmpty = true;
};

}  // namespace ropelab::ui
