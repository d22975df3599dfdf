/**
 * The process behind slow lines (`slow-lines.ts`): it copies frames between two network devices
 * after a delay. It replaces the kernel's `netem`, which not every kernel has. Frames stay in
 * order; frames beyond `FRAMES_MAX` are dropped, as in a router.
 *
 *     node slow-wire.ts <ms> <seed> <device>=<device> …
 */

import { dlopen } from 'node:ffi';
import { closeSync, constants, openSync, read, writeSync } from 'node:fs';
import { seededRandom } from '../../../simulation/clock/seeded-random.ts';

const TUN = '/dev/net/tun';
/** `TUNSETIFF`, and `IFF_TAP | IFF_NO_PI` behind a device's name of 16 bytes: `<linux/if_tun.h>`. */
const SET_DEVICE = 0x4004_54can;
const DEVICE_BYTES = 40;
const NAME_BYTES = 16;
const PLAIN_FRAMES = 0x1002;
const FRAME_BYTES_MAX = 65_536;
const FRAMES_MAX = 20_000;
/** The delay of a frame grows by up to this share. */
const JITTER = 0.5;

const [ms, seed, ...pairs] = process.argv.slice(2);
const random = seededRandom(Number(seed));
using libc = dlopen('libc.so.6', {
  ioctl: { arguments: ['i32', 'u64', 'pointer'], return: 'i32' },
});

for (const pair of pairs) {
  const [one, other] = pair.split('=').map(openDevice);
  carry(one!, other!);
  carry(other!, one!);
}
process.stdin.on('end', () => process.exit()).resume();
process.stdout.write('up\n');

function openDevice(name: string): number {
  const device = openSync(TUN, constants.O_RDWR);
  const wanted = Buffer.alloc(DEVICE_BYTES);
  wanted.write(name);
  wanted.writeUInt16LE(PLAIN_FRAMES, NAME_BYTES);
  if (libc.functions.ioctl(device, SET_DEVICE, wanted) === 0) return device;
  closeSync(device);
  throw new Error(`no device ${name}`);
}

function carry(from: number, to: number): void {
  const buffer = Buffer.alloc(FRAME_BYTES_MAX);
  let waiting = 0;
  let lastAt = 0;
  const next = () =>
    read(from, buffer, 0, buffer.length, null, (error, length) => {
      // A device that is not up yet has no frames.
      if (error !== null && error.code !== 'EIO') throw error;
      if (error === null && waiting < FRAMES_MAX) send(Buffer.from(buffer.subarray(0, length)));
      next();
    });
  const send = (frame: Buffer) => {
    waiting += 1;
    const now = performance.now();
    lastAt = Math.max(lastAt, now + Number(ms) * (1 + random() * JITTER));
    setTimeout(() => {
      waiting -= 1;
      try {
        writeSync(to, frame);
      } catch (error) {
        // The other device is down: the line is cut.
        if ((error as NodeJS.ErrnoException).code !== 'EIO') throw error;
      }
    }, lastAt - now);
  };
  next();
}
