/** The writers of tables, by name and version. A table begun by another writer, with other bytes, cannot be resumed. */

import manifest from '../../package.json' with { type: 'json' };
import type { TableFormat } from '../history/history-fields.ts';

/** Raise it when this code changes the bytes of a table; a test notices. */
const LAYOUT = 1;

const { dependencies } = manifest;
const zstd = `zstd ${process.versions.zstd}`;

export const TABLE_VERSIONS: Readonly<Record<TableFormat, string>> = {
  parquet: `${LAYOUT} hyparquet-writer ${dependencies['hyparquet-writer']} ${zstd}`,
  arrow: `${LAYOUT} apache-arrow ${dependencies['apache-arrow']} ${zstd}`,
  csv: `${LAYOUT} ${zstd}`,
};
