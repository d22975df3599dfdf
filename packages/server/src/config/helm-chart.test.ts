/** The Helm chart of `deploy/helm` makes consistent objects, with settings that the service accepts. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { mergedValues, renderChart } from '../../testing/deploy/helm-template.ts';
import { VERSION } from '../platform/version.ts';
import { readConfig } from './config.ts';

const chart = join(import.meta.dirname, '../../../../deploy/helm/tapeloom');
const read = (name: string) => readFileSync(join(chart, name), 'utf8');
const templates = Object.fromEntries(
  readdirSync(join(chart, 'templates')).map((name) => [name, read(`templates/${name}`)]),
);
const VALUES = parse(read('values.yaml')) as Record<string, unknown>;
const ONE_NODE = parse(read('values-one-node.yaml')) as Record<string, unknown>;

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: object;
}
interface Pod {
  readonly containers: readonly {
    readonly image: string;
    readonly args: readonly string[];
    readonly env: readonly Variable[];
    readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
    readonly securityContext: object;
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
    readonly readinessProbe?: {
      readonly httpGet: { readonly path: string; readonly port: string };
    };
  }[];
  readonly volumes: readonly { readonly name: string }[];
  readonly securityContext: object;
}
interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas?: number;
    readonly serviceName?: string;
    readonly clusterIP?: string;
    readonly selector?: Readonly<Record<string, string>> & { readonly matchLabels?: object };
    readonly ports?: readonly { readonly targetPort: string }[];
    readonly template?: { readonly metadata: { readonly labels: object }; readonly spec: Pod };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

function objects(over: Record<string, unknown> = {}): readonly KubernetesObject[] {
  const context = {
    Values: mergedValues(VALUES, over),
    Release: { Name: 'tape' },
    Chart: { AppVersion: VERSION },
  };
  const { 'NOTES.txt': notes, ...rendered } = renderChart(templates, context);
  assert.match(notes!, /tapeloom doctor/);
  return Object.values(rendered).flatMap((text) =>
    parseAllDocuments(text)
      .map((document) => {
        assert.deepEqual(document.errors, [], text);
        return document.toJS() as KubernetesObject | null;
      })
      .filter((object) => object !== null),
  );
}

const kinds = (all: readonly KubernetesObject[]) => all.map(({ kind }) => kind).sort();
const pods = (all: readonly KubernetesObject[]) =>
  all.flatMap(({ spec }) => (spec?.template === undefined ? [] : [spec.template.spec]));
const environment = ({ containers }: Pod) =>
  Object.fromEntries(
    containers[0]!.env.map(({ name, value = 'tape-0' }) => [
      name,
      // As Kubernetes does.
      value.replace('$(TAPELOOM_NODE)', 'tape-0'),
    ]),
  );
const configOf = (pod: Pod) =>
  readConfig({ env: environment(pod), args: [], readFile: () => 'a secret' });

test('the values of a cluster give nodes, their services, a job that begins it, and one disruption at a time', () => {
  const all = objects({ trustedProxies: ['10.0.0.0/8'] });
  assert.deepEqual(kinds(all), ['Job', 'PodDisruptionBudget', 'Service', 'Service', 'StatefulSet']);
  for (const pod of pods(all)) {
    const { cluster, trustedProxies } = configOf(pod);
    assert.equal(cluster!.node, 'tape-0');
    assert.equal(cluster!.internalUrl, 'http://tape-0.tape-nodes:9464');
    assert.equal(cluster!.nats.servers.length, 3);
    assert.equal(cluster!.nats.monitors.length, 3);
    assert.equal(trustedProxies.length, 1);
  }
  const calls = pods(all).map(({ containers }) => containers[0]!.args.join(' '));
  assert.deepEqual(calls.sort(), ['tapeloom cluster init', 'tapeloom serve']);
});

test('the values of one node give one that stands alone', () => {
  const all = objects(ONE_NODE);
  assert.deepEqual(kinds(all), ['Service', 'Service', 'StatefulSet']);
  const [pod] = pods(all);
  assert.equal(configOf(pod!).cluster, null);
  assert.throws(() => objects({ ...ONE_NODE, replicas: 2 }), /several replicas need/);
});

test('every volume that is mounted is there, every port that is meant is open, and selectors find the nodes', () => {
  const files = { 'offers.json': '{\n  "currency": "EUR"\n}\n', 'imprint.md': '# Imprint' };
  const ingress = { enabled: true, className: 'nginx', tlsSecret: 'tls', annotations: { a: 'b' } };
  const all = objects({ files, ingress, settings: { TAPELOOM_KEEP_DAYS: 400 } });
  assert.deepEqual(all.find(({ kind }) => kind === 'ConfigMap')!.data, files);
  assert.ok(all.some(({ kind }) => kind === 'Ingress'));
  const nodes = all.find(({ kind }) => kind === 'StatefulSet')!;
  const claims = nodes.spec.volumeClaimTemplates!.map(({ metadata }) => metadata.name);
  for (const { containers, volumes, securityContext } of pods(all)) {
    const [container] = containers;
    const known = [...claims, ...volumes.map(({ name }) => name)];
    for (const { name } of container!.volumeMounts) assert.ok(known.includes(name), name);
    assert.match(JSON.stringify(securityContext), /"runAsNonRoot":true/);
    assert.match(JSON.stringify(container!.securityContext), /"readOnlyRootFilesystem":true/);
    assert.equal(container!.image, `registry.example.com/tapeloom:${VERSION}`);
  }
  const [{ ports, readinessProbe }] = nodes.spec.template!.spec.containers as [
    Pod['containers'][number],
  ];
  assert.deepEqual(readinessProbe!.httpGet, { path: '/health/ready', port: 'internal' });
  assert.equal(configOf(nodes.spec.template!.spec).keepDays, 400);
  const { labels } = nodes.spec.template!.metadata;
  const services = all.filter(({ kind }) => kind === 'Service');
  for (const { spec } of services) {
    assert.deepEqual(spec.selector, labels);
    for (const { targetPort } of spec.ports!) {
      assert.ok(
        ports!.some(({ name }) => name === targetPort),
        targetPort,
      );
    }
  }
  const headless = services.find(({ spec }) => spec.clusterIP === 'None')!;
  assert.equal(nodes.spec.serviceName, headless.metadata.name);
  const { port, internalPort } = configOf(nodes.spec.template!.spec);
  assert.deepEqual(
    ports!.map(({ containerPort }) => containerPort),
    [port, internalPort],
  );
});

test('a digest wins over the tag; the chart is of this version; what is missing is named', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const [pod] = pods(objects({ image: { digest } }));
  assert.equal(pod!.containers[0]!.image, `registry.example.com/tapeloom@${digest}`);
  const { version, appVersion } = parse(read('Chart.yaml')) as Record<string, string>;
  assert.deepEqual([version, appVersion], [VERSION, VERSION]);
  assert.throws(() => objects({ publicUrl: '' }), /publicUrl/);
  assert.throws(() => objects({ cluster: { natsUrl: '' } }), /cluster\.natsUrl/);
});
