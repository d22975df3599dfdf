import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import {
  DATABENTO_KEY,
  type GatewayOptions,
} from '../../../../testing/live/dialects/databento-dialect.ts';
import { DatabentoServer } from '../../../../testing/live/dialects/databento-server.ts';
import { type Network, webNetwork } from '../network.ts';
import { VenueError } from '../venue-kind.ts';
import { databentoKind } from './databento-kind.ts';

const at = (text: string) => Temporal.Instant.from(text).epochNanoseconds as EpochNs;
const event = at('2026-11-15T23:00:00Z');
const nanos = (value: number) => BigInt(Math.round(value * 1e9));
const future = (instrumentId: number, rawSymbol: string, asset: string, more: object) => ({
  ...{ instrumentId, rawSymbol, asset, event, instrumentClass: 'F', currency: 'USD' },
  ...{ exchange: 'XCME', securityUpdateAction: 'A', expiration: at('2026-12-18T14:30:00Z') },
  ...more,
});
const DEFINITIONS = [
  future(1, 'ESZ6', 'ES', {
    minPriceIncrementNanos: nanos(0.5),
    event: at('2026-11-14T00:00:00Z'),
  }),
  future(1, 'ESZ6', 'ES', {
    minPriceIncrementNanos: nanos(0.25),
    unitOfMeasureQtyNanos: nanos(50),
  }),
  future(2, 'ZNZ6', 'ZN', {
    exchange: 'XCBT',
    minPriceIncrementNanos: 15_625_000n,
    unitOfMeasureQtyNanos: nanos(100_000),
    expiration: at('2026-12-21T18:01:00Z'),
  }),
  future(3, 'ZCZ6', 'ZC', {
    exchange: 'XCBT',
    minPriceIncrementNanos: nanos(0.25),
    unitOfMeasureQtyNanos: nanos(5_000),
    securityUpdateAction: 'D',
    expiration: at('2026-12-14T18:01:00Z'),
  }),
  future(4, 'ESZ6-ESH7', 'ES', { instrumentClass: 'S', minPriceIncrementNanos: nanos(0.05) }),
];

async function stage(t: TestContext, options: GatewayOptions = {}) {
  const server = new DatabentoServer(() => Date.UTC(2026, 10, 17), {
    definitions: DEFINITIONS,
    ...options,
  });
  t.after(() => server[Symbol.asyncDispose]());
  const stream = await server.listen();
  const contracts = (venueSymbols: readonly string[], key: string | null = DATABENTO_KEY) => {
    const settings = { addresses: { stream, rest: '' }, key, venueDataset: null };
    const { signal } = new AbortController();
    return databentoKind.contracts(webNetwork, settings, venueSymbols, signal);
  };
  return { server, contracts };
}

test('the definitions of a session become contracts, in the order asked', async (t) => {
  for (const version of [2, 3] as const) {
    const { server, contracts } = await stage(t, { version });
    assert.deepEqual(await contracts(['ZNZ6', 'ESZ6', 'ZCZ6']), [
      {
        venueSymbol: 'ZNZ6',
        kind: 'future',
        root: 'ZN',
        title: '10-Year T-Note ZNZ6',
        base: '',
        currency: 'USD',
        tick: '0.015625',
        lot: '1',
        pointValue: '1000',
        isInverse: false,
        expiresAt: at('2026-12-21T18:01:00Z'),
        notTraded: null,
        calendar: 'cme-rates',
      },
      {
        venueSymbol: 'ESZ6',
        kind: 'future',
        root: 'ES',
        title: 'E-mini S&P 500 ESZ6',
        base: '',
        currency: 'USD',
        tick: '0.25',
        lot: '1',
        pointValue: '50',
        isInverse: false,
        expiresAt: at('2026-12-18T14:30:00Z'),
        notTraded: null,
        calendar: 'cme-equity',
      },
      {
        venueSymbol: 'ZCZ6',
        kind: 'future',
        root: 'ZC',
        title: 'ZC ZCZ6',
        base: '',
        currency: 'USD',
        tick: '0.25',
        lot: '1',
        pointValue: '50',
        isInverse: false,
        expiresAt: at('2026-12-14T18:01:00Z'),
        notTraded: 'the exchange has deleted it',
        calendar: 'cme-rates',
      },
    ]);
    assert.deepEqual(server.faults, []);
  }
});

test('spreads and unknown symbols are errors with a sentence', async (t) => {
  const { contracts } = await stage(t);
  const failure = (message: RegExp) => (error: unknown) =>
    error instanceof VenueError && !error.isTemporary && message.test(error.message);
  await assert.rejects(
    contracts(['ESZ6', 'ESZ6-ESH7']),
    failure(/^ESZ6-ESH7 is left out \(spreads\)\. Only futures with a tick/),
  );
  await assert.rejects(
    contracts(['ESZ6', 'ESZ26']),
    failure(/^GLBX\.MDP3 has no contract "ESZ26" now\. Its year has one digit there: ESZ6\.$/),
  );
  await assert.rejects(contracts(['OOPS']), failure(/"OOPS" now\. Give the name/));
});

test('a wrong key, no key and no gateway are errors that name the address, never the key', async (t) => {
  const { server, contracts } = await stage(t);
  const wrong = `db-WRONG${DATABENTO_KEY.slice(8)}`;
  const errorOf = (promise: Promise<unknown>) =>
    promise.then(
      () => assert.fail('read'),
      (error: unknown) => error as VenueError,
    );
  const refused = await errorOf(contracts(['ESZ6'], wrong));
  assert.match(
    refused.message,
    /^tcp:\/\/127.0.0.1:\d+: The gateway does not accept the key: Auth/,
  );
  assert.ok(!refused.message.includes(wrong) && !refused.message.includes(wrong.slice(-5)));
  assert.equal(refused.isTemporary, false);
  assert.match((await errorOf(contracts(['ESZ6'], null))).message, /^Databento needs a key/);
  await server[Symbol.asyncDispose]();
  const gone = await errorOf(contracts(['ESZ6']));
  assert.match(gone.message, /^tcp:.*the connection ended: could not connect: .*ECONNREFUSED/);
  assert.equal(gone.isTemporary, true);
});

test('what passes is tried again: too many sessions, and an answer of something else than a gateway', async () => {
  const settings = { addresses: databentoKind.addresses, key: DATABENTO_KEY, venueDataset: null };
  for (const [said, isTemporary] of [
    ['cram=abc\nsuccess=0|error=User has too many connections\n', true],
    ['HTTP/1.1 502 Bad Gateway\r\n', true],
    ['cram=abc\nsuccess=0|error=Authentication failed\n', false],
  ] as const) {
    const network: Network = {
      ...webNetwork,
      connect(_address, { message }) {
        queueMicrotask(() => message(said));
        return { send() {}, close() {} };
      },
    };
    const { signal } = new AbortController();
    const reading = databentoKind.contracts(network, settings, ['ESZ6'], signal);
    await assert.rejects(reading, (error: VenueError) => error.isTemporary === isTemporary, said);
  }
});

test('an abort ends the session', async (t) => {
  const { server } = await stage(t);
  const stop = new AbortController();
  const settings = { addresses: databentoKind.addresses, key: DATABENTO_KEY, venueDataset: null };
  const silent = { ...webNetwork, connect: () => ({ send() {}, close() {} }) };
  const reading = databentoKind.contracts(silent, settings, ['ESZ6'], stop.signal);
  stop.abort();
  await assert.rejects(reading, /^Error: tcp:..glbx-mdp3\.lsg\.databento\.com:13000: no answer in/);
  assert.equal(server.sessions, 0);
});
