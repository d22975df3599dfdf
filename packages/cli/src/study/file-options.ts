/** The options of `tapeloom study --file`: what the user declares about a file that it does not state itself. */

import { CSV_PRESETS, type CsvPresetName } from '@tapeloom/server/feeds/csv/csv-guess';
import { type Decimal, parseDecimal } from '@tapeloom/server/feeds/decimals';
import type { FileTradesOptions } from '@tapeloom/server/feeds/file-trades';
import { KNOWN_ROOTS, type KnownRoot, rootNamed } from '@tapeloom/server/feeds/known-roots';
import type { FeedHints } from '@tapeloom/server/feeds/open-feed';
import { isZone } from '@tapeloom/server/feeds/wall-clock';
import { CALENDAR_TEMPLATES } from '@tapeloom/server/markets/instruments/templates';
import { UsageError } from '../command.ts';
import { readDay } from '../day-text.ts';

/** Options for the file's format. */
export const FORM_TEXTS = [
  'side',
  'preset',
  'zone',
  'date',
  'day-month',
  'mapping',
  'definitions',
  'buy',
  'sell',
] as const;
export const FILE_TEXTS = ['symbol', 'product', 'tick', 'lot', 'calendar', ...FORM_TEXTS] as const;

export const FORM_USAGE = `  --side <rule>        tick-rule: infer missing sides from prices; quotes: from the
                       quotes next to each trade; default file: the file's own sides, else unknown
  --preset <form>      databento, binance-trades, binance-aggtrades, tardis, sierra, ninjatrader,
                       quantconnect, bybit, bitmex, okx, bitget, kraken, gate, kaiko, coinapi, polygon,
                       iqfeed, kibot, tickdata, mt5; default: found from the content
  --buy <words>        words for a buy of the aggressor in the column of sides, with --sell
  --sell <words>       those for a sell, like: --buy ask --sell bid
  --zone <zone>        the time zone of times without one, for example America/Chicago
  --date <date>        the date of times that count from midnight
  --day-month <order>  day-first or month-first: how 03/04/2026 is meant
  --mapping <file>     a JSON file that defines the columns of a CSV, Parquet or Arrow file
  --definitions <file|pattern>  DBN definitions of the same days, which name the instruments of DBN that
                       was ordered by other names than the venue's, such as ES.c.0, or by ids`;

/** The name of a built-in calendar or template. */
export function readCalendarName(name: string | undefined): string | null {
  if (name === undefined) return null;
  const { names } = CALENDAR_TEMPLATES;
  if (names.includes(name)) return name;
  throw new UsageError(`--calendar must be one of ${names.join(', ')}; got ${name}`);
}

type FileValues = Readonly<Partial<Record<(typeof FILE_TEXTS)[number], string>>>;
const DAY_MONTHS = ['day-first', 'month-first'] as const;
const SIDES = ['file', 'tick-rule', 'quotes'] as const;
const NANO_DECIMALS = 9;

export interface FileOptions {
  readonly trades: FileTradesOptions;
  /** The calendar of the sessions; null: the product's, if known. */
  readonly calendar: string | null;
  /** Without hints from other files, which are read together with the file. */
  readonly hints: FeedHints;
  /** The file with the mapping; null: the mapping is guessed. */
  readonly mappingPath: string | null;
  /** A path or a pattern; null: none. */
  readonly definitionFiles: string | null;
}

export function readFileOptions(values: FileValues): FileOptions {
  const side = oneOf('--side', values.side, SIDES) ?? 'file';
  const preset: CsvPresetName | undefined = oneOf('--preset', values.preset, CSV_PRESETS);
  const dayMonth = oneOf('--day-month', values['day-month'], DAY_MONTHS);
  const { zone } = values;
  if (zone !== undefined && !isZone(zone)) {
    throw new UsageError(`--zone must be a time zone like UTC or America/Chicago; got ${zone}`);
  }
  return {
    calendar: readCalendarName(values.calendar),
    trades: {
      symbol: values.symbol ?? null,
      tick: readUnit('--tick', values.tick),
      lot: readUnit('--lot', values.lot),
      product: readProduct(values.product),
      hasTickRule: side === 'tick-rule',
    },
    hints: {
      ...(preset !== undefined && { preset }),
      ...(zone !== undefined && { zone }),
      ...(values.date !== undefined && { date: readDay('--date', values.date) }),
      ...(dayMonth !== undefined && { dayMonth }),
      ...readSideWords(values),
      hasSideByQuotes: side === 'quotes',
    },
    mappingPath: values.mapping ?? null,
    definitionFiles: values.definitions ?? null,
  };
}

function readSideWords({ buy, sell }: FileValues): Pick<FeedHints, 'buyWords' | 'sellWords'> {
  if (buy === undefined && sell === undefined) return {};
  if (buy === undefined || sell === undefined) {
    throw new UsageError('--buy and --sell require each other, like --buy ask --sell bid');
  }
  return { buyWords: buy.split(','), sellWords: sell.split(',') };
}

function readProduct(name: string | undefined): KnownRoot | null {
  if (name === undefined) return null;
  const root = rootNamed(name);
  if (root !== null) return root;
  throw new UsageError(`--product must be one of ${KNOWN_ROOTS.join(', ')}; got ${name}`);
}

function readUnit(option: string, text: string | undefined): Decimal | null {
  if (text === undefined) return null;
  const unit = parseDecimal(text);
  if (unit !== null && unit.mantissa > 0 && unit.decimals <= NANO_DECIMALS) return unit;
  throw new UsageError(
    `${option} must be a number above 0 with at most ${NANO_DECIMALS} decimals, like 0.25; got ${text}`,
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
  throw new UsageError(`${option} must be one of ${known.join(', ')}; got ${text}`);
}
