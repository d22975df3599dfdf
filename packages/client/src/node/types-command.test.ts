import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { typesCommand } from './types-command.ts';

const root = new URL('../../../../', import.meta.url);
const catalogue = readFileSync(new URL('contract/catalogue.json', root), 'utf8');

/** Runs the command against a service with a fixed response. */
async function run(words: readonly string[], body = catalogue, status = 200) {
  const said = { code: 0, stdout: '', stderr: '', asked: [] as string[] };
  said.code = await typesCommand(words, {
    stdout: (text) => {
      said.stdout += text;
    },
    stderr: (text) => {
      said.stderr += text;
    },
    fetch: (url) => {
      said.asked.push(String(url));
      const headers = { 'content-type': 'application/json' };
      return Promise.resolve(new Response(body, { status, headers }));
    },
  });
  return said;
}

test("the types of a live catalogue are those of our own, in the client's place for them [VER-02]", async () => {
  const { code, stdout, stderr, asked } = await run(['--url', 'https://api.example.com']);
  assert.deepEqual([code, stderr, asked], [0, '', ['https://api.example.com/v1/indicators']]);
  const own = readFileSync(new URL('packages/protocol/src/indicators.ts', root), 'utf8');
  assert.ok(stdout.startsWith(own.replace('`npm run interface`', '`tapeloom-types`')));
  assert.match(stdout, /\ndeclare module '@tapeloom\/client' \{\n {2}interface OwnTypes \{/);
  const changed = await run([], catalogue.replace('"name": "bar"', '"name": "rod"'));
  assert.match(changed.stdout, /readonly rod\?: 'time' \| 'tick'/);
});

test('what is no catalogue is refused with the place that is wrong, and nothing is written', async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['{}', /version is no text/],
    ['{"version":"1","engineFingerprint":"f","indicators":{}}', /indicators is no list/],
    [catalogue.replace('"id": "bars"', '"id": 7'), /indicators\/0\/id is no text/],
    [catalogue.replace('"type": "object"', '"type": "moon"'), /bars data is not a closed object/],
    [catalogue.replace('"unit": "', '"unit": 1, "was": "'), /parameters\/\d+\/unit is no text/],
    ['[]', /not a JSON object/],
  ];
  for (const [body, message] of cases) {
    const { code, stdout, stderr } = await run([], body);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^tapeloom-types: /);
    assert.match(stderr, message);
  }
  const { code, stderr } = await run([], '{}', 502);
  assert.equal(code, 1);
  assert.match(stderr, /502/);
});

test('words it does not know are answered with how it is used', async () => {
  const { code, stdout, stderr, asked } = await run(['--uri', 'x']);
  assert.deepEqual([code, stdout, asked], [2, '', []]);
  assert.match(stderr, /--uri[\s\S]*tapeloom-types \[--url <address>\] > indicators\.ts/);
  const help = await run(['--help']);
  assert.deepEqual([help.code, help.stderr], [0, '']);
  assert.match(help.stdout, /--url/);
});
