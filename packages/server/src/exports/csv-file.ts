/**
 * A table as CSV with a line of names (RFC 4180, line feeds, empty where there is no value), one zstd frame for each
 * group of rows. Its last frame, which decoders skip, proves that the file is complete. Equal rows give equal bytes.
 */

import { constants, zstdCompressSync } from 'node:zlib';
import type { TableColumn } from './table-columns.ts';
import type { TableFile } from './table-file.ts';
import type { TableGroup, TableValue } from './table-rows.ts';

const FRAME = {
  params: {
    [constants.ZSTD_c_compressionLevel]: 3,
    [constants.ZSTD_c_checksumFlag]: 1,
  },
};
/** The magic number of frames without content. */
const SKIPPABLE_MAGIC = 0x18_4d_2a_50;
const END = Buffer.from('TAPELOOM-END');
const QUOTED = /[",\r\n]/;

export class CsvFile implements TableFile {
  readonly #names: readonly string[];

  /** CSV has no place for facts; the response's headers have them. */
  constructor(columns: readonly TableColumn[]) {
    this.#names = columns.map(({ name }) => name);
  }

  begin(): Uint8Array<ArrayBuffer> {
    return frameOf(`${this.#names.join()}\n`);
  }

  add({ rows, values }: TableGroup): Uint8Array<ArrayBuffer> {
    const lines: string[] = [];
    for (let row = 0; row < rows; row += 1) {
      lines.push(values.map((column) => cell(column[row]!)).join());
    }
    return frameOf(`${lines.join('\n')}\n`);
  }

  end(): Uint8Array<ArrayBuffer> {
    const frame = Buffer.alloc(8 + END.length);
    frame.writeUInt32LE(SKIPPABLE_MAGIC, 0);
    frame.writeUInt32LE(END.length, 4);
    END.copy(frame, 8);
    return new Uint8Array(frame);
  }
}

function frameOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(zstdCompressSync(text, FRAME));
}

function cell(value: TableValue): string {
  const text = String(value ?? '');
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
