-- Executions get a number that never changes: what search knows of them hangs on it. It counts up, so it is also their age.
create table numbered_execution (
  no integer primary key,
  id text not null unique,
  rev integer not null,
  epoch integer not null,
  status text not null,
  head text not null,
  -- Payloads up to 400 characters; longer ones are in payload.
  inp text,
  out text,
  vars text
);
insert into numbered_execution (id, rev, epoch, status, head, inp, out, vars)
  select id, rev, epoch, status, head, inp, out, vars from execution order by rowid;
drop table execution;
alter table numbered_execution rename to execution;

-- What is left of executions that were removed and archived. Their numbers are not given to others.
create table archive (
  no integer primary key,
  id text not null unique,
  head text not null,
  inp text not null,
  out text not null,
  vars text not null
);

-- By execution.no or archive.no: what is searched and sorted by most. The rest is read from the head.
drop table search;
create table search (
  no integer primary key,
  name text not null,
  version integer not null,
  status text not null,
  start_time integer not null,
  end_time integer not null,
  update_time integer not null,
  priority integer not null,
  correlation_id text,
  parent_id text,
  classifier text not null,
  -- The definition hides fields: payloads are not searched.
  masked integer not null,
  -- Epoch of the tasks in task_search.
  epoch integer not null
);
create index search_name on search (name, status, start_time);
create index search_status on search (status, start_time);
create index search_start on search (start_time);
create index search_correlation on search (correlation_id) where correlation_id is not null;
create index search_parent on search (parent_id) where parent_id is not null;

-- key: the execution's number * 2^24 + the task's. So one small key finds a task, its execution, and all tasks of that.
create table task_search (
  key integer primary key,
  type text not null,
  def_name text not null,
  ref text not null,
  status text not null,
  scheduled_time integer not null,
  start_time integer not null,
  end_time integer not null,
  update_time integer not null
);
create index task_search_type on task_search (type, status);
-- Nearly all tasks are COMPLETED: those are found by scanning, and most tasks do not pay for this index.
create index task_search_status on task_search (status) where status <> 'COMPLETED';

-- Which triples of characters the text of an execution may contain, as 520 bits; see signature.ts. key: the execution's
-- number * 2^6 + the part of the text. Tasks have none: it would cost each of them more than everything else here.
create table search_text (
  key integer primary key,
  s0 integer not null, s1 integer not null, s2 integer not null, s3 integer not null, s4 integer not null,
  s5 integer not null, s6 integer not null, s7 integer not null, s8 integer not null, s9 integer not null
);

-- Nothing is known of what was there before: all of it is out of date.
delete from dirty;
insert into dirty (exec) select id from execution order by no;
