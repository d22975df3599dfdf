/** Reads an operator's instruments file: the result is correct instruments, or all faults with their places. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import { InstrumentBook, InstrumentBookError } from '@tapeloom/core/instrument/instrument-book';
import { dayOf } from '@tapeloom/core/utc-day';
import { didYouMean } from '../../config/nearest-name.ts';
import { isSafeName } from '../../tape/tape-paths.ts';
import { type Entry, EntryError, parseEntries } from './entry.ts';
import {
  aliasesOf,
  type InstrumentsFile,
  type ListedDataset,
  type LiveFeed,
  namesOf,
} from './instruments-file.ts';
import { makeAlias } from './make-alias.ts';
import { type MadeContract, makeContracts } from './make-contracts.ts';
import { type AliasForm, readAlias } from './read-alias.ts';
import { readCalendar } from './read-calendar.ts';
import { readLive } from './read-live.ts';
import { type ProductForm, readProduct } from './read-product.ts';
import { FaultsError, Reading } from './reading.ts';
import { type MadeDataset, resolveComposites } from './resolve-composites.ts';
import { CALENDAR_TEMPLATES } from './templates.ts';

const DATASETS_MAX = 64;
const PRODUCTS_MAX = 2_000;
const CALENDARS_MAX = 100;
const ALIASES_MAX = 4_000;
const CONTRACTS_MAX = 20_000;

/** Throws a `FaultsError` with all faults. */
export function readInstruments(text: string): InstrumentsFile {
  try {
    return instrumentsIn(parseEntries(text));
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    throw new FaultsError([
      { ...error.place, path: 'the file', message: `is refused: ${error.message}` },
    ]);
  }
}

function instrumentsIn(entry: Entry): InstrumentsFile {
  const reading = new Reading(entry);
  const named = reading.fields(['datasets']).required('datasets', new Map(), (field) => {
    const datasets = limited(field, DATASETS_MAX);
    if (datasets.size === 0) field.fault('has no dataset');
    return datasets;
  });
  const forms = [...named].map(([name, field]) => readDataset(field, name));
  reading.settle();
  const made = forms.map(makeDataset);
  checkAcross(forms, made);
  reading.settle();
  const datasets = resolveComposites(made);
  reading.settle();
  return { datasets };
}

interface DatasetForm {
  readonly reading: Reading;
  readonly name: string;
  readonly live: LiveFeed | undefined;
  readonly calendars: ReadonlyMap<string, Calendar>;
  readonly products: readonly ProductForm[];
  readonly aliases: readonly AliasForm[];
}

function readDataset(reading: Reading, name: string): DatasetForm {
  safe(reading, name);
  const fields = reading.fields(['live', 'calendars', 'products', 'aliases']);
  const calendars = fields.optional('calendars', (field) => limited(field, CALENDARS_MAX));
  const products = fields.required('products', new Map(), (field) => limited(field, PRODUCTS_MAX));
  const aliases = fields.optional('aliases', (field) => limited(field, ALIASES_MAX));
  const live = fields.optional('live', readLive);
  return {
    reading,
    name,
    live,
    calendars: new Map(
      [...(calendars ?? [])].map(([calendar, field]) => {
        safe(field, calendar);
        return [calendar, readCalendar(field, calendar, CALENDAR_TEMPLATES)] as const;
      }),
    ),
    products: [...products].map(([root, field]) => {
      safe(field, root);
      return readProduct(field, root, live?.source === 'composite');
    }),
    aliases: [...(aliases ?? [])].map(([alias, field]) => {
      safe(field, alias);
      return readAlias(field, alias);
    }),
  };
}

function makeDataset(form: DatasetForm): MadeDataset {
  const { reading, name, live, products } = form;
  const calendars = new Map<string, Calendar>();
  const made = products.map((product) => {
    const calendar = calendarOf(form, product);
    if (calendar === null) return [];
    calendars.set(calendar.name, calendar);
    return makeContracts(product, name, calendar);
  });
  const contracts = made.flat();
  if (contracts.length > CONTRACTS_MAX) reading.fault(`has more than ${CONTRACTS_MAX} contracts`);
  checkNames(contracts);
  const aliases = form.aliases.flatMap((alias) => {
    const index = products.findIndex(({ product }) => product.root === alias.root);
    if (index === -1) {
      const roots = products.map(({ product }) => product.root);
      alias.reading.fault(`names no product of the dataset.${didYouMean(alias.root, roots)}`);
      return [];
    }
    const product = products[index]!;
    const own = made[index]!.map(({ contract }) => contract);
    return makeAlias(alias, product, own, calendars.get(product.product.calendar)!) ?? [];
  });
  const dataset: ListedDataset = {
    name,
    ...(live !== undefined && { live }),
    calendars: [...calendars.values()],
    contracts: contracts.map(({ reading: _, memberNames: __, names, ...made }) => ({
      ...made,
      names: [...new Set(names)].filter((it) => it !== made.contract.symbol),
    })),
    aliases,
  };
  if (!reading.hasFaults) checkBook(reading, dataset);
  return { reading, dataset, made: contracts };
}

function calendarOf(
  { calendars }: DatasetForm,
  { product, reading }: ProductForm,
): Calendar | null {
  const found = calendars.get(product.calendar) ?? CALENDAR_TEMPLATES.get(product.calendar);
  if (found !== null) return found;
  const known = [...calendars.keys(), ...CALENDAR_TEMPLATES.names];
  const near = didYouMean(product.calendar, known) || ` There are ${known.join(', ')}.`;
  reading.fault(`has the calendar ${JSON.stringify(product.calendar)}, which is none.${near}`);
  return null;
}

/** Symbols are unique and safe as file names; another name of a contract must not belong to another product. */
function checkNames(contracts: readonly MadeContract[]): void {
  const bySymbol = new Map<string, MadeContract>();
  for (const made of contracts) {
    const { symbol, expiresAt } = made.contract;
    const other = bySymbol.get(symbol);
    bySymbol.set(symbol, made);
    if (!isSafeName(symbol)) {
      made.reading.fault(
        `gives the symbol ${JSON.stringify(symbol)}, which is no safe name of a file`,
      );
    } else if (other !== undefined) {
      const days = `${dayOf(other.contract.expiresAt)} and ${dayOf(expiresAt)}`;
      const hint = 'more digits of the year tell them apart: symbol: "{root}{M}{YY}"';
      made.reading.fault(`gives two contracts the symbol ${symbol} (they expire ${days}); ${hint}`);
    }
  }
  const rootByName = new Map([...bySymbol].map(([name, made]) => [name, made.contract.root]));
  for (const { contract, names, reading } of contracts) {
    for (const name of names) {
      const root = rootByName.get(name) ?? contract.root;
      rootByName.set(name, root);
      if (root !== contract.root) reading.fault(`has the name ${name}, which is one of ${root}`);
    }
  }
}

/** Checks contracts and aliases together, in the book that will hold them. */
function checkBook(reading: Reading, dataset: ListedDataset): void {
  try {
    new InstrumentBook(
      dataset.contracts.map(({ contract }) => contract),
      aliasesOf(dataset),
    );
  } catch (error) {
    if (!(error instanceof InstrumentBookError)) throw error;
    reading.fault(`contradicts itself: ${error.message}`);
  }
}

/** Names of contracts and aliases are unique within a service, across datasets. */
function checkAcross(forms: readonly DatasetForm[], datasets: readonly MadeDataset[]): void {
  const datasetByName = new Map<string, string>();
  for (const [index, { dataset }] of datasets.entries()) {
    for (const name of namesOf(dataset)) {
      const other = datasetByName.getOrInsert(name, dataset.name);
      if (other === dataset.name) continue;
      forms[index]!.reading.fault(`has the name ${name}, which is one of ${other} too`);
    }
  }
}

function limited(reading: Reading, countMax: number): ReadonlyMap<string, Reading> {
  const named = reading.named();
  if (named.size <= countMax) return named;
  reading.fault(`has ${named.size} names; at most ${countMax} may be`);
  return new Map();
}

function safe(reading: Reading, name: string): void {
  if (isSafeName(name)) return;
  const form = 'up to 64 letters, digits, dots, hyphens and underscores, a letter or digit first';
  reading.fault(`has a name that cannot be used; ${form} would do`);
}
