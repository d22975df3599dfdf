/**
 * What all profiles over prices share: rows of several ticks, the point of control, the value area, and the texts that
 * define them. `rows.total` counts lots or TPOs.
 */

import type { ParameterDefinition, Params } from './indicator.ts';
import { POC_TIES, type PocTie, pocIndex } from './poc.ts';
import type { CountedRows, PriceRows } from './price-histogram.ts';
import { ROW_PRICE_MEMBER } from './price-schema.ts';
import { valueArea } from './value-area.ts';

export const GROUP_PARAMETER: ParameterDefinition = {
  name: 'group',
  type: 'integer',
  default: 1,
  minimum: 1,
  maximum: 10_000,
  unit: 'ticks',
  description:
    'Ticks per row. A row starts at a multiple of group and is named by its lowest price.',
};

export const PROFILE_PARAMETERS: readonly ParameterDefinition[] = [
  GROUP_PARAMETER,
  {
    name: 'valueArea',
    type: 'integer',
    default: 70,
    minimum: 1,
    maximum: 100,
    unit: 'percent',
    description: 'Share of the volume (in "tpo": of the TPOs) that the value area holds at least.',
  },
  {
    name: 'pocTie',
    type: 'string',
    default: 'centre',
    values: POC_TIES,
    description:
      'The rule that selects the point of control if several rows have the most volume (in "tpo": the ' +
      'most TPOs). centre: the row nearest to the middle of the lowest and the highest row, of two such ' +
      'rows the lower. lowest: the lowest of them. highest: the highest of them. first: the row that ' +
      'reached this volume first.',
  },
];

export const PROFILE_RULES =
  'poc: the row with the most volume of all sides; pocTie decides between equal rows. val and vah: ' +
  'the lowest and the highest row of the value area. The value area starts with the poc. Each step ' +
  'adds the next two traded rows above or the next two below, whichever hold more volume; at a tie ' +
  'the rows above. Where only one row is left on a side, that row alone counts. The steps end when ' +
  'the area holds at least valueArea percent of the volume.';

export const LEVELS_RULES =
  'levels: the rows of group ticks that traded, each as [price, bid, ask], or as [price, bid, ask, ' +
  'unknown] if its unknown volume is not 0.';

export const LEVELS_PROPERTY = {
  type: 'array',
  description: '[price, bid, ask] or [price, bid, ask, unknown], ascending by price',
  items: {
    type: 'array',
    prefixItems: [
      ROW_PRICE_MEMBER,
      { title: 'bid', type: 'integer' },
      { title: 'ask', type: 'integer' },
      { title: 'unknown', type: 'integer', default: 0 },
    ],
    items: false,
    minItems: 3,
    maxItems: 4,
  },
};

export interface ProfileRule {
  readonly pocTie: PocTie;
  readonly valueAreaPercent: number;
}

export function profileRule(params: Params): ProfileRule {
  return { pocTie: params.pocTie as PocTie, valueAreaPercent: params.valueArea as number };
}

/** Prices of the point of control and the value area's edges; null without rows. */
export function keyPrices(rows: CountedRows, rule: ProfileRule) {
  const poc = pocIndex(rows, rule.pocTie);
  const [val, vah] = poc < 0 ? [-1, -1] : valueArea(rows, poc, rule.valueAreaPercent);
  return {
    poc: rows.price[poc] ?? null,
    vah: rows.price[vah] ?? null,
    val: rows.price[val] ?? null,
  };
}

export function levels(rows: PriceRows): number[][] {
  const list: number[][] = [];
  for (let row = 0; row < rows.count; row += 1) {
    const unknown = rows.unknown[row]!;
    const level = [small(rows.price[row]!), small(rows.bid[row]!), small(rows.ask[row]!)];
    if (unknown !== 0) level.push(small(unknown));
    list.push(level);
  }
  return list;
}

/** The same number, as an integer if possible: JSON.stringify formats integers faster than doubles. */
function small(value: number): number {
  const integer = value | 0;
  return integer === value ? integer : value;
}
