/** The part of Node's timers that waits for a turn of the event loop, for a page. */

const calls: (() => void)[] = [];
const channel = new MessageChannel();
channel.port1.onmessage = () => calls.shift()?.();

function later(call: () => void): void {
  calls.push(call);
  channel.port2.postMessage(null);
}

/** The signature of `node:timers/promises`. */
export function setImmediate<T>(value?: T): Promise<T | undefined> {
  return new Promise((resolve) => later(() => resolve(value)));
}

Object.assign(globalThis, { setImmediate: later });
