/** TLS and credentials of NATS: who is let in, and what an operator is told who is not, by real servers. */

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { nkeys } from '@nats-io/transport-node';
import {
  type OwnCertificate,
  ownCertificate,
} from '../../../../../../simulation/rest/own-authority.ts';
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

  /** What a start says that looks for its stream; null when it is let in. */
  async function told(address: NatsAddress): Promise<string | null> {
    try {
      const connection = await connectNats(address, 'test');
      await askNatsTape(connection, 'none').finally(() => connection.close());
      return null;
    } catch (error) {
      return natsFault(address, address.servers.join(), error).sentence;
    }
  }

  const secured = (certificate: OwnCertificate, more = '') =>
    NatsServers.start({
      more: (_, home) => {
        mkdirSync(home, { recursive: true });
        writeFileSync(join(home, 'cert.pem'), certificate.cert);
        writeFileSync(join(home, 'key.pem'), certificate.key);
        return `tls { cert_file: "${home}/cert.pem", key_file: "${home}/key.pem" ${more} }`;
      },
    });
  const tlsUrl = (servers: NatsServers, host: string) =>
    servers.urls[0]!.replace('nats://127.0.0.1', `tls://${host}`);

  test('TLS: by name, by address, without an authority, with another one, and as another', async () => {
    const named = ownCertificate('localhost');
    await using servers = await secured(named);
    const url = tlsUrl(servers, 'localhost');
    const address = { servers: [url], credsFile: null, caFile: await file(named.cert) };
    assert.equal(await told(address), null);
    assert.match(
      (await told({ ...address, caFile: null }))!,
      /^TAPELOOM_NATS_CA_FILE: the certificate of tls:\/\/localhost:\d+ is not believed: name a file/,
    );
    for (const other of [ownCertificate('localhost').cert, 'no certificate']) {
      assert.match(
        (await told({ ...address, caFile: await file(other) }))!,
        /^TAPELOOM_NATS_CA_FILE: the certificate of tls:.* is not of who .*file-\d+ says/,
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
    const address = { servers: [tlsUrl(servers, '127.0.0.1')], credsFile: null, caFile };
    assert.equal(await told(address), null);
    // The first of the two is nobody: its certificate need not be good for both.
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

  test('TLS: too old, asked of a server that has none, and what is not spoken', async () => {
    const old = ownCertificate('localhost', Date.now() - 5 * 86_400_000);
    const caFile = await file(old.cert);
    await using expired = await secured(old);
    const expiredAddress = { servers: [tlsUrl(expired, 'localhost')], credsFile: null, caFile };
    assert.match(
      (await told(expiredAddress))!,
      /^TAPELOOM_NATS_URL: the certificate of .* is not good: certificate has expired/,
    );
    await using plain = await NatsServers.start();
    assert.match(
      (await told({ ...expiredAddress, servers: [tlsUrl(plain, 'localhost')] }))!,
      /^TAPELOOM_NATS_URL: tls:.* has no TLS: turn it on there, or write nats:\/\//,
    );
    const certificate = ownCertificate('localhost');
    const trusted = await file(certificate.cert);
    await using mutual = await secured(certificate, `, ca_file: "${trusted}", verify: true`);
    assert.match(
      (await told({ ...expiredAddress, servers: [tlsUrl(mutual, 'localhost')], caFile: trusted }))!,
      /does not answer\. Does it ask for certificates of its clients \(verify\)/,
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
        /^TAPELOOM_NATS_CREDS_FILE: nats:.* does not let us in with .*file-\d+: /,
      );
    }
    for (const none of ['secret', '-----BEGIN NATS USER JWT-----\nsecret\n', `${seed}x`]) {
      const sentence = (await as(none))!;
      assert.match(sentence, /^TAPELOOM_NATS_CREDS_FILE: .*file-\d+: it holds none of credentials/);
      assert(!sentence.includes('secret') && !sentence.includes(seed), 'it is not shown');
    }
    assert.match(
      (await as('reader:r'))!,
      /^TAPELOOM_NATS_CREDS_FILE: our user at .* may not publish \$JS\.API\.STREAM\.INFO/,
    );
    assert.match(
      (await told(addressOf(servers.urls)))!,
      /^TAPELOOM_NATS_CREDS_FILE: nats:.* lets in only whom it knows: name a file with credentials/,
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
    assert.match((await told(expired))!, /^TAPELOOM_NATS_CREDS_FILE: .* does not let us in with/);
    assert.match((await told(await as(new NatsUsers().credentials())))!, /does not let us in with/);
    const start = openNatsTape({
      nats: { ...expired, monitors: servers.monitors, isSyncAssured: false },
      ...{ dataset: 'none', client: 'test', clusterId: 'any' },
    });
    await assert.rejects(start, (error) => {
      assert(error instanceof NatsTapeError);
      assert.match(error.message, /^TAPELOOM_NATS_CREDS_FILE: .* does not let us in with/);
      return true;
    });
  });
});
