-- Ids are time-ordered text, so rows written together lie together. Text compares by its bytes, whatever the locale of
-- the database. Indexes stand only on columns that hot updates leave alone, so that those stay within their page (HOT);
-- fill factors leave them the room. Rows up to a page are kept as they are: compressing them costs more than it saves.

create table execution (
  id text collate "C" primary key,
  rev bigint not null,
  epoch int not null,
  status text collate "C" not null,
  updated bigint not null,
  -- A hash of what search shows of the head, and whether the last step changed it: only then its search row is written.
  shown bigint not null,
  shows boolean not null,
  head text collate "C" not null,
  -- Payloads up to 400 characters; '@' when it is in payload, '' for the empty object.
  inp text collate "C" not null,
  out text collate "C" not null,
  vars text collate "C" not null
) with (fillfactor = 55, toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05);

-- One row per attempt. rest: see task-row.ts. done: followed up or retried, nothing will happen to it.
create table task (
  exec text collate "C" not null,
  no int not null,
  epoch int not null,
  scope int not null,
  joins int not null,
  done boolean not null,
  scheduled bigint not null,
  started bigint not null,
  ended bigint not null,
  updated bigint not null,
  ref text collate "C" not null,
  iter text collate "C" not null,
  type text collate "C" not null,
  def_name text collate "C" not null,
  status text collate "C" not null,
  domain text collate "C",
  worker text collate "C",
  reason text collate "C",
  rest text collate "C" not null,
  inp text collate "C" not null,
  out text collate "C" not null,
  primary key (exec, no)
) with (fillfactor = 45, toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05);

-- The first 32 tasks of an execution are found by reading them; only large executions pay for the rest.
create index task_ref on task (exec, left(ref, 200), no) where no > 32;
create index task_type on task (type);

-- Tasks from number 33 on that are not done: an index that names them would make every update of a task leave its page.
create table open_task (
  exec text collate "C" not null,
  no int not null,
  primary key (exec, no)
);

-- slot: 0 input, 1 output, 2 variables.
create table payload (
  exec text collate "C" not null,
  no int not null,
  slot smallint not null,
  body text collate "C" not null,
  primary key (exec, no, slot)
) with (toast_tuple_target = 8160);
alter table payload alter column body set storage external;

-- What an open task waits for; no = 0 is the execution itself. state: 0 ready, 1 claimed, 2 waiting, 3 delayed.
create table work (
  exec text collate "C" not null,
  no int not null,
  state smallint not null,
  -- Its definition has limits: whoever ends it gives a slot back.
  limited boolean not null,
  prio bigint not null,
  due bigint not null,
  timer bigint not null,
  polls bigint not null,
  started bigint not null,
  polled bigint not null,
  -- The lease of a server's own claim: it holds while the node is at this epoch.
  lease bigint,
  queue text collate "C" not null,
  worker text collate "C",
  node text collate "C",
  timing text collate "C",
  primary key (exec, no)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

create index work_ready on work (queue, prio desc, due, exec, no) where state = 0;
create index work_delayed on work (queue) where state = 3;
create index work_timer on work (timer) where timer > 0;
create index work_node on work (node, lease) where node is not null;

create table outbox (
  sender text collate "C" not null,
  n bigint not null,
  seq bigint generated always as identity,
  target text collate "C" not null,
  body text collate "C" not null,
  -- Who delivers it.
  node text collate "C" not null,
  primary key (sender, n)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
create index outbox_node on outbox (node, seq);

create table log (
  exec text collate "C" not null,
  no int not null,
  at bigint not null,
  seq bigint generated always as identity,
  line text collate "C" not null
);
create index log_task on log (exec, no);

-- Keys that callers choose may be long; stored ones are not (see keyText in text.ts).
create table idempotency (
  name text collate "C" not null,
  key text collate "C" not null,
  exec text collate "C" not null,
  primary key (name, key)
);
create index idempotency_exec on idempotency (exec);

create table cache (
  key text collate "C" primary key,
  expires bigint not null,
  body text collate "C" not null
);
create index cache_expires on cache (expires);

-- Slots of a concurrency limit, made as they are needed; exec is null while one is free.
create table limit_slot (
  name text collate "C" not null,
  i int not null,
  exec text collate "C",
  no int,
  primary key (name, i)
) with (fillfactor = 50);
create index limit_slot_free on limit_slot (name, i) where exec is null;
create index limit_slot_holder on limit_slot (exec, no) where exec is not null;

-- Slots of a rate limit: when each was last used.
create table rate_slot (
  name text collate "C" not null,
  i int not null,
  at bigint not null,
  primary key (name, i)
) with (fillfactor = 50);
create index rate_slot_at on rate_slot (name, at);

create table def (
  hash text collate "C" primary key,
  classifier text collate "C" not null,
  -- It hides fields: payloads of its executions are not searched.
  masked boolean not null,
  body text collate "C" not null
);

create table workflow_def (
  name text collate "C" not null,
  version bigint not null,
  body text collate "C" not null,
  primary key (name, version)
);

create table task_def (
  name text collate "C" primary key,
  body text collate "C" not null
);

-- Small JSON texts by name.
create table document (
  collection text collate "C" not null,
  id text collate "C" not null,
  body text collate "C" not null,
  primary key (collection, id)
);

-- What is left of executions that were removed and archived.
create table archive (
  id text collate "C" primary key,
  updated bigint not null,
  head text collate "C" not null,
  inp text collate "C" not null,
  out text collate "C" not null,
  vars text collate "C" not null
);

-- What executions are searched and sorted by, written with their commits when it changes. Absent texts are empty.
create table search (
  id text collate "C" primary key,
  version bigint not null,
  start_time bigint not null,
  end_time bigint not null,
  priority bigint not null,
  masked boolean not null,
  name text collate "C" not null,
  status text collate "C" not null,
  classifier text collate "C" not null,
  correlation_id text collate "C" not null,
  parent_id text collate "C" not null,
  created_by text collate "C" not null,
  event text collate "C" not null,
  reason text collate "C" not null,
  idempotency_key text collate "C" not null,
  failed text collate "C" not null
);
create index search_name on search (name, status, start_time);
create index search_status on search (status, start_time);
create index search_start on search (start_time);
create index search_correlation on search using hash (correlation_id) where correlation_id <> '';
create index search_parent on search using hash (parent_id) where parent_id <> '';

-- Which triples of characters the texts of an execution may contain, as 520 bits; see sqlite/signature.ts. Bits are added,
-- never removed: what old ones let pass is read and refused.
create table search_text (
  exec text collate "C" not null,
  part smallint not null,
  s0 bigint not null, s1 bigint not null, s2 bigint not null, s3 bigint not null, s4 bigint not null,
  s5 bigint not null, s6 bigint not null, s7 bigint not null, s8 bigint not null, s9 bigint not null,
  primary key (exec, part)
) with (fillfactor = 70);

-- Who runs on this database. A node's epoch goes up when it starts and when others give it up: leases of an older one are
-- void. run tells one process from the next of the same name; info is what the node says of itself. A node that is gone,
-- and whose work others have taken over, keeps its row for a while: it may not know yet.
create table node (
  id text collate "C" primary key,
  epoch bigint not null,
  seen timestamptz not null,
  gone boolean not null,
  run text collate "C" not null,
  info text collate "C" not null
) with (fillfactor = 50);

-- Executions that someone at a node waits for, or watches; '*' stands for all of them.
create table watch (
  exec text collate "C" not null,
  node text collate "C" not null,
  primary key (exec, node)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- Groups of commits by the writer that sent them. A writer whose answer was lost finds it here.
create table commit_group (
  writer text collate "C" not null,
  seq bigint not null,
  answer text collate "C" not null,
  primary key (writer, seq)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- What came of the slots of schedules. entry: which of a schedule's cron expressions, negative for a run by hand.
create table schedule_run (
  no bigint generated always as identity primary key,
  slot bigint not null,
  fired bigint not null,
  entry int not null,
  id text collate "C" not null,
  schedule text collate "C" not null,
  workflow text collate "C" not null,
  exec text collate "C",
  state text collate "C" not null,
  reason text collate "C",
  zone text collate "C" not null,
  request text collate "C" not null
);
create index schedule_run_id on schedule_run (id);
create index schedule_run_schedule on schedule_run (schedule, slot);
create index schedule_run_slot on schedule_run (slot);

-- The last slot that was dealt with. Not read off the runs: those go when they are old.
create table schedule_cursor (
  schedule text collate "C" not null,
  entry int not null,
  slot bigint not null,
  primary key (schedule, entry)
) with (fillfactor = 50);

-- Messages that wait for an execution to take them; which numbers wait is in its head.
create table message (
  exec text collate "C" not null,
  n bigint not null,
  body text collate "C" not null,
  primary key (exec, n)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
