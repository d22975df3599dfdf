import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runRecorded } from '../testing/recorded-io.ts';
import { loadedCommand } from './command.ts';
import { commands } from './commands.ts';
import { completedCommands } from './completion/completed-commands.ts';
import { EXIT_CODE_MEANINGS } from './exit-codes.ts';

const PAGE = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
const loaded = await Promise.all(commands.map(loadedCommand));

test('every command explains itself by its usage and by examples that call it', () => {
  for (const { path, usage } of loaded) {
    const name = `tapeloom ${path.join(' ')}`;
    assert.ok(usage.startsWith(`Usage: ${name}`), name);
    const examples = /\n\nExamples:\n((?: {2}.+\n?)+)$/.exec(usage)?.[1];
    assert.ok(examples !== undefined, `${name} --help ends with examples`);
    for (const line of examples.trimEnd().split('\n')) assert.ok(line.includes(name), line);
  }
});

test('examples, in the help and on the page, use options that their command has', () => {
  const examples = loaded.flatMap(({ usage }) => usage.split('\nExamples:\n')[1]!.split('\n'));
  const calls = [...examples, ...PAGE.split('\n')].filter((line) => /^ *tapeloom [a-z]/.test(line));
  assert.ok(calls.length > 60);
  for (const call of calls) {
    const words = call.trim().split(/ +/).slice(1);
    const command = completedCommands(loaded)
      .filter((it) => it.words.every((word, index) => words[index] === word))
      .sort((a, b) => b.words.length - a.words.length)[0];
    assert.ok(command !== undefined, call);
    const known = command.options.map(({ name }) => name);
    // Text behind a pipe or a comment sign is not ours.
    const own = call.replace(/ [|#] .*$/, '');
    for (const [option] of own.matchAll(/(?<= )--[a-z-]+/g))
      assert.ok(known.includes(option), call);
  }
});

test('every customer’s command knows --json, and those that ask the service where and as whom', () => {
  const customers = loaded.filter(({ group = 'customer' }) => group === 'customer');
  for (const command of completedCommands(customers)) {
    const options = command.options.map(({ name }) => name);
    const name = command.words.join(' ');
    // The MCP output is always JSON.
    assert.equal(options.includes('--json'), name !== 'mcp', name);
    if (name === 'login' || name === 'logout') continue;
    for (const option of ['--url', '--key', '--profile']) assert.ok(options.includes(option), name);
  }
});

test('the list tells customers’ commands from operators’', async () => {
  const { out } = await runRecorded(commands, ['--help']);
  const at = (text: string) => {
    assert.ok(out.includes(text), text);
    return out.indexOf(text);
  };
  const places = [
    'For customers',
    '  keys create',
    'For operators',
    '  key create',
    'Exit codes',
  ].map(at);
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
});

test('no two commands have the same words, and an option takes a value everywhere or nowhere', () => {
  const names = loaded.map(({ path }) => path.join(' '));
  assert.equal(new Set(names).size, names.length);
  const takes = new Map<string, boolean>();
  for (const { name, takesValue } of completedCommands(loaded).flatMap(({ options }) => options)) {
    assert.equal(takes.get(name) ?? takesValue, takesValue, name);
    takes.set(name, takesValue);
  }
});

test('docs/cli.md lists the exit codes as the help does, and tells of every customer’s command', () => {
  const rows = [...PAGE.matchAll(/^\| (\d+) \| (.*) \|$/gm)].map(([, code, text]) => [
    Number(code),
    text,
  ]);
  assert.deepEqual(rows, EXIT_CODE_MEANINGS);
  for (const { path, group = 'customer' } of commands) {
    if (group === 'operator') continue;
    assert.ok(PAGE.includes(`tapeloom ${path.join(' ')}`), path.join(' '));
  }
});
