/** The command line of the service: nothing, or `--speed N`. */

import { SPEED_MAX, SPEED_MIN } from '../platform/clock.ts';

const ACCEPTS = `a number from ${SPEED_MIN} to ${SPEED_MAX}`;

/** The speed that was asked for, null when none was; anything else on the line is a fault. */
export function readSpeed(args: readonly string[], faults: string[]): number | null {
  const words = args.flatMap((word) =>
    word.startsWith('--speed=') ? ['--speed', word.slice(8)] : [word],
  );
  let speed: number | null = null;
  for (let at = 0; at < words.length; at++) {
    if (words[at] !== '--speed' || speed !== null) {
      faults.push(`argument ${words[at]}: accepted is --speed N, once`);
      continue;
    }
    at += 1;
    const value = words[at];
    speed =
      value !== undefined && /^\d{1,5}(?:\.\d{1,3})?$/.test(value) ? Number(value) : Number.NaN;
    if (speed >= SPEED_MIN && speed <= SPEED_MAX) continue;
    faults.push(`--speed: read ${JSON.stringify(value ?? '')}, accepted is ${ACCEPTS}`);
  }
  return speed;
}
