/** The options of `tapeloom study --file`: what somebody says of a file, where it does not say it itself. */

import { CSV_PRESETS, type CsvPresetName } from '@tapeloom/server/feeds/csv/csv-guess';
import { type Decimal, parseDecimal } from '@tapeloom/server/feeds/decimals';
import type { FileTradesOptions } from '@tapeloom/server/feeds/file-trades';
import type { FeedHints } from '@tapeloom/server/feeds/open-feed';
import { isZone } from '@tapeloom/server/feeds/wall-clock';
import { UsageError } from '../command.ts';
import { readDay } from '../day-text.ts';

export const FILE_TEXTS = [
  'symbol',
  'tick',
  'lot',
  'side',
  'preset',
  'zone',
  'date',
  'day-month',
  'mapping',
] as const;

type FileValues = Readonly<Partial<Record<(typeof FILE_TEXTS)[number], string>>>;
const DAY_MONTHS = ['day-first', 'month-first'] as const;
const SIDES = ['file', 'tick-rule', 'quotes'] as const;
const NANO_DECIMALS = 9;

export interface FileOptions {
  readonly trades: FileTradesOptions;
  /** Without the mapping, which is read with the file. */
  readonly hints: FeedHints;
  /** Where the mapping stands; null: it is guessed. */
  readonly mappingPath: string | null;
}

export function readFileOptions(values: FileValues): FileOptions {
  const side = oneOf('--side', values.side, SIDES) ?? 'file';
  const preset: CsvPresetName | undefined = oneOf('--preset', values.preset, CSV_PRESETS);
  const dayMonth = oneOf('--day-month', values['day-month'], DAY_MONTHS);
  const { zone } = values;
  if (zone !== undefined && !isZone(zone)) {
    throw new UsageError(`--zone must be a zone like UTC or America/Chicago, got ${zone}`);
  }
  return {
    trades: {
      symbol: values.symbol ?? null,
      tick: readUnit('--tick', values.tick),
      lot: readUnit('--lot', values.lot),
      hasTickRule: side === 'tick-rule',
    },
    hints: {
      ...(preset !== undefined && { preset }),
      ...(zone !== undefined && { zone }),
      ...(values.date !== undefined && { date: readDay('--date', values.date) }),
      ...(dayMonth !== undefined && { dayMonth }),
      hasSideByQuotes: side === 'quotes',
    },
    mappingPath: values.mapping ?? null,
  };
}

function readUnit(option: string, text: string | undefined): Decimal | null {
  if (text === undefined) return null;
  const unit = parseDecimal(text);
  if (unit !== null && unit.mantissa > 0 && unit.decimals <= NANO_DECIMALS) return unit;
  throw new UsageError(
    `${option} must be a number above 0 with at most ${NANO_DECIMALS} decimals, like 0.25, got ${text}`,
  );
}

function oneOf<T extends string>(
  option: string,
  text: string | undefined,
  known: readonly T[],
): T | undefined {
  if (text === undefined) return undefined;
  const found = known.find((one) => one === text);
  if (found !== undefined) return found;
  throw new UsageError(`${option} must be ${known.join(', ')}, got ${text}`);
}
