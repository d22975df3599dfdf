/**
 * The real nginx and HAProxy with the files of `deploy/load-balancers/`. Only addresses, ports, the
 * certificate and temporary paths are replaced; a missing line to replace is an error.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../packages/server/testing/platform/free-ports.ts';
import { ownCertificate } from '../packages/server/testing/rest/own-authority.ts';
import { neighbourProgram } from './neighbour-program.ts';
import { WAIT_LIMIT_MS, within } from './running-service.ts';

const FILES = join(import.meta.dirname, '../deploy/load-balancers');
const LOOK_AGAIN_MS = 20;

export type BalancerName = 'nginx' | 'haproxy';

export interface BalancedNode {
  readonly publicPort: number;
  readonly internalPort: number;
}

export class LoadBalancer implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly port: number;
  /** The certificate authority that a client trusts. */
  readonly authority: string;
  #errors = '';

  private constructor(child: ChildProcess, port: number, authority: string) {
    this.#child = child;
    this.port = port;
    this.authority = authority;
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
  }

  static async start(
    name: BalancerName,
    directory: string,
    nodes: readonly [BalancedNode, BalancedNode],
  ): Promise<LoadBalancer> {
    mkdirSync(directory, { recursive: true });
    const [port, plainPort] = [await freePort(), await freePort()];
    const { key, cert } = ownCertificate();
    writeFileSync(join(directory, 'key.pem'), key);
    writeFileSync(join(directory, 'cert.pem'), cert);
    writeFileSync(join(directory, 'both.pem'), `${cert}${key}`);
    const place = { directory, port, plainPort, nodes };
    const text = name === 'nginx' ? nginxText(place) : haproxyText(place);
    const path = join(directory, `${name}.conf`);
    writeFileSync(path, text);
    const words =
      name === 'nginx'
        ? ['-p', directory, '-c', path, '-e', 'stderr', '-g', 'daemon off;']
        : ['-f', path, '-db'];
    const child = spawn(neighbourProgram(name)!, words, { stdio: ['ignore', 'ignore', 'pipe'] });
    const balancer = new LoadBalancer(child, port, cert);
    await within(WAIT_LIMIT_MS, `the start of ${name}`, balancer.#listens());
    return balancer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'close');
    this.#child.kill('SIGTERM');
    await ended;
  }

  async #listens(): Promise<void> {
    for (;;) {
      if (this.#child.exitCode !== null) throw new Error(`it ended: ${this.#errors}`);
      const socket = connect(this.port, '127.0.0.1');
      const isOpen = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      socket.destroy();
      if (isOpen) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }
}

interface Place {
  readonly directory: string;
  readonly port: number;
  readonly plainPort: number;
  readonly nodes: readonly [BalancedNode, BalancedNode];
}

function nginxText({ directory, port, plainPort, nodes }: Place): string {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = folders.map((name) => `${name}_temp_path ${join(directory, name)};`).join(' ');
  return replaced(readFileSync(join(FILES, 'nginx.conf'), 'utf8'), [
    ['worker_processes auto;', `worker_processes 1; pid ${join(directory, 'nginx.pid')};`],
    ['http {', `http { ${temporary}`],
    ['worker_rlimit_nofile 65536;', ''],
    ['worker_connections 32768;', 'worker_connections 512;'],
    ['10.0.0.11:8080', `127.0.0.1:${nodes[0].publicPort}`],
    ['10.0.0.12:8080', `127.0.0.1:${nodes[1].publicPort}`],
    ['listen 443 ', `listen 127.0.0.1:${port} `],
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ['/etc/letsencrypt/live/tapeloom.example.com/fullchain.pem', join(directory, 'cert.pem')],
    ['/etc/letsencrypt/live/tapeloom.example.com/privkey.pem', join(directory, 'key.pem')],
  ]);
}

function haproxyText({ directory, port, plainPort, nodes }: Place): string {
  const [a, b] = nodes;
  return replaced(readFileSync(join(FILES, 'haproxy.cfg'), 'utf8'), [
    ['maxconn 40000', 'maxconn 500'],
    [
      'server a 10.0.0.11:8080 port 9464',
      `server a 127.0.0.1:${a.publicPort} port ${a.internalPort}`,
    ],
    [
      'server b 10.0.0.12:8080 port 9464',
      `server b 127.0.0.1:${b.publicPort} port ${b.internalPort}`,
    ],
    ['10.0.0.11:8080', `127.0.0.1:${a.publicPort}`],
    ['10.0.0.12:8080', `127.0.0.1:${b.publicPort}`],
    ['bind :443 ', `bind 127.0.0.1:${port} `],
    ['bind :80\n', `bind 127.0.0.1:${plainPort}\n`],
    ['/etc/haproxy/tapeloom.example.com.pem', join(directory, 'both.pem')],
  ]);
}

function replaced(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((sofar, [old, instead]) => {
    if (!sofar.includes(old)) throw new Error(`the file has no "${old}"`);
    return sofar.replace(old, instead);
  }, text);
}
