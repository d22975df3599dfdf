/**
 * A proxy between a client and the service. A test can cut the connection at any moment, or after a
 * number of bytes of the next response. It can also fall silent there, so that a test can kill the
 * client midway.
 */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Fault {
  readonly afterBytes: number;
  readonly happen: (customer: Socket) => void;
}

export class CuttingProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #customers = new Set<Socket>();
  /** Faults of the next connections, one each. */
  readonly #faults: Fault[] = [];

  private constructor(target: URL) {
    this.#server = createServer((customer) => this.#join(customer, target));
  }

  static async before(address: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(new URL(address));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Adds a fault: one of the next connections ends after this many bytes from the service. */
  cutNext(afterBytes: number): void {
    this.#faults.push({ afterBytes, happen: (customer) => customer.end() });
  }

  /** Adds a fault: one of the next connections stalls after this many bytes; then resolves. */
  async silenceNext(afterBytes: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#faults.push({ afterBytes, happen: () => resolve() });
    await promise;
  }

  /** Resets every connection. */
  cut(): void {
    for (const customer of this.#customers) customer.resetAndDestroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  #join(customer: Socket, target: URL): void {
    const service = connect(Number(target.port), target.hostname);
    const fault = this.#faults.shift();
    let left = fault?.afterBytes ?? Number.POSITIVE_INFINITY;
    this.#customers.add(customer);
    // Each side's end or failure ends the other side.
    customer
      .on('error', () => {})
      .on('close', () => {
        this.#customers.delete(customer);
        service.destroy();
      });
    service.on('error', () => customer.destroy()).on('end', () => customer.end());
    customer.pipe(service);
    service.on('data', (bytes: Buffer) => {
      if (left === 0) return;
      const passed = bytes.subarray(0, left);
      left -= passed.length;
      customer.write(passed);
      if (left === 0) fault!.happen(customer);
    });
  }
}
