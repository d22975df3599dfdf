/** Checks the instruments: which days are imported, and whether contracts are listed for the coming weeks. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG } from '@tapeloom/core/units';
import type { Config } from '@tapeloom/server/config/config';
import type { ListedDataset } from '@tapeloom/server/markets/instruments/instruments-file';
import { type MarketSettings, receivedListings } from '@tapeloom/server/markets/read-markets';
import { requireDistinctNames } from '@tapeloom/server/operations/start/service-markets';
import { StartRefusedError } from '@tapeloom/server/operations/start/start-refused-error';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { readImported } from '@tapeloom/server/tape/imported/imported-manifest';
import { type Finding, fault, ok, warning } from './finding.ts';

const CHECK = 'instruments';
const SOON_NS = 14n * DAY_NS_BIG;

export async function checkInstruments(
  { data }: Config,
  { live, imported }: MarketSettings,
  now: EpochNs,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  if (live.some(({ kind }) => kind === 'sim')) findings.push(ok(CHECK, 'the simulated market'));
  for (const dataset of receivedListings({ live })) {
    const days = (await readImported(new NodeDisk(), `${data}/tape`, dataset.name))?.days;
    const repaired = days === undefined ? '' : `, imported days of ${days.size}`;
    const listed = `${dataset.name}: ${dataset.contracts.length} contracts`;
    findings.push(ok(CHECK, `${listed} with pushed trades${repaired}`));
    findings.push(...endingProducts(dataset, now));
  }
  for (const dataset of imported) {
    const listed = `${dataset.name}: ${dataset.contracts.length} contracts`;
    const days = (await readImported(new NodeDisk(), `${data}/tape`, dataset.name))?.days;
    if (days === undefined || days.size === 0) {
      const advice = `Import files of trades: tapeloom import <file> (docs/operating).`;
      findings.push(warning(CHECK, `${listed}, but no day was imported`, advice));
    } else findings.push(ok(CHECK, `${listed}, days of ${days.size}`));
    findings.push(...endingProducts(dataset, now));
  }
  try {
    await requireDistinctNames({ live, imported }, now);
  } catch (error) {
    if (!(error instanceof StartRefusedError)) throw error;
    findings.push(fault(CHECK, error.message, 'Correct the file and apply it again.'));
  }
  return findings;
}

/** Products whose last contract has expired or expires soon. */
function endingProducts({ name, contracts }: ListedDataset, now: EpochNs): readonly Finding[] {
  const last = new Map<string, { readonly symbol: string; readonly expiresAt: EpochNs }>();
  for (const { contract } of contracts) {
    const known = last.get(contract.root);
    if (known === undefined || contract.expiresAt > known.expiresAt) {
      last.set(contract.root, contract);
    }
  }
  return [...last].flatMap(([root, { symbol, expiresAt }]) => {
    if (expiresAt - now > SOON_NS) return [];
    const date = Temporal.Instant.fromEpochNanoseconds(expiresAt).toString().slice(0, 10);
    const verb = expiresAt > now ? 'expires' : 'expired';
    const detail = `${name}: ${symbol}, the last contract of ${root}, ${verb} on ${date}`;
    const advice =
      'If the product still trades, add later contracts with tapeloom instruments apply.';
    return [warning(CHECK, detail, advice)];
  });
}
