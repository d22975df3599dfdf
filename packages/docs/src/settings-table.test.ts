import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { ConfigError, readConfig } from '@tapeloom/server/config/config';

interface Row {
  readonly variable: string;
  readonly key: string;
  readonly fallback: string;
  readonly meaning: string;
}

const page = readFileSync(join(import.meta.dirname, '../../../docs/operating.md'), 'utf8');
const rows = [
  ...page.matchAll(/^\| `(TAPELOOM_\w+)`\s*\| `(\w+)`\s*\| ([^|]+?)\s*\| ([^\n]+?)\s*\|$/gm),
].map(
  ([, variable, key, fallback, meaning]): Row => ({
    variable: variable!,
    key: key!,
    fallback: fallback!.replaceAll('`', ''),
    meaning: meaning!,
  }),
);
const read = (env: Readonly<Record<string, string>>) =>
  readConfig({ env, args: [], readFile: () => '{}' }) as unknown as Readonly<
    Record<string, unknown>
  >;

test('the defaults in the table of settings are those of the program', () => {
  const config = read({});
  let compared = 0;
  for (const { key, fallback } of rows) {
    const value = config[key];
    if (typeof value === 'number') {
      const gib = /^(\d+)GiB$/.exec(fallback)?.[1];
      assert.equal(gib === undefined ? Number(fallback) : Number(gib) * 1_024 ** 3, value, key);
    } else if (typeof value === 'string') {
      assert.equal(key === 'data' ? resolve(fallback) : fallback, value, key);
    } else continue;
    compared += 1;
  }
  assert.ok(compared >= 10, `${compared} of ${rows.length} rows`);
});

test('the ranges in the table of settings are those of the program', () => {
  let compared = 0;
  for (const { variable, key, meaning } of rows) {
    const range = /, (\d+) to ([\d,]+)/.exec(meaning);
    if (range === null) continue;
    const [least, most] = [Number(range[1]), Number(range[2]!.replaceAll(',', ''))];
    for (const value of [least, most]) assert.equal(read({ [variable]: `${value}` })[key], value);
    for (const value of [least - 1, most + 1]) {
      assert.throws(() => read({ [variable]: `${value}` }), ConfigError, `${variable} ${value}`);
    }
    compared += 1;
  }
  assert.ok(compared >= 2);
});
