#pragma once

#include <QString>
#include <cstdint>

namespace ropelab::ui {

// Numbers as the window writes them, in the C locale.

/// "0.4 s", "55 s", "3 min 20 s", "2 h 5 min".
QString durationText(double seconds);
/// "180 MB", "1.2 GB"; powers of 1,000.
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
