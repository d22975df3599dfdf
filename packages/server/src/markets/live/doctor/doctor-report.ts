/** The report of an examination in Markdown, to be attached to an issue. Secrets are taken out of every line. */

import type { VenueKind, VenueSettings } from '../venue-kind.ts';
import type { Examination } from './examine-venue.ts';
import type { DoctorOutcome } from './finding.ts';

const SHOWN: Readonly<Record<DoctorOutcome, string>> = {
  ok: 'ok',
  warning: 'warning',
  failed: '**FAILED**',
  skipped: 'skipped',
};
/** A shorter text is no secret, and taking it out would make the report unreadable. */
const SECRET_CHARACTERS_MIN = 4;
const CELL_CHARACTERS_MAX = 1_000;

export function isWell({ findings }: Examination): boolean {
  return findings.every(({ outcome }) => outcome !== 'failed');
}

export function doctorReport(
  examination: Examination,
  options: {
    readonly kind: Pick<VenueKind, 'name' | 'title'>;
    readonly settings: VenueSettings;
    readonly symbols: readonly string[];
    readonly version: string;
  },
): string {
  const { kind, settings, symbols, version } = options;
  const { from, seconds, findings } = examination;
  const clean = (text: string) => withoutSecrets(text, settings);
  const count = (outcome: DoctorOutcome) => findings.filter((it) => it.outcome === outcome).length;
  const { stream, rest } = settings.addresses;
  const rows = findings.map(
    ({ check, outcome, measured }) =>
      `| ${cell(clean(check))} | ${SHOWN[outcome]} | ${cell(clean(measured))} |`,
  );
  return [
    `# Feed doctor: ${kind.title} (\`${kind.name}\`)`,
    '',
    `- Tapeloom ${version}, ${Temporal.Instant.fromEpochNanoseconds(from)}, ${seconds.toFixed(0)} s`,
    `- addresses: ${clean(plainAddress(stream))}, ${clean(plainAddress(rest))}`,
    `- symbols: ${symbols.map(cell).join(', ')}`,
    `- ${count('ok')} ok, ${count('warning')} warnings, ${count('failed')} failed, ${count('skipped')} skipped`,
    '',
    '| check | outcome | measured |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** An operator's own address may contain a password. */
function plainAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null) return 'none';
  const { protocol, host, pathname } = url;
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

function withoutSecrets(text: string, { key, addresses }: VenueSettings): string {
  const secrets = [key, ...Object.values(addresses).map((it) => URL.parse(it)?.password ?? null)];
  return secrets.reduce<string>(
    (clean, secret) =>
      secret !== null && secret.length >= SECRET_CHARACTERS_MIN
        ? clean.replaceAll(secret, '(secret)')
        : clean,
    text,
  );
}

function cell(text: string): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '·')
    .slice(0, CELL_CHARACTERS_MAX);
  return line.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
