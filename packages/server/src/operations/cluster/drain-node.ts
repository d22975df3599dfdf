/** Makes nodes leave their cluster, by id or name, and reports their progress until they have left. */

import { askToDrain, knownNodes } from '../../accounts/shared/known-nodes.ts';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import type { Postgres } from '../../platform/postgres/postgres.ts';
import { openClusterPostgres } from './cluster-servers.ts';
import { readNodeReport } from './node-report.ts';

export interface LeavingNode {
  readonly id: string;
  readonly name: string;
  /** The client connections that it last reported. */
  readonly connections: number;
}

/** No node of that name is alive. */
export class NoSuchNodeError extends Error {
  readonly names: readonly string[];

  constructor(node: string, names: readonly string[]) {
    super(`no node ${node} is alive`);
    this.names = names;
  }
}

export class Drain implements AsyncDisposable {
  readonly #postgres: Postgres;
  readonly #ids: ReadonlySet<string>;

  private constructor(postgres: Postgres, ids: ReadonlySet<string>) {
    this.#postgres = postgres;
    this.#ids = ids;
  }

  /** Requests them to leave. They leave by themselves, whether or not the caller waits. */
  static async begin(cluster: ClusterConfig, node: string): Promise<Drain> {
    const postgres = await openClusterPostgres(cluster, 1);
    try {
      const asked = await askToDrain(postgres, node);
      if (asked.length === 0) {
        const alive = (await knownNodes(postgres)).filter(({ isAlive }) => isAlive);
        throw new NoSuchNodeError(
          node,
          alive.map(({ name }) => name),
        );
      }
      return new Drain(postgres, new Set(asked.map(({ id }) => id)));
    } catch (error) {
      await postgres[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The nodes that have not left yet. One that has restarted in its place has left. */
  async leaving(): Promise<readonly LeavingNode[]> {
    const nodes = await knownNodes(this.#postgres);
    return nodes
      .filter(({ id, isAlive, drains }) => this.#ids.has(id) && isAlive && drains)
      .map(({ id, name, report }) => ({ id, name, ...connectionsOf(report) }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#postgres[Symbol.asyncDispose]();
  }
}

function connectionsOf(report: Parameters<typeof readNodeReport>[0]) {
  const { connections } = readNodeReport(report);
  return { connections };
}
