import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { pinnedText, unpinnedImages } from './pin-text.ts';
import { registryDigest } from './registry-digest.ts';

const MANIFEST = '{"schemaVersion":2,"manifests":[]}';
const DIGEST = `sha256:${createHash('sha256').update(MANIFEST).digest('hex')}`;
const IMAGE = { registry: 'docker.io', name: 'library/node', tag: '26-trixie-slim' };

/** A registry like Docker's: it rejects a request, names its token service, and accepts that token. */
let told = DIGEST;
const server = createServer((request, response) => {
  const { url = '', headers } = request;
  const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  if (url.startsWith('/token?')) {
    const { searchParams } = new URL(url, here);
    const isRight = searchParams.get('scope') === 'repository:library/node:pull';
    response.end(JSON.stringify({ token: isRight ? 'good' : 'bad' }));
  } else if (headers.authorization !== 'Bearer good') {
    const scope = 'scope="repository:library/node:pull"';
    response.setHeader(
      'www-authenticate',
      `Bearer realm="${here}/token",service="registry",${scope}`,
    );
    response.writeHead(401).end();
  } else if (url !== '/v2/library/node/manifests/26-trixie-slim') response.writeHead(404).end();
  else if (!headers.accept?.includes('image.index')) response.writeHead(406).end();
  else response.setHeader('docker-content-digest', told).end(MANIFEST);
});
const host = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
after(() => server.close());

test('the digest of an image is that of the bytes which its registry sends to anybody', async () => {
  assert.equal(await registryDigest(IMAGE, host()), DIGEST);
  await assert.rejects(registryDigest({ ...IMAGE, tag: 'none' }, host()), /answers 404/);
  told = `sha256:${'1'.repeat(64)}`;
  await assert.rejects(
    registryDigest(IMAGE, host()),
    /the registry names sha256:1+, its bytes are/,
  );
});

test('public images get their digest, pins are renewed, and images of our own stay as they are', async () => {
  const old = `sha256:${'0'.repeat(64)}`;
  const text = `ARG NODE=docker.io/library/node:26-trixie-slim
image: docker.io/library/nats:2.10.27-alpine@${old}
image: tapeloom
x: docker.io/library/node:26-trixie-slim`;
  const asked: string[] = [];
  const pinned = await pinnedText(text, async ({ name, tag }) => {
    asked.push(`${name}:${tag}`);
    return DIGEST;
  });
  assert.equal(
    pinned,
    `ARG NODE=docker.io/library/node:26-trixie-slim@${DIGEST}
image: docker.io/library/nats:2.10.27-alpine@${DIGEST}
image: tapeloom
x: docker.io/library/node:26-trixie-slim@${DIGEST}`,
  );
  assert.deepEqual(asked, ['library/node:26-trixie-slim', 'library/nats:2.10.27-alpine']);
  assert.deepEqual(unpinnedImages(text), [
    'docker.io/library/node:26-trixie-slim',
    'docker.io/library/node:26-trixie-slim',
  ]);
  assert.deepEqual(unpinnedImages(pinned), []);
});
