/** The files of `deploy/` that start the service use settings that the service accepts. */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { readConfig } from './config.ts';

const root = join(import.meta.dirname, '../../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly environment?: Readonly<Record<string, string>>;
        readonly read_only?: boolean;
        readonly depends_on?: object;
        readonly networks?: unknown;
        readonly command?: readonly string[];
        readonly volumes?: readonly string[];
      }
    >
  >;
  readonly volumes: object;
}

test('the nodes of the compose file are one cluster with two names, and their settings are right', () => {
  const { services, volumes } = parse(read('deploy/compose.yaml'), { merge: true }) as Compose;
  const nodes = Object.entries(services).filter(([name]) => name.startsWith('node-'));
  const clusters = nodes.map(([name, { environment, read_only }]) => {
    assert.equal(read_only, true, name);
    const { cluster } = readConfig({ env: environment!, args: [], readFile: () => 'a password' });
    return cluster!;
  });
  assert.deepEqual(
    clusters.map(({ node }) => node),
    ['a', 'b'],
  );
  const [a, b] = clusters.map((cluster) => ({ ...cluster, node: '' }));
  assert.deepEqual(a, b);
  assert.equal(a!.nats.servers.length, 3);
  assert.equal(a!.nats.monitors.length, 3);
  for (const [name, service] of Object.entries(services)) {
    for (const other of Object.keys(service.depends_on ?? {})) {
      if (!Array.isArray(service.depends_on)) assert.ok(other in services, `${name}: ${other}`);
    }
    for (const volume of service.volumes ?? []) {
      const [source] = volume.split(':');
      if (source!.startsWith('./')) read(join('deploy', source!));
      else assert.ok(source! in volumes, `${name}: ${source}`);
    }
  }
});

test('nginx of the compose file asks the nodes at their fixed addresses, and they trust it at its own', () => {
  const { services } = parse(read('deploy/compose.yaml'), { merge: true }) as Compose;
  const addressOf = (name: string) => {
    const { inside } = services[name]!.networks as { inside: { ipv4_address: string } };
    return inside.ipv4_address;
  };
  const rewrites = services.nginx!.command!.at(-1)!;
  const balancer = read('deploy/load-balancers/nginx.conf');
  for (const [name, written] of [
    ['node-a', '10.0.0.11:8080'],
    ['node-b', '10.0.0.12:8080'],
  ] as const) {
    assert.ok(balancer.includes(`server ${written} `), written);
    assert.ok(rewrites.includes(`s/${written}/${addressOf(name)}:8080/`), name);
    assert.equal(services[name]!.environment!.TAPELOOM_TRUSTED_PROXIES, addressOf('nginx'));
  }
});

test('every variable that a file of deploy names is one of the service', () => {
  const settings = globSync('packages/server/src/config/*.ts', { cwd: root }).map(read).join('\n');
  const files = globSync('deploy/**/*', { cwd: root, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  const named = files.flatMap(({ parentPath, name }) => {
    const text = readFileSync(join(parentPath, name), 'utf8');
    return [...new Set(text.match(/\bTAPELOOM_[A-Z_]+/g))].map((variable) => [name, variable]);
  });
  assert.ok(named.length > 10);
  for (const [file, variable] of named) {
    assert.ok(settings.includes(`'${variable}'`), `${file}: ${variable}`);
  }
});
