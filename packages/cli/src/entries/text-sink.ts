/** Writes a log's text, counted and digested, to stdout or to a file that appears under its name once complete. */

import { createHash } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { getSystemErrorMessage } from 'node:util';
import type { CommandIo } from '../command.ts';

/** Characters that are buffered before a write. */
const WRITE_CHARACTERS = 1 << 16;

export interface Written {
  readonly bytes: number;
  readonly sha256: string;
}

export interface TextSink extends Disposable {
  write(text: string): void;
  /** Writes the rest; a file then takes its name. */
  finish(): Written;
}

/** A null path is stdout. If disposed of before `finish`, an older file stays as it was. */
export function openTextSink(path: string | null, io: Pick<CommandIo, 'stdout'>): TextSink {
  const file = path === null ? null : openFile(path);
  const put = file === null ? io.stdout : file.write;
  const hash = createHash('sha256');
  let bytes = 0;
  let pending = '';
  const flush = () => {
    if (pending === '') return;
    hash.update(pending);
    bytes += Buffer.byteLength(pending);
    put(pending);
    pending = '';
  };
  return {
    write: (text) => {
      pending += text;
      if (pending.length >= WRITE_CHARACTERS) flush();
    },
    finish: () => {
      flush();
      file?.finish();
      return { bytes, sha256: hash.digest('hex') };
    },
    [Symbol.dispose]: () => file?.[Symbol.dispose](),
  };
}

interface OpenFile extends Disposable {
  readonly write: (text: string) => void;
  finish(): void;
}

function openFile(path: string): OpenFile {
  // A device or a pipe cannot be replaced: it is written directly.
  const isSpecial = statSync(path, { throwIfNoEntry: false })?.isFile() === false;
  const writtenTo = isSpecial ? path : `${path}.tmp`;
  let file: number | null = naming(path, () => openSync(writtenTo, 'w'));
  const close = () => {
    if (file !== null) closeSync(file);
    file = null;
  };
  let isWhole = false;
  return {
    write: (text) => naming(path, () => writeFileSync(file!, text)),
    finish: () => {
      naming(path, () => {
        close();
        if (!isSpecial) renameSync(writtenTo, path);
      });
      isWhole = true;
    },
    [Symbol.dispose]: () => {
      close();
      if (!isWhole && !isSpecial) rmSync(writtenTo, { force: true });
    },
  };
}

function naming<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** The system's message names no file, or the draft instead of the requested path. */
export function cannotWrite(path: string, error: unknown): Error {
  const { errno } = error as NodeJS.ErrnoException;
  const why = errno === undefined ? String(error) : getSystemErrorMessage(errno);
  return new Error(`cannot write ${path}: ${why}`, { cause: error });
}
