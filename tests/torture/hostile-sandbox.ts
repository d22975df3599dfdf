/**
 * Free accounts that fill what all share: topics by the hundred with one configuration at a time,
 * connections opened only to be dropped, keys made only to be revoked. They do not wait when they are
 * told to; the rates below are their own, so that the machine is busy with the service and not with them.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import { HttpClient, type HttpPlace, verdictOf } from './hostile-http.ts';
import { HeardSocket } from './hostile-socket.ts';
import { type CrowdOrder, nameOf, type Tally } from './hostile-wire.ts';

/** Of ten accounts so many fill topics; the others connect and vanish. All of them make keys. */
const TOPIC_SHARE = 0.6;
const TOPICS_PER_SECOND = 30;
/** Before the connection is closed for too many messages. */
const TOPICS_PER_CONNECTION = 45;
const CONNECTS_PER_SECOND = 10;
/** Five times what a sandbox account may ask for, so that also a short run meets the limit. */
const KEY_REQUESTS_PER_SECOND = 5;
/** One of so many requests reads the list. */
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
      // So that the subscription is on its way, and a refusal of the connection is seen.
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

  /** Null when there was no handshake. */
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

  /** One that nobody has asked for. */
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
