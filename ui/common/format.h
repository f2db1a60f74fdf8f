#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>

namespace ropelab::ui {

// Independent of the user's locale.

/// "55 s", "27 min" (duration_text() of core/base/numbers.h).
QString durationText(double seconds);
/// "180 MB", "1.2 GB" (bytes_text() of core/base/numbers.h).
QString bytesText(std::int64_t bytes);
/// "a, b and c".
QString listedText(const QStringList& words);
/// "1,240".
QString groupedText(std::int64_t number);
/// The nearest whole number: "4,096".
QString wholeText(double number);
/// What is typed into a number field, without the commas of "1,024"; other commas stay, so that they are refused.
QString withoutGroups(const QString& typed);
/// Powers of 1,024: "128 MiB".
QString binarySize(std::int64_t bytes);
/// Two or three digits: "912", "9.1k", "91k", "1.2M".
QString roundText(double number);
/// Four decimal places, or "–" if the loss is not finite.
QString lossText(double loss);
/// "1 run", "6 runs".
QString countText(std::int64_t count, const QString& thing);

}  // namespace ropelab::ui
