/** One part of the bench of clusters: rows of its table, sentences below it, and members of its JSON. */

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
  /** Of the open days that are joined; none: as the part thinks best. */
  readonly commits: readonly number[];
}

/** Of a cluster beside a service that stands alone. */
export type RunClusterPart = (options: ClusterPartOptions) => Promise<ClusterPart>;

export function verdict(isMet: boolean, target: string): string {
  return `${target}: ${isMet ? 'met' : 'missed'}`;
}
