import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandWith, quickStartSteps } from './quick-start-steps.ts';

const steps = quickStartSteps();

test('the quick start has both ways, step by step, and each step of a machine of your own has something to type or to save', () => {
  const parts = Map.groupBy(steps, ({ part }) => part);
  assert.deepEqual([...parts.keys()], ['On your own machine', 'Against a running service']);
  for (const each of parts.values()) {
    for (const [index, { title }] of each.entries()) {
      assert.ok(title.startsWith(`${index + 1}. `), title);
    }
  }
  for (const { title, commands, files } of parts.get('On your own machine')!) {
    assert.ok(commands.length + files.size > 0, title);
  }
});

test('every command that the walk types is on the page', () => {
  for (const words of [
    'git clone',
    'npm ci',
    'npm start',
    'npx tapeloom stream',
    'account claim',
    'npx node',
  ]) {
    assert.ok(commandWith(steps, words).length > 0);
  }
  assert.throws(() => commandWith(steps, 'npm run nothing'));
});

test('the first program has eight lines', () => {
  const program = steps.flatMap(({ files }) => files.get('look.ts') ?? []).at(0)!;
  assert.equal(program.trim().split('\n').length, 8);
});
