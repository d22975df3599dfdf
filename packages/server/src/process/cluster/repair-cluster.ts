/**
 * Puts back what the stream of a cluster has lost, out of data directories of its nodes or copies of them: first a plan, which
 * changes nothing, and then what the plan says.
 */

import { join } from 'node:path';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import { NodeDisk } from '../../platform/node-disk.ts';
import { createClock } from '../../platform/system-clock.ts';
import { planRepair, type RepairPlan, repairStream } from '../../tape/shared/repair-stream.ts';
import { clusterOf } from '../../tape/shared/shared-directory.ts';
import { ClusterRefusedError, openClusterPostgres } from './cluster-servers.ts';
import { type ClusterTape, openClusterTape } from './open-cluster-tape.ts';

export class ClusterRepair implements AsyncDisposable {
  readonly plan: RepairPlan;
  readonly #tape: ClusterTape;

  private constructor(tape: ClusterTape, plan: RepairPlan) {
    this.#tape = tape;
    this.plan = plan;
  }

  /** Rejects with a `ClusterRefusedError`, and with a `NothingLostError` where nobody has proved a loss. */
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
        foreign.push(`${tapeRoot} is of ${known ?? 'no cluster'}, and this is ${tape.clusterId}`);
      }
      if (foreign.length > 0) throw new ClusterRefusedError(foreign);
      return new ClusterRepair(tape, await planRepair(tape.stream, dataset, sources));
    } catch (error) {
      await tape[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Under the fence: rejects when anybody has appended since. */
  async carryOut(): Promise<void> {
    const clock = createClock({ kind: 'system' });
    await repairStream(this.#tape.stream, clock, 'repair', this.plan);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tape[Symbol.asyncDispose]();
  }
}
