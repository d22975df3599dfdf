/** Other well-behaved customers: as many connections as attackers, with one stream each. */

import { forEachOf } from '../../bench/shared/stream-sockets.ts';
import { HeardSocket } from './hostile-socket.ts';
import { type CrowdOrder, nameOf, type Tally } from './hostile-wire.ts';

export const OTHERS_PER_ACCOUNT = 5;
const OPENING_AT_ONCE = 20;
const PING_MS = 10_000;
const STREAM = { instrument: 'BTC.c.0', indicator: 'bars', mode: 'confirmed' };

export class OtherCustomers {
  readonly #order: Extract<CrowdOrder, { readonly t: 'others' }>;
  readonly #tally: Tally;
  readonly #open = new Set<HeardSocket>();
  readonly #pinging = setInterval(() => {
    for (const socket of this.#open) socket.ping();
  }, PING_MS);

  constructor(order: Extract<CrowdOrder, { readonly t: 'others' }>, tally: Tally) {
    this.#order = order;
    this.#tally = tally;
  }

  get held(): number {
    return this.#open.size;
  }

  async come(): Promise<void> {
    const { port, keys, connections } = this.#order;
    await forEachOf(
      connections,
      async (index) => {
        const account = Math.floor(index / OTHERS_PER_ACCOUNT);
        const localAddress = `127.2.${1 + (account >> 7)}.${1 + (account & 127)}`;
        const snapshot = Promise.withResolvers<void>();
        try {
          const place = { port, key: keys[account]!, localAddress };
          const socket = await HeardSocket.open(place, ({ t, code }) => {
            if (t === 'error') this.#tally.add(`error ${code}`);
            if (t === 'snapshot' || t === 'error') snapshot.resolve();
          });
          this.#open.add(socket);
          void socket.gone.then(() => this.#lost(socket));
          socket.send({ t: 'subscribe', sub: 'a', ...STREAM });
          await Promise.race([snapshot.promise, socket.gone]);
        } catch (error) {
          this.#tally.add(nameOf(error));
        }
      },
      OPENING_AT_ONCE,
    );
  }

  async leave(): Promise<void> {
    clearInterval(this.#pinging);
    for (const socket of this.#open) socket.leave();
  }

  #lost(socket: HeardSocket): void {
    this.#open.delete(socket);
    if (!socket.isLeft) this.#tally.add(`closed ${socket.closeCode}`);
  }
}
