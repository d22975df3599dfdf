import { test } from 'node:test';
import { useInstalled } from '../installed-package.ts';

test('the slim packed file, installed without scripts and without a Node, serves from an empty directory, also after a kill, and shows its stream', async () => {
  await useInstalled({ node: process.execPath, isWhole: false });
});
