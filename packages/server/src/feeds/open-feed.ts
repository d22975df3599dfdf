/**
 * Opens a file of trades by its content, not by its name: unpacks it, recognises its form, and reads it as batches.
 * Ambiguous files raise questions with the options that settle them. A file without trades is rejected.
 */

import { arrowColumns, readArrow } from './arrow/arrow-trades.ts';
import { guessTable } from './columns/guess-table.ts';
import { mappedTable, writtenMapping } from './columns/mapped-table.ts';
import { parquetColumns, readParquet } from './columns/parquet-trades.ts';
import { TableTrades } from './columns/table-trades.ts';
import { CsvDecoder } from './csv/csv-decoder.ts';
import type { CsvHints, CsvQuestion } from './csv/csv-guess.ts';
import { guessCsv } from './csv/guess-csv.ts';
import { firstBytesOf, readCsv } from './csv/read-csv.ts';
import { captureLayouts } from './dbn/capture-layouts.ts';
import { DbnDecoder } from './dbn/dbn-decoder.ts';
import type { NamingDefinition } from './dbn/dbn-instruments.ts';
import { beginsAsDbn } from './dbn/dbn-metadata.ts';
import { type CsvMapping, columnsOf } from './feed-mapping.ts';
import { type FeedCounts, FeedError, type FeedInstrument, type FeedTrades } from './feed-trades.ts';
import { beginsAsJson, jsonAsText, jsonFields } from './json/json-lines.ts';
import type { ByteSource } from './packed/byte-source.ts';
import { type PackedFile, type Packing, unpack } from './packed/packing.ts';
import { printedText } from './printed-text.ts';
import { archiveRange, dbnRange, type SaidRange } from './said-range.ts';
import { beginsAsScid, ScidDecoder } from './scid/scid-decoder.ts';

const ACCEPTED =
  'DBN, SCID, JSON lines, CSV and other texts of columns, plain or packed with gzip, zstd, bzip2, xz, lz4, zip or tar, Parquet and Arrow are read';
const DBN_NAME = /\.(?:dbn|dbz|frag)$/i;
const MAPPING_GIVEN = 'The mapping that was given is used.';
const NAMES_SHOWN_MAX = 5;

/** Files of typed columns, by their first bytes: Arrow files have a magic number, streams start with a message. */
const TABLE_FORMS = [
  { name: 'Parquet', marks: ['PAR1'], columns: parquetColumns, read: readParquet },
  {
    name: 'Arrow',
    marks: ['ARROW1', '\xff\xff\xff\xff'],
    columns: arrowColumns,
    read: readArrow,
  },
] as const;
type TableForm = (typeof TABLE_FORMS)[number];

export interface FeedHints extends CsvHints {
  /** Describes a text or a table completely; nothing is guessed then. */
  readonly mapping?: CsvMapping;
  /** Names for instruments of which a DBN file has only ids. */
  readonly definitions?: readonly NamingDefinition[];
}

export interface OpenFeed {
  /** Sentences that explain how the file was understood. */
  readonly reasons: readonly string[];
  /** The same as a mapping that can be given as an option; null if the file needs none. */
  readonly mapping: CsvMapping | null;
  /** A readable description of the form, complete once the file was read. */
  format(): string;
  /** All trades, once. A batch is valid until the next one is requested. */
  trades(): AsyncIterable<FeedTrades>;
  instrumentCount(): number;
  /** The name of an instrument; the file's own name if the file does not name it. */
  nameOf(index: number): string;
  /** All its names, `nameOf` first. */
  namesOf(index: number): readonly string[];
  /** Why its trades are skipped; null for other instruments. */
  skippedAs(index: number): string | null;
  counts(): FeedCounts;
  /** The range that the file claims to have, known after its first batch; null if it claims none. */
  said(): SaidRange | null;
}

/** A text with several possible readings, and the questions that settle them. */
export class UnclearFeedError extends FeedError {
  readonly questions: readonly CsvQuestion[];
  /** A mapping to review and edit; null if there is none. */
  readonly draft: CsvMapping | null;

  constructor(questions: readonly CsvQuestion[], draft: CsvMapping | null) {
    super('It is not clear how this text is to be read.');
    this.questions = questions;
    this.draft = draft;
  }
}

export async function openFeed(
  source: ByteSource,
  path: string,
  hints: FeedHints,
): Promise<OpenFeed> {
  if (source.size === 0) throw new FeedError('The file is empty: it has 0 bytes.');
  const { packing, files } = await unpack(source, path);
  const [file] = files;
  if (file === undefined) throw new FeedError('The zip has no file in it.');
  if (files.length > 1) {
    const names = files.slice(0, NAMES_SHOWN_MAX).map(({ name }) => name);
    const more = files.length > NAMES_SHOWN_MAX ? ', …' : '';
    throw new FeedError(
      `The zip has ${files.length} files: unpack it and give one. They are: ${printedText(names.join(', '))}${more}`,
    );
  }
  const first = await firstBytesOf(file);
  if (first.length === 0) throw new FeedError('The file is empty: it expands to 0 bytes.');
  const feed = await openUnpacked(source, { file, first, packing, path }, hints);
  if (hints.hasSideByQuotes === true && feed.hasQuotes !== true) {
    throw new FeedError('Sides cannot follow from quotes: this file has none beside its trades.');
  }
  return feed;
}

interface Unpacked {
  readonly file: PackedFile;
  readonly first: Uint8Array;
  readonly packing: Packing;
  readonly path: string;
}

type OpenedFeed = OpenFeed & { readonly hasQuotes?: boolean };

async function openUnpacked(
  source: ByteSource,
  unpacked: Unpacked,
  hints: FeedHints,
): Promise<OpenedFeed> {
  const { file, first, packing } = unpacked;
  const stem = file.name.split('.')[0]!;
  if (beginsAsDbn(first) || DBN_NAME.test(file.name)) {
    return await dbnFeed(unpacked, hints, stem);
  }
  if (hints.definitions !== undefined) {
    throw new FeedError('Definitions name the instruments of DBN, and this is something else.');
  }
  if (beginsAsScid(first)) return scidFeed(unpacked, stem);
  const form = TABLE_FORMS.find(({ marks }) => marks.some((mark) => beginsAs(first, mark)));
  if (form !== undefined) {
    if (packing !== 'plain')
      throw new FeedError(`The ${form.name} file is packed: unpack it first.`);
    return await tableFeed(source, form, hints, stem);
  }
  if (beginsAs(first, 'FEA1')) {
    throw new FeedError(`This is Feather of version 1: write it as version 2. ${ACCEPTED}.`);
  }
  if (first.includes(0))
    throw new FeedError(`This is no file of trades of a known form. ${ACCEPTED}.`);
  return beginsAsJson(first)
    ? await jsonFeed(unpacked, hints, stem)
    : csvFeed(unpacked, hints, stem, 'CSV');
}

function beginsAs(first: Uint8Array, mark: string): boolean {
  return Buffer.from(first.subarray(0, mark.length)).toString('latin1') === mark;
}

async function dbnFeed(
  { file, packing }: Unpacked,
  { definitions = [] }: FeedHints,
  stem: string,
): Promise<OpenedFeed> {
  const layouts = await captureLayouts(file.bytes());
  const decoder = new DbnDecoder({ definitions, layouts });
  const namesOf = (index: number) => {
    const { symbol, orderedAs, instrumentId } = decoder.instruments[index]!;
    const isOnly = decoder.instruments.length === 1;
    const ordered = orderedAs === null ? [] : [orderedAs];
    if (symbol !== null) return [symbol, ...ordered];
    // After a roll such a name stands for several contracts, distinguished only by their ids.
    return isOnly ? [...ordered, String(instrumentId)] : [String(instrumentId), ...ordered];
  };
  return {
    reasons: [],
    mapping: null,
    format: () => {
      const { version, schemaName, dataset } = decoder.metadata!;
      return packed(
        `DBN version ${version}, ${schemaName} of ${printedText(dataset || stem)}`,
        packing,
      );
    },
    trades: async function* () {
      for await (const piece of file.bytes()) yield* decoder.push(piece);
      decoder.end();
    },
    instrumentCount: () => decoder.instruments.length,
    nameOf: (index) => printedText(namesOf(index)[0]!),
    namesOf,
    skippedAs: (index) => decoder.instruments[index]!.skipped,
    counts: () => decoder.counts,
    said: () =>
      decoder.metadata === null
        ? null
        : dbnRange(decoder.metadata, (id, day) => decoder.definedSymbol(id, day)),
  };
}

async function tableFeed(
  source: ByteSource,
  form: TableForm,
  { mapping: given, ...hints }: FeedHints,
  stem: string,
): Promise<OpenedFeed> {
  const columns = await form.columns(source);
  const zone = hints.zone ?? null;
  const { mapping, reasons } =
    given === undefined
      ? guessTable(columns, zone, hints)
      : { mapping: mappedTable(given, columns, zone), reasons: [MAPPING_GIVEN] };
  const trades = new TableTrades(mapping);
  return {
    reasons,
    mapping: writtenMapping(mapping),
    format: () => form.name,
    trades: () => form.read(source, mapping, trades),
    ...named(() => trades.instruments, stem),
    counts: () => trades.counts,
    said: () => null,
  };
}

function scidFeed({ file, packing }: Unpacked, stem: string): OpenedFeed {
  const decoder = new ScidDecoder();
  // Sierra Chart's own file names: `ESH26_FUT_CME`.
  const symbol = stem.split('_FUT')[0]!;
  return {
    reasons: ['Volume at the ask is a buy, at the bid a sell.'],
    mapping: null,
    format: () => packed('SCID', packing),
    trades: async function* () {
      for await (const piece of file.bytes()) yield* decoder.push(piece);
      yield* decoder.finish();
    },
    ...named(() => [{ symbol: null, skipped: null }], symbol),
    counts: () => decoder.counts,
    said: () => null,
  };
}

/** Read as a text whose columns are the fields. */
async function jsonFeed(
  unpacked: Unpacked,
  { mapping, ...hints }: FeedHints,
  stem: string,
): Promise<OpenedFeed> {
  const named = mapping === undefined ? [] : columnsOf(mapping);
  const wanted = named.filter((column) => typeof column === 'string');
  const fields = [...new Set([...jsonFields(unpacked.first), ...wanted])];
  const file = jsonAsText(unpacked.file, fields);
  const first = await firstBytesOf(file);
  const given =
    mapping === undefined
      ? {}
      : { mapping: { ...mapping, delimiter: ',', hasHeader: true, decimalSign: '.' } as const };
  return csvFeed({ ...unpacked, file, first }, { ...hints, ...given }, stem, 'JSON lines');
}

function csvFeed(
  { file, first, packing, path }: Unpacked,
  hints: FeedHints,
  stem: string,
  name: 'CSV' | 'JSON lines',
): OpenedFeed {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const guess = guessCsv(
    first,
    packing === 'zip' ? `${path}/${file.name}` : folder + file.name,
    hints,
  );
  const mapping = hints.mapping ?? guess.mapping;
  if (mapping === null) throw new UnclearFeedError(guess.unclear, guess.draft);
  const decoder = new CsvDecoder(mapping, undefined, name === 'JSON lines');
  const isGuessed = hints.mapping === undefined;
  const form = isGuessed && guess.preset !== null ? `${name} as of ${guess.preset}` : name;
  return {
    hasQuotes: mapping.side.kind === 'quotes',
    mapping,
    reasons: isGuessed ? guess.reasons.map(printedText) : [MAPPING_GIVEN],
    format: () => packed(form, packing),
    trades: () => readCsv(file, decoder),
    ...named(() => decoder.instruments, (isGuessed ? guess.symbol : null) ?? stem),
    counts: () => decoder.counts,
    said: () => (isGuessed ? archiveRange(guess.preset, file.name) : null),
  };
}

/** Instruments by symbol; one without a symbol has the name `otherwise`. */
function named(instruments: () => readonly FeedInstrument[], otherwise: string) {
  const nameOf = (index: number) => instruments()[index]!.symbol ?? otherwise;
  return {
    instrumentCount: () => instruments().length,
    nameOf: (index: number) => printedText(nameOf(index)),
    namesOf: (index: number) => [nameOf(index)],
    skippedAs: (index: number) => instruments()[index]!.skipped,
  };
}

function packed(form: string, packing: Packing): string {
  return packing === 'plain' ? form : `${form}, packed with ${packing}`;
}
