-- Texts that have not changed for a while, 2048 executions together, see text-block.ts. Their rows of search_text are gone.
create table search_block (
  block integer primary key,
  slots blob not null,
  usual_triples text not null,
  words text not null,
  having_words blob not null
);
-- key: block * 2^10 + the bit of the signatures.
create table search_slice (
  key integer primary key,
  bits blob not null
);
-- Executions that have changed or gone since their block was written: what it says of them is not true any more.
create table search_void (
  no integer primary key
);
