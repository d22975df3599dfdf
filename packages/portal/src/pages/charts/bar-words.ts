/** Kinds and sizes of bars in words: for buttons, menus and tables. */

import type { BarChoice, BarKind } from '@tapeloom/charts/spec/chart-spec';
import { counted, exactNumber } from '../../components/number-text.ts';

export const KIND_NAMES: Readonly<Record<BarKind, string>> = {
  time: 'Time',
  tick: 'Trades',
  volume: 'Volume',
  range: 'Range',
  delta: 'Delta',
  renko: 'Renko',
};

export const SESSION_NAMES: Readonly<Record<BarChoice['session'], string>> = {
  full: 'Trading day',
  rth: 'Regular',
  utc: 'UTC day',
};

/** What people choose most; every other size can be typed. */
export const USUAL_SIZES: Readonly<Record<BarKind, readonly number[]>> = {
  time: [5, 15, 30, 60, 120, 180, 300, 600, 900, 1_800, 3_600, 14_400],
  tick: [100, 250, 500, 1_000, 2_000, 5_000],
  volume: [500, 1_000, 2_000, 5_000, 10_000],
  range: [4, 8, 12, 16, 24, 40],
  delta: [100, 250, 500, 1_000, 2_500],
  renko: [4, 8, 12, 16, 24, 40],
};

export const SIZE_UNITS: Readonly<Record<BarKind, string>> = {
  time: 'seconds',
  tick: 'trades',
  volume: 'lots',
  range: 'ticks',
  delta: 'lots',
  renko: 'ticks',
};

/** The largest size of the service, and of time bars a day. */
export function sizeMax(kind: BarKind): number {
  return kind === 'time' ? 86_400 : 1_000_000_000;
}

/** For a button: `5 min`, `1,000 trades`, `Range 8`. */
export function barText({ kind, size }: Pick<BarChoice, 'kind' | 'size'>): string {
  switch (kind) {
    case 'time':
      return timeSizeText(size);
    case 'tick':
      return counted(size, 'trade');
    case 'volume':
      return counted(size, 'lot');
    case 'range':
    case 'delta':
    case 'renko':
      return `${KIND_NAMES[kind]} ${exactNumber(size)}`;
    default:
      return kind satisfies never;
  }
}

/** In a sentence: `5 minutes`, `1,000 trades`, `range of 8 ticks`. */
export function barSentence({ kind, size }: Pick<BarChoice, 'kind' | 'size'>): string {
  if (kind !== 'time') {
    const unit = SIZE_UNITS[kind].slice(0, -1);
    const amount = counted(size, unit);
    return kind === 'tick' || kind === 'volume' ? amount : `${kind} of ${amount}`;
  }
  if (size % 3_600 === 0) return counted(size / 3_600, 'hour');
  return size % 60 === 0 ? counted(size / 60, 'minute') : counted(size, 'second');
}

function timeSizeText(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${exactNumber(seconds)} s`;
}
