/**
 * Defines how one setting is read, from an environment variable (text) or the configuration file (JSON). Both forms
 * accept the same values. A reader returns the value, or undefined if it is not acceptable.
 */

import { GIB, MIB } from '@tapeloom/core/units';

export interface Setting<T> {
  /** Name in the environment; the file has the same name in camelCase without the prefix. */
  readonly variable: string;
  readonly key: string;
  readonly fallback: T;
  /** The accepted values, for people: `a whole number from 0 to 65535`. */
  readonly accepts: string;
  /** The variable that names a file with the value, so that a secret need not be in the environment. */
  readonly fileVariable?: string;
  /** Whether the raw value must not be shown, even if it is wrong. */
  readonly isSecret?: boolean | ((raw: unknown) => boolean);
  /** The value, or undefined if it is not accepted. */
  read(raw: unknown): T | undefined;
}

interface Named<T> {
  readonly variable: string;
  readonly fallback: T;
}

const PREFIX = 'TAPELOOM_';
const PLAIN_WHOLE = /^(?:0|[1-9]\d{0,15})$/;
const BYTES_TEXT = /^([1-9]\d{0,15})(KiB|MiB|GiB|TiB)$/;
const BYTE_UNITS: Readonly<Record<string, number>> = {
  KiB: 1024,
  MiB: MIB,
  GiB: GIB,
  TiB: 1024 ** 4,
};

function setting<T>(
  named: Named<T>,
  accepts: string,
  read: (raw: unknown) => T | undefined,
): Setting<T> {
  const { variable, fallback } = named;
  return { variable, key: keyOf(variable), fallback, accepts, read };
}

export function keyOf(variable: string): string {
  const words = variable.slice(PREFIX.length).toLowerCase();
  return words.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function wholeNumber(named: Named<number>, least: number, most: number): Setting<number> {
  return setting(named, `a whole number from ${least} to ${most}`, (raw) => {
    const value = numberOf(raw, PLAIN_WHOLE);
    return Number.isSafeInteger(value) && value >= least && value <= most ? value : undefined;
  });
}

export function decimalNumber(named: Named<number>, least: number, most: number): Setting<number> {
  return setting(named, `a number from ${least} to ${most}`, (raw) => {
    const value = numberOf(raw, /^\d{1,9}(?:\.\d{1,9})?$/);
    return value >= least && value <= most ? value : undefined;
  });
}

/** Plain bytes, or with a binary unit: `512MiB`. */
export function byteCount(named: Named<number>): Setting<number> {
  const accepts = 'a number of bytes such as 0, 1073741824, 512MiB, 2GiB or 1TiB';
  return setting(named, accepts, (raw) => {
    const [, digits, unit] = (typeof raw === 'string' && BYTES_TEXT.exec(raw)) || [];
    const value =
      digits === undefined ? numberOf(raw, PLAIN_WHOLE) : Number(digits) * BYTE_UNITS[unit!]!;
    return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  });
}

export function text<T extends string | null>(
  named: Named<T>,
  accepts: string,
  accept: (value: string) => boolean,
): Setting<T> {
  return setting(named, accepts, (raw) =>
    typeof raw === 'string' && accept(raw) ? (raw as T) : undefined,
  );
}

export function secretText<T extends string | null>(
  named: Named<T>,
  accepts: string,
  accept: (value: string) => boolean,
): Setting<T> {
  return { ...text(named, accepts, accept), isSecret: true };
}

export function oneOf<T extends string>(named: Named<T>, values: readonly T[]): Setting<T> {
  return setting(named, `one of ${values.join(', ')}`, (raw) =>
    values.find((value) => value === raw),
  );
}

/** Texts separated by commas, or an array of texts in the file; every one must be valid. */
export function listOf<T>(
  named: Named<readonly T[]>,
  accepts: string,
  parse: (item: string) => T | null,
): Setting<readonly T[]> {
  return setting(named, accepts, (raw) => {
    const parsed = itemsOf(raw)?.map((item) => (typeof item === 'string' ? parse(item) : null));
    return parsed?.every((item) => item !== null) ? parsed : undefined;
  });
}

function itemsOf(raw: unknown): readonly unknown[] | null {
  if (Array.isArray(raw)) return raw;
  if (typeof raw !== 'string') return null;
  return raw.trim() === '' ? [] : raw.split(',').map((item) => item.trim());
}

/** A JSON number, or a text in the given plain form; NaN otherwise. */
function numberOf(raw: unknown, plain: RegExp): number {
  if (typeof raw === 'number') return raw;
  return typeof raw === 'string' && plain.test(raw) ? Number(raw) : Number.NaN;
}
