/** `tapeloom instruments`: lists the instruments, or shows one in full. */

import type { Instrument } from '@tapeloom/client';
import type { EpochNs } from '@tapeloom/core/numbers';
import { formatPrice } from '@tapeloom/core/price';
import { nearestName } from '@tapeloom/server/config/nearest-name';
import { tell } from '../accounts/account-options.ts';
import { timeText } from '../accounts/time-text.ts';
import { type Command, CommandError, type CommandIo, UsageError } from '../command.ts';
import { CUSTOMER_USAGE, customerClient, PLACE_OPTIONS } from '../customer/customer-options.ts';
import { instrumentNames, rememberNames } from '../customer/known-names.ts';
import { ExitCode } from '../exit-codes.ts';
import { readArgs } from '../read-args.ts';
import { factsText, tableText } from '../table-text.ts';

export const instrumentsCommand: Command = {
  path: ['instruments'],
  summary: 'List the instruments, or show one.',
  usage: `Usage: tapeloom instruments [<instrument>] [options]

Lists the streamed instruments: the alias, the contract it designates today, and whether its market is open. One
instrument, by its alias or symbol, is shown in full, with the past contracts of its alias.

  --dataset <name>    every contract of this dataset, including expired ones
${CUSTOMER_USAGE}

Examples:
  tapeloom instruments
  tapeloom instruments ES.c.0
  tapeloom instruments --json | jq -r '.instruments[] | select(.status == "open").alias'
`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, words } = readArgs(args, {
    texts: [...PLACE_OPTIONS, 'dataset'],
    flags: ['json'],
    words: null,
  });
  if (words.length > 1) throw new UsageError(`unexpected argument: ${words[1]}`);
  const [asked] = words;
  await using client = await customerClient(values, io);
  const { signal } = io;
  const { dataset } = values;
  const instruments = await client.instruments({
    signal,
    ...(dataset === undefined ? {} : { dataset }),
  });
  if (dataset === undefined) await rememberNames(io, 'instruments', instrumentNames(instruments));
  if (asked === undefined) {
    return tell(io, values.json, { instruments }, instrumentsTable(instruments));
  }
  const found = instruments.find(({ alias, symbol }) => alias === asked || symbol === asked);
  if (found === undefined) {
    const near = nearestName(asked, instrumentNames(instruments));
    const hint = near === null ? 'tapeloom instruments lists them all' : `did you mean ${near}?`;
    const sentence = `no instrument is called ${asked}; ${hint}`;
    throw new CommandError(sentence, ExitCode.notFound, 'UNKNOWN_INSTRUMENT');
  }
  return tell(io, values.json, found, factsText(factsOf(found)));
}

function instrumentsTable(instruments: readonly Instrument[]): string {
  return tableText(
    [
      { title: 'alias' },
      { title: 'contract' },
      { title: 'market' },
      { title: 'name' },
      { title: 'exchange' },
      { title: 'tick', isNumber: true },
      { title: 'last trade (UTC)' },
      { title: 'history' },
    ],
    instruments.map((it) => [
      it.alias ?? '-',
      it.symbol,
      it.status,
      it.name,
      it.exchange,
      `${formatPrice(1, it.tickSizeNanos)} ${it.currency}`,
      timeOf(it.updatedAt),
      it.history === null ? '-' : `${it.history.firstDay} to ${it.history.lastDay}`,
    ]),
  );
}

function factsOf(it: Instrument): [string, string][] {
  const decimal = (nanos: number) => formatPrice(1, nanos);
  return [
    ['contract', it.symbol],
    ['alias', it.alias ?? 'none today'],
    ['name', it.name],
    ['market', it.status],
    ['streamed', it.streamed ? 'yes' : 'no'],
    ['exchange', it.exchange],
    ['calendar', it.calendar],
    ['dataset', it.dataset],
    ['tick', `${decimal(it.tickSizeNanos)} ${it.currency}`],
    ['a point is worth', `${decimal(it.pointValueNanos)} ${it.currency}`],
    ['a lot is', decimal(it.lotSizeNanos)],
    ['last trade', timeOf(it.updatedAt)],
    ['expires', timeOf(it.expiresAt)],
    ...it.aliases.map(({ alias, from, to }): [string, string] => [
      'meant by',
      `${alias} from ${timeOf(from)}${to === undefined ? '' : ` to ${timeOf(to)}`}`,
    ]),
    ...historyFacts(it),
    ...(it.rolls ?? []).map(({ from, symbol }): [string, string] => [
      'means',
      `${symbol} from ${timeOf(from)}`,
    ]),
  ];
}

function historyFacts({ history }: Instrument): [string, string][] {
  if (history === null) return [['history', 'none for this key']];
  const { firstDay, lastDay, missingDays, missingDaysTotal } = history;
  const left = missingDaysTotal - missingDays.length;
  const more = left > 0 ? [`${left} more`] : [];
  return [
    ['history', `${firstDay} to ${lastDay}`],
    ...(missingDaysTotal === 0
      ? []
      : [['missing days', [...missingDays, ...more].join(', ')] as [string, string]]),
  ];
}

function timeOf(ns: string): string {
  return timeText(BigInt(ns) as EpochNs);
}
