/**
 * The record of an `npm test` run, one JSON line per test at every depth. Only a test that ran can count as passed:
 * skipped and todo tests are recorded as not passed.
 */

import { existsSync, readFileSync } from 'node:fs';

export const resultsPath = '.test-results/latest.jsonl';

export interface TestRecord {
  readonly name: string;
  readonly file: string;
  readonly passed: boolean;
}

interface FinishedTest {
  readonly name: string;
  readonly file?: string | undefined;
  readonly skip?: string | boolean | undefined;
  readonly todo?: string | boolean | undefined;
}

export function recordOf(test: FinishedTest, passed: boolean): TestRecord {
  const ran = isUnset(test.skip) && isUnset(test.todo);
  return { name: test.name, file: test.file ?? '', passed: passed && ran };
}

/** The records of the latest whole run; null if this checkout has none. */
export function readTestRecords(path: string): readonly TestRecord[] | null {
  if (!existsSync(path)) return null;
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as TestRecord);
}

function isUnset(mark: string | boolean | undefined): boolean {
  return mark === undefined || mark === false;
}
