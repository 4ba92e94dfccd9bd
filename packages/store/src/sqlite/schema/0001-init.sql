-- Ids are time-ordered text, so rows written together lie together.

create table execution (
  id text primary key,
  rev integer not null,
  epoch integer not null,
  status text not null,
  head text not null,
  -- Payloads up to 400 characters; longer ones are in payload.
  inp text,
  out text,
  vars text
);

-- One row per attempt. meta is the task without its payloads. done: followed up or retried, nothing will happen to it.
create table task (
  exec text not null,
  no integer not null,
  epoch integer not null,
  ref text not null,
  iter text not null,
  scope integer not null,
  joins integer not null,
  done integer not null,
  meta text not null,
  inp text,
  out text,
  primary key (exec, no)
) without rowid;

-- The first 32 tasks of an execution are found by reading them; only large executions pay for these indexes.
create index task_ref on task (exec, ref, no) where no > 32;
create index task_open on task (exec, no) where done = 0 and no > 32;

create table payload (
  exec text not null,
  no integer not null,
  slot text not null,
  body text not null
);
create index payload_key on payload (exec, no, slot);

-- What an open task waits for; no = 0 is the execution itself. state: 0 ready, 1 claimed, 2 waiting, 3 delayed.
create table work (
  exec text not null,
  no integer not null,
  queue text not null,
  prio integer not null,
  due integer not null,
  timer integer not null,
  state integer not null,
  polls integer not null,
  started integer not null,
  polled integer not null,
  worker text,
  node text,
  timing text,
  primary key (exec, no)
) without rowid;

create index work_ready on work (queue, prio desc, due, exec, no) where state = 0;
create index work_delayed on work (queue) where state = 3;
create index work_timer on work (timer, exec, no) where timer > 0;
create index work_node on work (node) where node is not null;

create table outbox (
  sender text not null,
  n integer not null,
  target text not null,
  body text not null,
  primary key (sender, n)
);

create table def (
  hash text primary key,
  body text not null
);

create table workflow_def (
  name text not null,
  version integer not null,
  body text not null,
  primary key (name, version)
);

create table task_def (
  name text primary key,
  body text not null
);

create table log (
  id integer primary key,
  exec text not null,
  no integer not null,
  at integer not null,
  line text not null
);
create index log_task on log (exec, no);

create table idempotency (
  name text not null,
  key text not null,
  exec text not null,
  primary key (name, key)
) without rowid;
create index idempotency_exec on idempotency (exec);

create table cache (
  key text primary key,
  body text not null,
  expires integer not null
);
create index cache_expires on cache (expires);

-- Who holds a slot of a task definition's concurrency limit, and when its rate limit was last used.
create table limit_slot (
  name text not null,
  exec text not null,
  no integer not null,
  primary key (exec, no)
) without rowid;
create index limit_slot_name on limit_slot (name);

create table rate_slot (
  name text not null,
  at integer not null
);
create index rate_slot_name on rate_slot (name, at);

-- Executions whose search row is out of date, in the order they changed.
create table dirty (
  seq integer primary key,
  exec text not null
);

create table search (
  no integer primary key,
  id text not null unique,
  name text not null,
  version integer not null,
  status text not null,
  start_time integer not null,
  end_time integer not null,
  update_time integer not null,
  correlation_id text,
  parent_id text,
  archived text
);
create index search_name on search (name, status, no);
create index search_status on search (status, no);
create index search_correlation on search (correlation_id, name) where correlation_id is not null;
