// The script of a lecture's slides (ropelab-cli lecture slides --output FILE.html). The page works from a file without
// network, so there is no library and nothing to build. The first part knows no page: formulas, answers and drawings.
// tests/ui/lecture/slides_script_test.cpp runs it with Node.js and compares its numbers with those of the program. The
// second part, from `startSlides` on, is the page.
"use strict";

// Formulas of docs/formulas.md. A setup is {theta, headDim, fraction, partial, context}, as in the program. Vectors have
// the canonical layout: pair i of every fraction has the channels i and i + headDim/2.

const TAU = 2 * Math.PI;
const MINUS = "\u2212";

/** d_r, the number of rotated channels (formula 10). */
function rotaryDim({ headDim, fraction }) {
  if (fraction === 0) return 0;
  return Math.max(2, 2 * Math.floor((fraction * headDim) / 2 + 0.5 + 1e-9));
}

/** ω_i in radians per token: formula 3 (slice), or formula 4 (truncate), whose last frequencies are 0. */
function frequencies(setup) {
  const rotated = rotaryDim(setup);
  const channels = setup.partial === "slice" ? rotated : setup.headDim;
  const frequency = i => (i < rotated / 2 ? Math.pow(setup.theta, (-2 * i) / channels) : 0);
  return Array.from({ length: channels / 2 }, (_, i) => frequency(i));
}

/** The two channels of each pair; of all headDim/2, or of those with a frequency. */
function channelPairs({ headDim }, count) {
  return Array.from({ length: count }, (_, i) => [i, i + headDim / 2]);
}

/** k = R_r q, whose logit is largest where it stands r = `distance` tokens before q (formula 17). */
function aimedKey(setup, query, distance) {
  const key = query.slice();
  const omega = frequencies(setup);
  channelPairs(setup, omega.length).forEach(([a, b], i) => {
    const cosine = Math.cos(distance * omega[i]);
    const sine = Math.sin(distance * omega[i]);
    key[a] = query[a] * cosine - query[b] * sine;
    key[b] = query[a] * sine + query[b] * cosine;
  });
  return key;
}

/** What does not depend on the distance: q_i times the conjugate of k_i per pair, and the rest, all divided by √d. */
function products(setup, query, key) {
  const scale = 1 / Math.sqrt(setup.headDim);
  const omega = frequencies(setup);
  const all = channelPairs(setup, setup.headDim / 2).map(([a, b]) =>
    [scale * (query[a] * key[a] + query[b] * key[b]), scale * (query[b] * key[a] - query[a] * key[b])]);
  const unrotated = all.slice(omega.length).reduce((sum, [real]) => sum + real, 0);
  return { omega, pairs: all.slice(0, omega.length), unrotated };
}

/** The terms of the logit at a distance Δ = m − n (formula 7). */
function splitLogit({ omega, pairs, unrotated }, distance) {
  const terms = pairs.map(([real, imaginary], i) => {
    const angle = distance * omega[i];
    return real * Math.cos(angle) - imaginary * Math.sin(angle);
  });
  return { pairs: terms, unrotated, total: terms.reduce((sum, term) => sum + term, 0) + unrotated };
}

/** B(Δ): Σ cos(Δω_i) over the rotated pairs, and 1 for each of the others (formulas 12 and 13). */
function contextBound(omega, unrotated, distance) {
  let sum = unrotated;
  for (const each of omega) sum += Math.cos(distance * each);
  return sum;
}

/** (2/d) Σ_j |S_j|, Su's upper bound (formula 11). */
function decayBound(omega, distance) {
  let [real, imaginary, sum] = [0, 0, 0];
  for (const each of omega) {
    real += Math.cos(distance * each);
    imaginary += Math.sin(distance * each);
    sum += Math.hypot(real, imaginary);
  }
  return omega.length === 0 ? 0 : sum / omega.length;
}

// Numbers as the program writes them (ui/figure/ticks.cpp).

function superscript(power) {
  return String(power).replace(/./g, sign => (sign === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign]));
}

function fixedNumber(value, decimals) {
  const [whole, rest] = Math.abs(value).toFixed(decimals).split(".");
  const digits = whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? "." + rest : "");
  return value < 0 && /[1-9]/.test(digits) ? MINUS + digits : digits;
}

function powerNumber(value, decimals) {
  let exponent = Math.floor(Math.log10(Math.abs(value)));
  let mantissa = value / Math.pow(10, exponent);
  if (Math.abs(mantissa) >= 10 - 0.5 * Math.pow(10, -decimals)) {
    mantissa /= 10;
    exponent += 1;
  }
  const power = "10" + superscript(exponent);
  if (decimals === 0 && Math.round(Math.abs(mantissa)) === 1) return value < 0 ? MINUS + power : power;
  return fixedNumber(mantissa, decimals) + "×" + power;
}

function readableNumber(value) {
  const size = Math.abs(value);
  if (Number.isNaN(value)) return "–";
  if (size === Infinity) return value > 0 ? "∞" : MINUS + "∞";
  if (size === 0) return "0";
  if (size < 0.0095 || size >= 1e7) return powerNumber(value, 2);
  return fixedNumber(value, size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0);
}

function readableCount(value) {
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? fixedNumber(value, 0) : readableNumber(value);
}

// Answers, judged as the course does (core/lecture/answer.cpp).

/** The factors by which units that people type are converted to the unit of a quantity. */
const DEGREES = 180 / Math.PI;
const UNITS = {
  degrees: { "°": 1, deg: 1, rad: DEGREES, radians: DEGREES, radian: DEGREES },
  "radians per token": { rad: 1, radians: 1, "rad/token": 1, "rad per token": 1 },
  periods: { turns: 1, turn: 1 },
  s: { sec: 1, second: 1, seconds: 1 },
  "tokens/s": { "tokens per second": 1 },
  bytes: { b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40 },
};

function isWordOf(word, unit) {
  return word === unit || (unit.length > 2 && unit.endsWith("s") && word === unit.slice(0, -1));
}

/** `known` are the units of all quantities; a question without a unit accepts them. */
function unitFactor(given, asked, known) {
  const word = given.toLowerCase();
  const hasUnit = asked !== "" && !asked.startsWith("as ");
  if (word === "") return 1;
  if (["%", "percent", "per cent"].includes(word) && (asked === "%" || !hasUnit)) return asked === "%" ? 1 : 0.01;
  if (isWordOf(word, asked)) return 1;
  if (hasUnit && UNITS[asked] && word in UNITS[asked]) return UNITS[asked][word];
  const isKnown = Object.values(UNITS).some(each => word in each) || known.some(each => isWordOf(word, each));
  if (!hasUnit && isKnown) return 1;
  const wanted = hasUnit ? "a number of " + asked : "a number without a unit";
  throw new Error(`The answer must be ${wanted}, but its unit is "${given}"; type the number alone.`);
}

/** Throws an Error with `isComma` where a comma can be a decimal comma or grouping. */
function withDecimalPoint(number) {
  const commas = number.split(",").length - 1;
  if (commas === 0) return number;
  const isGrouped = /^-?[1-9]\d{0,2}(,\d{3})+(?![\d,])/.test(number);
  const joined = number.replaceAll(",", "");
  const isSingle = commas === 1 && !number.includes(".");
  if (isGrouped && isSingle) {
    const error = new Error(`"${number}" can be ${joined} or ${number.replace(",", ".")}; type one of these two.`);
    error.isComma = true;
    throw error;
  }
  if (isGrouped) return joined;
  return isSingle ? number.replace(",", ".") : number;
}

/** "10k", "1e6", "0.25". */
function parseNumber(text) {
  const [, digits, unit] = /^\s*(.*?)\s*([kKM]?)\s*$/.exec(text);
  if (!/^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits)) throw new Error(`"${text.trim()}" is not a number.`);
  const value = Number(digits) * (unit === "M" ? 1e6 : unit ? 1e3 : 1);
  if (!Number.isFinite(value)) throw new Error(`"${text.trim()}" is not a finite number.`);
  return value;
}

function factorValue(factor) {
  let [, sign, rest] = /^\s*([+-]?)\s*(.*?)\s*$/.exec(factor);
  let value = sign === "-" ? -1 : 1;
  if (rest.endsWith("π")) {
    value *= Math.PI;
    rest = rest.slice(0, -1).trim() || "1";
  }
  if (rest.startsWith("-")) throw new Error("A number has two signs.");
  if (/^\d{1,3}( \d{3})+(?!\d)/.test(rest)) rest = rest.replaceAll(" ", "");
  return value * parseNumber(withDecimalPoint(rest));
}

/** A number, or null for "none". Throws an Error that says what is wrong. */
function parseAnswer(text, unit = "", known = []) {
  const typed = text.trim();
  if (typed.toLowerCase() === "none") return null;
  const plain = typed.replace(/\u2212/g, "-").replace(/[·×]/g, "*").replace(/[\u00a0\u2009\u202f]/g, " ")
    .replace(/(?<![a-z])pi(?![a-z])/gi, "π");
  // The number ends with its last digit or π, and a k or M behind it belongs to it.
  const parts = /^(.*[\dπ](?: *[kKM](?![a-zA-Z]))?)(.*)$/s.exec(plain);
  let [number, given] = parts ? [parts[1].trim(), parts[2].trim()] : [plain, ""];
  const isPart = given.length === 1 && given !== "s" && /^[a-zA-Z]/.test(parts[2]);
  if (isPart || /^[*/+\-.,^]/.test(given)) [number, given] = [plain, ""];
  const factor = unitFactor(given, unit, known);
  try {
    const [first, ...others] = number.split(/(?=[*/])/);
    let value = factorValue(first);
    for (const each of others) {
      const next = factorValue(each.slice(1));
      value = each[0] === "/" ? value / next : value * next;
    }
    if (!Number.isFinite(value)) throw new Error("The number is not finite.");
    return value * factor;
  } catch (error) {
    if (error.isComma) throw error;
    throw new Error(`"${typed}" is not a number; type a number such as 12, 0.25, 3*pi, 1/3, 40 % or 1e6, or "none" ` +
                    "if there is no such number.");
  }
}

function isRight(ask, given) {
  if (ask.kind === "choice") return given === ask.right;
  return given === null || ask.truth === null ? given === ask.truth : Math.abs(given - ask.truth) <= ask.tolerance;
}

/** The sentence about what a wrong answer misunderstands: that of the choice, or of the nearest number; "" for none. */
function misunderstood(ask, given) {
  let [say, least] = ["", Infinity];
  for (const mistake of ask.wrong) {
    const apart = given === null ? Infinity : Math.abs(given - mistake.answer);
    const limit = ask.kind === "choice" ? 0 : Math.max(ask.tolerance, 0.02 * Math.abs(mistake.answer));
    if (apart > limit || apart >= least) continue;
    [say, least] = [mistake.say, apart];
  }
  return say;
}

/** What must not be readable in the source of the page before it is shown; slides_html.cpp seals it. */
function unsealed(text, number) {
  let state = number >>> 0;
  const bytes = Uint8Array.from(atob(text), sign => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return sign.charCodeAt(0) ^ (state >>> 24);
  });
  return JSON.parse(new TextDecoder().decode(bytes));
}

// Drawings: each form makes axes, layers and a sentence from what the program knows of a figure, with the settings of
// the sliders. The axes do not depend on the settings that a slider changes.

const MOST_POINTS = 4096;
const LARGEST_THETA = 1e6;

/** Whole distances that are evenly spread on the axis. */
function distancesOn({ min, max, log }) {
  const low = Math.max(log ? 1 : 0, Math.ceil(min));
  const count = Math.min(MOST_POINTS, Math.floor(max) - low);
  const at = i => (log ? low * Math.pow(max / low, i / count) : low + ((max - low) * i) / count);
  const isEach = Math.floor(max) - low <= MOST_POINTS;
  const all = Array.from({ length: count + 1 }, (_, i) => (isEach ? low + i : Math.round(at(i))));
  return all.filter((each, i) => i === 0 || each !== all[i - 1]);
}

function keyOf(live) {
  return live.aimed ? aimedKey(live.setup, live.query, live.distance) : (live.key ?? live.query);
}

function contextMark({ context }) {
  return { at: context, label: `context ${readableCount(context)}`, ink: "accent" };
}

const forms = {
  spectrum({ setup, x, y, pair, sliders }) {
    const wavelengths = frequencies(setup).filter(each => each > 0).map(each => TAU / each);
    const max = Math.max(y.max, sliders.includes("theta") ? 10 * LARGEST_THETA : 0);
    const infinity = max / 2;
    const layers = [];
    const add = (ys, first, look) =>
      layers.push({ kind: "points", x: ys.map((_, i) => i + first), y: ys, ink: "rotated", ...look });
    const incomplete = wavelengths.findIndex(each => each > setup.context);
    const complete = incomplete < 0 ? wavelengths.length : incomplete;
    add(wavelengths.slice(0, complete), 0, {});
    add(wavelengths.slice(complete), complete, { hollow: true });
    const rest = setup.headDim / 2 - wavelengths.length;
    const marks = [{ ...contextMark(setup), isHorizontal: true }];
    if (rest > 0) {
      add(Array(rest).fill(infinity), wavelengths.length, { ink: "unrotated" });
      marks.push({ at: infinity, label: "unrotated: λ = ∞", ink: "quiet", isHorizontal: true });
    }
    if (sliders.includes("pair")) marks.push({ at: pair, label: `pair ${pair}`, ink: "accent" });
    return {
      x, y: { ...y, max }, layers, marks,
      say: `${complete} of ${wavelengths.length} rotated pairs complete a period in ` +
           `${readableCount(setup.context)} tokens; θ = ${readableCount(setup.theta)}`,
    };
  },

  "context-bound"({ setup, x, y }) {
    const omega = frequencies(setup).filter(each => each > 0);
    const pairs = setup.headDim / 2;
    const distances = distancesOn(x);
    const bound = distances.map(each => contextBound(omega, pairs - omega.length, each));
    let first = 0;
    while (first <= x.max && contextBound(omega, pairs - omega.length, first) >= 0) first += 1;
    const isNegative = first <= x.max;
    const isSupported = first >= setup.context;
    const marks = [{ ...contextMark(setup), ink: isSupported ? "success" : "error" },
                   { at: 0, label: "", ink: "text", isHorizontal: true }];
    if (isNegative) marks.push({ at: first, label: `B(Δ) < 0 first at ${readableCount(first)}`, ink: "error" });
    const negative = bound.map(each => (each < 0 ? each : NaN));
    const base = `θ = ${readableCount(setup.theta)}, ${omega.length} of ${pairs} pairs rotated: `;
    return {
      x, y: { ...y, min: y.fixed ? y.min : Math.min(y.min, -0.3 * pairs), max: y.fixed ? y.max : 1.05 * pairs },
      layers: [{ kind: "line", x: distances, y: bound, ink: "rotated" },
               { kind: "line", x: distances, y: negative, ink: "error" }],
      marks,
      say: base + (isNegative ? `supports ${readableCount(first)} tokens`
                              : `B(Δ) is not negative up to ${readableCount(Math.floor(x.max))} tokens`),
    };
  },

  "decay-bound"({ setup, x, y }) {
    const omega = frequencies(setup);
    const all = distancesOn(x);
    const step = Math.ceil(all.length / 2048);
    const distances = all.filter((_, i) => i % step === 0);
    return {
      x, y: { ...y, min: 0, max: 1.08 * decayBound(omega, 0) },
      layers: [{ kind: "line", x: distances, y: distances.map(each => decayBound(omega, each)), ink: "rotated" }],
      marks: [contextMark(setup)],
      say: `Su's upper bound for θ = ${readableCount(setup.theta)}, at ${readableCount(distances.length)} distances`,
    };
  },

  aim(live) {
    const { setup, query, distance, x, y } = live;
    const parts = products(setup, query, keyOf(live));
    const distances = distancesOn({ ...x, max: Math.min(x.max, setup.context - 1) });
    const logits = distances.map(each => splitLogit(parts, each).total);
    const best = logits.indexOf(logits.reduce((a, b) => Math.max(a, b), -Infinity));
    const top = products(setup, query, query);
    const max = splitLogit(top, 0).total;
    return {
      x, y: { ...y, min: Math.min(y.min, -0.3 * max), max: 1.1 * max },
      layers: [{ kind: "line", x: distances, y: logits, ink: "rotated" },
               { kind: "points", x: [distances[best]], y: [logits[best]], ink: "accent" }],
      marks: [{ at: distance, label: `aimed at ${readableCount(distance)}`, ink: "key" }],
      say: `The largest logit is ${readableNumber(logits[best])}, at a distance of ` +
           `${readableCount(distances[best])} tokens`,
    };
  },

  "logit-split"(live) {
    const { setup, query, m, n, pair, x, y, sliders } = live;
    const split = splitLogit(products(setup, query, keyOf(live)), m - n);
    const rotated = rotaryDim(setup) / 2;
    const hasRest = 2 * split.pairs.length < setup.headDim;
    const bars = hasRest ? [...split.pairs, split.unrotated] : split.pairs;
    let total = 0;
    const sums = bars.map(each => (total += each));
    const places = bars.map((_, i) => i);
    const some = isIn => bars.map((each, i) => (isIn(i) ? each : NaN));
    return {
      x: { ...x, max: setup.headDim / 2 - 0.4 }, y,
      layers: [{ kind: "bars", x: places, y: some(i => i < rotated), ink: "rotated" },
               { kind: "bars", x: places, y: some(i => i >= rotated), ink: "unrotated" },
               { kind: "line", x: places, y: sums, ink: "quiet" }],
      marks: [{ at: split.total, label: `logit ${readableNumber(split.total)}`, ink: "text", isHorizontal: true },
              ...(sliders.includes("pair") ? [{ at: pair, label: `pair ${pair}`, ink: "accent" }] : [])],
      say: `bars: pairs, line: cumulative sum; m = ${readableCount(m)}, n = ${readableCount(n)}`,
    };
  },

  dials(live) {
    const { m, n } = live;
    const angle = ([x, y]) => Math.atan2(y, x);
    const pairs = handsOf(live).map(({ q, k, omega }) => ({ q: angle(q), k: angle(k), omega }));
    const [q, k] = [`q at m = ${readableCount(m)}`, `k at n = ${readableCount(n)}`];
    return { dials: pairs, q, k, say: `${pairs.length} dials, one per pair, ${q}, ${k}` };
  },
};

/** The vectors of each pair after rotation, and its frequency; 0 where it is not rotated. */
function handsOf(live) {
  const [query, key, omega] = [live.query, keyOf(live), frequencies(live.setup)];
  const rotated = (x, y, angle) =>
    [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)];
  return channelPairs(live.setup, live.setup.headDim / 2).map(([a, b], i) => {
    const each = omega[i] ?? 0;
    return { q: rotated(query[a], query[b], live.m * each), k: rotated(key[a], key[b], live.n * each), omega: each };
  });
}

/** Marks of an axis with labels: powers of ten, or multiples of 1, 2 or 5. */
function ticksOf({ min, max, log }, about) {
  const ticks = [];
  if (log && max / min >= 10) {
    const stride = Math.ceil(Math.log10(max / min) / about);
    for (let power = Math.ceil(Math.log10(min) - 1e-9); power <= Math.log10(max) + 1e-9; ++power) {
      if (power % stride !== 0) continue;
      const at = Math.pow(10, power);
      ticks.push({ at, label: power < 0 || power > 5 ? powerNumber(at, 0) : readableCount(Math.round(at)) });
    }
    return ticks;
  }
  const power = Math.pow(10, Math.floor(Math.log10((max - min) / about)));
  const step = power * [1, 2, 5, 10].find(each => (max - min) / (each * power) <= about + 1e-9);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  for (let i = Math.ceil(min / step - 1e-9); i <= max / step + 1e-9; ++i) {
    ticks.push({ at: i * step, label: fixedNumber(i * step, decimals) });
  }
  return ticks;
}

const escaped = text => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const color = ink => `var(--${ink})`;
const words = (x, y, text, ink, more = "") =>
  `<text x="${x}" y="${y}" fill="${color(ink)}" ${more}>${escaped(text)}</text>`;

/** SVG without its outer element; `em` is the size of its text. `ghost`: the layers of before the sliders moved. */
function chart({ x, y, layers, marks, say }, ghost, width, height, em) {
  const isNarrow = 0.6 * em * (say.length + y.label.length) > width;
  const area = { left: 4.6 * em, top: (isNarrow ? 3.4 : 2) * em, right: width - 1.6 * em, bottom: height - 3 * em };
  const onAxis = ({ log }, value) => (log ? Math.log(value) : value);
  const along = (axis, from, to) => {
    const [low, high] = [onAxis(axis, axis.min), onAxis(axis, axis.max)];
    return value => from + ((to - from) * (onAxis(axis, value) - low)) / (high - low);
  };
  const [atX, atY] = [along(x, area.left, area.right), along(y, area.bottom, area.top)];
  const round = value => Math.round(value * 10) / 10;
  const note = isNarrow ? words(0, 2.3 * em, say, "quiet") : words(width, em, say, "quiet", 'text-anchor="end"');
  const parts = [words(0, em, y.label, "text"), note,
                 words((area.left + area.right) / 2, height - 0.4 * em, x.label, "text", 'text-anchor="middle"')];
  for (const { at, label } of ticksOf(y, y.log ? 9 : 6)) {
    parts.push(`<path d="M${area.left} ${round(atY(at))}H${area.right}" stroke="${color("hairline")}"/>`);
    parts.push(words(area.left - 0.4 * em, round(atY(at) + 0.35 * em), label, "quiet", 'text-anchor="end"'));
  }
  for (const { at, label } of ticksOf(x, 8)) {
    parts.push(`<path d="M${round(atX(at))} ${area.bottom}v${0.3 * em}" stroke="${color("quiet")}"/>`);
    parts.push(words(round(atX(at)), area.bottom + 1.4 * em, label, "quiet", 'text-anchor="middle"'));
  }
  parts.push(`<path d="M${area.left} ${area.bottom}H${area.right}" stroke="${color("quiet")}"/>`);
  const size = [area.right - area.left, area.bottom - area.top];
  parts.push(`<svg x="${area.left}" y="${area.top}" width="${size[0]}" height="${size[1]}" ` +
             `viewBox="${area.left} ${area.top} ${size[0]} ${size[1]}">`);
  for (const layer of [...ghost.map(each => ({ ...each, isGhost: true })), ...layers]) {
    const look = layer.isGhost ? 'opacity="0.3"' : "";
    const ink = color(layer.isGhost ? "quiet" : layer.ink);
    const points = layer.x.map((each, i) => [atX(each), atY(layer.y[i])]);
    if (layer.kind === "line") {
      const isFinite = ([, each]) => Number.isFinite(each);
      const path = points.map((each, i) => isFinite(each) &&
        `${i > 0 && isFinite(points[i - 1]) ? "L" : "M"}${round(each[0])} ${round(each[1])}`);
      parts.push(`<path d="${path.filter(Boolean).join("")}" fill="none" stroke="${ink}" stroke-width="2" ${look}/>`);
    }
    for (const [i, [left, top]] of layer.kind === "line" ? [] : points.entries()) {
      if (!Number.isFinite(top)) continue;
      if (layer.kind === "bars") {
        const [half, zero] = [0.38 * (atX(1) - atX(0)), atY(0)];
        parts.push(`<rect x="${round(left - half)}" y="${round(Math.min(top, zero))}" width="${round(2 * half)}" ` +
                   `height="${round(Math.abs(top - zero))}" fill="${ink}" ${look}/>`);
      } else {
        parts.push(`<circle cx="${round(left)}" cy="${round(top)}" r="${0.24 * em}" stroke="${ink}" stroke-width="2" ` +
                   `fill="${layer.hollow && !layer.isGhost ? color("paper") : ink}" ${look}/>`);
      }
    }
  }
  let line = 0;
  for (const { at, label, ink, isHorizontal } of marks) {
    const place = isHorizontal ? round(atY(at)) : round(atX(at));
    const path = isHorizontal ? `M${area.left} ${place}H${area.right}` : `M${place} ${area.top}V${area.bottom}`;
    const isFar = !isHorizontal && place > (area.left + area.right) / 2;
    const more = `class="halo" text-anchor="${isFar ? "end" : "start"}"`;
    const [left, top] = isHorizontal
      ? [area.left + 0.5 * em, place + (place < area.top + 2 * em ? 1.2 : -0.4) * em]
      : [place + (isFar ? -0.5 : 0.5) * em, area.top + (1 + 1.3 * line++) * em];
    parts.push(`<path d="${path}" stroke="${color(ink)}" stroke-width="1.5" stroke-dasharray="6 4"/>`);
    parts.push(words(left, top, label, ink, more));
  }
  return parts.join("") + "</svg>";
}

function hand(x, y, angle, length, ink, width) {
  const [endX, endY] = [x + length * Math.cos(angle), y - length * Math.sin(angle)];
  return `<path d="M${x} ${y}L${endX} ${endY}" stroke="${color(ink)}" stroke-width="${width}" stroke-linecap="round"/>`;
}

function dialsDrawing({ dials, q, k }, width, height, em) {
  const all = dials.length;
  const parts = [words(0, em, q, "query", 'font-weight="600"'), words(12 * em, em, k, "key", 'font-weight="600"')];
  const space = height - 1.6 * em;
  const radiusOf = columns => Math.min(width / columns / 2, (space / Math.ceil(all / columns) - 1.6 * em) / 2);
  let columns = 1;
  for (let each = 1; each <= all; ++each) columns = radiusOf(each) > radiusOf(columns) ? each : columns;
  const [radius, rows] = [0.9 * radiusOf(columns), Math.ceil(all / columns)];
  for (let i = 0; i < all; ++i) {
    const x = ((i % columns) + 0.5) * (width / columns);
    const y = 1.6 * em + (Math.floor(i / columns) + 0.5) * (space / rows) - 0.8 * em;
    const pair = dials[i];
    const ink = own => (pair.omega > 0 ? own : "unrotated");
    parts.push(`<circle cx="${x}" cy="${y}" r="${radius}" fill="none" stroke="${color("quiet")}"/>`);
    parts.push(hand(x, y, pair.k, 0.85 * radius, ink("key"), Math.max(3, radius / 7)),
               hand(x, y, pair.q, 0.95 * radius, ink("query"), Math.max(1.5, radius / 18)));
    parts.push(words(x, y + radius + 1.2 * em, String(i), "quiet", 'text-anchor="middle"'));
  }
  return parts.join("");
}

function drawn(live, first, width, height, em) {
  const content = forms[live.figure](live);
  const ghost = JSON.stringify(live) === JSON.stringify(first) ? [] : forms[first.figure](first).layers;
  if (content.dials) return { say: content.say, svg: dialsDrawing(content, width, height, em) };
  return { say: content.say, svg: chart(content, ghost, width, height, em) };
}

/** How a slider moves: ends, step, and whether equal steps are equal factors. */
function sliderOf(name, { setup, x, y, figure }) {
  return {
    theta: { label: "θ", min: 10, max: Math.max(LARGEST_THETA, setup.theta), isLog: true },
    fraction: { label: "rotated", min: 0, max: 1, step: 2 / setup.headDim, isPart: true },
    context: { label: "context", min: 16, max: Math.floor(figure === "spectrum" ? y.max : x.max), isLog: true },
    pair: { label: "pair", min: 0, max: setup.headDim / 2 - 1, step: 1 },
    distance: { label: "Δ", min: 0, max: setup.context - 1, step: 1 },
  }[name] ?? { label: name, min: 0, max: setup.context - 1, step: 1 };
}

// The page.

function startSlides() {
  const slides = Array.from(document.querySelectorAll("section"));
  const isSpeaker = location.hash === "#speaker" && window.opener !== null;
  const root = document.documentElement;
  const lives = new Map();
  const questions = new Map();
  let [other, shown, typed, began] = [window.opener, 0, "", Date.now()];

  const element = (name, className, parent, text = "") => {
    const made = parent.appendChild(document.createElement(name));
    made.className = className;
    made.textContent = text;
    return made;
  };
  const button = (parent, text, act) => {
    const made = element("button", "", parent, text);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  };
  const secretsOf = index => {
    const text = slides[index].dataset.sealed;
    return text ? unsealed(text, index + 1) : {};
  };

  // The two windows tell each other what is shown. A page that was opened from a file has no other way.
  const send = message => other && other.postMessage(message, "*");
  const tell = () => isSpeaker || send({ shown, isRevealed: questions.get(shown)?.isRevealed ?? false });
  window.addEventListener("message", ({ source, data }) => {
    if (!data || typeof data !== "object" || (isSpeaker && source !== window.opener)) return;
    if (!isSpeaker) other = source;
    if (Number.isInteger(data.shown)) show(data.shown, isSpeaker);
    if (data.isRevealed === true) questions.get(shown)?.reveal();
    if (data.isNext) next();
    if (data.isHere) tell();
  });

  function show(index, isTold = false) {
    const to = Math.max(0, Math.min(slides.length - 1, index));
    if (isSpeaker && !isTold) return send({ shown: to });
    shown = to;
    slides.forEach((slide, i) => {
      slide.classList.toggle("shown", i === shown);
      slide.classList.toggle("next", isSpeaker && i === shown + 1);
    });
    if (isSpeaker) return showNotes();
    try { history.replaceState(null, "", "#" + slides[shown].id); } catch (error) { /* some frames refuse it */ }
    place.textContent = `${shown + 1} of ${slides.length}`;
    lives.get(slides[shown])?.draw();
    slides[shown].focus({ preventScroll: true });
    tell();
  }

  /** The next slide; but first the right answer of a question that is open. */
  function next() {
    if (isSpeaker) return send({ isNext: true });
    const question = questions.get(shown);
    if (question && !question.isRevealed) question.reveal();
    else show(shown + 1);
  }

  function makeQuestion(slide, index) {
    const { ask } = secretsOf(index);
    if (!ask) return;
    const panel = slide.querySelector(".ask");
    const isChoice = ask.kind === "choice";
    const inputs = Array.from(isChoice ? panel.querySelectorAll("li") : [], (choice, i) => {
      const label = element("label", "", choice);
      const input = element("input", "", label);
      [input.type, input.name, input.value] = ["radio", slide.id, i];
      label.append(...Array.from(choice.childNodes).filter(each => each !== label));
      return input;
    });
    const row = element("p", "buttons", panel);
    let field;
    if (ask.kind === "number") {
      field = element("input", "", row);
      field.setAttribute("aria-label", ask.unit ? `Your number in ${ask.unit}` : "Your number");
      field.placeholder = "your number";
      element("span", "", row, ` ${ask.unit} `);
      field.addEventListener("keydown", event => event.key === "Enter" && judge());
    }
    const result = element("div", "result", panel);
    result.setAttribute("role", "status");
    result.tabIndex = -1;
    const question = { isRevealed: false, reveal };
    const units = JSON.parse(document.body.dataset.units);
    const given = () => (isChoice ? inputs.findIndex(each => each.checked) : parseAnswer(field.value, ask.unit, units));
    function judge() {
      let answer;
      try { answer = given(); } catch (error) { result.textContent = error.message; return; }
      if (answer === -1 && isChoice) { result.textContent = "Choose an answer first."; return; }
      if (isRight(ask, answer)) return reveal("Right.");
      const why = misunderstood(ask, answer) || "Your answer is wrong.";
      result.innerHTML = `<div>${why}</div><p>Change your answer and try again, or show the right answer.</p>`;
    }
    function reveal(verdict = "") {
      if (question.isRevealed) return;
      question.isRevealed = true;
      inputs.forEach((input, i) => {
        input.disabled = true;
        input.closest("li").classList.toggle("right", i === ask.right);
      });
      row.remove();
      result.innerHTML = (verdict ? `<b>${verdict}</b> ` : "") + ask.answer;
      fit(slide);
      if (index === shown && !isSpeaker) result.focus({ preventScroll: true });
      tell();
    }
    const canJudge = isChoice || (field && ask.truth !== undefined);
    if (canJudge) button(row, "Answer", judge);
    if (ask.hint) button(row, "Show hint", ({ target }) => {
      target.remove();
      panel.insertBefore(element("div", "hint", panel), row).innerHTML = ask.hint;
      fit(slide);
    });
    button(row, "Show the answer", () => reveal());
    questions.set(index, question);
  }

  function makeLive(slide) {
    const live = JSON.parse(slide.dataset.live);
    const first = structuredClone(live);
    const figure = slide.querySelector(".still");
    const panel = element("div", "live", figure.parentNode);
    figure.after(panel);
    const picture = element("div", "drawing", panel);
    picture.setAttribute("role", "img");
    const bar = element("div", "sliders", panel);
    const shownValue = { theta: live.setup, fraction: live.setup, context: live.setup };
    const value = name => (shownValue[name] ?? live)[name];
    const renew = [];
    function draw() {
      const [width, height] = [picture.clientWidth, picture.clientHeight];
      if (width === 0 || height === 0) return;
      const { svg, say } = drawn(live, first, width, height, parseFloat(getComputedStyle(picture).fontSize));
      picture.innerHTML = `<svg viewBox="0 0 ${width} ${height}" aria-hidden="true">${svg}</svg>`;
      picture.setAttribute("aria-label", say);
    }
    function set(name, to) {
      const { min, max, isPart, isLog } = sliderOf(name, live);
      const rounded = isPart ? to : name === "theta" ? Number(to.toPrecision(3)) : Math.round(to);
      (shownValue[name] ?? live)[name] = Math.max(min, Math.min(max, isLog || isPart ? rounded : Math.round(rounded)));
      renew.forEach(each => each());
      draw();
    }
    for (const name of live.sliders.filter(each => each !== "play")) {
      const { label, min, max, step, isLog, isPart } = sliderOf(name, live);
      const box = element("label", "", bar, label + " ");
      const slider = element("input", "", box);
      slider.type = "range";
      Object.assign(slider, isLog ? { min: Math.log(min), max: Math.log(max), step: "any" } : { min, max, step });
      const field = element("input", "", box);
      field.setAttribute("aria-label", label);
      const percent = () => `${readableCount(Number((100 * value(name)).toPrecision(4)))} %`;
      const text = () => (isPart ? percent() : readableCount(value(name)));
      slider.addEventListener("input", () => set(name, isLog ? Math.exp(slider.value) : Number(slider.value)));
      field.addEventListener("change", () => {
        let typed = value(name);
        try { typed = parseAnswer(field.value.replaceAll(",", "")) ?? typed; } catch (error) { /* the value stays */ }
        set(name, typed);
      });
      renew.push(() => {
        slider.value = isLog ? Math.log(value(name)) : value(name);
        slider.setAttribute("aria-valuetext", text());
        field.value = text();
      });
    }
    let playing = 0;
    if (live.sliders.includes("play")) button(bar, "Play", ({ target }) => {
      target.textContent = playing ? "Play" : "Stop";
      playing = playing ? clearInterval(playing) : setInterval(() => set("m", (live.m + 1) % live.setup.context), 100);
    });
    button(bar, "Reset", () => {
      Object.assign(live, structuredClone(first));
      Object.assign(shownValue, { theta: live.setup, fraction: live.setup, context: live.setup });
      renew.forEach(each => each());
      draw();
    });
    renew.forEach(each => each());
    lives.set(slide, { draw });
  }

  /** Makes the text of a slide smaller until it fits. */
  function fit(slide) {
    slide.classList.add("fitting");
    const isHigh = each => each.scrollHeight > each.clientHeight + 1;
    for (let size = 1; size > 0.4; size *= 0.94) {
      slide.style.setProperty("--fit", size);
      if (!isHigh(slide) && !Array.from(slide.querySelectorAll(".middle > *, .middle")).some(isHigh)) break;
    }
    slide.classList.remove("fitting");
  }

  function showNotes() {
    const { notes = "", ask } = secretsOf(shown);
    speaker.notes.innerHTML = notes + (ask ? `<h2>Answer</h2>${ask.answer}` : "");
    speaker.place.textContent = `${shown + 1} of ${slides.length}`;
    for (const slide of slides.slice(shown, shown + 2)) lives.get(slide)?.draw();
  }
  function makeSpeaker() {
    document.body.classList.add("speaker");
    const bar = element("header", "clock", document.body);
    const [clock, time, place] = ["", "", ""].map(text => element("span", "", bar, text));
    button(bar, "Previous", () => show(shown - 1));
    button(bar, "Next", next);
    button(bar, "Start the time anew", () => { began = Date.now(); tick(); });
    const notes = element("div", "notes", document.body);
    const planned = Number(document.body.dataset.minutes);
    function tick() {
      const seconds = Math.floor((Date.now() - began) / 1000);
      clock.textContent = new Date().toTimeString().slice(0, 5);
      time.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}` +
                         (planned ? ` of ${planned} min` : "");
    }
    setInterval(tick, 1000);
    tick();
    return { notes, place };
  }

  const changeTheme = () => {
    const preferred = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = (root.dataset.theme ?? preferred) === "dark" ? "light" : "dark";
  };
  const openSpeaker = () => {
    other = window.open(location.href.split("#")[0] + "#speaker", "ropelab-speaker", "width=1280,height=800");
  };
  const before = () => show(shown - 1);
  const blank = () => document.body.classList.toggle("blank");
  const acts = {
    ArrowRight: next, ArrowDown: next, PageDown: next, " ": next,
    ArrowLeft: before, ArrowUp: before, PageUp: before, Backspace: before,
    Home: () => show(0), End: () => show(slides.length - 1),
    t: changeTheme, n: openSpeaker, b: blank, ".": blank, f: () => root.requestFullscreen?.(),
    Enter: () => typed && show(slides.findIndex(each => each.dataset.scene === typed)),
  };
  document.addEventListener("keydown", event => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.closest("input") && !event.key.startsWith("Page")) return;
    if (event.target.closest("button, a, summary") && [" ", "Enter"].includes(event.key)) return;
    if (/^\d$/.test(event.key)) typed += event.key;
    const act = acts[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
    if (!/^\d$/.test(event.key)) typed = "";
    jump.textContent = typed ? `scene ${typed}: press Return` : "";
  });

  const isControl = target => target.closest("input, button, a, label, summary, nav, .notes, .clock, .sliders");
  document.addEventListener("click", event => {
    if (isControl(event.target) || String(getSelection()) !== "" || isSpeaker) return;
    if (event.clientX < 0.2 * innerWidth) before();
    else next();
  });
  let touch = null;
  document.addEventListener("touchstart", event => { touch = isControl(event.target) ? null : event.touches[0]; });
  document.addEventListener("touchend", event => {
    const way = touch ? event.changedTouches[0].clientX - touch.clientX : 0;
    if (Math.abs(way) < 50) return;
    event.preventDefault();  // no click follows
    if (way < 0) next();
    else before();
  }, { passive: false });
  addEventListener("resize", () => lives.get(slides[shown])?.draw());

  const bar = document.querySelector("nav");
  button(bar, "Previous", before);
  const place = element("span", "", bar);
  button(bar, "Next", next);
  button(bar, "Speaker view", openSpeaker);
  button(bar, "Light or dark", changeTheme);
  const jump = element("span", "", bar);
  jump.setAttribute("role", "status");
  const target = id => slides.findIndex(each => each.id === id || each.querySelector(`[id="${CSS.escape(id)}"]`));
  bar.querySelectorAll("a").forEach(link => link.addEventListener("click", event => {
    event.preventDefault();
    bar.querySelector("details").open = false;
    show(target(link.getAttribute("href").slice(1)));
  }));
  addEventListener("hashchange", () => show(target(decodeURIComponent(location.hash.slice(1)))));

  document.body.classList.add("paged");
  const speaker = isSpeaker ? makeSpeaker() : null;
  slides.forEach((slide, i) => {
    slide.tabIndex = -1;
    makeQuestion(slide, i);
    if (slide.dataset.live) makeLive(slide);
  });
  document.fonts.ready.then(() => {
    slides.forEach(fit);
    lives.get(slides[shown])?.draw();
  });
  if (isSpeaker) send({ isHere: true });
  else show(target(decodeURIComponent(location.hash.slice(1))));
}

if (typeof document !== "undefined") startSlides();
