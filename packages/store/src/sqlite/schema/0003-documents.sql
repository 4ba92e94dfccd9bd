-- Small JSON texts by name.
create table document (
  collection text not null,
  id text not null,
  body text not null,
  primary key (collection, id)
);
