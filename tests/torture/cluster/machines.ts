/**
 * Machines for servers of a torture run: network namespaces, each with one line to each of its
 * networks. A network is a bridge in the namespace of the run, which is on all of them. A cut line
 * drops everything silently, like a broken cable.
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The run's number on each network; machines have the numbers after it. */
const OWN_NUMBER = 1;
const NETWORK_PREFIX = '10.83';

export class Network {
  readonly name: string;
  readonly #number: number;

  /** Names must be short: the kernel limits device names. */
  constructor(name: string, number: number) {
    this.name = name;
    this.#number = number;
    // Without its own address a bridge takes one of a machine, which changes when machines come and
    // go.
    const ether = `02:00:00:83:00:0${number}`;
    ip('link', 'add', 'name', this.bridge, 'address', ether, 'type', 'bridge');
    ip('addr', 'add', `${this.ownAddress}/24`, 'dev', this.bridge);
    ip('link', 'set', this.bridge, 'up');
  }

  get bridge(): string {
    return `net-${this.name}`;
  }

  get ownAddress(): string {
    return this.address(OWN_NUMBER);
  }

  address(machine: number): string {
    return `${NETWORK_PREFIX}.${this.#number}.${machine}`;
  }
}

/** A line between a machine and a network: the device on the network's side, and its bridge. */
export interface Line {
  readonly name: string;
  readonly bridge: string;
}

export class Machine implements AsyncDisposable {
  readonly #number: number;
  /** Keeps the namespace alive; it reads a pipe of the run, so it ends with the run. */
  readonly #holder: ChildProcess;

  private constructor(number: number, holder: ChildProcess) {
    this.#number = number;
    this.#holder = holder;
  }

  /** Each number from 2 on may be used once. */
  static async start(number: number, networks: readonly Network[]): Promise<Machine> {
    const words = ['--net', 'sh', '-c', 'ip link set lo up && echo up && read _'];
    const holder = spawn('unshare', words, { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(holder.stdout!, 'data');
    const machine = new Machine(number, holder);
    for (const network of networks) machine.#join(network);
    return machine;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#holder.exitCode !== null) return;
    this.#holder.stdin!.end();
    await once(this.#holder, 'close');
  }

  address(network: Network): string {
    return network.address(this.#number);
  }

  /** Wraps a command so that it runs on this machine. */
  command(words: readonly string[]): readonly string[] {
    return ['nsenter', '--target', String(this.#holder.pid), '--net', '--', ...words];
  }

  cut(network: Network): void {
    ip('link', 'set', this.line(network).name, 'down');
  }

  heal(network: Network): void {
    ip('link', 'set', this.line(network).name, 'up');
  }

  line({ name, bridge }: Network): Line {
    return { name: `${name}-${this.#number}`, bridge };
  }

  #join(network: Network): void {
    const line = this.line(network).name;
    const inside = ['netns', String(this.#holder.pid)];
    ip('link', 'add', 'name', line, 'type', 'veth', 'peer', 'name', network.name, ...inside);
    ip('link', 'set', line, 'master', network.bridge, 'up');
    const [command, ...words] = this.command(['ip']);
    const within = (...more: readonly string[]) => execFileSync(command!, [...words, ...more]);
    within('addr', 'add', `${this.address(network)}/24`, 'dev', network.name);
    within('link', 'set', network.name, 'up');
  }
}

export function ip(...words: readonly string[]): void {
  execFileSync('ip', words);
}
