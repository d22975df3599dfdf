/** A short name of a browser for its owner. The header itself is not stored: it holds more than is needed. */

/** The first match counts; many browsers name others as well. */
const BROWSERS: readonly (readonly [string, RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\b(?:OPR|Opera)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
];
const SYSTEMS: readonly (readonly [string, RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];
const UNKNOWN = 'An unknown browser';

/** `Firefox on Linux`. */
export function browserName(userAgent: string | undefined): string {
  const text = userAgent ?? '';
  const browser = BROWSERS.find(([, mark]) => mark.test(text))?.[0] ?? UNKNOWN;
  const system = SYSTEMS.find(([, mark]) => mark.test(text))?.[0];
  return system === undefined ? browser : `${browser} on ${system}`;
}
