/**
 * The results of every indicator over the generated tapes and the golden vectors, as committed digests
 * (`contract/study-digests.json`). A digest may change only together with its indicator's version, or with the shared
 * version. So a change of results must be declared, and cursors, cached results and tokens then end.
 */

import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SHARED_VERSION } from '@tapeloom/core/studies/computation';
import { digestCases } from '@tapeloom/core/studies/digests/digest-cases';
import { goldenVectors, vectorTape } from '@tapeloom/core/studies/digests/golden-vector';
import { writeStudyLog } from '@tapeloom/core/studies/digests/study-log';
import type { Indicator } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';

export const DIGESTS_FILE = fileURLToPath(
  new URL('../../../../contract/study-digests.json', import.meta.url),
);
/** Enough to notice a change; a deliberate collision gains nothing. */
const DIGEST_LENGTH = 16;

export interface IndicatorDigests {
  readonly version: number;
  /** By the name of the case. */
  readonly cases: Readonly<Record<string, string>>;
}

export interface StudyDigests {
  readonly sharedVersion: number;
  /** By id. */
  readonly indicators: Readonly<Record<string, IndicatorDigests>>;
}

export function studyDigests(
  indicators: readonly Indicator[],
  sharedVersion = SHARED_VERSION,
): StudyDigests {
  const digests = indicators.map((indicator) => {
    const cases = [...digestCases(indicator), ...vectorCases(indicator)].map(
      ({ name, tape, params }) => {
        const parsed = parseParams(indicator, params);
        if (!('params' in parsed)) throw new RangeError(`${indicator.id} refuses the case ${name}`);
        const lines: string[] = [];
        writeStudyLog(indicator, parsed.params, tape, (line) => lines.push(line));
        // In one piece: a call for each line takes longer than the digest itself.
        const digest = hash('sha256', lines.join(''), 'hex');
        return [name, digest.slice(0, DIGEST_LENGTH)] as const;
      },
    );
    const { id, version } = indicator;
    return [id, { version, cases: Object.fromEntries(cases) }] as const;
  });
  return { sharedVersion, indicators: Object.fromEntries(digests) };
}

export function digestsText(digests: StudyDigests): string {
  return `${JSON.stringify(digests, null, 2)}\n`;
}

/** Null when none are committed yet. */
export function committedDigests(): StudyDigests | null {
  if (!existsSync(DIGESTS_FILE)) return null;
  return JSON.parse(readFileSync(DIGESTS_FILE, 'utf8')) as StudyDigests;
}

/** Why these digests may not be committed, each with the remedy. Cases may come and go. */
export function digestFaults(committed: StudyDigests, now: StudyDigests): readonly string[] {
  const { sharedVersion } = now;
  if (sharedVersion < committed.sharedVersion) {
    return [`SHARED_VERSION went back from ${committed.sharedVersion} to ${sharedVersion}.`];
  }
  const faults: string[] = [];
  for (const [id, { version, cases }] of Object.entries(now.indicators)) {
    const before = committed.indicators[id];
    if (before === undefined) continue;
    if (version < before.version) {
      faults.push(`The version of ${id} went back from ${before.version} to ${version}.`);
    }
    if (sharedVersion !== committed.sharedVersion || version !== before.version) continue;
    const changed = Object.keys(cases).filter((name) => {
      return before.cases[name] !== undefined && before.cases[name] !== cases[name];
    });
    if (changed.length === 0) continue;
    faults.push(
      `${id} gives other results than its version ${version} did, in ${changed.length} of ` +
        `${Object.keys(cases).length} cases, the first being ${changed[0]}: if that is meant, raise its ` +
        `version in packages/core/src/studies/${id}.ts to ${version + 1} (or, where it concerns all ` +
        'indicators, SHARED_VERSION in packages/core/src/studies/computation.ts) and run npm run interface.',
    );
  }
  return faults;
}

/** The vectors that a customer's parameters can reach. */
function vectorCases({ id, version }: Indicator) {
  const file = new URL(`../../../../contract/vectors/${id}.v${version}.jsonl`, import.meta.url);
  if (!existsSync(file)) return [];
  return goldenVectors(readFileSync(file, 'utf8'))
    .filter(({ barsPerTradeMax }) => barsPerTradeMax === undefined)
    .map((vector) => ({
      name: `vector ${vector.case}`,
      tape: vectorTape(vector),
      params: vector.params,
    }));
}
