import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../simulation/manual-clock.ts';
import { Readiness } from './readiness.ts';

function stage() {
  const clock = new ManualClock(0n);
  const facts: { lasting: string | null; passing: string | null } = {
    lasting: null,
    passing: null,
  };
  const readiness = new Readiness({
    clock,
    lasting: () => facts.lasting,
    passing: () => facts.passing,
  });
  return { clock, facts, readiness };
}

test('what keeps customers from being served for long counts at once [SEC-42]', () => {
  const { facts, readiness } = stage();
  assert.equal(readiness.reason, null);
  for (const reason of ['the tape is being filled', 'the accounts are damaged', null]) {
    facts.lasting = reason;
    assert.equal(readiness.reason, reason);
  }
});

test('what is over within a second never counts, and what lasts longer does until it is over [SEC-42]', () => {
  const { clock, facts, readiness } = stage();
  for (let blink = 0; blink < 5; blink += 1) {
    facts.passing = 'no engine runs';
    clock.advance(900);
    assert.equal(readiness.reason, null);
    facts.passing = null;
    clock.advance(300);
    assert.equal(readiness.reason, null);
  }
  facts.passing = 'no engine runs';
  // Nobody asks: since when it lasts is known all the same.
  clock.advance(1_300);
  assert.equal(readiness.reason, 'no engine runs');
  facts.passing = 'no thread for history runs';
  assert.equal(readiness.reason, 'no thread for history runs');
  facts.lasting = 'the ingest has stopped';
  assert.equal(readiness.reason, 'the ingest has stopped');
  Object.assign(facts, { lasting: null, passing: null });
  assert.equal(readiness.reason, null);
  readiness[Symbol.dispose]();
  assert.equal(clock.timerCount, 0);
});
