/** A text of trades, compressed by `bzip2`, `xz` and `lz4` (`packed/README.md`). */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'packed');
const ROWS = 2_500;

export const PACKED_SAMPLES: ReadonlyMap<string, Uint8Array> = new Map(
  readdirSync(FOLDER)
    .filter((name) => name.includes('.csv.'))
    .map((name) => [name, sample(name)]),
);

/** Small files that expand to very many zeros. */
export const PACKED_ZEROS = { bzip2: sample('zeros.bz2'), xz: sample('zeros.xz') } as const;

function sample(name: string): Uint8Array {
  return new Uint8Array(readFileSync(join(FOLDER, name)));
}

/** The expanded text: runs, near and far repetitions, and numbers that do not repeat. */
export function packedText(): string {
  let state = 1;
  const next = (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  };
  const rows = ['ts,price,size,side,symbol'];
  let [time, price] = [1_773_153_000_000, 20_000];
  for (let row = 0; row < ROWS; row += 1) {
    time += next(40);
    price += next(5) - 2;
    const side = next(2) === 0 ? 'buy' : 'sell';
    rows.push(`${time}000000,${(price / 4).toFixed(2)},${1 + next(30)},${side},ESH6`);
  }
  return `${rows.join('\n')}\n`;
}
