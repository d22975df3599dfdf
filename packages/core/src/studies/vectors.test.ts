/** The published golden vectors, compared with the studies and the twins. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { studyOf, TWINS } from '../../testing/twins/indicator-twins.ts';
import { drive } from '../../testing/twins/study-driver.ts';
import {
  lineOf,
  studyLog,
  twinLog,
  type VectorCase,
  vectorParams,
  vectorsPath,
  vectorTwinTape,
} from '../../testing/twins/vector-case.ts';
import { INDICATORS } from './catalogue.ts';

for (const indicator of INDICATORS) {
  const { id, version } = indicator;
  const path = vectorsPath(id, version);
  const file = new URL(`../../../../${path}`, import.meta.url);
  const twin = TWINS[id];

  describe(`golden vectors of ${id}`, () => {
    it('there are a twin and a file of vectors', () => {
      const list = 'packages/core/testing/twins/indicator-twins.ts';
      assert.ok(twin !== undefined, `${id} has no twin in ${list}`);
      assert.ok(existsSync(file), `${path} does not exist: run npm run vectors -- ${id}`);
    });
    if (twin === undefined || !existsSync(file)) return;

    for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
      const vector = JSON.parse(line) as VectorCase & Required<Pick<VectorCase, 'log'>>;

      it(`${vector.case}: every update, trade by trade [DET-01] [DET-06] [OBJ-01] [OBJ-02] [OBJ-04]`, () => {
        assert.deepEqual(studyLog(indicator, vector), vector.log);
      });

      it(`${vector.case}: the settled part in one piece [DET-16] [OBJ-03]`, () => {
        const study = studyOf(indicator, vectorParams(indicator, vector), vector.barsPerTradeMax);
        assert.deepEqual(
          drive(study, vectorTwinTape(vector), 'whole').recorder.messages.map(lineOf),
          vector.log.filter((update) => update.final),
        );
      });

      it(`${vector.case}: the twin agrees`, () => {
        assert.deepEqual(twinLog(indicator, twin, vector), vector.log);
      });
    }
  });
}
