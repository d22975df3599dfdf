/**
 * Adds contracts of a venue to the text of an instruments file. What the file has stays as it is, with its comments; a
 * file that has all of them stays the same text. The result is read again before it is returned.
 */

import { formatPrice } from '@tapeloom/core/price';
import { isMap, isSeq, parseDocument } from 'yaml';
import { VenueError, type VenueKind } from '../live/venue-kind.ts';
import {
  type InstrumentsFile,
  type ListedDataset,
  type NamedContract,
  type VenueFeed,
  venueSymbolOf,
} from './instruments-file.ts';
import { readInstruments } from './read-instruments.ts';
import {
  contractFields,
  type ProductTerms,
  productFields,
  type WritableContract,
} from './venue-products.ts';
import { withEntry } from './yaml-insertion.ts';

/** The fields of `live` beside `feed`; null or absent: the venue's own. */
export interface LiveTerms {
  readonly streamAddress?: string | null;
  readonly restAddress?: string | null;
  readonly keyFile?: string | null;
  readonly venueDataset?: string | null;
  readonly backfillHours?: number | null;
}

export interface VenueAddition {
  readonly kind: Pick<VenueKind, 'name' | 'title'>;
  readonly dataset: string;
  /** For a dataset that the file does not have yet. */
  readonly live: LiveTerms;
  readonly contracts: readonly WritableContract[];
}

export interface ExtendedInstruments {
  readonly text: string;
  /** Our symbols that are new. */
  readonly added: readonly string[];
  /** Where the venue differs from the file, which stays. */
  readonly notes: readonly string[];
}

/** The dataset as the file has it; null: it has none. Throws a `VenueError` if its trades come from elsewhere. */
export function datasetOfVenue(
  { datasets }: InstrumentsFile,
  dataset: string,
  { name, title }: Pick<VenueKind, 'name' | 'title'>,
): (ListedDataset & { readonly live: VenueFeed }) | null {
  const found = datasets.find((one) => one.name === dataset);
  if (found === undefined) return null;
  const { live } = found;
  if (live?.source === 'venue' && live.venue === name) return { ...found, live };
  throw new VenueError(
    `The dataset ${dataset} of the file of instruments has no trades of ${title}. Choose another name with --dataset.`,
    false,
  );
}

/** The contract with this name at the venue. Upper and lower case count only where two differ in nothing else. */
export function contractAtVenue(
  { contracts }: Pick<ListedDataset, 'contracts'>,
  feedName: string,
  written: string,
): NamedContract | null {
  const named = contracts.map((contract) => [venueSymbolOf(contract, feedName), contract] as const);
  const exact = named.find(([name]) => name === written);
  if (exact !== undefined) return exact[1];
  const lower = written.toLowerCase();
  const near = named.filter(([name]) => name.toLowerCase() === lower);
  return near.length === 1 ? near[0]![1] : null;
}

/** `text`: of the file so far; null: there is none. Throws a `VenueError`, or a `FaultsError` of the file. */
export function extendInstruments(
  text: string | null,
  addition: VenueAddition,
): ExtendedInstruments {
  const { kind, dataset } = addition;
  const before: InstrumentsFile = text === null ? { datasets: [] } : readInstruments(text);
  const listed = datasetOfVenue(before, dataset, kind);
  const isOwn =
    ({ venueSymbol }: WritableContract) =>
    (named: NamedContract) =>
      venueSymbolOf(named, kind.name) === venueSymbol;
  const missing = addition.contracts.filter((it) => !listed?.contracts.some(isOwn(it)));
  const notes = addition.contracts.flatMap((it) => {
    const named = listed?.contracts.find(isOwn(it));
    return named === undefined ? [] : differences(named, it);
  });
  if (listed !== null && text !== null && missing.length === 0) return { text, added: [], notes };
  const writer = new DatasetWriter(text, addition, listed);
  for (const contract of missing) writer.add(contract);
  const { text: extended } = writer;
  readInstruments(extended);
  return { text: extended, added: missing.map(({ symbol }) => symbol), notes };
}

function differences(
  { contract }: NamedContract,
  { symbol, terms, tickSizeNanos }: WritableContract,
): readonly string[] {
  const pairs = [
    ['tick', contract.tickSizeNanos, tickSizeNanos],
    ['lot', contract.lotSizeNanos, terms.lotSizeNanos],
    ['point value', contract.pointValueNanos, terms.pointValueNanos],
  ] as const;
  return pairs.flatMap(([what, ours, theirs]) =>
    ours === theirs
      ? []
      : [
          `${contract.symbol} has the ${what} ${formatPrice(1, ours)} in the file, and ${formatPrice(1, theirs)} at the venue (${symbol}).`,
        ],
  );
}

class DatasetWriter {
  text: string;
  readonly #path: readonly string[];
  readonly #terms = new Map<string, ProductTerms & { readonly tickSizeNanos: number }>();

  constructor(text: string | null, addition: VenueAddition, listed: ListedDataset | null) {
    const { dataset, kind, live } = addition;
    this.text = text ?? 'datasets: {}\n';
    this.#path = ['datasets', dataset, 'products'];
    for (const { contract } of listed?.contracts ?? []) this.#terms.set(contract.root, contract);
    if (listed !== null) return;
    const fields = { live: liveFields(kind.name, live), products: {} };
    this.text = withEntry(this.text, ['datasets'], dataset, fields);
  }

  add(contract: WritableContract): void {
    const root = this.#rootFor(contract);
    const terms = this.#terms.get(root);
    if (terms === undefined) {
      this.text = withEntry(this.text, this.#path, root, productFields(contract));
      this.#terms.set(root, { ...contract.terms, tickSizeNanos: contract.tickSizeNanos });
      return;
    }
    const fields = contractFields(contract, terms.tickSizeNanos);
    this.text = withEntry(this.text, [...this.#path, root, 'contracts'], null, fields);
  }

  /** A product takes another contract only with the same terms. */
  #rootFor(contract: WritableContract): string {
    const { root, kind, symbol } = contract;
    const document = parseDocument(this.text, { schema: 'failsafe' });
    const fitting = [root, `${root}.${kind}`].find((name) => {
      const present = document.getIn([...this.#path, name]);
      if (present === undefined) return true;
      const isList = isMap(present) && isSeq(present.get('contracts'));
      const terms = this.#terms.get(name);
      return (
        isList && !contract.isPerpetual && terms !== undefined && isSame(terms, contract.terms)
      );
    });
    return fitting ?? symbol;
  }
}

function isSame(a: ProductTerms, b: ProductTerms): boolean {
  const fields = ['exchange', 'currency', 'calendar', 'lotSizeNanos', 'pointValueNanos'] as const;
  return fields.every((field) => a[field] === b[field]);
}

function liveFields(
  feed: string,
  { streamAddress, restAddress, keyFile, venueDataset, backfillHours }: LiveTerms,
): Readonly<Record<string, unknown>> {
  const addresses = {
    ...(streamAddress ? { stream: streamAddress } : {}),
    ...(restAddress ? { rest: restAddress } : {}),
  };
  return {
    feed,
    ...(Object.keys(addresses).length === 0 ? {} : { addresses }),
    ...(keyFile ? { keyFile } : {}),
    ...(venueDataset ? { venueDataset } : {}),
    ...(backfillHours ? { backfillHours } : {}),
  };
}
