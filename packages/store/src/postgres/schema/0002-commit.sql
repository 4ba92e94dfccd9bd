-- How a group of units is written: one call of commit_units, whatever the size of the group. Rows come as arrays of these
-- types; ord is the unit they belong to. A unit whose guard fails is left out, and the answer names it. Functions and
-- types carry a number: servers of an older version go on with theirs while newer ones start.

create type commit_failure_1 as (ord int, guard text);

-- What is rare enough to be done one after the other. kind: see ops.ts.
create type commit_op_1 as (
  ord int, kind int,
  a text collate "C", b text collate "C", c text collate "C", d text collate "C",
  n1 bigint, n2 bigint, n3 bigint, n4 bigint, n5 bigint, n6 bigint, n7 bigint, n8 bigint
);
create type commit_move_1 as (
  ord int, exec text collate "C", no int, was smallint, state smallint, due bigint, timer bigint, polls bigint,
  started bigint, polled bigint, worker text collate "C", is_own boolean
);
create type commit_start_1 as (
  ord int, id text collate "C", rev bigint, epoch int, status text collate "C", updated bigint, shown bigint,
  head text collate "C", inp text collate "C", out text collate "C", vars text collate "C"
);
-- Payloads are null when they stay.
create type commit_step_1 as (
  ord int, id text collate "C", base bigint, rev bigint, epoch int, status text collate "C", updated bigint, shown bigint,
  head text collate "C", inp text collate "C", out text collate "C", vars text collate "C"
);
create type commit_shown_1 as (
  ord int, is_new boolean, id text collate "C", version bigint, start_time bigint, end_time bigint, priority bigint,
  name text collate "C", status text collate "C", def_hash text collate "C", correlation_id text collate "C",
  parent_id text collate "C", created_by text collate "C", event text collate "C", reason text collate "C",
  idempotency_key text collate "C", failed text collate "C"
);
create type commit_text_1 as (
  ord int, exec text collate "C", part smallint, s0 bigint, s1 bigint, s2 bigint, s3 bigint, s4 bigint, s5 bigint,
  s6 bigint, s7 bigint, s8 bigint, s9 bigint
);
create type commit_task_1 as (
  ord int, exec text collate "C", no int, epoch int, scope int, joins int, done boolean, scheduled bigint,
  started bigint, ended bigint, updated bigint, ref text collate "C", iter text collate "C", type text collate "C",
  def_name text collate "C", status text collate "C", domain text collate "C", worker text collate "C",
  reason text collate "C", rest text collate "C", inp text collate "C", out text collate "C"
);
-- Payloads are null when they stay.
create type commit_change_1 as (
  ord int, exec text collate "C", no int, joins int, done boolean, scheduled bigint, started bigint, ended bigint,
  updated bigint, status text collate "C", domain text collate "C", worker text collate "C", reason text collate "C",
  rest text collate "C", inp text collate "C", out text collate "C"
);
create type commit_work_1 as (
  ord int, exec text collate "C", no int, state smallint, limited boolean, prio bigint, due bigint, timer bigint,
  polls bigint, started bigint, polled bigint, queue text collate "C", worker text collate "C", timing text collate "C"
);
create type commit_place_1 as (ord int, exec text collate "C", no int);
create type commit_payload_1 as (ord int, exec text collate "C", no int, slot smallint, body text collate "C");
create type commit_event_1 as (ord int, sender text collate "C", n bigint, target text collate "C", body text collate "C");
create type commit_log_1 as (ord int, exec text collate "C", no int, at bigint, line text collate "C");

-- Guards that can be judged by reading. A competitor that commits after this look is met by the write itself, which then
-- gives the whole group back to be tried again.
create function commit_checks_1(ops commit_op_1[], consumed commit_event_1[], works commit_work_1[])
returns commit_failure_1[] language sql as $$
  select coalesce(array_agg((f.ord, f.guard)::commit_failure_1), '{}') from (
    select distinct on (ord) ord, guard from (
      select e.ord, 'outbox' as guard, 1 as rank from unnest(consumed) e
        where not exists (select from outbox b where b.sender = e.sender and b.n = e.n)
      union all
      select o.ord, 'exists', 2 from unnest(ops) o
        where o.kind = 3 and exists (select from document x where x.collection = o.a and x.id = o.b)
      union all
      select o.ord, 'exists', 2 from unnest(ops) o
        where o.kind = 21 and exists (
          select from schedule_cursor c where c.schedule = o.a and c.entry = o.n1 and c.slot >= o.n2)
      union all
      select o.ord, 'exists', 2 from unnest(ops) o
        where o.kind = 28 and o.n3 is distinct from (
          select c.slot from schedule_cursor c where c.schedule = o.a and c.entry = o.n1)
      union all
      select o.ord, 'document', 2 from unnest(ops) o
        where o.kind = 32 and not exists (
          select from document x where x.collection = o.a and x.id = o.b and x.body = o.d)
      union all
      select o.ord, 'idempotency', 3 from unnest(ops) o
        where o.kind = 1 and exists (select from idempotency i where i.name = o.a and i.key = o.b)
      union all
      select o.ord, 'idempotency', 3 from unnest(ops) o
        where o.kind = 2 and not exists (
          select from idempotency i where i.name = o.a and i.key = o.b and i.exec = o.d)
      union all
      select w.ord, 'work', 4 from unnest(works) w
        where exists (select from work x where x.exec = w.exec and x.no = w.no and x.polls > w.polls)
    ) guards order by ord, rank
  ) f
$$;

-- A limit that was lowered leaves holders above it: they count until they are gone.
create function take_limit_slot_1(slot_name text, allowed bigint, holder text, holder_no int)
returns boolean language plpgsql as $$
declare
  above bigint;
  below bigint;
  known int;
begin
  select count(*) into above from limit_slot s where s.name = slot_name and s.i >= allowed and s.exec is not null;
  if above > 0 then
    select allowed - count(*) into below from limit_slot s where s.name = slot_name and s.i < allowed and s.exec is not null;
    if below <= above then return false; end if;
  end if;
  update limit_slot s set exec = holder, no = holder_no where s.name = slot_name and s.i = (
    select f.i from limit_slot f where f.name = slot_name and f.i < allowed and f.exec is null
    order by f.i limit 1 for update skip locked);
  if found then return true; end if;
  loop
    select coalesce(max(s.i) + 1, 0) into known from limit_slot s where s.name = slot_name;
    if known >= allowed then return false; end if;
    insert into limit_slot (name, i, exec, no) values (slot_name, known, holder, holder_no) on conflict do nothing;
    if found then return true; end if;
  end loop;
end $$;

-- A slot is free again when its last use has left the window.
create function take_rate_slot_1(slot_name text, allowed bigint, moment bigint, before bigint)
returns boolean language plpgsql as $$
declare
  above bigint;
  below bigint;
  known int;
begin
  select count(*) into above from rate_slot s where s.name = slot_name and s.i >= allowed and s.at > before;
  if above > 0 then
    select allowed - count(*) into below from rate_slot s where s.name = slot_name and s.i < allowed and s.at > before;
    if below <= above then return false; end if;
  end if;
  update rate_slot s set at = moment where s.name = slot_name and s.i = (
    select f.i from rate_slot f where f.name = slot_name and f.i < allowed and f.at <= before
    order by f.at limit 1 for update skip locked);
  if found then return true; end if;
  loop
    select coalesce(max(s.i) + 1, 0) into known from rate_slot s where s.name = slot_name;
    if known >= allowed then return false; end if;
    insert into rate_slot (name, i, at) values (slot_name, known, moment) on conflict do nothing;
    if found then return true; end if;
  end loop;
end $$;

create function claim_limited_1(op commit_op_1, own_node text, own_lease bigint)
returns text language plpgsql as $$
begin
  perform from work w where w.exec = op.a and w.no = op.n1 and w.state = 0 for update skip locked;
  if not found then return 'work'; end if;
  if op.n6 > 0 and not take_limit_slot_1(op.b, op.n6, op.a, op.n1::int) then return 'concurrency'; end if;
  if op.n7 > 0 and not take_rate_slot_1(op.b, op.n7, op.n5, op.n5 - op.n8) then
    update limit_slot s set exec = null, no = null where s.exec = op.a and s.no = op.n1;
    return 'rate';
  end if;
  update work w set state = 1, timer = op.n2, polls = op.n3, started = op.n4, polled = op.n5, worker = op.c,
    node = case when op.d is not null then own_node end, lease = case when op.d is not null then own_lease end
  where w.exec = op.a and w.no = op.n1;
  return null;
end $$;

-- When claimed work is next to be looked at; timing: see sqlite/work-row.ts.
create function claimed_timer_1(timing text, started bigint, polled bigint)
returns bigint language sql immutable as $$
  select coalesce(least(nullif((t ->> 3)::bigint, 0),
    case when (t ->> 2)::bigint > 0 then started + (t ->> 2)::bigint end,
    case when (t ->> 1)::bigint > 0 then polled + (t ->> 1)::bigint end), 0) from (select timing::json as t) timing
$$;

-- Claims the first ready work of a queue that nobody else is just claiming. Work under a limit is only named: it has to be
-- claimed by itself, with a slot. Answers with rows as JSON.
create function take_ready_1(op commit_op_1, own_node text, own_lease bigint)
returns json language sql as $$
  with picked as (
    select w.exec, w.no, w.limited, w.prio, w.due from work w where w.queue = op.a and w.state = 0
    order by w.prio desc, w.due, w.exec, w.no limit op.n1 for update skip locked
  ), numbered as (
    select p.*, row_number() over (order by p.prio desc, p.due, p.exec, p.no) as i from picked p
  ), claimed as (
    update work w set state = 1, polls = w.polls + 1, polled = op.n2,
      started = case w.started when 0 then op.n2 else w.started end,
      timer = claimed_timer_1(w.timing, case w.started when 0 then op.n2 else w.started end, op.n2),
      worker = op.b::json ->> (n.i - 1)::int, node = case when op.c is not null then own_node end,
      lease = case when op.c is not null then own_lease end
    from numbered n where w.exec = n.exec and w.no = n.no and not n.limited
    returning n.i, w.*
  )
  select coalesce(json_agg(json_build_array(r.exec, r.no, r.queue, r.prio, r.due, r.timer, r.state, r.polls, r.started,
    r.polled, r.worker, r.timing) order by r.i), '[]') from (
      select c.i, c.exec, c.no, c.queue, c.prio, c.due, c.timer, c.state, c.polls, c.started, c.polled, c.worker, c.timing
      from claimed c
      union all
      select n.i, w.exec, w.no, w.queue, w.prio, w.due, w.timer, w.state, w.polls, w.started, w.polled, w.worker, w.timing
      from numbered n join work w on w.exec = n.exec and w.no = n.no where n.limited
    ) r
$$;

create function remove_execution_1(gone text, keeps_search_row boolean)
returns boolean language plpgsql as $$
begin
  perform from execution e where e.id = gone for update;
  if not found then return false; end if;
  if keeps_search_row then
    insert into archive (id, updated, head, inp, out, vars)
    select e.id, e.updated, e.head,
      case e.inp when '@' then (select p.body from payload p where p.exec = e.id and p.no = 0 and p.slot = 0) else e.inp end,
      case e.out when '@' then (select p.body from payload p where p.exec = e.id and p.no = 0 and p.slot = 1) else e.out end,
      case e.vars when '@' then (select p.body from payload p where p.exec = e.id and p.no = 0 and p.slot = 2) else e.vars end
    from execution e where e.id = gone
    on conflict (id) do update set updated = excluded.updated, head = excluded.head, inp = excluded.inp,
      out = excluded.out, vars = excluded.vars;
  else
    delete from search s where s.id = gone;
    delete from search_text t where t.exec = gone;
  end if;
  delete from task t where t.exec = gone;
  delete from open_task o where o.exec = gone;
  delete from payload p where p.exec = gone;
  delete from work w where w.exec = gone;
  delete from log l where l.exec = gone;
  delete from message m where m.exec = gone;
  update limit_slot s set exec = null, no = null where s.exec = gone;
  delete from idempotency i where i.exec = gone;
  delete from execution e where e.id = gone;
  return true;
end $$;

-- Rare guards that are judged by writing. Each comes before everything else that its unit writes.
create function commit_ops_first_1(ops commit_op_1[], failed int[], own_node text, own_lease bigint)
returns commit_failure_1[] language plpgsql as $$
declare
  op commit_op_1;
  guard text;
  failures commit_failure_1[] := '{}';
begin
  foreach op in array ops loop
    continue when op.ord = any(failed);
    guard := null;
    case op.kind
      when 7 then
        -- A slot is taken only for a unit whose revision holds, so that none has to be given back.
        if op.n2 < 0 then
          perform from execution e where e.id = op.b;
          if found then guard := 'revision'; end if;
        else
          perform from execution e where e.id = op.b and e.rev = op.n2 for no key update;
          if not found then guard := 'revision'; end if;
        end if;
        if guard is null and not take_limit_slot_1(op.a, op.n1, op.b, 0) then guard := 'concurrency'; end if;
      when 8 then
        guard := claim_limited_1(op, own_node, own_lease);
      when 10 then
        insert into def (hash, body, classifier, masked) values (op.a, op.b, op.c, op.n1 = 1) on conflict do nothing;
      when 11 then
        insert into workflow_def (name, version, body) values (op.a, op.n1, op.b) on conflict do nothing;
        if not found then guard := 'exists'; end if;
      when 12 then
        insert into workflow_def (name, version, body) values (op.a, op.n1, op.b)
        on conflict (name, version) do update set body = excluded.body;
      when 13 then
        delete from workflow_def w where w.name = op.a and w.version = op.n1;
        if not found then guard := 'exists'; end if;
      when 14 then
        insert into task_def (name, body) values (op.a, op.b) on conflict (name) do update set body = excluded.body;
      when 15 then
        delete from task_def t where t.name = op.a;
        if not found then guard := 'exists'; end if;
      when 19 then
        if not remove_execution_1(op.a, op.n1 = 1) then guard := 'exists'; end if;
      else
        null;
    end case;
    if guard is not null then
      failures := failures || (op.ord, guard)::commit_failure_1;
      failed := failed || op.ord;
    end if;
  end loop;
  return failures;
end $$;

create function commit_ops_last_1(ops commit_op_1[], failed int[])
returns void language plpgsql as $$
declare
  op commit_op_1;
begin
  foreach op in array ops loop
    continue when op.ord = any(failed);
    case op.kind
      when 1 then
        insert into idempotency (name, key, exec) values (op.a, op.b, op.c) on conflict do nothing;
        if not found then raise exception 'the idempotency key was taken meanwhile' using errcode = '40001'; end if;
      when 2 then
        update idempotency i set exec = op.c where i.name = op.a and i.key = op.b and i.exec = op.d;
        if not found then raise exception 'the idempotency key was moved meanwhile' using errcode = '40001'; end if;
      when 3 then
        insert into document (collection, id, body) values (op.a, op.b, op.c) on conflict do nothing;
        if not found then raise exception 'the document was put meanwhile' using errcode = '40001'; end if;
      when 4 then
        insert into document (collection, id, body) values (op.a, op.b, op.c)
        on conflict (collection, id) do update set body = excluded.body;
      when 32 then
        update document x set body = op.c where x.collection = op.a and x.id = op.b and x.body = op.d;
        if not found then raise exception 'the document was replaced meanwhile' using errcode = '40001'; end if;
      when 5 then
        delete from document x where x.collection = op.a and x.id = op.b;
      when 6 then
        delete from document x where x.collection = op.a;
      when 9 then
        update limit_slot s set exec = null, no = null where s.exec = op.a and s.no = op.n1;
      when 16 then
        delete from task t where t.exec = op.a and t.no = op.n1;
        delete from open_task o where o.exec = op.a and o.no = op.n1;
        delete from payload p where p.exec = op.a and p.no = op.n1;
        delete from work w where w.exec = op.a and w.no = op.n1;
      when 17 then
        delete from cache c where c.expires <= op.n1;
      when 18 then
        insert into cache (key, body, expires) values (op.a, op.b, op.n1)
        on conflict (key) do update set body = excluded.body, expires = excluded.expires;
      when 20 then
        delete from open_task o using task t where t.exec = op.a and t.epoch < op.n1 and o.exec = t.exec and o.no = t.no;
        delete from payload p using task t where t.exec = op.a and t.epoch < op.n1 and p.exec = t.exec and p.no = t.no;
        delete from task t where t.exec = op.a and t.epoch < op.n1;
      when 21 then
        insert into schedule_cursor (schedule, entry, slot) values (op.a, op.n1, op.n2)
        on conflict (schedule, entry) do update set slot = excluded.slot where schedule_cursor.slot < excluded.slot;
        if not found then raise exception 'the slot was dealt with meanwhile' using errcode = '40001'; end if;
      when 28 then
        if op.n3 is null then
          insert into schedule_cursor (schedule, entry, slot) values (op.a, op.n1, op.n2) on conflict do nothing;
        else
          update schedule_cursor c set slot = op.n2 where c.schedule = op.a and c.entry = op.n1 and c.slot = op.n3;
        end if;
        if not found then raise exception 'a slot was dealt with meanwhile' using errcode = '40001'; end if;
      when 22 then
        insert into schedule_run (id, schedule, entry, slot, fired, workflow, exec, state, reason, zone, request)
        values (op.b, op.a, op.n1, op.n2, op.n3, op.d::json ->> 'workflow', op.d::json ->> 'exec',
          op.d::json ->> 'state', op.d::json ->> 'reason', op.d::json ->> 'zone', op.c);
      when 23 then
        delete from schedule_cursor c where c.schedule = op.a;
      when 24 then
        delete from schedule_run r where r.schedule = op.a and r.slot < (
          select k.slot from schedule_run k where k.schedule = op.a order by k.slot desc limit 1 offset op.n1);
      when 25 then
        -- Two nodes may be at it at once: each takes what the other has not.
        delete from schedule_run r where r.no = any(array(
          select o.no from schedule_run o where o.slot < op.n1 order by o.slot limit op.n2 for update skip locked));
      when 26 then
        insert into message (exec, n, body) values (op.a, op.n1, op.b);
      when 27 then
        delete from message m where m.exec = op.a and m.n < op.n1;
      else
        null;
    end case;
  end loop;
end $$;

-- The answer names the units that failed and their guards, as "3 revision,7 work"; it is empty when all were written. A
-- second line holds what was taken by which unit, as JSON, and a third who watches the executions that were written, as
-- "id node" with tabs between them. Lines at the end that are empty are left out.
create function commit_units_1(
  p_writer text, p_seq bigint, p_node text, p_lease bigint, p_is_checked boolean, p_is_large boolean, p_is_shared boolean,
  p_ops commit_op_1[], p_moves commit_move_1[], p_starts commit_start_1[], p_steps commit_step_1[],
  p_shown commit_shown_1[], p_texts commit_text_1[], p_tasks commit_task_1[], p_changes commit_change_1[],
  p_works commit_work_1[], p_ended commit_place_1[], p_payloads commit_payload_1[], p_consumed commit_event_1[],
  p_sends commit_event_1[], p_logs commit_log_1[]
) returns text language plpgsql as $$
declare
  failures commit_failure_1[] := '{}';
  dropped int[] := '{}';
  okay int[];
  showing int[] := '{}';
  ids text[];
  written bigint;
  expected bigint;
  told text := '';
  taken text := '';
  watched text := '';
begin
  -- Sent twice: the first may still be under way, and then this waits for its end.
  insert into commit_group (writer, seq, answer) values (p_writer, p_seq, '') on conflict do nothing;
  if not found then
    select g.answer into strict told from commit_group g where g.writer = p_writer and g.seq = p_seq;
    return told;
  end if;

  if p_is_checked then
    failures := commit_checks_1(p_ops, p_consumed, p_works);
    if cardinality(failures) > 0 then select array_agg(f.ord) into dropped from unnest(failures) f; end if;
  end if;

  if p_moves is not null then
    with moved as (
      update work w set state = m.state, due = m.due, timer = m.timer, polls = m.polls, started = m.started,
        polled = m.polled, worker = m.worker, node = case when m.is_own then p_node end,
        lease = case when m.is_own then p_lease end
      from unnest(p_moves) m where w.exec = m.exec and w.no = m.no and w.state = m.was
      returning m.ord
    ) select coalesce(array_agg(moved.ord), '{}') into okay from moved;
    if cardinality(okay) < cardinality(p_moves) then
      select failures || array_agg((m.ord, 'work')::commit_failure_1), dropped || array_agg(m.ord) into failures, dropped
      from unnest(p_moves) m where m.ord <> all(okay);
    end if;
  end if;

  if p_ops is not null then
    failures := failures || commit_ops_first_1(p_ops, dropped, p_node, p_lease);
    select coalesce(array_agg(f.ord), '{}') into dropped from unnest(failures) f;
    select coalesce(json_object_agg(o.ord, take_ready_1(o, p_node, p_lease))::text, '') into taken
    from unnest(p_ops) o where o.kind = 31;
  end if;

  if p_starts is not null then
    with started as (
      insert into execution (id, rev, epoch, status, updated, shown, shows, head, inp, out, vars)
      select s.id, s.rev, s.epoch, s.status, s.updated, s.shown, true, s.head, s.inp, s.out, s.vars
      from unnest(p_starts) s where s.ord <> all(dropped)
      on conflict do nothing
      returning id
    ) select coalesce(array_agg(started.id), '{}') into ids from started;
    if cardinality(ids) < cardinality(p_starts) then
      select array_agg(s.ord) into okay from unnest(p_starts) s where s.id <> all(ids) and s.ord <> all(dropped);
      if okay is not null then
        -- Its slot was taken on the word of an earlier look.
        perform from unnest(p_ops) o where o.kind = 7 and o.ord = any(okay);
        if found then raise exception 'the execution was started meanwhile' using errcode = '40001'; end if;
        dropped := dropped || okay;
        select failures || array_agg((o, 'revision')::commit_failure_1) into failures from unnest(okay) o;
      end if;
    end if;
  end if;

  if p_steps is not null then
    with stepped as (
      update execution e set rev = s.rev, epoch = s.epoch, status = s.status, updated = s.updated,
        shows = e.shown <> s.shown, shown = s.shown, head = s.head, inp = coalesce(s.inp, e.inp),
        out = coalesce(s.out, e.out), vars = coalesce(s.vars, e.vars)
      from unnest(p_steps) s where e.id = s.id and e.rev = s.base and s.ord <> all(dropped)
      returning s.ord, e.shows
    ) select coalesce(array_agg(stepped.ord), '{}'), coalesce(array_agg(stepped.ord) filter (where stepped.shows), '{}')
      into okay, showing from stepped;
    if cardinality(okay) < cardinality(p_steps) then
      select array_agg(s.ord) into okay from unnest(p_steps) s where s.ord <> all(okay) and s.ord <> all(dropped);
      if okay is not null then
        dropped := dropped || okay;
        select failures || array_agg((o, 'revision')::commit_failure_1) into failures from unnest(okay) o;
      end if;
    end if;
    if cardinality(showing) > 0 then
      select count(*) into expected from unnest(p_shown) r where r.ord = any(showing);
      if expected < cardinality(showing) then
        raise exception 'what search shows has changed' using errcode = 'DB001';
      end if;
    end if;
  end if;

  if p_shown is not null then
    insert into search (id, name, version, status, start_time, end_time, priority, correlation_id, parent_id, classifier,
      masked, created_by, event, reason, idempotency_key, failed)
    select r.id, r.name, r.version, r.status, r.start_time, r.end_time, r.priority, r.correlation_id, r.parent_id,
      coalesce(d.classifier, 'workflow'), coalesce(d.masked, false), r.created_by, r.event, r.reason, r.idempotency_key,
      r.failed
    from unnest(p_shown) r left join def d on d.hash = r.def_hash
    where (r.is_new or r.ord = any(showing)) and r.ord <> all(dropped)
    on conflict (id) do update set name = excluded.name, version = excluded.version, status = excluded.status,
      start_time = excluded.start_time, end_time = excluded.end_time, priority = excluded.priority,
      correlation_id = excluded.correlation_id, parent_id = excluded.parent_id, classifier = excluded.classifier,
      masked = excluded.masked, created_by = excluded.created_by, event = excluded.event, reason = excluded.reason,
      idempotency_key = excluded.idempotency_key, failed = excluded.failed;
  end if;

  if p_texts is not null then
    insert into search_text (exec, part, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9)
    select t.exec, t.part, t.s0, t.s1, t.s2, t.s3, t.s4, t.s5, t.s6, t.s7, t.s8, t.s9
    from unnest(p_texts) t where t.ord <> all(dropped)
    on conflict (exec, part) do update set s0 = search_text.s0 | excluded.s0, s1 = search_text.s1 | excluded.s1,
      s2 = search_text.s2 | excluded.s2, s3 = search_text.s3 | excluded.s3, s4 = search_text.s4 | excluded.s4,
      s5 = search_text.s5 | excluded.s5, s6 = search_text.s6 | excluded.s6, s7 = search_text.s7 | excluded.s7,
      s8 = search_text.s8 | excluded.s8, s9 = search_text.s9 | excluded.s9;
  end if;

  if p_tasks is not null then
    insert into task (exec, no, epoch, scope, joins, done, scheduled, started, ended, updated, ref, iter, type, def_name,
      status, domain, worker, reason, rest, inp, out)
    select t.exec, t.no, t.epoch, t.scope, t.joins, t.done, t.scheduled, t.started, t.ended, t.updated, t.ref, t.iter,
      t.type, t.def_name, t.status, t.domain, t.worker, t.reason, t.rest, t.inp, t.out
    from unnest(p_tasks) t where t.ord <> all(dropped);
    if p_is_large then
      insert into open_task (exec, no)
      select t.exec, t.no from unnest(p_tasks) t where t.no > 32 and not t.done and t.ord <> all(dropped);
    end if;
  end if;

  if p_changes is not null then
    update task t set joins = c.joins, done = c.done, scheduled = c.scheduled, started = c.started, ended = c.ended,
      updated = c.updated, status = c.status, domain = c.domain, worker = c.worker, reason = c.reason, rest = c.rest,
      inp = coalesce(c.inp, t.inp), out = coalesce(c.out, t.out)
    from unnest(p_changes) c where t.exec = c.exec and t.no = c.no and c.ord <> all(dropped);
    if p_is_large then
      delete from open_task o using unnest(p_changes) c
      where c.no > 32 and c.done and o.exec = c.exec and o.no = c.no and c.ord <> all(dropped);
      -- A task may be opened again, by a rerun for instance.
      insert into open_task (exec, no)
      select c.exec, c.no from unnest(p_changes) c where c.no > 32 and not c.done and c.ord <> all(dropped)
      on conflict do nothing;
    end if;
  end if;

  if p_ended is not null then
    with ended as (
      delete from work w using unnest(p_ended) p where w.exec = p.exec and w.no = p.no and p.ord <> all(dropped)
      returning w.exec, w.no, w.limited
    )
    update limit_slot s set exec = null, no = null from ended
    where ended.limited and ended.no <> 0 and s.exec = ended.exec and s.no = ended.no;
  end if;

  if p_works is not null then
    insert into work (exec, no, state, limited, prio, due, timer, polls, started, polled, queue, worker, timing)
    select w.exec, w.no, w.state, w.limited, w.prio, w.due, w.timer, w.polls, w.started, w.polled, w.queue, w.worker, w.timing
    from unnest(p_works) w where w.ord <> all(dropped)
    -- Who holds a claim does not change with its deadlines: a server's own claim must stay known as such.
    on conflict (exec, no) do update set state = excluded.state, limited = work.limited or excluded.limited,
      prio = excluded.prio, due = excluded.due, timer = excluded.timer, polls = excluded.polls,
      started = excluded.started, polled = excluded.polled, queue = excluded.queue, worker = excluded.worker,
      timing = excluded.timing, node = case when excluded.state = 1 then work.node end,
      lease = case when excluded.state = 1 then work.lease end
    -- A poll that came between the decision and its commit has moved the row on: then the decision is void.
    where work.polls <= excluded.polls;
    get diagnostics written = row_count;
    if written < cardinality(p_works) then
      select count(*) into expected from unnest(p_works) w where w.ord <> all(dropped);
      if written < expected then raise exception 'work was claimed meanwhile' using errcode = '40001'; end if;
    end if;
  end if;

  if p_payloads is not null then
    insert into payload (exec, no, slot, body)
    select p.exec, p.no, p.slot, p.body from unnest(p_payloads) p where p.ord <> all(dropped)
    on conflict (exec, no, slot) do update set body = excluded.body;
  end if;

  if p_consumed is not null then
    delete from outbox b using unnest(p_consumed) e where b.sender = e.sender and b.n = e.n and e.ord <> all(dropped);
    get diagnostics written = row_count;
    select count(*) into expected from unnest(p_consumed) e where e.ord <> all(dropped);
    if written < expected then raise exception 'an event was consumed meanwhile' using errcode = '40001'; end if;
  end if;

  if p_sends is not null then
    insert into outbox (sender, n, target, body, node)
    select e.sender, e.n, e.target, e.body, p_node from unnest(p_sends) e where e.ord <> all(dropped);
  end if;

  if p_logs is not null then
    insert into log (exec, no, at, line) select l.exec, l.no, l.at, l.line from unnest(p_logs) l where l.ord <> all(dropped);
  end if;

  if p_ops is not null then
    perform commit_ops_last_1(p_ops, dropped);
  end if;

  -- After the heads were locked: who begins to watch locks them too, and so either sees this commit or is seen by it.
  if p_is_shared then
    select coalesce(string_agg(w.exec || ' ' || w.node, E'\t'), '') into watched from watch w where w.node <> p_node
      and w.exec in (select s.id from unnest(p_starts) s union all select s.id from unnest(p_steps) s
        union all select m.exec from unnest(p_moves) m union all select '*'
        union all select r ->> 0 from json_each(nullif(taken, '')::json) t, json_array_elements(t.value) r);
  end if;

  if cardinality(failures) > 0 then
    select string_agg(f.ord || ' ' || f.guard, ',') into told from unnest(failures) f;
  end if;
  told := rtrim(told || E'\n' || taken || E'\n' || watched, E'\n');
  if told <> '' then
    update commit_group g set answer = told where g.writer = p_writer and g.seq = p_seq;
  end if;
  -- The writer has the answers to all groups before this one.
  if p_seq % 64 = 0 then
    delete from commit_group g where g.writer = p_writer and g.seq < p_seq;
  end if;
  return told;
end $$;
