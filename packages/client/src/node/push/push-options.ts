/** The options of a push writer, checked. */

import type { PushReceipt } from '@tapeloom/protocol/push';
import { type ClientClock, SYSTEM_CLOCK } from '../../options.ts';
import { TapeloomError } from '../../tapeloom-error.ts';

export interface PushWriterOptions {
  /**
   * The internal addresses of all nodes of the service, such as `http://127.0.0.1:9464`. The writer follows a redirect
   * to the leader only if the leader is among them.
   */
  readonly urls: string | readonly string[];
  /** The secret in the file of `TAPELOOM_PUSH_SECRET_FILE`; a function is called for every request. */
  readonly secret: string | (() => string | Promise<string>);
  /** Not needed while only one dataset takes trades. */
  readonly dataset?: string;
  /** The most trades of a batch, 1 to 50,000. Default: 5,000. */
  readonly batchTrades?: number;
  /** How long a trade waits for others, in milliseconds. Default: 50. */
  readonly batchMs?: number;
  /** Trades in memory; `write` waits beyond it. Default: 100,000. */
  readonly pendingTradesMax?: number;
  /** The writer fails when a batch was not acknowledged for so long, in milliseconds. Default: never. */
  readonly giveUpAfterMs?: number;
  /** How long a request may take, in milliseconds. Default: 30,000. */
  readonly timeout?: number;
  /** Called with every acknowledgement. */
  readonly onReceipt?: (receipt: PushReceipt) => void;
  /** Called before every wait for a further attempt. */
  readonly onRetry?: (error: TapeloomError) => void;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
  /** Default: the system's clock. */
  readonly clock?: ClientClock;
  /** Returns a number from 0 to below 1. Default: `Math.random`. */
  readonly random?: () => number;
  /** Returns another id at each call. Default: random UUIDs. */
  readonly newBatchId?: () => string;
}

export type PushTerms = Required<Omit<PushWriterOptions, 'urls' | 'dataset'>> & {
  /** Without a slash at the end. */
  readonly urls: readonly string[];
  readonly dataset: string | null;
};

const BATCH_TRADES_MAX = 50_000;

export function pushTerms(options: PushWriterOptions): PushTerms {
  const given = typeof options.urls === 'string' ? [options.urls] : options.urls;
  if (given.length === 0) throw wrong('urls', 'must name at least one node');
  const terms = {
    ...options,
    urls: given.map(addressOf),
    dataset: options.dataset ?? null,
    batchTrades: options.batchTrades ?? 5_000,
    batchMs: options.batchMs ?? 50,
    pendingTradesMax: options.pendingTradesMax ?? 100_000,
    giveUpAfterMs: options.giveUpAfterMs ?? Number.POSITIVE_INFINITY,
    timeout: options.timeout ?? 30_000,
    onReceipt: options.onReceipt ?? (() => {}),
    onRetry: options.onRetry ?? (() => {}),
    fetch: options.fetch ?? fetch,
    clock: options.clock ?? SYSTEM_CLOCK,
    random: options.random ?? Math.random,
    newBatchId: options.newBatchId ?? (() => crypto.randomUUID()),
  };
  const { batchTrades } = terms;
  if (!(Number.isInteger(batchTrades) && batchTrades >= 1 && batchTrades <= BATCH_TRADES_MAX)) {
    throw wrong('batchTrades', `must be a whole number from 1 to ${BATCH_TRADES_MAX}`);
  }
  return terms;
}

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.search === '' && url.hash === '' && url.username === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
  throw wrong('urls', 'must be http or https addresses such as http://127.0.0.1:9464');
}

function wrong(name: string, accepted: string): TapeloomError {
  return new TapeloomError('CONFIGURATION', `The option "${name}" ${accepted}.`);
}
