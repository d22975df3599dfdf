/**
 * Restores what the stream of a cluster has lost, from data directories of its nodes or copies of them. First it makes
 * a plan, which changes nothing; then it carries the plan out.
 */

import { join } from 'node:path';
import { knownNodes } from '../../accounts/shared/known-nodes.ts';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import type { Postgres } from '../../platform/postgres/postgres.ts';
import { createClock } from '../../platform/system-clock.ts';
import {
  NothingLostError,
  planRepair,
  type RepairPlan,
  repairStream,
} from '../../tape/shared/log/repair-stream.ts';
import { clusterOf } from '../../tape/shared/shared-directory.ts';
import { ClusterRefusedError, openClusterPostgres } from './cluster-servers.ts';
import { missingConcerns } from './missing-concerns.ts';
import { readNodeReport, tapeIn } from './node-report.ts';
import { type ClusterTape, openClusterTape } from './open-cluster-tape.ts';

export class ClusterRepair implements AsyncDisposable {
  readonly plan: RepairPlan;
  readonly #tape: ClusterTape;

  private constructor(tape: ClusterTape, plan: RepairPlan) {
    this.#tape = tape;
    this.plan = plan;
  }

  /**
   * Rejects with a `ClusterRefusedError`, also if servers differ or nodes wait for something else. Rejects with a
   * `NothingLostError` if no loss is proved and no node waits.
   */
  static async planned(
    cluster: ClusterConfig,
    dataset: string,
    directories: readonly string[],
  ): Promise<ClusterRepair> {
    await using postgres = await openClusterPostgres(cluster, 1);
    const tape = await openClusterTape(cluster, dataset, postgres);
    try {
      const disk = new NodeDisk();
      const sources = directories.map((data) => ({ disk, tapeRoot: join(data, 'tape') }));
      const foreign: string[] = [];
      for (const { tapeRoot } of sources) {
        const known = await clusterOf(disk, tapeRoot, dataset);
        if (known === tape.clusterId) continue;
        foreign.push(
          `${tapeRoot} belongs to ${known ?? 'no cluster'}, but this is ${tape.clusterId}`,
        );
      }
      if (foreign.length > 0) throw new ClusterRefusedError(foreign);
      await refuseDiffering(tape);
      const plan = await planRepair(tape.stream, dataset, sources).catch(async (error: unknown) => {
        if (error instanceof NothingLostError) await refuseWaiting(postgres, dataset);
        throw error;
      });
      return new ClusterRepair(tape, plan);
    } catch (error) {
      await tape[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Under the fence: rejects if any node has appended since. */
  async carryOut(): Promise<void> {
    const clock = createClock({ kind: 'system' });
    await repairStream(this.#tape.stream, clock, 'repair', this.plan);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tape[Symbol.asyncDispose]();
  }
}

/**
 * A leader that is missing messages would store the repair at other positions than the rest: they never agree again.
 */
async function refuseDiffering(tape: ClusterTape): Promise<void> {
  const { stream } = await tape.replicas();
  const concerns = stream === null ? [] : missingConcerns(stream);
  if (concerns.length === 0) return;
  // On one line: only the first line of an error is printed.
  throw new ClusterRefusedError([
    `the NATS servers of the stream differ, and a repair would make that permanent. ${concerns.join('. ')}`,
  ]);
}

async function refuseWaiting(postgres: Pick<Postgres, 'query'>, dataset: string): Promise<void> {
  const waiting = (await knownNodes(postgres)).filter(
    ({ isAlive, report }) =>
      isAlive && tapeIn(readNodeReport(report).tapes, dataset)?.role === 'shrunk',
  );
  if (waiting.length === 0) return;
  const names = waiting.map(({ name }) => name).join(', ');
  throw new ClusterRefusedError([
    `the stream of ${dataset} has lost nothing, but these nodes are waiting: ${names}. They resume by themselves within seconds once the stream is complete. Run "tapeloom cluster status" again, and restart a node that still waits after a minute`,
  ]);
}
