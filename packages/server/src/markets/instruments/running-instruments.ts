/**
 * Which changes of the instruments file a running service can apply. Threads know their datasets from their start, and
 * streams rely on the terms and sessions of their contracts. So it applies only additions to known datasets, and rolls
 * of aliases, which change at runtime anyway. Everything else needs a restart.
 */

import { isDeepStrictEqual } from 'node:util';
import type { ListedDataset } from './instruments-file.ts';

const SHOWN_MAX = 5;

/** The changes that need a restart, as sentences; none: a running service can apply everything. */
export function needsRestart(
  before: readonly ListedDataset[],
  after: readonly ListedDataset[],
): readonly string[] {
  const found = new Map(after.map((dataset) => [dataset.name, dataset]));
  const known = new Set(before.map(({ name }) => name));
  return [
    ...after
      .filter(({ name }) => !known.has(name))
      .map(({ name }) => `The dataset ${name} is new.`),
    ...before.flatMap((dataset) => {
      const next = found.get(dataset.name);
      return next === undefined
        ? [`The dataset ${dataset.name} is gone.`]
        : changedIn(dataset, next);
    }),
  ];
}

function changedIn(before: ListedDataset, after: ListedDataset): readonly string[] {
  const contracts = (of: ListedDataset) =>
    new Map(of.contracts.map(({ contract }) => [contract.symbol, contract]));
  const roots = (of: ListedDataset) => new Map(of.aliases.map(({ alias, root }) => [alias, root]));
  const calendars = (of: ListedDataset) =>
    new Map(of.calendars.map((calendar) => [calendar.name, calendar]));
  const isSame = isDeepStrictEqual(before.live, after.live);
  return [
    ...(isSame ? [] : ['`live` has changed']),
    ...changed('contract', contracts(before), contracts(after)),
    ...changed('alias', roots(before), roots(after)),
    ...changed('calendar', calendars(before), calendars(after)),
  ].map((what) => `${before.name}: ${what}.`);
}

function changed(
  what: string,
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): readonly string[] {
  const gone = [...before.keys()].filter((name) => !after.has(name));
  const others = [...before].flatMap(([name, value]) =>
    after.has(name) && !isDeepStrictEqual(value, after.get(name)) ? [name] : [],
  );
  return [
    ...(gone.length === 0 ? [] : [`the ${what} ${some(gone)} is gone`]),
    ...(others.length === 0 ? [] : [`the ${what} ${some(others)} has changed`]),
  ];
}

function some(names: readonly string[]): string {
  const rest = names.length - SHOWN_MAX;
  return names.slice(0, SHOWN_MAX).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
