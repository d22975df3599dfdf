/**
 * Sealed days as objects that nodes exchange: sidecar and Arrow file in one piece, named by its digest. Two nodes may
 * compress the same trades differently. So a fetched day must have the digest of trades that the book lists.
 */

import { type Disk, readFileWhole, replaceFile } from '../../../platform/disk/disk.ts';
import { parseSidecar } from '../../sidecar.ts';
import { type BookDay, sha256 } from '../../stream/tape-book.ts';
import type { TapeObjects } from '../../stream/tape-stream.ts';
import { TapeDamagedError } from '../../tape-errors.ts';
import type { SealedPart } from '../../tape-manifest.ts';
import { contractDirectory, sealedPath, sidecarPath } from '../../tape-paths.ts';

const LENGTH_BYTES = 4;

export interface DayObjectsPlace {
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly dataset: string;
  readonly objects: TapeObjects;
}

/** Stores a day's files as an object and reads it back. `TapeDamagedError` means that the local files are at fault. */
export async function putDay(place: DayObjectsPlace, part: SealedPart): Promise<string> {
  const { disk, tapeRoot, dataset, objects } = place;
  const { symbol, day } = part;
  const file = sidecarPath(tapeRoot, dataset, symbol, day);
  const sidecar = await readFileWhole(disk, file);
  const arrow = await readFileWhole(disk, sealedPath(tapeRoot, dataset, symbol, day));
  if (sidecar === null || arrow === null) {
    throw new TapeDamagedError('a sealed day is not there', { file, offset: 0 });
  }
  assertSound(sidecar, arrow, file, part);
  const bytes = new Uint8Array(LENGTH_BYTES + sidecar.length + arrow.length);
  new DataView(bytes.buffer).setUint32(0, sidecar.length, true);
  bytes.set(sidecar, LENGTH_BYTES);
  bytes.set(arrow, LENGTH_BYTES + sidecar.length);
  const name = `day.${sha256(bytes)}`;
  await objects.put(name, bytes);
  const stored = await objects.get(name);
  if (stored === null || `day.${sha256(stored)}` !== name) {
    throw new Error(`the object ${name} of ${symbol} ${day} was not kept`);
  }
  return name;
}

/** Writes the files of a listed day; they are on disk when this resolves. */
export async function fetchDay(
  place: DayObjectsPlace,
  part: SealedPart,
  listed: BookDay,
): Promise<void> {
  const { disk, tapeRoot, dataset, objects } = place;
  const { symbol, day } = part;
  const bytes = await objects.get(listed.object);
  if (bytes === null || `day.${sha256(bytes)}` !== listed.object) {
    throw new TapeDamagedError('a listed day is not there', { file: listed.object, offset: 0 });
  }
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const sidecar = bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
  const arrow = bytes.subarray(LENGTH_BYTES + length);
  assertSound(sidecar, arrow, listed.object, part);
  await disk.makeDirectory(contractDirectory(tapeRoot, dataset, symbol));
  await replaceFile(disk, sealedPath(tapeRoot, dataset, symbol, day), arrow);
  await replaceFile(disk, sidecarPath(tapeRoot, dataset, symbol, day), sidecar);
}

function assertSound(
  text: Uint8Array,
  arrow: Uint8Array,
  file: string,
  { symbol, day, digest }: SealedPart,
): void {
  const sidecar = parseSidecar(new TextDecoder().decode(text), file);
  const isRight = sidecar.symbol === symbol && sidecar.day === day && sidecar.digest === digest;
  if (!isRight || sidecar.sha256 !== sha256(arrow)) {
    throw new TapeDamagedError(`it is not ${symbol} ${day} ${digest}`, { file, offset: 0 });
  }
}
