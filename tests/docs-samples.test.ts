/**
 * Every sample of the documentation works. JSON blocks parse. Programs compile strictly against the
 * published client and, like commands, run against a real service on the oldest supported Node. A
 * sample that cannot run gives its reason. How samples are marked: `docs/guides/write-docs.md`.
 */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { CLIENT_ERROR_CODES } from '@tapeloom/client';
import { CLOSE_MEANINGS } from '@tapeloom/protocol/close-codes';
import { allFences, type Fence, fencesIn, root } from './docs-samples/fences.ts';
import { pythonFor } from './docs-samples/python.ts';
import { SampleStage } from './docs-samples/sample-stage.ts';
import { chromiumMissing } from './headless-chromium.ts';

/** Blocks that another test checks as a whole. */
const TESTED_BY: Readonly<Record<string, string>> = { session: 'tests/protocol-sessions.test.ts' };
const RUN = ['ts', 'js', 'sh', 'python'];
const PARSED = ['json', 'jsonc'];
/** Pages whose samples run concurrently. */
const PAGES_AT_ONCE = 3;

const fences = allFences();
const isMarked = ({ marks, language }: Fence) =>
  marks.has('not-run') || marks.has('tested-by') || TESTED_BY[language] !== undefined;
const runnable = fences.filter((fence) => RUN.includes(fence.language) && !isMarked(fence));
const inBrowser = runnable.filter(({ marks }) => marks.has('browser'));
/** Indicator pages come from one template, so some stand for all; `.ci/long` runs all of them. */
const isLeftOut = ({ page }: Fence) =>
  process.env.SAMPLES !== 'all' &&
  /^docs\/indicators\/(?!bars|footprint|volume-profile)/.test(page);
const pages = Map.groupBy(
  runnable.filter((fence) => !inBrowser.includes(fence) && !isLeftOut(fence)),
  ({ page }) => page,
);
let ran = 0;
const withoutMeans: string[] = [];

test('every block with a language is run, or parsed, or says why not', () => {
  const faults = fences.flatMap((fence) => {
    const { place, language, marks, faults } = fence;
    const isKnown = [...RUN, ...PARSED].includes(language) || isMarked(fence);
    const own = isKnown ? [] : [`nothing runs ${language}: say not-run="…" or tested-by="…"`];
    return [...faults, ...own, ...testFaults(fence, marks.get('tested-by'))].map(
      (fault) => `${place}: ${fault}`,
    );
  });
  assert.deepEqual(faults, []);
});

test('blocks of JSON parse', () => {
  for (const { place, language, marks, text } of fences) {
    if (!PARSED.includes(language) || marks.has('not-run')) continue;
    const plain = language === 'jsonc' ? withoutComments(text) : text;
    // A block may contain several JSON documents.
    for (const part of plain.trim().split(/\n(?=[[{])/)) {
      assert.doesNotThrow(() => JSON.parse(part), place);
    }
  }
});

test('the client tells of every close code, and of every code of its own', () => {
  const readme = readFileSync(join(root, 'packages/client/README.md'), 'utf8');
  const told = (heading: string) => readme.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!;
  const codes = new Set(CLOSE_MEANINGS.map(({ code }) => String(code)));
  for (const code of codes) assert.match(told('When the connection ends'), RegExp(`\\b${code}\\b`));
  for (const code of CLIENT_ERROR_CODES) assert.ok(told('Errors').includes(`\`${code}\``), code);
});

test('blocks are found with their marks, and what is misspelt is told', () => {
  const page = [
    '1. Item',
    '   ```sh lines=3 not-run="needs a card"',
    '   a',
    '     b',
    '   ```',
    '````md tested-by="x" nonsense',
    '```ts',
    '```',
    '````',
    '```',
    'plain',
    '```',
  ].join('\n');
  const [first, second, ...others] = fencesIn('a.md', page);
  assert.deepEqual([first!.place, first!.text, first!.faults], ['a.md:2', 'a\n  b\n', []]);
  assert.deepEqual(
    [...first!.marks],
    [
      ['lines', '3'],
      ['not-run', 'needs a card'],
    ],
  );
  assert.equal(second!.text, '```ts\n```\n');
  assert.match(second!.faults[0]!, /^"nonsense" is none of /);
  assert.deepEqual(others, []);
});

describe('the samples', () => {
  let stage: SampleStage;
  before(async () => {
    stage = await SampleStage.start();
  });
  after(() => stage?.[Symbol.asyncDispose]());

  describe('run', { concurrency: PAGES_AT_ONCE }, () => {
    for (const [page, samples] of pages) {
      it(`${page}: ${samples.length}`, async () => {
        stage.openPage(fences.filter((fence) => fence.page === page));
        for (const sample of samples) {
          if (isWithoutMeans(sample)) {
            withoutMeans.push(sample.place);
            continue;
          }
          const lines = await stage.run(sample);
          const isQuiet = sample.language === 'sh' || sample.language === 'python';
          assert.ok(isQuiet || lines.length > 0, `${sample.place} says nothing`);
          ran += 1;
        }
      });
    }

    it('in a browser [CLIENT-04]', { skip: chromiumMissing }, async () => {
      await stage.runInBrowser(inBrowser);
      ran += inBrowser.length;
    });
  });

  // After the run, because some samples import files that others write.
  it('compile, with every check on', async () => {
    const typed = fences.filter(
      ({ language, marks }) =>
        language === 'ts' && !marks.has('fragment') && !marks.has('tested-by'),
    );
    assert.equal(await stage.compile(typed), '');
  });

  it('are counted', (context) => {
    const parsed = fences.filter(({ language }) => PARSED.includes(language)).length;
    const elsewhere = fences.filter(
      ({ marks, language }) => marks.has('tested-by') || TESTED_BY[language],
    );
    const notRun = fences.filter(({ marks }) => marks.has('not-run'));
    context.diagnostic(
      `samples: ${ran} ran, ${runnable.filter(isLeftOut).length} are for .ci/long, ${parsed} parsed, ${elsewhere.length} run by other tests, ${notRun.length} say why not`,
    );
    for (const place of withoutMeans)
      context.diagnostic(`not run here, for want of Python: ${place}`);
    for (const { place, marks } of notRun) context.diagnostic(`${place}: ${marks.get('not-run')}`);
    assert.ok(ran > 20, `${ran} ran`);
  });
});

/** The named test must exist and name the page. */
function testFaults({ page }: Fence, path: string | undefined): readonly string[] {
  if (path === undefined) return [];
  if (!existsSync(join(root, path))) return [`${path} does not exist`];
  const isNamed = readFileSync(join(root, path), 'utf8').includes(page);
  return isNamed ? [] : [`${path} does not name ${page}`];
}

/** Whether Python or one of its packages is missing here; `.ci/run` installs them. */
function isWithoutMeans({ language, text }: Fence): boolean {
  return language === 'python' && pythonFor(text) === null;
}

function withoutComments(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\/\/.*$|\/\*[\s\S]*?\*\//gm, (_, words) => words ?? '');
}
