/**
 * The plan of one product's week: for each slice its open time, expected prints, price variance, and fair price at its
 * edges. All contracts of the product share it. It is a pure function of seed, profile and the calendar's sessions.
 */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import { resolveSessions } from '@tapeloom/core/calendar/resolve-sessions';
import type { SessionKind } from '@tapeloom/core/calendar/session';
import { DAY_NS, MINUTE_NS } from '@tapeloom/core/units';
import { dayFromNumber, epochNs } from '@tapeloom/core/utc-day';
import { newYorkToUtcMinutes, weekday } from './daylight.ts';
import { weekPath } from './fair-value.ts';
import type { SimProfile } from './profile.ts';
import { keyedNormal, keyedUnit, mixKey, textKey } from './random.ts';
import { type DayAnchors, dayAnchors, type Intensity, intensityAt } from './rhythm.ts';
import { SLICE_NS, SLICES_PER_DAY, SLICES_PER_WEEK, weekFirstDay } from './slice.ts';

const SLICE_MINUTES = SLICE_NS / MINUTE_NS;
const WAVE_SLICES = 8;
const ACTIVITY_KEY = textKey('activity');
/** A Tuesday in summer with all parts: the sum of its intensity is that of a regular day. */
const REFERENCE_DAY = 20_619;
/** Variance of the jump over a closed market, in units of a regular day: overnight, and over a weekend. */
const BREAK_VARIANCE = 0.006;
const WEEKEND_VARIANCE = 0.05;
const WEEKEND_NS = DAY_NS;

export interface WeekPlan {
  /** The slice's open time, nanoseconds since the week's start; both 0 when it is closed. */
  readonly openNs: Float64Array;
  readonly closeNs: Float64Array;
  /** Expected prints, in units of a regular day's. */
  readonly activity: Float64Array;
  /** Share of the slice's density at its start: 0.5 is even, more is front-loaded. */
  readonly lead: Float64Array;
  /** Variance of the fair price's return over the slice, in units of a regular day's. */
  readonly variance: Float64Array;
  /** Returns at the slices' edges. */
  readonly path: Float64Array;
  /** 1 for the slice in which a session opens with an auction, 2 for the one in which regular hours close. */
  readonly auction: Uint8Array;
}

export function planWeek(
  seed: number,
  profile: SimProfile,
  calendar: Calendar,
  week: number,
): WeekPlan {
  const firstDay = weekFirstDay(week);
  const plan = {
    openNs: new Float64Array(SLICES_PER_WEEK),
    closeNs: new Float64Array(SLICES_PER_WEEK),
    activity: new Float64Array(SLICES_PER_WEEK),
    lead: new Float64Array(SLICES_PER_WEEK),
    variance: new Float64Array(SLICES_PER_WEEK),
    auction: new Uint8Array(SLICES_PER_WEEK),
  };
  const regular = spansOf(calendar, 'rth', firstDay);
  // A market that never closes has no closing auction.
  const closes = profile.rhythm.weekend > 0 ? [] : regular;
  markOpen(plan, spansOf(calendar, 'full', firstDay), closes);
  for (let d = 0; d < 7; d += 1) {
    const anchors = anchorsOf(seed, profile, firstDay + d, regular, d);
    fillDay(seed, profile, anchors, firstDay + d, d, plan);
  }
  return { ...plan, path: weekPath(seed, profile, week, plan.variance) };
}

interface Span {
  readonly openNs: number;
  readonly closeNs: number;
  /** Closed time before it; 0 when the previous session ends at its open. */
  readonly pauseNs: number;
}

/** The sessions of a calendar that overlap a week, in nanoseconds since its start. */
function spansOf(calendar: Calendar, kind: SessionKind, firstDay: number): Span[] {
  const start = epochNs(dayFromNumber(firstDay), 0);
  // Starts early enough for the longest closed time, a weekend with holidays on both sides, which gives `pauseNs`.
  const from = dayFromNumber(firstDay - 5);
  const sessions = resolveSessions(calendar, kind, from, dayFromNumber(firstDay + 7));
  return sessions.map((session, index) => ({
    openNs: Number(session.open - start),
    closeNs: Number(session.close - start),
    pauseNs: index === 0 ? 0 : Number(session.open - sessions[index - 1]!.close),
  }));
}

type OpenPlan = Omit<WeekPlan, 'path'>;

function markOpen(plan: OpenPlan, full: readonly Span[], regular: readonly Span[]): void {
  for (const span of full) {
    const first = Math.max(0, Math.floor(span.openNs / SLICE_NS));
    for (let i = first; i < SLICES_PER_WEEK && i * SLICE_NS < span.closeNs; i += 1) {
      const from = Math.max(i * SLICE_NS, span.openNs);
      const to = Math.min((i + 1) * SLICE_NS, span.closeNs);
      if (plan.closeNs[i] === 0) plan.openNs[i] = from;
      // A second session in a slice counts only if it follows the first without a break.
      else if (plan.closeNs[i] !== from) continue;
      plan.closeNs[i] = to;
    }
    if (span.openNs >= 0 && first < SLICES_PER_WEEK && span.pauseNs > 0) {
      plan.auction[first]! |= 1;
      plan.variance[first] = span.pauseNs > WEEKEND_NS ? WEEKEND_VARIANCE : BREAK_VARIANCE;
    }
  }
  for (const span of regular) {
    const last = span.closeNs / SLICE_NS - 1;
    const closes = Number.isInteger(last) && last >= 0 && last < SLICES_PER_WEEK;
    if (closes && plan.closeNs[last] === span.closeNs) plan.auction[last]! |= 2;
  }
}

function anchorsOf(
  seed: number,
  profile: SimProfile,
  day: number,
  regular: readonly Span[],
  d: number,
): DayAnchors {
  const { usOpenMinute, usCloseMinute, weekend } = profile.rhythm;
  const isWeekend = weekday(day) === 0 || weekday(day) === 6;
  if (weekend > 0) {
    // A market that never closes has no regular hours, so it follows the American day.
    const utc = newYorkToUtcMinutes(day);
    const us = isWeekend ? null : { open: usOpenMinute + utc, close: usCloseMinute + utc };
    return dayAnchors(seed, profile, day, us);
  }
  const span = regular.find((s) => s.openNs >= d * DAY_NS && s.openNs < (d + 1) * DAY_NS);
  if (span === undefined) return dayAnchors(seed, profile, day, null);
  const open = (span.openNs - d * DAY_NS) / MINUTE_NS;
  return dayAnchors(seed, profile, day, {
    open,
    close: open + (span.closeNs - span.openNs) / MINUTE_NS,
  });
}

function fillDay(
  seed: number,
  profile: SimProfile,
  anchors: DayAnchors,
  day: number,
  d: number,
  plan: OpenPlan,
): void {
  const reference = referenceSum(seed, profile);
  const key = mixKey(mixKey(seed, ACTIVITY_KEY), textKey(profile.root));
  const mood = dayMood(seed, profile, day);
  const at: Intensity = { base: 0, release: 0 };
  for (let s = 0; s < SLICES_PER_DAY; s += 1) {
    const i = d * SLICES_PER_DAY + s;
    const openShare = (plan.closeNs[i]! - plan.openNs[i]!) / SLICE_NS;
    if (openShare === 0) continue;
    intensityAt(profile, anchors, s * SLICE_MINUTES, at);
    const start = at.base + at.release;
    intensityAt(profile, anchors, (s + 1) * SLICE_MINUTES - 0.01, at);
    const end = at.base + at.release;
    intensityAt(profile, anchors, (s + 0.5) * SLICE_MINUTES, at);
    const lumps = lumpiness(key, day * SLICES_PER_DAY + s);
    const mean = ((start + end) / 6 + ((at.base + at.release) * 4) / 6) / reference;
    plan.activity[i] = mean * openShare * mood * lumps;
    plan.lead[i] = start / (start + end);
    // Nights move slightly more, and news much more, than their volume suggests.
    const news = (at.release * 1.6) / reference;
    const even = 0.11 / SLICES_PER_DAY;
    plan.variance[i]! += (0.89 * mean * lumps + even + news) * openShare * mood;
  }
}

/** A slice's activity relative to the rhythm, around 1: waves of some 40 minutes, and its own factor. */
function lumpiness(key: number, slice: number): number {
  const knot = Math.floor(slice / WAVE_SLICES);
  const along = slice / WAVE_SLICES - knot;
  const wave = keyedUnit(key, -knot) * (1 - along) + keyedUnit(key, -knot - 1) * along;
  return (0.55 + 0.9 * keyedUnit(key, slice)) * (0.5 + wave);
}

/** A day's activity, around 1: one part common to all products, one of its own. */
function dayMood(seed: number, profile: SimProfile, day: number): number {
  const key = mixKey(seed, ACTIVITY_KEY);
  const common = keyedNormal(key, day);
  const own = keyedNormal(mixKey(key, textKey(profile.root)), -day);
  return Math.min(1.6, Math.max(0.62, 1 + 0.13 * common + 0.09 * own));
}

/** The sum of ordinary intensity over a regular day: 24 hours without the break. */
function referenceSum(seed: number, profile: SimProfile): number {
  const cached = referenceSums.get(profile);
  if (cached !== undefined) return cached;
  const utc = newYorkToUtcMinutes(REFERENCE_DAY);
  const { usOpenMinute, usCloseMinute, weekend } = profile.rhythm;
  const us = { open: usOpenMinute + utc, close: usCloseMinute + utc };
  const anchors = dayAnchors(seed, profile, REFERENCE_DAY, us);
  const at: Intensity = { base: 0, release: 0 };
  let sum = 0;
  for (let s = 0; s < SLICES_PER_DAY; s += 1) {
    const minute = (s + 0.5) * SLICE_MINUTES;
    const isBreak = weekend === 0 && minute >= anchors.evening - 60 && minute < anchors.evening;
    intensityAt(profile, anchors, minute, at);
    if (!isBreak) sum += at.base;
  }
  referenceSums.set(profile, sum);
  return sum;
}

/** The sum depends on the profile only, so it is computed once for each. */
const referenceSums = new WeakMap<SimProfile, number>();
