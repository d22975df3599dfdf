import { test } from 'node:test';
import { run } from './torture/tape.ts';

test('8 times SIGKILL at full load and 8 losses of power: nothing acknowledged is lost or doubled, cursors and objects are those of an undisturbed run [DET-03] [DET-05] [SEC-31] [SEC-32]', async () => {
  await run({ rounds: 8 });
});
