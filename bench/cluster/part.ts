/** One part of the cluster benchmark: rows of its table, notes below it, members of its JSON. */

export interface ClusterPart {
  readonly rows: readonly (readonly [
    what: string,
    embedded: string,
    cluster: string,
    target: string,
  ])[];
  readonly notes: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
}

export interface ClusterPartOptions {
  /** The commits of the open days to join; when empty, the part chooses. */
  readonly commits: readonly number[];
}

/** Measures a cluster beside a standalone service. */
export type RunClusterPart = (options: ClusterPartOptions) => Promise<ClusterPart>;

export function verdict(isMet: boolean, target: string): string {
  return `${target}: ${isMet ? 'met' : 'missed'}`;
}
