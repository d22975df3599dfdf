/** The arguments of `tapeloom stream`, checked before a connection is opened. */

import { parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { STREAM_MODES, type StreamFrom, type StreamMode } from '@tapeloom/protocol/client-messages';
import { readSince } from '../accounts/time-text.ts';
import { UsageError } from '../command.ts';
import { type CustomerOptionValues, PLACE_OPTIONS } from '../customer/customer-options.ts';
import { readParams } from '../customer/params-option.ts';
import { readArgs } from '../read-args.ts';

export interface StreamOptions {
  readonly instrument: string;
  readonly indicator: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly mode: StreamMode;
  readonly from: StreamFrom;
  readonly isJson: boolean;
  /** The service and the key. */
  readonly place: CustomerOptionValues;
}

export function readStreamOptions(args: readonly string[], now: EpochNs): StreamOptions {
  const { values, words } = readArgs(args, {
    texts: [...PLACE_OPTIONS, 'params', 'mode', 'from'],
    flags: ['json'],
    words: null,
  });
  const [instrument, indicator, ...others] = words;
  if (instrument === undefined || indicator === undefined || others.length > 0) {
    throw new UsageError('give one instrument and one indicator');
  }
  const mode = STREAM_MODES.find((one) => one === (values.mode ?? 'live'));
  if (mode === undefined)
    throw new UsageError(`--mode must be live or confirmed; got ${values.mode}`);
  return {
    instrument,
    indicator,
    params: readParams(values.params ?? '{}'),
    mode,
    from: readFrom(values.from ?? 'live', now),
    isJson: values.json,
    place: values,
  };
}

/** With a cursor the stream resumes after it; a time, or a span until now, starts in the past. */
function readFrom(text: string, now: EpochNs): StreamFrom {
  if (text === 'live') return 'live';
  if (parseCursor(text) !== null) return { cursor: text };
  return { time: String(readSince('--from', text, now)) };
}
