-- Marks of budgets that were told, so that each is told once a period: people's own, left alone by every rebuild.
CREATE TABLE budget_notices (
  budget_hash TEXT    NOT NULL, -- sha256 of period and project
  since       TEXT    NOT NULL, -- start of the period
  mark        INTEGER NOT NULL, -- percent
  told_at     TEXT    NOT NULL,
  PRIMARY KEY (budget_hash, since, mark)
) STRICT, WITHOUT ROWID;
