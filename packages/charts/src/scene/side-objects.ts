/** Which session's profile stands at the side: that of the newest bar on screen. */

import type { Levels } from '../series/chart-bar.ts';
import type { KeptObject } from '../series/object-series.ts';
import type { Frame } from './frame.ts';
import { firstFrom, firstLayer, type Layer } from './layer-objects.ts';

export interface ProfileRows {
  readonly id: string;
  readonly key: string;
  /** Ticks per row. */
  readonly group: number;
  readonly levels: Levels;
  readonly maxVolume: number;
  readonly poc: number;
  readonly vah: number;
  readonly val: number;
}

/** How VAH, POC and VAL are written beside a profile, `inset` from the plot. */
export const PROFILE_NAME = { size: 10, weight: 560, inset: 3 };

const kept = new WeakMap<object, ProfileRows>();

/** Null: no profile is at the side, or none is known. */
export function profileShown(frame: Frame): ProfileRows | null {
  const { input } = frame;
  if (input.spec.side !== 'profile') return null;
  const layer = firstLayer(input, 'volume-profile');
  if (layer === null || isByPeriod(layer)) return null;
  const object = objectShown(frame, layer);
  return object === null ? null : profileRows(layer, object);
}

/** Prices that are named beside the axis. */
interface ValueNames {
  readonly id: string;
  readonly key: string;
  /** VAH, POC and VAL, each at the middle of its row. */
  readonly prices: readonly (readonly [name: string, price: number, row: number])[];
}

/** Of the profile or of the letters at the side. On a phone, which has no side, of the profile. */
export function valueNames(frame: Frame): ValueNames | null {
  const { input } = frame;
  const profile = profileShown(frame);
  if (profile !== null)
    return { id: profile.id, key: profile.key, prices: named(profile, profile.group) };
  const layer = input.spec.side === 'tpo' ? firstLayer(input, 'tpo') : null;
  const object = layer === null ? null : objectShown(frame, layer);
  if (layer === null || object === null) return null;
  const group = typeof layer.params.group === 'number' ? layer.params.group : 1;
  return { id: object.id, key: layer.key, prices: named(object.data, group) };
}

function named(
  { vah, poc, val }: { readonly vah: number; readonly poc: number; readonly val: number },
  group: number,
): ValueNames['prices'] {
  const toMiddle = (group - 1) / 2;
  return [
    ['VAH', vah + toMiddle, vah],
    ['POC', poc + toMiddle, poc],
    ['VAL', val + toMiddle, val],
  ];
}

/** A profile per period is drawn on the chart, not at its side. */
export function isByPeriod({ params }: Pick<Layer<'volume-profile'>, 'params'>): boolean {
  return typeof params.period === 'number';
}

/** Rows as columns of numbers, once per object. */
export function profileRows(
  { key, params }: Pick<Layer<'volume-profile'>, 'key' | 'params'>,
  { id, data }: KeptObject<'volume-profile'>,
): ProfileRows {
  const known = kept.get(data);
  if (known !== undefined) return known;
  const group = typeof params.group === 'number' ? params.group : 1;
  const count = data.levels.length;
  const levels = {
    ...{ group, count },
    price: new Float64Array(count),
    bid: new Float64Array(count),
    ask: new Float64Array(count),
    unknown: new Float64Array(count),
  };
  let maxVolume = 1;
  data.levels.forEach(([price, bid, ask, unknown = 0], at) => {
    levels.price[at] = price;
    levels.bid[at] = bid;
    levels.ask[at] = ask;
    levels.unknown[at] = unknown;
    maxVolume = Math.max(maxVolume, bid + ask + unknown);
  });
  const { poc, vah, val } = data;
  const rows = { id, key, group, levels, maxVolume, poc, vah, val };
  kept.set(data, rows);
  return rows;
}

/** The last object that began before the right edge of the screen; else the first. */
export function objectShown<I extends 'volume-profile' | 'tpo'>(
  { columns, to }: Frame,
  { objects }: Layer<I>,
): KeptObject<I> | null {
  const { all } = objects;
  const last = columns[to - 1];
  if (last === undefined) return all.at(-1) ?? null;
  const end = last.kind === 'bar' ? last.endNs : last.fromNs;
  const at = firstFrom(all, end + 1n) - 1;
  return all[Math.max(0, at)] ?? null;
}
