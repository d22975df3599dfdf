/** In a page, what Node has beyond it to wait for a turn of the event loop. */

const calls: (() => void)[] = [];
const channel = new MessageChannel();
channel.port1.onmessage = () => calls.shift()?.();

function later(call: () => void): void {
  calls.push(call);
  channel.port2.postMessage(null);
}

/** As `node:timers/promises` has it. */
export function setImmediate<T>(value?: T): Promise<T | undefined> {
  return new Promise((resolve) => later(() => resolve(value)));
}

Object.assign(globalThis, { setImmediate: later });
