#pragma once

#include <QString>
#include <cstdint>

namespace ropelab::ui {

// Numbers as the window writes them, in the C locale.

/// duration_text() of core/spec/numbers.h: "55 s", "27 min".
QString durationText(double seconds);
/// bytes_text(): "180 MB", "1.2 GB".
QString bytesText(std::int64_t bytes);
/// "1,240".
QString groupedText(std::int64_t number);
/// "912", "9.1k", "91k", "1.2M".
QString roundText(double number);
/// A loss with four digits after the point; "–" where it is not finite.
QString lossText(double loss);
/// "1 run", "6 runs".
QString countText(std::int64_t count, const QString& thing);

}  // namespace ropelab::ui
