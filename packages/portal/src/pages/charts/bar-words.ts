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

export const SIZE_UNITS: Readonly<Record<BarKind, string>> = {
  time: 'seconds',
  tick: 'trades',
  volume: 'lots',
  range: 'ticks',
  delta: 'lots',
  renko: 'ticks',
};

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
