/** A self-signed certificate for one host, made for each run: no secret is in the repository, and nothing expires. */

import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

const DAY_MS = 86_400_000;
const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const UTF8 = 0x0c;
const BOOLEAN = 0x01;
const GENERALIZED_TIME = 0x18;
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const ECDSA_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex');
const ALTERNATIVE_NAMES = Buffer.from('0603551d11', 'hex');
const TRUE = Buffer.from([0xff]);

export interface OwnCertificate {
  readonly key: string;
  readonly cert: string;
}

/** `host`: the IPv4 address or name it is valid for, from a day before `now` until a day after. */
export function ownCertificate(host = '127.0.0.1', now = Date.now()): OwnCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(SET, sequence(COMMON_NAME, der(UTF8, Buffer.from('test')))));
  const whose = isIPv4(host)
    ? der(0x87, Buffer.from(host.split('.').map(Number)))
    : der(0x82, Buffer.from(host));
  const extensions = sequence(
    sequence(
      BASIC_CONSTRAINTS,
      der(BOOLEAN, TRUE),
      der(OCTET_STRING, sequence(der(BOOLEAN, TRUE))),
    ),
    sequence(ALTERNATIVE_NAMES, der(OCTET_STRING, sequence(whose))),
  );
  const body = sequence(
    der(0xa0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    sequence(ECDSA_SHA256),
    name,
    sequence(time(now - DAY_MS), time(now + DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', body, privateKey);
  const unusedBits = Buffer.from([0]);
  const whole = sequence(
    body,
    sequence(ECDSA_SHA256),
    der(BIT_STRING, Buffer.concat([unusedBits, signature])),
  );
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(SEQUENCE, Buffer.concat(parts));
}

function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/\.\d+|[-:T]/g, '');
  return der(GENERALIZED_TIME, Buffer.from(text));
}

function der(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
