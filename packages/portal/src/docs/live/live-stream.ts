/**
 * What a live part listens to: an indicator and the candles behind it, over one connection of the client library. Whether
 * the service is at its other end or a recording makes no difference to it.
 */

import type { StreamClient, Subscription, TapeloomError } from '@tapeloom/client/stream';
import { LiveObjects } from './live-objects.ts';

/** Objects of these are candles themselves. */
const OWN_CANDLES: ReadonlySet<string> = new Set(['bars', 'footprint']);

export type LiveParams = Readonly<Record<string, string | number | boolean>>;

export interface LiveRequest {
  readonly indicator: string;
  readonly instrument: string;
  /** What differs from the defaults. */
  readonly params: LiveParams;
  /** Of the bars behind it: the defaults, unless told, so that they are no custom configuration. */
  readonly candles?: LiveParams;
}

export class LiveStream {
  readonly request: LiveRequest;
  readonly objects = new LiveObjects();
  readonly candles: LiveObjects;
  /** Why one of the two has ended; never resolves while both go on. */
  readonly failed: Promise<TapeloomError>;
  /** The newest message about the indicator, as JSON. */
  newest: string | null = null;
  /** Messages about the indicator so far. */
  messages = 0;
  readonly #subscription: Subscription<string>;

  constructor(client: StreamClient, request: LiveRequest, onChange: () => void) {
    const { indicator, instrument, params, candles = {} } = request;
    this.request = request;
    const subscription = client.subscribe<string>({ indicator, instrument, params });
    this.#subscription = subscription;
    this.objects.follow(subscription, onChange);
    this.#remember(subscription);
    subscription.on('status', onChange);
    const all = [subscription];
    if (hasOwnCandles(indicator)) this.candles = this.objects;
    else {
      this.candles = new LiveObjects();
      const bars = client.subscribe<string>({ indicator: 'bars', instrument, params: candles });
      this.candles.follow(bars, onChange);
      all.push(bars);
    }
    const { promise, resolve } = Promise.withResolvers<TapeloomError>();
    this.failed = promise;
    for (const { ended, ready } of all) {
      // Who hears of the end needs no second word about it.
      ready.catch(() => {});
      void ended.then((error) => {
        if (error !== null) resolve(error);
      });
    }
  }

  get state(): Subscription<string>['state'] {
    return this.#subscription.state;
  }

  /** How many subscriptions of the plan it takes. */
  get subscriptions(): number {
    return this.candles === this.objects ? 1 : 2;
  }

  #remember(subscription: Subscription<string>): void {
    const note = (message: object) => {
      this.messages += 1;
      this.newest = JSON.stringify(message, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      );
    };
    subscription.on('upsert', ({ t, cursor, object }) => note({ t, cursor, ...object }));
    subscription.on('remove', note);
    subscription.on('snapshot', ({ t, cursor, objects }) => {
      // Of a snapshot the last object says enough.
      note({ t, cursor, items: objects.slice(-1) });
    });
  }
}

export function hasOwnCandles(indicator: string): boolean {
  return OWN_CANDLES.has(indicator);
}
