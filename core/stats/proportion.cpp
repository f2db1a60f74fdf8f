#include "core/stats/proportion.h"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <string>

#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

ProportionInterval clopper_pearson(std::int64_t events, std::int64_t n, double alpha) {
    if (events < 0 || events > n) {
        throw BadInput("The number of events is " + std::to_string(events) + ", but it must be between 0 and " +
                       std::to_string(n) + ", the number of runs.");
    }
    if (!(alpha > 0 && alpha < 1)) {
        throw BadInput("The significance level is " + number_text(alpha) + ", but it must be between 0 and 1.");
    }
    const auto with = static_cast<double>(events);
    const auto without = static_cast<double>(n - events);
    ProportionInterval interval;
    if (events > 0) {
        interval.low = boost::math::quantile(boost::math::beta_distribution<double>(with, without + 1), alpha / 2);
    }
    if (events < n) {
        interval.high = boost::math::quantile(
            boost::math::complement(boost::math::beta_distribution<double>(with + 1, without), alpha / 2));
    }
    return interval;
}

double binomial_at_least(std::int64_t events, std::int64_t n, double probability) {
    if (events <= 0) return 1;
    const boost::math::binomial_distribution<double> distribution(static_cast<double>(n), probability);
    return boost::math::cdf(boost::math::complement(distribution, static_cast<double>(events - 1)));
}

double binomial_at_most(std::int64_t events, std::int64_t n, double probability) {
    if (events >= n) return 1;
    const boost::math::binomial_distribution<double> distribution(static_cast<double>(n), probability);
    return boost::math::cdf(distribution, static_cast<double>(events));
}

}  // namespace ropelab
