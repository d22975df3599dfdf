/**
 * Times are nanoseconds since 1970-01-01 UTC, as bigint. These functions convert them to and from the types that
 * programs use. `Temporal` is optional.
 */

import { TapeloomError } from './tapeloom-error.ts';

const NS_PER_MS = 1_000_000n;
const NANOSECONDS = /^\d{1,20}$/;
const TIME =
  /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2})))?$/i;

/** A moment: nanoseconds (bigint or text), an RFC 3339 time, a date (midnight UTC), a Date or a Temporal.Instant. */
export type Time = string | bigint | Date | { readonly epochNanoseconds: bigint };

/** `Temporal.Instant` if the compiler knows it, else the part of it that is used here. */
export type Instant = typeof globalThis extends {
  Temporal: { Instant: { fromEpochNanoseconds(ns: bigint): infer Known } };
}
  ? Known
  : { readonly epochNanoseconds: bigint; toString(): string };

/** Nanoseconds since 1970. Throws `CONFIGURATION` for anything that is not a time. */
export function nsOf(time: Time): bigint {
  if (typeof time === 'bigint') return time;
  if (typeof time === 'string') return nsOfText(time);
  if (time instanceof Date) return BigInt(checkedMs(time)) * NS_PER_MS;
  if (typeof time === 'object' && typeof time?.epochNanoseconds === 'bigint') {
    return time.epochNanoseconds;
  }
  throw noTime(time);
}

/** As `Date`, which is precise to milliseconds: finer digits are cut off. */
export function dateOf(ns: bigint): Date {
  const rest = ns % NS_PER_MS;
  return new Date(Number((ns - (rest < 0n ? rest + NS_PER_MS : rest)) / NS_PER_MS));
}

/** As `Temporal.Instant`. Throws `CONFIGURATION` if the platform has no Temporal; `dateOf` works everywhere. */
export function instantOf(ns: bigint): Instant {
  const temporal = (
    globalThis as {
      readonly Temporal?: {
        readonly Instant: { fromEpochNanoseconds(ns: bigint): unknown };
      };
    }
  ).Temporal;
  if (temporal === undefined) {
    throw new TapeloomError(
      'CONFIGURATION',
      'This platform has no Temporal: use dateOf(), or load a polyfill of Temporal before.',
    );
  }
  return temporal.Instant.fromEpochNanoseconds(ns) as Instant;
}

/** As the service accepts it. A text is sent unchanged: the service validates it and names the field. */
export function timeText(time: Time): string {
  return typeof time === 'string' ? time : String(nsOf(time));
}

function nsOfText(text: string): bigint {
  if (NANOSECONDS.test(text)) return BigInt(text);
  const [, date, clock = '00:00:00', fraction = '', sign, hours, minutes] = TIME.exec(text) ?? [];
  const ms = date === undefined ? Number.NaN : Date.parse(`${date}T${clock}Z`);
  // Date accepts the 30th of February as a day of March: if the text differs afterwards, the date is invalid.
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(`${date}T${clock}`)) {
    throw noTime(text);
  }
  if (Number(hours ?? 0) > 23 || Number(minutes ?? 0) > 59) throw noTime(text);
  const offset =
    (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -60_000 : 60_000);
  return BigInt(ms - offset) * NS_PER_MS + BigInt(fraction.padEnd(9, '0'));
}

function checkedMs(date: Date): number {
  const ms = date.getTime();
  if (Number.isNaN(ms)) throw noTime(date);
  return ms;
}

function noTime(value: unknown): TapeloomError {
  return new TapeloomError(
    'CONFIGURATION',
    `${typeof value === 'string' ? JSON.stringify(value) : String(value)} is not a time: give nanoseconds since 1970 as bigint or text, an RFC 3339 time, a date YYYY-MM-DD, a Date or a Temporal.Instant.`,
  );
}
