/**
 * A wrong machine clock for one process: loaded with `--import`, it shifts the wall clock of every
 * thread by the milliseconds in the file that `SHIFTED_CLOCK` names, and follows changes of the
 * file. The monotonic clock stays, as on a real machine.
 */

import { readFileSync, watch } from 'node:fs';

const file = process.env.SHIFTED_CLOCK;
if (file !== undefined) {
  const machineNow = Date.now;
  let shiftMs = 0;
  const read = () => {
    const text = readFileSync(file, 'utf8');
    // The file is empty for a moment while it is written.
    if (text !== '') shiftMs = Number(text);
  };
  read();
  watch(file, { persistent: false }, (event) => {
    if (event === 'change') read();
  });
  Date.now = () => machineNow() + shiftMs;
}
