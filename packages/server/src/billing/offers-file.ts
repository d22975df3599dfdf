/**
 * Reads the operator's file of prices, countries and the waiver: the content of `GET /v1/pricing`. Every field is
 * required and checked. All faults are reported at once, each with the field, the value and what is accepted.
 */

import { WITHDRAWAL_DAYS_MAX, type WithdrawalTerms } from '@tapeloom/core/entitlement/withdrawal';
import { jsonFault } from '@tapeloom/core/json-fault';
import { didYouMean } from '../config/nearest-name.ts';
import type { Price, Waiver } from './offer-book.ts';
import { intervalOf, OFFER_IDS, type OfferId, PROVIDER_NAMES, type Pricing } from './offers.ts';

const AMOUNT_MINOR_MAX = 100_000_000;
const WAIVER_CHARACTERS_MAX = 10_000;
const VERSION_TEXT = /^[0-9A-Za-z][0-9A-Za-z.-]{0,31}$/;
const READ_CHARACTERS_MAX = 60;
const LOST_AT: readonly string[] = ['access', 'never'];
const REFUNDS: readonly string[] = ['rest', 'all'];
/** Two-letter codes that are in use, but are no countries of ISO 3166-1. */
const NO_COUNTRIES: Readonly<Record<string, string>> = {
  UK: ' (the United Kingdom is GB)',
  EL: ' (Greece is GR)',
  EU: ' (enter the countries of the European Union one by one)',
  EZ: '',
  UN: '',
  ZZ: '',
};
/** Characters other than line breaks that are invisible or change the text direction. */
const HIDDEN = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** The file's content, or all of its faults, one sentence each: `/currency: …`. */
export type PricingReading =
  | { readonly pricing: Pricing }
  | { readonly faults: readonly [string, ...string[]] };

export function readPricing(text: string): PricingReading {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return { faults: [`no JSON: ${jsonFault(text)}`] };
  }
  const reader = new PricingReader();
  const pricing = reader.pricing(content);
  const [first, ...others] = reader.faults;
  return first === undefined ? { pricing } : { faults: [first, ...others] };
}

class PricingReader {
  readonly faults: string[] = [];

  pricing(content: unknown): Pricing {
    const names = ['currency', 'taxIncluded', 'prices', 'countries', 'waiver'];
    const fields = this.#fields('', content, names);
    return {
      currency: this.#text(fields, '/currency', isCurrency, CURRENCY),
      taxIncluded: this.#taxIncluded(fields),
      prices: this.#prices(fields),
      countries: this.#countries(fields),
      waiver: this.#waiver(fields),
    };
  }

  #taxIncluded(fields: Fields): boolean {
    const value = fields.taxIncluded;
    if (typeof value === 'boolean') return value;
    this.#refuse('/taxIncluded', value, 'true (prices are what customers pay) or false');
    return true;
  }

  #prices(fields: Fields): readonly Price[] {
    const entries = this.#list(fields, '/prices', 'a list with one price for each offer');
    if (entries === null) return [];
    const prices = entries.map((entry, index) => this.#price(`/prices/${index}`, entry));
    const offers = prices.map(({ offer }) => offer);
    for (const offer of OFFER_IDS) {
      const count = offers.filter((it) => it === offer).length;
      if (count === 0 && !offers.includes(null)) {
        this.faults.push(`/prices: the offer "${offer}" has no price; both offers need one.`);
      }
      if (count > 1)
        this.faults.push(`/prices: the offer "${offer}" has ${count} prices; it needs one.`);
    }
    // In the order of the offers, not of the file.
    return OFFER_IDS.flatMap((id) => prices.filter(({ offer }) => offer === id) as Price[]);
  }

  #price(path: string, entry: unknown) {
    const names = ['offer', 'amountMinor', 'interval', 'waiver', 'withdrawal'];
    const fields = this.#fields(path, entry, names);
    const offer = OFFER_IDS.find((id) => id === fields.offer) ?? null;
    if (offer === null) {
      this.#refuse(`${path}/offer`, fields.offer, oneOf(OFFER_IDS));
    } else {
      this.#checkInterval(`${path}/interval`, fields.interval, offer);
    }
    const amountMinor = fields.amountMinor;
    const isAmount = Number.isSafeInteger(amountMinor) && isBetween(amountMinor as number);
    if (!isAmount) {
      const accepted = `a whole number of the currency's smallest unit from 1 to ${AMOUNT_MINOR_MAX} (7900 is 79.00)`;
      this.#refuse(`${path}/amountMinor`, amountMinor, accepted);
    }
    return {
      offer,
      amountMinor: amountMinor as number,
      interval: offer === null ? null : intervalOf(offer),
      ...(fields.waiver === undefined ? {} : { waiver: this.#waiver(fields, path) }),
      ...(fields.withdrawal === undefined ? {} : { withdrawal: this.#withdrawal(fields, path) }),
    };
  }

  #checkInterval(path: string, interval: unknown, offer: OfferId): void {
    const expected = intervalOf(offer);
    if (interval === expected) return;
    const how = expected === null ? 'is paid once' : 'is paid every month';
    this.#refuse(path, interval, `${JSON.stringify(expected)}, as "${offer}" ${how}`);
  }

  #countries(fields: Fields): readonly Country[] {
    const accepted = 'a list of countries, each { "code": "DE", "provider": "test" }';
    const entries = this.#list(fields, '/countries', accepted);
    if (entries === null) return [];
    if (entries.length === 0) this.faults.push(`/countries must be ${accepted}; got [].`);
    const firsts = new Map<string, number>();
    const countries = entries.map((entry, index) => {
      const path = `/countries/${index}`;
      const country = this.#country(path, entry);
      const first = firsts.getOrInsert(country.code, index);
      if (first !== index && country.code !== '') {
        this.faults.push(`${path}/code: ${country.code} is already at /countries/${first}.`);
      }
      return country;
    });
    return countries.sort((a, b) => (a.code < b.code ? -1 : 1));
  }

  #country(path: string, entry: unknown): Country {
    const fields = this.#fields(path, entry, ['code', 'provider']);
    const { code } = fields;
    const isWritten = typeof code === 'string';
    if (!(isWritten && isCountry(code))) {
      const hint = isWritten ? (NO_COUNTRIES[code.toUpperCase()] ?? '') : '';
      const accepted = `a country of ISO 3166-1 in two capital letters such as "DE"${hint}`;
      this.#refuse(`${path}/code`, code, accepted);
    }
    const provider = PROVIDER_NAMES.find((name) => name === fields.provider);
    if (provider === undefined) {
      this.#refuse(`${path}/provider`, fields.provider, oneOf(PROVIDER_NAMES));
    }
    return { code: isWritten ? code : '', provider: provider ?? PROVIDER_NAMES[0] };
  }

  /** A one-time purchase has no end, so no proportional refund can be computed. */
  #withdrawal(fields: Fields, of: string): WithdrawalTerms {
    const path = `${of}/withdrawal`;
    const inner = this.#fields(path, fields.withdrawal, ['days', 'lostAt', 'refund']);
    const { days } = inner;
    const isDays = Number.isSafeInteger(days) && isDaysCount(days as number);
    if (!isDays && inner !== NOTHING) {
      const accepted = `a whole number of days from 0 (no right of withdrawal) to ${WITHDRAWAL_DAYS_MAX}`;
      this.#refuse(`${path}/days`, days, accepted);
    }
    const refunds = fields.interval === 'month' ? REFUNDS : ['all'];
    const isLostAt = (text: string) => LOST_AT.includes(text);
    const isRefund = (text: string) => refunds.includes(text);
    return {
      days: days as number,
      lostAt: this.#text(inner, `${path}/lostAt`, isLostAt, oneOf(LOST_AT)) as 'access',
      refund: this.#text(inner, `${path}/refund`, isRefund, oneOf(refunds)) as 'all',
    };
  }

  #waiver(fields: Fields, of = ''): Waiver {
    const path = `${of}/waiver`;
    const inner = this.#fields(path, fields.waiver, ['version', 'text']);
    const isVersion = (text: string) => VERSION_TEXT.test(text);
    const version = 'up to 32 letters, digits, dots and dashes, such as "2026-11-1"';
    const text = `a text of 1 to ${WAIVER_CHARACTERS_MAX} characters, its paragraphs separated by "\\n\\n", without other control characters`;
    return {
      version: this.#text(inner, `${path}/version`, isVersion, version),
      text: this.#text(inner, `${path}/text`, isWaiverText, text),
    };
  }

  #text(
    fields: Fields,
    path: string,
    isAccepted: (text: string) => boolean,
    accepted: string,
  ): string {
    const value = fields[path.slice(path.lastIndexOf('/') + 1)];
    if (typeof value === 'string' && isAccepted(value)) return value;
    // A missing object is reported once, not for each of its fields.
    if (fields !== NOTHING) this.#refuse(path, value, accepted);
    return '';
  }

  #list(fields: Fields, path: string, accepted: string): readonly unknown[] | null {
    const value = fields[path.slice(1)];
    if (Array.isArray(value)) return value;
    if (fields !== NOTHING) this.#refuse(path, value, accepted);
    return null;
  }

  #fields(path: string, value: unknown, names: readonly string[]): Fields {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.#refuse(path, value, `an object with ${names.join(', ')}`);
      return NOTHING;
    }
    for (const name of Object.keys(value)) {
      if (names.includes(name)) continue;
      const near = didYouMean(name, names);
      const told = near === '' ? ` There are ${names.join(', ')}.` : near;
      this.faults.push(`${path}/${shown(name).slice(1, -1)} is not a field here.${told}`);
    }
    return value as Fields;
  }

  #refuse(path: string, value: unknown, accepted: string): void {
    const where = path === '' ? 'the file' : path;
    this.faults.push(
      value === undefined
        ? `${where} is missing; it must be ${accepted}.`
        : `${where} must be ${accepted}; got ${shown(value)}.`,
    );
  }
}

type Country = Pricing['countries'][number];
type Fields = Readonly<Record<string, unknown>>;
const NOTHING: Fields = {};

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));
const CURRENCY =
  'a currency of ISO 4217 whose smallest unit is the same in browsers and at providers, such as "EUR"';
/** Decimal digits as payment providers count them; two for all other currencies. */
const PROVIDERS_DIGITS = new Map([
  ...'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ').map(digitsAre(0)),
  ...'BHD JOD KWD OMR TND'.split(' ').map(digitsAre(3)),
]);
const REGIONS = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/**
 * Rejects currencies whose digits differ between browsers and providers, such as `HUF` and `ISK`: customers would see a
 * hundred times the charge, or a hundredth of it.
 */
function isCurrency(text: string): boolean {
  if (!CURRENCIES.has(text)) return false;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: text });
  return format.resolvedOptions().maximumFractionDigits === (PROVIDERS_DIGITS.get(text) ?? 2);
}

function digitsAre(digits: number): (currency: string) => [string, number] {
  return (currency) => [currency, digits];
}

function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && !(code in NO_COUNTRIES) && REGIONS.of(code) !== undefined;
}

function isDaysCount(days: number): boolean {
  return days >= 0 && days <= WITHDRAWAL_DAYS_MAX;
}

function isBetween(amountMinor: number): boolean {
  return amountMinor >= 1 && amountMinor <= AMOUNT_MINOR_MAX;
}

function isWaiverText(text: string): boolean {
  return text.trim() !== '' && text.length <= WAIVER_CHARACTERS_MAX && !HIDDEN.test(text);
}

function oneOf(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(' or ');
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= READ_CHARACTERS_MAX ? text : `${text.slice(0, READ_CHARACTERS_MAX)}…`;
}
