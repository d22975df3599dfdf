/**
 * Every command of `tapeloom`, in the order of its help; each has a file in `commands/`. Commands on a data directory
 * load half of the service, so they are imported only when called.
 */

import type { Command, LazyCommand } from './command.ts';
import { completionCommand } from './commands/completion.ts';
import { estimateCommand } from './commands/estimate.ts';
import { exportCommand } from './commands/export.ts';
import { historyCommand } from './commands/history.ts';
import { indicatorsCommand } from './commands/indicators.ts';
import { instrumentsCommand } from './commands/instruments.ts';
import { keysCreateCommand } from './commands/keys-create.ts';
import { keysListCommand } from './commands/keys-list.ts';
import { keysRevokeCommand } from './commands/keys-revoke.ts';
import { keysRotateCommand } from './commands/keys-rotate.ts';
import { loginCommand } from './commands/login.ts';
import { logoutCommand } from './commands/logout.ts';
import { streamCommand } from './commands/stream.ts';
import { usageCommand } from './commands/usage.ts';

const customers: readonly (Command | LazyCommand)[] = [
  loginCommand,
  logoutCommand,
  instrumentsCommand,
  indicatorsCommand,
  streamCommand,
  estimateCommand,
  historyCommand,
  exportCommand,
  usageCommand,
  keysListCommand,
  keysCreateCommand,
  keysRotateCommand,
  keysRevokeCommand,
  {
    path: ['mcp'],
    summary: 'Let an assistant use the service, over the Model Context Protocol.',
    load: async () => (await import('./commands/mcp.ts')).mcpCommand,
  },
];

const operators: readonly LazyCommand[] = [
  {
    path: ['serve'],
    keepsUser: true,
    summary: 'Run the service, or replay a file or a day of the tape as if it were live.',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  {
    path: ['study'],
    summary: 'Compute an indicator over the local tape.',
    load: async () => (await import('./commands/study.ts')).studyCommand,
  },
  {
    path: ['instruments', 'check'],
    summary: 'Check a file of instruments: list its errors, or its contents.',
    load: async () => (await import('./commands/instruments-check.ts')).instrumentsCheckCommand,
  },
  {
    path: ['instruments', 'diff'],
    summary: 'Show what another file of instruments would change.',
    load: async () => (await import('./commands/instruments-diff.ts')).instrumentsDiffCommand,
  },
  {
    path: ['instruments', 'apply'],
    summary: 'Apply a file of instruments to a data directory.',
    load: async () => (await import('./commands/instruments-apply.ts')).instrumentsApplyCommand,
  },
  {
    path: ['instruments', 'rolls'],
    summary: 'Show the rolls of aliases by volume, or decide them again.',
    load: async () => (await import('./commands/instruments-rolls.ts')).instrumentsRollsCommand,
  },
  {
    path: ['instruments', 'from'],
    summary: 'Create a file of instruments from a feed’s definitions, or from a venue.',
    load: async () => (await import('./commands/instruments-from.ts')).instrumentsFromCommand,
  },
  {
    path: ['feed', 'doctor'],
    summary: 'Check what is assumed of a venue against the venue itself, and print a report.',
    load: async () => (await import('./commands/feed-doctor.ts')).feedDoctorCommand,
  },
  {
    path: ['import'],
    summary: 'Import files of trades into the tape.',
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  {
    path: ['tape', 'ls'],
    summary: 'Show what is on the tape, contract by contract.',
    load: async () => (await import('./commands/tape-ls.ts')).tapeLsCommand,
  },
  {
    path: ['tape', 'verify'],
    summary: 'Check every file of the tape and list the errors.',
    load: async () => (await import('./commands/tape-verify.ts')).tapeVerifyCommand,
  },
  {
    path: ['tape', 'compare'],
    summary: 'Compare a file of trades with the tape, day by day.',
    load: async () => (await import('./commands/tape-compare.ts')).tapeCompareCommand,
  },
  {
    path: ['tape', 'rm'],
    summary: 'Remove past days from the tape.',
    load: async () => (await import('./commands/tape-rm.ts')).tapeRmCommand,
  },
  {
    path: ['tape', 'trim'],
    summary: 'Move aside the tape after a given time, such as after a clock that was ahead.',
    load: async () => (await import('./commands/tape-trim.ts')).tapeTrimCommand,
  },
  {
    path: ['sim', 'fill'],
    summary: 'Generate more past days of simulated contracts.',
    load: async () => (await import('./commands/sim-fill.ts')).simFillCommand,
  },
  {
    path: ['cache', 'ls'],
    summary: 'Show the cached results, their size and last use.',
    load: async () => (await import('./commands/cache-ls.ts')).cacheLsCommand,
  },
  {
    path: ['cache', 'warm'],
    summary: 'Compute and cache the results of past days in advance.',
    load: async () => (await import('./commands/cache-warm.ts')).cacheWarmCommand,
  },
  {
    path: ['cache', 'clear'],
    summary: 'Remove cached results: all, or those of a contract or indicator.',
    load: async () => (await import('./commands/cache-clear.ts')).cacheClearCommand,
  },
  {
    path: ['requests'],
    summary: 'Find a request by its id in the access log.',
    load: async () => (await import('./commands/requests.ts')).requestsCommand,
  },
  {
    path: ['config'],
    summary: 'Show every setting and where it comes from, and check them.',
    load: async () => (await import('./commands/config.ts')).configCommand,
  },
  {
    path: ['doctor'],
    summary: 'Check permissions, disk, clock, mail, proxies and limits, and show what to do.',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  {
    path: ['account', 'create'],
    summary: 'Create an account.',
    load: async () => (await import('./commands/account-create.ts')).accountCreateCommand,
  },
  {
    path: ['account', 'list'],
    summary: 'Show every account with its plan and state.',
    load: async () => (await import('./commands/account-list.ts')).accountListCommand,
  },
  {
    path: ['account', 'show'],
    summary: 'Show one account: plan, keys and usage.',
    load: async () => (await import('./commands/account-show.ts')).accountShowCommand,
  },
  {
    path: ['account', 'plan'],
    summary: 'Change the plan of an account.',
    load: async () => (await import('./commands/account-plan.ts')).accountPlanCommand,
  },
  {
    path: ['account', 'suspend'],
    summary: 'Stop an account: its keys are refused until it is resumed.',
    load: async () => (await import('./commands/account-suspend.ts')).accountSuspendCommand,
  },
  {
    path: ['account', 'resume'],
    summary: 'Resume a suspended account.',
    load: async () => (await import('./commands/account-resume.ts')).accountResumeCommand,
  },
  {
    path: ['account', 'claim'],
    summary: 'Print a link that makes its user the owner of an account.',
    load: async () => (await import('./commands/account-claim.ts')).accountClaimCommand,
  },
  {
    path: ['account', 'delete'],
    summary: 'Delete an account, in 14 days or now.',
    load: async () => (await import('./commands/account-delete.ts')).accountDeleteCommand,
  },
  {
    path: ['account', 'passkeys'],
    summary: 'Show the passkeys of an account, or remove lost ones.',
    load: async () => (await import('./commands/account-passkeys.ts')).accountPasskeysCommand,
  },
  {
    path: ['account', 'email'],
    summary: 'Give an account an owner, by their e-mail address.',
    load: async () => (await import('./commands/account-email.ts')).accountEmailCommand,
  },
  {
    path: ['billing', 'ls'],
    summary: 'Show orders and their states.',
    load: async () => (await import('./commands/billing-ls.ts')).billingLsCommand,
  },
  {
    path: ['billing', 'show'],
    summary: 'Show one order: payment, consent and events.',
    load: async () => (await import('./commands/billing-show.ts')).billingShowCommand,
  },
  {
    path: ['billing', 'replay'],
    summary: 'Ask a provider about an order or event again.',
    load: async () => (await import('./commands/billing-replay.ts')).billingReplayCommand,
  },
  {
    path: ['billing', 'reconcile'],
    summary: 'Ask providers about everything that may have changed.',
    load: async () => (await import('./commands/billing-reconcile.ts')).billingReconcileCommand,
  },
  {
    path: ['billing', 'write-off'],
    summary: 'End an order whose payment its provider has lost.',
    load: async () => (await import('./commands/billing-write-off.ts')).billingWriteOffCommand,
  },
  {
    path: ['billing', 'cancel'],
    summary: 'Cancel a subscription at its payment provider.',
    load: async () => (await import('./commands/billing-cancel.ts')).billingCancelCommand,
  },
  {
    path: ['billing', 'refund'],
    summary: "Refund an order's newest charge, or a part of it.",
    load: async () => (await import('./commands/billing-refund.ts')).billingRefundCommand,
  },
  {
    path: ['billing', 'withdraw'],
    summary: 'Record a withdrawal that came by letter or e-mail.',
    load: async () => (await import('./commands/billing-withdraw.ts')).billingWithdrawCommand,
  },
  {
    path: ['billing', 'doctor'],
    summary: 'Check the keys of payment providers.',
    load: async () => (await import('./commands/billing-doctor.ts')).billingDoctorCommand,
  },
  {
    path: ['billing', 'test'],
    summary: 'Simulate events at the built-in payment provider.',
    load: async () => (await import('./commands/billing-test.ts')).billingTestCommand,
  },
  {
    path: ['key', 'create'],
    summary: 'Create an API key and print its secret once.',
    load: async () => (await import('./commands/key-create.ts')).keyCreateCommand,
  },
  {
    path: ['key', 'list'],
    summary: 'Show the keys of an account.',
    load: async () => (await import('./commands/key-list.ts')).keyListCommand,
  },
  {
    path: ['key', 'revoke'],
    summary: 'End a key for good.',
    load: async () => (await import('./commands/key-revoke.ts')).keyRevokeCommand,
  },
  {
    path: ['audit'],
    summary: 'Show the changes to accounts and keys, and who made them.',
    load: async () => (await import('./commands/audit.ts')).auditCommand,
  },
  {
    path: ['cluster', 'init'],
    summary: 'Create the shared storage of a cluster, once.',
    load: async () => (await import('./commands/cluster-init.ts')).clusterInitCommand,
  },
  {
    path: ['cluster', 'status'],
    summary: 'Show the nodes of a cluster and its problems.',
    load: async () => (await import('./commands/cluster-status.ts')).clusterStatusCommand,
  },
  {
    path: ['cluster', 'drain'],
    summary: 'Move the customers of a node to other nodes and stop it.',
    load: async () => (await import('./commands/cluster-drain.ts')).clusterDrainCommand,
  },
  {
    path: ['cluster', 'secret'],
    summary: 'Change the secret that signs export tokens.',
    load: async () => (await import('./commands/cluster-secret.ts')).clusterSecretCommand,
  },
  {
    path: ['cluster', 'room'],
    summary: 'Enlarge the stream of a cluster, and check its servers.',
    load: async () => (await import('./commands/cluster-room.ts')).clusterRoomCommand,
  },
  {
    path: ['cluster', 'repair'],
    summary: 'Restore records that the stream has lost from the copies of nodes.',
    load: async () => (await import('./commands/cluster-repair.ts')).clusterRepairCommand,
  },
  {
    path: ['cluster', 'rebuild'],
    summary: 'Recreate the tape of a cluster from a node, after the loss of all NATS servers.',
    load: async () => (await import('./commands/cluster-rebuild.ts')).clusterRebuildCommand,
  },
  {
    path: ['migrate'],
    summary: 'Move a data directory into a cluster, or back.',
    load: async () => (await import('./commands/migrate.ts')).migrateCommand,
  },
  {
    path: ['backup'],
    keepsUser: true,
    summary: 'Copy accounts, tape and instruments to a folder, while the service runs.',
    load: async () => (await import('./commands/backup.ts')).backupCommand,
  },
  {
    path: ['backup', 'verify'],
    keepsUser: true,
    summary: 'Check every file of the backups in a folder.',
    load: async () => (await import('./commands/backup-verify.ts')).backupVerifyCommand,
  },
  {
    path: ['restore'],
    keepsUser: true,
    summary: 'Restore a backup into an empty data directory.',
    load: async () => (await import('./commands/restore.ts')).restoreCommand,
  },
];

export const commands: readonly (Command | LazyCommand)[] = [
  ...customers,
  ...operators.map((command): LazyCommand => ({ ...command, group: 'operator' })),
  completionCommand(() => commands),
];
