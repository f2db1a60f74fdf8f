#pragma once

#include <QString>
#include <cstdint>

namespace ropelab::ui {

// Formatting of numbers for the window, independent of the user's locale.

/// Returns a duration as text: "55 s", "27 min" (duration_text() of core/spec/numbers.h).
QString durationText(double seconds);
/// Returns a number of bytes as text: "180 MB", "1.2 GB" (bytes_text() of core/spec/numbers.h).
QString bytesText(std::int64_t bytes);
/// Returns a number with commas between groups of three digits: "1,240".
QString groupedText(std::int64_t number);
/// Returns a number without decimal places: "4096".
QString wholeText(double number);
/// Returns a number of bytes in powers of 1,024: "128 MiB".
QString binarySize(std::int64_t bytes);
/// Returns a number rounded to two or three digits with a suffix: "912", "9.1k", "91k", "1.2M".
QString roundText(double number);
/// Returns a loss with four decimal places, or "–" if it is not finite.
QString lossText(double loss);
/// Returns a count with its noun in the singular or plural: "1 run", "6 runs".
QString countText(std::int64_t count, const QString& thing);

}  // namespace ropelab::ui
