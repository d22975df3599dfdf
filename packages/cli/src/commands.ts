/**
 * Every command of `tapeloom`, in the order of its help: one file each in `commands/`. Those that work on a data
 * directory bring half the service with them and are loaded when they are called.
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
    summary: 'Run the service, or play a file or a day of the tape as if it were live.',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  {
    path: ['study'],
    summary: 'Compute an indicator over the local tape.',
    load: async () => (await import('./commands/study.ts')).studyCommand,
  },
  {
    path: ['instruments', 'check'],
    summary: 'Read a file of instruments: what is wrong where, or what it holds.',
    load: async () => (await import('./commands/instruments-check.ts')).instrumentsCheckCommand,
  },
  {
    path: ['instruments', 'diff'],
    summary: 'Say what another file of instruments would change.',
    load: async () => (await import('./commands/instruments-diff.ts')).instrumentsDiffCommand,
  },
  {
    path: ['instruments', 'apply'],
    summary: 'Give a data directory the instruments of a file.',
    load: async () => (await import('./commands/instruments-apply.ts')).instrumentsApplyCommand,
  },
  {
    path: ['instruments', 'rolls'],
    summary: 'Show what aliases by volume mean from when on, or decide it again.',
    load: async () => (await import('./commands/instruments-rolls.ts')).instrumentsRollsCommand,
  },
  {
    path: ['instruments', 'from'],
    summary: 'Make a file of instruments out of a feed’s definitions.',
    load: async () => (await import('./commands/instruments-from.ts')).instrumentsFromCommand,
  },
  {
    path: ['import'],
    summary: 'Bring files of trades onto the tape.',
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  {
    path: ['tape', 'ls'],
    summary: 'Show what is on the tape, contract by contract.',
    load: async () => (await import('./commands/tape-ls.ts')).tapeLsCommand,
  },
  {
    path: ['tape', 'verify'],
    summary: 'Check every file of the tape and say what is wrong where.',
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
    summary: 'Set aside what lies on the tape after a time, as after a clock that was ahead.',
    load: async () => (await import('./commands/tape-trim.ts')).tapeTrimCommand,
  },
  {
    path: ['sim', 'fill'],
    summary: 'Make further past days of simulated contracts.',
    load: async () => (await import('./commands/sim-fill.ts')).simFillCommand,
  },
  {
    path: ['cache', 'ls'],
    summary: 'Show the results that are kept, their size and last use.',
    load: async () => (await import('./commands/cache-ls.ts')).cacheLsCommand,
  },
  {
    path: ['cache', 'warm'],
    summary: 'Compute and keep the results of past days before anybody asks.',
    load: async () => (await import('./commands/cache-warm.ts')).cacheWarmCommand,
  },
  {
    path: ['cache', 'clear'],
    summary: 'Remove kept results: all, or those of a contract or indicator.',
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
    summary: 'Check rights, disk, clock, mail, proxies and limits, and say what to do.',
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
    summary: 'Give an account another plan.',
    load: async () => (await import('./commands/account-plan.ts')).accountPlanCommand,
  },
  {
    path: ['account', 'suspend'],
    summary: 'Stop an account: its keys are refused until it is resumed.',
    load: async () => (await import('./commands/account-suspend.ts')).accountSuspendCommand,
  },
  {
    path: ['account', 'resume'],
    summary: 'Let a suspended account go on.',
    load: async () => (await import('./commands/account-resume.ts')).accountResumeCommand,
  },
  {
    path: ['account', 'claim'],
    summary: 'Print a link by which somebody becomes the owner of an account.',
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
    summary: 'Have a provider asked about an order or event again.',
    load: async () => (await import('./commands/billing-replay.ts')).billingReplayCommand,
  },
  {
    path: ['billing', 'reconcile'],
    summary: 'Have providers asked about everything that may have changed.',
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
    summary: "Give money of an order's newest charge back.",
    load: async () => (await import('./commands/billing-refund.ts')).billingRefundCommand,
  },
  {
    path: ['billing', 'withdraw'],
    summary: 'Record a withdrawal that came by letter or e-mail.',
    load: async () => (await import('./commands/billing-withdraw.ts')).billingWithdrawCommand,
  },
  {
    path: ['billing', 'doctor'],
    summary: 'Try the keys of payment providers.',
    load: async () => (await import('./commands/billing-doctor.ts')).billingDoctorCommand,
  },
  {
    path: ['billing', 'test'],
    summary: 'Play what happens at the built-in payment provider.',
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
    summary: 'Show who did what to accounts and keys.',
    load: async () => (await import('./commands/audit.ts')).auditCommand,
  },
  {
    path: ['cluster', 'init'],
    summary: 'Make what the nodes of a cluster share, once.',
    load: async () => (await import('./commands/cluster-init.ts')).clusterInitCommand,
  },
  {
    path: ['cluster', 'status'],
    summary: 'Show what runs where in a cluster, and what is wrong.',
    load: async () => (await import('./commands/cluster-status.ts')).clusterStatusCommand,
  },
  {
    path: ['cluster', 'drain'],
    summary: 'Have a node send its customers elsewhere and stop.',
    load: async () => (await import('./commands/cluster-drain.ts')).clusterDrainCommand,
  },
  {
    path: ['cluster', 'secret'],
    summary: 'Change the secret behind the tokens of exports.',
    load: async () => (await import('./commands/cluster-secret.ts')).clusterSecretCommand,
  },
  {
    path: ['cluster', 'room'],
    summary: 'Give the stream of a cluster more room, and check its servers.',
    load: async () => (await import('./commands/cluster-room.ts')).clusterRoomCommand,
  },
  {
    path: ['cluster', 'repair'],
    summary: 'Put back what the stream has lost, out of what nodes have.',
    load: async () => (await import('./commands/cluster-repair.ts')).clusterRepairCommand,
  },
  {
    path: ['cluster', 'rebuild'],
    summary: 'Make the tape of a cluster anew out of a node, after the loss of all NATS servers.',
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
    summary: 'Put a backup into a data directory that has nothing of it.',
    load: async () => (await import('./commands/restore.ts')).restoreCommand,
  },
];

export const commands: readonly (Command | LazyCommand)[] = [
  ...customers,
  ...operators.map((command): LazyCommand => ({ ...command, group: 'operator' })),
  completionCommand(() => commands),
];
