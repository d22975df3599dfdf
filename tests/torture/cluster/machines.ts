/**
 * Machines of their own for servers of a torture run: network namespaces, each with one line to every network it is on. A
 * network is a bridge in the namespace of the run itself, which is on all of them. A line that is cut loses what is sent without a
 * word, as a broken cable does.
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The run itself on each of its networks; machines have the numbers behind it. */
const OWN_NUMBER = 1;
const NETWORK_PREFIX = '10.83';

export class Network {
  readonly name: string;
  readonly #number: number;

  /** Names are short: the kernel allows few letters. */
  constructor(name: string, number: number) {
    this.name = name;
    this.#number = number;
    // Otherwise its address is that of a machine, and another one when machines come and go.
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

/** Between a machine and a network: the device on the network's side, and the bridge it belongs to. */
export interface Line {
  readonly name: string;
  readonly bridge: string;
}

export class Machine implements AsyncDisposable {
  readonly #number: number;
  /** As long as it runs there is the namespace; it ends with the run, whose pipe it reads. */
  readonly #holder: ChildProcess;

  private constructor(number: number, holder: ChildProcess) {
    this.#number = number;
    this.#holder = holder;
  }

  /** Numbers from 2 on, each once. */
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

  /** A command that runs on it. */
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
