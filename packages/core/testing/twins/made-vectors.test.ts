import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { INDICATORS } from '../../src/studies/catalogue.ts';
import { delta } from '../../src/studies/delta.ts';
import type { BarParams } from './bar-twin.ts';
import { deltaTwin } from './delta-twin.ts';
import { type IndicatorTwin, TWINS } from './indicator-twins.ts';
import { madeVectors } from './made-vectors.ts';
import { type VectorCase, vectorsPath } from './vector-case.ts';

const deltaText = textOf(delta.id, delta.version);

function textOf(id: string, version: number): string {
  return readFileSync(new URL(`../../../../${vectorsPath(id, version)}`, import.meta.url), 'utf8');
}

function casesIn(text: string): VectorCase[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as VectorCase);
}

function linesOf(cases: readonly VectorCase[]): string {
  return `${cases.map((it) => JSON.stringify(it)).join('\n')}\n`;
}

test('published vectors are made again byte by byte', () => {
  for (const indicator of INDICATORS) {
    const { id, version } = indicator;
    const written = textOf(id, version);
    const { text, added, faults } = madeVectors(indicator, TWINS[id]!, written);
    assert.deepEqual([added, faults], [[], []], id);
    assert.equal(text, written, id);
  }
});

test('a new indicator gets cases of its defaults and presets, whose logs come from the twin', () => {
  for (const indicator of INDICATORS) {
    const { id, presets } = indicator;
    const { text, added, faults } = madeVectors(indicator, TWINS[id]!, null);
    assert.deepEqual(faults, [], id);
    assert.deepEqual(added, ['defaults', ...presets.map((it) => it.id)]);
    assert.ok(
      casesIn(text).some(({ log }) => log!.length > 0),
      id,
    );
  }
});

test('a case without a log gets one, and the others stay', () => {
  const [first, ...rest] = casesIn(deltaText);
  const { log: _, ...bare } = first!;
  const { text, added, faults } = madeVectors(delta, TWINS.delta!, linesOf([bare, ...rest]));
  assert.deepEqual([added, faults], [[first!.case], []]);
  assert.equal(text, deltaText);
});

test('a new version takes over the cases of the version before it', () => {
  const { text, added } = madeVectors(delta, TWINS.delta!, null, deltaText);
  assert.equal(text, deltaText);
  assert.equal(added.length, casesIn(deltaText).length);
});

test('a twin that gives another log than the published one is refused, and so is a study', () => {
  const [first] = casesIn(deltaText);
  const short = linesOf([{ ...first!, log: first!.log!.slice(0, -1) }]);
  const { faults } = madeVectors(delta, TWINS.delta!, short);
  assert.equal(faults.length, 1);
  assert.match(
    faults[0]!,
    /^case [\w-]+, update \d+: the file has no more updates, the twin gives \{"cursor"/,
  );
  assert.match(faults[0]!, /A published log does not change: .* raise the version/);

  const { log: _, ...bare } = first!;
  const wrong: IndicatorTwin = {
    ...TWINS.delta!,
    twin: (tape, params) => deltaTwin(tape, params as unknown as BarParams).slice(1),
  };
  const { faults: two } = madeVectors(delta, wrong, linesOf([bare]));
  assert.match(two[0]!, /^case [\w-]+, update 1: the twin gives .*, the study gives \{"cursor"/);
});

test('parameters that the indicator does not accept are reported with the case', () => {
  const [first] = casesIn(deltaText);
  const bad = linesOf([{ ...first!, case: 'odd', params: { size: 0 } }]);
  assert.throws(
    () => madeVectors(delta, TWINS.delta!, bad),
    /^RangeError: case odd: delta does not accept \{"size":0\}/,
  );
});
