-- Budget marks that were reported, so that each is reported once per period. They belong to people: no rebuild touches them.
CREATE TABLE budget_notices (
  budget_hash TEXT    NOT NULL, -- sha256 of period and project
  since       TEXT    NOT NULL, -- start of the period
  mark        INTEGER NOT NULL, -- percent
  told_at     TEXT    NOT NULL,
  PRIMARY KEY (budget_hash, since, mark)
) STRICT, WITHOUT ROWID;
