import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runRecorded } from '../../testing/recorded-io.ts';
import type { Command } from '../command.ts';
import { completionCommand } from '../commands/completion.ts';
import { ExitCode } from '../exit-codes.ts';
import { completedCommands, listOptions, valuedOptions, wordsAfter } from './completed-commands.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tapeloom-completion-'));
mkdirSync(join(scratch, 'tapeloom'));
writeFileSync(join(scratch, 'tapeloom/instruments'), 'ES.c.0\nBTC.c.0\n');
writeFileSync(join(scratch, 'tapeloom/indicators'), 'bars\nfootprint\n');
writeFileSync(join(scratch, 'tapeloom/profiles'), 'default\nwork\n');
after(() => rmSync(scratch, { recursive: true }));

const COMMON = `  --url <address>  where (default: here)
                   and more of it
  --json           it's JSON: "$HOME" \`id\``;
const command = (path: string, usage: string): Command => ({
  path: path.split(' '),
  summary: `Does it's ${path}: all.`,
  usage: `Usage: tapeloom ${path} ${usage}`,
  run: () => Promise.resolve(0),
});
const COMMANDS = [
  command(
    'stream',
    `<instrument> <indicator> [options]\n\n  --mode live|confirmed  which\n${COMMON}`,
  ),
  command('names', `[<instrument>] [options]\n\n${COMMON}`),
  command('names check', `<file>\n\n  --strict         all of it\n${COMMON}`),
  command('keys list', `[--json]\n\n${COMMON}`),
  command('keys revoke', `<id> [--yes]\n\n  --yes            do not ask\n${COMMON}`),
  command(
    'keys create',
    `[options]\n\n  --scopes stream,history,keys  some\n  --instruments <list>  only these\n  --profile <name>  as whom`,
  ),
];

/** Command lines with the cursor at their end, and the offers of a shell. */
const OFFERS: readonly (readonly [line: string, offers: readonly string[]])[] = [
  ['tapeloom s', ['stream']],
  ['tapeloom k', ['keys']],
  ['tapeloom n', ['names']],
  ['tapeloom names ', ['BTC.c.0', 'ES.c.0', 'check']],
  ['tapeloom names c', ['check']],
  ['tapeloom names --', ['--help', '--json', '--url']],
  ['tapeloom names check --', ['--help', '--json', '--strict', '--url']],
  ['tapeloom names check ', []],
  ['tapeloom keys ', ['create', 'list', 'revoke']],
  ['tapeloom keys create --profile ', ['default', 'work']],
  ['tapeloom keys create --profile w', ['work']],
  ['tapeloom keys create --scopes ', ['history', 'keys', 'stream']],
  ['tapeloom keys create --scopes stream,h', ['stream,history']],
  ['tapeloom keys create --instruments ES.c.0,', ['ES.c.0,BTC.c.0']],
  ['tapeloom keys revoke --', ['--help', '--json', '--url', '--yes']],
  ['tapeloom stream --mode ', ['confirmed', 'live']],
  ['tapeloom stream ', ['BTC.c.0', 'ES.c.0']],
  ['tapeloom stream E', ['ES.c.0']],
  ['tapeloom stream --mode live ES.c.0 ', ['bars', 'footprint']],
  ['tapeloom stream ES.c.0 --json fo', ['footprint']],
  ['tapeloom stream ES.c.0 bars ', []],
  ['tapeloom keys revoke ', []],
];

async function script(shell: string): Promise<string> {
  const completion = completionCommand(() => COMMANDS);
  const { code, out } = await runRecorded([completion], ['completion', shell]);
  assert.equal(code, ExitCode.ok);
  const path = join(scratch, `completion.${shell}`);
  writeFileSync(path, out);
  return path;
}

function shellMissing(shell: string): string | false {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0 ? false : `there is no ${shell} here`;
}

/** The output of a shell that runs these lines, in a directory whose files it might offer by mistake. */
function run(shell: string, args: readonly string[]): string {
  const env = { ...process.env, XDG_CACHE_HOME: scratch };
  const { status, stdout, stderr } = spawnSync(shell, args, {
    env,
    cwd: scratch,
    encoding: 'utf8',
  });
  assert.deepEqual([status, stderr], [0, '']);
  return stdout;
}

function offersOf(text: string): readonly (readonly string[])[] {
  const parts = text.split(/^== .*\n/m).slice(1);
  return parts.map((part) =>
    [...new Set(part.split('\n').map((it) => it.split('\t')[0]!))].filter(Boolean).sort(),
  );
}

test('commands are read from their own help', () => {
  const [stream, , , , revoke] = completedCommands(COMMANDS);
  assert.deepEqual(stream!.places, ['instruments', 'indicators']);
  assert.deepEqual(revoke!.places, [null]);
  assert.deepEqual(stream!.options.slice(0, 2), [
    {
      name: '--mode',
      takesValue: true,
      values: ['live', 'confirmed'],
      isList: false,
      description: 'which',
    },
    { name: '--url', takesValue: true, values: [], isList: false, description: 'where' },
  ]);
  const all = completedCommands(COMMANDS);
  const valued = ['--instruments', '--mode', '--profile', '--scopes', '--url'];
  assert.deepEqual(valuedOptions(all), valued);
  assert.deepEqual(listOptions(all), ['--instruments', '--scopes']);
  const words = wordsAfter(completedCommands(COMMANDS), []);
  assert.deepEqual(
    [words.get('names'), words.get('keys')],
    ["Does it's names: all.", 'list, revoke, create'],
  );
});

test('bash completes words, options, values and names', {
  skip: shellMissing('bash'),
}, async () => {
  const path = await script('bash');
  const tries = OFFERS.map(([line]) => {
    const words = line.split(' ').map((word) => `'${word}'`);
    return `echo '== ${line}'; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _tapeloom; printf '%s\\n' "\${COMPREPLY[@]}"`;
  });
  const text = run('bash', ['--norc', '-u', '-c', `source ${path}\n${tries.join('\n')}`]);
  assert.deepEqual(
    offersOf(text),
    OFFERS.map(([, offers]) => offers),
  );
});

test('zsh completes the same', { skip: shellMissing('zsh') }, async () => {
  const path = await script('zsh');
  const tries = OFFERS.map(([line]) => {
    const words = line.split(' ').map((word) => `'${word}'`);
    return `print -r -- '== ${line}'; words=(${words.join(' ')}); CURRENT=${words.length}; _tapeloom`;
  });
  // zsh's completion widgets exist only in interactive shells; these stand in for them.
  const widgets = `compdef() { : }
_describe() {
  local each
  for each in "\${(@P)@[-1]}"; do
    [[ $each == \${words[CURRENT]}* ]] && print -r -- \${each%%:*}
  done
  return 0
}`;
  const text = run('zsh', ['-f', '-c', `${widgets}\nsource ${path}\n${tries.join('\n')}`]);
  assert.deepEqual(
    offersOf(text),
    OFFERS.map(([, offers]) => offers),
  );
});

test('fish completes the same', { skip: shellMissing('fish') }, async () => {
  const path = await script('fish');
  const tries = OFFERS.map(([line]) => `echo '== ${line}'; complete -C '${line}'`);
  const text = run('fish', ['--no-config', '-c', `source ${path}\n${tries.join('\n')}`]);
  assert.deepEqual(
    offersOf(text),
    OFFERS.map(([, offers]) => offers),
  );
});

test('another shell is refused', async () => {
  const { code, err } = await runRecorded([completionCommand(() => [])], ['completion', 'tcsh']);
  assert.equal(code, ExitCode.usage);
  assert.match(err, /must be bash, zsh or fish; got/);
});
