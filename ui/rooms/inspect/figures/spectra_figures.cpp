#include "ui/probes/spectrum_maps.h"
#include "ui/rooms/inspect/figures/figures.h"
#include "ui/rooms/inspect/inspect_figures.h"

namespace ropelab::ui {

InspectFigures spectraFigures() {
    using Controls = InspectFigure::Controls;
    return {
        {"logit-contribution", InspectGroup::spectra, QObject::tr("logit contribution"),
         QObject::tr("Shows each pair's contribution to the variance of the logits: Cov(pair's term, logit) / "
                     "Var(logit). Every key counts equally, also keys with an attention weight near 0. Formula 8"),
         nullptr, Controls::pairRows, contributionSpectrum},
        {"weighted-logit-contribution", InspectGroup::spectra, QObject::tr("logit contribution, weighted by attention"),
         QObject::tr("Shows each pair's contribution to the variance of the logits under the attention weights: keys "
                     "with an attention weight near 0 hardly count. Formula 8, weighted"),
         nullptr, Controls::pairRows, weightedContributionSpectrum},
        {"query-spectrum", InspectGroup::spectra, QObject::tr("query norm by frequency"),
         QObject::tr("Shows the mean norm of each pair's two channels in the queries. A large norm does not show that "
                     "the model uses the pair. Barbero et al. 2024, formula 33"),
         nullptr, Controls::pairRows, querySpectrum},
        {"key-spectrum", InspectGroup::spectra, QObject::tr("key norm by frequency"),
         QObject::tr("Shows the mean norm of each pair's two channels in the keys. A large norm does not show that the "
                     "model uses the pair. Barbero et al. 2024, formula 33"),
         nullptr, Controls::pairRows, keySpectrum},
        {"value-spectrum", InspectGroup::spectra, QObject::tr("value norm by frequency"),
         QObject::tr(
             "Shows the mean norm of the same channels in the values. Values are not rotated, so this is a control. A "
             "large norm does not show that the model uses the pair. Barbero et al. 2024, formula 33"),
         nullptr, Controls::pairRows, valueSpectrum},
        {"query-channels", InspectGroup::spectra, QObject::tr("massive query values"),
         QObject::tr(
             "Shows the norm of each query channel over the positions of a sequence. Jin et al. 2025, formula 34"),
         nullptr, Controls::rows, queryChannels},
        {"key-channels", InspectGroup::spectra, QObject::tr("massive key values"),
         QObject::tr(
             "Shows the norm of each key channel over the positions of a sequence. Jin et al. 2025, formula 34"),
         nullptr, Controls::rows, keyChannels},
        {"pair-dials", InspectGroup::spectra, QObject::tr("rotation dials"),
         QObject::tr("Shows by which angle each pair is rotated at the selected lag Δ. The lengths of the hands are "
                     "the query and key norms of the pair. Barbero et al. 2024, formula 33"),
         nullptr, Controls::oneLayer, pairDials},
    };
}

}  // namespace ropelab::ui
