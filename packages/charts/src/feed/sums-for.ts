/** What a chart sums here, and over which sessions. */

import type { Roll, SessionSpan } from '../series/sessions.ts';
import { SessionSums, SUMMED } from '../series/sums.ts';
import { chartLayers } from '../spec/chart-layers.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import { hasLevels, isSummable } from './topics.ts';

/** Equal for charts whose sums are the same. */
export function sumsKey(spec: ChartSpec): string {
  return JSON.stringify([spec.bar, hasLevels(spec), summedLayers(spec)]);
}

export function sumsFor(spec: ChartSpec): SessionSums {
  const layers = summedLayers(spec);
  const paramsOf = (id: string) => layers.find(({ indicator }) => indicator === id)?.params ?? {};
  return new SessionSums({
    bar: spec.bar,
    levelsGroup: hasLevels(spec) ? 1 : null,
    wanted: SUMMED.filter((id) => layers.some(({ indicator }) => indicator === id)),
    profile: paramsOf('volume-profile'),
    unfinished: paramsOf('unfinished-auctions'),
  });
}

function summedLayers(spec: ChartSpec) {
  return chartLayers(spec)
    .filter((layer) => isSummable(spec, layer))
    .map(({ indicator, params }) => ({ indicator, params }));
}

/**
 * Sessions without what follows a roll inside them: those bars are of another contract, whose sums began at the open.
 * Days in UTC begin where rolls are.
 */
export function daysToSum(
  { bar: { session } }: ChartSpec,
  days: readonly SessionSpan[],
  rolls: readonly Roll[],
): readonly SessionSpan[] {
  if (session === 'utc' || rolls.length === 0) return days;
  return days.map((day) => {
    const roll = rolls.find(({ atNs }) => day.openNs < atNs && atNs < day.closeNs);
    if (roll === undefined) return day;
    const { regular } = day;
    return { ...day, closeNs: roll.atNs, regular: regular && cut(regular, roll.atNs) };
  });
}

function cut(span: NonNullable<SessionSpan['regular']>, ns: bigint): SessionSpan['regular'] {
  if (span.openNs >= ns) return null;
  return { ...span, closeNs: span.closeNs < ns ? span.closeNs : ns };
}
