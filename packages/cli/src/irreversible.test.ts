/** Every command is classified once: an irreversible one asks, or needs `--yes`. A new one must be added to a list. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadedCommand } from './command.ts';
import { commands } from './commands.ts';

const loaded = await Promise.all(commands.map(loadedCommand));

/** These ask, some only with the option after the colon. */
const CANNOT_BE_UNDONE = [
  'account delete',
  'account passkeys: --remove',
  'billing cancel',
  'billing refund',
  'billing withdraw',
  'billing write-off',
  'cluster rebuild',
  'cluster repair',
  'cluster secret: --leaked',
  'import: --replace',
  'instruments rolls: --again',
  'key revoke',
  'keys revoke',
  'keys rotate: --grace 0s',
  'migrate',
  'tape rm',
  'tape trim',
];

/** These take `--yes` because they cost the customer something. */
const COSTS = ['export', 'history'];

/** A mistake here is undone by repeating the command or its opposite; the text explains less obvious cases. */
const CAN_BE_UNDONE: Readonly<Record<string, string>> = {
  'account claim': 'the link ends by itself',
  'account create': '',
  'account email': 'the address before can be set again; its owner adds passkeys again',
  'account plan': 'the plan before can be set again',
  'account resume': '',
  'account suspend': '',
  backup: 'older backups go by the number that is to stay, which is what it is for',
  'billing test': 'plays what happens at the provider that takes no money',
  'billing reconcile': '',
  'billing replay': '',
  'cache clear': 'results are computed again',
  'cache warm': '',
  'cluster drain': 'the node is started again',
  'cluster init': 'makes what is not there, and nothing else',
  'cluster room': 'the size before can be set again',
  'instruments apply': 'refuses what would change the past; the file before can be applied again',
  'key create': '',
  'keys create': '',
  login: '',
  logout: 'the key stays valid, and can be given again',
  mcp: 'what an assistant does is asked by the assistant',
  restore: 'never overwrites what is there',
  serve: '',
  'sim fill': 'adds days that are not there',
};

const READS = [
  ...['account list', 'account show', 'audit', 'backup verify', 'billing doctor', 'billing ls'],
  ...['billing show', 'cache ls', 'cluster status', 'completion', 'config', 'doctor', 'estimate'],
  ...[
    'feed doctor',
    'indicators',
    'instruments',
    'instruments check',
    'instruments diff',
    'instruments from',
  ],
  ...['key list', 'keys list', 'requests', 'stream', 'study', 'tape compare', 'tape ls'],
  ...['tape verify', 'usage'],
];

const named = (entry: string) => entry.split(':')[0]!;

test('every command is classified, once', () => {
  const classified = [
    ...CANNOT_BE_UNDONE.map(named),
    ...COSTS,
    ...Object.keys(CAN_BE_UNDONE),
    ...READS,
  ].sort();
  assert.deepEqual(classified, commands.map(({ path }) => path.join(' ')).sort());
});

test('what cannot be undone, and nothing else but what costs, takes --yes, and says that it asks', () => {
  const takesYes = loaded.filter(({ usage }) => /^ {2}--yes\b/m.test(usage));
  assert.deepEqual(
    takesYes.map(({ path }) => path.join(' ')).sort(),
    [...CANNOT_BE_UNDONE.map(named), ...COSTS].sort(),
  );
  for (const entry of CANNOT_BE_UNDONE.filter((one) => one.includes(':'))) {
    const [name, option] = entry.split(': ') as [string, string];
    const { usage } = loaded.find(({ path }) => path.join(' ') === name)!;
    assert.ok(usage.includes(option.split(' ')[0]!), entry);
    assert.match(usage, /asks first|Asks first|after a question/, name);
  }
});
