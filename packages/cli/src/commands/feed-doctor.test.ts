import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { VERSION } from '@tapeloom/server/platform/version';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import {
  exampleKind,
  exampleKindDialect,
  registerVenue,
} from '../../../server/testing/live/example-kind.ts';
import { START_MS } from '../../../server/testing/live/feed-run.ts';
import { SimNetwork } from '../../../server/testing/live/sim-network.ts';
import { SimVenue, type VenueFaults } from '../../../server/testing/live/sim-venue.ts';
import { RecordedIo } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';
import { dispatch } from '../dispatch.ts';

const registered = registerVenue(exampleKind);
after(() => registered[Symbol.dispose]());

async function doctor(
  words: string,
  faults: Partial<VenueFaults> = {},
  act: (io: RecordedIo) => void = () => undefined,
) {
  const clock = new ManualClock(BigInt(START_MS) * 1_000_000n);
  const nowMs = () => Number(clock.now() / 1_000_000n);
  const venue = new SimVenue(seededRandom(5), ['AAA-PERP', 'BBB-PERP'], {
    dialect: exampleKindDialect,
  });
  Object.assign(venue.faults, faults);
  const network = new SimNetwork(venue, nowMs);
  const probe = {
    resolve: async () => ['192.0.2.1'],
    certificate: async () => ({ validToMs: START_MS * 2 }),
  };
  const io = new RecordedIo({ feedParts: { network, clock, probe } });
  let code: number | null = null;
  const running = dispatch(commands, '1.2.3', ['feed', 'doctor', ...words.split(' ')], io);
  void running.then((it) => {
    code = it;
  });
  for (let steps = 0; steps < 5_000 && code === null; steps += 1) {
    act(io);
    clock.advance(50);
    venue.trade(nowMs(), 50, 0.2);
    network.deliver();
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  await running;
  return { code, out: io.out, err: io.err, clock };
}

test('a sound venue is well: a report on the standard output, and exit code 0', async () => {
  const { code, out, err } = await doctor('example --seconds 10');
  assert.deepEqual([code, err], [0, '']);
  assert.ok(
    out.startsWith(`# Feed doctor: Example exchange (\`example\`)\n\n- Tapeloom ${VERSION}, `),
  );
  assert.match(out, /^- symbols: AAA-PERP, BBB-PERP$/m);
  assert.match(out, /^\| past trades of BBB-PERP \| ok \| \d+ trades in both \|$/m);
});

test('a check that fails is exit code 1, and the report is there', async () => {
  const { code, out } = await doctor('example aaa-perp', { dropped: 0.3 });
  assert.equal(code, 1);
  assert.match(out, /^\| numbers without holes \| \*\*FAILED\*\* \| AAA-PERP\.example: /m);
});

test('what is wrong with the words is told before anything is asked', async () => {
  for (const [words, code, pattern] of [
    ['exampel', 1, /no venue exampel\. Did you mean "example"/],
    ['example --seconds 5', 2, /--seconds must be a whole number from 10 to 3600; got 5/],
    ['example --seconds 1e2', 2, /--seconds must be/],
    ['--seconds 20', 2, /<venue> is missing/],
    ['example --stream-address https://x', 1, /--stream-address must be an address such as wss/],
    ['example --key-file /nowhere', 2, /key file \/nowhere does not exist/],
  ] as const) {
    const told = await doctor(words);
    assert.deepEqual([told.code, told.out, pattern.test(told.err)], [code, '', true], told.err);
  }
});

test('ctrl-c ends it without a report and without a timer', async () => {
  let steps = 0;
  const { code, out, clock } = await doctor('example', {}, (io) => {
    steps += 1;
    if (steps === 100) io.interrupt.abort();
  });
  assert.deepEqual([code, out, clock.timerCount], [130, '', 0]);
  assert.ok(steps < 200);
});
