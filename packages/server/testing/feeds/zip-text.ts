/** Makes zip files by the letter of the format, optionally with false fields. */

import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipPart {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly isStored?: boolean;
  /** False values of fields. */
  readonly lies?: {
    readonly bytes?: number;
    readonly crc32?: number;
    readonly method?: number;
    readonly flags?: number;
    readonly offset?: number;
  };
}

export function zipOf(parts: readonly ZipPart[], { isLarge = false } = {}): Buffer {
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, isStored = false, lies = {} } of parts) {
    const packed = isStored ? Buffer.from(bytes) : deflateRawSync(bytes);
    const path = Buffer.from(name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(path.length, 26);
    bodies.push(local, path, packed);
    const at = lies.offset ?? offset;
    const size = lies.bytes ?? bytes.length;
    const extra = Buffer.alloc(isLarge ? 28 : 0);
    if (isLarge) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      extra.writeBigUInt64LE(BigInt(size), 4);
      extra.writeBigUInt64LE(BigInt(packed.length), 12);
      extra.writeBigUInt64LE(BigInt(at), 20);
    }
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(lies.flags ?? 0, 8);
    entry.writeUInt16LE(lies.method ?? (isStored ? 0 : 8), 10);
    entry.writeUInt32LE(lies.crc32 ?? crc32(bytes), 16);
    entry.writeUInt32LE(isLarge ? 0xffffffff : packed.length, 20);
    entry.writeUInt32LE(isLarge ? 0xffffffff : size, 24);
    entry.writeUInt16LE(path.length, 28);
    entry.writeUInt16LE(extra.length, 30);
    entry.writeUInt32LE(isLarge ? 0xffffffff : at, 42);
    entries.push(Buffer.concat([entry, path, extra]));
    offset += local.length + path.length + packed.length;
  }
  const directory = Buffer.concat(entries);
  return Buffer.concat([
    ...bodies,
    directory,
    ...endOf(parts.length, directory.length, offset, isLarge),
  ]);
}

function endOf(count: number, bytes: number, offset: number, isLarge: boolean): readonly Buffer[] {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(isLarge ? 0xffff : count, 10);
  end.writeUInt32LE(isLarge ? 0xffffffff : bytes, 12);
  end.writeUInt32LE(isLarge ? 0xffffffff : offset, 16);
  if (!isLarge) return [end];
  const large = Buffer.alloc(56);
  large.writeUInt32LE(0x06064b50, 0);
  large.writeBigUInt64LE(BigInt(count), 32);
  large.writeBigUInt64LE(BigInt(bytes), 40);
  large.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + bytes), 8);
  return [large, locator, end];
}
