/** Finds the contracts that an operator named in a venue's list, and reads their descriptions. */

import { formatPrice } from '@tapeloom/core/price';
import { didYouMean } from '../../config/nearest-name.ts';
import type { Network } from './network.ts';
import { onGrid } from './on-grid.ts';
import { decimalOf, FieldError, fieldsOf, requestJson, textOf } from './venue-answers.ts';
import { type VenueContract, VenueError } from './venue-kind.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface ContractList {
  /** For people: `Deribit`. */
  readonly venue: string;
  /** The address of the list. */
  readonly url: string;
  readonly rows: readonly unknown[];
  /** The field with the contract's name. */
  readonly nameField: string;
  readonly read: (row: Row, venueSymbol: string) => VenueContract;
}

/** Requests a list: the answer, or one field of it. Rejects with a `VenueError`. */
export async function requestRows(
  network: Network,
  url: string,
  field: string | null,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const answer = await requestJson(network, { url }, signal);
  const rows = field === null ? answer : (answer as Row | null)?.[field];
  if (Array.isArray(rows)) return rows;
  throw new VenueError(`${new URL(url).host} did not answer with a list of contracts`, true);
}

/** The contracts of these names, in their order. Throws a `VenueError`. */
export function listedContracts(
  { venue, url, rows, nameField, read }: ContractList,
  venueSymbols: readonly string[],
): readonly VenueContract[] {
  try {
    const byName = new Map<string, Row>();
    for (const row of rows) {
      const fields = fieldsOf(row, 'of a contract');
      byName.set(textOf(fields[nameField], nameField), fields);
    }
    return venueSymbols.map((symbol) => {
      const row = byName.get(symbol);
      if (row !== undefined) return read(row, symbol);
      const near = didYouMean(symbol, [...byName.keys()]);
      throw new VenueError(`${venue} has no contract ${symbol}.${near}`, false);
    });
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    const what = `${new URL(url).host} describes a contract in an unknown way: ${error.message}`;
    throw new VenueError(what, false, { cause: error });
  }
}

/** A size of a tick or a lot as a plain decimal: `1e-7` is 0.0000001. */
export function stepOf(value: unknown, field: string): string {
  const nanos = onGrid(decimalOf(value, field), 1);
  if (!Number.isSafeInteger(nanos) || nanos <= 0) throw new FieldError(field, value);
  return formatPrice(1, nanos);
}
