import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SESSION_KINDS } from '@tapeloom/core/calendar/session';
import { INDICATORS, indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { BAR_KINDS } from '@tapeloom/core/studies/cutters/bar-kinds';
import { digestCases } from '@tapeloom/core/studies/digests/digest-cases';
import { writeStudyLog } from '@tapeloom/core/studies/digests/study-log';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import type { Study } from '@tapeloom/core/studies/study';
import {
  committedDigests,
  DIGESTS_FILE,
  digestFaults,
  digestsText,
  type IndicatorDigests,
  type StudyDigests,
  studyDigests,
} from './study-digests.ts';

const vwap = indicatorNamed('vwap')!;
const naked = indicatorNamed('naked-levels')!;
/** As if committed with version 1 of all. */
const before = studyDigests([{ ...vwap, version: 1 }, naked], 1);

function withVwap(digests: StudyDigests, change: Partial<IndicatorDigests>): StudyDigests {
  const { vwap: digestsOfVwap, ...others } = digests.indicators;
  return { ...digests, indicators: { ...others, vwap: { ...digestsOfVwap!, ...change } } };
}

function vwapWith(change: (study: Study) => object): Indicator {
  const create = (params: Params) => {
    const study = vwap.create(params);
    return Object.assign(study, change(study));
  };
  return { ...vwap, version: 1, create };
}

test('no indicator gives other results than its version did; else raise it and run npm run interface [CAT-02] [DET-01]', () => {
  const now = studyDigests(INDICATORS);
  assert.deepEqual(digestFaults(committedDigests()!, now), []);
  const isCurrent = readFileSync(DIGESTS_FILE, 'utf8') === digestsText(now);
  assert.ok(isCurrent, 'contract/study-digests.json lacks what was added: run npm run interface');
});

/** Possible careless changes, from a wrong sum to a wrong number of one update of a stream. */
const CHANGES: Readonly<Record<string, Indicator>> = {
  'other bars': {
    ...vwap,
    version: 1,
    create: (params) => vwap.create({ ...params, size: (params.size as number) + 1 }),
  },
  'another number of an update': vwapWith((study) => {
    const { apply } = study;
    return { apply: (...of: Parameters<Study['apply']>) => apply.call(study, ...of) + 1 };
  }),
  'another time of what a stream shows': vwapWith((study) => {
    const { forming } = study;
    const later: Study['forming'] = (since, visit) =>
      forming.call(study, since, (version, mark) => visit({ ...version, ts: '7' }, mark));
    return { forming: later };
  }),
};

for (const [change, changed] of Object.entries(CHANGES)) {
  test(`${change}: results that change without their version are refused in a sentence, with it they are not [CAT-02]`, () => {
    const { indicators } = studyDigests([changed], 1);
    const now = { ...before, indicators: { ...before.indicators, ...indicators } };
    const faults = digestFaults(before, now);
    assert.equal(faults.length, 1);
    assert.match(
      faults[0]!,
      /^vwap gives other results than its version 1 did, in \d+ of \d+ cases, the first being \S+ \{.*\}: if that is meant, raise its version in packages\/core\/src\/studies\/vwap\.ts to 2 .* and run npm run interface\.$/,
    );
    assert.deepEqual(digestFaults(before, withVwap(now, { version: 2 })), []);
    assert.deepEqual(digestFaults(before, { ...now, sharedVersion: 2 }), []);
  });
}

test('versions only rise; cases and indicators may come and go', () => {
  const lowered = withVwap(before, { version: 0 });
  assert.deepEqual(digestFaults(before, lowered), ['The version of vwap went back from 1 to 0.']);
  const shared = { ...before, sharedVersion: 0 };
  assert.deepEqual(digestFaults(before, shared), ['SHARED_VERSION went back from 1 to 0.']);
  const none = { ...before, indicators: {} };
  const fewer = withVwap(before, { cases: {} });
  for (const other of [none, fewer]) {
    assert.deepEqual(digestFaults(before, other), []);
    assert.deepEqual(digestFaults(other, before), []);
  }
});

test('every indicator is tried with every kind of bar and session, and finds something in most cases', () => {
  for (const indicator of INDICATORS) {
    const cases = digestCases(indicator);
    const params = cases.map((it) => {
      const parsed = parseParams(indicator, it.params);
      assert.ok('params' in parsed, `${indicator.id} ${it.name}`);
      return parsed.params;
    });
    const isCut = indicator.parameters.some(({ name }) => name === 'bar');
    if (isCut) assert.deepEqual(new Set(params.map(({ bar }) => bar)), new Set(BAR_KINDS));
    const sessions = new Set(params.map(({ session }) => session));
    assert.deepEqual(sessions, new Set(SESSION_KINDS));
    const ofWeek = cases.filter(({ name }) => name.startsWith('week-1 '));
    const fruitful = ofWeek.filter(({ tape }, at) => {
      return writeStudyLog(indicator, params[at]!, tape, () => {}) > 0;
    });
    assert.ok(fruitful.length > ofWeek.length * 0.7, `${indicator.id} ${fruitful.length}`);
  }
});
