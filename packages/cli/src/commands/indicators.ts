/** `tapeloom indicators`: lists the indicators, or explains one with its parameters. Needs no key. */

import type { Catalogue } from '@tapeloom/client';
import { allowedInShort, valueText } from '@tapeloom/core/studies/parameter-words';
import { nearestName } from '@tapeloom/server/config/nearest-name';
import { tell } from '../accounts/account-options.ts';
import { type Command, CommandError, type CommandIo, UsageError } from '../command.ts';
import { CUSTOMER_USAGE, PLACE_OPTIONS, visitorClient } from '../customer/customer-options.ts';
import { rememberNames } from '../customer/known-names.ts';
import { wrappedText } from '../customer/wrapped-text.ts';
import { ExitCode } from '../exit-codes.ts';
import { readArgs } from '../read-args.ts';
import { tableText } from '../table-text.ts';

type Indicator = Catalogue['indicators'][number];
type Parameter = Indicator['parameters'][number];

export const indicatorsCommand: Command = {
  path: ['indicators'],
  summary: 'List the indicators, or explain one with its parameters.',
  usage: `Usage: tapeloom indicators [<indicator>] [options]

Lists the indicators, or explains one: its definition, its parameters with defaults and bounds, and
ready-made settings. It needs no key.

${CUSTOMER_USAGE}

Examples:
  tapeloom indicators
  tapeloom indicators footprint
  tapeloom indicators footprint --json | jq .paramsSchema
`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const taken = { texts: PLACE_OPTIONS, flags: ['json'] as const, words: null };
  const { values, words } = readArgs(args, taken);
  if (words.length > 1) throw new UsageError(`unexpected argument: ${words[1]}`);
  const [asked] = words;
  await using client = await visitorClient(values, io);
  const catalogue = await client.indicators({ signal: io.signal });
  const ids = catalogue.indicators.map(({ id }) => id);
  await rememberNames(io, 'indicators', ids);
  if (asked === undefined) {
    return tell(io, values.json, catalogue, indicatorsTable(catalogue.indicators));
  }
  const found = catalogue.indicators.find(({ id }) => id === asked);
  if (found === undefined) {
    const near = nearestName(asked, ids);
    const hint = near === null ? `the indicators are ${ids.join(', ')}` : `did you mean ${near}?`;
    const sentence = `no indicator is called ${asked}; ${hint}`;
    throw new CommandError(sentence, ExitCode.notFound, 'UNKNOWN_INDICATOR');
  }
  return tell(io, values.json, found, indicatorText(found));
}

function indicatorsTable(indicators: readonly Indicator[]): string {
  return tableText(
    [{ title: 'indicator' }, { title: 'what it shows' }],
    indicators.map(({ id, description }) => [id, inShort(description)]),
  );
}

function indicatorText(indicator: Indicator): string {
  const { id, name, description, parameters, presets, computeUnitsPerTrade } = indicator;
  const units = `${computeUnitsPerTrade} compute unit${computeUnitsPerTrade === 1 ? '' : 's'} a trade`;
  const parts = [
    `${name} (${id}), ${units}\n`,
    wrappedText(description, ''),
    ...(parameters.length === 0
      ? []
      : [`Parameters:\n\n${parameters.map(parameterText).join('\n')}`]),
    ...(presets.length === 0 ? [] : [`Ready-made settings:\n\n${presetsText(indicator)}`]),
  ];
  return parts.join('\n');
}

function parameterText(parameter: Parameter): string {
  const { name, description } = parameter;
  const bounds = wrappedText(`${name}: ${boundsText(parameter)}.`, '  ', '      ');
  return `${bounds}${wrappedText(description, '      ')}`;
}

function boundsText(parameter: Parameter): string {
  return [
    allowedInShort(parameter),
    `default ${defaultText(parameter)}`,
    ...(parameter.category === 'view' ? ['changes only what a snapshot shows'] : []),
  ].join('; ');
}

function defaultText({ default: usual, defaultBy }: Parameter): string {
  if (defaultBy === undefined) return valueText(usual);
  const by = Object.entries(defaultBy.values).map(([value, it]) => `${valueText(it)} for ${value}`);
  return `by ${defaultBy.by}: ${by.join(', ')}`;
}

function presetsText({ presets }: Indicator): string {
  return presets
    .map(({ name, params }) => `  ${name}: --params '${JSON.stringify(params)}'\n`)
    .join('');
}

/** The text up to the first pause: a description begins with what the indicator is, and continues with how. */
function inShort(description: string): string {
  return /^[^.,;(]+/.exec(description)?.[0].trim() ?? description;
}
