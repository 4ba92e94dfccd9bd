-- The branches of a dynamic fork by the number of their JOIN, so that a fork in a loop costs the same in every iteration.
create index task_join on task (exec, joins, no) where joins > 0 and no > 32;
