/** TLS and credentials of NATS with real servers: which clients are accepted, and the message for a rejected one. */

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { nkeys } from '@nats-io/transport-node';
import { type OwnCertificate, ownCertificate } from '../../../../testing/rest/own-authority.ts';
import { natsServerMissing } from '../../../../testing/tape/find-nats-server.ts';
import { NatsServers } from '../../../../testing/tape/nats-servers.ts';
import { addressOf } from '../../../../testing/tape/nats-tape-rig.ts';
import { NatsUsers } from '../../../../testing/tape/nats-users.ts';
import { askNatsTape } from './nats-admin.ts';
import { connectNats, type NatsAddress } from './nats-connection.ts';
import { natsFault } from './nats-fault.ts';
import { askNatsServers } from './nats-servers-check.ts';
import { NatsTapeError, openNatsTape } from './open-nats-tape.ts';

describe('who is let in, and what others are told', { skip: natsServerMissing }, () => {
  let directory: string;
  let files = 0;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tapeloom-nats-fault-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  async function file(text: string): Promise<string> {
    files += 1;
    const path = join(directory, `file-${files}`);
    await writeFile(path, text);
    return path;
  }

  /** The message of a start that looks for its stream; null when the client is accepted. */
  async function told(address: NatsAddress): Promise<string | null> {
    try {
      const connection = await connectNats(address, 'test');
      await askNatsTape(connection, 'none').finally(() => connection.close());
      return null;
    } catch (error) {
      return natsFault(address, address.servers.join(), error).sentence;
    }
  }

  const secured = (certificate: OwnCertificate, more = '', users = '') =>
    NatsServers.start({
      more: (_, home) => {
        mkdirSync(home, { recursive: true });
        writeFileSync(join(home, 'cert.pem'), certificate.cert);
        writeFileSync(join(home, 'key.pem'), certificate.key);
        return `tls { cert_file: "${home}/cert.pem", key_file: "${home}/key.pem" ${more} }\n${users}`;
      },
    });
  const tlsUrl = (servers: NatsServers, host: string) =>
    servers.urls[0]!.replace('nats://127.0.0.1', `tls://${host}`);

  test('TLS: by name, by address, without an authority, with another one, and as another', async () => {
    const named = ownCertificate('localhost');
    await using servers = await secured(named);
    const url = tlsUrl(servers, 'localhost');
    const address = { ...addressOf([url]), caFile: await file(named.cert) };
    assert.equal(await told(address), null);
    assert.match(
      (await told({ ...address, caFile: null }))!,
      /^TAPELOOM_NATS_CA_FILE: the certificate of tls:\/\/localhost:\d+ is not trusted: set it to a file with its CA/,
    );
    for (const other of [ownCertificate('localhost').cert, 'no certificate']) {
      assert.match(
        (await told({ ...address, caFile: await file(other) }))!,
        /^TAPELOOM_NATS_CA_FILE: the certificate of tls:.* was not issued by a CA in .*file-\d+/,
      );
    }
    const gone = join(directory, 'gone');
    assert.match(
      (await told({ ...address, caFile: gone }))!,
      /^TAPELOOM_NATS_CA_FILE: the file cannot be read/,
    );
    const byAddress = [tlsUrl(servers, '127.0.0.1')];
    assert.match(
      (await told({ ...address, servers: byAddress }))!,
      /^TAPELOOM_NATS_URL: the certificate of tls:\/\/127\.0\.0\.1:\d+ is not good: .*127\.0\.0\.1 is not in the cert's list/,
      'a certificate for localhost is nobody’s by address',
    );
  });

  test('TLS: a certificate for an address is good for it, and where servers are monitored too', async () => {
    const certificate = ownCertificate('127.0.0.1');
    await using servers = await secured(certificate);
    const caFile = await file(certificate.cert);
    const address = { ...addressOf([tlsUrl(servers, '127.0.0.1')]), caFile };
    assert.equal(await told(address), null);
    // The first of the two addresses has no server: the certificate need not be valid for both.
    const servers2 = ['tls://127.0.0.2:1', ...address.servers];
    assert.equal(await told({ ...address, servers: servers2 }), null);
    assert.match(
      (await told({ ...address, servers: [tlsUrl(servers, 'localhost')] }))!,
      /^TAPELOOM_NATS_URL: the certificate of tls:\/\/localhost:\d+ is not good/,
    );
    const place = { ...address, monitors: servers.monitors, isSyncAssured: false };
    const [asked] = await askNatsServers(place, 'test');
    assert.deepEqual([asked!.fault, asked!.isSyncAlways], [null, true]);
  });

  test('TLS: too old, and asked of a server that has none', async () => {
    const old = ownCertificate('localhost', Date.now() - 5 * 86_400_000);
    const caFile = await file(old.cert);
    await using expired = await secured(old);
    const expiredAddress = { ...addressOf([tlsUrl(expired, 'localhost')]), caFile };
    assert.match(
      (await told(expiredAddress))!,
      /^TAPELOOM_NATS_URL: the certificate of .* is not good: certificate has expired/,
    );
    await using plain = await NatsServers.start();
    assert.match(
      (await told({ ...expiredAddress, servers: [tlsUrl(plain, 'localhost')] }))!,
      /^TAPELOOM_NATS_URL: tls:.* has no TLS: turn it on there, or use nats:\/\//,
    );
  });

  test('TLS: servers that ask for a certificate of ours', async () => {
    const certificate = ownCertificate('localhost');
    const [own, stranger] = [ownCertificate('node-1'), ownCertificate('node-2')];
    const old = ownCertificate('node-3', Date.now() - 5 * 86_400_000);
    const trusted = await file(own.cert + old.cert);
    await using servers = await secured(certificate, `, ca_file: "${trusted}", verify: true`);
    const caFile = await file(certificate.cert);
    const address = { ...addressOf([tlsUrl(servers, 'localhost')]), caFile };
    const as = async ({ cert, key }: OwnCertificate) =>
      await told({ ...address, certFile: await file(cert), keyFile: await file(key) });
    assert.equal(await as(own), null);
    assert.match(
      (await told(address))!,
      /^TAPELOOM_NATS_CERT_FILE: tls:.* requires a client certificate: .* TAPELOOM_NATS_KEY_FILE/,
    );
    assert.match(
      (await as(stranger))!,
      /^TAPELOOM_NATS_CERT_FILE: tls:.* rejects the certificate in .*file-\d+: unknown ca$/,
    );
    assert.match((await as(old))!, /rejects the certificate in .*: certificate expired$/);
    assert.match(
      (await as({ ...own, key: stranger.key }))!,
      /^TAPELOOM_NATS_KEY_FILE: .*file-\d+: it is not the key of the certificate in .*file-\d+$/,
    );
    assert.match(
      (await as({ ...own, cert: 'secret' }))!,
      /^TAPELOOM_NATS_CERT_FILE: .*file-\d+: it contains no certificate \(PEM\)$/,
    );
    assert.match(
      (await as({ ...own, key: 'secret' }))!,
      /^TAPELOOM_NATS_KEY_FILE: .*file-\d+: it contains no private key \(PEM\) without a passphrase$/,
    );
    const gone = { certFile: await file(own.cert), keyFile: join(directory, 'gone') };
    assert.match(
      (await told({ ...address, ...gone }))!,
      /^TAPELOOM_NATS_KEY_FILE: the file cannot/,
    );
  });

  test('TLS: a renewed certificate of ours is taken without a new start', async () => {
    const certificate = ownCertificate('localhost');
    const [before, renewed] = [ownCertificate('node-1'), ownCertificate('node-1')];
    const clients = await file(before.cert);
    await using servers = await secured(certificate, `, ca_file: "${clients}", verify: true`);
    const [certFile, keyFile] = [await file(before.cert), await file(before.key)];
    const caFile = await file(certificate.cert);
    const address = { ...addressOf([tlsUrl(servers, 'localhost')]), caFile, certFile, keyFile };
    const connection = await connectNats(address, 'test');
    const changes = connection.status();
    try {
      await writeFile(certFile, renewed.cert);
      await writeFile(keyFile, renewed.key);
      await servers.stop(0);
      await writeFile(clients, renewed.cert);
      await servers.startAll();
      for await (const { type } of changes) if (type === 'reconnect') break;
      await connection.flush();
    } finally {
      await connection.close();
    }
  });

  test('TLS: before the server greets, and where one of both does not speak so', async () => {
    const certificate = ownCertificate('127.0.0.1');
    const caFile = await file(certificate.cert);
    await using first = await secured(certificate, ', handshake_first: true');
    await using greeting = await secured(certificate);
    await using plain = await NatsServers.start();
    const at = (servers: NatsServers, isTlsFirst: boolean) =>
      told({ ...addressOf([tlsUrl(servers, '127.0.0.1')]), caFile, isTlsFirst });
    assert.equal(await at(first, true), null);
    assert.match(
      (await at(first, false))!,
      /^TAPELOOM_NATS_TLS: tls:.* sends no greeting: set TAPELOOM_NATS_TLS to first if handshake_first is set there$/,
    );
    for (const servers of [greeting, plain]) {
      assert.match(
        (await at(servers, true))!,
        /^TAPELOOM_NATS_TLS is first, but tls:.* greets before TLS, or has no TLS\. Unset TAPELOOM_NATS_TLS/,
      );
    }
    const other = ownCertificate('127.0.0.2');
    await using another = await secured(other, ', handshake_first: true');
    const address = addressOf([tlsUrl(another, '127.0.0.1')]);
    assert.match(
      (await told({ ...address, caFile: await file(other.cert), isTlsFirst: true }))!,
      /^TAPELOOM_NATS_URL: the certificate of tls:.* is not good: .*127\.0\.0\.1 is not in/,
    );
  });

  test('tokens, and users by their certificates', async () => {
    await using servers = await NatsServers.start({
      more: () => 'authorization { token: "s3:cret" }',
    });
    const as = async (token: string) =>
      await told({ ...addressOf(servers.urls), tokenFile: await file(token) });
    assert.equal(await as('s3:cret\n'), null);
    assert.match(
      (await as('other'))!,
      /^TAPELOOM_NATS_TOKEN_FILE: nats:.* rejects the credentials in .*file-\d+: /,
    );
    assert.match(
      (await as('two words'))!,
      /^TAPELOOM_NATS_TOKEN_FILE: .*file-\d+: it contains no token \(one word on one line\)$/,
    );
    assert.match(
      (await told(addressOf(servers.urls)))!,
      /or TAPELOOM_NATS_TOKEN_FILE to a file with/,
    );

    const certificate = ownCertificate('localhost');
    const [known, unknown] = [ownCertificate('node-1'), ownCertificate('node-2')];
    const mapped = `, ca_file: "${await file(known.cert + unknown.cert)}", verify_and_map: true`;
    await using mapping = await secured(
      certificate,
      mapped,
      'authorization { users: [ { user: "node-1" } ] }',
    );
    const caFile = await file(certificate.cert);
    const address = { ...addressOf([tlsUrl(mapping, 'localhost')]), caFile };
    const showing = async ({ cert, key }: OwnCertificate) =>
      await told({ ...address, certFile: await file(cert), keyFile: await file(key) });
    assert.equal(await showing(known), null);
    assert.match(
      (await showing(unknown))!,
      /requires authentication, and does not accept the certificate in .*file-\d+: set it to a file/,
    );
  });

  test('users with passwords and with keys', async () => {
    const key = nkeys.createUser();
    const seed = new TextDecoder().decode(key.getSeed());
    await using servers = await NatsServers.start({
      more: () =>
        `authorization { users: [ { user: tape, password: "s:1" }, { nkey: ${key.getPublicKey()} }, ` +
        `{ user: reader, password: r, permissions: { publish: "none" } } ] }`,
    });
    const as = async (text: string) =>
      await told({ ...addressOf(servers.urls), credsFile: await file(text) });
    assert.equal(await as('tape:s:1\n'), null);
    assert.equal(await as(`${seed}\n`), null);
    const other = new TextDecoder().decode(nkeys.createUser().getSeed());
    for (const wrong of ['tape:wrong\n', other, new NatsUsers().credentials()]) {
      assert.match(
        (await as(wrong))!,
        /^TAPELOOM_NATS_CREDS_FILE: nats:.* rejects the credentials in .*file-\d+: /,
      );
    }
    for (const none of ['secret', '-----BEGIN NATS USER JWT-----\nsecret\n', `${seed}x`]) {
      const sentence = (await as(none))!;
      assert.match(
        sentence,
        /^TAPELOOM_NATS_CREDS_FILE: .*file-\d+: it contains none of credentials/,
      );
      assert(!sentence.includes('secret') && !sentence.includes(seed), 'it is not shown');
    }
    assert.match(
      (await as('reader:r'))!,
      /^TAPELOOM_NATS_CREDS_FILE: the user at .* may not publish \$JS\.API\.STREAM\.INFO/,
    );
    assert.match(
      (await told(addressOf(servers.urls)))!,
      /^TAPELOOM_NATS_CREDS_FILE: nats:.* requires authentication: set it to a file with credentials/,
    );
    const credsFile = join(directory, 'gone');
    assert.match(
      (await told({ ...addressOf(servers.urls), credsFile }))!,
      /^TAPELOOM_NATS_CREDS_FILE: the file cannot be read/,
    );
  });

  test('credentials as nsc makes them, and a start that is refused at once', async () => {
    const users = new NatsUsers();
    await using servers = await NatsServers.start({ more: () => users.configuration });
    const address = addressOf(servers.urls);
    const as = async (text: string) => ({ ...address, credsFile: await file(text) });
    assert.equal(await told(await as(users.credentials())), null);
    const expired = await as(users.credentials(1_000_000_000));
    assert.match(
      (await told(expired))!,
      /^TAPELOOM_NATS_CREDS_FILE: .* rejects the credentials in/,
    );
    assert.match(
      (await told(await as(new NatsUsers().credentials())))!,
      /rejects the credentials in/,
    );
    const start = openNatsTape({
      nats: { ...expired, monitors: servers.monitors, isSyncAssured: false },
      ...{ dataset: 'none', client: 'test', clusterId: 'any' },
    });
    await assert.rejects(start, (error) => {
      assert(error instanceof NatsTapeError);
      assert.match(error.message, /^TAPELOOM_NATS_CREDS_FILE: .* rejects the credentials in/);
      return true;
    });
  });
});
