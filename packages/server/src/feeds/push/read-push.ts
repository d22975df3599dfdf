/**
 * Reads the body of a pushed batch: all of its trades, exactly, or none. A refusal names the line, the field and what
 * to do. Nothing is rounded and nothing is left out silently.
 */

import { PUSH_BYTES_MAX } from '@tapeloom/protocol/push';
import type { PushContentType } from '../../platform/push-exchange.ts';
import type { PushRules } from './push-contracts.ts';
import { invalidBatch, PushRefusal } from './push-refusal.ts';
import { PushRows } from './push-rows.ts';
import { readPushDbn, unpackedDbn } from './read-push-dbn.ts';
import { readPushLine } from './read-push-line.ts';
import { PushLineScan } from './scan-push-lines.ts';

const LINE_BYTES_MAX = 4_096;
const LINE_FEED = 0x0a;
const BOM = [0xef, 0xbb, 0xbf];
/** No trade is written in fewer bytes. */
const TRADE_BYTES_MIN = 48;
const RECORD_BYTES_MIN = 48;

export interface PushBody {
  readonly contentType: PushContentType;
  readonly body: Uint8Array;
  /** The number of a DBN body's first record. */
  readonly firstId: number | null;
}

/** Throws a `PushRefusal`. */
export async function readPush(
  { contentType, body, firstId }: PushBody,
  rules: PushRules,
): Promise<PushRows> {
  if (body.length > PUSH_BYTES_MAX) {
    const message = `The body has more than ${PUSH_BYTES_MAX} bytes. Send several batches.`;
    throw new PushRefusal('TOO_LARGE', { line: null, path: '', message });
  }
  switch (contentType) {
    case 'application/x-ndjson': {
      const rows = new PushRows(rules, Math.ceil(body.length / TRADE_BYTES_MIN));
      readLines(body, rows);
      return rows;
    }
    case 'application/x-dbn': {
      if (firstId === null) {
        throw invalidBatch(
          null,
          'firstId',
          'is missing. DBN has no trade numbers that grow for each contract, so say the number of the first record: ' +
            'the n-th record gets firstId + n - 1. Numbers must grow from batch to batch.',
        );
      }
      const bytes = await unpackedDbn(body);
      const rows = new PushRows(rules, Math.ceil(bytes.length / RECORD_BYTES_MIN));
      readPushDbn(bytes, firstId, rows);
      return rows;
    }
    default:
      return contentType satisfies never;
  }
}

function readLines(body: Uint8Array, rows: PushRows): void {
  const scan = new PushLineScan(body, rows);
  if (BOM.every((byte, at) => body[at] === byte)) scan.at = BOM.length;
  let line = 0;
  while (scan.at < body.length) {
    line += scan.read();
    if (scan.at >= body.length) return;
    line += 1;
    const from = scan.at;
    const found = body.indexOf(LINE_FEED, from);
    const to = found < 0 ? body.length : found;
    if (to - from > LINE_BYTES_MAX) {
      throw invalidBatch(
        line,
        '',
        `has more than ${LINE_BYTES_MAX} bytes. Each line is one trade.`,
      );
    }
    const text = textOf(body.subarray(from, to), line);
    if (text.trim() !== '') readPushLine(text, line, rows);
    scan.at = to + 1;
  }
}

function textOf(bytes: Uint8Array, line: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalidBatch(line, '', 'is not UTF-8 text.');
  }
}
