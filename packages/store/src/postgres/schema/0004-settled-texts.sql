-- Texts of ended executions that have come to rest, 2048 together, see sqlite/text-block.ts. Their rows of search_text are
-- gone. search.no says where an execution has settled: block * 2048 + its place. Those that have not have none.
alter table search add column no bigint;
create index search_no on search (no) where no is not null;

create table search_block (
  block bigint primary key,
  slots bytea not null,
  -- As UTF-16: what callers send may be half a character.
  usual_triples bytea not null,
  words bytea not null,
  having_words bytea not null
);

create table search_slice (
  block bigint not null,
  bit int not null,
  bits bit varying not null,
  primary key (block, bit)
);

-- Executions that have changed or gone since their block was written: it may say more of them than is true. What is new of
-- them is in search_text.
create table search_void (
  no bigint primary key
);

create function void_settled_1() returns trigger language plpgsql as $$
begin
  insert into search_void (no) values (old.no) on conflict do nothing;
  return null;
end $$;
create trigger search_changed after update on search for each row
  when (old.no is not null and old.no is not distinct from new.no) execute function void_settled_1();
create trigger search_gone after delete on search for each row
  when (old.no is not null) execute function void_settled_1();
