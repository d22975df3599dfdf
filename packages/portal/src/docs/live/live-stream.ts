/**
 * The streams of a live part: an indicator and the candles behind it, over one connection of the client library. It
 * does not know whether a service or a recording is at the other end.
 */

import type { StreamClient, Subscription, TapeloomError } from '@tapeloom/client/stream';
import type { GivenParams } from '@tapeloom/core/studies/indicator';
import { LiveObjects } from './live-objects.ts';

/** Indicators whose objects are candles. */
const OWN_CANDLES: ReadonlySet<string> = new Set(['bars', 'footprint']);

export interface LiveRequest {
  readonly indicator: string;
  readonly instrument: string;
  /** The parameters that differ from the defaults. */
  readonly params: GivenParams;
  /** Parameters of the bars behind it. By default none, so that they count as no custom configuration. */
  readonly candles?: GivenParams;
}

export class LiveStream {
  readonly request: LiveRequest;
  readonly objects = new LiveObjects();
  readonly candles: LiveObjects;
  /** Resolves with the reason when one of the two subscriptions has failed; never otherwise. */
  readonly failed: Promise<TapeloomError>;
  /** The newest message about the indicator, as JSON. */
  newest: string | null = null;
  /** The number of messages about the indicator. */
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
      // `ended` already reports the failure.
      ready.catch(() => {});
      void ended.then((error) => {
        if (error !== null) resolve(error);
      });
    }
  }

  get state(): Subscription<string>['state'] {
    return this.#subscription.state;
  }

  /** How many of the plan's subscriptions it uses. */
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
      // A snapshot's last object represents it.
      note({ t, cursor, items: objects.slice(-1) });
    });
  }
}

export function hasOwnCandles(indicator: string): boolean {
  return OWN_CANDLES.has(indicator);
}
