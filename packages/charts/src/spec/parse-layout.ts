/**
 * Reads a layout that anyone may have written: a saved one, or the link of a stranger. It never throws, bounds every
 * field, drops unknown ones, and gives wrong ones their defaults. What it returns, it returns unchanged a second time.
 */

import {
  boundedIndicator,
  boundedInteger,
  boundedName,
  boundedNumber,
  boundedParams,
  type Fields,
  isFields,
  listOf,
  oneOf,
} from './bounded-values.ts';
import { IMPLIED_KEYS } from './chart-layers.ts';
import {
  BAR_KINDS,
  type BarChoice,
  type BarKind,
  type CellRules,
  type ChartSpec,
  DEFAULT_CHART,
  DEFAULT_RULES,
  type LayerSpec,
  LOOKS,
  PANES,
  type Pane,
  ZONES,
} from './chart-spec.ts';
import { CHARTS_MAX, LAYOUT_VERSION, type Layout } from './layout.ts';
import { parseDrawing } from './parse-drawing.ts';
import { uniqueKeys } from './unique-keys.ts';

export const LAYERS_MAX = 20;
export const DRAWINGS_MAX = 200;
/** Ticks per row that a chart can have. */
const GROUP_MAX = 100_000;
const SIZE_MAX = 1_000_000_000;
/** As the service has them for each kind. */
const SIZES: Readonly<Record<BarKind, number>> = {
  time: 60,
  tick: 1_000,
  volume: 1_000,
  range: 8,
  delta: 500,
  renko: 8,
};

export type ParsedLayout =
  | { readonly layout: Layout }
  | { readonly fault: 'newer' | 'unreadable'; readonly text: string };

const NEWER: ParsedLayout = {
  fault: 'newer',
  text: 'This layout was saved by a newer page. Reload to open it.',
};
const UNREADABLE: ParsedLayout = { fault: 'unreadable', text: 'This layout cannot be read.' };

export function parseLayout(value: unknown): ParsedLayout {
  try {
    return isFields(value) ? layoutOf(value) : UNREADABLE;
  } catch {
    // Only an object with code of its own can throw here.
    return UNREADABLE;
  }
}

/** The size of a layout as it is saved, in UTF-8. */
export function layoutBytes(layout: Layout): number {
  return new TextEncoder().encode(JSON.stringify(layout)).length;
}

function layoutOf({ version, charts, sharesInstrument }: Fields): ParsedLayout {
  if (!Number.isSafeInteger(version) || (version as number) < 1) return UNREADABLE;
  if ((version as number) > LAYOUT_VERSION) return NEWER;
  const read = listOf(charts, CHARTS_MAX).flatMap((chart) => parseChart(chart) ?? []);
  if (read.length === 0) return UNREADABLE;
  return {
    layout: { version: LAYOUT_VERSION, charts: read, sharesInstrument: sharesInstrument === true },
  };
}

/** Null: it has no instrument. */
export function parseChart(value: unknown): ChartSpec | null {
  if (!isFields(value)) return null;
  const instrument = boundedName(value.instrument);
  if (instrument === null) return null;
  const panes = listOf(value.panes, 2 * PANES.length).filter((pane): pane is Pane =>
    PANES.includes(pane as Pane),
  );
  const layers = listOf(value.layers, LAYERS_MAX).flatMap((layer) => layerOf(layer) ?? []);
  const drawings = listOf(value.drawings, DRAWINGS_MAX).flatMap((it) => parseDrawing(it) ?? []);
  return {
    instrument,
    bar: barOf(value.bar),
    look: oneOf(value.look, LOOKS, DEFAULT_CHART.look),
    group: groupOf(value.group),
    rules: rulesOf(value.rules),
    stripRows: boundedInteger(value.stripRows, { from: 0, to: 4, otherwise: 4 }),
    panes: [...new Set(panes)],
    side: oneOf(value.side, ['profile', 'tpo', 'none'], DEFAULT_CHART.side),
    layers: uniqueKeys(layers),
    drawings: uniqueKeys(drawings),
    zone: oneOf(value.zone, ZONES, DEFAULT_CHART.zone),
    link: value.link === 'A' || value.link === 'B' ? value.link : null,
  };
}

function barOf(value: unknown): BarChoice {
  if (!isFields(value)) return DEFAULT_CHART.bar;
  const kind = oneOf(value.kind, BAR_KINDS, DEFAULT_CHART.bar.kind);
  const size = boundedInteger(value.size, { from: 1, to: SIZE_MAX, otherwise: SIZES[kind] });
  return { kind, size, session: oneOf(value.session, ['full', 'rth', 'utc'], 'full') };
}

function groupOf(value: unknown): number | 'auto' {
  const group = boundedInteger(value, { from: 1, to: GROUP_MAX, otherwise: 0 });
  return group === 0 ? 'auto' : group;
}

/** Bounds as those of the parameters of a footprint. */
function rulesOf(value: unknown): CellRules {
  if (!isFields(value)) return DEFAULT_RULES;
  const ratio = boundedNumber(value.ratio, { from: 1, to: 1_000, otherwise: DEFAULT_RULES.ratio });
  return {
    ratio: Math.round(ratio * 100) / 100,
    minVolume: boundedInteger(value.minVolume, {
      from: 1,
      to: SIZE_MAX,
      otherwise: DEFAULT_RULES.minVolume,
    }),
    zero: oneOf(value.zero, ['ignore', 'count'], DEFAULT_RULES.zero),
    valueArea: boundedInteger(value.valueArea, {
      from: 1,
      to: 100,
      otherwise: DEFAULT_RULES.valueArea,
    }),
    pocTie: oneOf(value.pocTie, ['centre', 'lowest', 'highest', 'first'], DEFAULT_RULES.pocTie),
    stack: boundedInteger(value.stack, { from: 1, to: 100, otherwise: DEFAULT_RULES.stack }),
  };
}

function layerOf(value: unknown): LayerSpec | null {
  if (!isFields(value)) return null;
  const indicator = boundedIndicator(value.indicator);
  if (indicator === null) return null;
  const key = boundedName(value.key) ?? '';
  const isAnothers = key !== indicator && IMPLIED_KEYS.includes(key);
  return {
    key: isAnothers ? '' : key,
    indicator,
    params: boundedParams(value.params),
    isHidden: value.isHidden === true,
  };
}
