/** The numbers of an object under the crosshair, in words. An indicator that this page does not know shows its fields. */

import type {
  AbsorptionData,
  ImbalancesData,
  LargeTradesData,
  NakedLevelsData,
  SessionLevelsData,
  SweepsData,
  TapeSpeedData,
  UnfinishedAuctionsData,
  VwapData,
} from '@tapeloom/protocol/indicators';
import { tradingDateText } from '../scene/date-text.ts';
import { betweenText, countText, priceText, signedText } from '../scene/number-text.ts';
import type { TimeText } from '../scene/scene-types.ts';
import type { KeptObject } from '../series/object-series.ts';

/** Fields of an unknown indicator that a card has room for. */
const FIELDS_MAX = 8;
const NS_PER_MS = 1_000_000;

export interface ObjectFacts {
  readonly title: string;
  readonly time: string;
  readonly rows: readonly (readonly [name: string, value: string])[];
}

export interface FactsContext {
  readonly tickSizeNanos: number;
  readonly timeText: TimeText;
  /** In ticks, for distances; null: not known. */
  readonly lastPrice: number | null;
}

type Row = readonly [name: string, value: string];

interface Says {
  readonly title: string;
  readonly rows: readonly Row[];
}

export function objectFacts(
  indicator: string,
  object: KeptObject,
  context: FactsContext,
): ObjectFacts {
  const { timeText } = context;
  const says = wordsOf(indicator, object, context);
  const ended: readonly Row[] =
    object.removedNs === null ? [] : [['Traded again', timeText.clock(object.removedNs)]];
  return {
    title: says.title,
    time: timeText.clock(object.ts, indicator !== 'imbalances'),
    rows: [...says.rows, ...ended],
  };
}

function wordsOf(indicator: string, { data, ts }: KeptObject, context: FactsContext): Says {
  const price = (ticks: number) => priceText(ticks, context.tickSizeNanos);
  const between = (ticks: number) => betweenText(ticks, context.tickSizeNanos);
  switch (indicator) {
    case 'large-trades':
      return largeTrade(data as LargeTradesData, price);
    case 'sweeps':
      return sweep(data as SweepsData, ts, price);
    case 'absorption':
      return absorption(data as AbsorptionData, price);
    case 'imbalances':
      return zone(data as ImbalancesData, price);
    case 'unfinished-auctions':
      return unfinished(data as UnfinishedAuctionsData, price);
    case 'naked-levels':
      return naked(data as NakedLevelsData, price, context);
    case 'session-levels': {
      const { kind, price: ticks } = data as SessionLevelsData;
      return { title: LEVELS[kind], rows: [['Price', price(ticks)], ...distance(ticks, context)] };
    }
    case 'vwap': {
      const { vwap, deviation, volume } = data as VwapData;
      return {
        title: 'VWAP',
        rows: [
          ['Price', between(vwap)],
          ['σ', between(deviation)],
          ['Lots', countText(volume)],
          ...distance(vwap, context),
        ],
      };
    }
    case 'tape-speed': {
      const { rate, average, burst } = data as TapeSpeedData;
      return {
        title: burst ? 'Burst' : 'Tape speed',
        rows: [
          ['Trades a second', rate.toFixed(1)],
          ['Average', average.toFixed(1)],
        ],
      };
    }
    default:
      return { title: indicator, rows: fieldsOf(data) };
  }
}

function largeTrade(it: LargeTradesData, price: (ticks: number) => string): Says {
  const prices = it.low === it.high ? price(it.low) : `${price(it.low)}–${price(it.high)}`;
  return {
    title: it.side === 1 ? 'Large buy' : 'Large sell',
    rows: [
      ['Lots', countText(it.size)],
      ['Prints', countText(it.trades)],
      ['Price', prices],
      ['Large from', `${countText(it.threshold)} lots`],
    ],
  };
}

function sweep(it: SweepsData, ts: bigint, price: (ticks: number) => string): Says {
  const ms = Number(BigInt(it.end) - ts) / NS_PER_MS;
  return {
    title: it.side === 1 ? 'Sweep up' : 'Sweep down',
    rows: [
      ['Lots', countText(it.size)],
      ['Prices', `${price(it.first)} to ${price(it.last)}, ${it.levels}`],
      ['Took', ms < 1 ? 'under 1 ms' : `${countText(ms)} ms`],
    ],
  };
}

function absorption(it: AbsorptionData, price: (ticks: number) => string): Says {
  return {
    title: it.side === 1 ? 'Buyers absorbed' : 'Sellers absorbed',
    rows: [
      ['Lots', countText(it.volume)],
      ['Price held', price(it.price)],
      ['Slipped', `${it.maxSlip} tick${it.maxSlip === 1 ? '' : 's'}`],
      ['From', `${countText(it.threshold)} lots`],
    ],
  };
}

function zone(it: ImbalancesData, price: (ticks: number) => string): Says {
  return {
    title: it.side === 1 ? 'Stacked buy imbalances' : 'Stacked sell imbalances',
    rows: [
      ['Prices', `${price(it.low)}–${price(it.high)}`],
      ['Rows', countText(it.rows)],
      ['Lots', countText(it.volume)],
    ],
  };
}

function unfinished(it: UnfinishedAuctionsData, price: (ticks: number) => string): Says {
  return {
    title: `Unfinished ${it.kind}`,
    rows: [
      ['Price', price(it.price)],
      ['Bid × Ask', `${countText(it.bid)} × ${countText(it.ask)}`],
    ],
  };
}

function naked(it: NakedLevelsData, price: (ticks: number) => string, context: FactsContext): Says {
  return {
    title: `Naked ${it.kind.toUpperCase()}`,
    rows: [
      ['Price', price(it.price)],
      ['Of', tradingDateText(it.sessionDate)],
      ...distance(it.price, context),
    ],
  };
}

function distance(ticks: number, { lastPrice }: FactsContext): readonly Row[] {
  if (lastPrice === null) return [];
  return [['From the last price', `${signedText(Math.round(ticks - lastPrice))} ticks`]];
}

const LEVELS: Readonly<Record<SessionLevelsData['kind'], string>> = {
  open: 'Open',
  high: 'Day high',
  low: 'Day low',
  previousHigh: 'Prior high',
  previousLow: 'Prior low',
  previousClose: 'Prior close',
  overnightHigh: 'Overnight high',
  overnightLow: 'Overnight low',
  initialBalanceHigh: 'IB high',
  initialBalanceLow: 'IB low',
};

function fieldsOf(data: unknown): readonly Row[] {
  if (typeof data !== 'object' || data === null) return [];
  const fields = Object.entries(data).filter(([, value]) => isPlain(value));
  return fields.slice(0, FIELDS_MAX).map(([name, value]) => [name, String(value)]);
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
