/** The format of aliases in an operator's file. */

import type { Designation } from '@tapeloom/core/instrument/contract';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { Reading } from './reading.ts';

const ROLLS_MAX = 2_000;

export interface AliasForm {
  readonly reading: Reading;
  readonly alias: string;
  readonly root: string;
  readonly roll: 'calendar' | 'volume' | readonly Designation[];
  readonly from: UtcDay | null;
}

export function readAlias(reading: Reading, alias: string): AliasForm {
  const fields = reading.fields(['product', 'roll', 'from']);
  return {
    reading,
    alias,
    root: fields.required('product', '', (field) => field.text('the root of a product')),
    roll: fields.required('roll', 'calendar', readRolls),
    from: fields.optional('from', (field) => field.date()) ?? null,
  };
}

function readRolls(reading: Reading): AliasForm['roll'] {
  if (!reading.isList) return reading.oneOf(['calendar', 'volume']);
  return reading.list(ROLLS_MAX).map((line) => {
    const fields = line.fields(['from', 'symbol']);
    return {
      from: fields.required('from', 0 as UtcDay, (field) => field.date()),
      symbol: fields.required('symbol', '', (field) => field.text()),
    };
  });
}
