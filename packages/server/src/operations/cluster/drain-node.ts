/** Has nodes leave their cluster, by id or name, and tells how far they are until they have left. */

import { askToDrain, knownNodes } from '../../accounts/shared/known-nodes.ts';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import type { Postgres } from '../../platform/postgres/postgres.ts';
import { openClusterPostgres } from './cluster-servers.ts';
import { readNodeReport } from './node-report.ts';

export interface LeavingNode {
  readonly id: string;
  readonly name: string;
  /** Connections of customers that it still has, as it last said. */
  readonly connections: number;
}

/** Nobody of that name is alive. */
export class NoSuchNodeError extends Error {
  /** Those that are. */
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

  /** Asks them to leave; they go on by themselves, whether anybody waits or not. */
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

  /** Those that have not left yet; one that starts again at its place has. */
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
