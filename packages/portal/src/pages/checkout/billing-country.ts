/** Country names, and the buyer's probable country. */

import type { OrderView, PricingView } from '../../api/portal-shapes.ts';

const NAMES = new Intl.DisplayNames('en', { type: 'region' });

export function countryName(code: string): string {
  return NAMES.of(code) ?? code;
}

export function countryOptions({ countries }: PricingView): readonly {
  readonly value: string;
  readonly label: string;
}[] {
  return countries
    .map(({ code }) => ({ value: code, label: countryName(code) }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'));
}

/** The newest order's country, else that of the browser's language; empty if unknown. */
export function likelyCountry(
  { countries }: PricingView,
  orders: readonly OrderView[],
  languages: readonly string[],
): string {
  const regions = languages.map((language) => regionOf(language));
  const guesses = [orders[0]?.country, ...regions];
  return guesses.find((code) => countries.some((country) => country.code === code)) ?? '';
}

function regionOf(language: string): string | undefined {
  try {
    return new Intl.Locale(language).region;
  } catch {
    return undefined;
  }
}
