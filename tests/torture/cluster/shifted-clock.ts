/**
 * A machine whose clock is wrong, for one process: what Node is given by `--import` shifts the wall clock in every thread by the
 * milliseconds in the file `SHIFTED_CLOCK` names, and follows when they change. The monotonic clock stays, as on a real machine.
 */

import { readFileSync, watch } from 'node:fs';

const file = process.env.SHIFTED_CLOCK;
if (file !== undefined) {
  const machineNow = Date.now;
  let shiftMs = 0;
  const read = () => {
    const text = readFileSync(file, 'utf8');
    // Empty for the moment in which it is written.
    if (text !== '') shiftMs = Number(text);
  };
  read();
  watch(file, { persistent: false }, (event) => {
    if (event === 'change') read();
  });
  Date.now = () => machineNow() + shiftMs;
}
