/**
 * One export, from any state to the finished file. The client library fetches it and resumes after interruptions; other
 * text formats are then rewritten from the fetched lines.
 */

import { existsSync, rmSync } from 'node:fs';
import { type TapeloomClient, TapeloomError } from '@tapeloom/client';
import { begunExport, type SaveProgress, saveExport } from '@tapeloom/client/node';
import type { CommandIo } from '../command.ts';
import { dataFields } from '../entries/data-fields.ts';
import type { EntryFormat } from '../entries/entry-format.ts';
import { openTextSink, type Written } from '../entries/text-sink.ts';
import { sizeText } from '../size-text.ts';
import { wholeText } from '../stream/text-format.ts';
import { contractOf, rewriteExport } from './export-lines.ts';
import type { ExportTarget } from './export-target.ts';
import type { HistoryQuery } from './history-query.ts';
import { tableFacts } from './table-facts.ts';
import { NOTHING, TransferProgress } from './transfer-progress.ts';

export interface ExportTask {
  readonly client: TapeloomClient;
  readonly query: HistoryQuery;
  readonly target: ExportTarget;
  readonly isQuiet: boolean;
}

export interface ExportDone extends Written {
  /** The contract that was read, from the file. */
  readonly contract: string | null;
  /** Results: objects and removals. */
  readonly objects: number;
  readonly seconds: number;
}

/** What an earlier run left on disk. */
type Found = 'nothing' | 'part' | 'lines';

export class ExportRun {
  readonly #task: ExportTask;
  readonly #io: CommandIo;
  #found: Found = 'nothing';
  #held = { lines: 0, bytes: 0 };

  constructor(task: ExportTask, io: CommandIo) {
    this.#task = task;
    this.#io = io;
  }

  /** Whether an earlier run began this export, so that resuming is free. */
  async find(): Promise<boolean> {
    const { target } = this.#task;
    const { path } = target.fetched;
    if (target.isForced) return false;
    const held = await begunExport(this.#request(), path);
    if (held !== null) {
      this.#found = 'part';
      this.#held = held;
      this.#say(
        held.bytes === 0
          ? 'An earlier run started this export but received nothing yet; it is charged once.'
          : `${path}.part has ${partText(held)} of it: resuming there, at no cost.`,
      );
    } else if (target.rewrittenAs !== null && existsSync(path)) {
      this.#found = 'lines';
      this.#say(`${path} is already complete: only ${target.path} is written, at no cost.`);
    }
    return this.#found !== 'nothing';
  }

  async finish(): Promise<ExportDone> {
    const startedMs = performance.now();
    const done = await this.#finished();
    return { ...done, seconds: Number(((performance.now() - startedMs) / 1_000).toFixed(3)) };
  }

  async #finished(): Promise<Omit<ExportDone, 'seconds'>> {
    const { fetched, rewrittenAs } = this.#task.target;
    const saved = this.#found === 'lines' ? null : await this.#fetch();
    const { path, format } = fetched;
    if (rewrittenAs !== null) {
      const contract = await contractOf(path);
      return { contract, ...(await this.#rewrite(rewrittenAs, saved?.lines ?? null)) };
    }
    const { bytes, sha256, lines } = saved!;
    if (format === 'ndjson') {
      return { contract: await contractOf(path), objects: lines - 2, bytes, sha256 };
    }
    const { contract, rows } = await tableFacts(path, format);
    return { contract, objects: rows, bytes, sha256 };
  }

  async #fetch() {
    const { client, query, target, isQuiet } = this.#task;
    const isLines = target.fetched.format === 'ndjson';
    const objectsOf = (lines: number) => (isLines ? Math.max(0, lines - 1) : null);
    const { lines, bytes } = this.#held;
    const fraction = this.#found === 'nothing' && isLines ? 0 : null;
    const held = { objects: objectsOf(lines), bytes, fraction };
    const progress = new TransferProgress(this.#io, held, { isQuiet });
    const { signal } = this.#io;
    const onProgress = (come: SaveProgress) =>
      progress.show(() => ({
        objects: objectsOf(come.lines),
        bytes: come.bytes,
        fraction: fractionAt(query, come),
      }));
    const options = { signal, onProgress, restart: target.isForced };
    try {
      return await saveExport(client, this.#request(), target.fetched.path, options);
    } catch (error) {
      progress.erase();
      await this.#sayHowToGoOn(error);
      throw error;
    } finally {
      progress.erase();
    }
  }

  async #rewrite(format: EntryFormat, lines: number | null) {
    const { client, query, target, isQuiet } = this.#task;
    const { signal } = this.#io;
    const definition =
      format === 'ndjson' ? null : await client.indicator(query.indicator, { signal });
    const progress = new TransferProgress(this.#io, { ...NOTHING, bytes: null }, { isQuiet });
    const onLines = (read: number) =>
      progress.show(() => ({
        objects: read,
        bytes: null,
        fraction: lines === null ? null : read / lines,
      }));
    try {
      using sink = openTextSink(target.path, this.#io);
      const fields = definition === null ? [] : dataFields(definition);
      const objects = await rewriteExport(target.fetched.path, sink, {
        format,
        fields,
        signal,
        onLines,
      });
      const written = sink.finish();
      rmSync(target.fetched.path);
      return { objects, ...written };
    } finally {
      progress.erase();
    }
  }

  async #sayHowToGoOn(error: unknown): Promise<void> {
    const { path } = this.#task.target.fetched;
    const held = await begunExport(this.#request(), path);
    if (held === null) return;
    const isTooOld = error instanceof TapeloomError && error.code === 'CURSOR_EXPIRED';
    this.#io.stderr(
      isTooOld
        ? `${path}.part can no longer be resumed; --force starts again, which is charged.\n`
        : `Stopped with ${partText(held)}. Run the same command within 24 hours to resume, at no cost.\n`,
    );
  }

  #request() {
    const { query, target } = this.#task;
    return { ...query, format: target.fetched.format };
  }

  #say(sentence: string): void {
    if (!this.#task.isQuiet) this.#io.stderr(`${sentence}\n`);
  }
}

/** The share of the time range, 0 to 1, because the size is unknown until the end. Null for an open range. */
function fractionAt(
  { from, to, studies }: HistoryQuery,
  { time, study }: SaveProgress,
): number | null {
  if (to === undefined || time === null) return null;
  const ofStudy = Math.min(1, Math.max(0, Number(time - from) / Number(to - from)));
  return (study + ofStudy) / (studies?.length ?? 1);
}

function partText({ lines, bytes }: { readonly lines: number; readonly bytes: number }): string {
  return lines === 0
    ? sizeText(bytes)
    : `${wholeText(lines)} line${lines === 1 ? '' : 's'} (${sizeText(bytes)})`;
}
