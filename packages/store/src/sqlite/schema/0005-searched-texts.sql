-- What few executions have is searched here too, without a look at heads. Those that have none do not pay for the indexes.
alter table search add column created_by text;
alter table search add column event text;
alter table search add column reason text;
alter table search add column idempotency_key text;
-- Reference names of failed tasks, with commas between them.
alter table search add column failed text;
create index search_created_by on search (created_by) where created_by is not null;
create index search_event on search (event) where event is not null;
create index search_reason on search (reason) where reason is not null;
create index search_idempotency on search (idempotency_key) where idempotency_key is not null;
create index search_failed on search (failed) where failed is not null;

update search set (created_by, event, reason, idempotency_key, failed) = (
  select head ->> '$.createdBy', head ->> '$.event', head ->> '$.reasonForIncompletion', head ->> '$.idempotencyKey',
    (select group_concat(value, ',') from json_each(head, '$.failedReferenceTaskNames'))
  from (select head from execution where no = search.no union all select head from archive where no = search.no)
);
