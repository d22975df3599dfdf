/**
 * Reads the messages that one NATS server has stored, from its block files: a query to any server
 * is answered by the stream's leader. A record is its length, number, time, subject length,
 * subject, optionally header length and headers, body, and a checksum of eight bytes.
 */

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const HEAD_BYTES = 22;
const CHECKSUM_BYTES = 8;
const HAS_HEADERS = 0x8000_0000;
/** The two highest bits of a number mark a deleted message. */
const GONE = 0xc000_0000_0000_0000n;

/** Digest by message number. */
export type ReplicaContent = ReadonlyMap<number, string>;

export async function replicaContent(store: string, stream: string): Promise<ReplicaContent> {
  const folder = join(store, 'jetstream/$G/streams', stream, 'msgs');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.blk'));
  const content = new Map<number, string>();
  for (const name of names.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))) {
    // A block that was purged meanwhile counts as empty.
    const block = await readFile(join(folder, name)).catch(() => Buffer.alloc(0));
    readBlock(block, content);
  }
  return content;
}

function readBlock(block: Buffer, content: Map<number, string>): void {
  let at = 0;
  while (at + HEAD_BYTES <= block.length) {
    const lengthField = block.readUInt32LE(at);
    const length = lengthField & ~HAS_HEADERS;
    // The end of the block is still being written.
    if (length < HEAD_BYTES + CHECKSUM_BYTES || at + length > block.length) return;
    const sequence = block.readBigUInt64LE(at + 4);
    if ((sequence & GONE) === 0n && sequence !== 0n) {
      const subjectAndRest = block.subarray(at + HEAD_BYTES, at + length - CHECKSUM_BYTES);
      content.set(Number(sequence), createHash('sha256').update(subjectAndRest).digest('hex'));
    }
    at += length;
  }
}

/** How replicas differ in their last number or in messages that both have; null when they agree. */
export function replicasDiffer(replicas: readonly ReplicaContent[]): string | null {
  const lasts = replicas.map(lastOf);
  if (new Set(lasts).size > 1) return `replicas end at ${lasts.join(', ')}`;
  const [first, ...others] = replicas;
  for (const [sequence, digest] of first!) {
    for (const [index, other] of others.entries()) {
      const theirs = other.get(sequence);
      if (theirs !== undefined && theirs !== digest) {
        return `message ${sequence} is another one on replica ${index + 1} than on replica 0`;
      }
    }
  }
  return null;
}

function lastOf(content: ReplicaContent): number {
  let last = 0;
  for (const sequence of content.keys()) last = Math.max(last, sequence);
  return last;
}
