/**
 * The messages of an Arrow file, with their descriptions and the positions of their bytes. The stream form is read
 * message by message up to its end mark. The file form (`ARROW1`, Feather 2) lists its messages at its end,
 * dictionaries first. A truncated file is missing its end and is rejected.
 */

import { MIB } from '@tapeloom/core/units';
import { FeedError } from '../feed-trades.ts';
import { type ByteSource, bytesAt } from '../packed/byte-source.ts';
import { type ArrowField, readSchema } from './arrow-schema.ts';
import { FlatTable } from './flat-table.ts';

const FILE_MARK = 'ARROW1';
/** A marker, and the length of the description after it. */
const PREFIX_BYTES = 8;
/** The length of the footer, and the magic number again. */
const SUFFIX_BYTES = 4 + FILE_MARK.length;
const CONTINUES = -1;
const DESCRIPTION_BYTES_MAX = 16 * MIB;
const BLOCK_BYTES = 24;
/** Metadata versions 4 and 5, as numbered in the file; earlier ones belong to Arrow 0.7 and older. */
const OLD_VERSION = 3;
const VERSION = 4;
const HEADERS = { schema: 1, dictionary: 2, batch: 3 } as const;

export interface ArrowMessage {
  /** A dictionary's id is in its header, beside the batch with its values. */
  readonly kind: 'dictionary' | 'batch';
  readonly header: FlatTable;
  /** The position and length of its buffers. */
  readonly bodyAt: number;
  readonly bodyBytes: number;
}

interface AnyMessage extends Omit<ArrowMessage, 'kind'> {
  readonly kind: keyof typeof HEADERS;
  readonly version: number;
  readonly end: number;
}

export interface ArrowFile {
  readonly fields: readonly ArrowField[];
  /** Dictionaries come before the batches that use them. */
  messages(): AsyncGenerator<ArrowMessage>;
}

export async function openArrow(source: ByteSource): Promise<ArrowFile> {
  const first = await bytesAt(source, 0, Math.min(PREFIX_BYTES, source.size));
  return textOf(first.subarray(0, FILE_MARK.length)) === FILE_MARK
    ? await openFileForm(source)
    : await openStreamForm(source);
}

async function openStreamForm(source: ByteSource): Promise<ArrowFile> {
  const schema = await messageAt(source, 0, source.size);
  if (schema?.kind !== 'schema') {
    throw new FeedError('The Arrow stream does not begin with what its columns are.');
  }
  return {
    fields: readSchema(schema.header, schema.version === OLD_VERSION),
    messages: async function* () {
      let at = schema.end;
      for (;;) {
        if (at === source.size) {
          throw new FeedError('The Arrow stream ends without its end mark: was the file cut?');
        }
        const message = await messageAt(source, at, source.size);
        if (message === null) break;
        yield withRows(message);
        at = message.end;
      }
      if (at + PREFIX_BYTES !== source.size) {
        throw new FeedError('The Arrow stream goes on behind its end mark: is it several files?');
      }
    },
  };
}

async function openFileForm(source: ByteSource): Promise<ArrowFile> {
  const suffixAt = source.size - SUFFIX_BYTES;
  const suffix = await bytesAt(source, Math.max(0, suffixAt), Math.min(SUFFIX_BYTES, source.size));
  if (suffixAt < PREFIX_BYTES || textOf(suffix.subarray(4)) !== FILE_MARK) {
    throw new FeedError('The Arrow file has not the end that such files have: was it cut?');
  }
  const bytes = new DataView(suffix.buffer, suffix.byteOffset).getInt32(0, true);
  const end = suffixAt - bytes;
  if (bytes < 4 || bytes > DESCRIPTION_BYTES_MAX || end < PREFIX_BYTES) {
    throw new FeedError('The Arrow file is damaged at its end, which says where its parts are.');
  }
  const footer = FlatTable.root(await bytesAt(source, end, bytes));
  const version = knownVersion(footer.number(0, 'i16'));
  const schema = footer.table(1);
  if (schema === null) throw new FeedError('The Arrow file does not say what its columns are.');
  const parts = [...partsOf(footer, 2, 'dictionary', end), ...partsOf(footer, 3, 'batch', end)];
  refuseShared(parts);
  return {
    fields: readSchema(schema, version === OLD_VERSION),
    messages: async function* () {
      for (const part of parts) {
        const message = await messageAt(source, part.at, part.end);
        if (message?.kind !== part.kind) {
          throw new FeedError(`The Arrow file has no ${part.kind} at byte ${part.at}.`);
        }
        yield withRows(message);
      }
    },
  };
}

interface Part {
  readonly kind: ArrowMessage['kind'];
  readonly at: number;
  readonly end: number;
}

function partsOf(footer: FlatTable, field: number, kind: Part['kind'], end: number): Part[] {
  const blocks = footer.structs(field, BLOCK_BYTES);
  return Array.from({ length: blocks.count }, (_, index) => {
    const at = blocks.number(index, 0, 'i64');
    const described = blocks.number(index, 8, 'i32');
    const body = blocks.number(index, 16, 'i64');
    const partEnd = at + described + body;
    if (at < PREFIX_BYTES || described < PREFIX_BYTES || body < 0 || partEnd > end) {
      throw new FeedError('The Arrow file is damaged at its end, which says where its parts are.');
    }
    return { kind, at, end: partEnd };
  });
}

/** Rejects overlapping parts, so that no trade is read twice. */
function refuseShared(parts: readonly Part[]): void {
  let before = 0;
  for (const { at, end } of parts.toSorted((a, b) => a.at - b.at)) {
    if (at < before)
      throw new FeedError(`The Arrow file has two parts in one place, at byte ${at}.`);
    before = end;
  }
}

/** The message at `at`, which must end before `limit`; null for the end mark. */
async function messageAt(
  source: ByteSource,
  at: number,
  limit: number,
): Promise<AnyMessage | null> {
  const descriptionAt = at + PREFIX_BYTES;
  if (descriptionAt > limit) throw cut(limit);
  const prefix = await bytesAt(source, at, PREFIX_BYTES);
  const view = new DataView(prefix.buffer, prefix.byteOffset);
  const bytes = view.getInt32(4, true);
  if (view.getInt32(0, true) !== CONTINUES || bytes < 0 || bytes > DESCRIPTION_BYTES_MAX) {
    throw new FeedError(`The Arrow file has no message at byte ${at}, where one should be.`);
  }
  if (bytes === 0) return null;
  const bodyAt = descriptionAt + bytes;
  if (bodyAt > limit) throw cut(limit);
  const message = FlatTable.root(await bytesAt(source, descriptionAt, bytes));
  const version = knownVersion(message.number(0, 'i16'));
  const kind = kindOf(message.number(1, 'u8'));
  const header = message.table(2);
  const bodyBytes = message.number(3, 'i64');
  if (header === null || bodyBytes < 0) {
    throw new FeedError(`The Arrow file is damaged: the message at byte ${at} has no content.`);
  }
  if (bodyAt + bodyBytes > limit) throw cut(limit);
  return { kind, version, header, bodyAt, bodyBytes, end: bodyAt + bodyBytes };
}

function withRows({ kind, ...message }: AnyMessage): ArrowMessage {
  if (kind === 'schema') throw new FeedError('The Arrow file says twice what its columns are.');
  return { kind, ...message };
}

function kindOf(number: number): AnyMessage['kind'] {
  switch (number) {
    case HEADERS.schema:
      return 'schema';
    case HEADERS.dictionary:
      return 'dictionary';
    case HEADERS.batch:
      return 'batch';
    default:
      throw new FeedError(`The Arrow file has something else than a table in it (${number}).`);
  }
}

function knownVersion(version: number): number {
  if (version === OLD_VERSION || version === VERSION) return version;
  throw new FeedError(
    `The Arrow file has version ${version + 1} of Arrow's metadata; 4 and 5 are read.`,
  );
}

function cut(at: number): FeedError {
  return new FeedError(`The Arrow file is cut or damaged: a message goes on behind byte ${at}.`);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
