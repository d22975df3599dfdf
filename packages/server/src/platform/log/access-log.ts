/**
 * The access log: one JSON line for each answered request and each ended stream, in a file for each UTC day, so that a request id
 * leads somewhere. Off unless asked for. It has an end: files of older days go, and a day holds so much and no more. No query,
 * header, body or address of a client stands in it. Lines are written once a second; a killed process may lose the last of them.
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
/** Lines that wait for the disk. */
const WAITING_MAX = 20_000;
/** Of streams: a node that loses thousands at once must not fill the day with them. */
export const STREAM_LINES_A_SECOND = 20;
const FILE_NAME = /^(\d{4}-\d\d-\d\d)\.ndjson$/;
const PATH_LENGTH_MAX = 200;

export interface AnsweredRequest {
  readonly id: string;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** Null: nobody was recognised. */
  readonly account: string | null;
  readonly key: string | null;
  /** Of a stream: the code that its connection was closed with. */
  readonly close?: number;
}

export interface AccessLogOptions {
  /** The data directory. */
  readonly data: string;
  /** How many days stay, today among them. */
  readonly days: number;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  readonly dayBytesMax?: number;
}

/** Where its files are. */
export function accessLogPath(data: string): string {
  return join(data, 'access');
}

/** The newest day first. */
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
  /** Of the day's file. */
  #bytes = 0;
  readonly #writes = new SerialQueue();
  /** In this second. */
  #streamLines = 0;
  /** Told once, until it works again. */
  #isFailing = false;
  /** Lines that found no room. */
  leftOutTotal = 0;

  constructor(options: AccessLogOptions) {
    this.#options = options;
    this.#timer = options.clock.every(WRITE_EVERY_MS, () => {
      this.#streamLines = 0;
      void this.write();
    });
  }

  /** A sample: streams, and requests that never became one, may end by the thousand in a second. */
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

  /** Writes what waits; resolves when that is on its way to the disk. */
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
