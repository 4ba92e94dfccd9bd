-- Hits are counted in an index alone. Where words are asked for too, those that have settled are told by their number. Not
-- in the other indexes: they would grow by half, and most is counted in them.
drop index search_name;
create index search_name on search (name, status, start_time) include (no);
-- Only of pages that are known to be visible to all: a vacuum says so.
alter table search set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table search_text set (autovacuum_vacuum_scale_factor = 0.05);
