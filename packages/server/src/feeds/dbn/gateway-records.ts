/** What the live gateway of Databento says between the trades: system messages, errors, and mappings of ids. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { FeedError } from '../feed-trades.ts';
import type { DbnWindow } from './dbn-input.ts';
import { ERROR_RTYPE, SENT_BYTES, SYMBOL_MAPPING_RTYPE, SYSTEM_RTYPE } from './dbn-kinds.ts';
import { readSymbolMapping } from './symbol-mapping.ts';

/** `code`: null if the record has none; those of version 1 never have. */
export type GatewayRecord =
  | {
      readonly kind: 'system';
      readonly code: number | null;
      readonly text: string;
      /** The gateway's time; null: it names none. */
      readonly event: EpochNs | null;
    }
  | { readonly kind: 'error'; readonly code: number | null; readonly text: string }
  | { readonly kind: 'mapping'; readonly id: number; readonly symbol: string };

/** Of a decoder that reads the stream of a gateway. */
export interface GatewayOptions {
  /** Gets the gateway's messages in their place among the other records. */
  readonly onGatewayRecord?: (record: GatewayRecord) => void;
  /** Longer metadata are rejected. */
  readonly headBytesMax?: number;
}

export const SYSTEM_CODES = {
  heartbeat: 0,
  subscribed: 1,
  slowReader: 2,
  replayCompleted: 3,
} as const;

export const ERROR_CODES = {
  authFailed: 1,
  keyDeactivated: 2,
  connectionLimit: 3,
  symbolResolution: 4,
  invalidSubscription: 5,
  internal: 6,
  recordsSkipped: 7,
} as const;

const NO_CODE = 255;
const NO_TIME = 0xffff_ffff_ffff_ffffn;
const TEXT_AT = 16;
/** By version; an error has one more byte behind its code. */
const BYTES_V1 = 80;
const BYTES = 320;
const CODE_AT = { system: 319, error: 318 } as const;

export function isGatewayRecord(rtype: number): boolean {
  return rtype === SYSTEM_RTYPE || rtype === ERROR_RTYPE || rtype === SYMBOL_MAPPING_RTYPE;
}

/** The record at `window.at`, which must be one of the gateway. */
export function gatewayRecordAt(window: DbnWindow, bytes: number, row: number): GatewayRecord {
  const { view, at, position } = window;
  const rtype = window.bytes[at + 1]!;
  if (rtype === SYMBOL_MAPPING_RTYPE) {
    return { kind: 'mapping', ...readSymbolMapping(window, bytes, row) };
  }
  const kind = rtype === SYSTEM_RTYPE ? 'system' : 'error';
  const body = [BYTES_V1, BYTES].find((usual) => bytes === usual || bytes === usual + SENT_BYTES);
  if (body === undefined) {
    throw new FeedError(
      `The ${kind} record at byte ${position + at} has ${bytes} bytes; ${BYTES_V1} and ${BYTES} can be true.`,
      row,
    );
  }
  const end = body === BYTES_V1 ? BYTES_V1 : CODE_AT[kind];
  const text = shownText(window.bytes.subarray(at + TEXT_AT, at + end));
  const told = body === BYTES_V1 ? NO_CODE : view.getUint8(at + end);
  const code = told === NO_CODE ? null : told;
  if (kind === 'error') return { kind, code, text };
  const isHeartbeat = code === null && text === 'Heartbeat';
  const event = view.getBigUint64(at + 8, true);
  return {
    kind,
    code: isHeartbeat ? SYSTEM_CODES.heartbeat : code,
    text,
    event: event === NO_TIME || event === 0n ? null : (event as EpochNs),
  };
}

/** Up to the first zero. What cannot be shown becomes a question mark. */
function shownText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  const text = new TextDecoder('latin1').decode(end < 0 ? bytes : bytes.subarray(0, end));
  return text.replaceAll(/[^ -~]/g, '?').trim();
}
