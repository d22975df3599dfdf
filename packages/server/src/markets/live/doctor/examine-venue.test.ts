import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../../../simulation/clock/manual-clock.ts';
import { seededRandom } from '../../../../../../simulation/clock/seeded-random.ts';
import { exampleKind, exampleKindDialect } from '../../../../testing/live/example-kind.ts';
import { START_MS } from '../../../../testing/live/feed-run.ts';
import { SimNetwork } from '../../../../testing/live/sim-network.ts';
import { SimVenue } from '../../../../testing/live/sim-venue.ts';
import type { PageAnswer } from '../feed.ts';
import type { FeedTrade } from '../lines/line.ts';
import { OpenLine } from '../lines/open-line.ts';
import type { Network } from '../network.ts';
import { VenueError, type VenueKind } from '../venue-kind.ts';
import type { AddressProbe } from './address-probe.ts';
import { doctorReport, isWell } from './doctor-report.ts';
import { examineVenue } from './examine-venue.ts';

const LISTEN_MS = 60_000;
const STEP_MS = 50;
const KEY = 'db-very-secret-key';
const goodProbe: AddressProbe = {
  resolve: async () => ['192.0.2.1'],
  certificate: async () => ({ validToMs: START_MS + 90 * 86_400_000 }),
};

interface Staged {
  readonly kind?: Partial<VenueKind>;
  readonly probe?: Partial<AddressProbe>;
  readonly skewMs?: number;
  readonly symbols?: readonly string[];
  readonly key?: string;
  /** Changes an answer on its way. */
  readonly answer?: (answer: PageAnswer, url: string) => PageAnswer;
  /** What the venue does, by milliseconds since the start. */
  readonly at?: Readonly<Record<number, (venue: SimVenue, nowMs: number) => void>>;
}

async function examined(staged: Staged = {}) {
  const clock = new ManualClock(BigInt(START_MS) * 1_000_000n);
  const nowMs = () => Number(clock.now() / 1_000_000n);
  const symbols = staged.symbols ?? ['AAA-PERP'];
  const { skewMs = 0 } = staged;
  const venue = new SimVenue(seededRandom(5), ['AAA-PERP', 'BBB-PERP'], {
    ...{ dialect: exampleKindDialect, skewMs },
  });
  const sim = new SimNetwork(venue, nowMs);
  const network: Network = {
    connect: (address, handlers) => sim.connect(address, handlers),
    request: async (request) => {
      const answer = await sim.request(request);
      return staged.answer?.(answer, request.url) ?? answer;
    },
  };
  const kind = { ...exampleKind, ...staged.kind };
  const settings = { addresses: kind.addresses, key: staged.key ?? null, venueDataset: null };
  const progress: string[] = [];
  let isOver = false;
  const running = examineVenue({
    ...{ kind, settings, symbols, network, clock, listenMs: LISTEN_MS },
    probe: { ...goodProbe, ...staged.probe },
    signal: new AbortController().signal,
    onProgress: (what) => progress.push(what),
  }).finally(() => {
    isOver = true;
  });
  running.catch(() => undefined);
  for (let passed = 0; passed < 120_000 && !isOver; passed += STEP_MS) {
    staged.at?.[passed]?.(venue, nowMs());
    clock.advance(STEP_MS);
    venue.trade(nowMs(), STEP_MS, 0.2);
    sim.deliver();
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  const examination = await running;
  const report = doctorReport(examination, { kind, settings, symbols, version: '1.2.3' });
  const outcomes = Object.fromEntries(
    examination.findings.map(({ check, outcome, measured }) => [check, `${outcome}: ${measured}`]),
  );
  assert.equal(clock.timerCount, 0);
  return { examination, report, outcomes, progress, isWell: isWell(examination) };
}

const bad = (outcomes: Readonly<Record<string, string>>) =>
  Object.entries(outcomes)
    .filter(([, text]) => /^(?:failed|warning)/.test(text))
    .map(([check, text]) => `${check} ${text.split(':')[0]}`);

test('a sound venue is well, each check has its measured value, and the report is a table', async () => {
  const { outcomes, report, progress, isWell: well, examination } = await examined();
  assert.deepEqual([bad(outcomes), well], [[], true], JSON.stringify(outcomes, null, 1));
  assert.deepEqual(Object.keys(outcomes), [
    'DNS of example.invalid',
    'TLS of example.invalid:443',
    'contracts',
    'subscription',
    'fields of trades',
    'sides',
    'numbers without holes',
    'prints that are no order flow',
    'past trades of AAA-PERP',
    'clock',
    'arrival within 250 ms',
    'requests',
    'limits in headers',
  ]);
  assert.match(
    outcomes.contracts!,
    /^ok: AAA-PERP \(perpetual\): tick 0\.25, lot 1, point 1 USDT$/,
  );
  assert.match(
    outcomes['numbers without holes']!,
    /^ok: AAA-PERP\.example: \d{3,} numbers, none missing, 0 rep/,
  );
  assert.match(outcomes['past trades of AAA-PERP']!, /^ok: 100 trades in both$/);
  assert.match(
    outcomes.clock!,
    /^ok: this machine's is at most \d+ ms ahead of the venue's, by heartbeats$/,
  );
  assert.ok(examination.seconds >= 60 && examination.seconds < 70);
  assert.ok(progress.some((text) => /^listening: 30 s left, \d+ trades$/.test(text)));
  assert.match(
    report,
    /^# Feed doctor: Example exchange \(`example`\)\n\n- Tapeloom 1\.2\.3, 2026-01-05T23:45:00Z, 6\d s\n/,
  );
  assert.equal(
    report.split('\n').filter((line) => /^\| [^|]+ \| (ok|skipped) \| [^|]+ \|$/.test(line)).length,
    13,
  );
});

test('several contracts are checked each, and a venue without numbers says what it cannot prove', async () => {
  const both = await examined({ symbols: ['AAA-PERP', 'bbb-perp'] });
  assert.deepEqual(bad(both.outcomes), []);
  assert.match(both.outcomes['past trades of BBB-PERP']!, /^ok: 100 trades in both/);
  const open: VenueKind['open'] = (settings) => ({
    ...exampleKind.open(settings),
    line: ({ contract: { symbol }, ...options }) => new OpenLine({ symbol, ...options }),
  });
  const { outcomes } = await examined({ kind: { open, provesCompleteness: false } });
  assert.match(outcomes['numbers without holes']!, /^skipped: .* cannot prove completeness/);
  assert.match(outcomes['past trades of AAA-PERP']!, /^ok: \d trades in both/);
});

test('a hole in the numbers is found, and the page proves that the stream left trades out', async () => {
  const { outcomes } = await examined({
    at: {
      20000: (venue) => Object.assign(venue.faults, { dropped: 1 }),
      21000: (venue) => Object.assign(venue.faults, { dropped: 0 }),
    },
    symbols: ['AAA-PERP'],
  });
  assert.match(outcomes['numbers without holes']!, /^failed: .* [1-9]\d* missing, the first \d+/);
});

test('repeated and overtaken trades are a warning', async () => {
  const { outcomes, isWell: well } = await examined({
    at: { 0: (venue) => Object.assign(venue.faults, { repeated: 0.2 }) },
  });
  assert.deepEqual([bad(outcomes), well], [['numbers without holes warning'], true]);
});

test('pages that differ from the stream are found: another price, size, side, a row that is missing', async () => {
  const changed = (change: (rows: unknown[][]) => unknown) => (answer: PageAnswer, url: string) => {
    if (!url.includes('/trades')) return answer;
    const read = JSON.parse(answer.body) as { rows: unknown[][] };
    change(read.rows);
    return { ...answer, body: JSON.stringify(read) };
  };
  for (const [change, pattern] of [
    [
      (rows) => (rows[7]![2] = '1'),
      /^failed: 100 trades in both, 1 of another price \(trade 1\d+: live \d+, page 4\)/,
    ],
    [(rows) => rows[7]!.splice(3, 1, '77'), /1 of another size/],
    [
      (rows) => rows.splice(0, 9, ...rows.slice(0, 9).map((row) => row.with(4, row[4] !== true))),
      /9 of another side/,
    ],
    [(rows) => rows.splice(7, 2), /^failed: 98 trades in both, 2 that the page left out/],
    [(rows) => rows.splice(0, 200), /^failed: 0 trades, none from the time/],
    [(rows) => rows[7]!.splice(1, 1, START_MS), /^warning: 100 trades in both, 1 of another time/],
  ] as const satisfies readonly (readonly [(rows: unknown[][]) => unknown, RegExp])[]) {
    const { outcomes } = await examined({ answer: changed(change) });
    assert.match(outcomes['past trades of AAA-PERP']!, pattern);
    assert.deepEqual(bad(outcomes).length, 1);
  }
});

test('sides that contradict the moves of the price look like those of the makers', async () => {
  const open: VenueKind['open'] = (settings) => {
    const venue = exampleKind.open(settings);
    let before = 0;
    const turned = (trade: FeedTrade) => {
      const side = Math.sign(before - trade.price);
      before = trade.price;
      return { ...trade, side };
    };
    return {
      ...venue,
      reader: (...args) => {
        const reader = venue.reader(...args);
        return {
          read: (message) =>
            reader
              .read(message)
              .map((it) => (it.kind === 'trades' ? { ...it, trades: it.trades.map(turned) } : it)),
        };
      },
    };
  };
  const { outcomes } = await examined({ kind: { open } });
  assert.match(outcomes.sides!, /^failed: .*; .* 0\.0 % of \d+ moves: .* makers' sides/);
});

test('silence is a fault only if something was traded', async () => {
  const mute = await examined({
    at: { 0: (venue) => Object.assign(venue.faults, { isMute: true }) },
  });
  assert.match(
    mute.outcomes['past trades of AAA-PERP']!,
    /^failed: the stream was silent, but the venue has \d+ trades of that time/,
  );
  assert.match(mute.outcomes.subscription!, /no data for 60 s in an open market/);
  const quiet = await examined({
    at: { 0: (venue) => Object.assign(venue.faults, { isQuiet: true }) },
  });
  assert.match(quiet.outcomes['past trades of AAA-PERP']!, /^warning: nothing was traded/);
});

test('a clock that is off by an hour fails, in both directions, and the arrival does not mind', async () => {
  for (const skewMs of [-3_600_000, 3_600_000]) {
    const { outcomes } = await examined({ skewMs });
    assert.deepEqual(bad(outcomes), ['clock failed'], JSON.stringify(outcomes));
  }
  const little = await examined({ skewMs: -3_000 });
  assert.deepEqual(bad(little.outcomes), ['clock warning']);
  assert.match(little.outcomes.clock!, /at most 30\d\d ms ahead of/);
});

test('trades that arrive later than the grace are counted', async () => {
  const { outcomes } = await examined({
    at: {
      30000: (venue) => Object.assign(venue.faults, { delayMs: 900 }),
      40000: (venue) => Object.assign(venue.faults, { delayMs: 0 }),
    },
  });
  assert.match(
    outcomes['arrival within 250 ms']!,
    /^failed: .* all within 9\d\d ms; \d+ of \d+ later/,
  );
  assert.deepEqual(bad(outcomes), ['arrival within 250 ms failed']);
});

test('403, garbage and connections that fail are told, and what then cannot be checked is skipped', async () => {
  const refused = await examined({ answer: (answer) => ({ ...answer, status: 403, body: 'no' }) });
  assert.match(
    refused.outcomes.contracts!,
    /^failed: example\.invalid refused .*this machine \(403: no\)/,
  );
  assert.match(refused.outcomes.subscription!, /^skipped/);
  const html = await examined({ answer: (answer) => ({ ...answer, body: '<html>|' }) });
  assert.match(html.outcomes.contracts!, /did not answer with JSON/);
  const garbled = await examined({ at: { 9000: (venue, now) => venue.garble(now) } });
  assert.match(
    garbled.outcomes.subscription!,
    /^failed: .*it ended: example\.invalid: not understood: /,
  );
  const down = await examined({
    at: { 0: (venue) => Object.assign(venue.faults, { isDown: true }) },
  });
  assert.match(down.outcomes.subscription!, /^failed: no connection: example\.invalid: refused/);
  assert.match(down.outcomes['past trades of AAA-PERP']!, /^skipped: there was no stream/);
  const deaf = await examined({
    at: { 0: (venue) => Object.assign(venue.faults, { isSilent: true }) },
  });
  assert.match(deaf.outcomes.subscription!, /^failed: .*no answer within 10 s/);
  const pages = await examined({
    answer: (answer, url) => (url.includes('/trades') ? { ...answer, status: 429 } : answer),
  });
  assert.deepEqual(bad(pages.outcomes), ['past trades of AAA-PERP failed', 'requests failed']);
});

test('names and certificates', async () => {
  const unknown = await examined({
    probe: { resolve: () => Promise.reject(new Error('getaddrinfo ENOTFOUND example.invalid')) },
  });
  assert.match(unknown.outcomes['DNS of example.invalid']!, /^failed: getaddrinfo ENOTFOUND/);
  assert.equal(unknown.outcomes['TLS of example.invalid:443'], undefined);
  for (const [validToMs, outcome] of [
    [START_MS - 1, 'failed: was valid until 2026-01-05, by our clock'],
    [START_MS + 3 * 86_400_000, 'warning: valid until 2026-01-08'],
  ] as const) {
    const { outcomes } = await examined({ probe: { certificate: async () => ({ validToMs }) } });
    assert.equal(outcomes['TLS of example.invalid:443'], outcome);
  }
  const untrusted = new Error('self-signed certificate');
  const { outcomes } = await examined({ probe: { certificate: () => Promise.reject(untrusted) } });
  assert.equal(outcomes['TLS of example.invalid:443'], 'failed: self-signed certificate');
});

test('what the headers say of the limit is compared with what is assumed', async () => {
  const usedUnits = ({ headers }: PageAnswer) => Number(headers.used);
  const open: VenueKind['open'] = (settings) => ({ ...exampleKind.open(settings), usedUnits });
  let used = 0;
  const answer = (it: PageAnswer) => {
    used += 3;
    return { ...it, headers: { used: `${used}` } };
  };
  const { outcomes } = await examined({
    kind: { open },
    answer,
    symbols: ['AAA-PERP', 'CCC-PERP'],
  });
  assert.equal(
    outcomes['limits in headers'],
    'warning: 9 of 1200 in 60 s used; a page weighs 3, assumed: 1',
  );
});

test('the report has no secret, whatever the venue repeats', async () => {
  const contracts = () => Promise.reject(new VenueError(`the key ${KEY} is wrong | <b>`, false));
  const { report, isWell: well } = await examined({ kind: { contracts }, key: KEY });
  assert.equal(well, false);
  assert.ok(!report.includes(KEY));
  assert.match(
    report,
    /\| contracts \| \*\*FAILED\*\* \| the key \(secret\) is wrong \\\| &lt;b> \|/,
  );
  const addresses = { stream: 'wss://u:passwort@h/s', rest: 'https://u:passwort@h/' };
  const own = await examined({ kind: { addresses } });
  assert.ok(!own.report.includes('passwort'));
});
