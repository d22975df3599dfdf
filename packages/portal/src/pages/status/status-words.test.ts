import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INSTRUMENT_STATES, type InstrumentState } from '@tapeloom/protocol/status-states';
import { datasetGroups, engineWords, instrumentWords, statusSentence } from './status-words.ts';

function status(engine: 'up' | 'down', ...states: readonly InstrumentState[]) {
  const instruments = states.map((state, index) => ({
    symbol: `ES${index}`,
    alias: index === 0 ? 'ES.c.0' : null,
    state,
  }));
  return { engine: { state: engine }, instruments, version: '1' };
}

test('the status is one sentence, the worst thing first', () => {
  assert.equal(statusSentence(status('up', 'open', 'closed')).text, 'Everything works.');
  assert.equal(
    statusSentence(status('up', 'closed', 'expired')).text,
    'Everything works. The markets are closed now.',
  );
  assert.equal(
    statusSentence(status('up', 'down', 'open')).text,
    'No data from the exchange feed for ES.c.0. The rest works.',
  );
  assert.equal(
    statusSentence(status('up', 'down', 'down', 'down', 'down', 'open')).text,
    'No data from the exchange feed for 4 instruments. The rest works.',
  );
  assert.equal(
    statusSentence(status('up', 'down', 'down')).text,
    'No data from the exchange feed. We are working on it.',
  );
  assert.equal(
    statusSentence(status('down', 'down')).text,
    'The engine is down: streams send no updates. We are working on it.',
  );
});

test('several datasets stand on their own, and one that is down is named', () => {
  const view = {
    ...status('up', 'open', 'down', 'down', 'closed'),
    datasets: [
      { dataset: 'ONE', state: 'open' as const, instruments: ['ES0'] },
      { dataset: 'TWO', state: 'down' as const, instruments: ['ES1', 'ES2'] },
      { dataset: 'THREE', state: 'closed' as const, instruments: ['ES3'] },
    ],
  };
  assert.equal(
    statusSentence(view).text,
    'No data from the exchange feed for TWO. The rest works.',
  );
  assert.deepEqual(
    datasetGroups(view).map(({ title, state, instruments }) => [title, state, instruments.length]),
    [
      ['ONE', 'open', 1],
      ['TWO', 'down', 2],
      ['THREE', 'closed', 1],
    ],
  );
  assert.equal(datasetGroups(status('up', 'open')).length, 1);
});

test('every state has words, and one that is not known yet is shown as it is', () => {
  for (const state of INSTRUMENT_STATES) assert.notEqual(instrumentWords(state).meaning, '');
  assert.equal(instrumentWords('halted' as InstrumentState).state, 'halted');
  assert.equal(engineWords('down').level, 'danger');
});
