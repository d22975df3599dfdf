/**
 * Free accounts that exhaust shared resources: hundreds of topics with one configuration at a time,
 * connections opened and dropped, keys created and revoked. They ignore `Retry-After`, but have
 * fixed rates, so that the service and not the attackers uses the machine.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import { HttpClient, type HttpPlace, verdictOf } from './hostile-http.ts';
import { HeardSocket } from './hostile-socket.ts';
import { type CrowdOrder, nameOf, type Tally } from './hostile-wire.ts';

/** The share of accounts that fill topics; the others connect and vanish. All create keys. */
const TOPIC_SHARE = 0.6;
const TOPICS_PER_SECOND = 30;
/** Below the limit at which the service closes a connection for too many messages. */
const TOPICS_PER_CONNECTION = 45;
const CONNECTS_PER_SECOND = 10;
/** Five times the rate limit of a sandbox account, so that a short run reaches it too. */
const KEY_REQUESTS_PER_SECOND = 5;
/** One request in so many lists the keys. */
const LIST_OF = 10;
const AGAIN_MS = 100;
const FIRST_SIZE = 10_000_000;
const INDICATORS = ['bars', 'footprint', 'delta'];
const INSTRUMENTS = ['BTC.c.0', 'ES.c.0', 'NQ.c.0'];
const NEW_KEY = { name: 'more', environment: 'live', scopes: ['stream'] };

export class SandboxAttackers {
  readonly #tally: Tally;
  readonly #places: readonly HttpPlace[];
  readonly #random: () => number;
  readonly #ending = new AbortController();
  readonly #open = new Set<HeardSocket>();
  #size = FIRST_SIZE;
  #working: Promise<unknown> = Promise.resolve();

  constructor(order: Extract<CrowdOrder, { readonly t: 'attackers' }>, tally: Tally) {
    const { port, sandboxKeys, seed } = order;
    this.#tally = tally;
    this.#random = seededRandom(seed + 1_000_003);
    this.#places = sandboxKeys.map((key, index) => ({
      port,
      key,
      localAddress: `127.9.0.${1 + index}`,
    }));
  }

  get held(): number {
    return this.#open.size;
  }

  async come(): Promise<void> {
    const topicFillers = Math.ceil(this.#places.length * TOPIC_SHARE);
    this.#working = Promise.all(
      this.#places.flatMap((place, index) => [
        index < topicFillers ? this.#fillTopics(place) : this.#connectAndVanish(place),
        this.#makeKeys(place),
      ]),
    );
  }

  async leave(): Promise<void> {
    this.#ending.abort();
    for (const socket of this.#open) socket.vanish();
    await this.#working;
  }

  async #fillTopics(place: HttpPlace): Promise<void> {
    while (!this.#isOver) {
      const socket = await this.#connect(place);
      if (socket === null) continue;
      for (let topic = 0; topic < TOPICS_PER_CONNECTION && this.#open.has(socket); topic += 1) {
        socket.send({ t: 'subscribe', sub: 'a', ...this.#freshTopic() });
        socket.send({ t: 'unsubscribe', sub: 'a' });
        this.#tally.add('sandbox: topics asked for');
        await this.#pause(1_000 / TOPICS_PER_SECOND);
      }
      socket.vanish();
      await socket.gone;
    }
  }

  async #connectAndVanish(place: HttpPlace): Promise<void> {
    while (!this.#isOver) {
      const [socket] = await Promise.all([
        this.#connect(place),
        this.#pause(1_000 / CONNECTS_PER_SECOND),
      ]);
      if (socket === null) continue;
      socket.send({ t: 'subscribe', sub: 'a', ...this.#freshTopic() });
      // Time for the subscription to be sent, and for a rejected connection to close.
      await Promise.race([this.#pause(AGAIN_MS), socket.gone]);
      socket.vanish();
      await socket.gone;
    }
  }

  async #makeKeys(place: HttpPlace): Promise<void> {
    using http = new HttpClient(place);
    const ask = async (method: string, path: string, body?: object) => {
      await this.#pause(1_000 / KEY_REQUESTS_PER_SECOND);
      if (this.#isOver) return null;
      const name = `sandbox: ${method} key${path === '/v1/keys' && method === 'GET' ? 's' : ''}`;
      try {
        const answer = await http.ask(method, path, body);
        this.#tally.add(`${name} ${verdictOf(answer)}`);
        return answer.status < 300 ? (JSON.parse(answer.text) as { readonly id?: string }) : null;
      } catch (error) {
        this.#tally.add(`${name} ${nameOf(error)}`);
        return null;
      }
    };
    while (!this.#isOver) {
      if (this.#random() < 1 / LIST_OF) await ask('GET', '/v1/keys');
      const made = await ask('POST', '/v1/keys', NEW_KEY);
      if (made?.id !== undefined) await ask('DELETE', `/v1/keys/${made.id}`);
    }
  }

  /** Null when the handshake failed. */
  async #connect(place: HttpPlace): Promise<HeardSocket | null> {
    this.#tally.add('sandbox: connects');
    try {
      const socket = await HeardSocket.open(place, ({ t, sub, code }) => {
        if (t !== 'error') return;
        const whose = sub === undefined ? 'without a sub' : 'with its sub';
        this.#tally.add(`sandbox: error ${code} ${whose}`);
      });
      this.#open.add(socket);
      void socket.gone.then(() => {
        this.#open.delete(socket);
        if (socket.closeCode !== null) this.#tally.add(`sandbox: close ${socket.closeCode}`);
      });
      return socket;
    } catch (error) {
      this.#tally.add(`sandbox: connect ${nameOf(error)}`);
      await this.#pause(AGAIN_MS);
      return null;
    }
  }

  /** A topic that was never requested. */
  #freshTopic(): object {
    this.#size += 1;
    const indicator = INDICATORS[Math.floor(this.#random() * INDICATORS.length)];
    const instrument = INSTRUMENTS[Math.floor(this.#random() * INSTRUMENTS.length)];
    return { instrument, indicator, params: { bar: 'tick', size: this.#size } };
  }

  get #isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  #pause(ms: number): Promise<void> {
    return pause(ms, undefined, { signal: this.#ending.signal }).catch(() => undefined);
  }
}
