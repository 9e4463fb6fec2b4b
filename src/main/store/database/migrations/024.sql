-- Turns without a prompt of their own: what began them was the client's own words. A rebuild finds those of older corrections.
CREATE TABLE joined_turns (
  session_id TEXT    NOT NULL,
  turn_id    INTEGER NOT NULL,
  part_of    INTEGER NOT NULL, -- the turn that went on
  PRIMARY KEY (session_id, turn_id)
) STRICT, WITHOUT ROWID;
