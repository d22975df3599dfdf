/**
 * The tables in which the nodes of a cluster report their state and share the limits of accounts; they exist beside the
 * accounts, in PostgreSQL only. The database decides what must hold between nodes, in one call each, by its own clock;
 * instants are nanoseconds. A released migration is never edited, and a changed function gets a new name: during a
 * rolling update, programs of two versions use the same tables.
 */

import type { Postgres } from '../../platform/postgres/postgres.ts';

/** One node at a time creates tables; our number among the advisory locks. */
const MIGRATION_LOCK = 7_402_001;

/** Creates the tables or upgrades them. PostgreSQL 14 and later will do. */
export async function prepareSharedTables(postgres: Postgres): Promise<void> {
  await postgres.transaction(async (connection) => {
    await connection.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await connection.query(
      'create table if not exists shared_schema_version (version integer primary key)',
    );
    const { rows } = await connection.query<{ newest: number | null }>(
      'select max(version) as newest from shared_schema_version',
    );
    const found = rows[0]?.newest ?? 0;
    for (const [index, migration] of MIGRATIONS.entries()) {
      const version = index + 1;
      if (version <= found) continue;
      await connection.query(migration);
      await connection.query('insert into shared_schema_version values ($1)', [version]);
    }
  });
}

/**
 * Liveness: `renewed_at` is the time of a node's last beat; 90 s later the node no longer counts. For 90 s after a
 * start of the database every node that has not left counts, since none could send a beat before.
 */
const NODES = `
create function tapeloom_now() returns bigint language sql volatile as $$
  select (extract(epoch from clock_timestamp()) * 1000000)::bigint * 1000
$$;

create function tapeloom_started_at() returns bigint language sql stable as $$
  select (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint * 1000
$$;

create table cluster (
  only_one boolean primary key default true check (only_one),
  id text not null,
  made_at bigint not null
);

create table nodes (
  id text primary key,
  run text not null,
  name text not null,
  roles text not null,
  program text not null,
  computations jsonb not null,
  started_at bigint not null,
  renewed_at bigint not null,
  drains boolean not null,
  report jsonb not null
);

-- Nothing when the node has joined; who has its place when that one was heard of a moment ago.
create function tapeloom_join(
  p_id text, p_run text, p_name text, p_roles text, p_program text, p_computations jsonb,
  p_heard_within bigint
) returns table (name text, renewed_at bigint) language plpgsql as $$
#variable_conflict use_column
declare
  v_now bigint;
begin
  perform pg_advisory_xact_lock(7402002, hashtext(p_id));
  v_now := tapeloom_now();
  return query select n.name, n.renewed_at from nodes n
    where n.id = p_id and n.run <> p_run and n.renewed_at > v_now - p_heard_within;
  if found then return; end if;
  delete from leases where node_id = p_id;
  insert into nodes (id, run, name, roles, program, computations, started_at, renewed_at, drains,
      report)
    values (p_id, p_run, p_name, p_roles, p_program, p_computations, v_now, v_now, false, '{}')
    on conflict (id) do update set run = excluded.run, name = excluded.name,
      roles = excluded.roles, program = excluded.program, computations = excluded.computations, started_at = excluded.started_at,
      renewed_at = excluded.renewed_at, drains = false, report = excluded.report;
end $$;

-- No row when the node's place is another's. A node that was out for too long keeps nothing that others may have taken.
create function tapeloom_renew(p_now bigint, p_id text, p_run text, p_report jsonb)
returns table (was_over boolean, drains boolean, database_now bigint, database_started bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  v_seen bigint;
begin
  perform set_config('synchronous_commit', 'off', true);
  select n.renewed_at, n.drains into v_seen, drains from nodes n
    where n.id = p_id and n.run = p_run for no key update;
  if not found then return; end if;
  database_now := coalesce(p_now, tapeloom_now());
  database_started := tapeloom_started_at();
  if p_now is null then v_seen := greatest(v_seen, database_started); end if;
  was_over := v_seen <= database_now - 90000000000;
  if was_over then
    delete from leases where node_id = p_id and taken_at <= database_now - 90000000000;
  end if;
  update nodes set renewed_at = database_now, report = coalesce(p_report, report) where id = p_id;
  return next;
end $$;

create function tapeloom_leave(p_id text, p_run text) returns void language plpgsql as $$
begin
  delete from nodes where id = p_id and run = p_run;
  if found then delete from leases where node_id = p_id; end if;
end $$;
`;

/** The open leases of accounts. A lease is valid for 90 s after it was taken, and after its node's last beat. */
const LEASES = `
create table leases (
  account_id text not null,
  kind text not null,
  holder text not null,
  thing text not null,
  by_test boolean not null,
  node_id text not null,
  taken_at bigint not null,
  primary key (account_id, kind, holder)
);

create index leases_by_node on leases (node_id);

create function tapeloom_leases(p_now bigint, p_account text, p_kind text)
returns table (holder text, thing text, by_test boolean) language sql stable as $$
  select l.holder, l.thing, l.by_test from leases l join nodes n on n.id = l.node_id
    where l.account_id = p_account and l.kind = p_kind
      and greatest(l.taken_at, n.renewed_at, case when p_now is null then tapeloom_started_at() end)
        > coalesce(p_now, tapeloom_now()) - 90000000000
$$;

-- Null when the node's place is another's: it may take nothing more.
create function tapeloom_take_lease(
  p_now bigint, p_node text, p_run text, p_account text, p_kind text, p_holder text, p_thing text,
  p_limit integer, p_test_limit integer
) returns boolean language plpgsql as $$
declare
  v_now bigint;
  v_is_held boolean;
  v_others bigint;
  v_is_held_by_tests boolean;
  v_other_tests bigint;
begin
  perform pg_advisory_xact_lock(7402003, hashtext(p_kind || ' ' || p_account));
  v_now := coalesce(p_now, tapeloom_now());
  if not exists (select from nodes where id = p_node and run = p_run) then return null; end if;
  -- Whoever seems to be gone may be saying at this moment that he is not: he is waited for.
  perform from nodes n
    where n.renewed_at <= v_now - 90000000000 and n.id in (
      select node_id from leases where account_id = p_account and kind = p_kind)
    order by n.id for no key update;
  select coalesce(bool_or(thing = p_thing), false),
      count(distinct thing) filter (where holder <> p_holder),
      coalesce(bool_or(thing = p_thing) filter (where by_test), false),
      count(distinct thing) filter (where by_test and holder <> p_holder)
    into v_is_held, v_others, v_is_held_by_tests, v_other_tests
    from tapeloom_leases(p_now, p_account, p_kind);
  if not v_is_held and v_others >= p_limit then return false; end if;
  if not v_is_held_by_tests and v_other_tests >= p_test_limit then return false; end if;
  insert into leases values (p_account, p_kind, p_holder, p_thing, p_test_limit is not null,
      p_node, v_now)
    on conflict (account_id, kind, holder) do update set thing = excluded.thing,
      by_test = excluded.by_test, node_id = excluded.node_id, taken_at = excluded.taken_at;
  return true;
end $$;
`;

/**
 * Requests per minute, by the arithmetic of `core/src/quota/allowance.ts`: a request is 60e9 parts, and every
 * nanosecond refills as many parts as the limit has requests.
 */
const ALLOWANCES = `
create table allowances (
  who text primary key,
  all_at bigint not null default 0,
  all_per_minute bigint not null default 1,
  all_spent bigint not null default 0,
  tests_at bigint not null default 0,
  tests_per_minute bigint not null default 1,
  tests_spent bigint not null default 0
);

create function tapeloom_spent(
  p_now bigint, p_at bigint, p_per_minute bigint, p_spent bigint, p_limit bigint
) returns bigint language sql immutable as $$
  select least(
    greatest(p_spent - least(greatest(p_now - p_at, 0), 60000000000) * p_per_minute, 0),
    p_limit * 60000000000)
$$;

-- What is asked for ahead is given only while a thirtieth is spent: what comes back in the 2 s for which it may lie
-- unused is no more than that, so nobody can have it beside a full allowance.
create function tapeloom_allow(
  p_now bigint, p_who text, p_limit bigint, p_test_limit bigint, p_needed bigint, p_wanted bigint
) returns table (granted bigint, all_spent bigint, tests_spent bigint) language plpgsql as $$
#variable_conflict use_column
declare
  v_row allowances;
  v_now bigint;
begin
  perform set_config('synchronous_commit', 'off', true);
  -- In one statement: between two of them a sweep could take the row away, and nothing would be counted.
  insert into allowances (who) values (p_who)
    on conflict (who) do update set who = excluded.who returning * into v_row;
  v_now := coalesce(p_now, tapeloom_now());
  if p_limit is not null then
    all_spent := tapeloom_spent(
      v_now, v_row.all_at, v_row.all_per_minute, v_row.all_spent, p_limit);
  end if;
  if p_test_limit is not null then
    tests_spent := tapeloom_spent(
      v_now, v_row.tests_at, v_row.tests_per_minute, v_row.tests_spent, p_test_limit);
  end if;
  granted := p_wanted;
  if all_spent < p_limit * 2000000000 or tests_spent < p_test_limit * 2000000000 then
    granted := p_needed;
  end if;
  granted := least(granted, (p_limit * 60000000000 - all_spent) / 60000000000,
    (p_test_limit * 60000000000 - tests_spent) / 60000000000);
  all_spent := all_spent + granted * 60000000000;
  tests_spent := tests_spent + granted * 60000000000;
  update allowances set
      all_at = case when p_limit is null then v_row.all_at else v_now end,
      all_per_minute = coalesce(p_limit, v_row.all_per_minute),
      all_spent = coalesce(tapeloom_allow.all_spent, v_row.all_spent),
      tests_at = case when p_test_limit is null then v_row.tests_at else v_now end,
      tests_per_minute = coalesce(p_test_limit, v_row.tests_per_minute),
      tests_spent = coalesce(tapeloom_allow.tests_spent, v_row.tests_spent)
    where who = p_who;
  return next;
end $$;
`;

const SECRETS = `
create table shared_secrets (
  name text not null,
  number bigint not null,
  secret bytea not null,
  signs_from bigint not null,
  primary key (name, number)
);
`;

/** The datasets whose tapes exist. `cluster` records the tape of the first one too. */
const TAPES = `
create table cluster_tapes (
  dataset text primary key,
  made_at bigint not null
);
`;

const MIGRATIONS: readonly string[] = [NODES + LEASES + ALLOWANCES + SECRETS, TAPES];
