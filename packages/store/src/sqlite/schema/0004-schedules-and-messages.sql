-- What came of the slots of schedules. entry: which of a schedule's cron expressions, negative for a run by hand.
create table schedule_run (
  no integer primary key,
  id text not null,
  schedule text not null,
  entry integer not null,
  slot integer not null,
  fired integer not null,
  workflow text not null,
  exec text,
  state text not null,
  reason text,
  zone text not null,
  request text not null
);
create index schedule_run_id on schedule_run (id);
create index schedule_run_schedule on schedule_run (schedule, slot);
create index schedule_run_slot on schedule_run (slot);

-- The last slot that was dealt with. Not read off the runs: those go when they are old.
create table schedule_cursor (
  schedule text not null,
  entry integer not null,
  slot integer not null,
  primary key (schedule, entry)
) without rowid;

-- Messages that wait for an execution to take them; which numbers wait is in its head.
create table message (
  exec text not null,
  n integer not null,
  body text not null,
  primary key (exec, n)
);
