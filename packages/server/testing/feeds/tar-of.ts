/** Makes tar files. */

const BLOCK_BYTES = 512;

/** An entry's head; 0 is a file, 5 a folder. */
export function tarHead(name: string, bytes: number, kind = '0'): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  block.write(name, 0);
  block.write('0000644\0', 100);
  block.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124);
  block.write('        ', 148);
  block.write(kind, 156);
  block.write('ustar\0', 257);
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

export function tarEntry(name: string, content: Uint8Array): Buffer {
  const padding = Buffer.alloc(-content.length & (BLOCK_BYTES - 1));
  return Buffer.concat([tarHead(name, content.length), content, padding]);
}

export const TAR_END = Buffer.alloc(2 * BLOCK_BYTES);
