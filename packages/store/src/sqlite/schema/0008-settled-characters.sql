-- Texts of blocks as UTF-16: what is cut out of them may be half a character, which a text cannot hold. Those written so far
-- go. Until they settle again, full signatures say that their executions may contain anything, so each is read.
insert or ignore into search_text (key, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9)
  select s.no << 6, f.bits, f.bits, f.bits, f.bits, f.bits, f.bits, f.bits, f.bits, f.bits, f.bits
  from search s join search_block b on b.block = s.no >> 11 join (select (1 << 52) - 1 as bits) f;
drop table search_block;
create table search_block (
  block integer primary key,
  slots blob not null,
  usual_triples blob not null,
  words blob not null,
  having_words blob not null
);
delete from search_slice;
delete from search_void;
