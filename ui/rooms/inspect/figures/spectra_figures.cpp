#include "ui/probes/spectrum_maps.h"
#include "ui/rooms/inspect/figures/figures.h"
#include "ui/rooms/inspect/inspect_figures.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

InspectFigures spectraFigures() {
    using Controls = InspectFigure::Controls;
    return {
        {"logit-contribution", InspectGroup::spectra, u"logit contribution"_s,
         u"Shows each pair's contribution to the variance of the logits: Cov(pair's term, logit) / "
         "Var(logit). Every key counts equally, also keys with an attention weight near 0. Formula 8 of the guide"_s,
         nullptr, Controls::pairRows, contributionSpectrum},
        {"weighted-logit-contribution", InspectGroup::spectra, u"logit contribution, weighted by attention"_s,
         u"Shows each pair's contribution to the variance of the logits under the attention weights: keys "
         "with an attention weight near 0 hardly count. Formula 8, weighted"_s,
         nullptr, Controls::pairRows, weightedContributionSpectrum},
        {"query-spectrum", InspectGroup::spectra, u"query norm by frequency"_s,
         u"Shows the mean norm of each pair's two channels in the queries. A large norm does not show that "
         "the model uses the pair. Barbero et al. 2024; formula 33 of the guide"_s,
         nullptr, Controls::pairRows, querySpectrum},
        {"key-spectrum", InspectGroup::spectra, u"key norm by frequency"_s,
         u"Shows the mean norm of each pair's two channels in the keys. A large norm does not show that the "
         "model uses the pair. Barbero et al. 2024; formula 33 of the guide"_s,
         nullptr, Controls::pairRows, keySpectrum},
        {"value-spectrum", InspectGroup::spectra, u"value norm by pair of channels"_s,
         u"Shows the mean norm of each pair's two channels in the values. Values are not rotated, so a pattern that "
         "also appears in the values is not due to the rotation. A large norm does not show that the model uses the "
         "pair. Barbero et al. 2024; formula 33 of the guide"_s,
         nullptr, Controls::pairRows, valueSpectrum},
        {"query-channels", InspectGroup::spectra, u"massive query values"_s,
         u"Shows the norm of each query channel over the positions of a sequence. Jin et al. 2025; formula 34 of the guide"_s,
         nullptr, Controls::rows, queryChannels},
        {"key-channels", InspectGroup::spectra, u"massive key values"_s,
         u"Shows the norm of each key channel over the positions of a sequence. Jin et al. 2025; formula 34 of the guide"_s,
         nullptr, Controls::rows, keyChannels},
        {"pair-dials", InspectGroup::spectra, u"rotation dials"_s,
         u"Shows by which angle each pair is rotated at the selected distance Δ of query and key. The lengths of the "
         "hands are the mean norms of the pair's channels in queries and keys. Barbero et al. 2024; formula 33 of the "
         "guide"_s,
         nullptr, Controls::oneLayer, pairDials},
    };
}

}  // namespace ropelab::ui
