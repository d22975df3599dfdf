/**
 * Keeps a real service busy with steady and passing subscribers, a slow consumer, and malformed
 * messages and requests. Memory stays flat, the engine stays up, and the service stops in time.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { StreamClient, type Subscription } from '@tapeloom/client/stream';
import { makeAccounts } from '../account-maker.ts';
import { RunningService, type TestSubscriber } from '../running-service.ts';

const ROUND_MS = 1_500;
const STEADY_SUBSCRIBERS = 6;
/** The final objects of a stream that a steady customer stores. */
const KEPT_FINAL = 1_000;
const PASSING_SUBSCRIBERS = 20;
const REQUESTS = 60;
/** Keeps all connections and requests of an account below the plan's limits. */
const CONNECTIONS_PER_ACCOUNT = 4;
const ACCOUNTS = Math.ceil(
  (STEADY_SUBSCRIBERS + 1 + PASSING_SUBSCRIBERS) / CONNECTIONS_PER_ACCOUNT,
);
/** First rounds, in which caches, compilers and pools still fill. */
const WARM_UP_ROUNDS = 3;
const STOP_MS_MAX = 10_000;
/** The most growth between the first and the last third of a run. */
const GROWTH_BYTES_MAX = 64 * 1024 * 1024;

const STREAMS = [
  { instrument: 'BTC.c.0', indicator: 'bars', params: { size: 1 } },
  { instrument: 'BTC.c.0', indicator: 'footprint', params: { bar: 'tick', size: 5 } },
  { instrument: 'BTC.c.0', indicator: 'large-trades', params: { minSize: 2 } },
  { instrument: 'ES.c.0', indicator: 'footprint', params: { bar: 'volume', size: 50 } },
];
const NONSENSE = ['{', '[]', '{"t":"nothing"}', '{"t":"subscribe","sub":7}', '{"t":"unsubscribe"}'];
const BAD_PATHS = ['/v1/nothing', '/v1/instruments?dataset=NOPE', '/v1/%zz', '/v1/status?x=1'];

export async function run({ rounds }: { readonly rounds: number }): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-soak-'));
  const data = join(directory, 'data');
  const service = new RunningService({ data, args: ['--speed', '300'] });
  try {
    await service.ready();
    const names = Array.from({ length: ACCOUNTS }, (_, index) => `customer-${index}`);
    const customers = await makeAccounts(`${data}-speed`, names);
    const keyOf = (connection: number) =>
      customers[Math.floor(connection / CONNECTIONS_PER_ACCOUNT)]!;
    await using steady = new SteadyCustomers(service, keyOf);
    await steady.ready();
    const stalled = service.connect(keyOf(STEADY_SUBSCRIBERS));
    await subscribeAll(stalled, 'stalled');
    stalled.stopReading();

    const residentBytes: number[] = [];
    for (let round = 1; round <= WARM_UP_ROUNDS + rounds; round += 1) {
      await Promise.all([pause(ROUND_MS), annoy(service, keyOf)]);
      if (round > WARM_UP_ROUNDS) residentBytes.push(await readResident(service));
    }
    const status = (await (await service.get('/v1/status')).json()) as { engine: object };
    assert.deepEqual(status.engine, { state: 'up' });
    assertFlat(residentBytes);
    steady.assertServed();
    await steady[Symbol.asyncDispose]();
    const { code, ms } = await service.stop('SIGTERM');
    assert.equal(code, 0, service.errors);
    assert.ok(ms < STOP_MS_MAX, `stopped in ${ms} ms`);
  } finally {
    await service.stop('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Customers with the client library, which must receive everything they are owed. */
class SteadyCustomers implements AsyncDisposable {
  readonly #clients: readonly StreamClient[];
  readonly #subscriptions: readonly Subscription<string>[];
  readonly #first = new Map<Subscription<string>, string | null>();
  readonly #faults: string[] = [];

  constructor(service: RunningService, keyOf: (connection: number) => string) {
    this.#clients = Array.from({ length: STEADY_SUBSCRIBERS }, (_, index) => {
      const onWarning = ({ message }: { readonly message: string }) => this.#faults.push(message);
      return new StreamClient({
        url: new URL(service.address('REST')).origin,
        key: keyOf(index),
        onWarning,
      });
    });
    this.#subscriptions = this.#clients.flatMap((client) =>
      STREAMS.map((stream) => client.subscribe<string>({ ...stream, keepFinal: KEPT_FINAL })),
    );
    for (const subscription of this.#subscriptions) {
      void subscription.ended.then((error) => error && this.#faults.push(String(error)));
    }
  }

  async ready(): Promise<void> {
    await Promise.all(this.#subscriptions.map(({ ready }) => ready));
    for (const it of this.#subscriptions) this.#first.set(it, it.state.cursor);
  }

  assertServed(): void {
    assert.deepEqual(this.#faults, []);
    for (const it of this.#subscriptions) assert.notEqual(it.state.cursor, this.#first.get(it));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}

async function subscribeAll(subscriber: TestSubscriber, name: string): Promise<void> {
  for (const [index, stream] of STREAMS.entries()) {
    await subscriber.send({ t: 'subscribe', sub: `${name}.${index}`, ...stream });
  }
  await subscriber.first(({ t }) => t === 'snapshot');
}

/** Customers that come and go, and malformed messages and requests. */
async function annoy(
  service: RunningService,
  keyOf: (connection: number) => string,
): Promise<void> {
  const passing = Array.from({ length: PASSING_SUBSCRIBERS }, async (_, index) => {
    const subscriber = service.connect(keyOf(STEADY_SUBSCRIBERS + 1 + index));
    await subscriber.sendText(NONSENSE[index % NONSENSE.length]!);
    await subscriber.first(({ t }) => t === 'error');
    await subscribeAll(subscriber, 'passing');
    await subscriber.close();
  });
  const requests = Array.from({ length: REQUESTS }, async (_, index) => {
    const path = BAD_PATHS[index % BAD_PATHS.length]!;
    const authorization = `Bearer ${keyOf(index % PASSING_SUBSCRIBERS)}`;
    const response = await service.get(path, { authorization });
    assert.ok(response.status >= 400 && response.status < 500, `${path}: ${response.status}`);
    await response.json();
  });
  await Promise.all([...passing, ...requests]);
}

async function readResident(service: RunningService): Promise<number> {
  const text = await (await service.internal('/metrics')).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)![1]);
}

/** Compares minima, since they exclude garbage that is not collected yet. */
function assertFlat(residentBytes: readonly number[]): void {
  const third = Math.max(1, Math.floor(residentBytes.length / 3));
  const early = Math.min(...residentBytes.slice(0, third));
  const late = Math.min(...residentBytes.slice(-third));
  const shown = residentBytes.map((bytes) => Math.round(bytes / 2 ** 20)).join(' ');
  console.log(`resident MiB: ${shown}`);
  assert.ok(late - early <= GROWTH_BYTES_MAX, `memory grew: ${shown} MiB`);
}
