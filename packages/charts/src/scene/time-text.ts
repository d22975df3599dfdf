/**
 * Times in words, in the zone that a reader chose. The offset of a zone is asked once per quarter of an hour, since
 * formatting a time is slow and a frame writes many.
 */

import type { TimeZoneChoice } from '../spec/chart-spec.ts';
import { dateText } from './date-text.ts';
import type { TimeText } from './scene-types.ts';

const SECOND_NS = 1_000_000_000n;
/** Offsets change at full quarters of an hour only. */
const QUARTER = 900;
const KEPT_MAX = 20_000;

/** `exchangeZone`: its IANA name; null: unknown, so exchange time is UTC. */
export function timeTexts(choice: TimeZoneChoice, exchangeZone: string | null): TimeText {
  const zone =
    choice === 'utc' ? 'UTC' : choice === 'exchange' ? (exchangeZone ?? 'UTC') : localZone();
  const isExchange = choice === 'exchange' && exchangeZone !== null;
  const offsetAt = offsets(zone);
  const localSeconds = (ns: bigint) => {
    const seconds = Number(ns / SECOND_NS);
    return seconds + offsetAt(seconds);
  };
  return {
    localSeconds,
    clock: (ns, hasSeconds = false) => clockText(localSeconds(ns), hasSeconds),
    day: (ns) => dateText(new Date(localSeconds(ns) * 1000)),
    zone: zone === 'UTC' ? 'UTC' : zoneName(zone),
    zoneTitle: isExchange ? 'Exchange time' : choice === 'local' ? 'Local time' : 'UTC',
  };
}

function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** CT */
function zoneName(timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'shortGeneric' });
  const name = parts.formatToParts(0).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  // Zones without an abbreviation have a long name, such as "Brazil Time": then the offset is shorter.
  if (name !== '' && name.length <= 5) return name;
  const short = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'shortOffset' });
  return short.formatToParts(0).find(({ type }) => type === 'timeZoneName')?.value ?? name;
}

function offsets(timeZone: string): (seconds: number) => number {
  if (timeZone === 'UTC') return () => 0;
  const known = new Map<number, number>();
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return (seconds) => {
    const quarter = Math.floor(seconds / QUARTER);
    const offset = known.get(quarter) ?? offsetOf(format, quarter * QUARTER);
    if (known.size > KEPT_MAX) known.clear();
    known.set(quarter, offset);
    return offset;
  };
}

/** Seconds east of UTC, from "GMT-06:00". */
function offsetOf(format: Intl.DateTimeFormat, seconds: number): number {
  const name = format
    .formatToParts(seconds * 1000)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const match = /GMT([+-])(\d+):(\d+)(?::(\d+))?/.exec(name ?? '');
  if (match === null) return 0;
  const size = Number(match[2]) * 3600 + Number(match[3]) * 60 + Number(match[4] ?? 0);
  return match[1] === '-' ? -size : size;
}

function clockText(localSeconds: number, hasSeconds: boolean): string {
  const ofDay = ((localSeconds % 86_400) + 86_400) % 86_400;
  const pair = (value: number) => String(value).padStart(2, '0');
  const minutes = `${pair(Math.floor(ofDay / 3600))}:${pair(Math.floor(ofDay / 60) % 60)}`;
  return hasSeconds ? `${minutes}:${pair(Math.floor(ofDay) % 60)}` : minutes;
}
