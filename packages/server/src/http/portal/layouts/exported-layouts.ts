/**
 * The layouts of an account for its export, with every state that is kept, one line of JSON for each layout. Each is
 * read by itself and its text is passed on as it is stored: all together may have 16 MB, which must not hold up others.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { LayoutRecord, LayoutsStore } from '../../../accounts/layouts/layouts-store.ts';
import type { AccountStore } from '../../../accounts/store/account-store.ts';
import { viewDeleted, viewLayout } from './layout-fields.ts';

export async function exportedLayouts(
  { layouts }: AccountStore,
  accountId: string,
  now: EpochNs,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const record of await layouts.layoutsOf(now, accountId)) {
    lines.push(await lineOf(layouts, accountId, record));
  }
  return lines;
}

async function lineOf(
  layouts: LayoutsStore,
  accountId: string,
  record: LayoutRecord,
): Promise<string> {
  const view = record.deletedAt === null ? viewLayout(record) : viewDeleted(record);
  const states = (await layouts.wholeLayout(accountId, record.id)).map(
    ({ state, savedAt, text }) => `{"state":${state},"savedAt":"${savedAt}","layout":${text}}`,
  );
  return `${JSON.stringify(view).slice(0, -1)},"states":[${states.join(',')}]}`;
}
