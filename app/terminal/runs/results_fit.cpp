#include "app/terminal/runs/results_fit.h"

#include "core/sweep/stored_run.h"

namespace ropelab::terminal {

void add_fit_options(CLI::App& verb, FitFlags& flags) {
    CLI::Option* fit = verb.add_flag(
        "--fit", flags.fit,
        "Also fit the compared loss against rotated fraction, number of parameters and number of training tokens "
        "(formula 38). With --baseline, the fit uses the runs that agree with the baseline in all other settings");
    CLI::Option* predict =
        verb.add_option("--predict", flags.predict,
                        "Also print the loss that the fit predicts, with its 95 % interval, at a point within the "
                        "range of the runs, such as fraction=25%,parameters=1M,tokens=10M; repeatable")
            ->needs(fit)
            ->allow_extra_args(false);
    verb.add_flag("--extrapolate", flags.extrapolate,
                  "Also predict at points outside the range of the runs, and mark these predictions")
        ->needs(predict);
}

FittedLoss fitted_loss(const FitFlags& flags, const ResultsTable& table, std::span<const RunRecord> runs,
                       bool like_baseline) {
    std::vector<LossFitSource> sources;
    for (const RunRecord& record : runs) sources.push_back({stored_spec(record), record.state});
    LossFitChoice choice;
    if (like_baseline) choice.like = table.baseline;
    choice.how_to_choose =
        "Name a group with --baseline key=value to fit only the runs that agree with it in these settings.";
    FittedLoss result{fit_table(table, sources, choice), {}};
    for (const std::string& text : flags.predict) {
        const LossPoint at = parse_loss_point(result.fit.fit, text);
        result.predictions.push_back(predict_loss(result.fit.fit, at, flags.extrapolate));
    }
    return result;
}

std::string fitted_text(const FittedLoss& fitted) {
    std::string result;
    for (const std::string& line : loss_fit_words(fitted.fit)) result += line + '\n';
    for (const LossPrediction& each : fitted.predictions) result += prediction_words(fitted.fit, each) + '\n';
    return result;
}

}  // namespace ropelab::terminal
