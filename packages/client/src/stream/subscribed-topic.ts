/** Validates a subscription before anything is sent. Invalid values throw `CONFIGURATION` with the field's name. */

import type { StreamFrom } from '@tapeloom/protocol/client-messages';
import { STREAM_LIMITS } from '@tapeloom/protocol/stream-limits';
import { TapeloomError } from '../tapeloom-error.ts';
import { nsOf, type Time, timeText } from '../times.ts';
import type { StreamedTopic } from './connection-events.ts';
import { keptFinals } from './kept-objects.ts';
import type { SubscribeRequest } from './subscription.ts';
import { FoldedState } from './subscription-state.ts';

const CURSOR = /^\d{8}\.\d+\.\d+$/;
const MODES: readonly unknown[] = [undefined, 'live', 'confirmed'];

export function topicOf(request: SubscribeRequest): StreamedTopic {
  const { indicator, instrument, params, mode, queueMax, keepFinal, readyTimeout } = request;
  if (typeof indicator !== 'string' || indicator === '') throw wrong('"indicator" must be a text.');
  if (typeof instrument !== 'string' || instrument === '') {
    throw wrong('"instrument" must be a text.');
  }
  if (params !== undefined && !isRecord(params)) {
    throw wrong('"params" must be an object, such as { size: 60 }.');
  }
  if (!MODES.includes(mode)) throw wrong('"mode" must be "live" or "confirmed".');
  requireSignal(request.signal);
  if (queueMax !== undefined && !(Number.isSafeInteger(queueMax) && queueMax >= 1)) {
    throw wrong('"queueMax" must be a whole number from 1 on.');
  }
  if (readyTimeout !== undefined && !(readyTimeout > 0 && readyTimeout < 2 ** 31)) {
    throw wrong('"readyTimeout" must be a number of milliseconds above 0.');
  }
  const asked = {
    instrument,
    indicator,
    ...(params === undefined ? {} : { params: params as Readonly<Record<string, unknown>> }),
    ...(mode === undefined ? {} : { mode }),
  };
  const from = startOf(request.from);
  // The server closes the connection, and so all subscriptions, at one message that is too big.
  const bytes = new TextEncoder().encode(JSON.stringify({ ...asked, from })).length;
  if (bytes > STREAM_LIMITS.messageBytesMax - 256) throw wrong('"params" is too large to be sent.');
  return { request: asked, state: new FoldedState(from, keptFinals(keepFinal)) };
}

function startOf(from: SubscribeRequest['from'] = 'live'): StreamFrom {
  if (from === 'live') return from;
  if (isRecord(from) && 'cursor' in from) {
    const { cursor } = from as { readonly cursor: unknown };
    if (typeof cursor === 'string' && CURSOR.test(cursor)) return { cursor };
    throw wrong('"from.cursor" must be a cursor, such as 20261113.48211.0.');
  }
  const time = (isRecord(from) && 'time' in from ? from.time : from) as Time;
  try {
    nsOf(time);
  } catch (cause) {
    const forms = '"live", { cursor }, or a time';
    throw wrong(`"from" must be ${forms}: ${(cause as Error).message}`, cause);
  }
  return { time: timeText(time) };
}

function requireSignal(signal: unknown): void {
  if (signal === undefined) return;
  const { aborted, addEventListener } = (signal ?? {}) as Partial<AbortSignal>;
  if (typeof aborted === 'boolean' && typeof addEventListener === 'function') return;
  throw wrong('"signal" must be an AbortSignal: of an AbortController it is the member "signal".');
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(message: string, cause?: unknown): TapeloomError {
  return new TapeloomError('CONFIGURATION', message, cause === undefined ? {} : { cause });
}
