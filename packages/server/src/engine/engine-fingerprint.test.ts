import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as catalogue from '@tapeloom/core/studies/catalogue';
import { digestCases } from '@tapeloom/core/studies/digests/digest-cases';
import { writeStudyLog } from '@tapeloom/core/studies/digests/study-log';
import { parseParams } from '@tapeloom/core/studies/params';
import { build } from 'vite';
import { catalogueVersion, engineFingerprint } from './engine-fingerprint.ts';

const SOURCE = { ...catalogue, digestCases, parseParams, writeStudyLog, engineFingerprint };
type Computing = typeof SOURCE;

const definitions = catalogue.publishedDefinitions();
const original = engineFingerprint(definitions);

test('the fingerprint is the same at every call, and changes with each version [CAT-02]', () => {
  assert.match(original, /^[0-9a-f]{64}$/);
  assert.equal(engineFingerprint(definitions.toReversed()), original);
  const raised = definitions.map(({ id }) =>
    engineFingerprint(definitions.map((it) => (it.id === id ? { ...it, version: 99 } : it))),
  );
  const all = [original, engineFingerprint(definitions, 99), ...raised];
  assert.equal(new Set(all).size, definitions.length + 2);
});

test('words of a definition change the version of the catalogue, not the computation', () => {
  const reworded = definitions.map((it) => ({ ...it, description: `${it.description} So.` }));
  assert.equal(engineFingerprint(reworded), original);
  assert.notEqual(catalogueVersion(reworded), catalogueVersion(definitions));
});

/** All code that computes and names it, in one file as it would be shipped. */
const ENTRY = `
  export { INDICATORS, publishedDefinitions } from '@tapeloom/core/studies/catalogue';
  export { digestCases } from '@tapeloom/core/studies/digests/digest-cases';
  export { writeStudyLog } from '@tapeloom/core/studies/digests/study-log';
  export { parseParams } from '@tapeloom/core/studies/params';
  export { engineFingerprint } from '${import.meta.dirname}/engine-fingerprint.ts';
`;

async function bundled(): Promise<Computing> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? `${import.meta.dirname}/entry.ts` : null),
        load: (id) => (id.endsWith('/entry.ts') ? ENTRY : null),
      },
    ],
    build: { write: false, minify: true, ssr: true, rolldownOptions: { input: 'entry' } },
    ssr: { noExternal: true },
  });
  const [built] = [result].flat();
  assert.ok(built !== undefined && 'output' in built);
  assert.equal(built.output.length, 1);
  const code = Buffer.from(built.output[0].code).toString('base64');
  return (await import(`data:text/javascript;base64,${code}`)) as Computing;
}

/** All results of the studies with their default parameters over one tape. */
function resultsOf({ INDICATORS, digestCases, parseParams, writeStudyLog }: Computing): string[] {
  return INDICATORS.flatMap((indicator) => {
    const lines: string[] = [];
    const { params, tape } = digestCases(indicator)[0]!;
    const parsed = parseParams(indicator, params);
    assert.ok('params' in parsed);
    writeStudyLog(indicator, parsed.params, tape, (line) => lines.push(line));
    return lines;
  });
}

test('from source and bundled, the fingerprint is one, and so are the results [CAT-02] [DET-01]', async () => {
  const computing = await bundled();
  assert.equal(computing.engineFingerprint(computing.publishedDefinitions()), original);
  const results = resultsOf(SOURCE);
  assert.ok(results.length > 10_000);
  assert.deepEqual(resultsOf(computing), results);
});
