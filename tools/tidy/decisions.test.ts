import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDecisions } from './decisions.ts';
import { treeWith } from './sample-tree.ts';

const page = 'docs/decisions/0002-one-log.md';

function saidOf(text: string, row = '| [0002](0002-one-log.md) | One log | accepted |') {
  const tree = treeWith({ [page]: text, 'docs/decisions/README.md': `# Decisions\n\n${row}\n` });
  return checkDecisions(tree).map(({ path, line, message }) => `${path}:${line}: ${message}`);
}

const sound = '# 0002 · One log\n\nStatus: accepted.\n\nText.\n';

test('a tree without decisions has no finding, nor has one with a listed decision', () => {
  assert.deepEqual(checkDecisions(treeWith()), []);
  assert.deepEqual(saidOf(sound), []);
  assert.deepEqual(saidOf(sound.replace('accepted.', 'accepted. Extends [0001](0001-a.md).')), []);
});

test('a decision that is not listed, or listed with other words, is found', () => {
  assert.match(saidOf(sound, '')[0]!, /README\.md:1: 0002-one-log\.md is not listed/);
  const [said] = saidOf(sound, '| [0002](0002-one-log.md) | Two logs | accepted |');
  assert.match(
    said!,
    /README\.md:3: .* listed as "Two logs", accepted; it says "One log", accepted/,
  );
});

test('the index names the numbers by which a decision is amended or superseded', () => {
  const amended = sound.replace(
    'accepted.',
    'accepted; amended by [0003](0003-b.md) (a word), [0004](0004-c.md).',
  );
  assert.match(saidOf(amended)[0]!, /it says "One log", amended by 0003, 0004$/);
  const row = '| [0002](0002-one-log.md) | One log | amended by 0003, 0004 |';
  assert.deepEqual(saidOf(amended, row), []);
  const old = sound.replace('accepted.', 'superseded by [0005](0005-d.md).');
  assert.match(saidOf(old)[0]!, /it says "One log", superseded by 0005$/);
});

test('a decision without its number, without a status or with too many lines is found', () => {
  assert.match(saidOf(sound.replace('# 0002 ·', '# 2'))[0]!, /0002-one-log\.md:1: the first line/);
  for (const status of ['proposed.', 'superseded.', 'superseded by 0005.', 'accepted']) {
    assert.match(saidOf(sound.replace('accepted.', status))[0]!, /:3: the third line/, status);
  }
  assert.match(
    saidOf(`${sound}${'more\n'.repeat(36)}`)[0]!,
    /:40: 41 lines; a decision has at most 40/,
  );
});
