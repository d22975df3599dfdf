/** The options of a chart on a page, and the spec that they make. */

import type { GivenParams } from '@tapeloom/core/studies/indicator';
import type { FeedSources } from '../feed/sources.ts';
import {
  BAR_KINDS,
  type BarChoice,
  type CellRules,
  type ChartSpec,
  DEFAULT_CHART,
  type LayerSpec,
  LOOKS,
  type Look,
  PANES,
  type Pane,
  type TimeZoneChoice,
  ZONES,
} from '../spec/chart-spec.ts';
import type { Drawing } from '../spec/drawing.ts';

const SESSIONS: readonly BarChoice['session'][] = ['full', 'rth', 'utc'];
const SIDES: readonly ChartSpec['side'][] = ['profile', 'tpo', 'none'];

/** An indicator on the chart: its id, with parameters if they differ from the defaults. */
export type ChartLayer =
  | string
  | { readonly indicator: string; readonly params?: GivenParams; readonly isHidden?: boolean };

/** What a chart shows. All of it can be changed later. */
export interface ChartLook {
  /** An alias or a symbol, such as `BTC.c.0`. */
  readonly instrument?: string;
  /** Default: bars of five minutes. */
  readonly bar?: Partial<BarChoice>;
  /** Default: `bidask`. `candles` needs less data. */
  readonly look?: Look;
  /** Ticks per row. Default: `auto`. */
  readonly group?: number | 'auto';
  /** The rules of imbalances, value area and point of control. */
  readonly rules?: Partial<CellRules>;
  /** Rows of numbers below the bars, 0 to 4. */
  readonly stripRows?: number;
  readonly panes?: readonly Pane[];
  readonly side?: 'profile' | 'tpo' | 'none';
  /** Default: the VWAP. */
  readonly layers?: readonly ChartLayer[];
  readonly drawings?: readonly Drawing[];
  readonly zone?: TimeZoneChoice;
  /** Default: `system`, as the reader's system has it. */
  readonly theme?: 'light' | 'dark' | 'system';
}

/** The part of `TapeloomClient` that a chart uses. */
export interface ChartClient
  extends Pick<
    FeedSources,
    'subscribe' | 'history' | 'estimate' | 'usage' | 'instruments' | 'connection' | 'on'
  > {
  /** Without it a chart marks no sessions, and sums nothing over them. */
  sessions?(request: {
    readonly instrument: string;
    readonly from: string;
    readonly to: string;
    readonly signal?: AbortSignal;
  }): Promise<{
    readonly contract: string;
    readonly timeZone: string | null;
    readonly sessions: readonly {
      /** `2026-11-17` */
      readonly date: string;
      readonly open: string;
      readonly close: string;
      readonly regular: { readonly open: string; readonly close: string } | null;
    }[];
  }>;
}

export interface ChartSource {
  /** A client of yours: several charts with one client share its connection. You close it. */
  readonly client?: ChartClient;
  /** Instead of a client: the address of the service. */
  readonly url?: string;
  /** Called for a fresh stream token at every connection. */
  readonly token?: () => string | Promise<string>;
  /** Sends requests to your back end, which adds the key. Without it a chart has no history. */
  readonly fetch?: typeof fetch;
  /**
   * `none`: the chart begins where the stream's first state begins. `scroll`: scrolling back loads more, within the
   * budget. `ask`: beyond the budget the chart says what more would cost, and a reader can load it. Default: `none` if
   * there is only a token, else `scroll`.
   */
  readonly history?: 'none' | 'scroll' | 'ask';
  /**
   * Compute units a month by which gestures are measured: one loads at most 1 % of them, a day's gestures in one
   * browser 5 %. Default: those of your plan.
   */
  readonly historyUnits?: number;
}

/** All that a chart shows, as options. */
export type ChartLayout = Required<Omit<ChartLook, 'theme'>>;

export interface ChartOptions extends ChartSource, ChartLook {
  readonly instrument: string;
  /** The row with the numbers of the bar at the crosshair. Default: true. */
  readonly legend?: boolean;
}

/** `base` is what the chart shows now. Throws an error that names the option, if one is none that there is. */
export function specOf(look: ChartLook, base: ChartSpec = DEFAULT_CHART): ChartSpec {
  const { instrument, bar, rules, layers, group, stripRows, panes, side, drawings, zone } = look;
  requireOne('bar.kind', bar?.kind, BAR_KINDS);
  requireOne('bar.session', bar?.session, SESSIONS);
  requireOne('look', look.look, LOOKS);
  requireOne('side', side, SIDES);
  requireOne('zone', zone, ZONES);
  for (const pane of panes ?? []) requireOne('panes', pane, PANES);
  return {
    ...base,
    ...(instrument !== undefined && { instrument }),
    ...(bar !== undefined && { bar: { ...base.bar, ...bar } }),
    ...(look.look !== undefined && { look: look.look }),
    ...(group !== undefined && { group }),
    ...(rules !== undefined && { rules: { ...base.rules, ...rules } }),
    ...(stripRows !== undefined && { stripRows }),
    ...(panes !== undefined && { panes }),
    ...(side !== undefined && { side }),
    ...(layers !== undefined && { layers: layersOf(layers) }),
    ...(drawings !== undefined && { drawings }),
    ...(zone !== undefined && { zone }),
  };
}

/** The options that make this spec, without those of the page: it can be kept as JSON. */
export function lookOf({ layers, link: _link, ...spec }: ChartSpec): ChartLayout {
  return {
    ...spec,
    layers: layers.map(({ indicator, params, isHidden }) => ({ indicator, params, isHidden })),
  };
}

function requireOne(name: string, value: string | undefined, accepted: readonly string[]): void {
  if (value === undefined || accepted.includes(value)) return;
  const words = accepted.map((word) => `"${word}"`).join(', ');
  throw new Error(`The option "${name}" must be one of ${words}.`);
}

function layersOf(layers: readonly ChartLayer[]): readonly LayerSpec[] {
  const seen = new Map<string, number>();
  return layers.map((layer) => {
    const {
      indicator,
      params = {},
      isHidden = false,
    } = typeof layer === 'string' ? { indicator: layer } : layer;
    const count = (seen.get(indicator) ?? 0) + 1;
    seen.set(indicator, count);
    // Equal keys from one call to the next: a layer that stays is not loaded again.
    return { key: count === 1 ? indicator : `${indicator} ${count}`, indicator, params, isHidden };
  });
}
