/**
 * The daily rhythm of a product: its trading intensity at a minute of a UTC day. A quiet Asian night with Tokyo's open,
 * London's open, the American morning, a U-shaped regular session with peaks at open and close, economic releases on
 * some days, a thin evening. A pure function of seed and day.
 */

import { dayOfMonth, londonToUtcMinutes, newYorkToUtcMinutes, weekday } from './daylight.ts';
import type { SimProfile } from './profile.ts';
import { keyedUnit, mixKey, textKey } from './random.ts';

const RELEASE_KEY = textKey('release');
const EVENING_NY_MINUTE = 18 * 60;
const WEEKEND_PEAK_MINUTE = 15 * 60;
const DAY_MINUTES = 24 * 60;

/** The begin of the parts of one UTC day, in minutes since its midnight. */
export interface DayAnchors {
  /** End of the weekend within this day: the whole Saturday, Sunday until New York's evening. */
  readonly weekendUntil: number;
  /** The regular American session; null on a day without one. */
  readonly us: { readonly open: number; readonly close: number } | null;
  readonly londonOpen: number;
  readonly preOpen: number;
  readonly evening: number;
  readonly releases: readonly Release[];
}

interface Release {
  readonly minute: number;
  readonly strength: number;
}

/** `base` is the ordinary intensity, `release` the addition from news. The object is reused. */
export interface Intensity {
  base: number;
  release: number;
}

export function dayAnchors(
  seed: number,
  profile: SimProfile,
  day: number,
  regular: { readonly open: number; readonly close: number } | null,
): DayAnchors {
  const newYork = newYorkToUtcMinutes(day);
  const evening = EVENING_NY_MINUTE + newYork;
  return {
    weekendUntil: weekendUntil(day, evening),
    us: regular,
    londonOpen: 480 + londonToUtcMinutes(day),
    preOpen: 480 + newYork,
    evening,
    releases: regular === null ? [] : releasesOf(seed, profile, day, newYork),
  };
}

function weekendUntil(day: number, evening: number): number {
  if (weekday(day) === 6) return DAY_MINUTES;
  return weekday(day) === 0 ? evening : 0;
}

export function intensityAt(
  profile: SimProfile,
  anchors: DayAnchors,
  minute: number,
  out: Intensity,
): void {
  const { rhythm } = profile;
  out.release = 0;
  if (minute < anchors.weekendUntil) {
    const bow = (minute - WEEKEND_PEAK_MINUTE) / WEEKEND_PEAK_MINUTE;
    out.base = rhythm.asia * rhythm.weekend * (1.3 - 0.6 * bow * bow);
    return;
  }
  const { us } = anchors;
  if (minute >= anchors.evening) {
    out.base = rhythm.asia * (1 + 0.9 / (1 + (minute - anchors.evening) / 20));
  } else if (us !== null && minute >= us.close) {
    out.base = rhythm.afterHours * (1 + 2 / (1 + (minute - us.close) / 6));
  } else {
    out.base = overnight(profile, anchors, minute);
    if (us !== null && minute >= us.open) out.base += regularHours(profile, us, minute);
    else if (us === null) out.base *= 0.55;
    else if (minute >= anchors.preOpen) out.base += 0.14 * rhythm.usDay;
  }
  for (let i = 0; i < anchors.releases.length; i += 1) {
    const { minute: at, strength } = anchors.releases[i]!;
    if (minute < at) continue;
    const decay = 1 + (minute - at) / 5;
    out.release += strength / (decay * decay);
  }
}

function overnight(profile: SimProfile, anchors: DayAnchors, minute: number): number {
  const { asia, europe } = profile.rhythm;
  const tokyo = asia * (1 + 0.8 / (1 + minute / 30));
  const sinceLondon = minute - anchors.londonOpen;
  if (sinceLondon < 0) return tokyo;
  const fade = Math.min(1, Math.max(0.3, 1 - (minute - 930) / 170));
  return Math.max(asia, europe * (0.55 + 0.45 / (1 + sinceLondon / 40)) * fade);
}

function regularHours(
  profile: SimProfile,
  us: { readonly open: number; readonly close: number },
  minute: number,
): number {
  const { usDay, usOpenPeak, usClosePeak } = profile.rhythm;
  const bow = (2 * (minute - us.open)) / (us.close - us.open) - 1;
  const opening = 1 + (minute - us.open) / 14;
  const closing = Math.max(0, 1 - (us.close - minute) / 30);
  return (
    usDay * (0.42 + 0.5 * bow * bow + usOpenPeak / (opening * opening)) +
    usDay * usClosePeak * closing * closing
  );
}

/** Economic releases fall on the same days for every product, each with its own strength. */
function releasesOf(seed: number, profile: SimProfile, day: number, newYork: number): Release[] {
  const { releases, inventories } = profile.rhythm;
  const key = mixKey(mixKey(seed, RELEASE_KEY), day);
  const found: Release[] = [];
  const isWednesday = weekday(day) === 3;
  const isPayrolls = weekday(day) === 5 && dayOfMonth(day) <= 7;
  if (isPayrolls) found.push({ minute: 510 + newYork, strength: 1.7 * releases });
  else if (keyedUnit(key, 1) < 0.45) {
    found.push({ minute: 510 + newYork, strength: (0.3 + 0.9 * keyedUnit(key, 2)) * releases });
  }
  if (keyedUnit(key, 3) < 0.3) {
    found.push({ minute: 600 + newYork, strength: (0.2 + 0.5 * keyedUnit(key, 4)) * releases });
  }
  if (isWednesday && inventories > 0) {
    found.push({ minute: 630 + newYork, strength: (0.6 + 0.8 * keyedUnit(key, 5)) * inventories });
  }
  const isRateDecision = isWednesday && Math.trunc((day - 3) / 7) % 6 === 2;
  if (isRateDecision) found.push({ minute: 840 + newYork, strength: 1.8 * releases });
  return found;
}
