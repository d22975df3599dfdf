/**
 * The access log, off by default: one JSON line for each response and each ended stream, in a file for each UTC day, so
 * that a request id can be looked up. Older days are deleted, and a day has a size limit. It contains no query, header,
 * body or client address. Lines are written once a second; a killed process may lose the last ones.
 */

import { appendFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { UtcDay } from '@tapeloom/core/numbers';
import { MIB } from '@tapeloom/core/units';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import type { Clock } from '../clock.ts';
import { makeDirectories } from '../disk/make-directories.ts';
import { OWNER_ONLY, OWNER_ONLY_DIRECTORY } from '../disk/private-file.ts';
import { SerialQueue } from '../waiting/serial-queue.ts';

const WRITE_EVERY_MS = 1_000;
const DAY_BYTES_MAX = 512 * MIB;
const WAITING_MAX = 20_000;
/** For streams: a node that loses thousands at once must not fill the day with them. */
export const STREAM_LINES_A_SECOND = 20;
const FILE_NAME = /^(\d{4}-\d\d-\d\d)\.ndjson$/;
const PATH_LENGTH_MAX = 200;

export interface AnsweredRequest {
  readonly id: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** Null: not authenticated. */
  readonly account: string | null;
  readonly key: string | null;
  /** For a stream: the close code of its connection. */
  readonly close?: number;
}

export interface AccessLogOptions {
  readonly data: string;
  /** How many days to keep, including today. */
  readonly days: number;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  readonly dayBytesMax?: number;
}

export function accessLogPath(data: string): string {
  return join(data, 'access');
}

/** Newest day first. */
export async function accessLogFiles(data: string): Promise<readonly string[]> {
  const directory = accessLogPath(data);
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const days = names.filter((name) => FILE_NAME.test(name));
  return days.sort((a, b) => b.localeCompare(a)).map((name) => join(directory, name));
}

export class AccessLog implements AsyncDisposable {
  readonly #options: AccessLogOptions;
  readonly #timer: Disposable;
  #waiting: string[] = [];
  #day: UtcDay | null = null;
  #bytes = 0;
  readonly #writes = new SerialQueue();
  #streamLines = 0;
  /** A fault is reported once until writing works again. */
  #isFailing = false;
  leftOutTotal = 0;

  constructor(options: AccessLogOptions) {
    this.#options = options;
    this.#timer = options.clock.every(WRITE_EVERY_MS, () => {
      this.#streamLines = 0;
      void this.write();
    });
  }

  /** Logs a sample: streams, and connections that never became a request, may end by the thousand in a second. */
  noteSampled(request: AnsweredRequest): void {
    if (this.#streamLines === STREAM_LINES_A_SECOND) {
      this.leftOutTotal += 1;
      return;
    }
    this.#streamLines += 1;
    this.note(request);
  }

  note(request: AnsweredRequest): void {
    if (this.#waiting.length >= WAITING_MAX) {
      this.leftOutTotal += 1;
      return;
    }
    const at = String(this.#options.clock.now());
    const path = request.path.slice(0, PATH_LENGTH_MAX);
    this.#waiting.push(`${JSON.stringify({ at, ...request, path })}\n`);
  }

  /** Writes the waiting lines; resolves when they were handed to the system. */
  write(): Promise<void> {
    return this.#writes.run(() => this.#write());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer[Symbol.dispose]();
    await this.write();
  }

  async #write(): Promise<void> {
    const lines = this.#waiting;
    if (lines.length === 0) return;
    this.#waiting = [];
    try {
      const path = await this.#fileOf(dayOf(this.#options.clock.now()));
      const text = lines.join('');
      const { dayBytesMax = DAY_BYTES_MAX } = this.#options;
      if (this.#bytes + text.length > dayBytesMax) {
        this.leftOutTotal += lines.length;
        return;
      }
      await appendFile(path, text, { mode: OWNER_ONLY });
      this.#bytes += Buffer.byteLength(text);
      this.#isFailing = false;
    } catch (error) {
      this.leftOutTotal += lines.length;
      if (!this.#isFailing) this.#options.onFault(error);
      this.#isFailing = true;
    }
  }

  async #fileOf(day: UtcDay): Promise<string> {
    const { data, days } = this.#options;
    const path = join(accessLogPath(data), fileName(day));
    if (day === this.#day) return path;
    await makeDirectories(accessLogPath(data), { mode: OWNER_ONLY_DIRECTORY });
    const oldest = join(accessLogPath(data), fileName(addDays(day, 1 - days)));
    for (const file of await accessLogFiles(data)) {
      if (file < oldest) await rm(file, { force: true });
    }
    this.#bytes = await stat(path).then(
      ({ size }) => size,
      () => 0,
    );
    this.#day = day;
    return path;
  }
}

/** `2026-11-18.ndjson`, so that names sort as days do. */
function fileName(day: UtcDay): string {
  return `${String(day).replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')}.ndjson`;
}
