import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { Readiness, type ReadinessFacts } from './readiness.ts';

const SERVING: ReadinessFacts = {
  lost: null,
  accounts: null,
  phase: null,
  isPaused: false,
  threads: { engines: 1, compute: 1 },
};

function stage() {
  const clock = new ManualClock(0n);
  const stage = { clock, facts: SERVING };
  return Object.assign(stage, { readiness: new Readiness({ clock, facts: () => stage.facts }) });
}

test('a start, a stop, accounts in trouble and what is gone for good are not ready at once [SEC-42]', () => {
  const now = stage();
  for (const [fact, reason] of [
    ['phase', 'the tape is being filled'],
    ['accounts', 'the accounts are damaged'],
    ['accounts', 'the disk of the accounts is full'],
    ['lost', 'the ingest has stopped'],
    ['phase', 'the service is stopping'],
  ] as const) {
    now.facts = { ...SERVING, [fact]: reason };
    assert.equal(now.readiness.reason, reason);
    now.facts = SERVING;
    assert.equal(now.readiness.reason, null);
  }
  now.facts = { ...SERVING, phase: 'the tape is being opened', threads: null };
  assert.equal(now.readiness.reason, 'the tape is being opened');
});

for (const [what, missing, reason] of [
  ['an intake that is paused', { isPaused: true }, /^no trades are ingested/],
  ['a shared tape out of reach', { isPaused: true, isShared: true }, /^the shared tape cannot/],
  ['a clock that is wrong', { takesNobody: 'the clock of this node is wrong' }, /^the clock of/],
  ['no engine', { threads: { engines: 0, compute: 1 } }, /^no engine runs$/],
  ['no compute thread', { threads: { engines: 1, compute: 0 } }, /^no thread for history runs$/],
] as const) {
  test(`${what} is not ready once it lasts a second, and ready as soon as it is over [SEC-42]`, () => {
    const now = stage();
    for (let blink = 0; blink < 5; blink += 1) {
      now.facts = { ...SERVING, ...missing };
      now.clock.advance(900);
      assert.equal(now.readiness.reason, null);
      now.facts = SERVING;
      now.clock.advance(300);
      assert.equal(now.readiness.reason, null);
    }
    now.facts = { ...SERVING, ...missing };
    // No request arrives meanwhile; the watch still measures how long the fault lasts.
    now.clock.advance(1_300);
    assert.match(now.readiness.reason ?? '', reason);
    now.facts = SERVING;
    assert.equal(now.readiness.reason, null);
    now.readiness[Symbol.dispose]();
    assert.equal(now.clock.timerCount, 0);
  });
}
