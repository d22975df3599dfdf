/**
 * The body of an export: zstd frames that expand to lines. Line 0 is the header; then comes one line for each result,
 * as history pages have them. The end line has their number and proves completeness. Whole blocks are sent as the
 * frames they are cached as. Several studies follow one another; each of their lines names its study, so it is
 * compressed anew. The lines of a query are always the same, so an export can begin at any of them.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { KIB } from '@tapeloom/core/units';
import { Block, type BlockParts } from '../blocks/block.ts';
import type { GapList } from '../history/gap-list.ts';
import { compressFrame, compressShort } from '../results/frames.ts';
import type { DayPart, DaysRead } from '../results/settled-days.ts';
import { type ExportStudy, exportHeader } from './export-header.ts';
import { exportPages } from './export-pages.ts';
import { markedText, studyMark } from './study-mark.ts';

/** A body up to this size that is complete at once is sent as a whole, with its length and digest. */
const WHOLE_BYTES_MAX = 256 * KIB;

/** A study and the source of its results. */
export interface OpenedStudy extends ExportStudy {
  /** Its results without the first `skip`: frames for a single study, otherwise blocks. Disposed of at the end. */
  open(skip: number): Promise<DaysRead>;
}

export interface ExportOptions {
  readonly studies: readonly OpenedStudy[];
  readonly engineFingerprint: string;
  readonly gaps?: GapList | null;
  /** The first requested line. */
  readonly line: number;
  /** Called before the first chunk, if that is the whole body. */
  readonly onWhole?: (body: Uint8Array) => void;
}

/** There is no such line: the export has fewer. */
export class NoSuchLineError extends Error {}

export async function* exportFrames(options: ExportOptions): AsyncGenerator<Uint8Array> {
  const { studies, engineFingerprint, gaps, line, onWhole } = options;
  // The header is line 0.
  const pages = pagesOf(studies, Math.max(0, line - 1));
  try {
    // Before anything is sent: an error at the start can still be reported.
    let next = await pages.next();
    const header = { t: 'header', ...exportHeader(studies, engineFingerprint, gaps) };
    const head = line === 0 ? [textFrame(header)] : [];
    if (next.done !== true && next.value.isLast) {
      const { items, frames } = next.value;
      yield* wholeOr([...head, ...frames, ...endOf(items, line)], onWhole);
      return;
    }
    yield* head;
    let items = 0;
    for (; next.done !== true; next = await pages.next()) {
      items += next.value.items;
      yield* next.value.frames;
    }
    yield* endOf(items, line);
  } finally {
    await pages.return();
  }
}

interface FramesPage {
  /** The number of lines, skipped ones included. */
  readonly items: number;
  readonly frames: readonly Uint8Array[];
  /** The last page of all studies. */
  readonly isLast: boolean;
}

async function* pagesOf(
  studies: readonly OpenedStudy[],
  skip: number,
): AsyncGenerator<FramesPage, void> {
  let left = skip;
  for (const [at, { query, open }] of studies.entries()) {
    const mark = studies.length === 1 ? null : studyMark(query.indicator, at);
    await using read = await open(left);
    for await (const { parts, frames, isLast } of exportPages(query, read)) {
      const settled = parts.reduce((sum, { skipped, updates }) => sum + skipped + updates, 0);
      left = Math.max(0, left - settled);
      const tail = tailOf(parts);
      const skipped = Math.min(tail.count, left);
      left -= skipped;
      const own = mark === null ? frames : await marked(parts, mark);
      const last = await tailFrame(tail.slice(skipped), mark);
      yield {
        items: settled + tail.count,
        frames: [own, last].filter(({ length }) => length > 0),
        isLast: isLast && at === studies.length - 1,
      };
    }
  }
}

async function marked(parts: readonly DayPart[], mark: Buffer): Promise<Uint8Array> {
  const blocks = parts.flatMap((part) => part.blocks.map((block) => new Block(block)));
  return await compressFrame(markedText(blocks, mark));
}

function tailOf(parts: readonly DayPart[]): Block {
  const tail: BlockParts | null | undefined = parts.at(-1)?.tail;
  return new Block(tail ?? { day: 0 as UtcDay, count: 0, memory: new ArrayBuffer(0) });
}

async function tailFrame(tail: Block, mark: Buffer | null): Promise<Uint8Array> {
  return await compressFrame(mark === null ? tail.text : markedText([tail], mark));
}

/** The end is a line as well. */
function endOf(items: number, line: number): readonly Uint8Array[] {
  if (line > items + 2) throw new NoSuchLineError(`there are ${items + 2} lines`);
  return line <= items + 1 ? [textFrame({ t: 'end', items })] : [];
}

function* wholeOr(
  chunks: readonly Uint8Array[],
  onWhole: ExportOptions['onWhole'],
): Generator<Uint8Array> {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (length > WHOLE_BYTES_MAX) {
    yield* chunks;
    return;
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  onWhole?.(whole);
  if (length > 0) yield whole;
}

function textFrame(line: object): Uint8Array {
  return compressShort(Buffer.from(`${JSON.stringify(line)}\n`));
}
