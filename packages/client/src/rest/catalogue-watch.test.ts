import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CATALOGUE_FINGERPRINT } from '@tapeloom/protocol/indicators';
import { TapeloomClient } from '../client.ts';
import type { ClientOptions } from '../options.ts';

const OTHER = { version: 'another', engineFingerprint: 'of another computation' };

/** The warning codes of a client whose service has this catalogue, after all responses that reveal it. */
async function warnings(
  service: { readonly version: string; readonly engineFingerprint: string },
  options: ClientOptions = {},
): Promise<readonly string[]> {
  const told: string[] = [];
  const page = { items: [], next: null };
  const client = new TapeloomClient({
    key: 'svc_live_x',
    fetch: (url) => {
      const { engineFingerprint } = service;
      const answer = String(url).includes('/v1/history')
        ? { ...page, engineFingerprint }
        : { ...service, indicators: [] };
      return Promise.resolve(Response.json(answer));
    },
    onWarning: ({ code }) => told.push(code),
    ...options,
  });
  const request = { indicator: 'bars', instrument: 'ES.c.0', from: '2026-11-12' } as const;
  for await (const _ of client.history(request)) assert.fail('there is nothing');
  await client.indicators();
  await client.indicators();
  return told;
}

test('another catalogue than the one the types were made from is told once [VER-02]', async () => {
  assert.deepEqual(await warnings(CATALOGUE_FINGERPRINT), []);
  assert.deepEqual(await warnings(OTHER), ['CATALOG_CHANGED']);
  assert.deepEqual(await warnings({ ...CATALOGUE_FINGERPRINT, version: 'another' }), [
    'CATALOG_CHANGED',
  ]);
  assert.deepEqual(await warnings({ ...OTHER, version: CATALOGUE_FINGERPRINT.version }), [
    'CATALOG_CHANGED',
  ]);
});

test('own types are compared with the catalogue they were made from', async () => {
  assert.deepEqual(await warnings(OTHER, { catalogue: OTHER }), []);
  assert.deepEqual(await warnings(CATALOGUE_FINGERPRINT, { catalogue: OTHER }), [
    'CATALOG_CHANGED',
  ]);
});
